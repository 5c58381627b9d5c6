// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linear_attention against plain loops, on memory that ends at a page which must not be touched.
#include "test/compiler/Target/CPU/KernelTest.h"

using namespace weft::test;

namespace {

using EmitLinearAttention = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitLinearAttention, ::testing::Values(512, 256));

constexpr int64_t kColumns = 48, kBatch = 2;

struct Sizes {
  int64_t length, queryHeads, heads, width, valueWidth;
};

/// A decay of each row of the state and one rate for all heads. `width` is a number, or "?".
std::string kernel(const std::string &width, const std::string &element) {
  auto type = [&](const std::string &dims) { return "memref<" + dims + "x" + element + ">"; };
  std::string ofKeys = type("?x?x?x" + width), ofValues = type("?x?x?x?"),
              ofState = type("?x?x" + width + "x?"), rate = type("?x?x1x1");
  return "weft.kernel @k(%t: index, %q: " + ofKeys + ", %k: " + ofKeys + ", %v: " + ofValues +
         ", %s: " + ofState + ", %d: " + ofKeys + ", %r: " + rate + ", %y: " + ofValues + ", %f: " + ofState +
         ") attributes {schedule = {columns = 48 : i64}} { weft.linear_attention_tile ins(%q, %k, %v, %s : " +
         ofKeys + ", " + ofKeys + ", " + ofValues + ", " + ofState + ") decay(%d : " + ofKeys +
         ") rate(%r : " + rate + ") outs(%y, %f : " + ofValues + ", " + ofState + ") weft.yield }";
}

/// What the operation's description says, in doubles; the state is changed in place.
template <typename T> struct Reference {
  const Sizes &sizes;
  const Array<T> &query, &key, &value, &decay, &rate;
  std::vector<double> state, result;

  void run() {
    for (int64_t position = 0; position < kBatch * sizes.length; ++position)
      for (int64_t head = 0; head < sizes.heads; ++head)
        for (int64_t column = 0; column < sizes.valueWidth; ++column)
          advance(position, head, column);
  }

  void advance(int64_t position, int64_t head, int64_t column) {
    int64_t row = position * sizes.heads + head, batch = position / sizes.length;
    auto at = [&](int64_t i) -> double & {
      return state[((batch * sizes.heads + head) * sizes.width + i) * sizes.valueWidth + column];
    };
    double held = 0;
    for (int64_t i = 0; i < sizes.width; ++i) {
      at(i) *= decay[row * sizes.width + i];
      held += key[row * sizes.width + i] * at(i);
    }
    double update = rate[position] * (value[row * sizes.valueWidth + column] - held);
    for (int64_t i = 0; i < sizes.width; ++i)
      at(i) += key[row * sizes.width + i] * update;
    int64_t group = sizes.queryHeads / sizes.heads;
    for (int64_t other = 0; other < group; ++other) {
      int64_t queryRow = position * sizes.queryHeads + head * group + other;
      for (int64_t i = 0; i < sizes.width; ++i)
        result[queryRow * sizes.valueWidth + column] += query[queryRow * sizes.width + i] * at(i);
    }
  }
};

template <typename T> void runSizes(KernelRunner &runner, const Sizes &sizes, double tolerance) {
  int64_t length = sizes.length, heads = sizes.heads;
  Array<T> query({kBatch, length, sizes.queryHeads, sizes.width}), key({kBatch, length, heads, sizes.width}),
      value({kBatch, length, heads, sizes.valueWidth}), state({kBatch, heads, sizes.width, sizes.valueWidth}),
      decay({kBatch, length, heads, sizes.width}), rate({kBatch, length, 1, 1}),
      result({kBatch, length, sizes.queryHeads, sizes.valueWidth}),
      final({kBatch, heads, sizes.width, sizes.valueWidth});
  unsigned seed = unsigned(length + sizes.valueWidth);
  for (const Array<T> *array : {&query, &key, &value, &state, &decay})
    fillRandom(*array, seed++);
  fillRandom(rate, seed, 0, 0.1);
  Reference<T> expected{sizes, query, key, value, decay, rate, {}, std::vector<double>(result.count())};
  expected.state.assign(state.data(), state.data() + state.count());
  expected.run();
  runner.run(kBatch * heads * ceilDiv(sizes.valueWidth, kColumns),
             {&query, &key, &value, &state, &decay, &rate, &result, &final});
  for (int64_t i = 0; i < result.count(); ++i)
    ASSERT_NEAR(result[i], expected.result[i], tolerance) << "at " << i << " of " << result.count();
  for (int64_t i = 0; i < final.count(); ++i)
    ASSERT_NEAR(final[i], expected.state[i], tolerance) << "at " << i << " of the state";
}

TEST_P(EmitLinearAttention, StatesOnTheStack) {
  auto runner = compile(kernel("16", "f32"));
  ASSERT_TRUE(runner);
  for (int64_t valueWidth : {1, 15, 16, 32, 48, 49, 64, 100})
    for (int64_t length : {0, 1, 4})
      runSizes<float>(*runner, {length, 2, 2, 16, valueWidth}, 1e-4);
  runSizes<float>(*runner, {3, 6, 2, 16, 33}, 1e-4);
}

TEST_P(EmitLinearAttention, StatesOfAnyWidth) {
  auto runner = compile(kernel("?", "f32"));
  ASSERT_TRUE(runner);
  for (int64_t width : {0, 1, 7, 16})
    for (int64_t valueWidth : {0, 1, 33, 64})
      runSizes<float>(*runner, {3, 3, 1, width, valueWidth}, 1e-4);
}

TEST_P(EmitLinearAttention, Doubles) {
  auto onStack = compile(kernel("5", "f64")), tooWide = compile(kernel("257", "f64"));
  ASSERT_TRUE(onStack && tooWide);
  runSizes<double>(*onStack, {4, 2, 1, 5, 50}, 1e-12);
  runSizes<double>(*tooWide, {2, 2, 1, 257, 17}, 1e-10);
}

TEST_P(EmitLinearAttention, NoQueryHeadsChangeTheState) {
  auto runner = compile(kernel("?", "f32"));
  ASSERT_TRUE(runner);
  runSizes<float>(*runner, {3, 0, 2, 4, 9}, 1e-4);
}

} // namespace
