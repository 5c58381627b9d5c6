// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention sinks: a softmax over the scores of a row and one score more, whose weight nothing uses.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_SOFTMAXSINK_H
#define WEFT_COMPILER_GRAPH_ATTENTION_SOFTMAXSINK_H

#include "dialects/Weft/IR/Weft.h"

namespace weft::graph {

/// What a softmax is of, and what becomes of it: slice(softmax(concat(scores, sink))).
struct SoftmaxSink {
  mlir::Value scores, weights; ///< of the same dims
  mlir::Value sink;            ///< 1 where scores have the softmax's axis
};

/// The parts if the softmax has a sink, in front of the scores or behind them; all shapes have to be known.
std::optional<SoftmaxSink> findSink(SoftmaxOp softmax);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_SOFTMAXSINK_H
