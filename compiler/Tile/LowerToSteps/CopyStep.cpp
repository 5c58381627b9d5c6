// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies, and the views they are made between.
#include "compiler/Tile/LowerToSteps/CopyStep.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace weft;

/// Rows of a step that transposes: what two cache lines have of 4 bytes each, so that those which it reads
/// are used up.
static constexpr int64_t kTransposedRows = 32;

Value weft::buildCopyStep(StepBuilder &steps, StringRef name, ValueRange operands, Value output,
                          ArrayRef<Dim> loops, AffineMap inputMap, ViewBuilder views) {
  SmallVector<std::pair<StringRef, int64_t>> schedule;
  bool keepsRows = inputMap.getResult(inputMap.getNumResults() - 1) ==
                   getAffineDimExpr(loops.size() - 1, inputMap.getContext());
  Dim grid = getLoopGrid(steps, loops, schedule, keepsRows || steps.isForGPU ? 1 : kTransposedRows);
  StepBuilder::Kernel kernel = steps.beginKernel(name, operands, output, schedule);
  Value input = kernel.inputs.front(), into = kernel.output;
  views(kernel, input, into);
  (void)succeeded(
      buildLoops(kernel, input, into, inputMap, copyElement, {})); // copying an element cannot fail
  Type element = cast<RankedTensorType>(output.getType()).getElementType();
  Dim bytes = steps.product(loops) * getElementBytes(element) * 2;
  return steps.endKernel(kernel, grid, operands, output, {{}, bytes});
}

Value weft::fillColumns(StepBuilder &steps, StringRef name, Value matrix, ArrayRef<Dim> dims, Dim first,
                        Value output, int64_t axis) {
  SmallVector<Value> operands{matrix, steps.index(first)};
  auto map = AffineMap::getMultiDimIdentityMap(2, matrix.getContext());
  auto views = [&](StepBuilder::Kernel &kernel, Value &input, Value &into) {
    OpBuilder &body = kernel.body;
    Location location = kernel.op.getLoc();
    SmallVector<OpFoldResult> sizes{sizeOf(body, location, input, 0), sizeOf(body, location, input, 1)};
    OpFoldResult pitch =
        multiply(body, location, stridesOf(body, location, into)[axis], sizeOf(body, location, into, axis));
    SmallVector<OpFoldResult> strides{pitch, body.getIndexAttr(1)};
    into = makeStrided(body, location, into, OpFoldResult(kernel.inputs[1]), sizes, strides);
  };
  return buildCopyStep(steps, name, operands, output, dims, map, views);
}

Value weft::makeStrided(OpBuilder &body, Location location, Value buffer, OpFoldResult offset,
                        ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  auto fixed = [](ArrayRef<OpFoldResult> values) {
    return llvm::map_to_vector(
        values, [](OpFoldResult value) { return getConstantIntValue(value).value_or(ShapedType::kDynamic); });
  };
  auto layout = StridedLayoutAttr::get(body.getContext(), fixed(offset)[0], fixed(strides));
  auto type = MemRefType::get(fixed(sizes), cast<MemRefType>(buffer.getType()).getElementType(), layout);
  return memref::ReinterpretCastOp::create(body, location, type, buffer, offset, sizes, strides);
}

OpFoldResult weft::multiply(OpBuilder &body, Location location, OpFoldResult left, OpFoldResult right) {
  auto a = getConstantIntValue(left), b = getConstantIntValue(right);
  if (a && b)
    return body.getIndexAttr(*a * *b);
  if (a == 1)
    return right;
  if (b == 1)
    return left;
  return arith::MulIOp::create(body, location, getValueOrCreateConstantIndexOp(body, location, left),
                               getValueOrCreateConstantIndexOp(body, location, right))
      .getResult();
}

OpFoldResult weft::plus(OpBuilder &body, Location location, OpFoldResult left, OpFoldResult right) {
  auto a = getConstantIntValue(left), b = getConstantIntValue(right);
  if (a && b)
    return body.getIndexAttr(*a + *b);
  return arith::AddIOp::create(body, location, getValueOrCreateConstantIndexOp(body, location, left),
                               getValueOrCreateConstantIndexOp(body, location, right))
      .getResult();
}

OpFoldResult weft::sizeOf(OpBuilder &body, Location location, Value buffer, int64_t dim) {
  return memref::getMixedSize(body, location, buffer, dim);
}

SmallVector<OpFoldResult> weft::stridesOf(OpBuilder &body, Location location, Value buffer) {
  SmallVector<OpFoldResult> strides(cast<MemRefType>(buffer.getType()).getRank());
  OpFoldResult stride = body.getIndexAttr(1);
  for (size_t i = strides.size(); i-- > 0;) {
    strides[i] = stride;
    if (i > 0)
      stride = multiply(body, location, stride, sizeOf(body, location, buffer, i));
  }
  return strides;
}
