// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of kernels share: both vector widths, random arrays, loops over positions.
#ifndef WEFT_TEST_COMPILER_TARGET_CPU_KERNELTEST_H
#define WEFT_TEST_COMPILER_TARGET_CPU_KERNELTEST_H

#include "test/compiler/Target/CPU/KernelRunner.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace weft::test {

using Shape = std::vector<int64_t>;

/// Runs with vectors of 512 and of 256 bits.
class KernelTest : public ::testing::TestWithParam<int64_t> {
protected:
  void SetUp() override {
    if (!canRun(GetParam()))
      GTEST_SKIP() << "this processor has no vectors of " << GetParam() << " bits";
  }
  std::unique_ptr<KernelRunner> compile(const std::string &kernel) {
    auto runner = KernelRunner::compile(kernel, GetParam());
    if (!runner)
      ADD_FAILURE() << "does not compile: " << kernel;
    return runner;
  }
};

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

template <typename T>
void fillRandom(const Array<T> &array, unsigned seed, double low = -1, double high = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  for (int64_t i = 0; i < array.count(); ++i)
    array[i] = T(uniform(generator));
}

/// Calls visit(position, number) for each position of the shape, in row-major order.
inline void forEach(const Shape &shape, const std::function<void(const Shape &, int64_t)> &visit) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Shape position(shape.size());
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number;
    for (size_t i = shape.size(); i-- > 0;) {
      position[i] = rest % shape[i];
      rest /= shape[i];
    }
    visit(position, number);
  }
}

} // namespace weft::test

#endif // WEFT_TEST_COMPILER_TARGET_CPU_KERNELTEST_H
