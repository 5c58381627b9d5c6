// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: matmul with its rank rules, batches, packing and epilogues; conv.
#include "EvaluateFixture.h"

using namespace weft;
using ContractionTest = EvaluateTest;

TEST_F(ContractionTest, MatmulRanks) {
  Tensor matrix = tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), row = tensor("2xf32", {1, 10}),
         column = tensor("3xf32", {1, 0, -1});
  expectTensor(run("weft.matmul", "", {matrix, tensor("3x2xf32", {1, 2, 3, 4, 5, 6})}, "2x2xf32"), "2x2xf32",
               {22, 28, 49, 64});
  expectTensor(run("weft.matmul", "", {row, matrix}, "3xf32"), "3xf32", {41, 52, 63});
  expectTensor(run("weft.matmul", "", {matrix, column}, "2xf32"), "2xf32", {-2, -2});
  expectTensor(run("weft.matmul", "", {column, column}, "f32"), "f32", {2});
}

TEST_F(ContractionTest, MatmulBroadcastsBatches) {
  Tensor lhs = tensor("2x1x1x2xf32", {1, 2, 3, 4}), rhs = tensor("3x2x1xf32", {1, 0, 0, 1, 1, 1});
  expectTensor(run("weft.matmul", "", {lhs, rhs}, "2x3x1x1xf32"), "2x3x1x1xf32", {1, 2, 3, 3, 4, 7});
  Tensor matrix = tensor("2x2xf32", {1, 2, 3, 4});
  expectTensor(run("weft.matmul", "", {tensor("2x2xf32", {1, 0, 0, 1}), tensor("1x2x2xf32", {1, 2, 3, 4})},
                   "1x2x2xf32"),
               "1x2x2xf32", {1, 2, 3, 4});
  expectTensor(run("weft.matmul", "", {tensor("2x2x2xf32", {1, 0, 0, 1, 2, 0, 0, 2}), matrix}, "2x2x2xf32"),
               "2x2x2xf32", {1, 2, 3, 4, 2, 4, 6, 8});
  // A vector is no batch.
  expectTensor(
      run("weft.matmul", "", {tensor("2x1x2xf32", {1, 2, 3, 4}), tensor("2xf32", {1, 10})}, "2x1xf32"),
      "2x1xf32", {21, 43});
}

TEST_F(ContractionTest, MatmulElementTypes) {
  expectTensor(run("weft.matmul", "", {tensor("2xi8", {100, 1}), tensor("2xi8", {2, 1})}, "i8"), "i8", {-55});
  expectIntegers(run("weft.matmul", "", {integers("1xi64", {INT64_MAX}), integers("1xi64", {2})}, "i64"),
                 "i64", {-2});
  // Summed in f16 this would stay at 2048.
  expectTensor(run("weft.matmul", "", {tensor("3xf16", {2048, 1, 1}), tensor("3xf16", {1, 1, 1})}, "f16"),
               "f16", {2050});
  expectTensor(run("weft.matmul", "", {tensor("3xbf16", {256, 1, 1}), tensor("3xbf16", {1, 1, 1})}, "bf16"),
               "bf16", {258});
  expectTensor(run("weft.matmul", "", {tensor("3xf32", {1e30, 1, -1e30}), tensor("3xf32", {1, 1, 1})}, "f32"),
               "f32", {0});
  expectTensor(run("weft.matmul", "", {tensor("2xf32", {16777216, 1}), tensor("2xf32", {1, 1})}, "f32"),
               "f32", {16777216});
  expectTensor(run("weft.matmul", "", {tensor("2xf32", {0, 1}), tensor("2xf32", {kInfinity, 1})}, "f32"),
               "f32", {kNan});
}

TEST_F(ContractionTest, MatmulOfNothing) {
  expectTensor(run("weft.matmul", "", {tensor("2x0xf32", {}), tensor("0x2xf32", {})}, "2x2xf32"), "2x2xf32",
               {0, 0, 0, 0});
  expectTensor(run("weft.matmul", "", {tensor("0x2xf32", {}), tensor("2x2xf32", {1, 2, 3, 4})}, "0x2xf32"),
               "0x2xf32", {});
}

