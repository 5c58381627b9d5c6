// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: products summed in f64, integers modulo 2^64.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/ScalarRegion.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------===//
// Packed right-hand sides
//===----------------------------------------------------------------------===//

namespace {
/// Reads the [depth, columns] matrix that a packed one stands for.
class Unpacker {
public:
  Unpacker(Operation *op, const PackedForm &form, const Tensor &packed, int64_t depth)
      : op(op), form(form), packed(packed), rows(packed.getShape().size() > 1 ? packed.getShape()[1] : 0),
        depth(form.isOfBlocks() ? depth : rows * form.together) {}

  FailureOr<Tensor> run() const;

private:
  bool hasForm() const;
  Type getElement() const;
  uint32_t word(int64_t n, int64_t row) const;
  void unpackInt4(Tensor &matrix, int64_t k, int64_t n) const;
  void unpackGroup(Tensor &matrix, int64_t k, int64_t n) const;

  Operation *op;
  const PackedForm &form;
  const Tensor &packed;
  int64_t rows, depth;
};
} // namespace

bool Unpacker::hasForm() const {
  SmallVector<int64_t> inner = form.innerDims(), shape(packed.getShape());
  return form.columns >= 0 && shape.size() == inner.size() + 2 &&
         shape[0] == form.columns / form.width + (form.columns % form.width != 0) &&
         ArrayRef(shape).drop_front(2) == ArrayRef(inner) &&
         (!form.isOfBlocks() || rows == int64_t(llvm::divideCeil(depth, form.depthOfRow())));
}

Type Unpacker::getElement() const {
  if (form.isInt4 && form.isOfBytes)
    return IntegerType::get(op->getContext(), 8);
  return form.isOfBlocks() ? Type(Float32Type::get(op->getContext())) : packed.getElementType();
}

/// The word of column n in one of the rows of words that blocks consist of.
uint32_t Unpacker::word(int64_t n, int64_t row) const {
  int64_t words = packed.getShape()[2];
  return uint32_t(packed.getInteger((n / form.width * rows * words + row) * form.width + n % form.width));
}

/// The four bits of a word of which the lowest is bit `shift`.
static int32_t fourBits(uint32_t word, int64_t shift) { return int32_t(word >> shift & 15); }

void Unpacker::unpackInt4(Tensor &matrix, int64_t k, int64_t n) const {
  uint32_t scales = word(n, Int4Block::scaleRow(k)), numbers = word(n, Int4Block::row(k));
  if (form.isOfBytes) {
    int32_t scale = fourBits(scales, Int4Quads::scaleShift(k));
    int32_t number = fourBits(numbers, Int4Quads::shift(k)) - int32_t(Int4Quads::kOffset);
    return matrix.setInteger(k * form.columns + n, number * scale);
  }
  auto scale = llvm::bit_cast<float>(scales >> Int4Block::scaleShift(k) << 16);
  int32_t number = (fourBits(numbers, Int4Block::shift(k)) ^ 8) - 8; // its sign, spread
  matrix.setFloat(k * form.columns + n, double(scale) * number);
}

void Unpacker::unpackGroup(Tensor &matrix, int64_t k, int64_t n) const {
  WeightGroupsAttr groups = form.groups;
  auto headNumber = [&](int64_t row) { return llvm::bit_cast<float>(word(n, groups.groupWord(k) + row)); };
  int64_t bits = groups.getBits();
  uint32_t top = word(n, groups.word(k)) << (32 - bits - groups.shift(k));
  float number = groups.getTable() ? groups.getTable()[top >> (32 - bits)]
                                   : float(int32_t(top) >> (32 - bits)); // its sign, spread
  if (groups.getHasOffsets())
    number -= headNumber(1);
  matrix.setFloat(k * form.columns + n, number * headNumber(0));
}

FailureOr<Tensor> Unpacker::run() const {
  if (!hasForm())
    return evaluateError(op) << form.rule << ": expects a packed rhs of " << depth << " x " << form.columns
                             << " numbers in panels of " << form.width << ", got shape "
                             << describeShape(packed.getShape());
  Tensor matrix = Tensor::zeros(getElement(), {depth, form.columns});
  if (!matrix)
    return evaluateError(op) << "no room for the unpacked rhs";
  int64_t each = form.together;
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < form.columns; ++n)
      if (form.groups)
        unpackGroup(matrix, k, n);
      else if (form.isInt4)
        unpackInt4(matrix, k, n);
      else
        matrix.copyElement(k * form.columns + n, packed,
                           ((n / form.width * rows + k / each) * form.width + n % form.width) * each +
                               k % each);
  return matrix;
}

static int64_t depthOf(const Tensor &lhs) { return lhs.getShape().empty() ? 0 : lhs.getShape().back(); }

