// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of attentions that a model gives as such (ONNX's Attention).
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_COMPUTEDMASKS_H
#define WEFT_COMPILER_GRAPH_ATTENTION_COMPUTEDMASKS_H

#include "compiler/Graph/Attention/ScoreRegion.h"
#include "mlir/IR/PatternMatch.h"

namespace weft::graph {

/// Has the score region of an attention compute what its captures are, as far as that follows from places: a
/// mask that a graph makes for all queries and keys is no tensor then. False if nothing does.
bool computeMasks(AttentionOp op, IndexTables &tables, mlir::IRRewriter &rewriter);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_COMPUTEDMASKS_H
