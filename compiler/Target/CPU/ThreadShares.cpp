// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shares of threads, as arithmetic that each of them does.
#include "compiler/Target/CPU/ThreadShares.h"
#include "compiler/Target/EntryBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

ThreadShares::ThreadShares(OpBuilder &builder, Location location, Team team, ArrayRef<StepOp> steps,
                           const llvm::DenseMap<Operation *, Value> &costs,
                           llvm::function_ref<Value()> isApart)
    : builder(builder), location(location), team(team) {
  if (steps.size() == 1)
    return;
  total = number(0);
  Value left = integer(0);
  for (StepOp step : steps) {
    Value grid = toI64(builder, location, step.getGrid());
    left = create<arith::OrIOp>(left, create<arith::RemUIOp>(grid, team.threads));
    // At least 1, as it is divided by.
    Value cost = create<arith::MaximumFOp>(toF64(toI64(builder, location, costs.at(step))), number(1));
    parts[step] = {cost, total};
    total = create<arith::AddFOp>(total, cost);
  }
  Value isEven = create<arith::CmpIOp>(arith::CmpIPredicate::eq, left, integer(0));
  isEach = create<arith::OrIOp>(isEven, isApart());
}

ThreadShares::Range ThreadShares::get(StepOp step, int64_t pieces) {
  Value count = create<arith::MulIOp>(toI64(builder, location, step.getGrid()), integer(pieces));
  return {bound(step, count, team.thread),
          bound(step, count, create<arith::AddIOp>(team.thread, integer(1)))};
}

/// The first of `count` things of a step that belongs to thread `part`.
Value ThreadShares::bound(StepOp step, Value count, Value part) {
  Value own = shareBound(builder, location, count, part, team.threads);
  auto found = parts.find(step);
  return found == parts.end()
             ? own
             : create<arith::SelectOp>(isEach, own, boundOfGroup(found->second, count, part));
}

/// The same where the group is shared out as a whole: what comes when `part / threads` of the group's cost
/// are done. However this is rounded: part 0 gives 0, all threads give the count, and more never gives less.
Value ThreadShares::boundOfGroup(const Part &step, Value count, Value part) {
  Value share = create<arith::DivFOp>(toF64(part), toF64(team.threads));
  Value done = create<arith::SubFOp>(create<arith::MulFOp>(total, share), step.start);
  Value fraction = create<arith::DivFOp>(done, step.cost);
  fraction = create<arith::MinimumFOp>(create<arith::MaximumFOp>(fraction, number(0)), number(1));
  Value place = create<arith::AddFOp>(create<arith::MulFOp>(fraction, toF64(count)), number(0.5));
  return create<arith::IndexCastOp>(builder.getIndexType(),
                                    create<arith::FPToUIOp>(builder.getI64Type(), place));
}

Value ThreadShares::integer(int64_t value) {
  return create<arith::ConstantIntOp>(builder.getI64Type(), value);
}

Value ThreadShares::number(double value) { return create<arith::ConstantOp>(builder.getF64FloatAttr(value)); }

Value ThreadShares::toF64(Value integer) { return create<arith::UIToFPOp>(builder.getF64Type(), integer); }
