// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: products summed in f64, integers modulo 2^64.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/ScalarRegion.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;

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

/// The [depth, columns] matrix that a packed rhs [panels, depth, 48] stands for.
static FailureOr<Tensor> unpack(MatmulOp op, const Tensor &packed) {
  int64_t columns = *op.getPackedColumns(), width = MatmulOp::kPanelColumns;
  ArrayRef<int64_t> shape = packed.getShape();
  if (shape.size() != 3 || columns < 0 || shape[0] != columns / width + (columns % width != 0) ||
      shape[2] != width)
    return evaluateError(op) << "matmul-c7: expects a packed rhs of " << columns << " columns in panels of "
                             << width << ", got shape " << describeShape(shape);
  int64_t depth = shape[1];
  Tensor matrix = Tensor::zeros(packed.getElementType(), {depth, columns});
  if (!matrix)
    return evaluateError(op) << "no room for the unpacked rhs";
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n)
      matrix.copyElement(k * columns + n, packed, (n / width * depth + k) * width + n % width);
  return matrix;
}

/// The four bits of a word of which the lowest is bit `shift`.
static int32_t fourBits(uint32_t word, int64_t shift) { return int32_t(word >> shift & 15); }

/// The same of blocks of 4-bit numbers, [panels, blocks, 9, 48]: of f32, or for bytes of i8.
static FailureOr<Tensor> unpackInt4(MatmulOp op, const Tensor &packed, ArrayRef<int64_t> lhs) {
  int64_t columns = *op.getPackedColumns(), width = MatmulOp::kPanelColumns, rows = Int4Block::kRows;
  int64_t depth = lhs.empty() ? 0 : lhs.back(), blocks = Int4Block::count(depth);
  if (columns < 0 ||
      packed.getShape() != ArrayRef<int64_t>{(columns + width - 1) / width, blocks, rows, width})
    return evaluateError(op) << "matmul-c7: expects blocks of " << depth << " x " << columns
                             << " numbers of 4 bits, got shape " << describeShape(packed.getShape());
  bool isOfBytes = op.multipliesBytes();
  Type element = isOfBytes ? Type(IntegerType::get(op.getContext(), 8)) : Float32Type::get(op.getContext());
  Tensor matrix = Tensor::zeros(element, {depth, columns});
  if (!matrix)
    return evaluateError(op) << "no room for the unpacked rhs";
  auto word = [&](int64_t n, int64_t row) {
    return uint32_t(packed.getInteger((n / width * blocks * rows + row) * width + n % width));
  };
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n) {
      uint32_t scales = word(n, Int4Block::scaleRow(k)), numbers = word(n, Int4Block::row(k));
      if (isOfBytes) {
        int32_t scale = fourBits(scales, Int4Quads::scaleShift(k));
        int32_t number = fourBits(numbers, Int4Quads::shift(k)) - int32_t(Int4Quads::kOffset);
        matrix.setInteger(k * columns + n, number * scale);
      } else {
        auto scale = llvm::bit_cast<float>(scales >> Int4Block::scaleShift(k) << 16);
        int32_t number = (fourBits(numbers, Int4Block::shift(k)) ^ 8) - 8; // its sign, spread
        matrix.setFloat(k * columns + n, double(scale) * number);
      }
    }
  return matrix;
}

/// The same of groups (weft.weight_groups).
static FailureOr<Tensor> unpackGroups(MatmulOp op, const Tensor &packed, ArrayRef<int64_t> lhs) {
  WeightGroupsAttr groups = *op.getGroups();
  int64_t columns = *op.getPackedColumns(), width = MatmulOp::kPanelColumns, words = groups.words();
  int64_t depth = lhs.empty() ? 0 : lhs.back(), count = groups.count(depth), bits = groups.getBits();
  if (columns < 0 ||
      packed.getShape() != ArrayRef<int64_t>{(columns + width - 1) / width, count, words, width})
    return evaluateError(op) << "matmul-c7: expects groups of " << depth << " x " << columns
                             << " numbers, got shape " << describeShape(packed.getShape());
  Tensor matrix = Tensor::zeros(Float32Type::get(op.getContext()), {depth, columns});
  if (!matrix)
    return evaluateError(op) << "no room for the unpacked rhs";
  auto word = [&](int64_t n, int64_t row) {
    return uint32_t(packed.getInteger((n / width * count * words + row) * width + n % width));
  };
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n) {
      auto headNumber = [&](int64_t row) {
        return llvm::bit_cast<float>(word(n, groups.groupWord(k) + row));
      };
      uint32_t top = word(n, groups.word(k)) << (32 - bits - groups.shift(k));
      float number = float(int32_t(top) >> (32 - bits)); // its sign, spread
      if (groups.getHasOffsets())
        number -= headNumber(1);
      matrix.setFloat(k * columns + n, number * headNumber(0));
    }
  return matrix;
}

