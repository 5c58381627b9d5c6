// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known contents of arithmetic, comparisons, choices and reductions.
//
// Elements are followed as integers of 64 bits. A float tensor's are followed where they are integers; what a
// division leaves between them is only looked at by the rounding that follows it (ExactFloats.cpp).
#include "dialects/Weft/IR/ExactFloats.h"
#include "dialects/Weft/IR/KnownElements.h"
#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// Applies `combine` to the elements of operands that meet; some may be null.
static Contents combineContents(Operation *op, InferContext &context,
                                function_ref<Dim(ArrayRef<Dim>)> combine) {
  SmallVector<KnownElements> inputs;
  for (Value operand : op->getOperands()) {
    auto input = getKnownElements(context, operand);
    if (!input)
      return std::nullopt;
    inputs.push_back(std::move(*input));
  }
  return makeContents(op, [&](ArrayRef<int64_t> index) {
    SmallVector<Dim> elements;
    for (const KnownElements &input : inputs)
      elements.push_back(input.atBroadcast(index));
    return combine(elements);
  });
}

/// Whether one of two elements is this constant, whatever the other is.
static bool isEither(ArrayRef<Dim> x, int64_t value) {
  return x[0].getConstant() == value || x[1].getConstant() == value;
}

static Dim divide(Operation *op, Dim left, Dim right) {
  if (!isa<FloatType>(getElementTypeOrSelf(op->getResult(0))))
    return divideTruncating(left, right);
  if (!left || !right || right.getConstant().value_or(0) == 0) // by a symbol, which may be 0: infinity
    return Dim();
  Dim quotient = Dim::floorDiv(left, right);
  return quotient && quotient * right == left ? quotient : Dim();
}

/// A remainder with the sign of the dividend, as the division truncates. Of floats by 0, it is no number.
static Dim remainder(Operation *op, Dim left, Dim right) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  if (isFloat && (!right || right.getConstant().value_or(0) == 0))
    return Dim();
  Dim quotient = divideTruncating(left, right);
  if (quotient && quotient == Dim::floorDiv(left, right))
    return Dim::mod(left, right);
  return quotient ? left - quotient * right : Dim();
}

static Dim power(Dim base, Dim exponent) {
  std::optional<int64_t> count = exponent.getConstant();
  if (!base || !count || *count < 0 || *count > 8)
    return Dim();
  return Dim::product(base.getContext(), SmallVector<Dim>(*count, base));
}

Contents weft::inferBinaryContents(Operation *op, InferContext &context) {
  MLIRContext *mlir = op->getContext();
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  return combineContents(op, context, [&](ArrayRef<Dim> x) {
    return TypeSwitch<Operation *, Dim>(op)
        .Case([&](AddOp) { return x[0] + x[1]; })
        .Case([&](SubOp) { return x[0] - x[1]; })
        .Case([&](MulOp) { return !isFloat && isEither(x, 0) ? Dim::constant(mlir, 0) : x[0] * x[1]; })
        .Case([&](DivOp) { return divide(op, x[0], x[1]); })
        .Case([&](RemOp) { return remainder(op, x[0], x[1]); })
        .Case([&](PowOp) { return power(x[0], x[1]); })
        .Case([&](MinOp) { return Dim::min(ArrayRef(x)); })
        .Case([&](MaxOp) { return Dim::max(ArrayRef(x)); })
        .Case([&](AndOp) { return isEither(x, 0) ? Dim::constant(mlir, 0) : x[0] * x[1]; })
        .Case([&](OrOp) { return isEither(x, 1) ? Dim::constant(mlir, 1) : Dim::max(ArrayRef(x)); })
        .Default([](Operation *) { return Dim(); });
  });
}

static Dim absolute(Dim dim) {
  if (provablyNonNegative(dim))
    return dim;
  return provablyNonNegative(-dim) ? -dim : Dim::max(dim, -dim);
}

Contents weft::inferUnaryContents(Operation *op, InferContext &context) {
  if (isa<FloorOp, CeilOp>(op))
    return inferRoundedContents(op, context);
  MLIRContext *mlir = op->getContext();
  return combineContents(op, context, [&](ArrayRef<Dim> x) {
    if (!x[0])
      return Dim();
    return TypeSwitch<Operation *, Dim>(op)
        .Case([&](NegOp) { return -x[0]; })
        .Case([&](AbsOp) { return absolute(x[0]); })
        .Case([&](NotOp) { return Dim::constant(mlir, 1) - x[0]; })
        .Case([&](ReluOp) { return Dim::max(x[0], Dim::constant(mlir, 0)); })
        .Case([&](RoundOp) { return x[0]; }) // an integer already
        .Default([](Operation *) { return Dim(); });
  });
}

//===----------------------------------------------------------------------===//
// compare, where, cast
//===----------------------------------------------------------------------===//

