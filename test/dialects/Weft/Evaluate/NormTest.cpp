// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norm: layer_norm, rms_norm.
#include "EvaluateFixture.h"

using namespace weft;
using NormTest = EvaluateTest;

TEST_F(NormTest, LayerNorm) {
  Tensor x = tensor("2x4xf64", {1, 2, 3, 6, -1, 0, 1, 0.5}), scale = tensor("4xf64", {1, 2, 0.5, -1}),
         bias = tensor("4xf64", {0, 1, 2, 3});
  expectTensor(
      run("weft.layer_norm", "{axis = 1 : i64, epsilon = 1.0e-5 : f32}", {x, scale, bias}, "2x4xf64"),
      "2x4xf64",
      {-1.069043440445912, -0.06904344044591193, 2.0, 1.396434839331132, -1.5212637498781214,
       0.6619413889159731, 2.5916025693970473, 2.4929120833739598});
}

TEST_F(NormTest, LayerNormOverSeveralDimsWithoutBias) {
  Tensor x = tensor("2x2x2xf64", {1, 2, 3, 6, -1, 0, 1, 0.5});
  expectTensor(
      run("weft.layer_norm", "{axis = 1 : i64, epsilon = 0.5 : f32}", {x, tensor("2xf64", {2, 3})},
          "2x2x2xf64"),
      "2x2x2xf64",
      {-2.0, -1.5, 0.0, 4.5, -2.199049998413494, -0.36650833306891567, 1.710372220988273, 1.099524999206747});
}

TEST_F(NormTest, SmallFloatsAreRoundedBeforeTheyAreScaled) {
  // (1 - 2/3) / sqrt(2/9) is 0.70710678, in bf16 0.70703125; times 255 that is 180.29, in bf16 180. Unrounded
  // it would be 180.31; minus 180 both differ: 0.29296875 against 0.3125.
  Tensor x = tensor("3xbf16", {0, 1, 1}), scale = tensor("1xbf16", {255}), bias = tensor("1xbf16", {-180});
  Tensor y = run("weft.layer_norm", "{axis = 0 : i64, epsilon = 0.0 : f32}", {x, scale, bias}, "3xbf16");
  expectTensor(y, "3xbf16", {-540, 0.29296875, 0.29296875});
}

TEST_F(NormTest, RootMeanSquareNorm) {
  Tensor x = tensor("2x4xf64", {1, 2, 3, 6, -1, 0, 1, 0.5}), scale = tensor("4xf64", {1, 2, 0.5, -1});
  expectTensor(run("weft.rms_norm", "{axis = 1 : i64, epsilon = 1.0e-5 : f32}", {x, scale}, "2x4xf64"),
               "2x4xf64",
               {0.28284259933760475, 1.131370397350419, 0.4242638990064071, -1.6970555960256284,
                -1.3333214816398034, 0.0, 0.6666607408199017, -0.6666607408199017});
}

TEST_F(NormTest, RootMeanSquareNormOverSeveralDims) {
  Tensor x = tensor("2x2x2xf64", {1, 2, 3, 6, -1, 0, 1, 0.5});
  expectTensor(run("weft.rms_norm", "{axis = 1 : i64, epsilon = 0.5 : f32}", {x, tensor("2xf64", {2, 3})},
                   "2x2x2xf64"),
               "2x2x2xf64",
               {0.5547001962252291, 1.6641005886756874, 1.6641005886756874, 4.9923017660270625,
                -1.9402850002906638, 0.0, 1.9402850002906638, 1.4552137502179978});
}

TEST_F(NormTest, RootMeanSquareNormRoundsSmallFloatsBeforeItScales) {
  // 1 / sqrt(2/3) is 1.2247449, in bf16 1.2265625; times 171 that is 209.74, in bf16 210. Unrounded it would
  // be 209.43, in bf16 209.
  Tensor x = tensor("3xbf16", {0, 1, 1}), scale = tensor("1xbf16", {171});
  expectTensor(run("weft.rms_norm", "{axis = 0 : i64, epsilon = 0.0 : f32}", {x, scale}, "3xbf16"), "3xbf16",
               {0, 210, 210});
}

TEST_F(NormTest, ScaleThatDoesNotFitThisRun) {
  std::string text = R"(func.func @f(%x: tensor<2x?xf32>, %g: tensor<?xf32>) -> tensor<2x?xf32> {
    %r = weft.rms_norm %x, %g {axis = 1 : i64, epsilon = 0.0 : f32}
      : (tensor<2x?xf32>, tensor<?xf32>) -> tensor<2x?xf32>
    return %r : tensor<2x?xf32>
  })";
  expectError(runFunction(text, {tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), tensor("2xf32", {1, 2})}),
              "rms-norm-c2");
}

TEST_F(NormTest, ParametersThatDoNotFitThisRun) {
  std::string text =
      R"(func.func @f(%x: tensor<2x?xf32, #weft.dims<2, "n">>, %g: tensor<?xf32, #weft.dims<"m">>)
      -> tensor<2x?xf32, #weft.dims<2, "n">> {
    %r = weft.layer_norm %x, %g {axis = 1 : i64, epsilon = 0.0 : f32}
      : (tensor<2x?xf32, #weft.dims<2, "n">>, tensor<?xf32, #weft.dims<"m">>) -> tensor<2x?xf32, #weft.dims<2, "n">>
    return %r : tensor<2x?xf32, #weft.dims<2, "n">>
  })";
  expectError(runFunction(text, {tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), tensor("2xf32", {1, 2})}),
              "layer-norm-c2");
}