TEST_F(ContractionTest, MatmulErrorsOfTheRun) {
  std::string text =
      R"(func.func @f(%x: tensor<?x2x?xf32, #weft.dims<"b", 2, "k">>, %y: tensor<?x?x2xf32, #weft.dims<"c", "l", 2>>)
      -> tensor<?x2x2xf32> {
    %r = weft.matmul %x, %y : (tensor<?x2x?xf32, #weft.dims<"b", 2, "k">>, tensor<?x?x2xf32, #weft.dims<"c", "l", 2>>)
      -> tensor<?x2x2xf32>
    return %r : tensor<?x2x2xf32>
  })";
  expectError(runFunction(text, {tensor("1x2x1xf32", {1, 2}), tensor("1x2x2xf32", {1, 2, 3, 4})}),
              "matmul-c2: contracts 1 columns of lhs with 2 rows of rhs");
  expectError(runFunction(text, {tensor("2x2x1xf32", {1, 2, 3, 4}), tensor("3x1x2xf32", {1, 2, 3, 4, 5, 6})}),
              "matmul-c3: batch dims [2] and [3] do not broadcast");
}

TEST_F(ContractionTest, PackedRhs) {
  // 50 columns: column n of row k is 100 * k + n, in panels that are padded with a number that must not be
  // read.
  for (int width : {48, 16}) {
    int panels = (50 + width - 1) / width;
    std::vector<double> packed(panels * 2 * width, 1e9), expected;
    for (int k = 0; k < 2; ++k)
      for (int n = 0; n < 50; ++n)
        packed[(n / width * 2 + k) * width + n % width] = 100 * k + n;
    for (int m = 0; m < 2; ++m)
      for (int n = 0; n < 50; ++n)
        expected.push_back(m == 0 ? n : 2 * n + 100); // lhs is [[1, 0], [1, 1]].
    std::string type = std::to_string(panels) + "x2x" + std::to_string(width) + "xf32";
    expectTensor(run("weft.matmul", "{packed_columns = 50 : i64}",
                     {tensor("2x2xf32", {1, 0, 1, 1}), tensor(type, packed)}, "2x50xf32"),
                 "2x50xf32", expected);
  }
}

TEST_F(ContractionTest, Epilogue) {
  std::string text =
      R"(func.func @f(%x: tensor<2x2xf32>, %y: tensor<2x3xf32>, %bias: tensor<3xf32>, %rows: tensor<2x1xi32>)
      -> tensor<2x3xf32> {
    %r = weft.matmul %x, %y captures(%bias, %rows : tensor<3xf32>, tensor<2x1xi32>) epilogue {
    ^bb0(%sum: f32, %b: f32, %row: i32):
      %0 = arith.addf %sum, %b : f32
      %1 = arith.sitofp %row : i32 to f32
      %2 = arith.mulf %0, %1 : f32
      weft.yield %2 : f32
    } : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %r : tensor<2x3xf32>
  })";
  expectTensor(runFunction(text, {tensor("2x2xf32", {1, 0, 0, 1}), tensor("2x3xf32", {1, 2, 3, 4, 5, 6}),
                                  tensor("3xf32", {10, 20, 30}), tensor("2x1xi32", {1, -1})}),
               "2x3xf32", {11, 22, 33, -14, -25, -36});
}

TEST_F(ContractionTest, CaptureThatEnlargesTheResult) {
  std::string text = R"(func.func @f(%x: tensor<2xf32>, %y: tensor<2x?xf32, #weft.dims<2, "n">>,
                                   %c: tensor<?xf32, #weft.dims<"m">>) -> tensor<?xf32> {
    %r = weft.matmul %x, %y captures(%c : tensor<?xf32, #weft.dims<"m">>) epilogue {
    ^bb0(%sum: f32, %b: f32):
      weft.yield %b : f32
    } : (tensor<2xf32>, tensor<2x?xf32, #weft.dims<2, "n">>) -> tensor<?xf32>
    return %r : tensor<?xf32>
  })";
  expectError(
      runFunction(text, {tensor("2xf32", {1, 2}), tensor("2x1xf32", {1, 2}), tensor("3xf32", {1, 2, 3})}),
      "matmul-c5: a capture of shape [3] does not broadcast to the result's, [1]");
}

