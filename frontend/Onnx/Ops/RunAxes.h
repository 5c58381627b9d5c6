// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes that only a run gives.
#ifndef WEFT_FRONTEND_ONNX_OPS_RUNAXES_H
#define WEFT_FRONTEND_ONNX_OPS_RUNAXES_H

#include "frontend/Onnx/NodeImport.h"

namespace weft::onnx {

/// Distinct axes that an input gives when the model runs; how many they are, and the rank that they are
/// within, is known. Operations have axes that are known, so what is done along these becomes a reshape whose
/// sizes depend on them: arithmetic with a number for each dim, 1 where it is one of them and 0 elsewhere,
/// which inference follows.
class RunAxes {
public:
  /// Input `index` as axes of input 0, or within a rank. Nothing after an error.
  static std::optional<RunAxes> get(NodeImport &node, size_t index);
  static std::optional<RunAxes> get(NodeImport &node, size_t index, int64_t rank);

  int64_t getRank() const { return rank; }
  int64_t getCount() const { return count; }
  /// `x`, whose first dim fits its elements only if each axis is within the rank, and none occurs twice.
  mlir::Value checked(mlir::Value x) const;

  // Numbers for each dim, [rank] of i64.
  /// `atAxes` in the places of the axes, `elsewhere` in the others; either may be a scalar.
  mlir::Value choose(mlir::Value atAxes, mlir::Value elsewhere) const;
  /// `numbers` [count], each in the place of its axis, and `otherwise` elsewhere.
  mlir::Value spread(mlir::Value numbers, int64_t otherwise) const;
  /// How many of the axes are before each dim, and after it.
  mlir::Value countBefore() const {
    return countWhere(members, [](int64_t at, int64_t other) { return other < at; });
  }
  mlir::Value countAfter() const {
    return countWhere(members, [](int64_t at, int64_t other) { return other > at; });
  }

  /// The sizes [rank] of dims as three, of one axis: the product of those before it, its own, and the product
  /// of those after it.
  mlir::Value around(mlir::Value sizes) const;
  /// The sizes [rank] of dims without those of the axes: [rank - count].
  mlir::Value withoutAxes(mlir::Value sizes) const;
  /// The sizes [rank - count] of the other dims with 1 for each axis: [rank].
  mlir::Value withOnes(mlir::Value sizes) const;

private:
  RunAxes(GraphBuilder &graph, int64_t rank, int64_t count) : graph(graph), rank(rank), count(count) {}

  mlir::Value scalar(int64_t value) const { return graph.scalar(value); }
  mlir::Value places(int64_t count) const;
  mlir::Value isZero(mlir::Value numbers) const;
  mlir::Value otherPlaces() const;
  mlir::Value countWhere(mlir::Value flags, llvm::function_ref<bool(int64_t, int64_t)> counts) const;
  mlir::Value sumRows(mlir::Value table) const;

  GraphBuilder &graph;
  int64_t rank, count;
  mlir::Value matches; ///< [rank, count]: 1 where the dim is the axis
  mlir::Value members; ///< [rank]: 1 where the dim is one of the axes
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPS_RUNAXES_H
