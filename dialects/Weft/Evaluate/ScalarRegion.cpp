// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of scalar arith and math operations, one operation at a time for all elements.
#include "dialects/Weft/Evaluate/ScalarRegion.h"
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/Scalar.h"
#include "llvm/ADT/TypeSwitch.h"
#include <functional>

using namespace mlir;
using namespace weft;

using OnFloat = double (*)(double);
using OnFloats = double (*)(double, double);

//===----------------------------------------------------------------------===//
// Integers: arith has no types for signedness, so each operation says how it reads bits.
//===----------------------------------------------------------------------===//

static unsigned getWidth(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

static int64_t readSigned(const Tensor &tensor, int64_t place) {
  int64_t value = tensor.getInteger(place);
  return tensor.getElementType().isInteger(1) ? -value : value;
}

static int64_t readUnsigned(const Tensor &tensor, int64_t place) {
  unsigned width = getWidth(tensor.getElementType());
  uint64_t value = tensor.getInteger(place);
  return int64_t(width < 64 ? value & ((uint64_t(1) << width) - 1) : value);
}

/// Wraps at the width; of a bool only the lowest bit counts.
static void writeInteger(Tensor &tensor, int64_t place, int64_t value) {
  tensor.setInteger(place, tensor.getElementType().isInteger(1) ? value & 1 : value);
}

// By fewer bits than there are: what builds the operations sees to that.
static int64_t shiftLeft(int64_t a, int64_t b, bool) { return int64_t(uint64_t(a) << (b & 63)); }
static int64_t shiftRight(int64_t a, int64_t b, bool) { return int64_t(uint64_t(a) >> (b & 63)); }

namespace {
struct IntegerFunction {
  int64_t (*compute)(int64_t, int64_t, bool isUnsigned) = nullptr;
  bool isUnsigned = false;
};
} // namespace

static IntegerFunction getIntegerFunction(Operation *op) {
  using namespace arith;
  return TypeSwitch<Operation *, IntegerFunction>(op)
      .Case([](AddIOp) { return IntegerFunction{scalar::add}; })
      .Case([](SubIOp) { return IntegerFunction{scalar::subtract}; })
      .Case([](MulIOp) { return IntegerFunction{scalar::multiply}; })
      .Case([](DivSIOp) { return IntegerFunction{scalar::divide}; })
      .Case([](DivUIOp) { return IntegerFunction{scalar::divide, true}; })
      .Case([](RemSIOp) { return IntegerFunction{scalar::remainder}; })
      .Case([](RemUIOp) { return IntegerFunction{scalar::remainder, true}; })
      .Case([](MinSIOp) { return IntegerFunction{scalar::minimum}; })
      .Case([](MinUIOp) { return IntegerFunction{scalar::minimum, true}; })
      .Case([](MaxSIOp) { return IntegerFunction{scalar::maximum}; })
      .Case([](MaxUIOp) { return IntegerFunction{scalar::maximum, true}; })
      .Case([](AndIOp) { return IntegerFunction{scalar::bitAnd}; })
      .Case([](OrIOp) { return IntegerFunction{scalar::bitOr}; })
      .Case([](XOrIOp) { return IntegerFunction{scalar::bitXor}; })
      .Case([](ShLIOp) { return IntegerFunction{shiftLeft}; })
      .Case([](ShRUIOp) { return IntegerFunction{shiftRight, true}; })
      .Default([](Operation *) { return IntegerFunction(); });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static double negate(double x) { return -x; }
static double reciprocalSqrt(double x) { return 1 / std::sqrt(x); }

static OnFloat getFloatFunction(Operation *op) {
  return TypeSwitch<Operation *, OnFloat>(op)
      .Case([](arith::NegFOp) -> OnFloat { return negate; })
      .Case([](math::AbsFOp) -> OnFloat { return std::fabs; })
      .Case([](math::AtanOp) -> OnFloat { return std::atan; })
      .Case([](math::CeilOp) -> OnFloat { return std::ceil; })
      .Case([](math::CosOp) -> OnFloat { return std::cos; })
      .Case([](math::ErfOp) -> OnFloat { return std::erf; })
      .Case([](math::ExpOp) -> OnFloat { return std::exp; })
      .Case([](math::Exp2Op) -> OnFloat { return std::exp2; })
      .Case([](math::ExpM1Op) -> OnFloat { return std::expm1; })
      .Case([](math::FloorOp) -> OnFloat { return std::floor; })
      .Case([](math::LogOp) -> OnFloat { return std::log; })
      .Case([](math::Log1pOp) -> OnFloat { return std::log1p; })
      .Case([](math::Log2Op) -> OnFloat { return std::log2; })
      .Case([](math::RoundEvenOp) -> OnFloat { return std::nearbyint; })
      .Case([](math::RsqrtOp) -> OnFloat { return reciprocalSqrt; })
      .Case([](math::SinOp) -> OnFloat { return std::sin; })
      .Case([](math::SqrtOp) -> OnFloat { return std::sqrt; })
      .Case([](math::TanhOp) -> OnFloat { return std::tanh; })
      .Case([](math::TruncOp) -> OnFloat { return std::trunc; })
      .Default([](Operation *) -> OnFloat { return nullptr; });
}

static OnFloats getFloatsFunction(Operation *op) {
  return TypeSwitch<Operation *, OnFloats>(op)
      .Case([](arith::AddFOp) -> OnFloats { return scalar::add; })
      .Case([](arith::SubFOp) -> OnFloats { return scalar::subtract; })
      .Case([](arith::MulFOp) -> OnFloats { return scalar::multiply; })
      .Case([](arith::DivFOp) -> OnFloats { return scalar::divide; })
      .Case([](arith::RemFOp) -> OnFloats { return std::fmod; })
      .Case([](arith::MinimumFOp) -> OnFloats { return scalar::minimum; })
      .Case([](arith::MaximumFOp) -> OnFloats { return scalar::maximum; })
      .Case([](arith::MinNumFOp) -> OnFloats { return std::fmin; })
      .Case([](arith::MaxNumFOp) -> OnFloats { return std::fmax; })
      .Case([](math::PowFOp) -> OnFloats { return std::pow; })
      .Default([](Operation *) -> OnFloats { return nullptr; });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A function of a place that writes the result there, or null.
using WriteElement = std::function<void(Tensor &result, int64_t place)>;

static uint64_t toUnsigned(double value) {
  return value > 0 && value < std::ldexp(1.0, 64) ? static_cast<uint64_t>(value) : 0;
}

static WriteElement getConversion(Operation *op, ArrayRef<Tensor> x) {
  using namespace arith;
  if (isa<ExtFOp, TruncFOp, FPToSIOp>(op))
    return [=](Tensor &result, int64_t i) { result.setFloat(i, x[0].getFloat(i)); };
  if (isa<FPToUIOp>(op))
    return [=](Tensor &result, int64_t i) { writeInteger(result, i, int64_t(toUnsigned(x[0].getFloat(i)))); };
  if (isa<SIToFPOp>(op))
    return [=](Tensor &result, int64_t i) { result.setInteger(i, readSigned(x[0], i)); };
  if (isa<UIToFPOp>(op))
    return
        [=](Tensor &result, int64_t i) { result.setInteger(i, readUnsigned(x[0], i), /*isUnsigned=*/true); };
  if (isa<ExtSIOp, TruncIOp, IndexCastOp>(op))
    return [=](Tensor &result, int64_t i) { writeInteger(result, i, readSigned(x[0], i)); };
  if (isa<arith::BitcastOp>(op))
    return [=](Tensor &result, int64_t i) {
      size_t width = x[0].getBytes().size() / x[0].getNumElements();
      llvm::copy(x[0].getBytes().slice(i * width, width), result.getMutableBytes().begin() + i * width);
    };
  if (isa<ExtUIOp, IndexCastUIOp>(op))
    return [=](Tensor &result, int64_t i) { writeInteger(result, i, readUnsigned(x[0], i)); };
  return nullptr;
}

static WriteElement getComparison(Operation *op, ArrayRef<Tensor> x) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return [=, predicate = compare.getPredicate()](Tensor &result, int64_t i) {
      llvm::APFloat left(x[0].getFloat(i)), right(x[1].getFloat(i));
      result.setInteger(i, arith::applyCmpPredicate(predicate, left, right));
    };
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return [=, predicate = compare.getPredicate()](Tensor &result, int64_t i) {
      unsigned width = getWidth(x[0].getElementType());
      APInt left(width, readUnsigned(x[0], i)), right(width, readUnsigned(x[1], i));
      result.setInteger(i, arith::applyCmpPredicate(predicate, left, right));
    };
  return nullptr;
}

/// How the operation computes one element from its operands; null if it is not known here.
static WriteElement getWriter(Operation *op, ArrayRef<Tensor> x) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return [=](Tensor &result, int64_t i) { result.setFloat(i, number.getValueAsDouble()); };
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return [=](Tensor &result, int64_t i) { writeInteger(result, i, number.getValue().getSExtValue()); };
    return nullptr;
  }
  if (isa<arith::SelectOp>(op))
    return [=](Tensor &result, int64_t i) { result.copyElement(i, x[x[0].getInteger(i) ? 1 : 2], i); };
  if (isa<math::FmaOp>(op))
    return [=](Tensor &result, int64_t i) {
      result.setFloat(i, std::fma(x[0].getFloat(i), x[1].getFloat(i), x[2].getFloat(i)));
    };
  if (OnFloat compute = getFloatFunction(op))
    return [=](Tensor &result, int64_t i) { result.setFloat(i, compute(x[0].getFloat(i))); };
  if (OnFloats compute = getFloatsFunction(op))
    return
        [=](Tensor &result, int64_t i) { result.setFloat(i, compute(x[0].getFloat(i), x[1].getFloat(i))); };
  if (IntegerFunction function = getIntegerFunction(op); function.compute)
    return [=](Tensor &result, int64_t i) {
      auto read = function.isUnsigned ? readUnsigned : readSigned;
      writeInteger(result, i, function.compute(read(x[0], i), read(x[1], i), function.isUnsigned));
    };
  if (WriteElement convert = getConversion(op, x))
    return convert;
  return getComparison(op, x);
}

