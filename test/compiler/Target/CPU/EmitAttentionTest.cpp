// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention against plain loops in double: sizes around the tile's rows and the block of keys, grouped heads,
// a score region with captures, rows with nothing kept.
#include "test/compiler/Target/CPU/KernelTest.h"

using namespace weft::test;

namespace {

using EmitAttention = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitAttention, ::testing::Values(512, 256));

constexpr int64_t kRows = 5;

/// Sizes: batch, query heads, key heads, queries, keys, width of keys, width of values.
struct Sizes {
  int64_t b, h, g, n, m, d, e;
};

/// What a row's keys are: all, those up to the query, or none for the first query.
enum class Keep { All, Causal, AllButFirstRow };

std::string attentionKernel(const std::string &emptyRows, const std::string &score) {
  std::string matrix = "memref<?x?x?x?xf32>";
  return "weft.kernel @k(%t: index, %q: " + matrix + ", %k: " + matrix + ", %v: " + matrix +
         ", %bias: memref<?x1x?xf32>, %y: " + matrix +
         ") attributes {schedule = {rows = 5 : i64, columns = 48 : i64}} {"
         " weft.attention_tile ins(%q, %k, %v : " +
         matrix + ", " + matrix + ", " + matrix +
         ") captures(%bias : memref<?x1x?xf32>) outs(%y : " + matrix +
         ") scale(0.5) empty_rows(" + emptyRows +
         ") score { ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f32):"
         " %sum = arith.addf %s, %add : f32 " +
         score + " weft.yield %sum, %keep : f32, i1 } weft.yield }";
}

double scoreOf(const Sizes &s, const Array<float> &q, const Array<float> &k, const Array<float> &bias,
               int64_t b, int64_t h, int64_t i, int64_t j) {
  double sum = 0;
  int64_t group = h / (s.h / s.g);
  for (int64_t x = 0; x < s.d; ++x)
    sum += double(q[((b * s.h + h) * s.n + i) * s.d + x]) * k[((b * s.g + group) * s.d + x) * s.m + j];
  return 0.5 * sum + bias[h * s.m + j];
}

void runAttention(KernelRunner &runner, const Sizes &s, Keep keep, bool zeroEmptyRows) {
  Array<float> q({s.b, s.h, s.n, s.d}), k({s.b, s.g, s.d, s.m}), v({s.b, s.g, s.m, s.e}), bias({s.h, 1, s.m}),
      y({s.b, s.h, s.n, s.e});
  unsigned seed = 1;
  for (auto *array : {&q, &k, &v, &bias})
    fillRandom(*array, seed++, -2, 2);
  runner.run(s.b * s.g * ceilDiv(s.h / s.g * s.n, kRows), {&q, &k, &v, &bias, &y});
  forEach({s.b, s.h, s.n, s.e}, [&](const Shape &at, int64_t number) {
    double sum = 0, weights = 0;
    for (int64_t j = 0; j < s.m; ++j) {
      if ((keep == Keep::Causal && j > at[2]) || (keep == Keep::AllButFirstRow && at[2] == 0))
        continue;
      double weight = std::exp(scoreOf(s, q, k, bias, at[0], at[1], at[2], j));
      weights += weight;
      sum += weight * v[((at[0] * s.g + at[1] / (s.h / s.g)) * s.m + j) * s.e + at[3]];
    }
    bool isEmpty = weights == 0;
    if (isEmpty && s.m > 0 && !zeroEmptyRows)
      EXPECT_TRUE(std::isnan(y[number])) << number;
    else
      EXPECT_NEAR(y[number], isEmpty ? 0 : sum / weights, 1e-5) << number << " of " << s.n << " x " << s.m;
  });
}

} // namespace

TEST_P(EmitAttention, SizesAroundTiles) {
  auto runner = compile(attentionKernel("nan", "%keep = arith.constant true"));
  ASSERT_TRUE(runner);
  for (int64_t n : {0, 1, 4, 5, 6, 11})
    for (int64_t m : {0, 1, 17, 47, 48, 49, 97, 145})
      runAttention(*runner, {1, 2, 2, n, m, 7, 19}, Keep::All, false);
  for (int64_t d : {1, 8, 16, 17})
    for (int64_t e : {1, 16, 32, 48, 49, 80})
      runAttention(*runner, {2, 1, 1, 3, 50, d, e}, Keep::All, false);
}

TEST_P(EmitAttention, GroupedHeadsAndPlaces) {
  auto runner = compile(attentionKernel("nan", "%keep = arith.cmpi sle, %j, %i : index"));
  ASSERT_TRUE(runner);
  for (int64_t g : {1, 2, 3, 6})
    runAttention(*runner, {2, 6, g, 7, 60, 5, 3}, Keep::Causal, false);
}

TEST_P(EmitAttention, RowsWithNothingKept) {
  std::string score = "%zero = arith.constant 0 : index %keep = arith.cmpi ne, %i, %zero : index";
  for (bool zero : {false, true}) {
    auto runner = compile(attentionKernel(zero ? "zero" : "nan", score));
    ASSERT_TRUE(runner);
    for (int64_t m : {0, 1, 48, 100})
      runAttention(*runner, {1, 2, 1, 3, m, 4, 6}, Keep::AllButFirstRow, zero);
  }
}
