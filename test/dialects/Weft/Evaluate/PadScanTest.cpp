// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pads; places of extremes and running sums.
#include "EvaluateFixture.h"

using namespace weft;
using PadTest = EvaluateTest;
using ScanTest = EvaluateTest;

TEST_F(PadTest, Modes) {
  Tensor x = tensor("4xf32", {1, 2, 3, 4});
  std::string both = "{before = #weft.dims<2>, after = #weft.dims<3>}";
  expectTensor(run("weft.pad constant", both, {x}, "9xf32"), "9xf32", {0, 0, 1, 2, 3, 4, 0, 0, 0});
  expectTensor(run("weft.pad edge", both, {x}, "9xf32"), "9xf32", {1, 1, 1, 2, 3, 4, 4, 4, 4});
  expectTensor(run("weft.pad reflect", both, {x}, "9xf32"), "9xf32", {3, 2, 1, 2, 3, 4, 3, 2, 1});
  expectTensor(run("weft.pad wrap", both, {x}, "9xf32"), "9xf32", {3, 4, 1, 2, 3, 4, 1, 2, 3});
  expectTensor(run("weft.pad wrap", "{before = #weft.dims<3>, after = #weft.dims<3>}",
                   {tensor("2xi8", {1, 2})}, "8xi8"),
               "8xi8", {2, 1, 2, 1, 2, 1, 2, 1});
}

TEST_F(PadTest, NegativeNumbersDrop) {
  Tensor x = tensor("2x3xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(
      run("weft.pad constant", "{before = #weft.dims<0, -1>, after = #weft.dims<1, 0>}", {x}, "3x2xf32"),
      "3x2xf32", {2, 3, 5, 6, 0, 0});
  expectTensor(
      run("weft.pad edge", "{before = #weft.dims<-1, 0>, after = #weft.dims<1, -2>}", {x}, "2x1xf32"),
      "2x1xf32", {4, 4});
  expectTensor(
      run("weft.pad constant", "{before = #weft.dims<0, -1>, after = #weft.dims<0, -2>}", {x}, "2x0xf32"),
      "2x0xf32", {});
}

/// A pad by data, of a [2, 2] matrix.
static std::string padByData(const std::string &mode, const std::string &fill) {
  std::string matrix = "tensor<?x?xi32, #weft.dims<\"m\", \"n\">>";
  return "func.func @f(%x: " + matrix +
         ", %p: tensor<4xi64>, %v: tensor<i32>) -> tensor<?x?xi32> {\n %r = weft.pad " + mode +
         " %x pads %p " + (fill.empty() ? "" : "fill %v ") + "{axes = array<i64: 1, 0>} : (" + matrix +
         ", tensor<4xi64>" + (fill.empty() ? "" : ", tensor<i32>") +
         ") -> tensor<?x?xi32>\n return %r : tensor<?x?xi32>\n}";
}

TEST_F(PadTest, ByData) {
  Tensor x = tensor("2x2xi32", {1, 2, 3, 4}), fill = tensor("i32", {7});
  Tensor pads = integers("4xi64", {1, 0, 0, 1}); // one column before, one row after
  expectTensor(runFunction(padByData("constant", "v"), {x, pads, fill}), "3x3xi32",
               {7, 1, 2, 7, 3, 4, 7, 7, 7});
  expectTensor(runFunction(padByData("constant", ""), {x, pads, fill}), "3x3xi32",
               {0, 1, 2, 0, 3, 4, 0, 0, 0});
  expectError(runFunction(padByData("reflect", ""), {x, integers("4xi64", {2, 0, 0, 0}), fill}),
              "pad-c2: cannot pad a dim of 2 by 2 and 0 in mode reflect");
  expectError(runFunction(padByData("constant", ""), {x, integers("4xi64", {-2, 0, -1, 0}), fill}),
              "pad-c2: cannot pad a dim of 2 by -2 and -1 in mode constant");
  expectError(runFunction(padByData("constant", ""), {x, integers("4xi64", {INT64_MIN, 0, 0, 0}), fill}),
              "pad-c2");
  expectError(runFunction(padByData("edge", ""), {tensor("2x0xi32", {}), pads, fill}),
              "pad-c2: cannot pad a dim of 0 by 1 and 0 in mode edge");
}

TEST_F(ScanTest, ArgReduce) {
  Tensor x = tensor("2x3xf32", {1, 3, 3, -2, -5, -5});
  expectTensor(run("weft.arg_reduce max", "{axis = 1 : i64}", {x}, "2xi64"), "2xi64", {1, 0});
  expectTensor(run("weft.arg_reduce max", "{axis = 1 : i64, last}", {x}, "2xi64"), "2xi64", {2, 0});
  expectTensor(run("weft.arg_reduce min", "{axis = 1 : i64, keepdims}", {x}, "2x1xi64"), "2x1xi64", {0, 1});
  expectTensor(run("weft.arg_reduce min", "{axis = 0 : i64}", {x}, "3xi64"), "3xi64", {1, 1, 1});
  expectTensor(run("weft.arg_reduce max", "{axis = 0 : i64}", {tensor("1x0xf32", {})}, "0xi64"), "0xi64", {});
  expectTensor(run("weft.arg_reduce max", "{axis = 0 : i64}", {tensor("3xui8", {1, 200, 100})}, "i64"), "i64",
               {1});
  expectTensor(run("weft.arg_reduce max", "{axis = 0 : i64}", {integers("2xui64", {1, -1})}, "i64"), "i64",
               {1});
  expectTensor(run("weft.arg_reduce max", "{axis = 0 : i64}", {tensor("2xi8", {-1, 1})}, "i64"), "i64", {1});
}

