// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A state is a tensor with room along an axis; what it holds is a strided view of it.
#include "compiler/Tile/LowerToSteps/State.h"
#include "compiler/Tile/LowerToSteps/Parts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace weft;

bool weft::readsStateInPlace(OpOperand &use) {
  constexpr int64_t kKeys = 2; // the axis of [B, H, S, d] that kernels know how to find the end of
  auto appended = use.get().getDefiningOp<ConcatOp>();
  if (!appended || appended.getAxis() != kKeys)
    return false;
  auto attention = dyn_cast<AttentionOp>(use.getOwner());
  if (!attention || (&use != &attention.getKeyMutable() && &use != &attention.getValueMutable()))
    return false;
  Type element = getElementTypeOrSelf(use.get());
  return element.isF32() || element.isF64();
}

Value weft::viewState(OpBuilder &body, Location location, Value buffer, Value length, int64_t axis) {
  SmallVector<OpFoldResult> sizes, strides = stridesOf(body, location, buffer);
  for (size_t i = 0; i < strides.size(); ++i)
    sizes.push_back(int64_t(i) == axis ? OpFoldResult(length) : sizeOf(body, location, buffer, i));
  return makeStrided(body, location, buffer, body.getIndexAttr(0), sizes, strides);
}

/// A copy of what the state holds, without the room between.
static Value copyState(ConcatOp op, const StateTensor &state, StepBuilder &steps) {
  ArrayRef<Dim> dims = state.dims;
  Dim rows = steps.product(dims.take_front(state.axis)), columns = steps.product(dims.drop_front(state.axis));
  Dim pitch = steps.product(ArrayRef(state.room()).drop_front(state.axis));
  SmallVector<Dim> matrix{rows, columns};
  SmallVector<Value> operands{steps.view(state.tensor, {rows, pitch}), steps.index(columns)};
  auto map = AffineMap::getMultiDimIdentityMap(2, op.getContext());
  Type element = cast<RankedTensorType>(state.tensor.getType()).getElementType();
  Value copy = buildCopyStep(steps, "copy_state", operands, steps.empty(matrix, element), matrix, map,
                             [&](StepBuilder::Kernel &kernel, Value &input, Value &) {
                               input = viewState(kernel.body, op.getLoc(), input, kernel.inputs[1], 1);
                             });
  return steps.view(copy, dims);
}

FailureOr<Value> weft::appendToState(ConcatOp op, StateTensor &state, StepBuilder &steps) {
  auto widthOf = [&](Value value) { return steps.product(ArrayRef(*getDims(value)).drop_front(state.axis)); };
  Dim done = widthOf(op.getInputs().front());
  for (Value value : op.getInputs().drop_front()) {
    StridedView to = wholeOf(steps, state.tensor, state.room());
    to.offset = done, to.sizes = *getDims(value);
    FailureOr<Value> appended = placePart(steps, "append", value, to, state.axis, state.axis);
    if (failed(appended))
      return failure();
    state.tensor = *appended;
    done = done + widthOf(value);
  }
  bool isCopied = llvm::any_of(op->getUses(), [](OpOperand &use) {
    return !isa<func::ReturnOp>(use.getOwner()) && !readsStateInPlace(use);
  });
  return isCopied ? copyState(op, state, steps) : state.tensor;
}
