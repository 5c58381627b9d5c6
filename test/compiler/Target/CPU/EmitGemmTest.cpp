// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft.gemm_tile: emitted, run, and compared with plain loops in double.
#include "test/compiler/Target/CPU/KernelTest.h"

using namespace weft::test;

namespace {

constexpr int64_t kRows = 64, kColumns = 48;
constexpr int64_t kNarrowColumns = 16, kNarrowTile = 64; // of a panel, and of a tile of several

/// A matrix as panels of so many columns, zero padded.
template <typename T> Array<T> pack(const Array<T> &matrix, int64_t width = kColumns) {
  int64_t depth = matrix.shape[0], columns = matrix.shape[1];
  Array<T> panels({ceilDiv(columns, width), depth, width});
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n)
      panels[(n / width * depth + k) * width + n % width] = matrix[k * columns + n];
  return panels;
}

/// Where the matrix of batch (b0, b1) starts, of an operand whose batch dims may be 1 or missing.
int64_t batchStart(const Shape &shape, int64_t b0, int64_t b1) {
  int64_t matrix = shape[shape.size() - 2] * shape.back();
  int64_t inner = shape.size() > 2 ? shape[shape.size() - 3] : 1, outer = shape.size() > 3 ? shape[0] : 1;
  return ((outer == 1 ? 0 : b0) * inner + (inner == 1 ? 0 : b1)) * matrix;
}

/// Sum of products and of their magnitudes, which is what the error is measured against.
template <typename T> struct Reference {
  std::vector<double> sums, magnitudes;
  Reference(const Array<T> &lhs, const Array<T> &rhs, const Shape &out) {
    int64_t rank = out.size(), rows = out[rank - 2], columns = out[rank - 1], depth = lhs.shape.back();
    int64_t outer = rank > 3 ? out[0] : 1, inner = rank > 2 ? out[rank - 3] : 1;
    for (int64_t b0 = 0; b0 < outer; ++b0)
      for (int64_t b1 = 0; b1 < inner; ++b1)
        for (int64_t m = 0; m < rows; ++m)
          for (int64_t n = 0; n < columns; ++n) {
            const T *left = lhs.data() + batchStart(lhs.shape, b0, b1) + m * depth;
            const T *right = rhs.data() + batchStart(rhs.shape, b0, b1) + n;
            double sum = 0, magnitude = 0;
            for (int64_t k = 0; k < depth; ++k) {
              double product = double(left[k]) * double(right[k * columns]);
              sum += product;
              magnitude += std::fabs(product);
            }
            sums.push_back(sum);
            magnitudes.push_back(magnitude);
          }
  }
};

template <typename T>
void expectClose(const Array<T> &actual, const std::vector<double> &expected,
                 const std::vector<double> &magnitudes, int64_t depth) {
  double epsilon = std::numeric_limits<T>::epsilon();
  int64_t wrong = 0;
  for (int64_t i = 0; i < actual.count(); ++i) {
    double bound =
        epsilon * (2 + std::sqrt(double(depth))) * (magnitudes[i] + std::fabs(expected[i])) + 1e-30;
    if (!(std::fabs(actual[i] - expected[i]) <= bound) && ++wrong <= 3)
      ADD_FAILURE() << "element " << i << " is " << actual[i] << ", expected " << expected[i];
  }
  EXPECT_EQ(wrong, 0);
}

int64_t gridOf(const Shape &out, int64_t tileColumns = kColumns) {
  int64_t tiles = ceilDiv(out[out.size() - 2], kRows) * ceilDiv(out.back(), tileColumns);
  for (size_t i = 0; i + 2 < out.size(); ++i)
    tiles *= out[i];
  return tiles;
}

std::string type(const Shape &shape, const std::string &element) {
  std::string text = "memref<";
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + element + ">";
}

/// A kernel without an epilogue. Sizes of -1 are dynamic.
std::string gemmKernel(const Shape &lhs, const Shape &rhs, const Shape &out, bool packed,
                       const std::string &element = "f32", int64_t tileColumns = kColumns) {
  std::string a = type(lhs, element), b = type(rhs, element), c = type(out, element);
  return "weft.kernel @k(%t: index, %a: " + a + ", %b: " + b + ", %c: " + c +
         ") attributes {schedule = {rows = 64 : i64, columns = " + std::to_string(tileColumns) +
         " : i64}} { weft.gemm_tile ins(%a, %b : " + a + ", " + b + ") outs(%c : " + c + ")" +
         (packed ? " {packed}" : "") + " weft.yield }";
}

