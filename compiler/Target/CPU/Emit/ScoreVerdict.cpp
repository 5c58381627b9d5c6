// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts on tiles: the region's operations are run on intervals; and masks are found by running them on
// nothing but one condition.
#include "compiler/Target/CPU/Emit/ScoreVerdict.h"
#include "compiler/Target/CPU/Emit/Intervals.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace weft::cpu;

using KnownOf = DenseMap<Value, Known>;

/// Fills in what is known of every value of the region. What is in `known` before stays.
static void analyse(Intervals &intervals, Block &score, KnownOf &known) {
  for (Operation &op : score.without_terminator()) {
    auto operands =
        llvm::map_to_vector(op.getOperands(), [&](Value operand) { return known.lookup(operand); });
    if (op.getNumResults() == 1 && !known.contains(op.getResult(0)))
      known[op.getResult(0)] = intervals.of(&op, operands);
  }
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

namespace {
struct Mask {
  Value value;
  TypedAttr open; ///< what it is where it changes no score
};
} // namespace

/// Whether a condition, where it has the value, closes the region whatever its other arguments are.
static bool isClosedBy(Block &score, Value condition, bool value) {
  constexpr double kMask = -1e4; // the mildest that models add or fill in
  Block scratch;
  OpBuilder builder(condition.getContext());
  builder.setInsertionPointToStart(&scratch);
  Intervals intervals(builder, condition.getLoc(), kMask);
  KnownOf known;
  known[condition] = intervals.ofBool(value);
  analyse(intervals, score, known);
  Known result = known.lookup(score.back().getOperand(0)), keep = known.lookup(score.back().getOperand(1));
  Value closed = intervals.either(intervals.isExcluded(result), intervals.isConstant(result));
  closed = intervals.either(closed, keep.isFalse);
  return closed && getConstantIntValue(closed).value_or(0) != 0;
}

/// The conditions of known arguments alone that close the region with just one of their values, and masks
/// that are added. A condition that only goes into others of these is left to them.
static SmallVector<Mask> findMasks(Block &score, ArrayRef<Interval> arguments) {
  llvm::SetVector<Value> known;
  SmallVector<Mask> masks;
  for (auto [argument, interval] : llvm::zip_equal(score.getArguments(), arguments)) {
    if (!interval.low || !interval.high)
      continue;
    known.insert(argument);
    bool isAdded = !argument.use_empty() && llvm::all_of(argument.getUsers(), llvm::IsaPred<arith::AddFOp>);
    if (interval.isMask && isAdded)
      masks.push_back({argument, FloatAttr::get(argument.getType(), 0)});
  }
  for (Operation &op : score.without_terminator())
    if (llvm::all_of(op.getOperands(), [&](Value operand) { return known.contains(operand); }))
      known.insert_range(op.getResults());
  auto isKnownCondition = [&](Operation *op) {
    return op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1) &&
           known.contains(op->getResult(0));
  };
  for (Value value : known) {
    if (!value.getType().isInteger(1) || llvm::all_of(value.getUsers(), isKnownCondition) ||
        matchPattern(value, m_Constant()))
      continue;
    bool byTrue = isClosedBy(score, value, true), byFalse = isClosedBy(score, value, false);
    if (byTrue != byFalse)
      masks.push_back({value, BoolAttr::get(value.getContext(), /*open=*/byFalse)});
  }
  return masks;
}

/// What a zero is added to, of which it changes at most the sign of a zero; null if there is none.
static Value withoutZero(Operation *op) {
  if (!isa<arith::AddFOp>(op))
    return {};
  for (unsigned zero : {0, 1})
    if (matchPattern(op->getOperand(zero), m_AnyZeroFloat()))
      return op->getOperand(1 - zero);
  return {};
}

/// Folds what can be, and removes what is not used.
static void fold(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    OpBuilder builder(&op);
    SmallVector<Value> results;
    if (Value kept = withoutZero(&op))
      op.getResult(0).replaceAllUsesWith(kept);
    else if (succeeded(builder.tryFold(&op, results)) && results.size() == op.getNumResults())
      op.replaceAllUsesWith(results);
  }
  for (Operation *op = block.back().getPrevNode(), *before; op; op = before) {
    before = op->getPrevNode();
    if (isOpTriviallyDead(op))
      op->erase();
  }
}

bool weft::cpu::openMasks(Region &score, ArrayRef<Interval> arguments) {
  if (score.empty())
    return false;
  Block &block = score.front();
  SmallVector<Mask> masks = findMasks(block, arguments);
  for (auto [value, open] : masks) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointToStart(&block);
    value.replaceAllUsesWith(arith::ConstantOp::create(builder, value.getLoc(), open));
  }
  if (!masks.empty())
    fold(block);
  return !masks.empty();
}

//===----------------------------------------------------------------------===//
// The verdict
//===----------------------------------------------------------------------===//

TileVerdict weft::cpu::buildTileVerdict(OpBuilder &builder, Location location, Block &score,
                                        ArrayRef<Interval> arguments) {
  Intervals intervals(builder, location, -std::numeric_limits<double>::infinity());
  KnownOf known;
  for (auto [argument, interval] : llvm::zip_equal(score.getArguments(), arguments)) {
    known[argument] = intervals.ofArgument(argument.getType(), interval);
    bool isCapture = argument.getArgNumber() > 0; // all but the score
    known[argument].isLarge = known[argument].isFiniteLarge = isCapture;
  }
  analyse(intervals, score, known);
  Known result = known.lookup(score.back().getOperand(0)), keep = known.lookup(score.back().getOperand(1));
  TileVerdict verdict;
  verdict.isEmpty = intervals.either(keep.isFalse, intervals.isExcluded(result));
  verdict.isConstant = intervals.isConstant(result);
  verdict.constant = result.low;
  SmallVector<Mask> masks = findMasks(score, arguments);
  for (auto [number, mask] : llvm::enumerate(masks)) {
    Value isOpen = intervals.isAlways(known.lookup(mask.value), mask.open);
    verdict.isFull = number == 0 ? isOpen : intervals.both(verdict.isFull, isOpen);
  }
  return verdict;
}
