// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that only a run knows, of either sign, as arithmetic that inference follows.
#ifndef WEFT_FRONTEND_ONNX_OPS_RUNSTEPS_H
#define WEFT_FRONTEND_ONNX_OPS_RUNSTEPS_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// Steps, one or a list of integers.
class RunSteps {
public:
  RunSteps(NodeImport &node, mlir::Value steps);

  /// `x`, whose first dim fits its elements only if no step is 0.
  mlir::Value checked(mlir::Value x) const;
  /// How many steps there are from one place to before the other; at least 0. i64.
  mlir::Value count(mlir::Value from, mlir::Value to) const;
  struct Bounds {
    mlir::Value first, count;
  };
  /// The first places of a slice of dims of `sizes`, and how many it takes, as ONNX clamps them.
  Bounds clampBounds(mlir::Value starts, mlir::Value ends, mlir::Value sizes) const;
  /// 0, 1, ... up to a count, a scalar.
  mlir::Value places(mlir::Value count) const;

private:
  mlir::Value scalar(int64_t number) const { return graph.scalar(number); }
  mlir::Value least(mlir::Value left, mlir::Value right) const {
    return graph.add("weft.min", {left, right});
  }
  mlir::Value most(mlir::Value left, mlir::Value right) const { return graph.add("weft.max", {left, right}); }
  /// 1 where a number is negative, and 0 elsewhere.
  mlir::Value isNegative(mlir::Value numbers) const;

  NodeImport &node;
  GraphBuilder &graph;
  mlir::Value steps;    ///< i64
  mlir::Value backward; ///< 1 where a step is negative, else 0
  mlir::Value width;    ///< of steps in either direction
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_RUNSTEPS_H
