// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// softmax, layer normalization, reductions and gather, against plain loops in double.
#include "test/compiler/Target/CPU/KernelTest.h"

using namespace weft::test;

namespace {

using EmitRowwise = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitRowwise, ::testing::Values(512, 256));

constexpr int64_t kRows = 3;
const int64_t kWidths[] = {0, 1, 5, 15, 16, 17, 64, 65, 200};
const std::string kSchedule = ") attributes {schedule = {rows = 3 : i64}} {";
const float kInfinity = std::numeric_limits<float>::infinity();

template <typename T> void expectNear(const Array<T> &actual, int64_t i, double expected, double tolerance) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(double(actual[i]))) << "element " << i << " is " << double(actual[i]);
  else if (std::isinf(expected))
    EXPECT_EQ(actual[i], expected) << "element " << i;
  else
    EXPECT_NEAR(actual[i], expected, tolerance) << "element " << i;
}

std::string softmaxKernel(const std::string &element, bool log) {
  std::string type = "memref<?x?x" + element + ">";
  return "weft.kernel @k(%t: index, %a: " + type + ", %out: " + type + kSchedule +
         " weft.softmax_tile %a, %out " + (log ? "{log}" : "") + " : (" + type + ", " + type +
         ") -> () weft.yield }";
}

template <typename T> void runSoftmax(KernelRunner &runner, const Array<T> &in, bool log) {
  int64_t rows = in.shape[0], width = in.shape[1];
  Array<T> out(in.shape);
  runner.run(ceilDiv(rows, kRows), {&in, &out});
  for (int64_t row = 0; row < rows; ++row) {
    const T *x = in.data() + row * width;
    double maximum = -kInfinity, sum = 0;
    for (int64_t i = 0; i < width; ++i)
      maximum = std::isnan(x[i]) || x[i] > maximum ? x[i] : maximum;
    for (int64_t i = 0; i < width; ++i)
      sum += std::exp(x[i] - maximum);
    for (int64_t i = 0; i < width; ++i)
      expectNear(out, row * width + i, log ? x[i] - maximum - std::log(sum) : std::exp(x[i] - maximum) / sum,
                 log ? 2e-6 * (1 + std::fabs(x[i] - maximum)) : 5e-7);
  }
}

std::string reduceKernel(const std::string &element, const std::string &kind) {
  std::string in = "memref<?x?x" + element + ">", out = "memref<?x" + element + ">";
  int number = kind == "sum" ? 0 : kind == "mean" ? 1 : kind == "max" ? 2 : kind == "min" ? 3 : 4;
  return "weft.kernel @k(%t: index, %a: " + in + ", %out: " + out + kSchedule +
         " weft.reduce_tile %a, %out {kind = " + std::to_string(number) + " : i32} : (" + in + ", " + out +
         ") -> () weft.yield }";
}

/// The reduction of one row, as weft.reduce defines it.
template <typename T> double reduce(const std::string &kind, const T *x, int64_t width) {
  using Limits = std::numeric_limits<T>;
  double least = Limits::has_infinity ? -double(Limits::infinity()) : double(Limits::lowest());
  double greatest = Limits::has_infinity ? double(Limits::infinity()) : double(Limits::max());
  double result = kind == "prod" ? 1 : kind == "max" ? least : kind == "min" ? greatest : 0;
  for (int64_t i = 0; i < width; ++i) {
    double value = x[i];
    if (kind == "prod")
      result *= value;
    else if (kind == "max")
      result = std::isnan(value) || value > result ? value : result;
    else if (kind == "min")
      result = std::isnan(value) || value < result ? value : result;
    else
      result += value;
  }
  if (kind != "mean")
    return result;
  return std::is_floating_point_v<T> ? result / width : std::trunc(result / std::max<int64_t>(width, 1));
}

template <typename T> void runReduce(KernelRunner &runner, const std::string &kind, const Array<T> &in) {
  Array<T> out({in.shape[0]});
  runner.run(ceilDiv(in.shape[0], kRows), {&in, &out});
  for (int64_t row = 0; row < in.shape[0]; ++row)
    expectNear(out, row, reduce(kind, in.data() + row * in.shape[1], in.shape[1]), 1e-4);
}

} // namespace

TEST_P(EmitRowwise, Softmax) {
  for (bool log : {false, true}) {
    auto runner = compile(softmaxKernel("f32", log));
    ASSERT_TRUE(runner);
    for (int64_t width : kWidths) {
      Array<float> in({7, width});
      fillRandom(in, 1, -20, 20);
      runSoftmax(*runner, in, log);
    }
  }
}

TEST_P(EmitRowwise, SoftmaxOfInfinitiesAndNaN) {
  for (bool log : {false, true}) {
    auto runner = compile(softmaxKernel("f32", log));
    ASSERT_TRUE(runner);
    for (int64_t width : {1, 16, 37, 100}) {
      Array<float> in({4, width});
      fillRandom(in, 1);
      for (int64_t i = 0; i < width; ++i) {
        in[i] = -kInfinity;                      // nothing kept: NaN, as in PyTorch
        in[width + i] = i == 0 ? 3 : -kInfinity; // one kept: exactly 1
      }
      in[3 * width - 1] = NAN;
      in[3 * width + width / 2] = kInfinity;
      runSoftmax(*runner, in, log);
    }
  }
}

TEST_P(EmitRowwise, SoftmaxF64) {
  for (bool log : {false, true}) {
    auto runner = compile(softmaxKernel("f64", log));
    ASSERT_TRUE(runner);
    Array<double> in({4, 37});
    fillRandom(in, 1, -20, 20);
    runSoftmax(*runner, in, log);
  }
}

