// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding, as a pointwise step that reads the input at computed places, or as one that fills and a copy.
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/Parts.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace weft;

namespace {

/// Index arithmetic in the body of a kernel.
struct IndexMath {
  OpBuilder &builder;
  Location location;

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, location, value); }
  Value loop(int64_t number) { return linalg::IndexOp::create(builder, location, number); }
  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(location, a, b); }
  Value subtract(Value a, Value b) { return builder.createOrFold<arith::SubIOp>(location, a, b); }
  Value multiply(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(location, a, b); }
  Value multiply(Value a, int64_t b) { return multiply(a, constant(b)); }
  Value least(Value a, Value b) { return builder.createOrFold<arith::MinSIOp>(location, a, b); }
  Value most(Value a, Value b) { return builder.createOrFold<arith::MaxSIOp>(location, a, b); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, location, predicate, a, b);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, location, condition, yes, no);
  }
  Value both(Value a, Value b) { return a ? Value(arith::AndIOp::create(builder, location, a, b)) : b; }
  /// `place`, or none where the condition does not hold; null is a condition that always does.
  Value unless(Value condition, Value place) {
    return condition ? select(condition, place, constant(-1)) : place;
  }
};

} // namespace

static Type storedElementOf(Value value) { return getStoredElement(getElementTypeOrSelf(value)); }

/// The sizes of dims as the body's index values: constants, or scalars that are passed to the kernel.
namespace {
class PassedDims {
public:
  explicit PassedDims(StepBuilder &steps, Value buffer) : steps(steps), operands{buffer} {}
  /// Returns the number by which `get` knows it.
  size_t add(Dim dim) {
    bool isPassed = !dim.isConstant();
    entries.push_back({dim, isPassed ? operands.size() : 0});
    if (isPassed)
      operands.push_back(steps.index(dim));
    return entries.size() - 1;
  }
  Value get(IndexMath &math, ValueRange scalars, size_t number) const {
    auto [dim, place] = entries[number];
    return place ? scalars[place] : math.constant(*dim.getConstant());
  }
  ValueRange scalars() const { return operands; }

private:
  StepBuilder &steps;
  SmallVector<Value> operands; ///< the buffer that is read, then sizes
  SmallVector<std::pair<Dim, size_t>> entries;
};
} // namespace

