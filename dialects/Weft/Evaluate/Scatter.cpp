// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: the scatters, update by update in rising order.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/Scalar.h"

using namespace mlir;
using namespace weft;

static double combine(ScatterKind kind, double old, double update) {
  switch (kind) {
  case ScatterKind::Replace:
    return update;
  case ScatterKind::Add:
    return old + update;
  case ScatterKind::Mul:
    return old * update;
  case ScatterKind::Min:
    return scalar::minimum(old, update);
  case ScatterKind::Max:
    return scalar::maximum(old, update);
  }
  return update;
}

static int64_t combine(ScatterKind kind, int64_t old, int64_t update, bool isUnsigned) {
  switch (kind) {
  case ScatterKind::Replace:
    return update;
  case ScatterKind::Add:
    return scalar::add(old, update, isUnsigned);
  case ScatterKind::Mul:
    return scalar::multiply(old, update, isUnsigned);
  case ScatterKind::Min:
    return scalar::minimum(old, update, isUnsigned);
  case ScatterKind::Max:
    return scalar::maximum(old, update, isUnsigned);
  }
  return update;
}

/// Calls visit(to, from) for each element of an update, `length` of them at each place.
static void forEachUpdate(ArrayRef<int64_t> places, int64_t length,
                          function_ref<void(int64_t to, int64_t from)> visit) {
  for (auto [i, place] : llvm::enumerate(places))
    for (int64_t j = 0; j < length; ++j)
      visit(place + j, int64_t(i) * length + j);
}

/// Changes `length` elements at each place by as many updates. Floats are rounded when all is done.
static void scatter(Tensor &result, ScatterKind kind, ArrayRef<int64_t> places, const Tensor &updates,
                    int64_t length) {
  if (kind == ScatterKind::Replace) {
    forEachUpdate(places, length, [&](int64_t to, int64_t from) { result.copyElement(to, updates, from); });
  } else if (result.isFloat()) {
    std::vector<double> values = result.toFloats();
    forEachUpdate(places, length, [&](int64_t to, int64_t from) {
      values[to] = combine(kind, values[to], updates.getFloat(from));
    });
    forEachUpdate(places, length, [&](int64_t to, int64_t) { result.setFloat(to, values[to]); });
  } else {
    forEachUpdate(places, length, [&](int64_t to, int64_t from) {
      int64_t value = combine(kind, result.getInteger(to), updates.getInteger(from), result.isUnsigned());
      result.setInteger(to, value);
    });
  }
}

static FailureOr<Tensor> evaluateScatterND(ScatterNDOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &data = operands[0], &indices = operands[1], &updates = operands[2];
  if (indices.getRank() == 0 || indices.getShape().back() > data.getRank())
    return evaluateError(op) << "scatter-nd-c1: tuples of shape " << describeShape(indices.getShape())
                             << " do not fit data of shape " << describeShape(data.getShape());
  Shape expected(indices.getShape().drop_back());
  ArrayRef<int64_t> slice = data.getShape().drop_front(indices.getShape().back());
  llvm::append_range(expected, slice);
  if (updates.getShape() != ArrayRef(expected))
    return evaluateError(op) << "scatter-nd-c2: expects updates of shape " << describeShape(expected)
                             << ", got " << describeShape(updates.getShape());
  FailureOr<SmallVector<int64_t>> places = resolveTuples(op, indices, data.getShape(), /*batch=*/0);
  if (failed(places))
    return failure();
  Tensor result = data;
  scatter(result, op.getKind(), *places, updates, countElements(slice));
  return result;
}

static FailureOr<Tensor> evaluateScatterElements(ScatterElementsOp op, ArrayRef<Tensor> operands,
                                                 EvaluateContext &) {
  const Tensor &data = operands[0], &indices = operands[1], &updates = operands[2];
  FailureOr<SmallVector<int64_t>> places =
      resolveElements(op, data, indices, op.getAxis(), "scatter-elements-c1");
  if (failed(places))
    return failure();
  if (updates.getShape() != indices.getShape())
    return evaluateError(op) << "scatter-elements-c2: expects updates of the indices' shape "
                             << describeShape(indices.getShape()) << ", got "
                             << describeShape(updates.getShape());
  Tensor result = data;
  scatter(result, op.getKind(), *places, updates, /*length=*/1);
  return result;
}

void weft::attachScatterModels(MLIRContext *context) {
  attachModel<ScatterNDOp, evaluateScatterND>(context);
  attachModel<ScatterElementsOp, evaluateScatterElements>(context);
}
