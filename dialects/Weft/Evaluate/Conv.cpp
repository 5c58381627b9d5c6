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

//===----------------------------------------------------------------------===//
// patches
//===----------------------------------------------------------------------===//

/// patches-c1 to patches-c3 of this run's sizes, and the result's shape.
static FailureOr<Shape> getPatchesShape(PatchesOp op, ArrayRef<int64_t> input) {
  int64_t spatial = int64_t(input.size()) - 2;
  if (spatial < 1)
    return evaluateError(op) << "patches-c1: expects an input of rank 3 or more";
  ArrayRef<int64_t> kernel = op.getKernel();
  if (int64_t(kernel.size()) != spatial ||
      !isWindow(op.getStrides(), op.getDilations(), op.getPads(), spatial) ||
      llvm::any_of(kernel, [](int64_t size) { return size < 1 || size > kMaxWindowStep; }))
    return evaluateError(op) << "patches-c2: expects a kernel, strides, dilations and pads for " << spatial
                             << " spatial dims, none above " << kMaxWindowStep;
  Shape shape{input[0]};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t room = input[i + 2] + op.getPads()[i] + op.getPads()[i + spatial] -
                   op.getDilations()[i] * (kernel[i] - 1) - 1;
    if (room < 0)
      return evaluateError(op) << "patches-c3: a kernel of " << kernel[i] << " does not fit spatial dim " << i
                               << " of the padded input";
    shape.push_back(room / op.getStrides()[i] + 1);
  }
  shape.push_back(input[1]);
  llvm::append_range(shape, kernel);
  return shape;
}

static FailureOr<Tensor> evaluatePatches(PatchesOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  FailureOr<Shape> shape = getPatchesShape(op, input.getShape());
  if (failed(shape))
    return failure();
  FailureOr<Tensor> result = makeResult(op, *shape); // zeros, as it is outside of the input
  if (failed(result))
    return failure();
  size_t spatial = op.getKernel().size();
  Strides strides = getStrides(input.getShape());
  int64_t place = 0;
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    int64_t from = index[0] * strides[0] + index[1 + spatial] * strides[1];
    bool isInside = true;
    for (size_t i = 0; i < spatial; ++i) {
      int64_t position =
          index[1 + i] * op.getStrides()[i] + index[2 + spatial + i] * op.getDilations()[i] - op.getPads()[i];
      isInside &= position >= 0 && position < input.getShape()[i + 2];
      from += position * strides[i + 2];
    }
    if (isInside)
      result->copyElement(place, input, from);
    ++place;
  });
  return result;
}

void weft::attachConvModels(MLIRContext *context) {
  attachModel<ConvOp, evaluateConv>(context);
  attachModel<PatchesOp, evaluatePatches>(context);
}
