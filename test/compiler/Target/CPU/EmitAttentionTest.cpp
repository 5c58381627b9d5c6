// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention against plain loops in double: sizes around the tile's rows and the block of keys, grouped heads,
// a score region with captures, rows with nothing kept, probabilities as a result, keys in parts.
#include "test/compiler/Target/CPU/KernelTest.h"

using namespace weft::test;

namespace {

using EmitAttention = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitAttention, ::testing::Values(512, 256));

constexpr int64_t kRows = 5, kPanel = 16;
constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// Sizes: batch, query heads, key heads, queries, keys, width of keys, width of values.
struct Sizes {
  int64_t b, h, g, n, m, d, e;
};

/// What is done to a score: its place is given too; minus infinity excludes it.
using Score = std::function<double(double score, int64_t i, int64_t j)>;

/// A kernel and the score that it is to compute. Captures are a bias, which a region may add.
struct Attention {
  std::string emptyRows = "nan", region;
  Score score = [](double score, int64_t, int64_t) { return score; };
  double scale = 0.5;
  bool hasBias = false, hasWeights = false, hasParts = false;
  bool isPlain = false; ///< keys are [b, g, m, 5], not in panels
};

std::string kernelOf(const Attention &attention) {
  std::string matrix = "memref<?x?x?x?xf32>",
              panels = attention.isPlain ? "memref<?x?x?x5xf32>" : "memref<?x?x?x?x16xf32>",
              parts = "memref<?x?x?x?x?xf32>", statistics = "memref<?x?x2xf32>", bias = "memref<?x1x?xf32>";
  std::string out = attention.hasParts ? parts : matrix;
  auto when = [](bool condition, const std::string &text) { return condition ? text : ""; };
  return "weft.kernel @k(%t: index, %q: " + matrix + ", %k: " + panels + ", %v: " + matrix +
         when(attention.hasBias, ", %bias: " + bias) + ", %y: " + out +
         when(attention.hasWeights, ", %w: " + matrix) + when(attention.hasParts, ", %parts: " + statistics) +
         ") attributes {schedule = {rows = 5 : i64, columns = " + (attention.isPlain ? "128" : "48") +
         " : i64}} { weft.attention_tile ins(%q, %k, "
         "%v : " +
         matrix + ", " + panels + ", " + matrix + ") " +
         when(attention.hasBias, "captures(%bias : " + bias + ") ") + "outs(%y : " + out + ") " +
         when(attention.hasWeights, "weights(%w : " + matrix + ") ") +
         when(attention.hasParts, "statistics(%parts : " + statistics + ") ") + "scale(" +
         std::to_string(attention.scale) + ") empty_rows(" + attention.emptyRows + ") " +
         when(!attention.region.empty(), "score { ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index" +
                                             when(attention.hasBias, ", %add: f32") +
                                             "): " + attention.region + " }") +
         " weft.yield }";
}

/// Keys [b, g, m, d] as panels [b, g, panels, d, width].
Array<float> panelsOf(const Array<float> &keys) {
  int64_t m = keys.shape[2], d = keys.shape[3], panels = ceilDiv(m, kPanel);
  Array<float> result({keys.shape[0], keys.shape[1], panels, d, kPanel});
  forEach(keys.shape, [&](const Shape &at, int64_t number) {
    int64_t matrix = at[0] * keys.shape[1] + at[1], j = at[2];
    result[((matrix * panels + j / kPanel) * d + at[3]) * kPanel + j % kPanel] = keys[number];
  });
  return result;
}

/// Arrays of one run, and what they should become.
struct Data {
  Sizes s;
  Array<float> q{{s.b, s.h, s.n, s.d}}, k{{s.b, s.g, s.m, s.d}}, v{{s.b, s.g, s.m, s.e}}, bias{{s.h, 1, s.m}},
      y{{s.b, s.h, s.n, s.e}}, w{{s.b, s.h, s.n, s.m}};

  explicit Data(const Sizes &sizes) : s(sizes) {
    unsigned seed = 1;
    for (auto *array : {&q, &k, &v, &bias})
      fillRandom(*array, seed++, -2, 2);
    for (auto *array : {&y, &w}) // what was there must not matter
      std::fill_n(array->data(), array->count(), NAN);
  }

