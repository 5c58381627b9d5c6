// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scatters as steps: a copy of data, the places of the updates, and a step that changes what is there.
#include "compiler/Tile/LowerToSteps/Indexing.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace weft;

/// The elements of a tensor as one dim, from one float type to another; a copy, where they are equal.
static FailureOr<Value> convert(StepBuilder &steps, Value tensor, Dim count, Type from, Type to) {
  auto body = [&](OpBuilder &builder, Location location, ValueRange elements,
                  ValueRange) -> FailureOr<Value> {
    if (from == to)
      return elements.front();
    Value element = loadStored(builder, location, elements.front(), from);
    bool widens = from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
    element = widens ? Value(arith::ExtFOp::create(builder, location, to, element))
                     : Value(arith::TruncFOp::create(builder, location, to, element));
    return toStored(builder, location, element);
  };
  PointwiseInput input{steps.view(tensor, count), {count}};
  return buildPointwiseStep(steps, from == to ? "copy" : "convert", input, count, getStoredElement(to), body);
}

/// A buffer of one dim as a matrix.
static Value asMatrix(OpBuilder &body, Location location, Value buffer, ArrayRef<Dim> dims,
                      const HostSizes &sizes, ValueRange scalars) {
  SmallVector<OpFoldResult> mixed = llvm::map_to_vector(
      dims, [&](Dim dim) { return getAsOpFoldResult(sizes.get(body, location, dim, scalars)); });
  SmallVector<int64_t> shape = llvm::map_to_vector(
      mixed, [](OpFoldResult size) { return getConstantIntValue(size).value_or(ShapedType::kDynamic); });
  auto layout = StridedLayoutAttr::get(body.getContext(), /*offset=*/0, {shape[1], 1});
  auto type = MemRefType::get(shape, cast<MemRefType>(buffer.getType()).getElementType(), layout);
  OpFoldResult zero = body.getIndexAttr(0), one = body.getIndexAttr(1);
  SmallVector<OpFoldResult> strides{mixed[1], one};
  return memref::ReinterpretCastOp::create(body, location, type, buffer, zero, mixed, strides);
}

Value weft::buildScatterStep(StepBuilder &steps, ScatterKind kind, bool isUnsigned, Value places, Dim count,
                             Value updates, Value data, Dim rows, Dim inner) {
  HostSizes sizes;
  for (Dim dim : {rows, inner})
    sizes.add(steps, dim);
  SmallVector<Value> inputs{places, steps.view(updates, {count, inner})};
  llvm::append_range(inputs, sizes.values);
  int64_t columns = steps.scheduled("columns", 1024);
  auto kernel =
      steps.beginKernel("scatter_" + stringifyScatterKind(kind).str(), inputs, data, {{"columns", columns}});
  Location location = kernel.op.getLoc();
  Value output = asMatrix(kernel.body, location, kernel.output, {rows, inner}, sizes,
                          ArrayRef(kernel.inputs).drop_front(2));
  ScatterTileOp::create(kernel.body, location, kernel.inputs[0], kernel.inputs[1], output, kind, isUnsigned);
  Dim bytes = steps.bytesOf(places) + steps.bytesOf(updates) * 2;
  return steps.endKernel(kernel, steps.tiles(inner, columns), inputs, data, {{}, bytes});
}

/// Changes slices of data, which has `rows` of them with `inner` elements each, at the places [count]. The
/// short floats are computed in f32, and rounded when all is done.
static FailureOr<Value> scatter(Operation *op, ScatterKind kind, StepBuilder &steps, Value places, Dim count,
                                Dim rows, Dim inner) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  bool isShort = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  Type computed = isShort && kind != ScatterKind::Replace ? steps.host().getF32Type() : element;
  FailureOr<Value> data =
      convert(steps, steps.tensor(op->getOperand(0)), steps.product({rows, inner}), element, computed);
  if (failed(data))
    return failure();
  Value updates = steps.tensor(op->getOperand(2));
  if (computed != element) {
    FailureOr<Value> wide = convert(steps, updates, steps.product({count, inner}), element, computed);
    if (failed(wide))
      return failure();
    updates = *wide;
  }
  Value result =
      buildScatterStep(steps, kind, element.isUnsignedInteger(), places, count, updates, *data, rows, inner);
  if (computed != element) {
    FailureOr<Value> narrow = convert(steps, result, steps.product({rows, inner}), computed, element);
    if (failed(narrow))
      return failure();
    result = *narrow;
  }
  return steps.view(result, *getDims(op->getResult(0)));
}

namespace {

struct ScatterElementsLowering
    : StepLoweringInterface::ExternalModel<ScatterElementsLowering, ScatterElementsOp> {
  FailureOr<Value> lowerToSteps(Operation *operation, StepBuilder &steps) const {
    auto op = cast<ScatterElementsOp>(operation);
    Dim count = steps.product(*getDims(op.getIndices()));
    FailureOr<Value> places = buildElementStep(steps, "scatter_places", op.getData(), op.getIndices(),
                                               op.getAxis(), steps.host().getI64Type(), storePlace);
    if (failed(places))
      return failure();
    return scatter(op, op.getKind(), steps, steps.view(*places, count), count,
                   steps.product(*getDims(op.getData())), steps.constant(1));
  }
};

struct ScatterNDLowering : StepLoweringInterface::ExternalModel<ScatterNDLowering, ScatterNDOp> {
  FailureOr<Value> lowerToSteps(Operation *operation, StepBuilder &steps) const {
    auto op = cast<ScatterNDOp>(operation);
    SmallVector<Dim> data = *getDims(op.getData()), indices = *getDims(op.getIndices());
    FailureOr<Value> places = buildTupleStep(steps, "scatter_places", op.getData(), op.getIndices(),
                                             /*batch=*/0, steps.host().getI64Type(), storePlace);
    if (failed(places))
      return failure();
    int64_t length = *indices.back().getConstant();
    return scatter(op, op.getKind(), steps, *places, steps.product(ArrayRef(indices).drop_back()),
                   steps.product(ArrayRef(data).take_front(length)),
                   steps.product(ArrayRef(data).drop_front(length)));
  }
};

} // namespace

void weft::attachScatterLowering(MLIRContext *context) {
  ScatterElementsOp::attachInterface<ScatterElementsLowering>(*context);
  ScatterNDOp::attachInterface<ScatterNDLowering>(*context);
}
