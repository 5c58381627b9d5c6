// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: a row of scores at a time, their softmax, and the mean of values that it weighs.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/ScalarRegion.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace weft;

namespace {
/// query [batch, heads, rows, width], key [batch, groups, keys, width], value [batch, groups, keys, ...], of
/// which scores have `columns`.
struct AttentionSizes {
  int64_t batch, heads, groups, rows, columns, keys, width;
  Shape scores() const { return {batch, heads, rows, columns}; }
};

/// Which keys the columns of a head's scores are.
std::vector<int64_t> getKeys(AttentionOp op, const AttentionSizes &sizes, int64_t head) {
  std::vector<int64_t> keys(sizes.columns);
  std::iota(keys.begin(), keys.end(), 0);
  if (std::optional<DenseIntElementsAttr> blocks = op.getBlocks()) {
    int64_t size = op.getBlockSize(), count = blocks->getType().getDimSize(1);
    for (int64_t &key : keys)
      key = blocks->getValues<int64_t>()[head * count + key / size] + key % size;
  }
  return keys;
}
} // namespace

/// attention-c1 to attention-c4 of this run's sizes.
static FailureOr<AttentionSizes> getSizes(AttentionOp op, ArrayRef<Tensor> operands) {
  ArrayRef<int64_t> q = operands[0].getShape(), k = operands[1].getShape(), v = operands[2].getShape();
  auto describe = [&] { return describeShape(q) + ", " + describeShape(k) + " and " + describeShape(v); };
  if (q.size() != 4 || k.size() != 4 || v.size() != 4)
    return evaluateError(op) << "attention-c1: expects query, key and value of rank 4, got " << describe();
  if (q[0] != k[0] || k[0] != v[0] || k[1] != v[1] || k[2] != v[2] || q[3] != k[3])
    return evaluateError(op) << "attention-c2: expects one batch, heads and length of key and value, and "
                                "width of query and key; got "
                             << describe();
  if (k[1] == 0 ? q[1] != 0 : q[1] % k[1] != 0)
    return evaluateError(op) << "attention-c3: expects the heads of query to be a multiple of those of key, "
                                "got "
                             << describe();
  AttentionSizes sizes{q[0], q[1], k[1], q[2], k[2], k[2], q[3]};
  if (std::optional<DenseIntElementsAttr> blocks = op.getBlocks()) {
    sizes.columns = blocks->getType().getDimSize(1) * op.getBlockSize();
    if (q[1] != blocks->getType().getDimSize(0) ||
        llvm::any_of(blocks->getValues<int64_t>(),
                     [&](int64_t first) { return first < 0 || first > k[2] - int64_t(op.getBlockSize()); }))
      return evaluateError(op) << "attention-c6: blocks of " << op.getBlockSize()
                               << " are not of the heads and keys of " << describe();
  }
  for (const Tensor &capture : operands.slice(3, op.getCaptures().size()))
    if (!broadcastsTo(capture.getShape(), sizes.scores()))
      return evaluateError(op) << "attention-c4: a capture of shape " << describeShape(capture.getShape())
                               << " does not broadcast to the scores', " << describeShape(sizes.scores());
  Shape rows{q[0], q[1], q[2], 1};
  if (op.getSink() && !broadcastsTo(operands.back().getShape(), rows))
    return evaluateError(op) << "attention-c7: a sink of shape " << describeShape(operands.back().getShape())
                             << " does not broadcast to the rows', " << describeShape(rows);
  return sizes;
}

/// The scaled scores of one head, [rows, columns], rounded once.
static void multiplyHead(const Tensor &query, const Tensor &key, const AttentionSizes &sizes,
                         int64_t queryMatrix, int64_t keyMatrix, ArrayRef<int64_t> keys, double scale,
                         Tensor &scores) {
  for (int64_t i = 0; i < sizes.rows; ++i)
    for (int64_t j = 0; j < sizes.columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < sizes.width; ++k)
        sum += query.getFloat((queryMatrix * sizes.rows + i) * sizes.width + k) *
               key.getFloat((keyMatrix * sizes.keys + keys[j]) * sizes.width + k);
      scores.setFloat(i * sizes.columns + j, scale * sum);
    }
}

/// The part [1, 1, rows, columns] of a capture that belongs to one head.
static Tensor sliceCapture(const Tensor &capture, const AttentionSizes &sizes, int64_t batch, int64_t head) {
  Shape scores = sizes.scores(), slice{1, 1, sizes.rows, sizes.columns};
  Strides strides = getBroadcastStrides(capture.getShape(), scores);
  Tensor result = Tensor::zeros(capture.getElementType(), slice);
  if (!result)
    return result;
  int64_t place = 0;
  forEachIndex(slice, [&](ArrayRef<int64_t> index) {
    result.copyElement(place++, capture, getPlace({batch, head, index[2], index[3]}, strides));
  });
  return result;
}

/// Where each score is, as tensors of indices: batch, head, row, column.
static SmallVector<Tensor> getPlaces(Type index, const AttentionSizes &sizes, int64_t batch, int64_t head) {
  Shape slice{1, 1, sizes.rows, sizes.columns};
  SmallVector<Tensor> places;
  for (int which = 0; which < 4; ++which) {
    places.push_back(Tensor::zeros(index, slice));
    if (!places.back())
      return {};
    int64_t place = 0;
    forEachIndex(slice, [&](ArrayRef<int64_t> at) {
      places.back().setInteger(place++, which == 0 ? batch : which == 1 ? head : at[which]);
    });
  }
  return places;
}

