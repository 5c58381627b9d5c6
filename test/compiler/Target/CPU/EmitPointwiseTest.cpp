// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linalg.generic kernels: ranks, broadcasts, strides, element types.
#include "test/compiler/Target/CPU/KernelTest.h"

using namespace weft::test;

namespace {

using EmitPointwise = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitPointwise, ::testing::Values(512, 256));

constexpr int64_t kRows = 3, kColumns = 64;
const std::string kSchedule = ") attributes {schedule = {rows = 3 : i64, columns = 64 : i64}} {";

/// Rows enough for squares of them to be transposed in registers, but for some that are left.
constexpr int64_t kManyRows = 37;
const std::string kManyRowsSchedule = ") attributes {schedule = {rows = 37 : i64, columns = 64 : i64}} {";

/// As compiler/Tile makes the grid: pieces of a vector, rows of anything else.
int64_t gridOf(const Shape &shape, int64_t rowsOfTile = kRows) {
  if (shape.empty())
    return 1;
  if (shape.size() == 1)
    return ceilDiv(shape[0], kColumns);
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    rows *= shape[i];
  return ceilDiv(rows, rowsOfTile);
}

template <typename T>
void expectElements(const Array<T> &actual, const std::function<double(const Shape &)> &expected) {
  int64_t wrong = 0;
  forEach(actual.shape, [&](const Shape &position, int64_t number) {
    double value = expected(position);
    if (!(std::fabs(double(actual[number]) - value) <= 1e-6 * std::max(1.0, std::fabs(value))) &&
        ++wrong <= 3)
      ADD_FAILURE() << ::testing::PrintToString(position) << " is " << double(actual[number]) << ", expected "
                    << value;
  });
  EXPECT_EQ(wrong, 0) << "of shape " << ::testing::PrintToString(actual.shape);
}

/// A kernel that adds an input, read through a map or a cast, to another of the output's shape.
std::string addKernel(int64_t rank, const std::string &inputType, const std::string &map,
                      const std::string &prologue = "", const std::string &readType = "",
                      const std::string &schedule = kSchedule, const std::string &outType = "") {
  std::string loops, iterators, out = "memref<";
  for (int64_t i = 0; i < rank; ++i) {
    loops += (i ? ", d" : "d") + std::to_string(i);
    iterators += i ? ", \"parallel\"" : "\"parallel\"";
    out += "?x";
  }
  out += "f32>";
  if (!outType.empty())
    out = outType;
  std::string read = prologue.empty() ? inputType : readType;
  return "weft.kernel @k(%t: index, %a: " + inputType + ", %b: " + out + ", %out: " + out + schedule +
         prologue + "linalg.generic {indexing_maps = [affine_map<(" + loops + ") -> (" + map +
         ")>, affine_map<(" + loops + ") -> (" + loops + ")>, affine_map<(" + loops + ") -> (" + loops +
         ")>], iterator_types = [" + iterators + "]} ins(" + (prologue.empty() ? "%a" : "%view") +
         ", %b : " + read + ", " + out + ") outs(%out : " + out +
         R"() { ^bb0(%x: f32, %y: f32, %z: f32): %s = arith.addf %x, %y : f32 linalg.yield %s : f32 } weft.yield })";
}

/// Runs an addKernel; element(position) is where the input's element is.
void runAdd(KernelRunner &runner, const Shape &input, const Shape &out,
            const std::function<int64_t(const Shape &)> &element, int64_t rowsOfTile = kRows) {
  Array<float> a(input), b(out), result(out);
  fillRandom(a, 1);
  fillRandom(b, 2);
  runner.run(gridOf(out, rowsOfTile), {&a, &b, &result});
  int64_t number = 0;
  expectElements(result, [&](const Shape &position) { return a[element(position)] + b[number++]; });
}

} // namespace

TEST_P(EmitPointwise, Scalar) {
  auto runner = compile(addKernel(0, "memref<f32>", ""));
  ASSERT_TRUE(runner);
  runAdd(*runner, {}, {}, [](const Shape &) { return 0; });
}

TEST_P(EmitPointwise, Vector) {
  auto runner = compile(addKernel(1, "memref<?xf32>", "d0")),
       splat = compile(addKernel(1, "memref<f32>", ""));
  ASSERT_TRUE(runner && splat);
  for (int64_t n : {0, 1, 15, 16, 17, 63, 64, 65, 1000}) {
    runAdd(*runner, {n}, {n}, [](const Shape &at) { return at[0]; });
    runAdd(*splat, {}, {n}, [](const Shape &) { return 0; });
  }
}

TEST_P(EmitPointwise, BroadcastRowsAndColumns) {
  auto row = compile(addKernel(2, "memref<?xf32>", "d1")),
       column = compile(addKernel(2, "memref<?xf32>", "d0"));
  ASSERT_TRUE(row && column);
  for (int64_t m : {0, 1, 3, 7})
    for (int64_t n : {0, 1, 16, 37}) {
      runAdd(*row, {n}, {m, n}, [](const Shape &at) { return at[1]; });
      runAdd(*column, {m}, {m, n}, [](const Shape &at) { return at[0]; });
    }
}

