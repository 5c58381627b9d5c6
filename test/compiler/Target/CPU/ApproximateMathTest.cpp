// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Math functions in generated code, against libm in double: ordinary, huge, tiny, infinite and NaN arguments.
#include "test/compiler/Target/CPU/KernelTest.h"

#include <random>

using namespace weft::test;

namespace {

using ApproximateMath = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, ApproximateMath, ::testing::Values(512, 256));

template <typename T> std::string unaryKernel(const std::string &function, const std::string &flags = "") {
  std::string element = sizeof(T) == 4 ? "f32" : "f64";
  return "weft.kernel @k(%t: index, %a: memref<?x" + element + ">, %out: memref<?x" + element +
         ">) attributes {schedule = {rows = 1 : i64, columns = 1024 : i64}} { linalg.generic {indexing_maps "
         "= "
         "[affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} ins(%a : "
         "memref<?x" +
         element + ">) outs(%out : memref<?x" + element + ">) { ^bb0(%x: " + element + ", %z: " + element +
         "): %y = math." + function + " %x" + flags + " : " + element + " linalg.yield %y : " + element +
         " } weft.yield }";
}

std::string binaryKernel(const std::string &operation, const std::string &element) {
  std::string type = "memref<?x" + element + ">";
  return "weft.kernel @k(%t: index, %a: " + type + ", %b: " + type + ", %out: " + type +
         ") attributes {schedule = {rows = 1 : i64, columns = 1024 : i64}} { linalg.generic {indexing_maps "
         "= "
         "[affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = "
         "[\"parallel\"]} "
         "ins(%a, %b : " +
         type + ", " + type + ") outs(%out : " + type + ") { ^bb0(%x: " + element + ", %y: " + element +
         ", %z: " + element + "): %p = " + operation + " %x, %y : " + element +
         " linalg.yield %p : " + element + " } weft.yield }";
}

/// Arguments spread evenly over an interval, or by magnitude, and the special ones.
template <typename T> std::vector<T> arguments(double low, double high) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> result{T(0),
                        -T(0),
                        T(1),
                        T(-1),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN(),
                        Limits::max(),
                        Limits::lowest(),
                        Limits::min(),
                        Limits::denorm_min(),
                        T(-1000),
                        T(1000),
                        T(1e30),
                        T(-1e30),
                        T(0.5),
                        T(-0.5),
                        T(1e-20),
                        T(-1e-20)};
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    result.push_back(T(low + (high - low) * i / kCount));
    double magnitude = std::pow(10.0, -30 + 60.0 * i / kCount);
    result.push_back(T(magnitude));
    result.push_back(T(-magnitude));
  }
  return result;
}

/// The greatest relative error, below the least normal number an absolute one in units of it. Infinite on a
/// wrong special value.
template <typename T> double errorOf(double actual, double expected) {
  using Limits = std::numeric_limits<T>;
  T rounded = T(expected);
  if (std::isnan(rounded) || std::isinf(rounded))
    return std::isnan(rounded) ? (std::isnan(actual) ? 0 : INFINITY) : (actual == rounded ? 0 : INFINITY);
  return std::fabs(actual - expected) / std::max<double>(std::fabs(expected), Limits::min());
}

template <typename T>
void expectAccurate(KernelRunner &runner, double (*function)(double), double low, double high, double bound,
                    double greatest = INFINITY) {
  std::vector<T> values = arguments<T>(low, high);
  llvm::erase_if(values, [&](T value) { return std::fabs(value) > greatest; });
  Array<T> in({int64_t(values.size())}), out(in.shape);
  std::copy(values.begin(), values.end(), in.data());
  runner.run(ceilDiv(in.count(), 1024), {&in, &out});
  double worst = 0, where = 0;
  for (int64_t i = 0; i < in.count(); ++i) {
    double error = errorOf<T>(out[i], function(in[i]));
    if (!(error <= worst)) {
      worst = error;
      where = in[i];
    }
  }
  EXPECT_LE(worst, bound) << "at " << where;
  ::testing::Test::RecordProperty(sizeof(T) == 4 ? "f32" : "f64", ::testing::PrintToString(worst));
}

} // namespace

TEST_P(ApproximateMath, Exp) {
  auto f32 = compile(unaryKernel<float>("exp")), f64 = compile(unaryKernel<double>("exp"));
  ASSERT_TRUE(f32 && f64);
  expectAccurate<float>(*f32, std::exp, -90, 90, 2e-7);
  expectAccurate<double>(*f64, std::exp, -750, 750, 5e-16);
}

TEST_P(ApproximateMath, Exp2) {
  auto f32 = compile(unaryKernel<float>("exp2")), f64 = compile(unaryKernel<double>("exp2"));
  ASSERT_TRUE(f32 && f64);
  expectAccurate<float>(*f32, std::exp2, -130, 130, 2e-7);
  expectAccurate<double>(*f64, std::exp2, -1080, 1080, 5e-16);
}

