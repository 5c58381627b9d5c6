// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two tensors that should be alike, element by element, each element with a bound of its own.
#ifndef WEFT_TOOLS_WEFT_VERIFY_COMPARE_H
#define WEFT_TOOLS_WEFT_VERIFY_COMPARE_H

#include "dialects/Weft/Evaluate/Tensor.h"
#include <string>

namespace weft::verify {

/// How far apart two tensors are.
struct Comparison {
  double ratio = 0;       ///< the greatest error, as a multiple of its bound; infinite where the bound is 0
  std::string difference; ///< what is wrong, at the worst element; empty if nothing is
};

/// Floats may differ by their bound; without bounds they must be equal. NaN equals NaN, an infinity only
/// itself, and -0 is 0. A bound that is no finite number allows everything.
Comparison compareTensors(const Tensor &got, const Tensor &expected, llvm::ArrayRef<double> bounds);

/// An element as text, and an index as "[1, 0, 5]".
std::string describeElement(const Tensor &tensor, int64_t place);

} // namespace weft::verify

#endif // WEFT_TOOLS_WEFT_VERIFY_COMPARE_H
