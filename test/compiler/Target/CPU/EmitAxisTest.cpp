// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arg_reduce and scan along the middle of [outer, axis, inner], against plain loops.
#include "test/compiler/Target/CPU/KernelTest.h"

using namespace weft::test;

namespace {

using EmitAxis = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitAxis, ::testing::Values(512, 256));

constexpr int64_t kRows = 3, kColumns = 32;
const int64_t kSizes[] = {1, 5, 15, 16, 17, 33, 70};

/// `inner` is a number, or "?".
std::string memref(const std::string &inner, const std::string &element) {
  return "memref<?x?x" + inner + "x" + element + ">";
}

int64_t gridOf(const Shape &shape) { return ceilDiv(shape[0], kRows) * ceilDiv(shape[2], kColumns); }

std::string argKernel(const std::string &inner, const std::string &element, bool isMax,
                      const std::string &flags) {
  std::string in = memref(inner, element), out = "memref<?x" + inner + "xi64>";
  return "weft.kernel @k(%t: index, %a: " + in + ", %out: " + out +
         ") attributes {schedule = {rows = 3 : i64, columns = 32 : i64}} { weft.arg_reduce_tile %a, %out "
         "{kind = " +
         (isMax ? "2" : "3") + " : i32" + flags + "} : (" + in + ", " + out + ") -> () weft.yield }";
}

/// The place of the best of `count` elements, `stride` apart; a NaN is better than any number.
template <typename T> int64_t bestOf(const T *x, int64_t count, int64_t stride, bool isMax, bool last) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; ++i) {
    T now = x[i * stride], then = x[best * stride];
    bool isNaN = now != now, wasNaN = then != then;
    bool wins = isNaN ? !wasNaN : !wasNaN && (isMax ? now > then : now < then);
    bool ties = isNaN ? wasNaN : now == then;
    if (wins || (last && ties))
      best = i;
  }
  return best;
}

template <typename T>
void runArg(KernelRunner &runner, const Shape &shape, bool isMax, bool last, bool withNaN) {
  Array<T> in(shape);
  Array<int64_t> out({shape[0], shape[2]});
  fillRandom(in, unsigned(shape[1] + shape[2]), 0, 6); // few values, so that they are equal often
  for (int64_t i = 0; i < in.count(); ++i)
    in[i] = T(int64_t(in[i]));
  if constexpr (std::is_floating_point_v<T>)
    for (int64_t i = 3; withNaN && i < in.count(); i += 7)
      in[i] = std::numeric_limits<T>::quiet_NaN();
  runner.run(gridOf(shape), {&in, &out});
  forEach({shape[0], shape[2]}, [&](const Shape &at, int64_t number) {
    const T *x = in.data() + at[0] * shape[1] * shape[2] + at[1];
    EXPECT_EQ(out[number], bestOf(x, shape[1], shape[2], isMax, last))
        << "at " << at[0] << ", " << at[1] << " of " << shape[1] << " x " << shape[2];
  });
}

TEST_P(EmitAxis, ArgReduceOfRows) {
  for (bool isMax : {true, false})
    for (bool last : {true, false}) {
      auto runner = compile(argKernel("1", "f32", isMax, last ? ", last" : ""));
      ASSERT_TRUE(runner);
      for (int64_t size : kSizes)
        for (int64_t outer : {0, 1, 3, 4}) {
          runArg<float>(*runner, {outer, size, 1}, isMax, last, false);
          runArg<float>(*runner, {outer, size, 1}, isMax, last, true);
        }
    }
}

TEST_P(EmitAxis, ArgReduceOfColumns) {
  for (bool last : {true, false}) {
    auto runner = compile(argKernel("?", "f64", true, last ? ", last" : ""));
    ASSERT_TRUE(runner);
    for (int64_t size : kSizes)
      for (int64_t axis : {1, 2, 9})
        runArg<double>(*runner, {4, axis, size}, true, last, true);
    runArg<double>(*runner, {4, 3, 0}, true, last, false);
  }
}

