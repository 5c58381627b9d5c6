// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the score region of an attention is on a tile of scores, found out at run time from the tile's place:
// whether all of it is excluded, or none.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_SCOREVERDICT_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_SCOREVERDICT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"

namespace weft::cpu {

/// What is known of a scalar: that it lies from `low` to `high`, both of its type and included, or nothing
/// where these are null, or, of floats, turn out to be NaN. A scalar whose value is at hand is both. Indices
/// are positions in tensors: not negative, and below 2^40.
struct Interval {
  mlir::Value low, high;
  bool isMask = false; ///< a float that may have been made to be added to scores: 0 keeps them
};

/// What is certain of a tile; each is an i1, null if it never is, whatever numbers the intervals hold. All
/// are conservative: a tile may be empty though `isEmpty` is false.
struct TileVerdict {
  /// Every score is excluded: not kept, or minus infinity. That added to any score counts as minus infinity.
  mlir::Value isEmpty;
  /// Every mask is open everywhere, so that the region computes what `openMasks` leaves of it. Null too if it
  /// has no mask.
  mlir::Value isFull;
  /// Every score that is kept is `constant`, such as the -1e9 that a mask fills in, or the least number that
  /// it adds: scores are taken to be less than 2^64 in size. What is not kept is to be asked of the region.
  mlir::Value isConstant;
  mlir::Value constant;
};

/// Builds straight-line scalar code that finds out what the region of `score`, its block, is where its
/// arguments lie in the given intervals, an interval for each. The code neither traps nor reads memory.
TileVerdict buildTileVerdict(mlir::OpBuilder &builder, mlir::Location location, mlir::Block &score,
                             llvm::ArrayRef<Interval> arguments);

/// Makes a region what it is on a full tile: each mask is replaced by the constant that it is there, and
/// folded. A mask is a condition of arguments that have an interval that excludes scores, makes them the same
/// whatever the score is, or takes 1e4 or more from them: with one of its values, which is closed; the other
/// is open. Or it is an argument that `isMask` and is added, open if it is 0. False, and nothing is changed,
/// if there is none.
bool openMasks(mlir::Region &score, llvm::ArrayRef<Interval> arguments);

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_SCOREVERDICT_H