TEST_P(EmitRowwise, LayerNorm) {
  for (bool hasBias : {true, false}) {
    std::string bias = hasBias ? ", %bias" : "", biasType = hasBias ? ", memref<?xf32>" : "";
    auto runner =
        compile("weft.kernel @k(%t: index, %a: memref<?x?xf32>, %scale: memref<?xf32>, %bias: memref<?xf32>, "
                "%out: memref<?x?xf32>" +
                kSchedule + " weft.layer_norm_tile %a, %scale" + bias +
                ", %out {epsilon = 1.0e-5 : f32} : (memref<?x?xf32>, memref<?xf32>" + biasType +
                ", memref<?x?xf32>) -> () weft.yield }");
    ASSERT_TRUE(runner);
    for (int64_t width : kWidths) {
      Array<float> in({7, width}), scale({width}), bias({width}), out({7, width});
      fillRandom(in, 1, 9, 11); // far from zero: a one-pass variance would lose digits
      fillRandom(scale, 2);
      fillRandom(bias, 3);
      runner->run(ceilDiv(7, kRows), {&in, &scale, &bias, &out});
      for (int64_t row = 0; row < 7; ++row) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < width; ++i)
          mean += in[row * width + i] / width;
        for (int64_t i = 0; i < width; ++i)
          variance += std::pow(in[row * width + i] - mean, 2) / width;
        for (int64_t i = 0; i < width; ++i)
          expectNear(out, row * width + i,
                     (in[row * width + i] - mean) / std::sqrt(variance + 1e-5) * scale[i] +
                         (hasBias ? bias[i] : 0),
                     1e-5);
      }
    }
  }
}

TEST_P(EmitRowwise, ReduceFloats) {
  for (std::string kind : {"sum", "mean", "max", "min", "prod"}) {
    SCOPED_TRACE(kind);
    auto f32 = compile(reduceKernel("f32", kind)), f64 = compile(reduceKernel("f64", kind));
    ASSERT_TRUE(f32 && f64);
    for (int64_t width : kWidths) {
      Array<float> single({7, width});
      Array<double> twice({7, width});
      fillRandom(single, 1, 0.9, 1.1);
      fillRandom(twice, 1, 0.9, 1.1);
      if (width > 3)
        single[width + 3] = NAN;
      runReduce(*f32, kind, single);
      runReduce(*f64, kind, twice);
    }
  }
}

TEST_P(EmitRowwise, ReduceIntegers) {
  for (std::string kind : {"sum", "mean", "max", "min", "prod"}) {
    SCOPED_TRACE(kind);
    auto i32 = compile(reduceKernel("i32", kind)), i8 = compile(reduceKernel("i8", kind));
    ASSERT_TRUE(i32 && i8);
    for (int64_t width : kWidths) {
      Array<int32_t> words({7, width});
      Array<int8_t> bytes({7, width});
      for (int64_t i = 0; i < words.count(); ++i) {
        words[i] = kind == "prod" ? 1 - 2 * (i % 7 == 0) : i * 7919 % 2001 - 1500;
        bytes[i] = kind == "prod"                    ? 1 - 2 * (i % 7 == 0)
                   : kind == "sum" || kind == "mean" ? -(i % 11 == 0)
                                                     : i % 200 - 100;
      }
      runReduce(*i32, kind, words);
      runReduce(*i8, kind, bytes);
    }
  }
}

TEST_P(EmitRowwise, Gather) {
  auto runner =
      compile("weft.kernel @k(%t: index, %a: memref<?x?x?xf32>, %i: memref<?xi64>, %out: memref<?x?x?xf32>" +
              kSchedule +
              " weft.gather_tile %a, %i, %out : (memref<?x?x?xf32>, memref<?xi64>, memref<?x?x?xf32>) -> () "
              "weft.yield }");
  ASSERT_TRUE(runner);
  for (int64_t inner : {1, 16, 37}) {
    Array<float> data({2, 5, inner}), out({2, 7, inner});
    Array<int64_t> indices({7});
    fillRandom(data, 1);
    int64_t chosen[] = {0, 4, -1, -5, 2, 5, -6}; // the last two are out of range
    std::copy(chosen, chosen + 7, indices.data());
    runner->failures.clear();
    runner->run(ceilDiv(14, kRows), {&data, &indices, &out});
    forEach(out.shape, [&](const Shape &at, int64_t number) {
      int64_t index = chosen[at[1]] + (chosen[at[1]] < 0 ? 5 : 0);
      float expected = at[1] < 5 ? data[(at[0] * 5 + index) * inner + at[2]] : 0; // out is left alone
      EXPECT_EQ(out[number], expected);
    });
    std::vector<std::pair<int64_t, int64_t>> failures{{5, 5}, {-6, 5}, {5, 5}, {-6, 5}};
    EXPECT_EQ(runner->failures, failures);
  }
}

TEST_P(EmitRowwise, GatherBytesByI32) {
  auto runner = compile(
      "weft.kernel @k(%t: index, %a: memref<1x?x100xi8>, %i: memref<?xi32>, %out: memref<1x?x100xi8>" +
      kSchedule +
      " weft.gather_tile %a, %i, %out : (memref<1x?x100xi8>, memref<?xi32>, memref<1x?x100xi8>) -> () "
      "weft.yield }");
  ASSERT_TRUE(runner);
  Array<int8_t> data({1, 4, 100}), out({1, 2, 100});
  Array<int32_t> indices({2});
  fillRandom(data, 1, -128, 127);
  indices[0] = -1;
  indices[1] = 1;
  runner->run(1, {&data, &indices, &out});
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(out[i], data[300 + i]);
    EXPECT_EQ(out[100 + i], data[100 + i]);
  }
}
