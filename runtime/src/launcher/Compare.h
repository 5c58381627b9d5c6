// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares outputs with what was expected.

#ifndef WEFT_RUNTIME_LAUNCHER_COMPARE_H
#define WEFT_RUNTIME_LAUNCHER_COMPARE_H

#include "../TensorRef.h"

#include <vector>

namespace weft::runtime {

struct Tolerances {
  double relative, absolute;
};

/// Empty if the tensors agree; otherwise what differs and where it is worst, in one line. Floats may differ
/// by absolute + relative * |expected|, NaN equals NaN, an infinity only itself; everything else must be
/// equal.
std::string describeDifference(WeftTensor *got, WeftTensor *expected, Tolerances tolerances);

/// One line for each tensor that differs or that only one side has.
std::vector<std::string> describeDifferences(const std::vector<NamedTensor> &got,
                                             const std::vector<NamedTensor> &expected, Tolerances tolerances);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_LAUNCHER_COMPARE_H