template <typename T>
void runGemm(KernelRunner &runner, const Shape &lhsShape, const Shape &rhsShape, const Shape &outShape,
             bool packed, int64_t panelColumns = kColumns, int64_t tileColumns = kColumns) {
  SCOPED_TRACE(::testing::PrintToString(lhsShape) + " x " + ::testing::PrintToString(rhsShape));
  Array<T> lhs(lhsShape), rhs(rhsShape), out(outShape);
  fillRandom(lhs, 1);
  fillRandom(rhs, 2);
  std::fill(out.data(), out.data() + out.count(), T(NAN));
  if (packed) {
    Array<T> panels = pack(rhs, panelColumns);
    runner.run(gridOf(outShape, tileColumns), {&lhs, &panels, &out});
  } else {
    runner.run(gridOf(outShape), {&lhs, &rhs, &out});
  }
  Reference<T> reference(lhs, rhs, outShape);
  expectClose(out, reference.sums, reference.magnitudes, lhsShape.back());
}

std::string narrowKernel(int64_t depth, int64_t columns, const std::string &element) {
  int64_t panels = columns < 0 ? -1 : ceilDiv(columns, kNarrowColumns);
  return gemmKernel({-1, depth}, {panels, depth, kNarrowColumns}, {-1, columns}, true, element, kNarrowTile);
}

template <typename T> void runNarrow(KernelRunner &runner, int64_t rows, int64_t depth, int64_t columns) {
  runGemm<T>(runner, {rows, depth}, {depth, columns}, {rows, columns}, true, kNarrowColumns, kNarrowTile);
}

using EmitGemm = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitGemm, ::testing::Values(512, 256));

} // namespace

TEST_P(EmitGemm, DynamicSizes) {
  auto runner = compile(gemmKernel({-1, -1}, {-1, -1}, {-1, -1}, false));
  for (int64_t m : {1, 2, 7, 8, 9, 17, 64, 65, 100, 129, 193})
    for (int64_t n : {1, 5, 16, 17, 47, 48, 49, 96, 130})
      for (int64_t k : {0, 1, 3, 64})
        runGemm<float>(*runner, {m, k}, {k, n}, {m, n}, false);
  runGemm<float>(*runner, {0, 5}, {5, 7}, {0, 7}, false);
  runGemm<float>(*runner, {5, 5}, {5, 0}, {5, 0}, false);
  runGemm<float>(*runner, {9, 512}, {512, 512}, {9, 512}, false);
}

TEST_P(EmitGemm, DepthBlocks) {
  // 1024 steps of the summed dim at a time; partial sums go through memory.
  auto dynamic = compile(gemmKernel({-1, -1}, {-1, -1}, {-1, -1}, false));
  for (int64_t k : {1023, 1024, 1025, 2048, 2500})
    runGemm<float>(*dynamic, {13, k}, {k, 53}, {13, 53}, false);
  auto fixed = compile(gemmKernel({-1, 2500}, {2, 2500, 48}, {-1, 53}, true));
  runGemm<float>(*fixed, {13, 2500}, {2500, 53}, {13, 53}, true);
}

TEST_P(EmitGemm, PackedDynamicRows) {
  for (int64_t n : {5, 48, 64, 100}) {
    auto runner = compile(gemmKernel({-1, 70}, {ceilDiv(n, kColumns), 70, kColumns}, {-1, n}, true));
    for (int64_t m : {1, 2, 7, 8, 9, 17, 64, 65, 100})
      runGemm<float>(*runner, {m, 70}, {70, n}, {m, n}, true);
  }
}

TEST_P(EmitGemm, PackedDynamicColumns) {
  auto runner = compile(gemmKernel({-1, -1}, {-1, -1, 48}, {-1, -1}, true));
  for (int64_t n : {1, 5, 16, 33, 47, 48, 49, 512})
    runGemm<float>(*runner, {11, 13}, {13, n}, {11, n}, true);
}

// One row has sums of four panels in registers, two or three those of two panels, and more those of one.
TEST_P(EmitGemm, NarrowPanels) {
  for (int64_t n : {1, 15, 16, 17, 33, 48, 63, 64, 65, 100, 129}) {
    auto runner = compile(narrowKernel(70, n, "f32"));
    for (int64_t m : {1, 2, 3, 4, 6, 7, 13, 64, 65, 100})
      runNarrow<float>(*runner, m, 70, n);
  }
}

