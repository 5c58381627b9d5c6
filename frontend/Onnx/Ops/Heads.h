// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operators of attention share: heads, their pasts, and what scores are multiplied with.
#ifndef WEFT_FRONTEND_ONNX_OPS_HEADS_H
#define WEFT_FRONTEND_ONNX_OPS_HEADS_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// [batch, length, heads * width] by head: [batch, heads, length, width]. `attribute` is what says how many
/// there are. Null after an error.
mlir::Value splitHeads(NodeImport &node, mlir::Value x, int64_t heads, llvm::StringRef attribute);
/// And back.
mlir::Value mergeHeads(GraphBuilder &graph, mlir::Value x);

/// Inputs `index` and `index` + 1 before keys and values [batch, heads, length, width], where the node has
/// them. False after an error.
bool prependPast(NodeImport &node, size_t index, mlir::Value &key, mlir::Value &value);

/// What products of queries and keys are multiplied with: the attribute "scale", or 1 / sqrt(width). One that
/// depends on a width that is not known multiplies the query, and the result is 1.
double takeScale(NodeImport &node, mlir::Value &query);
/// The same of com.microsoft, where a "scale" of 0 is none.
double takeContribScale(NodeImport &node, mlir::Value &query);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_HEADS_H