TEST_P(EmitPointwise, Transposed) {
  auto inner = compile(addKernel(3, "memref<?x?x?xf32>", "d0, d2, d1"));
  auto outer = compile(addKernel(4, "memref<?x?x?x?xf32>", "d0, d2, d1, d3"));
  auto fixed = compile(addKernel(2, "memref<40x33xf32>", "d1, d0"));
  ASSERT_TRUE(inner && outer && fixed);
  for (int64_t b : {1, 2})
    for (int64_t m : {1, 5, 16, 33})
      for (int64_t n : {1, 16, 40, 300}) {
        runAdd(*inner, {b, n, m}, {b, m, n},
               [&](const Shape &at) { return (at[0] * n + at[2]) * m + at[1]; });
        runAdd(*outer, {b, m, 3, n}, {b, 3, m, n},
               [&](const Shape &at) { return ((at[0] * m + at[2]) * 3 + at[1]) * n + at[3]; });
      }
  runAdd(*fixed, {40, 33}, {33, 40}, [](const Shape &at) { return at[1] * 33 + at[0]; });
}

TEST_P(EmitPointwise, TransposedInSquares) {
  auto many = [&](int64_t rank, const std::string &type, const std::string &map) {
    return compile(addKernel(rank, type, map, "", "", kManyRowsSchedule));
  };
  auto inner = many(3, "memref<?x?x?xf32>", "d0, d2, d1"), outer = many(3, "memref<?x?x?xf32>", "d2, d1, d0");
  ASSERT_TRUE(inner && outer);
  for (int64_t b : {1, 3})
    for (int64_t m : {1, 15, 16, 37, 70})
      for (int64_t n : {1, 16, 31, 48, 130}) {
        runAdd(
            *inner, {b, n, m}, {b, m, n}, [&](const Shape &at) { return (at[0] * n + at[2]) * m + at[1]; },
            kManyRows);
        runAdd(
            *outer, {n, b, m}, {m, b, n}, [&](const Shape &at) { return (at[2] * b + at[1]) * m + at[0]; },
            kManyRows);
      }
}

/// Rows of fewer columns than a vector has lanes: an input that has them in order, one that is transposed,
/// and one that has but a row of them.
TEST_P(EmitPointwise, NarrowRows) {
  for (int64_t columns : {2, 4, 8}) {
    std::string width = std::to_string(columns), out = "memref<?x?x" + width + "xf32>";
    auto narrow = [&](const std::string &type, const std::string &map) {
      return compile(addKernel(3, type, map, "", "", kManyRowsSchedule, out));
    };
    auto plain = narrow(out, "d0, d1, d2"), swapped = narrow("memref<?x?x" + width + "xf32>", "d1, d0, d2"),
         turned = narrow("memref<?x" + width + "x?xf32>", "d0, d2, d1"),
         row = narrow("memref<" + width + "xf32>", "d2"), column = narrow("memref<?x?xf32>", "d0, d1");
    ASSERT_TRUE(plain && swapped && turned && row && column);
    for (int64_t m : {1, 3, 40})
      for (int64_t n : {1, 4, 7, 61}) {
        Shape shape{m, n, columns};
        auto run = [&](KernelRunner &runner, const Shape &input,
                       const std::function<int64_t(const Shape &)> &element) {
          runAdd(runner, input, shape, element, kManyRows);
        };
        run(*plain, shape, [&](const Shape &at) { return (at[0] * n + at[1]) * columns + at[2]; });
        run(*swapped, {n, m, columns},
            [&](const Shape &at) { return (at[1] * m + at[0]) * columns + at[2]; });
        run(*turned, {m, columns, n}, [&](const Shape &at) { return (at[0] * columns + at[2]) * n + at[1]; });
        run(*row, {columns}, [&](const Shape &at) { return at[2]; });
        run(*column, {m, n}, [&](const Shape &at) { return at[0] * n + at[1]; });
      }
  }
}

TEST_P(EmitPointwise, BroadcastKnownAtRunTime) {
  // A dim of 1 is broadcast by the stride 0.
  auto runner = compile(addKernel(2, "memref<?x?xf32>", "d0, d1", R"(
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %rows = memref.dim %a, %c0 : memref<?x?xf32>
      %columns = memref.dim %a, %c1 : memref<?x?xf32>
      %m = memref.dim %out, %c0 : memref<?x?xf32>
      %n = memref.dim %out, %c1 : memref<?x?xf32>
      %oneRow = arith.cmpi eq, %rows, %c1 : index
      %oneColumn = arith.cmpi eq, %columns, %c1 : index
      %s0 = arith.select %oneRow, %c0, %columns : index
      %s1 = arith.select %oneColumn, %c0, %c1 : index
      %view = memref.reinterpret_cast %a to offset: [0], sizes: [%m, %n], strides: [%s0, %s1]
        : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?]>>
      )",
                                  "memref<?x?xf32, strided<[?, ?]>>"));
  ASSERT_TRUE(runner);
  for (int64_t rows : {1, 10})
    for (int64_t columns : {1, 37})
      runAdd(*runner, {rows, columns}, {10, 37},
             [&](const Shape &at) { return (rows == 1 ? 0 : at[0]) * columns + (columns == 1 ? 0 : at[1]); });
}

