// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tiles of a group's steps a thread computes.
#ifndef WEFT_COMPILER_TARGET_CPU_THREADSHARES_H
#define WEFT_COMPILER_TARGET_CPU_THREADSHARES_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace weft::cpu {

/// The thread that asks, and how many there are, both i64.
struct Team {
  mlir::Value thread, threads;
};

/// Shares out the steps of a group, none of which needs another, among the threads of a team. Where some
/// step's tiles do not go evenly into the threads, the group is shared out as a whole, by cost: a thread's
/// share is the tiles between two places in the row of all steps' tiles. Where all do, each thread has its
/// part of each step, as it will have of the steps that read what these make.
class ThreadShares {
public:
  using Value = mlir::Value;
  /// A step's cost, an index, is looked up if it is not alone; an i1 says whether steps are computed apart.
  ThreadShares(mlir::OpBuilder &builder, mlir::Location location, Team team, llvm::ArrayRef<StepOp> steps,
               const llvm::DenseMap<mlir::Operation *, Value> &costs, llvm::function_ref<Value()> isApart);

  struct Range {
    Value first, end; ///< indices
  };
  /// The share of a step whose tiles have so many pieces each: pieces, counted over all tiles.
  Range get(StepOp step, int64_t pieces);

private:
  struct Part {
    Value cost, start; ///< of a step and of those before it, f64
  };

  Value bound(StepOp step, Value count, Value part);
  Value boundOfGroup(const Part &step, Value count, Value part);
  Value integer(int64_t value);
  Value number(double value);
  Value toF64(Value integer);
  template <typename Op, typename... Args> Value create(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }

  mlir::OpBuilder &builder;
  mlir::Location location;
  Team team;
  llvm::DenseMap<mlir::Operation *, Part> parts; ///< none of a step that is alone
  Value total;                                   ///< what the group costs, an f64
  Value isEach;                                  ///< whether each step is shared out by itself, an i1
};

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_THREADSHARES_H