TEST_F(ContractionTest, Conv) {
  // Two groups, dilated, strided, padded, with bias.
  expectTensor(
      run("weft.conv",
          "{strides = array<i64: 2>, pads = array<i64: 1, 2>, dilations = array<i64: 2>, groups = 2 : i64}",
          {tensor("1x2x5xf32", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), tensor("2x1x3xf32", {1, 2, 3, -1, 0, 1}),
           tensor("2xf32", {10, 20})},
          "1x2x2xf32"),
      "1x2x2xf32", {26, 20, 29, 13});
  expectTensor(
      run("weft.conv",
          "{strides = array<i64: 1, 2>, pads = array<i64: 0, 1, 0, 0>, dilations = array<i64: 1, 1>, "
          "groups = 1 : i64}",
          {tensor("1x1x4x4xf32", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
           tensor("2x1x2x2xf32", {1, 0, 0, -1, 2, 1, 1, 0})},
          "1x2x3x2xf32"),
      "1x2x3x2xf32", {-4, -5, -8, -5, -12, -5, 0, 9, 4, 25, 8, 41});
}

TEST_F(ContractionTest, ConvSumsChannels) {
  expectTensor(
      run("weft.conv",
          "{strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}",
          {tensor("2x2x2xf32", {1, 2, 3, 4, 5, 6, 7, 8}), tensor("1x2x1xf32", {1, 10})}, "2x1x2xf32"),
      "2x1x2xf32", {31, 42, 75, 86});
}

TEST_F(ContractionTest, ConvKernelLargerThanInput) {
  std::string text = R"(func.func @f(%x: tensor<1x1x?xf32, #weft.dims<1, 1, "n">>, %w: tensor<1x1x3xf32>)
      -> tensor<1x1x?xf32, #weft.dims<1, 1, "n" - 2>> {
    %r = weft.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
      : (tensor<1x1x?xf32, #weft.dims<1, 1, "n">>, tensor<1x1x3xf32>) -> tensor<1x1x?xf32, #weft.dims<1, 1, "n" - 2>>
    return %r : tensor<1x1x?xf32, #weft.dims<1, 1, "n" - 2>>
  })";
  Tensor filter = tensor("1x1x3xf32", {1, 1, 1});
  expectTensor(runFunction(text, {tensor("1x1x4xf32", {1, 2, 3, 4}), filter}), "1x1x2xf32", {6, 9});
  expectError(runFunction(text, {tensor("1x1x2xf32", {1, 2}), filter}), "conv-c5: a kernel of 3");
}

//===----------------------------------------------------------------------===//
// routed_matmul
//===----------------------------------------------------------------------===//

TEST_F(ContractionTest, RoutedMatmul) {
  Tensor input = tensor("4x2xf32", {1, 2, 3, 4, 5, 6, 7, 8});
  Tensor weights = tensor("2x2x3xf32", {1, 0, 1, 0, 1, 1, 10, 0, 10, 0, 10, 10});
  expectTensor(run("weft.routed_matmul", "", {input, weights, integers("4xi64", {1, 0, -1, -2})}, "4x3xf32"),
               "4x3xf32", {10, 20, 30, 3, 4, 7, 50, 60, 110, 7, 8, 15});
  expectTensor(
      run("weft.routed_matmul", "",
          {tensor("0x2xf16", {}), tensor("2x2x3xf16", std::vector<double>(12, 1)), integers("0xi32", {})},
          "0x3xf16"),
      "0x3xf16", {});
  expectTensor(run("weft.routed_matmul", "",
                   {tensor("1x2xf64", {kNan, 1}), tensor("1x2x2xf64", {0, 1, 1, 0}), integers("1xi32", {0})},
                   "1x2xf64"),
               "1x2xf64", {kNan, kNan});
  expectError(run("weft.routed_matmul", "", {input, weights, integers("4xi64", {1, 0, 2, 0})}, "4x3xf32"),
              "index 2 at [2] of the indices is out of range for axis 0 of size 2");
  expectError(run("weft.routed_matmul", "", {input, weights, integers("4xi64", {1, 0, -3, 0})}, "4x3xf32"),
              "index -3 at [2] of the indices is out of range for axis 0 of size 2");
}