template <typename T> double flushed(double power) {
  return power < std::numeric_limits<T>::min() ? 0 : power;
}

TEST_P(ApproximateMath, FlushedExp) {
  auto f32 = compile(unaryKernel<float>("exp", " fastmath<afn>"));
  auto f64 = compile(unaryKernel<double>("exp", " fastmath<afn>"));
  ASSERT_TRUE(f32 && f64);
  expectAccurate<float>(*f32, [](double x) { return flushed<float>(std::exp(x)); }, -110, 90, 2e-7);
  expectAccurate<double>(*f64, [](double x) { return flushed<double>(std::exp(x)); }, -750, 750, 5e-16);
}

TEST_P(ApproximateMath, FlushedExp2) {
  auto f32 = compile(unaryKernel<float>("exp2", " fastmath<afn>"));
  auto f64 = compile(unaryKernel<double>("exp2", " fastmath<afn>"));
  ASSERT_TRUE(f32 && f64);
  expectAccurate<float>(*f32, [](double x) { return flushed<float>(std::exp2(x)); }, -150, 130, 2e-7);
  expectAccurate<double>(*f64, [](double x) { return flushed<double>(std::exp2(x)); }, -1080, 1080, 5e-16);
}

TEST_P(ApproximateMath, Log) {
  auto f32 = compile(unaryKernel<float>("log")), f64 = compile(unaryKernel<double>("log"));
  ASSERT_TRUE(f32 && f64);
  expectAccurate<float>(*f32, std::log, 0.5, 2, 2e-7);
  expectAccurate<double>(*f64, std::log, 0.5, 2, 5e-16);
}

TEST_P(ApproximateMath, Tanh) {
  auto f32 = compile(unaryKernel<float>("tanh")), f64 = compile(unaryKernel<double>("tanh"));
  ASSERT_TRUE(f32 && f64);
  expectAccurate<float>(*f32, std::tanh, -10, 10, 4e-7);
  expectAccurate<double>(*f64, std::tanh, -25, 25, 6e-16);
  expectAccurate<double>(*f64, std::tanh, -0.5, 0.5, 6e-16);
}

TEST_P(ApproximateMath, Erf) {
  auto f32 = compile(unaryKernel<float>("erf")), f64 = compile(unaryKernel<double>("erf"));
  ASSERT_TRUE(f32 && f64);
  expectAccurate<float>(*f32, std::erf, -5, 5, 4e-7);
  expectAccurate<double>(*f64, std::erf, -7, 7, 5e-16);
  expectAccurate<double>(*f64, std::erf, -1.5, 1.5, 5e-16);
}

TEST_P(ApproximateMath, SinCos) {
  for (auto [name, function] :
       {std::pair<const char *, double (*)(double)>("sin", std::sin), {"cos", std::cos}}) {
    auto f32 = compile(unaryKernel<float>(name)), f64 = compile(unaryKernel<double>(name));
    ASSERT_TRUE(f32 && f64);
    const double greatest = 0x1p40; // beyond, the result is NaN
    for (double range : {4.0, 1e5, 1e9, greatest}) {
      expectAccurate<float>(*f32, function, -range, range, 7e-8, greatest);
      expectAccurate<double>(*f64, function, -range, range, 3e-16, greatest);
    }
  }
}

/// Doubles next to multiples of pi/2, where all but the last bits of the argument cancel.
TEST_P(ApproximateMath, SinCosNearZeros) {
  auto sin = compile(unaryKernel<double>("sin")), cos = compile(unaryKernel<double>("cos"));
  ASSERT_TRUE(sin && cos);
  Array<double> in({3000}), out(in.shape);
  for (int64_t i = 0; i < in.count(); ++i) {
    int64_t multiple = i < 1000 ? i : i * i * i * 20;
    in[i] = double(multiple * 1.570796326794896619231321691639751442L);
  }
  for (auto [runner, function] :
       {std::pair<KernelRunner *, double (*)(double)>(sin.get(), std::sin), {cos.get(), std::cos}}) {
    runner->run(3, {&in, &out});
    for (int64_t i = 0; i < in.count(); ++i)
      EXPECT_LE(errorOf<double>(out[i], function(in[i])), 3e-16) << in[i];
  }
}

TEST_P(ApproximateMath, Atan) {
  auto f32 = compile(unaryKernel<float>("atan")), f64 = compile(unaryKernel<double>("atan"));
  ASSERT_TRUE(f32 && f64);
  for (double range : {0.5, 2.0, 10.0}) {
    expectAccurate<float>(*f32, std::atan, -range, range, 7e-8);
    expectAccurate<double>(*f64, std::atan, -range, range, 5e-16);
  }
}

