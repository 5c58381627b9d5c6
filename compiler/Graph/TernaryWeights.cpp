// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -1, 0 or 1 times the group's number.
#include "compiler/Graph/TernaryWeights.h"
#include <cmath>

using namespace mlir;
using namespace weft;

static constexpr int64_t kBits = 2;

WeightGroupsAttr graph::ternaryGroups(MLIRContext *context, int64_t rows) {
  return WeightGroupsAttr::get(context, kBits, WeightGroupsAttr::rowsFor(rows), /*hasOffsets=*/false);
}

bool graph::isTernary(const MatrixWeight &weight, const char *source) {
  int64_t groupRows = ternaryGroups(weight.getConstant().getContext(), weight.rows()).getRows();
  std::vector<float> numbers(weight.columns());
  std::vector<const char *> starts = weight.findColumns(source, 0, weight.columns());
  for (int64_t row = 0; row < weight.rows(); ++row) {
    if (row % groupRows == 0)
      std::fill(numbers.begin(), numbers.end(), 0.F);
    for (int64_t column = 0; column < weight.columns(); ++column) {
      float value = std::abs(readFloat(weight, starts[column], row));
      if (numbers[column] == 0)
        numbers[column] = value;
      if (!std::isfinite(value) || (value != 0 && value != numbers[column]))
        return false;
    }
  }
  return true;
}
