// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding, and the windows of convolutions, as pointwise steps that read the input at computed places.
#include "compiler/Tile/LowerToSteps/Families.h"
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
  Value divide(Value a, int64_t b) { return builder.createOrFold<arith::DivUIOp>(location, a, constant(b)); }
  Value modulo(Value a, int64_t b) { return builder.createOrFold<arith::RemUIOp>(location, a, constant(b)); }
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

static FailureOr<Value> lower(PadOp op, StepBuilder &steps) {
  if (failed(requireForm(op, !op.getPads() && op.getBefore() && op.getAfter(), "before and after")))
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

//===----------------------------------------------------------------------===//
// patches
//===----------------------------------------------------------------------===//

/// Channels and taps are one loop, the innermost: kernels are short, and it is vectors that are computed.
static FailureOr<Value> lower(PatchesOp op, StepBuilder &steps) {
  SmallVector<Dim> input = *getDims(op.getInput()), dims = getDims(cast<ShapedType>(op.getType()));
  ArrayRef<int64_t> kernel = op.getKernel();
  size_t spatial = kernel.size();
  SmallVector<Dim> loops(ArrayRef(dims).take_front(1 + spatial));
  loops.push_back(steps.product(ArrayRef(dims).drop_front(1 + spatial)));
  Type element = storedElementOf(op.getInput());
  PassedDims passed(steps, steps.view(steps.tensor(op.getInput()), steps.product(input)));
  for (Dim dim : ArrayRef(input).drop_front())
    passed.add(dim);
  auto body = [&](OpBuilder &builder, Location location, ValueRange, ValueRange scalars) -> FailureOr<Value> {
    IndexMath math{builder, location};
    Value rest = math.loop(1 + spatial), isInside;
    SmallVector<Value> taps(spatial);
    for (size_t i = spatial; i-- > 0; rest = math.divide(rest, kernel[i]))
      taps[i] = math.modulo(rest, kernel[i]);
    Value place = math.add(math.multiply(math.loop(0), passed.get(math, scalars, 0)), rest);
    for (size_t i = 0; i < spatial; ++i) {
      Value extent = passed.get(math, scalars, 1 + i);
      Value position = math.add(math.multiply(math.loop(1 + i), op.getStrides()[i]),
                                math.multiply(taps[i], op.getDilations()[i]));
      if (op.getPads()[i] != 0 || op.getPads()[i + spatial] != 0) {
        position = math.subtract(position, math.constant(op.getPads()[i]));
        isInside = math.both(isInside, math.compare(arith::CmpIPredicate::ult, position, extent));
      }
      place = math.add(math.multiply(place, extent), position);
    }
    return Value(ReadOp::create(builder, location, element, scalars.front(), math.unless(isInside, place),
                                zeroOf(builder, location, element)));
  };
  FailureOr<Value> result =
      buildPointwiseStep(steps, "patches", {}, loops, element, body, passed.scalars(), /*keepDims=*/true);
  return failed(result) ? result : FailureOr<Value>(steps.view(*result, dims));
}

namespace {
struct PadLowering : StepLoweringInterface::ExternalModel<PadLowering, PadOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lower(cast<PadOp>(op), steps);
  }
};
struct PatchesLowering : StepLoweringInterface::ExternalModel<PatchesLowering, PatchesOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lower(cast<PatchesOp>(op), steps);
  }
};
} // namespace

void weft::attachPadLowering(MLIRContext *context) {
  PadOp::attachInterface<PadLowering>(*context);
  PatchesOp::attachInterface<PatchesLowering>(*context);
}
