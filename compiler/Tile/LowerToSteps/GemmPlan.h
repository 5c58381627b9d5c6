// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which steps a matrix product takes, and which tiles these have.
#ifndef WEFT_COMPILER_TILE_LOWERTOSTEPS_GEMMPLAN_H
#define WEFT_COMPILER_TILE_LOWERTOSTEPS_GEMMPLAN_H

#include "compiler/Tile/StepBuilder.h"

namespace weft {

/// The dims of a product as its kernel sees it: batches of M x K times K x N.
struct GemmDims {
  llvm::SmallVector<Dim> lhs, rhs, result;
  Dim rows() const { return result[result.size() - 2]; }
  Dim columns() const { return result.back(); }
  Dim depth() const { return lhs.back(); }
};

/// A step that takes a product of as many rows as it is for, and otherwise has nothing to do.
struct GemmPlan {
  int64_t rows = 0, columns = 0; ///< of a tile
  Dim isTaken = {};              ///< 0 or 1
  /// Of the depth, each with sums of its own, which one more step adds; null where there is but one.
  Dim parts = {};
  /// Of a tile for sm_90a, and blocks of a cluster there; 0 where its kernel chooses.
  int64_t hopperColumns = 0, hopperCluster = 0;
};

/// On a CPU one step. On a GPU one each for few rows, for too few tiles to give every processor one, and for
/// many, as far as the number of rows does not say which it is. `weft.schedule` has `rows` and `columns` of
/// all others than few, and `parts`; `weft.schedules` has them for each (ScheduleTable.h).
llvm::SmallVector<GemmPlan> planGemm(MatmulOp op, StepBuilder &steps, const GemmDims &dims);

} // namespace weft

#endif // WEFT_COMPILER_TILE_LOWERTOSTEPS_GEMMPLAN_H