/// What comparing gives, if it is the same for all sizes.
static std::optional<bool> provablyCompares(ComparePredicate predicate, Dim left, Dim right) {
  auto decide = [](bool yes, bool no) { return yes || no ? std::optional<bool>(yes) : std::nullopt; };
  switch (predicate) {
  case ComparePredicate::Equal:
    return provablyEqual(left, right);
  case ComparePredicate::Less:
    return decide(provablyLess(left, right), provablyLessEqual(right, left));
  case ComparePredicate::LessEqual:
    return decide(provablyLessEqual(left, right), provablyLess(right, left));
  case ComparePredicate::Greater:
    return decide(provablyLess(right, left), provablyLessEqual(left, right));
  case ComparePredicate::GreaterEqual:
    return decide(provablyLessEqual(right, left), provablyLess(left, right));
  }
  return std::nullopt;
}

/// 1 where `size`, which is not negative, is not 0.
static Dim isPositive(Dim size) { return Dim::min({size, Dim::constant(size.getContext(), 1)}); }

static Dim isLess(Dim left, Dim right) {
  return isPositive(Dim::max({right - left, Dim::constant(left.getContext(), 0)}));
}

/// 1 where the comparison holds, 0 where it does not.
static Dim compareDims(ComparePredicate predicate, Dim left, Dim right) {
  if (!left || !right)
    return Dim();
  Dim one = Dim::constant(left.getContext(), 1);
  if (std::optional<bool> holds = provablyCompares(predicate, left, right))
    return Dim::constant(left.getContext(), *holds);
  switch (predicate) {
  case ComparePredicate::Equal:
    return one - isPositive(Dim::max({left, right}) - Dim::min({left, right}));
  case ComparePredicate::Less:
    return isLess(left, right);
  case ComparePredicate::LessEqual:
    return one - isLess(right, left);
  case ComparePredicate::Greater:
    return isLess(right, left);
  case ComparePredicate::GreaterEqual:
    return one - isLess(left, right);
  }
  return Dim();
}

Contents CompareOp::inferContents(InferContext &context) {
  Contents result = combineContents(*this, context,
                                    [&](ArrayRef<Dim> x) { return compareDims(getPredicate(), x[0], x[1]); });
  if (result && !(requireExact(context, *this, getLhs()) && requireExact(context, *this, getRhs())))
    return std::nullopt;
  return result;
}

Contents WhereOp::inferContents(InferContext &context) {
  return combineContents(*this, context, [](ArrayRef<Dim> x) {
    if (std::optional<int64_t> condition = x[0].getConstant())
      return x[*condition ? 1 : 2];
    if (x[1] == x[2] || !x[0] || !x[1] || !x[2])
      return x[1] == x[2] ? x[1] : Dim();
    return x[2] + x[0] * (x[1] - x[2]);
  });
}

/// 1 where a number is not zero, 0 where it is.
static Dim truth(Dim dim) {
  if (!dim)
    return Dim();
  std::optional<bool> isZero = provablyEqual(dim, Dim::constant(dim.getContext(), 0));
  return isZero ? Dim::constant(dim.getContext(), !*isZero) : isPositive(absolute(dim));
}

Contents CastOp::inferContents(InferContext &context) {
  Type from = getElementTypeOrSelf(getInput()), to = getTo();
  auto holdsSizes = [](Type type) {
    return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) || type.isSignlessInteger(32) ||
           type.isSignlessInteger(64);
  };
  if (to.isInteger(1)) {
    Contents result = combineContents(*this, context, [](ArrayRef<Dim> x) { return truth(x[0]); });
    return result && requireExact(context, *this, getInput()) ? result : std::nullopt;
  }
  if (!holdsSizes(to) || !(holdsSizes(from) || from.isInteger(1)))
    return std::nullopt;
  if (isa<FloatType>(from) && isa<IntegerType>(to))
    return inferRoundedContents(*this, context);
  return context.elements(getInput());
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

Contents ReduceOp::inferContents(InferContext &context) {
  auto input = getKnownElements(context, getInput());
  auto shape = getShortShape(getResult());
  if (!input || !shape || getKind() == ReduceKind::Mean)
    return std::nullopt;
  // The elements that each result is made of, in the order of the results.
  SmallVector<SmallVector<Dim>> groups;
  visitIndices(*shape, [&](ArrayRef<int64_t>) { groups.emplace_back(); });
  visitIndices(input->shape, [&](ArrayRef<int64_t> index) {
    int64_t place = 0;
    for (auto [axis, at] : llvm::enumerate(index))
      if (!llvm::is_contained(getAxes(), int64_t(axis)))
        place = place * input->shape[axis] + at;
    groups[place].push_back(input->at(index));
  });
  size_t next = 0;
  return makeContents(*this, [&](ArrayRef<int64_t>) {
    ArrayRef<Dim> group = groups[next++];
    switch (getKind()) {
    case ReduceKind::Sum:
      return Dim::sum(getContext(), group);
    case ReduceKind::Prod:
      return Dim::product(getContext(), group);
    case ReduceKind::Max:
      return Dim::max(group);
    case ReduceKind::Min:
      return Dim::min(group);
    case ReduceKind::Mean:
      break;
    }
    return Dim();
  });
}