/// The same of quads or pairs, [panels, depth / each, 48, each].
static FailureOr<Tensor> unpackTogether(MatmulOp op, const Tensor &packed) {
  int64_t columns = *op.getPackedColumns(), width = MatmulOp::kPanelColumns, each = op.packedTogether();
  ArrayRef<int64_t> shape = packed.getShape();
  if (shape.size() != 4 || columns < 0 || shape[0] != (columns + width - 1) / width || shape[2] != width ||
      shape[3] != each)
    return evaluateError(op) << "matmul-c7: expects " << each << " side by side of " << columns
                             << " columns in panels of " << width << ", got shape " << describeShape(shape);
  int64_t depth = shape[1] * each;
  Tensor matrix = Tensor::zeros(packed.getElementType(), {depth, columns});
  if (!matrix)
    return evaluateError(op) << "no room for the unpacked rhs";
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n)
      matrix.copyElement(k * columns + n, packed,
                         ((n / width * shape[1] + k / each) * width + n % width) * each + k % each);
  return matrix;
}

FailureOr<Tensor> weft::evaluateRhs(MatmulOp op, const Tensor &lhs, const Tensor &rhs) {
  if (!op.getPackedColumns())
    return rhs;
  if (op.getGroups())
    return unpackGroups(op, rhs, lhs.getShape());
  if (op.hasInt4Weights())
    return unpackInt4(op, rhs, lhs.getShape());
  return op.packedTogether() > 1 ? unpackTogether(op, rhs) : unpack(op, rhs);
}

/// What sums are taken in: double for floats, uint64_t, which wraps, for integers. Weights may be integers
/// where the sums are floats.
template <typename Sum> static std::vector<Sum> readAll(const Tensor &tensor) {
  std::vector<Sum> values(tensor.getNumElements());
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    values[i] = tensor.isFloat() ? Sum(tensor.getFloat(i)) : Sum(tensor.getInteger(i));
  return values;
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
  std::vector<Sum> lhsValues = readAll<Sum>(lhs), rhsValues = readAll<Sum>(rhs), sums(sizes.columns);
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
      for (Sum sum : sums) {
        if constexpr (std::is_same_v<Sum, double>)
          result.setFloat(place++, sum);
        else
          result.setInteger(place++, int64_t(sum));
      }
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
  return failed(yielded) ? FailureOr<Tensor>(failure()) : FailureOr<Tensor>(yielded->front());
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
  const Tensor &input = operands[0], &weights = operands[1], &experts = operands[2];
  ArrayRef<int64_t> x = input.getShape(), w = weights.getShape(), e = experts.getShape();
  if (x.size() != 2 || w.size() != 3 || e.size() != 1 || x[0] != e[0] || x[1] != w[2])
    return evaluateError(op)
           << "routed-matmul-c2: expects an expert for each row, and rows as long as those of "
              "the weights, got "
           << describeShape(x) << ", " << describeShape(w) << " and " << describeShape(e);
  FailureOr<Tensor> result = makeResult(op, {x[0], w[1]});
  if (failed(result))
    return failure();
  for (int64_t s = 0; s < x[0]; ++s) {
    FailureOr<int64_t> expert = resolveIndex(op, experts, s, /*axis=*/0, w[0]);
    if (failed(expert))
      return failure();
    for (int64_t n = 0; n < w[1]; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < x[1]; ++k)
        sum += input.getFloat(s * x[1] + k) * weights.getFloat((*expert * w[1] + n) * x[1] + k);
      result->setFloat(s * w[1] + n, sum);
    }
  }
  return Results{*result};
}

void weft::attachContractionModels(MLIRContext *context) {
  attachModel<MatmulOp, evaluateMatmul>(context);
  attachModel<RoutedMatmulOp, evaluateRoutedMatmul>(context);
}