TEST_F(ScanTest, ArgReduceOfNaN) {
  Tensor x = tensor("5xf32", {1, kNan, kInfinity, kNan, 0}), none = tensor("2xf32", {-kInfinity, -kInfinity});
  for (std::string kind : {"max", "min"}) {
    expectTensor(run("weft.arg_reduce " + kind, "{axis = 0 : i64}", {x}, "i64"), "i64", {1});
    expectTensor(run("weft.arg_reduce " + kind, "{axis = 0 : i64, last}", {x}, "i64"), "i64", {3});
    expectTensor(run("weft.arg_reduce " + kind, "{axis = 0 : i64}", {none}, "i64"), "i64", {0});
  }
  expectTensor(run("weft.arg_reduce max", "{axis = 0 : i64}", {tensor("2xf32", {-0.0, 0.0})}, "i64"), "i64",
               {0});
}

TEST_F(ScanTest, ArgReduceOfNothing) {
  std::string text = R"(func.func @f(%x: tensor<2x?xf32, #weft.dims<2, "n">>) -> tensor<2xi64> {
    %r = weft.arg_reduce max %x {axis = 1 : i64} : (tensor<2x?xf32, #weft.dims<2, "n">>) -> tensor<2xi64>
    return %r : tensor<2xi64>
  })";
  expectError(runFunction(text, {tensor("2x0xf32", {})}), "arg-reduce-c1: axis 1 is empty");
}

TEST_F(ScanTest, CumulativeSum) {
  Tensor x = tensor("2x3xf32", {1, 2, 3, 10, 20, 30});
  expectTensor(run("weft.cumulative sum", "{axis = 1 : i64}", {x}, "2x3xf32"), "2x3xf32",
               {1, 3, 6, 10, 30, 60});
  expectTensor(run("weft.cumulative sum", "{axis = 0 : i64}", {x}, "2x3xf32"), "2x3xf32",
               {1, 2, 3, 11, 22, 33});
  expectTensor(run("weft.cumulative sum", "{axis = 1 : i64, exclusive}", {x}, "2x3xf32"), "2x3xf32",
               {0, 1, 3, 0, 10, 30});
  expectTensor(run("weft.cumulative sum", "{axis = 1 : i64, reverse}", {x}, "2x3xf32"), "2x3xf32",
               {6, 5, 3, 60, 50, 30});
  expectTensor(run("weft.cumulative sum", "{axis = 1 : i64, exclusive, reverse}", {x}, "2x3xf32"), "2x3xf32",
               {5, 3, 0, 50, 30, 0});
  expectTensor(run("weft.cumulative sum", "{axis = 0 : i64}", {tensor("0x2xf32", {})}, "0x2xf32"), "0x2xf32",
               {});
}

TEST_F(ScanTest, CumulativeProduct) {
  Tensor x = tensor("2x3xf32", {1, 2, 3, -10, 0.5, 4});
  expectTensor(run("weft.cumulative prod", "{axis = 1 : i64}", {x}, "2x3xf32"), "2x3xf32",
               {1, 2, 6, -10, -5, -20});
  expectTensor(run("weft.cumulative prod", "{axis = 1 : i64, exclusive}", {x}, "2x3xf32"), "2x3xf32",
               {1, 1, 2, 1, -10, -5});
  expectTensor(run("weft.cumulative prod", "{axis = 1 : i64, exclusive, reverse}", {x}, "2x3xf32"), "2x3xf32",
               {6, 3, 1, 2, 4, 1});
  expectTensor(run("weft.cumulative prod", "{axis = 0 : i64}", {tensor("3xi8", {100, 100, 3})}, "3xi8"),
               "3xi8", {100, 16, 48});
}

TEST_F(ScanTest, CumulativeSumOfElementTypes) {
  expectTensor(run("weft.cumulative sum", "{axis = 0 : i64}", {tensor("3xi8", {100, 100, 1})}, "3xi8"),
               "3xi8", {100, -56, -55});
  // Each sum is rounded, the running one is not: in f16 it would stay at 2048.
  expectTensor(run("weft.cumulative sum", "{axis = 0 : i64}", {tensor("3xf16", {2048, 1, 1})}, "3xf16"),
               "3xf16", {2048, 2048, 2050});
  expectTensor(run("weft.cumulative sum", "{axis = 0 : i64}", {tensor("3xf32", {1, kNan, 1})}, "3xf32"),
               "3xf32", {1, kNan, kNan});
}
