// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Root mean square normalization, and softmax that gives zeros for rows of minus infinities, against plain
// loops in double.
#include "test/compiler/Target/CPU/KernelTest.h"

using namespace weft::test;

namespace {

using EmitRMSNorm = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitRMSNorm, ::testing::Values(512, 256));

constexpr int64_t kRows = 3;
const int64_t kWidths[] = {0, 1, 5, 15, 16, 17, 64, 65, 200};
const std::string kSchedule = ") attributes {schedule = {rows = 3 : i64}} {";

template <typename T> void runNorm(KernelRunner &runner, int64_t rows, int64_t width, double epsilon) {
  Array<T> in({rows, width}), scale({width}), out({rows, width});
  fillRandom(in, 1, -3, 5);
  fillRandom(scale, 2);
  runner.run(ceilDiv(rows, kRows), {&in, &scale, &out});
  for (int64_t row = 0; row < rows; ++row) {
    double squares = 0;
    for (int64_t i = 0; i < width; ++i)
      squares += double(in[row * width + i]) * in[row * width + i] / width;
    for (int64_t i = 0; i < width; ++i)
      EXPECT_NEAR(out[row * width + i], in[row * width + i] / std::sqrt(squares + epsilon) * scale[i], 1e-5)
          << "row " << row << ", element " << i << " of " << width;
  }
}

std::string normKernel(const std::string &element) {
  std::string matrix = "memref<?x?x" + element + ">", row = "memref<?x" + element + ">";
  return "weft.kernel @k(%t: index, %a: " + matrix + ", %scale: " + row + ", %out: " + matrix + kSchedule +
         " weft.rms_norm_tile %a, %scale, %out {epsilon = 0.5 : f32} : (" + matrix + ", " + row + ", " +
         matrix + ") -> () weft.yield }";
}

} // namespace

TEST_P(EmitRMSNorm, F32) {
  auto runner = compile(normKernel("f32"));
  ASSERT_TRUE(runner);
  for (int64_t rows : {0, 1, 2, 3, 4, 7})
    for (int64_t width : kWidths)
      runNorm<float>(*runner, rows, width, 0.5);
}

TEST_P(EmitRMSNorm, F64) {
  auto runner = compile(normKernel("f64"));
  ASSERT_TRUE(runner);
  for (int64_t width : kWidths)
    runNorm<double>(*runner, 7, width, 0.5);
}

TEST_P(EmitRMSNorm, SoftmaxOfEmptyRows) {
  std::string type = "memref<?x?xf32>";
  auto runner = compile("weft.kernel @k(%t: index, %a: " + type + ", %out: " + type + kSchedule +
                        " weft.softmax_tile %a, %out {zero_empty_rows} : (" + type + ", " + type +
                        ") -> () weft.yield }");
  ASSERT_TRUE(runner);
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  for (int64_t width : kWidths) {
    if (width == 0)
      continue;
    Array<float> in({4, width}), out({4, width});
    fillRandom(in, 1);
    for (int64_t i = 0; i < width; ++i) {
      in[i] = kNothing;                                   // nothing kept: zeros
      in[width + i] = i + 1 == width ? -1e30f : kNothing; // one kept, however small: 1
      in[2 * width + i] = i == 0 ? NAN : kNothing;        // NaN is no exclusion
    }
    runner->run(ceilDiv(4, kRows), {&in, &out});
    double sum = 0;
    for (int64_t i = 0; i < width; ++i) {
      EXPECT_EQ(out[i], 0);
      EXPECT_EQ(out[width + i], i + 1 == width ? 1 : 0);
      EXPECT_TRUE(std::isnan(out[2 * width + i]));
      sum += out[3 * width + i];
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}
