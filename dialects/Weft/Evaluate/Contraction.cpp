// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: products summed in f64, integers modulo 2^64.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/ScalarRegion.h"

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

/// What sums are taken in: double for floats, uint64_t, which wraps, for integers.
template <typename Sum> static std::vector<Sum> readAll(const Tensor &tensor) {
  std::vector<Sum> values(tensor.getNumElements());
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    values[i] = std::is_same_v<Sum, double> ? Sum(tensor.getFloat(i)) : Sum(tensor.getInteger(i));
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
static void multiply(const Tensor &lhs, const Tensor &rhs, const MatmulSizes &sizes, Tensor &result) {
  std::vector<Sum> lhsValues = readAll<Sum>(lhs), rhsValues = readAll<Sum>(rhs), sums(sizes.columns);
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
  return evaluateScalarRegion(op.getEpilogue(), sums.getShape(), arguments);
}

static FailureOr<Tensor> evaluateMatmul(MatmulOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &lhs = operands[0];
  FailureOr<Tensor> rhs = op.getPackedColumns() ? unpack(op, operands[1]) : FailureOr<Tensor>(operands[1]);
  if (failed(rhs))
    return failure();
  FailureOr<MatmulSizes> sizes = getSizes(op, lhs.getShape(), rhs->getShape());
  if (failed(sizes))
    return failure();
  FailureOr<Tensor> result = makeResult(op, sizes->result);
  if (failed(result))
    return failure();
  if (lhs.isFloat())
    multiply<double>(lhs, *rhs, *sizes, *result);
  else
    multiply<uint64_t>(lhs, *rhs, *sizes, *result);
  return op.getEpilogue().empty() ? result : applyEpilogue(op, *result, operands.drop_front(2));
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

/// Strides, dilations and pads above this are refused, so that positions never overflow.
static constexpr int64_t kMaxWindowStep = int64_t(1) << 28;

/// conv-c1 to conv-c5 of this run's sizes, and the result's shape.
static FailureOr<Shape> getConvShape(ConvOp op, const Tensor &input, const Tensor &filter,
                                     const Tensor *bias) {
  int64_t rank = input.getRank(), groups = op.getGroups(), spatial = rank - 2;
  if (rank < 3 || rank != filter.getRank())
    return evaluateError(op) << "conv-c1: expects input and filter of one rank, at least 3";
  auto within = [](int64_t least) {
    return [=](int64_t value) { return value >= least && value <= kMaxWindowStep; };
  };
  if (int64_t(op.getStrides().size()) != spatial || int64_t(op.getDilations().size()) != spatial ||
      int64_t(op.getPads().size()) != 2 * spatial || !llvm::all_of(op.getStrides(), within(1)) ||
      !llvm::all_of(op.getDilations(), within(1)) || !llvm::all_of(op.getPads(), within(0)))
    return evaluateError(op) << "conv-c2: expects strides, dilations and pads for " << spatial
                             << " spatial dims, none above " << kMaxWindowStep;
  int64_t channels = input.getShape()[1], outputs = filter.getShape()[0],
          filterChannels = filter.getShape()[1];
  if (groups <= 0 || outputs % groups != 0 || channels % groups != 0 || channels / groups != filterChannels)
    return evaluateError(op) << "conv-c3: " << groups << " groups do not fit an input of shape "
                             << describeShape(input.getShape()) << " and a filter of shape "
                             << describeShape(filter.getShape());
  if (bias && bias->getShape() != ArrayRef<int64_t>(outputs))
    return evaluateError(op) << "conv-c4: expects a bias of shape [" << outputs << "], got "
                             << describeShape(bias->getShape());
  Shape shape{input.getShape()[0], outputs};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t kernel = filter.getShape()[i + 2];
    int64_t room = input.getShape()[i + 2] + op.getPads()[i] + op.getPads()[i + spatial] -
                   op.getDilations()[i] * (kernel - 1) - 1;
    if (kernel < 1 || room < 0)
      return evaluateError(op) << "conv-c5: a kernel of " << kernel << " does not fit spatial dim " << i
                               << " of the padded input";
    shape.push_back(room / op.getStrides()[i] + 1);
  }
  return shape;
}

namespace {
/// Computes single elements of a convolution.
class Window {
public:
  Window(ConvOp op, const Tensor &input, const Tensor &filter)
      : inputShape(input.getShape()), filterShape(filter.getShape()), strides(op.getStrides()),
        pads(op.getPads()), dilations(op.getDilations()), inputStrides(weft::getStrides(inputShape)),
        filterStrides(weft::getStrides(filterShape)), inputValues(input.toFloats()),
        filterValues(filter.toFloats()), outputsPerGroup(filterShape[0] / int64_t(op.getGroups())) {}

  /// sum over c, t... of input[b, c, s*stride + t*dilation - pad] * filter[o, c, t...] at index [b, o, s...].
  double sum(ArrayRef<int64_t> index) const {
    int64_t channels = filterShape[1], firstChannel = index[1] / outputsPerGroup * channels;
    double total = 0;
    forEachIndex(filterShape.drop_front(2), [&](ArrayRef<int64_t> tap) {
      std::optional<int64_t> place = getInputPlace(index.drop_front(2), tap);
      if (!place)
        return;
      int64_t inputPlace = *place + index[0] * inputStrides[0] + firstChannel * inputStrides[1];
      int64_t filterPlace =
          index[1] * filterStrides[0] + getPlace(tap, ArrayRef(filterStrides).drop_front(2));
      for (int64_t c = 0; c < channels; ++c)
        total +=
            inputValues[inputPlace + c * inputStrides[1]] * filterValues[filterPlace + c * filterStrides[1]];
    });
    return total;
  }

private:
  /// Where in an input channel a tap of the kernel reads; nothing outside of the input, where it is zero.
  std::optional<int64_t> getInputPlace(ArrayRef<int64_t> at, ArrayRef<int64_t> tap) const {
    int64_t place = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      int64_t position = at[i] * strides[i] + tap[i] * dilations[i] - pads[i];
      if (position < 0 || position >= inputShape[i + 2])
        return std::nullopt;
      place += position * inputStrides[i + 2];
    }
    return place;
  }

  ArrayRef<int64_t> inputShape, filterShape, strides, pads, dilations;
  Strides inputStrides, filterStrides;
  std::vector<double> inputValues, filterValues;
  int64_t outputsPerGroup;
};
} // namespace

static FailureOr<Tensor> evaluateConv(ConvOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor *bias = operands.size() > 2 ? &operands[2] : nullptr;
  FailureOr<Shape> shape = getConvShape(op, operands[0], operands[1], bias);
  if (failed(shape))
    return failure();
  FailureOr<Tensor> result = makeResult(op, *shape);
  if (failed(result))
    return failure();
  Window window(op, operands[0], operands[1]);
  int64_t place = 0;
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    result->setFloat(place++, window.sum(index) + (bias ? bias->getFloat(index[1]) : 0));
  });
  return result;
}

void weft::attachContractionModels(MLIRContext *context) {
  attachModel<MatmulOp, evaluateMatmul>(context);
  attachModel<ConvOp, evaluateConv>(context);
}