TEST_P(EmitGemm, NarrowPanelsOfDynamicSizes) {
  auto runner = compile(narrowKernel(-1, -1, "f32"));
  for (int64_t k : {0, 1, 127, 128, 129, 1025, 2500})
    for (int64_t n : {1, 16, 40, 64, 100})
      for (int64_t m : {1, 2, 5, 17, 33})
        runNarrow<float>(*runner, m, k, n);
}

TEST_P(EmitGemm, NarrowPanelsOfF64) {
  for (int64_t n : {1, 4, 9, 16, 23, 64, 70}) {
    auto runner = compile(narrowKernel(33, n, "f64"));
    for (int64_t m : {1, 2, 3, 8, 65})
      runNarrow<double>(*runner, m, 33, n);
  }
}

TEST_P(EmitGemm, StaticSizes) {
  for (int64_t m : {1, 9, 17, 65, 100, 130})
    for (int64_t n : {5, 64})
      runGemm<float>(*compile(gemmKernel({m, 33}, {33, n}, {m, n}, false)), {m, 33}, {33, n}, {m, n}, false);
}

TEST_P(EmitGemm, F64) {
  auto runner = compile(gemmKernel({-1, -1}, {-1, -1}, {-1, -1}, false, "f64"));
  for (int64_t n : {1, 4, 9, 23, 24, 25, 48, 50})
    for (int64_t m : {1, 6, 9, 65})
      runGemm<double>(*runner, {m, 31}, {31, n}, {m, n}, false);
}

TEST_P(EmitGemm, BatchesOfOneAreBroadcastAtRunTime) {
  auto runner = compile(gemmKernel({-1, -1, -1, -1}, {-1, -1, -1}, {-1, -1, -1, -1}, false));
  for (int64_t outer : {1, 2})
    for (int64_t inner : {1, 3}) {
      runGemm<float>(*runner, {outer, inner, 10, 6}, {3, 6, 20}, {outer, 3, 10, 20}, false);
      runGemm<float>(*runner, {outer, 3, 10, 6}, {inner, 6, 20}, {outer, 3, 10, 20}, false);
      runGemm<float>(*runner, {1, 3, 10, 6}, {1, 6, 20}, {outer, 3, 10, 20}, false);
    }
  auto shared = compile(gemmKernel({-1, 2, -1, 6}, {6, 20}, {-1, 2, -1, 20}, false));
  runGemm<float>(*shared, {3, 2, 10, 6}, {6, 20}, {3, 2, 10, 20}, false);
}

TEST_P(EmitGemm, EpilogueWithCaptures) {
  // relu(sum + bias[n]) where keep[b, 1, n] of the scalar scale, plus residual[b, m, n].
  auto runner = compile(R"(
    weft.kernel @k(%t: index, %a: memref<?x?x?xf32>, %b: memref<?x?xf32>, %bias: memref<?xf32>, %keep: memref<?x1x?xi8>,
                   %scale: memref<f32>, %residual: memref<?x?x?xf32>, %column: memref<?x?x1xf32>, %c: memref<?x?x?xf32>)
        attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} {
      weft.gemm_tile ins(%a, %b : memref<?x?x?xf32>, memref<?x?xf32>)
        captures(%bias, %keep, %scale, %residual, %column
          : memref<?xf32>, memref<?x1x?xi8>, memref<f32>, memref<?x?x?xf32>, memref<?x?x1xf32>)
        outs(%c : memref<?x?x?xf32>) epilogue {
      ^bb0(%sum: f32, %p: f32, %q: i1, %r: f32, %s: f32, %u: f32):
        %zero = arith.constant 0.0 : f32
        %0 = arith.addf %sum, %p : f32
        %1 = arith.maximumf %0, %zero : f32
        %2 = arith.select %q, %1, %r : f32
        %3 = arith.addf %2, %s : f32
        %4 = arith.mulf %3, %u : f32
        weft.yield %4 : f32
      }
      weft.yield
    })");
  ASSERT_TRUE(runner);
  for (int64_t m : {1, 9, 70})
    for (int64_t n : {5, 48, 100})
      for (int64_t k : {0, 7, 1030}) {
        Array<float> a({2, m, k}), b({k, n}), bias({n}), scale({}), residual({2, m, n}), column({2, m, 1}),
            c({2, m, n});
        Array<int8_t> keep({2, 1, n});
        unsigned seed = 1;
        for (const Array<float> *array : {&a, &b, &bias, &scale, &residual, &column})
          fillRandom(*array, seed++);
        for (int64_t i = 0; i < keep.count(); ++i)
          keep[i] = i % 3 != 0;
        runner->run(gridOf(c.shape), {&a, &b, &bias, &keep, &scale, &residual, &column, &c});
        Reference<float> reference(a, b, c.shape);
        std::vector<double> expected;
        for (int64_t i = 0; i < c.count(); ++i) {
          int64_t batch = i / (m * n), column_ = i % n;
          double value = std::max(reference.sums[i] + bias[column_], 0.0);
          expected.push_back(((keep[batch * n + column_] ? value : scale[0]) + residual[i]) * column[i / n]);
          reference.magnitudes[i] += 3;
        }
        expectClose(c, expected, reference.magnitudes, k);
      }
}