  int64_t groupOf(int64_t h) const { return h / (s.h / s.g); }

  double scoreOf(const Attention &attention, int64_t b, int64_t h, int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t x = 0; x < s.d; ++x)
      sum += double(q[((b * s.h + h) * s.n + i) * s.d + x]) * k[((b * s.g + groupOf(h)) * s.m + j) * s.d + x];
    return attention.score(attention.scale * sum + (attention.hasBias ? bias[h * s.m + j] : 0), i, j);
  }

  /// The probabilities of a row.
  std::vector<double> weightsOf(const Attention &attention, int64_t b, int64_t h, int64_t i) const {
    std::vector<double> row(s.m);
    double greatest = kNothing, sum = 0;
    for (int64_t j = 0; j < s.m; ++j) {
      row[j] = scoreOf(attention, b, h, i, j);
      greatest = std::isnan(row[j]) || row[j] > greatest ? row[j] : greatest;
    }
    bool isZero = (greatest == kNothing && attention.emptyRows != "nan") ||
                  (std::isnan(greatest) && attention.emptyRows == "nan_to_zero");
    for (double &weight : row)
      sum += weight = std::exp(weight - greatest);
    for (double &weight : row)
      weight = isZero ? 0 : weight / sum;
    return row;
  }

  void check(const Attention &attention) const {
    auto near = [&](float got, double expected) {
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(got)) << s.n << " x " << s.m;
      else
        EXPECT_NEAR(got, expected, 1e-5) << s.n << " x " << s.m << " x " << s.d << " x " << s.e;
    };
    forEach({s.b, s.h, s.n}, [&](const Shape &at, int64_t row) {
      std::vector<double> weights = weightsOf(attention, at[0], at[1], at[2]);
      for (int64_t j = 0; attention.hasWeights && j < s.m; ++j)
        near(w[row * s.m + j], weights[j]);
      for (int64_t x = 0; x < s.e; ++x) {
        double sum = 0;
        for (int64_t j = 0; j < s.m; ++j)
          sum += weights[j] * v[((at[0] * s.g + groupOf(at[1])) * s.m + j) * s.e + x];
        near(y[row * s.e + x], sum);
      }
    });
  }

  int64_t tiles() const { return s.b * s.g * ceilDiv(s.h / s.g * s.n, kRows); }
};

void runAttention(KernelRunner &runner, const Attention &attention, const Sizes &sizes) {
  Data data(sizes);
  Array<float> panels = panelsOf(data.k);
  std::vector<const ArrayBase *> arrays{&data.q, attention.isPlain ? &data.k : &panels, &data.v};
  if (attention.hasBias)
    arrays.push_back(&data.bias);
  arrays.push_back(&data.y);
  if (attention.hasWeights)
    arrays.push_back(&data.w);
  runner.run(data.tiles(), arrays);
  data.check(attention);
}

/// The same by parts of the keys, and a second kernel that puts them together.
void runParts(KernelRunner &runner, KernelRunner &merge, const Attention &attention, const Sizes &s,
              int64_t count) {
  Data data(s);
  Array<float> panels = panelsOf(data.k), parts({count, s.b, s.h, s.n, s.e}),
               flat({count, s.b * s.h * s.n, s.e}), statistics({count, s.b * s.h * s.n, 2}),
               y({s.b * s.h * s.n, s.e});
  runner.run(count * data.tiles(), {&data.q, &panels, &data.v, &parts, &statistics});
  std::copy_n(parts.data(), parts.count(), flat.data());
  merge.run(ceilDiv(s.b * s.h * s.n, 4), {&flat, &statistics, &y});
  std::copy_n(y.data(), y.count(), data.y.data());
  data.check(attention);
}

std::string mergeKernel(const std::string &emptyRows) {
  int number = emptyRows == "nan" ? 0 : emptyRows == "zero" ? 1 : 2;
  std::string types = "memref<?x?x?xf32>, memref<?x?x2xf32>, memref<?x?xf32>";
  return "weft.kernel @k(%t: index, %p: memref<?x?x?xf32>, %s: memref<?x?x2xf32>, %y: memref<?x?xf32>) "
         "attributes "
         "{schedule = {rows = 4 : i64}} { weft.merge_attention_tile %p, %s, %y {empty_rows = " +
         std::to_string(number) + " : i32} : (" + types + ") -> () weft.yield }";
}

