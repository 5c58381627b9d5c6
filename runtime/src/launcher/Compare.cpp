// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element by element, keeping the worst.

#include "Compare.h"
#include "../Elements.h"
#include "../Error.h"
#include "../Tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace weft::runtime {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far two floats are apart, as far as it is more than tolerated; 0 if they agree.
double excess(double got, double expected, Tolerances tolerances) {
  if (got == expected || (std::isnan(got) && std::isnan(expected)))
    return 0;
  double distance = std::fabs(got - expected);
  if (!std::isfinite(got) || !std::isfinite(expected))
    return infinity;
  return distance <= tolerances.absolute + tolerances.relative * std::fabs(expected) ? 0 : distance;
}

double distanceOf(WeftTensor *got, WeftTensor *expected, int64_t index, Tolerances tolerances) {
  if (isFloat(weft_tensor_dtype(got)))
    return excess(elementValue(got, index), elementValue(expected, index), tolerances);
  size_t bytes = weft_dtype_bytes(weft_tensor_dtype(got));
  auto at = [&](WeftTensor *tensor) {
    return static_cast<const char *>(weft_tensor_data(tensor)) + index * bytes;
  };
  if (std::memcmp(at(got), at(expected), bytes) == 0)
    return 0;
  // Two large integers may be different and yet the same double.
  return std::max(std::fabs(elementValue(got, index) - elementValue(expected, index)),
                  std::numeric_limits<double>::min());
}

std::string indexText(int64_t linear, const std::vector<int64_t> &shape) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0; linear /= shape[d])
    text = std::to_string(linear % shape[d]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

/// As a person writes a tolerance: 0.0001, 1e-07.
std::string shortText(double number) {
  char text[32];
  snprintf(text, sizeof(text), "%g", number);
  return text;
}

const NamedTensor *findNamed(const std::vector<NamedTensor> &tensors, const std::string &name) {
  for (const NamedTensor &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

} // namespace

std::string describeDifference(WeftTensor *got, WeftTensor *expected, Tolerances tolerances) {
  if (typeText(got) != typeText(expected))
    return "got " + typeText(got) + ", expected " + typeText(expected);
  int64_t count = elementCount(got), different = 0, worst = 0;
  double worstDistance = 0;
  for (int64_t i = 0; i < count; ++i) {
    double distance = distanceOf(got, expected, i, tolerances);
    different += distance > 0;
    if (distance > worstDistance) {
      worstDistance = distance;
      worst = i;
    }
  }
  if (different == 0)
    return "";
  return concat(different, " of ", count, " elements differ; worst at ", indexText(worst, shapeOf(got)),
                ": got ", elementText(got, worst), ", expected ", elementText(expected, worst), " (rtol ",
                shortText(tolerances.relative), ", atol ", shortText(tolerances.absolute), ")");
}

std::vector<std::string> describeDifferences(const std::vector<NamedTensor> &got,
                                             const std::vector<NamedTensor> &expected,
                                             Tolerances tolerances) {
  std::vector<std::string> lines;
  for (const NamedTensor &output : got) {
    const NamedTensor *match = findNamed(expected, output.name);
    std::string difference = match ? describeDifference(output.tensor.get(), match->tensor.get(), tolerances)
                                   : "nothing is expected of it";
    if (!difference.empty())
      lines.push_back("output \"" + output.name + "\": " + difference);
  }
  for (const NamedTensor &tensor : expected)
    if (!findNamed(got, tensor.name))
      lines.push_back("output \"" + tensor.name + "\": is expected, but the model has no such output");
  return lines;
}

} // namespace weft::runtime