TEST_P(EmitPointwise, StridesKnownAtRunTime) {
  // Every second element, from the fifth on.
  auto runner = compile(addKernel(1, "memref<?xf32>", "d0", R"(
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %n = memref.dim %out, %c0 : memref<?xf32>
      %all = memref.dim %a, %c0 : memref<?xf32>
      %step = arith.divui %all, %n : index
      %view = memref.reinterpret_cast %a to offset: [4], sizes: [%n], strides: [%step]
        : memref<?xf32> to memref<?xf32, strided<[?], offset: 4>>
      )",
                                  "memref<?xf32, strided<[?], offset: 4>>"));
  ASSERT_TRUE(runner);
  runAdd(*runner, {206}, {101}, [](const Shape &at) { return 4 + 2 * at[0]; });
}

TEST_P(EmitPointwise, BoolsAreBytes) {
  auto runner =
      compile("weft.kernel @k(%t: index, %a: memref<?x?xf32>, %keep: memref<?xi8>, %out: memref<?x?xi8>" +
              kSchedule + R"(
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                      iterator_types = ["parallel", "parallel"]}
          ins(%a, %keep : memref<?x?xf32>, memref<?xi8>) outs(%out : memref<?x?xi8>) {
      ^bb0(%x: f32, %k: i8, %z: i8):
        %zero = arith.constant 0.0 : f32
        %off = arith.constant 0 : i8
        %0 = arith.cmpf ogt, %x, %zero : f32
        %1 = arith.cmpi ne, %k, %off : i8
        %2 = arith.andi %0, %1 : i1
        %3 = arith.extui %2 : i1 to i8
        linalg.yield %3 : i8
      }
      weft.yield
    })");
  ASSERT_TRUE(runner);
  Array<float> a({5, 39});
  Array<int8_t> keep({39}), out({5, 39});
  fillRandom(a, 1);
  for (int64_t i = 0; i < 39; ++i)
    keep[i] = i % 3 != 0;
  runner->run(gridOf(out.shape), {&a, &keep, &out});
  expectElements(out, [&](const Shape &at) { return a[at[0] * 39 + at[1]] > 0 && at[1] % 3 != 0; });
}

TEST_P(EmitPointwise, PositionsAndIntegers) {
  // x / (j + 1) + 100 i: lanes beyond the end of a row must not divide by zero.
  auto runner =
      compile("weft.kernel @k(%t: index, %a: memref<?x?xi64>, %out: memref<?x?xi64>" + kSchedule + R"(
      %hundred = arith.constant 100 : i64
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                      iterator_types = ["parallel", "parallel"]}
          ins(%a : memref<?x?xi64>) outs(%out : memref<?x?xi64>) {
      ^bb0(%x: i64, %z: i64):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %row = arith.index_cast %i : index to i64
        %column = arith.index_cast %j : index to i64
        %one = arith.constant 1 : i64
        %0 = arith.addi %column, %one : i64
        %1 = arith.divsi %x, %0 : i64
        %2 = arith.divsi %1, %x : i64
        %3 = arith.muli %2, %x : i64
        %4 = arith.muli %row, %hundred : i64
        %5 = arith.addi %3, %4 : i64
        linalg.yield %5 : i64
      }
      weft.yield
    })");
  ASSERT_TRUE(runner);
  Array<int64_t> a({5, 39}), out({5, 39});
  for (int64_t i = 0; i < a.count(); ++i)
    a[i] = 1000 - 7 * i - 1;
  runner->run(gridOf(out.shape), {&a, &out});
  expectElements(out, [&](const Shape &at) {
    int64_t x = a[at[0] * 39 + at[1]];
    return x / (at[1] + 1) / x * x + at[0] * 100;
  });
}

TEST_P(EmitPointwise, Casts) {
  auto runner = compile("weft.kernel @k(%t: index, %a: memref<?xf32>, %out: memref<?xi64>" + kSchedule + R"(
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%a : memref<?xf32>) outs(%out : memref<?xi64>) {
      ^bb0(%x: f32, %z: i64):
        %0 = arith.fptosi %x : f32 to i64
        linalg.yield %0 : i64
      }
      weft.yield
    })");
  ASSERT_TRUE(runner);
  Array<float> a({100});
  Array<int64_t> out({100});
  fillRandom(a, 1, -1000, 1000);
  runner->run(gridOf(out.shape), {&a, &out});
  expectElements(out, [&](const Shape &at) { return std::trunc(a[at[0]]); });
}
