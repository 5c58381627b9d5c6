// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two rewrites of shape inference: shape arithmetic to its value, and import forms to graph forms.
#ifndef WEFT_COMPILER_GRAPH_GRAPHFORMS_H
#define WEFT_COMPILER_GRAPH_GRAPHFORMS_H

#include "dialects/Weft/IR/Weft.h"

namespace weft::graph {

class GraphInference;

/// Replaces an operation whose elements are known by weft.constant or weft.dims, and says whether it did. The
/// known elements of others, such as a matrix of dims, are kept in `context`.
mlir::FailureOr<bool> foldContents(mlir::Operation *op, GraphInference &context);

/// Replaces an operation that takes its shape as data, or says it in attributes, by the one that has it in
/// its type; nothing for others.
void takeGraphForm(mlir::Operation *op, GraphInference &context);

/// Whether an operation takes its shape as data.
bool isImportForm(mlir::Operation *op);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_GRAPHFORMS_H
