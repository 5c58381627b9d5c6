// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that parts of a depth left, added in order, with an epilogue and without.
#include "test/compiler/Target/CPU/KernelTest.h"

using namespace weft::test;

namespace {

using EmitAddParts = KernelTest;
INSTANTIATE_TEST_SUITE_P(VectorBits, EmitAddParts, ::testing::Values(512, 256));

constexpr int64_t kColumns = 40;
const std::string kSchedule = ") attributes {schedule = {rows = 1 : i64, columns = 40 : i64}} {";
const Shape kShapes[] = {{1, 1, 1, 1},  {2, 1, 3, 16},  {3, 2, 2, 39}, {4, 1, 1, 40},
                         {5, 2, 3, 41}, {9, 1, 2, 130}, {3, 2, 0, 5},  {3, 1, 2, 0}};

int64_t tilesOf(const Shape &parts) { return parts[1] * parts[2] * ceilDiv(parts[3], kColumns); }

/// The sum of the parts at a place of the result.
template <typename T> T sumAt(const Array<T> &parts, const Shape &shape, int64_t number) {
  int64_t each = shape[1] * shape[2] * shape[3];
  T sum = 0;
  for (int64_t part = 0; part < shape[0]; ++part)
    sum += parts[part * each + number];
  return sum;
}

template <typename T> void runSums(KernelRunner &runner) {
  for (const Shape &shape : kShapes) {
    Array<T> parts(shape), out({shape[1], shape[2], shape[3]});
    fillRandom(parts, 1, -100, 100);
    runner.run(tilesOf(shape), {&parts, &out});
    for (int64_t i = 0; i < out.count(); ++i)
      EXPECT_EQ(out[i], sumAt(parts, shape, i)) << "element " << i << " of " << shape[0] << " parts";
  }
}

} // namespace

TEST_P(EmitAddParts, InOrder) {
  for (const char *element : {"f32", "f64", "i32"}) {
    std::string in = std::string("memref<?x?x?x?x") + element + ">",
                out = std::string("memref<?x?x?x") + element + ">";
    auto runner = compile("weft.kernel @k(%t: index, %a: " + in + ", %out: " + out + kSchedule +
                          " weft.add_parts_tile ins(%a : " + in + ") outs(%out : " + out + ") weft.yield }");
    ASSERT_TRUE(runner);
    if (element[0] == 'i')
      runSums<int32_t>(*runner);
    else if (element[1] == '3')
      runSums<float>(*runner);
    else
      runSums<double>(*runner);
  }
}

TEST_P(EmitAddParts, Epilogue) {
  auto runner = compile("weft.kernel @k(%t: index, %a: memref<?x?x?x?xi32>, %row: memref<?xf32>, %all: "
                        "memref<?x?x?xf32>, %out: memref<?x?x?xf32>" +
                        kSchedule + R"(
    weft.add_parts_tile ins(%a : memref<?x?x?x?xi32>) captures(%row, %all : memref<?xf32>, memref<?x?x?xf32>) outs(%out : memref<?x?x?xf32>) epilogue {
    ^bb0(%sum: i32, %scale: f32, %more: f32):
      %0 = arith.sitofp %sum : i32 to f32
      %1 = arith.mulf %0, %scale : f32
      %2 = arith.addf %1, %more : f32
      weft.yield %2 : f32
    }
    weft.yield })");
  ASSERT_TRUE(runner);
  for (const Shape &shape : kShapes) {
    Array<int32_t> parts(shape);
    Array<float> row({shape[3]}), all({shape[1], shape[2], shape[3]}), out({shape[1], shape[2], shape[3]});
    fillRandom(parts, 1, -100, 100);
    fillRandom(row, 2);
    fillRandom(all, 3);
    runner->run(tilesOf(shape), {&parts, &row, &all, &out});
    for (int64_t i = 0; i < out.count(); ++i)
      EXPECT_NEAR(out[i], sumAt(parts, shape, i) * row[i % shape[3]] + all[i], 1e-3) << "element " << i;
  }
}