TEST_P(EmitAxis, ArgReduceOfIntegers) {
  for (const char *inner : {"1", "?"}) {
    auto bytes = compile(argKernel(inner, "i8", true, ", is_unsigned"));
    auto words = compile(argKernel(inner, "i32", false, ""));
    ASSERT_TRUE(bytes && words);
    for (int64_t size : kSizes) {
      Shape shape = *inner == '1' ? Shape{2, size, 1} : Shape{2, 5, size};
      runArg<uint8_t>(*bytes, shape, true, false, false);
      runArg<int32_t>(*words, shape, false, false, false);
    }
  }
  // 200 is greater than 100 only without a sign.
  auto bytes = compile(argKernel("1", "i8", true, ", is_unsigned"));
  Array<uint8_t> in({1, 2, 1});
  Array<int64_t> out({1, 1});
  in[0] = 100, in[1] = 200;
  bytes->run(1, {&in, &out});
  EXPECT_EQ(out[0], 1);
}

std::string scanKernel(const std::string &inner, const std::string &element, const std::string &flags,
                       bool isProduct = false) {
  std::string type = memref(inner, element);
  return "weft.kernel @k(%t: index, %a: " + type + ", %out: " + type +
         ") attributes {schedule = {rows = 3 : i64, columns = 32 : i64}} { weft.scan_tile %a, %out {kind = " +
         (isProduct ? "4" : "0") + " : i32" + flags + "} : (" + type + ", " + type + ") -> () weft.yield }";
}

/// Sums and products in the element type, in the kernel's order, are the same to the last bit.
template <typename T>
void runScan(KernelRunner &runner, const Shape &shape, bool exclusive, bool reverse, bool isProduct = false) {
  Array<T> in(shape), out(shape);
  fillRandom(in, unsigned(shape[1] + shape[2]), -100, 100);
  runner.run(gridOf(shape), {&in, &out});
  forEach({shape[0], shape[2]}, [&](const Shape &at, int64_t) {
    T before = isProduct;
    for (int64_t step = 0; step < shape[1]; ++step) {
      int64_t i = reverse ? shape[1] - 1 - step : step;
      int64_t place = (at[0] * shape[1] + i) * shape[2] + at[1];
      T after = T(isProduct ? before * in[place] : before + in[place]);
      EXPECT_EQ(out[place], exclusive ? before : after) << "at " << at[0] << ", " << i << ", " << at[1];
      before = after;
    }
  });
}

TEST_P(EmitAxis, Scan) {
  for (const char *inner : {"1", "?"})
    for (bool exclusive : {true, false})
      for (bool reverse : {true, false}) {
        std::string flags = std::string(exclusive ? ", exclusive" : "") + (reverse ? ", reverse" : "");
        auto runner = compile(scanKernel(inner, "f32", flags));
        ASSERT_TRUE(runner);
        for (int64_t size : kSizes)
          for (int64_t outer : {0, 1, 4})
            runScan<float>(*runner, *inner == '1' ? Shape{outer, size, 1} : Shape{outer, 3, size}, exclusive,
                           reverse);
        runScan<float>(*runner, *inner == '1' ? Shape{2, 0, 1} : Shape{2, 3, 0}, exclusive, reverse);
      }
}

TEST_P(EmitAxis, ScanOfIntegersWraps) {
  auto runner = compile(scanKernel("?", "i8", ""));
  ASSERT_TRUE(runner);
  for (int64_t size : kSizes)
    runScan<int8_t>(*runner, {2, 9, size}, false, false);
}

TEST_P(EmitAxis, ScanOfProducts) {
  for (const char *inner : {"1", "?"}) {
    auto floats = compile(scanKernel(inner, "f32", ", exclusive", /*isProduct=*/true));
    auto bytes = compile(scanKernel(inner, "i8", ", reverse", /*isProduct=*/true));
    ASSERT_TRUE(floats && bytes);
    for (int64_t size : kSizes) {
      Shape shape = *inner == '1' ? Shape{3, size, 1} : Shape{3, 5, size};
      runScan<float>(*floats, shape, true, false, true);
      runScan<int8_t>(*bytes, shape, false, true, true);
    }
  }
}

} // namespace
