// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape arithmetic to its value, import forms to graph forms.
#include "compiler/Graph/GraphForms.h"
#include "compiler/Graph/ConstantEvaluation.h"
#include "compiler/Graph/GraphInference.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

static void replace(Operation *op, Value value, GraphInference &context) {
  context.moveContents(op->getResult(0), value);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

/// The constant or the dims that elements make; null where they stay as they are.
static Value materialize(Operation *op, RankedTensorType type, ArrayRef<Dim> elements) {
  OpBuilder builder(op);
  if (llvm::all_of(elements, [](Dim dim) { return dim.isConstant(); })) {
    unsigned width = type.getElementTypeBitWidth();
    auto values = llvm::map_to_vector(elements, [&](Dim dim) {
      return APInt(width, *dim.getConstant(), /*isSigned=*/true, /*implicitTrunc=*/true);
    });
    return ConstantOp::create(builder, op->getLoc(), type, DenseElementsAttr::get(type, values));
  }
  if (isa<DimsOp>(op) || type.getRank() > 1 || type.getElementTypeBitWidth() < 32)
    return nullptr;
  return DimsOp::create(builder, op->getLoc(), type, getDimsAttr(op->getContext(), elements));
}

FailureOr<bool> weft::graph::foldContents(Operation *op, GraphInference &context) {
  if (isa<ConstantOp>(op) || op->getNumResults() != 1 || !isShort(op->getResult(0).getType()))
    return false;
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  if (auto elements = cast<InferInterface>(op).inferContents(context))
    context.setContents(result, *elements);
  // Floats stay: the evaluator below knows -0 and what is not an integer.
  auto elements = isa<IntegerType>(type.getElementType()) ? context.contents(result) : std::nullopt;
  if (elements) {
    Value value = materialize(op, type, *elements);
    if (!value)
      return false;
    replace(op, value, context);
    return true;
  }
  // Arithmetic that contents do not follow, such as sizes computed in floats, is still short enough to
  // evaluate.
  if (!hasConstantOperands(op) || !llvm::all_of(op->getOperandTypes(), isShort))
    return false;
  FailureOr<Value> constant = evaluateToConstant(op);
  if (failed(constant))
    return failure();
  replace(op, *constant, context);
  return true;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

bool weft::graph::isImportForm(Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case([](ReshapeOp reshape) { return bool(reshape.getShape()); })
      .Case([](ExpandOp expand) { return bool(expand.getShape()); })
      .Case([](TileOp tile) { return bool(tile.getRepeats()); })
      .Case([](SliceOp slice) { return bool(slice.getStarts()); })
      .Case([](PadOp pad) { return bool(pad.getPads()); })
      .Case([](RangeOp range) { return bool(range.getStart()); })
      .Case([](TopKOp top) { return bool(top.getK()); })
      .Case([](LoopOp loop) { return bool(loop.getTrips()); })
      .Case<SqueezeOp, UnsqueezeOp, ShapeOp>([](Operation *) { return true; })
      .Default([](Operation *) { return false; });
}

/// The slice with its places in attributes; the input itself where all of it is taken; null if something is
/// unknown.
static Value sliceByPlaces(OpBuilder &builder, SliceOp op, GraphInference &context) {
  SmallVector<Dim> offsets;
  SmallVector<int64_t> strides;
  if (!op.resolveParts(context, offsets, strides))
    return nullptr;
  bool isWhole = op.getType() == op.getInput().getType() &&
                 llvm::all_of(offsets, [](Dim dim) { return dim.getConstant() == 0; }) &&
                 llvm::all_of(strides, [](int64_t stride) { return stride == 1; });
  if (isWhole)
    return op.getInput();
  return SliceOp::create(builder, op.getLoc(), op.getType(), op.getInput(), Value(), Value(), Value(),
                         ArrayRef<int64_t>(), getDimsAttr(op.getContext(), offsets), strides);
}

/// The pad with its numbers in attributes; the input itself where all are 0; null if something is unknown.
static Value padByNumbers(OpBuilder &builder, PadOp op, GraphInference &context) {
  SmallVector<Dim> before, after;
  if (!op.resolvePads(context, before, after))
    return nullptr;
  auto isZero = [](Dim dim) { return dim.getConstant() == 0; };
  if (llvm::all_of(before, isZero) && llvm::all_of(after, isZero))
    return op.getInput();
  return PadOp::create(builder, op.getLoc(), op.getType(), op.getMode(), op.getInput(), Value(), op.getFill(),
                       ArrayRef<int64_t>(), getDimsAttr(op.getContext(), before),
                       getDimsAttr(op.getContext(), after));
}

static Value rangeByPlaces(OpBuilder &builder, RangeOp op, GraphInference &context) {
  auto start = context.contents(op.getStart()), delta = context.contents(op.getDelta());
  if (!start || !delta || !delta->front().isConstant())
    return nullptr;
  // A range of floats that are integers is one of integers, converted: its size says that they are exact.
  auto type = cast<RankedTensorType>(op.getType());
  bool isFloat = isa<FloatType>(type.getElementType());
  Type element = isFloat ? builder.getI64Type() : type.getElementType();
  Value range =
      RangeOp::create(builder, op.getLoc(), getTensorType(getDims(type), element), Value(), Value(), Value(),
                      start->front().getAttr(), builder.getI64IntegerAttr(*delta->front().getConstant()));
  return isFloat ? CastOp::create(builder, op.getLoc(), type, range, TypeAttr::get(type.getElementType()))
                 : range;
}

/// A move of `input` that says its shape in its type; the input itself where the shape stays.
template <typename Op> static Value moveByType(OpBuilder &builder, Operation *op, Value input) {
  Type type = op->getResult(0).getType();
  if (input.getType() == type)
    return input;
  return Op::create(builder, op->getLoc(), type, input, Value());
}

static Value reshapeByType(OpBuilder &builder, Operation *op, Value input) {
  Type type = op->getResult(0).getType();
  if (input.getType() == type)
    return input;
  return ReshapeOp::create(builder, op->getLoc(), type, input, Value(), /*allow_zero=*/UnitAttr());
}

/// The loop's trips as a dim, if they are known.
static void countTrips(LoopOp loop, GraphInference &context) {
  auto trips = context.contents(loop.getTrips());
  Dim count = trips ? Dim::max(trips->front(), Dim::constant(loop.getContext(), 0)) : Dim();
  if (!count)
    return;
  loop.setCountAttr(context.abbreviate(count).getAttr());
  loop.getTripsMutable().clear();
}

void weft::graph::takeGraphForm(Operation *op, GraphInference &context) {
  if (!isImportForm(op))
    return;
  if (auto loop = dyn_cast<LoopOp>(op))
    return countTrips(loop, context);
  OpBuilder builder(op);
  Value input = op->getOperand(0);
  Value value = TypeSwitch<Operation *, Value>(op)
                    .Case<ReshapeOp, SqueezeOp, UnsqueezeOp>(
                        [&](Operation *) { return reshapeByType(builder, op, input); })
                    .Case([&](ExpandOp) { return moveByType<ExpandOp>(builder, op, input); })
                    .Case([&](TileOp) { return moveByType<TileOp>(builder, op, input); })
                    .Case([&](SliceOp slice) { return sliceByPlaces(builder, slice, context); })
                    .Case([&](PadOp pad) { return padByNumbers(builder, pad, context); })
                    .Case([&](RangeOp range) { return rangeByPlaces(builder, range, context); })
                    .Case([&](TopKOp top) -> Value {
                      return TopKOp::create(builder, op->getLoc(), top.getType(), input, Value(),
                                            top.getAxis(), top.getLargest());
                    })
                    .Default([](Operation *) { return Value(); });
  if (value)
    replace(op, value, context);
}
