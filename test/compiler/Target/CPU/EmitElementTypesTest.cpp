// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of short floats and of integers, against plain loops: floats are rounded once, integers wrap.
#include "test/compiler/Target/CPU/KernelTest.h"
#include <cstring>

using namespace weft::test;

namespace {

/// The upper half of a float, to which it is rounded, ties to even.
struct BFloat16 {
  uint16_t bits;
  BFloat16() = default;
  explicit BFloat16(double value) {
    float single = float(value);
    uint32_t word;
    std::memcpy(&word, &single, sizeof word);
    bits = std::isnan(value) ? 0x7FC0 : uint16_t((word + 0x7FFF + (word >> 16 & 1)) >> 16);
  }
  operator double() const {
    uint32_t word = uint32_t(bits) << 16;
    float single;
    std::memcpy(&single, &word, sizeof single);
    return single;
  }
};
using Half = _Float16;

/// What a kernel's text says of a type: the element in memory, and the attribute that tells bf16 from i16.
template <typename T> const char *elementOf() {
  if constexpr (std::is_same_v<T, Half>)
    return "f16";
  else if constexpr (std::is_same_v<T, BFloat16>)
    return "i16";
  else
    return sizeof(T) == 1 ? "i8" : sizeof(T) == 2 ? "i16" : sizeof(T) == 4 ? "i32" : "i64";
}
template <typename T> constexpr bool isBF16 = std::is_same_v<T, BFloat16>;

/// Half of the distance between neighbours, relative to them; and just above 0.
template <typename T> constexpr double kRounding = isBF16<T> ? 0x1p-8 : 0x1p-11;
template <typename T> constexpr double kLeast = isBF16<T> ? 1e-38 : 0x1p-25;

/// Whether a value is the expected one rounded once, where f32 arithmetic has an error of `error` too.
template <typename T> void expectRounded(double actual, double expected, double error, int64_t where) {
  if (std::isnan(expected) || std::isinf(expected)) {
    EXPECT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == expected)
        << "element " << where << " is " << actual;
    return;
  }
  EXPECT_NEAR(actual, expected, kRounding<T> * (std::fabs(expected) + error) + error + kLeast<T>)
      << "element " << where;
}

std::string type(const std::string &dims, const std::string &element) {
  return "memref<" + dims + "x" + element + ">";
}

template <typename T> std::string gemmKernel(const std::string &depth = "?", bool packed = false) {
  std::string a = type("?x" + depth, elementOf<T>()), c = type("?x?", elementOf<T>()),
              b = type(packed ? "?x" + depth + "x48" : depth + "x?", elementOf<T>());
  std::string attributes = std::string("{") + (packed ? "packed, " : "") + "weft.bf16}";
  if (!isBF16<T>)
    attributes = packed ? "{packed}" : "";
  return "weft.kernel @k(%t: index, %a: " + a + ", %b: " + b + ", %c: " + c +
         ") attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} { weft.gemm_tile ins(%a, %b : " +
         a + ", " + b + ") outs(%c : " + c + ")" + attributes + " weft.yield }";
}

template <typename T> Array<T> pack(const Array<T> &matrix) {
  int64_t depth = matrix.shape[0], columns = matrix.shape[1];
  Array<T> panels({ceilDiv(columns, 48), depth, 48});
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n)
      panels[(n / 48 * depth + k) * 48 + n % 48] = matrix[k * columns + n];
  return panels;
}

template <typename T>
void multiply(KernelRunner &runner, const Array<T> &lhs, const Array<T> &rhs, const Array<T> &out,
              bool packed) {
  int64_t grid = ceilDiv(out.shape[0], 64) * ceilDiv(out.shape[1], 48);
  if (packed) {
    Array<T> panels = pack(rhs);
    runner.run(grid, {&lhs, &panels, &out});
  } else {
    runner.run(grid, {&lhs, &rhs, &out});
  }
}

template <typename T>
void checkFloats(KernelRunner &runner, int64_t m, int64_t k, int64_t n, bool packed = false) {
  SCOPED_TRACE(::testing::Message() << elementOf<T>() << " " << m << " x " << k << " x " << n);
  Array<T> lhs({m, k}), rhs({k, n}), out({m, n});
  fillRandom(lhs, 1);
  fillRandom(rhs, 2);
  for (int64_t i = 0; i < m * k; ++i) // of a long sum the second half takes back what the first gave
    if (k > 1024 && i % k >= k / 2)
      lhs[i] = T(-double(lhs[i - k / 2]));
  for (int64_t i = 0; i < k * n; ++i)
    if (k > 1024)
      rhs[i] = T(i / n < k / 2 ? 2.0 : i / n == k - 1 ? 1.0 : 2.0);
  multiply(runner, lhs, rhs, out, packed);
  for (int64_t i = 0; i < out.count(); ++i) {
    double sum = 0, magnitude = 0;
    for (int64_t j = 0; j < k; ++j) {
      double product = double(lhs[i / n * k + j]) * double(rhs[j * n + i % n]);
      sum += product;
      magnitude += std::fabs(product);
    }
    expectRounded<T>(out[i], sum, 0x1p-23 * (2 + std::sqrt(double(k))) * magnitude, i);
  }
}