TEST_P(ApproximateMath, SignOfZero) {
  for (const char *name : {"atan", "sin", "tanh", "erf", "floor", "ceil", "roundeven"}) {
    auto runner = compile(unaryKernel<double>(name));
    ASSERT_TRUE(runner);
    Array<double> in({2}), out({2});
    in[0] = -0.0;
    runner->run(1, {&in, &out});
    EXPECT_TRUE(std::signbit(out[0])) << name;
    EXPECT_FALSE(std::signbit(out[1])) << name;
  }
}

TEST_P(ApproximateMath, Rounding) {
  for (auto [name, function] : {std::pair<const char *, double (*)(double)>("floor", std::floor),
                                {"ceil", std::ceil},
                                {"roundeven", std::nearbyint}}) {
    auto f32 = compile(unaryKernel<float>(name)), f64 = compile(unaryKernel<double>(name));
    ASSERT_TRUE(f32 && f64);
    expectAccurate<float>(*f32, function, -10, 10, 0);
    expectAccurate<double>(*f64, function, -10, 10, 0);
  }
}

TEST_P(ApproximateMath, Sqrt) {
  auto runner = compile(unaryKernel<float>("sqrt"));
  ASSERT_TRUE(runner);
  expectAccurate<float>(*runner, std::sqrt, 0, 10, 1e-7);
}

TEST_P(ApproximateMath, Pow) {
  auto f32 = compile(binaryKernel("math.powf", "f32")), f64 = compile(binaryKernel("math.powf", "f64"));
  ASSERT_TRUE(f32 && f64);
  std::vector<float> bases{0,   -0.0f, 1,    -1,    2,        -2,        0.5, -0.5,
                           3.7, -3.7,  1e30, 1e-30, INFINITY, -INFINITY, NAN, 10};
  std::vector<float> exponents{0,    -0.0f, 1,   -1,   2,        3,         -3,  0.5,
                               -0.5, 1.7,   100, 1e10, INFINITY, -INFINITY, NAN, 33};
  Array<float> a({int64_t(bases.size() * exponents.size())}), b(a.shape), out(a.shape);
  Array<double> wideA(a.shape), wideB(a.shape), wideOut(a.shape);
  for (int64_t i = 0; i < a.count(); ++i) {
    wideA[i] = a[i] = bases[i / exponents.size()];
    wideB[i] = b[i] = exponents[i % exponents.size()];
  }
  f32->run(1, {&a, &b, &out});
  f64->run(1, {&wideA, &wideB, &wideOut});
  for (int64_t i = 0; i < a.count(); ++i) {
    EXPECT_LE(errorOf<float>(out[i], std::pow(double(a[i]), double(b[i]))), 1e-7)
        << a[i] << " ^ " << b[i] << " is " << out[i];
    EXPECT_LE(errorOf<double>(wideOut[i], std::pow(wideA[i], wideB[i])), 2e-13)
        << a[i] << " ^ " << b[i] << " is " << wideOut[i];
  }
}

/// Numbers of any exponent, and all pairs of special ones: as fmod has it, to the last bit.
template <typename T, typename Bits> static void expectExactRemainders(KernelRunner &runner) {
  using Limits = std::numeric_limits<T>;
  const T special[] = {0,
                       -T(0),
                       1,
                       -3,
                       0.1,
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::max(),
                       Limits::min(),
                       Limits::denorm_min(),
                       5 * Limits::denorm_min()};
  constexpr int64_t kSpecial = std::size(special), kRandom = 100000;
  Array<T> a({kSpecial * kSpecial + kRandom}), b(a.shape), out(a.shape);
  std::mt19937_64 random(1);
  for (int64_t i = 0; i < a.count(); ++i) {
    if (i < kSpecial * kSpecial) {
      a[i] = special[i / kSpecial];
      b[i] = special[i % kSpecial];
      continue;
    }
    for (T *place : {&a[i], &b[i]}) {
      Bits bits = Bits(random());
      std::memcpy(place, &bits, sizeof bits);
    }
  }
  runner.run(ceilDiv(a.count(), 1024), {&a, &b, &out});
  for (int64_t i = 0; i < a.count(); ++i) {
    T expected = std::fmod(a[i], b[i]);
    bool isSame = std::isnan(expected) ? std::isnan(out[i])
                                       : out[i] == expected && std::signbit(out[i]) == std::signbit(expected);
    ASSERT_TRUE(isSame) << a[i] << " by " << b[i] << " is " << out[i] << ", not " << expected;
  }
}

TEST_P(ApproximateMath, Remainder) {
  auto f32 = compile(binaryKernel("arith.remf", "f32")), f64 = compile(binaryKernel("arith.remf", "f64"));
  ASSERT_TRUE(f32 && f64);
  expectExactRemainders<float, uint32_t>(*f32);
  expectExactRemainders<double, uint64_t>(*f64);
}