std::string panelKernel(const std::string &element) {
  std::string rows = "memref<?x?x?x?x" + element + ">", panels = "memref<?x?x?x?x32x" + element + ">";
  return "weft.kernel @k(%t: index, %x: " + rows + ", %y: " + panels +
         ") attributes {schedule = {rows = 2 : i64}} { weft.panel_tile %x, %y : (" + rows + ", " + panels +
         ") -> () weft.yield }";
}

template <typename T> void runPanels(KernelRunner &runner, int64_t m, int64_t d) {
  Array<T> x({2, 3, m, d}), y({2, 3, ceilDiv(m, 32), d, 32});
  fillRandom(x, 1);
  std::fill_n(y.data(), y.count(), T(9));
  runner.run(ceilDiv(6 * ceilDiv(m, 32), 2), {&x, &y});
  forEach(y.shape, [&](const Shape &at, int64_t number) {
    int64_t j = at[2] * 32 + at[4];
    EXPECT_EQ(y[number], j < m ? x[((at[0] * 3 + at[1]) * m + j) * d + at[3]] : T(0)) << m << " x " << d;
  });
}

const std::string kYield = " weft.yield %s, %keep : f32, i1";

Attention causal() {
  Attention attention;
  attention.region = "%keep = arith.cmpi sle, %j, %i : index" + kYield;
  attention.score = [](double score, int64_t i, int64_t j) { return j <= i ? score : kNothing; };
  return attention;
}

Attention withoutFirstRow(const std::string &emptyRows) {
  Attention attention;
  attention.emptyRows = emptyRows;
  attention.region = "%zero = arith.constant 0 : index %keep = arith.cmpi ne, %i, %zero : index" + kYield;
  attention.score = [](double score, int64_t i, int64_t) { return i ? score : kNothing; };
  return attention;
}

/// The last few keys up to the query.
Attention windowed() {
  Attention attention;
  attention.emptyRows = "zero";
  attention.region = "%nine = arith.constant 9 : index %end = arith.addi %j, %nine : index "
                     "%isNear = arith.cmpi sge, %end, %i : index %isBefore = arith.cmpi slt, %j, %i : index "
                     "%keep = arith.andi %isNear, %isBefore : i1" +
                     kYield;
  attention.score = [](double score, int64_t i, int64_t j) { return j + 9 >= i && j < i ? score : kNothing; };
  return attention;
}

/// Keys that are not before the query get a large negative score: the first row has no other.
Attention filled(const std::string &fill, double value) {
  Attention attention;
  attention.region = "%isBefore = arith.cmpi slt, %j, %i : index %fill = arith.constant " + fill +
                     " : f32 %x = arith.select %isBefore, %s, %fill : f32 %keep = arith.constant true "
                     "weft.yield %x, %keep : f32, i1";
  attention.score = [=](double score, int64_t i, int64_t j) { return j < i ? score : value; };
  return attention;
}

Attention biased() {
  Attention attention;
  attention.hasBias = true;
  attention.region =
      "%sum = arith.addf %s, %add : f32 %keep = arith.constant true weft.yield %sum, %keep : f32, i1";
  return attention;
}

} // namespace

TEST_P(EmitAttention, Panels) {
  auto floats = compile(panelKernel("f32")), doubles = compile(panelKernel("f64"));
  ASSERT_TRUE(floats && doubles);
  for (int64_t m : {0, 1, 15, 16, 17, 32, 33, 67})
    for (int64_t d : {0, 1, 7, 8, 16, 19, 64}) {
      runPanels<float>(*floats, m, d);
      runPanels<double>(*doubles, m, d);
    }
}

TEST_P(EmitAttention, SizesAroundTiles) {
  for (const Attention &attention : {Attention(), biased()}) {
    auto runner = compile(kernelOf(attention));
    ASSERT_TRUE(runner);
    for (int64_t n : {0, 1, 4, 5, 6, 11})
      for (int64_t m : {0, 1, 17, 47, 48, 49, 97, 145})
        runAttention(*runner, attention, {1, 2, 2, n, m, 7, 19});
    for (int64_t d : {1, 8, 16, 17})
      for (int64_t e : {1, 16, 32, 48, 49, 80})
        runAttention(*runner, attention, {2, 1, 1, 3, 50, d, e});
  }
}