/// Rows that are routed to one of three matrices each; two rows are routed to none, and no row to the second
/// matrix.
static void runRouted(KernelRunner &runner, int64_t depth, int64_t columns, bool packed) {
  SCOPED_TRACE("depth " + std::to_string(depth) + ", columns " + std::to_string(columns));
  constexpr int64_t kMatrices = 3;
  const Shape panels{ceilDiv(columns, kColumns), depth, kColumns};
  Array<float> x({11, depth}), w({kMatrices, depth, columns}), out({11, columns}),
      stored(packed ? Shape{kMatrices * panels[0], depth, kColumns} : w.shape);
  Array<int64_t> experts({11});
  fillRandom(x, 1);
  fillRandom(w, 2);
  for (int64_t i = 0; i < w.count() && !packed; ++i)
    stored[i] = w[i];
  for (int64_t i = 0; i < kMatrices && packed; ++i) {
    Array<float> matrix({depth, columns});
    std::copy_n(w.data() + i * matrix.count(), matrix.count(), matrix.data());
    Array<float> own = pack(matrix);
    std::copy_n(own.data(), own.count(), stored.data() + i * own.count());
  }
  int64_t chosen[] = {0, 2, 0, -1, 0, 3, -3, 0, -4, 2, 0};
  std::copy(chosen, chosen + 11, experts.data());
  runner.failures.clear();
  runner.run(kMatrices * panels[0], {&x, &stored, &experts, &out});
  forEach(out.shape, [&](const Shape &at, int64_t number) {
    int64_t expert = chosen[at[0]] + (chosen[at[0]] < 0 ? kMatrices : 0);
    double expected = 0; // out is left alone where the expert is wrong
    for (int64_t k = 0; expert >= 0 && expert < kMatrices && k < depth; ++k)
      expected += double(x[at[0] * depth + k]) * w[(expert * depth + k) * columns + at[1]];
    EXPECT_NEAR(out[number], expected, 1e-6 * double(depth + 10));
  });
  std::vector<std::pair<int64_t, int64_t>> failures{{3, 3}, {-4, 3}};
  EXPECT_EQ(runner.failures, failures);
}

static std::string routedKernel(const std::string &weights, const std::string &out, bool packed) {
  std::string operands =
      "(%a, %b : memref<?x?xf32>, " + weights + ") experts(%e : memref<?xi64>) outs(%c : " + out + ")";
  return "weft.kernel @k(%t: index, %a: memref<?x?xf32>, %b: " + weights + ", %e: memref<?xi64>, %c: " + out +
         ") attributes {schedule = {rows = 4 : i64, columns = 48 : i64}} { weft.gemm_tile ins" + operands +
         (packed ? " {packed}" : "") + " weft.yield }";
}

TEST_P(EmitGemm, Routed) {
  auto runner = compile(routedKernel("memref<?x?x?xf32>", "memref<?x?xf32>", /*packed=*/false));
  ASSERT_TRUE(runner);
  for (int64_t depth : {0, 1, 37})
    for (int64_t columns : {1, 23, 48, 50, 97})
      runRouted(*runner, depth, columns, /*packed=*/false);
}

TEST_P(EmitGemm, RoutedToPackedMatrices) {
  for (int64_t columns : {1, 48, 50, 97}) {
    auto runner = compile(
        routedKernel("memref<?x?x48xf32>", "memref<?x" + std::to_string(columns) + "xf32>", /*packed=*/true));
    ASSERT_TRUE(runner);
    for (int64_t depth : {1, 37, 300})
      runRouted(*runner, depth, columns, /*packed=*/true);
  }
}
