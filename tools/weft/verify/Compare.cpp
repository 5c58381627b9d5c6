// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparing, and saying what differs.
#include "tools/weft/verify/Compare.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace weft;
using namespace weft::verify;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string verify::describeElement(const Tensor &tensor, int64_t place) {
  if (tensor.isFloat()) {
    char text[32];
    snprintf(text, sizeof(text), "%.9g", tensor.getFloat(place));
    return text;
  }
  int64_t value = tensor.getInteger(place);
  return tensor.isUnsigned() ? std::to_string(uint64_t(value)) : std::to_string(value);
}

/// The error of one element as a multiple of its bound.
static double getRatio(const Tensor &got, const Tensor &expected, int64_t place, double bound) {
  if (!expected.isFloat())
    return got.getInteger(place) == expected.getInteger(place) ? 0 : kInfinity;
  double x = got.getFloat(place), y = expected.getFloat(place);
  if (x == y || (std::isnan(x) && std::isnan(y)) || !std::isfinite(bound))
    return 0;
  double error = std::abs(x - y); // NaN or infinite where only one is finite
  return std::isfinite(error) && bound > 0 ? error / bound : kInfinity;
}

Comparison verify::compareTensors(const Tensor &got, const Tensor &expected, llvm::ArrayRef<double> bounds) {
  Comparison result;
  if (got.getElementType() != expected.getElementType() || got.getShape() != expected.getShape()) {
    result.ratio = kInfinity;
    result.difference = llvm::formatv("has shape {0}, expected {1}", describeShape(got.getShape()),
                                      describeShape(expected.getShape()));
    return result;
  }
  int64_t worst = 0, differing = 0;
  for (int64_t i = 0; i < expected.getNumElements(); ++i) {
    double ratio = getRatio(got, expected, i, bounds.empty() ? 0 : bounds[i]);
    differing += ratio > 1;
    if (ratio > result.ratio) {
      result.ratio = ratio;
      worst = i;
    }
  }
  if (differing == 0)
    return result;
  std::string within = bounds.empty() ? "" : llvm::formatv(" within {0:e2}", bounds[worst]).str();
  result.difference =
      llvm::formatv("element {0} of shape {1} is {2}, expected {3}{4}; {5} of {6} elements differ",
                    describeShape(unravel(worst, expected.getShape())), describeShape(expected.getShape()),
                    describeElement(got, worst), describeElement(expected, worst), within, differing,
                    expected.getNumElements());
  return result;
}
