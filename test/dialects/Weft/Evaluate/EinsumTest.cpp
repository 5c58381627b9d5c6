// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: einsum, windows and depthwise convolutions.
#include "EvaluateFixture.h"

using namespace weft;
using EinsumTest = EvaluateTest;

TEST_F(EinsumTest, OfOneInput) {
  Tensor x = tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), square = tensor("2x2xf32", {1, 2, 3, 4});
  expectTensor(run("weft.einsum \"ij->ji\"", "", {x}, "3x2xf32"), "3x2xf32", {1, 4, 2, 5, 3, 6});
  expectTensor(run("weft.einsum \"ba\"", "", {x}, "3x2xf32"), "3x2xf32", {1, 4, 2, 5, 3, 6});
  expectTensor(run("weft.einsum \"bA\"", "", {x}, "3x2xf32"), "3x2xf32", {1, 4, 2, 5, 3, 6});
  expectTensor(run("weft.einsum \"ij->i\"", "", {x}, "2xf32"), "2xf32", {6, 15});
  expectTensor(run("weft.einsum \"i j -> \"", "", {x}, "f32"), "f32", {21});
  expectTensor(run("weft.einsum \"ii->i\"", "", {square}, "2xf32"), "2xf32", {1, 4});
  expectTensor(run("weft.einsum \"ii\"", "", {square}, "f32"), "f32", {5});
  expectTensor(run("weft.einsum \"...->...\"", "", {x}, "2x3xf32"), "2x3xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(run("weft.einsum \"...j->j...\"", "", {x}, "3x2xf32"), "3x2xf32", {1, 4, 2, 5, 3, 6});
}

TEST_F(EinsumTest, OfSeveralInputs) {
  Tensor x = tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), y = tensor("3x2xf32", {1, 0, 0, 1, 1, 1}),
         row = tensor("2xf32", {10, -1}), number = tensor("f32", {2});
  expectTensor(run("weft.einsum \"ij,jk\"", "", {x, y}, "2x2xf32"), "2x2xf32", {4, 5, 10, 11});
  expectTensor(run("weft.einsum \"ij,jk->ki\"", "", {x, y}, "2x2xf32"), "2x2xf32", {4, 10, 5, 11});
  expectTensor(run("weft.einsum \"ij,jk,k->i\"", "", {x, y, row}, "2xf32"), "2xf32", {35, 89});
  expectTensor(run("weft.einsum \"i,ij->ij\"", "", {row, x}, "2x3xf32"), "2x3xf32", {10, 20, 30, -4, -5, -6});
  expectTensor(run("weft.einsum \",ij,ij->\"", "", {number, x, x}, "f32"), "f32", {182});
  expectTensor(run("weft.einsum \"i,j->ij\"", "", {row, row}, "2x2xf32"), "2x2xf32", {100, -10, -10, 1});
}

TEST_F(EinsumTest, BroadcastsDimsOfOne) {
  Tensor x = tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), one = tensor("1x3xf32", {1, 10, 100});
  expectTensor(run("weft.einsum \"ij,ij->ij\"", "", {one, x}, "2x3xf32"), "2x3xf32",
               {1, 20, 300, 4, 50, 600});
  expectTensor(run("weft.einsum \"ij,ij->j\"", "", {one, x}, "3xf32"), "3xf32", {5, 70, 900});
  expectTensor(run("weft.einsum \"...j,...j->...\"", "", {one, x}, "2xf32"), "2xf32", {321, 654});
  expectTensor(run("weft.einsum \"...j,j...->j\"", "", {x, tensor("3xf32", {1, 1, 2})}, "3xf32"), "3xf32",
               {5, 7, 18});
}

TEST_F(EinsumTest, ElementTypesAndNothing) {
  expectTensor(run("weft.einsum \"i,i\"", "", {tensor("2xi8", {100, 1}), tensor("2xi8", {2, 1})}, "i8"), "i8",
               {-55});
  // Summed in f16 this would stay at 2048.
  expectTensor(run("weft.einsum \"i->\"", "", {tensor("3xf16", {2048, 1, 1})}, "f16"), "f16", {2050});
  expectTensor(
      run("weft.einsum \"ij,jk->ik\"", "", {tensor("2x0xf32", {}), tensor("0x1xf32", {})}, "2x1xf32"),
      "2x1xf32", {0, 0});
  expectTensor(run("weft.einsum \"ij->ji\"", "", {tensor("2x0xf32", {})}, "0x2xf32"), "0x2xf32", {});
}

TEST_F(EinsumTest, ErrorsOfTheRun) {
  std::string text =
      R"(func.func @f(%x: tensor<?xf32, #weft.dims<"a">>, %y: tensor<?xf32, #weft.dims<"b">>) -> tensor<f32> {
    %r = weft.einsum "i,i" %x, %y : (tensor<?xf32, #weft.dims<"a">>, tensor<?xf32, #weft.dims<"b">>) -> tensor<f32>
    return %r : tensor<f32>
  })";
  expectError(runFunction(text, {tensor("2xf32", {1, 2}), tensor("3xf32", {1, 2, 3})}),
              "einsum-c2: one letter has sizes 2 and 3");
}

TEST_F(EinsumTest, Windows) {
  Tensor x = tensor("1x4x2xf32", {1, 10, 2, 20, 3, 30, 4, 40});
  expectTensor(run("weft.windows",
                   "{kernel = array<i64: 2>, strides = array<i64: 2>, dilations = array<i64: 1>}", {x},
                   "1x2x2x2xf32"),
               "1x2x2x2xf32", {1, 10, 2, 20, 3, 30, 4, 40});
  expectTensor(run("weft.windows",
                   "{kernel = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 2>}", {x},
                   "1x2x2x2xf32"),
               "1x2x2x2xf32", {1, 10, 3, 30, 2, 20, 4, 40});
  // Two spatial dims.
  expectTensor(run("weft.windows",
                   "{kernel = array<i64: 2, 1>, strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>}",
                   {tensor("1x2x3x1xf32", {1, 2, 3, 4, 5, 6})}, "1x1x2x2x1x1xf32"),
               "1x1x2x2x1x1xf32", {1, 4, 3, 6});
}

TEST_F(EinsumTest, DepthwiseConv) {
  Tensor x = tensor("1x4x2xf32", {1, 10, 2, 20, 3, 30, 4, 40}), f = tensor("2x2xf32", {1, 2, -1, 3});
  expectTensor(
      run("weft.depthwise_conv", "{strides = array<i64: 1>, dilations = array<i64: 2>}", {x, f}, "1x2x2xf32"),
      "1x2x2xf32", {-2, 110, -2, 160});
  expectTensor(
      run("weft.depthwise_conv", "{strides = array<i64: 2>, dilations = array<i64: 1>}", {x, f}, "1x2x2xf32"),
      "1x2x2xf32", {-1, 80, -1, 180});
}
