// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iterations of Loop and Scan: one after the other in the graph where their number is known, and a
// weft.loop otherwise.
#ifndef WEFT_FRONTEND_ONNX_OPS_ITERATIONS_H
#define WEFT_FRONTEND_ONNX_OPS_ITERATIONS_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// Along which axis, and from which end, a value is taken apart or put together.
struct Way {
  int64_t axis = 0;
  bool isReversed = false;
};

/// The states and the stacked outputs of a loop while it is unrolled.
struct Iterations {
  /// The body's outputs from `firstStacked` on are stacked; the states are right before them.
  Iterations(const Graph &body, llvm::ArrayRef<ModelValue> states, size_t firstStacked)
      : body(body), states(states), firstStacked(firstStacked), stacked(body.outputs.size() - firstStacked) {}

  /// Takes what one iteration gives; false after an error.
  bool take(NodeImport &node, llvm::ArrayRef<ModelValue> outputs);
  /// The states and what iterations stacked; nothing after an error. Axes are within rank.
  std::optional<llvm::SmallVector<ModelValue>> finish(NodeImport &node, llvm::ArrayRef<Way> ways);

  const Graph &body;
  llvm::SmallVector<ModelValue> states;
  size_t firstStacked;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> stacked;
};

/// An output of a loop that has an element of each iteration, along a new axis. Null after an error.
mlir::Value stack(NodeImport &node, llvm::ArrayRef<mlir::Value> elements, const ValueInfo &declared,
                  int64_t axis);

/// Dim 0 of a value of known rank as its dim `axis`.
mlir::Value moveFirstDim(NodeImport &node, mlir::Value value, int64_t axis);

/// The body's inputs of an iteration, from its number and the states.
using InputsOfIteration = llvm::function_ref<llvm::SmallVector<ModelValue>(
    mlir::Value iteration, llvm::ArrayRef<ModelValue> states)>;

/// A weft.loop around a body: of a Loop, whose first output says whether to go on, which has to be known to
/// be so, or of a Scan. Results: the states, then what is stacked, along dim 0. A state may be a sequence
/// that the body only appends to. Nothing after an error.
std::optional<llvm::SmallVector<ModelValue>> loopAtRunTime(NodeImport &node, const Graph &body,
                                                           mlir::Value trips,
                                                           llvm::ArrayRef<ModelValue> states, bool isScan,
                                                           InputsOfIteration inputsOf);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_ITERATIONS_H