FailureOr<Tensor> weft::evaluateRhs(MatmulOp op, const Tensor &lhs, const Tensor &rhs) {
  return op.getPackedColumns() ? Unpacker(op, op.getPackedForm(), rhs, depthOf(lhs)).run() : rhs;
}

FailureOr<Tensor> weft::evaluateRhs(RoutedMatmulOp op, const Tensor &input, const Tensor &weights) {
  if (!op.getPackedColumns())
    return weights;
  FailureOr<Tensor> merged = Unpacker(op, op.getPackedForm(), weights, depthOf(input)).run();
  if (failed(merged))
    return failure();
  auto columns = int64_t(*op.getPackedColumns());
  int64_t pitch = llvm::alignTo(std::max<int64_t>(columns, 1), MatmulOp::kPanelColumns);
  int64_t depth = merged->getShape()[0], all = merged->getShape()[1], count = all / pitch;
  Tensor matrices = Tensor::zeros(merged->getElementType(), {count, depth, columns});
  if (!matrices)
    return evaluateError(op) << "no room for the unpacked weights";
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t n = 0; n < columns; ++n)
        matrices.copyElement((i * depth + k) * columns + n, *merged, k * all + i * pitch + n);
  return matrices;
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

namespace {
/// lhs [lhsBatch..., rows, depth] times rhs [rhsBatch..., depth, columns].
struct MatmulSizes {
  Shape lhsBatch, rhsBatch, batch, result;
  int64_t rows = 1, depth = 1, columns = 1;
};
} // namespace

static FailureOr<MatmulSizes> getSizes(MatmulOp op, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  MatmulSizes sizes;
  if (lhs.empty() || rhs.empty())
    return evaluateError(op) << "matmul-c1: expects operands of rank 1 or more";
  bool isRow = lhs.size() == 1, isColumn = rhs.size() == 1;
  sizes.depth = lhs.back();
  sizes.rows = isRow ? 1 : lhs[lhs.size() - 2];
  sizes.columns = isColumn ? 1 : rhs.back();
  if (int64_t rhsDepth = isColumn ? rhs[0] : rhs[rhs.size() - 2]; rhsDepth != sizes.depth)
    return evaluateError(op) << "matmul-c2: contracts " << sizes.depth << " columns of lhs with " << rhsDepth
                             << " rows of rhs, shapes " << describeShape(lhs) << " and "
                             << describeShape(rhs);
  sizes.lhsBatch = Shape(lhs.drop_back(isRow ? 1 : 2));
  sizes.rhsBatch = Shape(rhs.drop_back(isColumn ? 1 : 2));
  std::optional<Shape> batch = broadcastShapes(sizes.lhsBatch, sizes.rhsBatch);
  if (!batch)
    return evaluateError(op) << "matmul-c3: batch dims " << describeShape(sizes.lhsBatch) << " and "
                             << describeShape(sizes.rhsBatch) << " do not broadcast";
  sizes.batch = sizes.result = *batch;
  if (!isRow)
    sizes.result.push_back(sizes.rows);
  if (!isColumn)
    sizes.result.push_back(sizes.columns);
  return sizes;
}

/// The sums of one row: sums[n] = sum over k of lhs[k] * rhs[k, n].
template <typename Sum>
static void multiplyRow(const Sum *lhs, const Sum *rhs, const MatmulSizes &sizes, std::vector<Sum> &sums) {
  std::fill(sums.begin(), sums.end(), Sum(0));
  for (int64_t k = 0; k < sizes.depth; ++k)
    for (int64_t n = 0; n < sizes.columns; ++n)
      sums[n] += lhs[k] * rhs[k * sizes.columns + n];
}

template <typename Sum>
static void multiply(const Tensor &lhs, const Tensor &rhs, const MatmulSizes &sizes, Tensor &result,
                     llvm::function_ref<Sum(Sum)> round = {}) {
  std::vector<Sum> lhsValues = readTerms<Sum>(lhs), rhsValues = readTerms<Sum>(rhs), sums(sizes.columns);
  for (std::vector<Sum> *values : {&lhsValues, &rhsValues})
    if (round)
      llvm::transform(*values, values->begin(), round);
  Strides lhsStrides = getBroadcastStrides(sizes.lhsBatch, sizes.batch);
  Strides rhsStrides = getBroadcastStrides(sizes.rhsBatch, sizes.batch);
  int64_t place = 0;
  forEachIndex(sizes.batch, [&](ArrayRef<int64_t> index) {
    const Sum *lhsMatrix = lhsValues.data() + getPlace(index, lhsStrides) * sizes.rows * sizes.depth;
    const Sum *rhsMatrix = rhsValues.data() + getPlace(index, rhsStrides) * sizes.depth * sizes.columns;
    for (int64_t m = 0; m < sizes.rows; ++m) {
      multiplyRow(lhsMatrix + m * sizes.depth, rhsMatrix, sizes, sums);
      for (Sum sum : sums)
        setSum(result, place++, sum);
    }
  });
}