/// Sums modulo 2^bits.
template <typename T>
void checkIntegers(KernelRunner &runner, int64_t m, int64_t k, int64_t n, bool packed = false) {
  SCOPED_TRACE(::testing::Message() << elementOf<T>() << " " << m << " x " << k << " x " << n);
  Array<T> lhs({m, k}), rhs({k, n}), out({m, n});
  std::mt19937_64 random(1);
  for (const Array<T> *array : {&lhs, &rhs})
    for (int64_t i = 0; i < array->count(); ++i)
      (*array)[i] = T(random());
  multiply(runner, lhs, rhs, out, packed);
  int64_t wrong = 0;
  for (int64_t i = 0; i < out.count(); ++i) {
    uint64_t sum = 0;
    for (int64_t j = 0; j < k; ++j)
      sum += uint64_t(lhs[i / n * k + j]) * uint64_t(rhs[j * n + i % n]);
    wrong += out[i] != T(sum);
  }
  EXPECT_EQ(wrong, 0);
}

using EmitElementTypes = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitElementTypes, ::testing::Values(512, 256));

const std::string kRowSchedule = ") attributes {schedule = {rows = 3 : i64}} { ";

template <typename T>
std::string rowKernel(const std::string &op, std::string attributes, const std::string &outDims = "?x?") {
  std::string in = type("?x?", elementOf<T>()), out = type(outDims, elementOf<T>());
  if (isBF16<T>)
    attributes += attributes.empty() ? "weft.bf16" : ", weft.bf16";
  return "weft.kernel @k(%t: index, %a: " + in + ", %out: " + out + kRowSchedule + op + " %a, %out {" +
         attributes + "} : (" + in + ", " + out + ") -> () weft.yield }";
}

const int64_t kWidths[] = {0, 1, 5, 16, 17, 65, 200};

template <typename T> void checkSoftmax(KernelRunner &runner, bool log) {
  for (int64_t width : kWidths) {
    Array<T> in({7, width}), out(in.shape);
    fillRandom(in, 1, -9, 9);
    for (int64_t i = 0; i < width; ++i)
      in[i] = T(-INFINITY);
    if (width > 0)
      in[2 * width] = T(NAN);
    runner.run(3, {&in, &out});
    for (int64_t row = 0; row < 7; ++row) {
      const T *x = in.data() + row * width;
      double maximum = -INFINITY, sum = 0;
      for (int64_t i = 0; i < width; ++i)
        maximum = std::isnan(double(x[i])) ? double(x[i]) : std::fmax(maximum, x[i]);
      for (int64_t i = 0; i < width; ++i)
        sum += std::exp(x[i] - maximum);
      for (int64_t i = 0; i < width; ++i)
        expectRounded<T>(out[row * width + i],
                         log ? x[i] - maximum - std::log(sum) : std::exp(x[i] - maximum) / sum, 4e-6,
                         row * width + i);
    }
  }
}

template <typename T> void checkLayerNorm(KernelRunner &runner) {
  for (int64_t width : kWidths) {
    Array<T> in({7, width}), scale({width}), bias({width}), out(in.shape);
    fillRandom(in, 1, 4, 6);
    fillRandom(scale, 2);
    fillRandom(bias, 3);
    runner.run(3, {&in, &scale, &bias, &out});
    for (int64_t i = 0; i < in.count(); ++i) {
      const T *row = in.data() + i / width * width;
      double mean = 0, variance = 0;
      for (int64_t j = 0; j < width; ++j)
        mean += double(row[j]) / width;
      for (int64_t j = 0; j < width; ++j)
        variance += std::pow(row[j] - mean, 2) / width;
      // Normalized numbers are rounded before they are scaled.
      double normalized = (in[i] - mean) / std::sqrt(variance + 1e-5), factor = scale[i % width];
      expectRounded<T>(out[i], normalized * factor + bias[i % width],
                       1e-5 + kRounding<T> * std::fabs(normalized * factor), i);
    }
  }
}

template <typename T> void checkReduce(KernelRunner &runner, const std::string &kind) {
  for (int64_t width : kWidths) {
    Array<T> in({7, width}), out({7});
    fillRandom(in, 1, 0.9, 1.1);
    if (width > 3)
      in[width + 3] = T(NAN);
    runner.run(3, {&in, &out});
    for (int64_t row = 0; row < 7; ++row) {
      double result = kind == "prod" ? 1 : kind == "max" ? -INFINITY : kind == "min" ? INFINITY : 0;
      for (int64_t i = 0; i < width; ++i) {
        double x = in[row * width + i];
        result = kind == "prod"  ? result * x
                 : kind == "max" ? (std::isnan(x) || x > result ? x : result)
                 : kind == "min" ? (std::isnan(x) || x < result ? x : result)
                                 : result + x;
      }
      expectRounded<T>(out[row], kind == "mean" ? result / width : result, 1e-5 * std::fmax(1, width), row);
    }
  }
}

} // namespace

