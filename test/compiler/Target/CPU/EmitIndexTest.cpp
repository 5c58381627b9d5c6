// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scatter and top_k, against plain loops.
#include "test/compiler/Target/CPU/KernelTest.h"
#include <algorithm>
#include <numeric>

using namespace weft::test;

namespace {
using EmitIndex = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitIndex, ::testing::Values(512, 256));

constexpr int64_t kColumns = 24, kRows = 3;
} // namespace

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

static std::string scatterKernel(const std::string &element, int kind, const std::string &more = "") {
  std::string matrix = "memref<?x?x" + element + ">";
  return "weft.kernel @k(%t: index, %p: memref<?xi64>, %u: " + matrix + ", %out: " + matrix +
         ") attributes {schedule = {columns = 24 : i64}} { weft.scatter_tile %p, %u, %out {kind = " +
         std::to_string(kind) + " : i32" + more + "} : (memref<?xi64>, " + matrix + ", " + matrix +
         ") -> () weft.yield }";
}

template <typename T>
static void checkScatter(KernelRunner &runner, T (*combine)(T old, T update), double low, double high) {
  for (int64_t inner : {0, 1, 15, 23, 24, 25, 53, 97})
    for (int64_t count : {0, 1, 11}) {
      Array<int64_t> places({count});
      Array<T> updates({count, inner}), out({5, inner});
      fillRandom(updates, 1, low, high);
      fillRandom(out, 2, low, high);
      for (int64_t i = 0; i < count; ++i) // some twice; two outside, which are skipped
        places[i] = i == 3 ? 5 : i == 4 ? -1 : i * 3 % 5;
      std::vector<T> expected(out.data(), out.data() + out.count());
      for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < inner && places[i] >= 0 && places[i] < 5; ++j) {
          T &element = expected[places[i] * inner + j];
          element = combine(element, updates[i * inner + j]);
        }
      runner.run(ceilDiv(inner, kColumns), {&places, &updates, &out});
      for (int64_t i = 0; i < out.count(); ++i)
        EXPECT_EQ(out[i], expected[i]) << "inner " << inner << ", count " << count << ", element " << i;
    }
}

TEST_P(EmitIndex, ScatterOfFloats) {
  float (*functions[])(float, float) = {[](float, float update) { return update; },
                                        [](float old, float update) { return old + update; },
                                        [](float old, float update) { return old * update; },
                                        [](float old, float update) { return std::min(old, update); },
                                        [](float old, float update) { return std::max(old, update); }};
  for (int kind = 0; kind < 5; ++kind) {
    SCOPED_TRACE(kind);
    auto runner = compile(scatterKernel("f32", kind));
    ASSERT_TRUE(runner);
    checkScatter<float>(*runner, functions[kind], -1, 1);
  }
}

TEST_P(EmitIndex, ScatterOfIntegers) {
  auto add = compile(scatterKernel("i8", 1)), least = compile(scatterKernel("i16", 3)),
       greatest = compile(scatterKernel("i8", 4, ", is_unsigned")),
       replace = compile(scatterKernel("i64", 0));
  ASSERT_TRUE(add && least && greatest && replace);
  checkScatter<int8_t>(*add, [](int8_t a, int8_t b) { return int8_t(a + b); }, -128, 127);
  checkScatter<int16_t>(*least, [](int16_t a, int16_t b) { return std::min(a, b); }, -3000, 3000);
  checkScatter<uint8_t>(*greatest, [](uint8_t a, uint8_t b) { return std::max(a, b); }, 0, 255);
  checkScatter<int64_t>(*replace, [](int64_t, int64_t b) { return b; }, -1e18, 1e18);
}

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

static std::string topKKernel(const std::string &element, const std::string &attributes) {
  std::string in = "memref<?x?x?x" + element + ">", out = "memref<?x?x?xi64>";
  return "weft.kernel @k(%t: index, %a: " + in + ", %out: " + out +
         ") attributes {schedule = {rows = 3 : i64}} { weft.top_k_tile %a, %out " + attributes + " : (" + in +
         ", " + out + ") -> () weft.yield }";
}

template <typename T> static bool isLess(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return !std::isnan(a);
  return a < b;
}

template <typename T>
static void checkTopK(KernelRunner &runner, const Array<T> &in, int64_t count, bool largest) {
  int64_t size = in.shape[1], inner = in.shape[2];
  Array<int64_t> out({in.shape[0], count, inner});
  runner.run(ceilDiv(in.shape[0] * inner, kRows), {&in, &out});
  for (int64_t row = 0; row < in.shape[0] * inner; ++row) {
    auto element = [&](int64_t i) { return in[(row / inner * size + i) * inner + row % inner]; };
    std::vector<int64_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t left, int64_t right) { // of equals the first
      auto a = element(largest ? right : left), b = element(largest ? left : right);
      return isLess(a, b) || (!isLess(b, a) && left < right);
    });
    for (int64_t i = 0; i < count; ++i)
      EXPECT_EQ(out[(row / inner * count + i) * inner + row % inner], order[i])
          << "of " << size << ", row " << row << ", place " << i;
  }
}

/// Few different elements, so that many are equal; and what is special about floats.
template <typename T> static void fill(const Array<T> &array, bool isSpecial) {
  fillRandom(array, 1, std::is_unsigned_v<T> ? 0 : -9, 9);
  for (int64_t i = 0; i < array.count(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      const T special[] = {T(NAN), T(INFINITY), T(-INFINITY), T(0), T(-0.0), T(-NAN), T(1e-40)};
      array[i] = isSpecial && i % 3 == 0 ? special[i % 7] : std::round(array[i]);
    } else if (i % 5 == 0) {
      array[i] = i % 2 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    }
  }
}

template <typename T> static void checkSizes(KernelRunner &runner, bool largest) {
  for (int64_t size : {0, 1, 2, 7, 64, 131})
    for (int64_t count : {int64_t(0), int64_t(1), int64_t(2), int64_t(5), size})
      for (int64_t inner : {1, 4}) {
        if (count > size)
          continue;
        Array<T> in({2, size, inner});
        fill(in, size % 2 == 1);
        checkTopK(runner, in, count, largest);
      }
}

TEST_P(EmitIndex, TopK) {
  for (bool largest : {true, false}) {
    std::string attributes = largest ? "{largest}" : "",
                natural = largest ? "{largest, is_unsigned}" : "{is_unsigned}";
    auto f32 = compile(topKKernel("f32", attributes)), f64 = compile(topKKernel("f64", attributes)),
         i8 = compile(topKKernel("i8", attributes)), i64 = compile(topKKernel("i64", attributes)),
         ui8 = compile(topKKernel("i8", natural)), ui64 = compile(topKKernel("i64", natural));
    ASSERT_TRUE(f32 && f64 && i8 && i64 && ui8 && ui64);
    checkSizes<float>(*f32, largest);
    checkSizes<double>(*f64, largest);
    checkSizes<int8_t>(*i8, largest);
    checkSizes<int64_t>(*i64, largest);
    checkSizes<uint8_t>(*ui8, largest);
    checkSizes<uint64_t>(*ui64, largest);
  }
}