TEST_P(EmitAttention, KeysThatAreNotInPanels) {
  Attention attention = causal();
  attention.isPlain = true;
  auto runner = compile(kernelOf(attention));
  ASSERT_TRUE(runner);
  for (int64_t m : {0, 1, 17, 64, 65, 300})
    runAttention(*runner, attention, {2, 2, 1, 3, m, 5, 3});
}

TEST_P(EmitAttention, Scales) {
  for (double scale : {-0.5, 0.0}) {
    Attention attention;
    attention.scale = scale;
    auto runner = compile(kernelOf(attention));
    ASSERT_TRUE(runner);
    for (int64_t m : {1, 40, 100})
      runAttention(*runner, attention, {1, 1, 1, 6, m, 3, 4});
  }
}

TEST_P(EmitAttention, GroupedHeadsAndPlaces) {
  auto runner = compile(kernelOf(causal()));
  ASSERT_TRUE(runner);
  for (int64_t g : {1, 2, 3, 6})
    runAttention(*runner, causal(), {2, 6, g, 7, 60, 5, 3});
  runAttention(*runner, causal(), {1, 1, 1, 200, 200, 5, 3});
}

/// Panels that are left out, at the end, at the start, or unless they are all there is.
TEST_P(EmitAttention, PanelsThatDoNotCount) {
  for (const Attention &attention :
       {windowed(), filled("-1.0e9", -1e9), filled("-3.4028234e38", -3.4028234e38), filled("-1.0", -1)}) {
    auto runner = compile(kernelOf(attention));
    ASSERT_TRUE(runner);
    for (int64_t g : {1, 2})
      for (int64_t n : {1, 17, 70})
        for (int64_t m : {1, 40, 100})
          runAttention(*runner, attention, {1, 2, g, n, m, 5, 3});
  }
}

TEST_P(EmitAttention, RowsWithNothingKept) {
  for (std::string emptyRows : {"nan", "zero", "nan_to_zero"}) {
    Attention attention = withoutFirstRow(emptyRows);
    auto runner = compile(kernelOf(attention));
    ASSERT_TRUE(runner);
    for (int64_t m : {0, 1, 48, 100})
      runAttention(*runner, attention, {1, 2, 1, 3, m, 4, 6});
  }
}

TEST_P(EmitAttention, ScoresOfNaN) {
  for (std::string emptyRows : {"nan", "zero", "nan_to_zero"}) {
    Attention attention;
    attention.emptyRows = emptyRows;
    attention.region = "%zero = arith.constant 0 : index %isFirst = arith.cmpi eq, %i, %zero : index "
                       "%nan = arith.constant 0x7FC00000 : f32 %x = arith.select %isFirst, %nan, %s : f32 "
                       "%keep = arith.constant true weft.yield %x, %keep : f32, i1";
    attention.score = [](double score, int64_t i, int64_t) { return i ? score : NAN; };
    auto runner = compile(kernelOf(attention));
    ASSERT_TRUE(runner);
    runAttention(*runner, attention, {1, 1, 1, 3, 100, 4, 6});
  }
}

TEST_P(EmitAttention, Weights) {
  for (Attention attention : {causal(), withoutFirstRow("nan"), biased()}) {
    attention.hasWeights = true;
    auto runner = compile(kernelOf(attention));
    ASSERT_TRUE(runner);
    for (int64_t n : {0, 1, 7})
      for (int64_t m : {0, 1, 17, 48, 97})
        runAttention(*runner, attention, {2, 2, 1, n, m, 5, 3});
  }
}

TEST_P(EmitAttention, Parts) {
  for (Attention attention : {causal(), withoutFirstRow("zero")}) {
    attention.hasParts = true;
    auto runner = compile(kernelOf(attention)), merge = compile(mergeKernel(attention.emptyRows));
    ASSERT_TRUE(runner && merge);
    for (int64_t count : {1, 2, 3})
      for (int64_t m : {0, 1, 17, 100, 131})
        runParts(*runner, *merge, attention, {2, 2, 1, 3, m, 5, 3}, count);
  }
}