TEST_P(EmitElementTypes, ShortFloatProducts) {
  auto f16 = compile(gemmKernel<Half>()), bf16 = compile(gemmKernel<BFloat16>());
  ASSERT_TRUE(f16 && bf16);
  for (int64_t m : {0, 1, 7, 9, 65})
    for (int64_t n : {0, 1, 8, 17, 47, 48, 50, 97})
      for (int64_t k : {0, 1, 13}) {
        checkFloats<Half>(*f16, m, k, n);
        checkFloats<BFloat16>(*bf16, m, k, n);
      }
}

/// What would be rounded between blocks of 1024 is far greater than the sum.
TEST_P(EmitElementTypes, DeepShortFloatProducts) {
  auto f16 = compile(gemmKernel<Half>()), bf16 = compile(gemmKernel<BFloat16>("2050", true));
  ASSERT_TRUE(f16 && bf16);
  checkFloats<Half>(*f16, 5, 2050, 53);
  checkFloats<BFloat16>(*bf16, 5, 2050, 53, true);
}

TEST_P(EmitElementTypes, IntegerProducts) {
  auto i8 = compile(gemmKernel<int8_t>()), i16 = compile(gemmKernel<int16_t>()),
       i32 = compile(gemmKernel<int32_t>("?", true)), i64 = compile(gemmKernel<int64_t>());
  ASSERT_TRUE(i8 && i16 && i32 && i64);
  for (int64_t m : {0, 1, 7, 9, 65})
    for (int64_t n : {0, 1, 7, 17, 48, 50, 97})
      for (int64_t k : {0, 1, 13, 1030}) {
        if (k > 1024 && m != 9)
          continue;
        checkIntegers<int8_t>(*i8, m, k, n);
        checkIntegers<int16_t>(*i16, m, k, n);
        checkIntegers<int32_t>(*i32, m, k, n, true);
        checkIntegers<int64_t>(*i64, m, k, n);
      }
}

TEST_P(EmitElementTypes, ShortFloatSoftmax) {
  for (bool log : {false, true}) {
    auto f16 = compile(rowKernel<Half>("weft.softmax_tile", log ? "log" : "")),
         bf16 = compile(rowKernel<BFloat16>("weft.softmax_tile", log ? "log" : ""));
    ASSERT_TRUE(f16 && bf16);
    checkSoftmax<Half>(*f16, log);
    checkSoftmax<BFloat16>(*bf16, log);
  }
}

TEST_P(EmitElementTypes, SoftmaxWithoutNaNForEmptyRows) {
  auto f32 = compile(
      "weft.kernel @k(%t: index, %a: memref<?x?xf32>, %out: memref<?x?xf32>" + kRowSchedule +
      "weft.softmax_tile %a, %out {zero_empty_rows} : (memref<?x?xf32>, memref<?x?xf32>) -> () weft.yield }");
  auto f16 = compile(rowKernel<Half>("weft.softmax_tile", "zero_empty_rows"));
  ASSERT_TRUE(f32 && f16);
  for (int64_t width : {1, 16, 19}) {
    Array<float> single({2, width}), singleOut({2, width});
    Array<Half> half({2, width}), halfOut({2, width});
    for (int64_t i = 0; i < width; ++i)
      half[i] = single[i] = -INFINITY; // the second row is 0 everywhere
    f32->run(1, {&single, &singleOut});
    f16->run(1, {&half, &halfOut});
    for (int64_t i = 0; i < 2 * width; ++i) {
      EXPECT_FLOAT_EQ(singleOut[i], i < width ? 0 : 1.0 / width);
      EXPECT_EQ(halfOut[i], i < width ? Half(0) : Half(1.0 / width));
    }
  }
}

TEST_P(EmitElementTypes, ShortFloatLayerNorm) {
  auto kernel = [](const std::string &element, const std::string &attribute) {
    std::string matrix = type("?x?", element), row = type("?", element);
    return "weft.kernel @k(%t: index, %a: " + matrix + ", %s: " + row + ", %b: " + row + ", %out: " + matrix +
           kRowSchedule + "weft.layer_norm_tile %a, %s, %b, %out {epsilon = 1.0e-5 : f32" + attribute +
           "} : (" + matrix + ", " + row + ", " + row + ", " + matrix + ") -> () weft.yield }";
  };
  auto f16 = compile(kernel("f16", "")), bf16 = compile(kernel("i16", ", weft.bf16"));
  ASSERT_TRUE(f16 && bf16);
  checkLayerNorm<Half>(*f16);
  checkLayerNorm<BFloat16>(*bf16);
}

TEST_P(EmitElementTypes, ShortFloatReductions) {
  int number = 0;
  for (std::string kind : {"sum", "mean", "max", "min", "prod"}) {
    SCOPED_TRACE(kind);
    std::string attribute = "kind = " + std::to_string(number++) + " : i32";
    auto f16 = compile(rowKernel<Half>("weft.reduce_tile", attribute, "?")),
         bf16 = compile(rowKernel<BFloat16>("weft.reduce_tile", attribute, "?"));
    ASSERT_TRUE(f16 && bf16);
    checkReduce<Half>(*f16, kind);
    checkReduce<BFloat16>(*bf16, kind);
  }
}