FailureOr<Tensor> weft::evaluateScalarOperation(Operation *op, ArrayRef<Tensor> operands,
                                                ArrayRef<int64_t> shape) {
  WriteElement write = op->getNumResults() == 1 ? getWriter(op, operands) : nullptr;
  if (!write)
    return op->emitError() << "the evaluator does not know '" << op->getName() << "' on scalars";
  Tensor result = Tensor::zeros(op->getResult(0).getType(), shape);
  if (!result)
    return op->emitError() << "no room for elements of type " << op->getResult(0).getType() << " and shape "
                           << describeShape(shape);
  for (int64_t i = 0; i < result.getNumElements(); ++i)
    write(result, i);
  return result;
}

FailureOr<SmallVector<Tensor>> weft::evaluateScalarRegion(Region &region, ArrayRef<int64_t> shape,
                                                          ArrayRef<Tensor> arguments) {
  DenseMap<Value, Tensor> values;
  auto read = [&](Operation &op) -> FailureOr<SmallVector<Tensor>> {
    SmallVector<Tensor> operands;
    for (Value operand : op.getOperands()) {
      auto found = values.find(operand);
      if (found == values.end())
        return op.emitError("expects operands that are defined in its region");
      operands.push_back(found->second);
    }
    return operands;
  };
  Block &block = region.front();
  for (auto [argument, tensor] : llvm::zip(block.getArguments(), arguments))
    values[argument] = tensor;
  for (Operation &op : block.without_terminator()) {
    FailureOr<SmallVector<Tensor>> operands = read(op);
    if (failed(operands))
      return failure();
    FailureOr<Tensor> result = evaluateScalarOperation(&op, *operands, shape);
    if (failed(result))
      return failure();
    values[op.getResult(0)] = std::move(*result);
  }
  return read(block.back());
}