static FailureOr<Tensor> applyEpilogue(MatmulOp op, const Tensor &sums, ArrayRef<Tensor> captures) {
  SmallVector<Tensor> arguments{sums};
  for (const Tensor &capture : captures) {
    if (!broadcastsTo(capture.getShape(), sums.getShape()))
      return evaluateError(op) << "matmul-c5: a capture of shape " << describeShape(capture.getShape())
                               << " does not broadcast to the result's, " << describeShape(sums.getShape());
    FailureOr<Tensor> wide = broadcastOperand(op, capture, sums.getShape());
    if (failed(wide))
      return failure();
    arguments.push_back(std::move(*wide));
  }
  auto yielded = evaluateScalarRegion(op.getEpilogue(), sums.getShape(), arguments);
  if (failed(yielded))
    return failure();
  const Tensor &scalars = yielded->front();
  Type element = getElementTypeOrSelf(op.getResult());
  if (!element.isUnsignedInteger())
    return scalars;
  // Scalars say nothing of signs.
  Tensor result = Tensor::fromBytes(element, scalars.getShape(), scalars.getBytes());
  if (!result)
    return evaluateError(op) << "no room for the result";
  return result;
}

/// An element as tensor cores read f32: with 13 bits less, rounded to nearest, halfway away from zero.
static double roundToTF32(double element) {
  constexpr uint32_t kDropped = (1U << 13) - 1, kHalf = 1U << 12;
  auto bits = llvm::bit_cast<uint32_t>(float(element));
  return std::isfinite(element) ? llvm::bit_cast<float>((bits + kHalf) & ~kDropped) : element;
}

static FailureOr<Tensor> evaluateMatmul(MatmulOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &lhs = operands[0];
  FailureOr<Tensor> rhs = evaluateRhs(op, lhs, operands[1]);
  if (failed(rhs))
    return failure();
  FailureOr<MatmulSizes> sizes = getSizes(op, lhs.getShape(), rhs->getShape());
  if (failed(sizes))
    return failure();
  FailureOr<Tensor> result = makeResult(op, sizes->result);
  if (failed(result))
    return failure();
  if (op.getSumType() != getElementTypeOrSelf(op.getResult())) {
    *result = Tensor::zeros(op.getSumType(), sizes->result);
    if (!*result)
      return evaluateError(op) << "no room for the sums";
  }
  if (op.getTf32())
    multiply<double>(lhs, *rhs, *sizes, *result, roundToTF32);
  else if (lhs.isFloat())
    multiply<double>(lhs, *rhs, *sizes, *result);
  else
    multiply<uint64_t>(lhs, *rhs, *sizes, *result);
  return op.getEpilogue().empty() ? result : applyEpilogue(op, *result, operands.drop_front(2));
}

//===----------------------------------------------------------------------===//
// routed_matmul
//===----------------------------------------------------------------------===//

static FailureOr<Results> evaluateRoutedMatmul(RoutedMatmulOp op, ArrayRef<Tensor> operands,
                                               EvaluateContext &) {
  const Tensor &input = operands[0], &experts = operands[2];
  FailureOr<Tensor> weights = evaluateRhs(op, input, operands[1]);
  if (failed(weights))
    return failure();
  ArrayRef<int64_t> x = input.getShape(), w = weights->getShape(), e = experts.getShape();
  if (x.size() != 2 || w.size() != 3 || e.size() != 1 || x[0] != e[0] || x[1] != w[1])
    return evaluateError(op)
           << "routed-matmul-c2: expects an expert for each row, and weights of its depth, got "
           << describeShape(x) << ", " << describeShape(w) << " and " << describeShape(e);
  FailureOr<Tensor> result = makeResult(op, {x[0], w[2]});
  if (failed(result))
    return failure();
  int64_t depth = w[1], columns = w[2];
  for (int64_t s = 0; s < x[0]; ++s) {
    FailureOr<int64_t> expert = resolveIndex(op, experts, s, /*axis=*/0, w[0]);
    if (failed(expert))
      return failure();
    for (int64_t n = 0; n < columns; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += input.getFloat(s * depth + k) * weights->getFloat((*expert * depth + k) * columns + n);
      result->setFloat(s * columns + n, sum);
    }
  }
  return Results{*result};
}

void weft::attachContractionModels(MLIRContext *context) {
  attachModel<MatmulOp, evaluateMatmul>(context);
  attachModel<RoutedMatmulOp, evaluateRoutedMatmul>(context);
}
