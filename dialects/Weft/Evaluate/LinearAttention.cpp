// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linear_attention: a state of a head, which one position after the other changes.
#include "dialects/Weft/Evaluate/Models.h"

using namespace mlir;
using namespace weft;

namespace {
/// query [batch, length, queryHeads, width], key [batch, length, heads, width], value [.., valueWidth].
struct Sizes {
  int64_t batch, length, queryHeads, heads, width, valueWidth;
};

/// Of a gate [batch, length, heads or 1, width or 1].
double getGate(const Tensor &gate, int64_t position, int64_t head, int64_t element) {
  ArrayRef<int64_t> shape = gate.getShape();
  return gate.getFloat((position * shape[2] + head % shape[2]) * shape[3] + element % shape[3]);
}

struct Recurrence {
  const Sizes &sizes;
  const Tensor &query, &key, &value;
  const Tensor *decay, *rate;
  std::vector<double> state; ///< [width, valueWidth]

  /// `position` counts those of all batches.
  void advance(int64_t position, int64_t head);
  void read(int64_t position, int64_t queryHead, Tensor &result) const;
};
} // namespace

void Recurrence::advance(int64_t position, int64_t head) {
  int64_t row = position * sizes.heads + head, columns = sizes.valueWidth;
  for (int64_t i = 0; decay && i < sizes.width; ++i)
    for (int64_t j = 0; j < columns; ++j)
      state[i * columns + j] *= getGate(*decay, position, head, i);
  for (int64_t j = 0; j < columns; ++j) {
    double update = value.getFloat(row * columns + j);
    if (rate) {
      double held = 0;
      for (int64_t i = 0; i < sizes.width; ++i)
        held += key.getFloat(row * sizes.width + i) * state[i * columns + j];
      update = getGate(*rate, position, head, 0) * (update - held);
    }
    for (int64_t i = 0; i < sizes.width; ++i)
      state[i * columns + j] += key.getFloat(row * sizes.width + i) * update;
  }
}

void Recurrence::read(int64_t position, int64_t queryHead, Tensor &result) const {
  int64_t row = position * sizes.queryHeads + queryHead;
  for (int64_t j = 0; j < sizes.valueWidth; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < sizes.width; ++i)
      sum += query.getFloat(row * sizes.width + i) * state[i * sizes.valueWidth + j];
    result.setFloat(row * sizes.valueWidth + j, sum);
  }
}

/// linear-attention-c1 to linear-attention-c3 of this run's sizes.
static FailureOr<Sizes> getSizes(LinearAttentionOp op, ArrayRef<Tensor> operands) {
  auto describe = [&] {
    return llvm::join(llvm::map_range(operands, [](const Tensor &x) { return describeShape(x.getShape()); }),
                      ", ");
  };
  for (const Tensor &operand : operands)
    if (operand.getRank() != 4)
      return evaluateError(op) << "linear-attention-c1: expects operands of rank 4, got " << describe();
  ArrayRef<int64_t> q = operands[0].getShape(), k = operands[1].getShape(), v = operands[2].getShape(),
                    s = operands[3].getShape();
  bool isEqual = k == ArrayRef({q[0], q[1], k[2], q[3]}) && v == ArrayRef({k[0], k[1], k[2], v[3]}) &&
                 s == ArrayRef({k[0], k[2], k[3], v[3]});
  for (const Tensor &gate : operands.drop_front(4)) {
    bool isDecay = op.getDecay() && &gate == &operands[4];
    ArrayRef<int64_t> shape = gate.getShape();
    bool isShared = shape[isDecay ? 3 : 2] == 1;
    isEqual &=
        shape == ArrayRef({k[0], k[1], isShared && !isDecay ? 1 : k[2], isDecay && !isShared ? k[3] : 1});
  }
  if (!isEqual)
    return evaluateError(op)
           << "linear-attention-c2: expects one batch, length, number of heads and width of "
              "each, got "
           << describe();
  if (k[2] == 0 ? q[2] != 0 : q[2] % k[2] != 0)
    return evaluateError(op) << "linear-attention-c3: expects the heads of query to be a multiple of those "
                                "of key, got "
                             << describe();
  return Sizes{q[0], q[1], q[2], k[2], q[3], v[3]};
}

static FailureOr<Results> evaluateLinearAttention(LinearAttentionOp op, ArrayRef<Tensor> operands,
                                                  EvaluateContext &) {
  FailureOr<Sizes> sizes = getSizes(op, operands);
  if (failed(sizes))
    return failure();
  FailureOr<Tensor> result =
      makeResult(op, {sizes->batch, sizes->length, sizes->queryHeads, sizes->valueWidth});
  FailureOr<Tensor> final = makeResult(op, operands[3].getShape()); // all have one element type
  if (failed(result) || failed(final))
    return failure();
  const Tensor *decay = op.getDecay() ? &operands[4] : nullptr,
               *rate = op.getRate() ? &operands.back() : nullptr;
  int64_t elements = sizes->width * sizes->valueWidth,
          group = sizes->heads ? sizes->queryHeads / sizes->heads : 0;
  for (int64_t matrix = 0; matrix < sizes->batch * sizes->heads; ++matrix) {
    int64_t batch = matrix / sizes->heads, head = matrix % sizes->heads;
    Recurrence recurrence{*sizes, operands[0], operands[1], operands[2], decay, rate, {}};
    for (int64_t i = 0; i < elements; ++i)
      recurrence.state.push_back(operands[3].getFloat(matrix * elements + i));
    for (int64_t position = batch * sizes->length; position < (batch + 1) * sizes->length; ++position) {
      recurrence.advance(position, head);
      for (int64_t i = 0; i < group; ++i)
        recurrence.read(position, head * group + i, *result);
    }
    for (int64_t i = 0; i < elements; ++i)
      final->setFloat(matrix * elements + i, recurrence.state[i]);
  }
  return Results{std::move(*result), std::move(*final)};
}

void weft::attachLinearAttentionModels(MLIRContext *context) {
  attachModel<LinearAttentionOp, evaluateLinearAttention>(context);
}