/// The scores that the region gives, minus infinity for what it excludes.
static FailureOr<Tensor> applyRegion(AttentionOp op, Tensor scores, ArrayRef<Tensor> captures,
                                     const AttentionSizes &sizes, int64_t batch, int64_t head) {
  if (op.getScore().empty())
    return scores;
  SmallVector<Tensor> arguments{scores};
  llvm::append_range(arguments, getPlaces(IndexType::get(op.getContext()), sizes, batch, head));
  for (const Tensor &capture : captures)
    arguments.push_back(sliceCapture(capture, sizes, batch, head));
  if (arguments.size() != 5 + captures.size() || llvm::any_of(arguments, [](const Tensor &t) { return !t; }))
    return evaluateError(op) << "no room for the scores";
  auto yielded = evaluateScalarRegion(op.getScore(), scores.getShape(), arguments);
  if (failed(yielded))
    return failure();
  Tensor result = (*yielded)[0];
  for (int64_t i = 0; i < result.getNumElements(); ++i)
    if (!(*yielded)[1].getInteger(i))
      result.setFloat(i, -std::numeric_limits<double>::infinity());
  return result;
}

/// The softmax of a row and a score that no key has. Of a row that excludes everything it is NaN, or 0; and
/// so may NaN be, which spoils a whole row.
static void weighRow(MutableArrayRef<double> row, double sink, EmptyRows emptyRows) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  double greatest = sink;
  for (double element : row)
    greatest = std::isnan(element) || element > greatest ? element : greatest;
  double sum = std::exp(sink - greatest);
  for (double &element : row)
    sum += element = std::exp(element - greatest);
  bool isZero = (greatest == kNothing && emptyRows != EmptyRows::NaN) ||
                (std::isnan(sum) && emptyRows == EmptyRows::NaNToZero);
  for (double &element : row)
    element = isZero ? 0 : element / sum;
}

/// The scores of a head's rows that no key has.
static std::vector<double> getSinks(const Tensor &sink, const AttentionSizes &sizes, int64_t batch,
                                    int64_t head) {
  std::vector<double> sinks(sizes.rows, -std::numeric_limits<double>::infinity());
  if (!sink)
    return sinks;
  Strides strides = getBroadcastStrides(sink.getShape(), {sizes.batch, sizes.heads, sizes.rows, 1});
  for (int64_t i = 0; i < sizes.rows; ++i)
    sinks[i] = sink.getFloat(getPlace({batch, head, i, 0}, strides));
  return sinks;
}

/// Writes results[0][matrix, :, :], the values weighed by the softmax of each row of scores, and to
/// results[1], if it is asked for, the softmax.
static void weighHead(const Tensor &scores, const Tensor &value, const AttentionSizes &sizes, int64_t matrix,
                      int64_t valueMatrix, ArrayRef<int64_t> keys, ArrayRef<double> sinks,
                      EmptyRows emptyRows, MutableArrayRef<Tensor> results) {
  int64_t width = value.getShape()[3];
  std::vector<double> row(sizes.columns);
  for (int64_t i = 0; i < sizes.rows; ++i) {
    for (int64_t j = 0; j < sizes.columns; ++j)
      row[j] = scores.getFloat(i * sizes.columns + j);
    weighRow(row, sinks[i], emptyRows);
    for (int64_t e = 0; e < width; ++e) {
      double sum = 0;
      for (int64_t j = 0; j < sizes.columns; ++j)
        sum += row[j] * value.getFloat((valueMatrix * sizes.keys + keys[j]) * width + e);
      results[0].setFloat((matrix * sizes.rows + i) * width + e, sum);
    }
    for (int64_t j = 0; results.size() > 1 && j < sizes.columns; ++j)
      results[1].setFloat((matrix * sizes.rows + i) * sizes.columns + j, row[j]);
  }
}

/// Zeros for the result, and for the weights if they are asked for.
static FailureOr<Results> makeResults(AttentionOp op, const AttentionSizes &sizes, int64_t width) {
  Results results;
  SmallVector<Shape> shapes{{sizes.batch, sizes.heads, sizes.rows, width}, sizes.scores()};
  for (const Shape &shape : ArrayRef(shapes).take_front(op->getNumResults())) {
    FailureOr<Tensor> result = makeResult(op, shape); // both have the operands' element type
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

static FailureOr<Results> evaluateAttention(AttentionOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  FailureOr<AttentionSizes> sizes = getSizes(op, operands);
  if (failed(sizes))
    return failure();
  ArrayRef<Tensor> captures = operands.slice(3, op.getCaptures().size());
  Tensor sink = op.getSink() ? operands.back() : Tensor();
  FailureOr<Results> results = makeResults(op, *sizes, operands[2].getShape()[3]);
  if (failed(results))
    return failure();
  for (int64_t matrix = 0; matrix < sizes->batch * sizes->heads; ++matrix) {
    int64_t batch = matrix / sizes->heads, head = matrix % sizes->heads;
    int64_t keyMatrix = batch * sizes->groups + head / (sizes->heads / sizes->groups);
    Tensor scores = Tensor::zeros(op.getScoreType(), {1, 1, sizes->rows, sizes->columns});
    if (!scores)
      return evaluateError(op) << "no room for the scores";
    std::vector<int64_t> keys = getKeys(op, *sizes, head);
    multiplyHead(operands[0], operands[1], *sizes, matrix, keyMatrix, keys, op.getScale().convertToDouble(),
                 scores);
    FailureOr<Tensor> changed = applyRegion(op, scores, captures, *sizes, batch, head);
    if (failed(changed))
      return failure();
    weighHead(*changed, operands[2], *sizes, matrix, keyMatrix, keys, getSinks(sink, *sizes, batch, head),
              op.getEmptyRows(), *results);
  }
  return results;
}

void weft::attachAttentionModels(MLIRContext *context) {
  attachModel<AttentionOp, evaluateAttention>(context);
}
