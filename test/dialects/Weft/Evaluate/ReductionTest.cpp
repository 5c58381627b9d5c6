// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: kinds, axes, empty and integer reductions; the softmaxes.
#include "EvaluateFixture.h"

using namespace weft;
using ReductionTest = EvaluateTest;

TEST_F(ReductionTest, Kinds) {
  Tensor x = tensor("2x3xf32", {1, 2, 3, -4, 5, 6.5});
  std::string axis1 = "{axes = array<i64: 1>}";
  expectTensor(run("weft.reduce sum", axis1, {x}, "2xf32"), "2xf32", {6, 7.5});
  expectTensor(run("weft.reduce mean", axis1, {x}, "2xf32"), "2xf32", {2, 2.5});
  expectTensor(run("weft.reduce max", axis1, {x}, "2xf32"), "2xf32", {3, 6.5});
  expectTensor(run("weft.reduce min", axis1, {x}, "2xf32"), "2xf32", {1, -4});
  expectTensor(run("weft.reduce prod", axis1, {x}, "2xf32"), "2xf32", {6, -130});
}

TEST_F(ReductionTest, Axes) {
  Tensor x = tensor("2x2x2xf32", {1, 2, 3, 4, 5, 6, 7, 8});
  expectTensor(run("weft.reduce sum", "{axes = array<i64: 0, 2>}", {x}, "2xf32"), "2xf32", {14, 22});
  expectTensor(run("weft.reduce sum", "{axes = array<i64: 0, 2>, keepdims}", {x}, "1x2x1xf32"), "1x2x1xf32",
               {14, 22});
  expectTensor(run("weft.reduce sum", "{axes = array<i64: 0, 1, 2>}", {x}, "f32"), "f32", {36});
  expectTensor(run("weft.reduce sum", "{axes = array<i64>}", {tensor("2xf32", {1, 2})}, "2xf32"), "2xf32",
               {1, 2});
  expectTensor(run("weft.reduce sum", "{axes = array<i64>}", {tensor("f32", {7})}, "f32"), "f32", {7});
}

TEST_F(ReductionTest, OfNoElements) {
  std::string axis0 = "{axes = array<i64: 0>}";
  Tensor none = tensor("0x1xf32", {}), noInts = tensor("0x1xi8", {});
  expectTensor(run("weft.reduce sum", axis0, {none}, "1xf32"), "1xf32", {0});
  expectTensor(run("weft.reduce prod", axis0, {none}, "1xf32"), "1xf32", {1});
  expectTensor(run("weft.reduce mean", axis0, {none}, "1xf32"), "1xf32", {kNan});
  expectTensor(run("weft.reduce max", axis0, {none}, "1xf32"), "1xf32", {-kInfinity});
  expectTensor(run("weft.reduce min", axis0, {none}, "1xf32"), "1xf32", {kInfinity});
  expectTensor(run("weft.reduce max", axis0, {noInts}, "1xi8"), "1xi8", {-128});
  expectTensor(run("weft.reduce min", axis0, {noInts}, "1xi8"), "1xi8", {127});
  expectTensor(run("weft.reduce min", axis0, {tensor("0xui16", {})}, "ui16"), "ui16", {65535});
}

TEST_F(ReductionTest, IntegersAndSmallFloats) {
  std::string axis0 = "{axes = array<i64: 0>}";
  expectTensor(run("weft.reduce sum", axis0, {tensor("2xi8", {100, 100})}, "i8"), "i8", {-56});
  expectTensor(run("weft.reduce mean", axis0, {tensor("2xi8", {100, 101})}, "i8"), "i8", {100});
  expectTensor(run("weft.reduce mean", axis0, {tensor("2xi32", {-3, -4})}, "i32"), "i32", {-3});
  expectIntegers(run("weft.reduce max", axis0, {integers("2xui64", {1, -1})}, "ui64"), "ui64", {-1});
  // In f16 the second and third sum would stay at 2048.
  expectTensor(run("weft.reduce sum", axis0, {tensor("3xf16", {2048, 1, 1})}, "f16"), "f16", {2050});
  expectTensor(run("weft.reduce max", axis0, {tensor("3xf32", {1, kNan, 3})}, "f32"), "f32", {kNan});
}

TEST_F(ReductionTest, Softmax) {
  Tensor x = tensor("2x3xf64", {1, 2, 3, 0, -1000, 1000});
  expectTensor(run("weft.softmax", "{axis = 1 : i64}", {x}, "2x3xf64"), "2x3xf64",
               {0.09003057317038046, 0.24472847105479764, 0.6652409557748218, 0, 0, 1});
  expectTensor(run("weft.softmax", "{axis = 0 : i64}", {x}, "2x3xf64"), "2x3xf64",
               {0.7310585786300049, 1, 0, 0.2689414213699951, 0, 1});
  expectTensor(run("weft.softmax", "{axis = 1 : i64}", {tensor("1x3xf16", {1, 2, 3})}, "1x3xf16"), "1x3xf16",
               {0.09003057317038046, 0.24472847105479764, 0.6652409557748218});
  expectTensor(run("weft.log_softmax", "{axis = 1 : i64}", {tensor("1x3xf64", {1, 2, 3})}, "1x3xf64"),
               "1x3xf64", {-2.40760596444438, -1.4076059644443804, -0.40760596444438046});
}

TEST_F(ReductionTest, SoftmaxOfMinusInfinities) {
  Tensor x = tensor("2x2xf32", {-kInfinity, -kInfinity, -kInfinity, 4});
  expectTensor(run("weft.softmax", "{axis = 1 : i64}", {x}, "2x2xf32"), "2x2xf32", {kNan, kNan, 0, 1});
  expectTensor(run("weft.log_softmax", "{axis = 1 : i64}", {x}, "2x2xf32"), "2x2xf32",
               {kNan, kNan, -kInfinity, 0});
  expectTensor(run("weft.softmax", "{axis = 1 : i64}", {tensor("2x0xf32", {})}, "2x0xf32"), "2x0xf32", {});
}

TEST_F(ReductionTest, AxesOfUnrankedInputsAreChecked) {
  std::string text = R"(func.func @f(%x: tensor<*xf32>) -> tensor<*xf32> {
    %r = weft.softmax %x {axis = 1 : i64} : (tensor<*xf32>) -> tensor<*xf32>
    return %r : tensor<*xf32>
  })";
  expectTensor(runFunction(text, {tensor("1x1xf32", {3})}), "1x1xf32", {1});
  expectError(runFunction(text, {tensor("1xf32", {3})}), "softmax-c1: expects an axis within rank 1, got 1");
}
