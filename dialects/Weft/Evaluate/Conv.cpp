// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: convolutions, and the windows that they look at.
#include "dialects/Weft/Evaluate/Models.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

/// Strides, dilations and pads above this are refused, so that positions never overflow.
static constexpr int64_t kMaxWindowStep = int64_t(1) << 28;

/// Whether there are strides, dilations and pads for as many spatial dims, and all are within bounds.
static bool isWindow(ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations, ArrayRef<int64_t> pads,
                     int64_t spatial) {
  auto within = [](ArrayRef<int64_t> values, int64_t count, int64_t least) {
    return int64_t(values.size()) == count &&
           llvm::all_of(values, [=](int64_t value) { return value >= least && value <= kMaxWindowStep; });
  };
  return within(strides, spatial, 1) && within(dilations, spatial, 1) && within(pads, 2 * spatial, 0);
}

/// conv-c1 to conv-c5 of this run's sizes, and the result's shape.
static FailureOr<Shape> getConvShape(ConvOp op, const Tensor &input, const Tensor &filter,
                                     const Tensor *bias) {
  int64_t rank = input.getRank(), groups = op.getGroups(), spatial = rank - 2;
  if (rank < 3 || rank != filter.getRank())
    return evaluateError(op) << "conv-c1: expects input and filter of one rank, at least 3";
  if (!isWindow(op.getStrides(), op.getDilations(), op.getPads(), spatial))
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
/// Computes single elements of a convolution: sums of double for floats, of uint64_t, which wraps, for
/// integers.
template <typename Sum> class Window {
public:
  Window(ConvOp op, const Tensor &input, const Tensor &filter)
      : inputShape(input.getShape()), filterShape(filter.getShape()), strides(op.getStrides()),
        pads(op.getPads()), dilations(op.getDilations()), inputStrides(weft::getStrides(inputShape)),
        filterStrides(weft::getStrides(filterShape)), inputValues(readTerms<Sum>(input)),
        filterValues(readTerms<Sum>(filter)), outputsPerGroup(filterShape[0] / int64_t(op.getGroups())) {}

  /// sum over c, t... of input[b, c, s*stride + t*dilation - pad] * filter[o, c, t...] at index [b, o, s...].
  Sum sum(ArrayRef<int64_t> index) const {
    int64_t channels = filterShape[1], firstChannel = index[1] / outputsPerGroup * channels;
    Sum total = 0;
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
  std::vector<Sum> inputValues, filterValues;
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
  auto sumUp = [&](auto window) {
    int64_t place = 0;
    forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
      auto sum = window.sum(index);
      setSum(*result, place++, bias ? sum + readTerm<decltype(sum)>(*bias, index[1]) : sum);
    });
  };
  if (result->isFloat())
    sumUp(Window<double>(op, operands[0], operands[1]));
  else
    sumUp(Window<uint64_t>(op, operands[0], operands[1]));
  return result;
}

//===----------------------------------------------------------------------===//
// windows, depthwise_conv
//===----------------------------------------------------------------------===//

/// The shape [B, s...] of a kernel's places in an input [B, spatial..., C]; nothing where it does not fit, or
/// what it moves by is no number that is positive and within bounds.
template <typename Op>
static std::optional<Shape> getPlaces(Op op, ArrayRef<int64_t> input, ArrayRef<int64_t> kernel) {
  int64_t spatial = int64_t(input.size()) - 2;
  SmallVector<int64_t> noPads(2 * std::max<int64_t>(spatial, 0), 0);
  if (spatial < 1 || int64_t(kernel.size()) != spatial ||
      !isWindow(op.getStrides(), op.getDilations(), noPads, spatial) ||
      llvm::any_of(kernel, [](int64_t size) { return size < 1 || size > kMaxWindowStep; }))
    return std::nullopt;
  Shape shape{input.front()};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t room = input[i + 1] - op.getDilations()[i] * (kernel[i] - 1) - 1;
    if (room < 0)
      return std::nullopt;
    shape.push_back(room / op.getStrides()[i] + 1);
  }
  return shape;
}

/// Where in the input the channels of a window's tap begin.
template <typename Op>
static int64_t getTapPlace(Op op, ArrayRef<int64_t> inputStrides, ArrayRef<int64_t> at,
                           ArrayRef<int64_t> tap) {
  int64_t place = at.front() * inputStrides.front();
  for (size_t i = 0; i < tap.size(); ++i)
    place += (at[i + 1] * op.getStrides()[i] + tap[i] * op.getDilations()[i]) * inputStrides[i + 1];
  return place;
}

static FailureOr<Tensor> evaluateWindows(WindowsOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  std::optional<Shape> places = getPlaces(op, input.getShape(), op.getKernel());
  if (!places)
    return evaluateError(op) << "windows-c3: a kernel of " << describeShape(op.getKernel())
                             << " does not fit an input of shape " << describeShape(input.getShape());
  Shape shape(*places);
  llvm::append_range(shape, op.getKernel());
  shape.push_back(input.getShape().back());
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  Strides strides = getStrides(input.getShape());
  int64_t place = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    ArrayRef<int64_t> at = index.take_front(places->size());
    int64_t from = getTapPlace(op, strides, at, index.drop_front(at.size()).drop_back());
    result->copyElement(place++, input, from + index.back());
  });
  return result;
}

static FailureOr<Tensor> evaluateDepthwiseConv(DepthwiseConvOp op, ArrayRef<Tensor> operands,
                                               EvaluateContext &) {
  const Tensor &input = operands[0], &filter = operands[1];
  ArrayRef<int64_t> kernel = filter.getShape();
  int64_t channels = input.getRank() > 0 ? input.getShape().back() : 0;
  std::optional<Shape> shape;
  if (filter.getRank() > 0 && kernel.back() == channels)
    shape = getPlaces(op, input.getShape(), kernel.drop_back());
  if (!shape)
    return evaluateError(op) << "depthwise-conv-c4: a filter of shape " << describeShape(kernel)
                             << " does not fit an input of shape " << describeShape(input.getShape());
  shape->push_back(channels);
  FailureOr<Tensor> result = makeResult(op, *shape);
  if (failed(result))
    return failure();
  Strides strides = getStrides(input.getShape());
  auto sumUp = [&](auto zero) {
    using Sum = decltype(zero);
    int64_t place = 0;
    forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
      Sum total = zero;
      int64_t filterPlace = index.back();
      forEachIndex(kernel.drop_back(), [&](ArrayRef<int64_t> tap) {
        int64_t from = getTapPlace(op, strides, index.drop_back(), tap) + index.back();
        total += readTerm<Sum>(input, from) * readTerm<Sum>(filter, filterPlace);
        filterPlace += channels;
      });
      setSum(*result, place++, total);
    });
  };
  if (result->isFloat())
    sumUp(double(0));
  else
    sumUp(uint64_t(0));
  return result;
}

void weft::attachConvModels(MLIRContext *context) {
  attachModel<ConvOp, evaluateConv>(context);
  attachModel<WindowsOp, evaluateWindows>(context);
  attachModel<DepthwiseConvOp, evaluateDepthwiseConv>(context);
}