static Value zeroOf(OpBuilder &builder, Location location, Type element) {
  return arith::ConstantOp::create(builder, location, builder.getZeroAttr(element));
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

namespace {
/// A dim of a padded tensor, perhaps several of them.
struct PaddedDim {
  Dim extent, before, size;
  bool isWhole() const { return before.getConstant() == 0 && size == extent; }
};
} // namespace

/// Merges dims that stay whole into the one before, which then counts in their elements: the place of what is
/// not there does not matter, so this holds for any dim that is padded with a constant.
static SmallVector<PaddedDim> mergePadded(StepBuilder &steps, PadOp op) {
  SmallVector<PaddedDim> dims;
  SmallVector<Dim> input = *getDims(op.getInput()), sizes = getDims(cast<ShapedType>(op.getType()));
  for (size_t i = 0; i < input.size(); ++i) {
    PaddedDim dim{input[i], Dim(op.getBefore()->getDims()[i]), sizes[i]};
    if (dim.isWhole() && !dims.empty() && (dims.back().isWhole() || op.getMode() == PadMode::Constant)) {
      PaddedDim &last = dims.back();
      last = {last.extent * dim.extent, last.before * dim.extent, last.size * dim.extent};
    } else {
      dims.push_back(dim);
    }
  }
  return dims;
}

/// The position in a dim of `extent` that a position before, in or after it shows.
static Value showPosition(IndexMath &math, PadMode mode, Value position, Value extent) {
  Value zero = math.constant(0), last = math.subtract(extent, math.constant(1));
  switch (mode) {
  case PadMode::Constant:
    return position;
  case PadMode::Edge:
    return math.most(math.least(position, last), zero);
  case PadMode::Reflect: {
    Value mirrored = math.most(position, math.subtract(zero, position));
    return math.least(mirrored, math.subtract(math.multiply(last, 2), mirrored));
  }
  case PadMode::Wrap: {
    // Of an empty dim nothing is shown, but nothing may be divided by 0 either.
    Value period = math.most(extent, math.constant(1));
    Value rest = arith::RemSIOp::create(math.builder, math.location, position, period);
    Value isNegative = math.compare(arith::CmpIPredicate::slt, rest, zero);
    return math.select(isNegative, math.add(rest, period), rest);
  }
  }
  return position;
}

/// Where the input lies in the result, if all of it does and one number is all around it.
static std::optional<StridedView> findFramed(PadOp op, StepBuilder &steps) {
  auto isAdded = [](Dim dim) { return provablyNonNegative(dim); };
  if (op.getMode() != PadMode::Constant || !llvm::all_of(op.getBefore()->getDims(), isAdded) ||
      !llvm::all_of(op.getAfter()->getDims(), isAdded))
    return std::nullopt;
  SmallVector<Dim> sizes = getDims(cast<ShapedType>(op.getType()));
  StridedView framed{
      {}, steps.constant(0), *getDims(op.getInput()), contiguousStrides(op.getContext(), sizes)};
  for (auto [before, stride] : llvm::zip_equal(op.getBefore()->getDims(), framed.strides))
    framed.offset = framed.offset + Dim(before) * stride;
  return isKnown(framed) ? std::optional(framed) : std::nullopt;
}

/// The parts of the result around `framed`: of each dim what is before and behind the input, between the
/// input's ends in the dims before it, all along those behind it. All of the result where the rows of a part
/// are not in one piece.
static SmallVector<StridedView> partsOfFrame(PadOp op, StepBuilder &steps, const StridedView &framed,
                                             ArrayRef<Dim> sizes) {
  SmallVector<StridedView> parts;
  Dim none = steps.constant(0), offset = none; // of the input's beginning in the dims before
  for (size_t i = 0; i < sizes.size(); ++i) {
    Dim before = op.getBefore()->getDims()[i], after = op.getAfter()->getDims()[i],
        stride = framed.strides[i];
    for (auto [begin, size] : {std::pair(none, before), std::pair(before + framed.sizes[i], after)}) {
      if (size.getConstant() == 0)
        continue;
      StridedView part{framed.tensor, offset + begin * stride, SmallVector<Dim>(sizes), framed.strides};
      llvm::copy(ArrayRef(framed.sizes).take_front(i), part.sizes.begin());
      part.sizes[i] = size;
      parts.push_back(part);
    }
    offset = offset + before * stride;
  }
  if (!llvm::all_of(parts, areRowsWhole))
    return {wholeOf(steps, framed.tensor, sizes)};
  return parts;
}

/// What is around the input is filled, and the input copied or computed into the middle, all in whole
/// vectors, where places that are computed are read one by one. On a GPU those would be launches more.
static FailureOr<Value> fillAndPlace(PadOp op, StepBuilder &steps, StridedView to) {
  Value input = op.getInput();
  SmallVector<Dim> sizes = getDims(cast<ShapedType>(op.getType()));
  Type element = storedElementOf(input);
  auto fill = [&](OpBuilder &builder, Location location, ValueRange elements,
                  ValueRange) -> FailureOr<Value> {
    return elements.empty() ? zeroOf(builder, location, element) : elements.front();
  };
  SmallVector<PointwiseInput> inputs;
  if (op.getFill())
    inputs.push_back({steps.tensor(op.getFill()), {}});
  to.tensor = steps.empty(sizes, element);
  FailureOr<Value> result = failure();
  for (StridedView part : partsOfFrame(op, steps, to, sizes)) {
    part.tensor = to.tensor;
    result = buildPointwiseStepInto(steps, "fill", inputs, part, fill);
    if (failed(result))
      return failure();
    to.tensor = *result;
  }
  if (steps.countOperations(input) > 0) {
    result = buildElementwiseStep(steps, input.getDefiningOp(), &to);
  } else {
    StridedView from = viewOf(steps, input);
    if (!areRowsWhole(from))
      from = wholeOf(steps, steps.tensor(input), to.sizes);
    result = buildPointwiseStepInto(steps, "pad", inputOf(from), to, copyElement);
  }
  return failed(result) ? result : FailureOr<Value>(steps.view(*result, sizes));
}

static FailureOr<Value> lower(PadOp op, StepBuilder &steps) {
  if (failed(requireForm(op, !op.getPads() && op.getBefore() && op.getAfter(), "before and after")))
    return failure();
  std::optional<StridedView> framed = steps.isForGPU ? std::nullopt : findFramed(op, steps);
  if (framed && areRowsWhole(*framed))
    return fillAndPlace(op, steps, *framed);
  if (failed(computeLeft(steps, op.getInput())))
    return failure();
  SmallVector<PaddedDim> dims = mergePadded(steps, op);
  SmallVector<Dim> extents = llvm::map_to_vector(dims, [](const PaddedDim &dim) { return dim.extent; });
  SmallVector<Dim> sizes = llvm::map_to_vector(dims, [](const PaddedDim &dim) { return dim.size; });
  Type element = storedElementOf(op.getInput());
  PassedDims passed(steps, steps.view(steps.tensor(op.getInput()), steps.product(extents)));
  for (const PaddedDim &dim : dims) {
    passed.add(dim.extent);
    passed.add(dim.before);
  }
  PadMode mode = op.getMode();
  auto body = [&](OpBuilder &builder, Location location, ValueRange elements,
                  ValueRange scalars) -> FailureOr<Value> {
    IndexMath math{builder, location};
    Value place = math.constant(0), isInside;
    for (auto [i, dim] : llvm::enumerate(dims)) {
      Value position = math.loop(i), extent = passed.get(math, scalars, 2 * i);
      if (!dim.isWhole()) {
        position = math.subtract(position, passed.get(math, scalars, 2 * i + 1));
        if (mode == PadMode::Constant)
          isInside = math.both(isInside, math.compare(arith::CmpIPredicate::ult, position, extent));
        position = showPosition(math, mode, position, extent);
      }
      place = math.add(math.multiply(place, extent), position);
    }
    Value fill = elements.empty() ? zeroOf(builder, location, element) : elements.front();
    return Value(
        ReadOp::create(builder, location, element, scalars.front(), math.unless(isInside, place), fill));
  };
  SmallVector<PointwiseInput> inputs;
  if (op.getFill())
    inputs.push_back({steps.tensor(op.getFill()), {}});
  FailureOr<Value> result =
      buildPointwiseStep(steps, "pad", inputs, sizes, element, body, passed.scalars(), /*keepDims=*/true);
  return failed(result) ? result
                        : FailureOr<Value>(steps.view(*result, getDims(cast<ShapedType>(op.getType()))));
}

namespace {
struct PadLowering : StepLoweringInterface::ExternalModel<PadLowering, PadOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lower(cast<PadOp>(op), steps);
  }
};
} // namespace

void weft::attachPadLowering(MLIRContext *context) { PadOp::attachInterface<PadLowering>(*context); }
