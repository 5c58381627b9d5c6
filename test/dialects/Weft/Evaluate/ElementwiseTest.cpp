// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise: values of every operation, broadcasting, NaN, wrap-around and casts.
#include "EvaluateFixture.h"

using namespace weft;
using ElementwiseTest = EvaluateTest;

TEST_F(ElementwiseTest, AddBroadcasts) {
  Tensor matrix = tensor("2x3xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(run("weft.add", "", {matrix, tensor("3xf32", {10, 20, 30})}, "2x3xf32"), "2x3xf32",
               {11, 22, 33, 14, 25, 36});
  expectTensor(run("weft.add", "", {tensor("f32", {0.5}), matrix}, "2x3xf32"), "2x3xf32",
               {1.5, 2.5, 3.5, 4.5, 5.5, 6.5});
  expectTensor(run("weft.add", "", {tensor("2x1xf32", {10, 20}), tensor("1x3xf32", {1, 2, 3})}, "2x3xf32"),
               "2x3xf32", {11, 12, 13, 21, 22, 23});
  expectTensor(run("weft.add", "", {tensor("f32", {1}), tensor("f32", {2})}, "f32"), "f32", {3});
}

TEST_F(ElementwiseTest, EmptyTensors) {
  expectTensor(run("weft.add", "", {tensor("0x3xf32", {}), tensor("1xf32", {1})}, "0x3xf32"), "0x3xf32", {});
  expectTensor(run("weft.exp", "", {tensor("0xf32", {})}, "0xf32"), "0xf32", {});
}

TEST_F(ElementwiseTest, AddBroadcastsSizesOfTheRun) {
  std::string text = R"(func.func @f(%x: tensor<?xf32, #weft.dims<"a">>, %y: tensor<?xf32, #weft.dims<"b">>)
      -> tensor<?xf32, #weft.dims<broadcast("a", "b")>> {
    %r = weft.add %x, %y : (tensor<?xf32, #weft.dims<"a">>, tensor<?xf32, #weft.dims<"b">>)
      -> tensor<?xf32, #weft.dims<broadcast("a", "b")>> loc("/layer/Add")
    return %r : tensor<?xf32, #weft.dims<broadcast("a", "b")>>
  })";
  expectTensor(runFunction(text, {tensor("1xf32", {1}), tensor("3xf32", {1, 2, 3})}), "3xf32", {2, 3, 4});
  expectTensor(runFunction(text, {tensor("3xf32", {1, 2, 3}), tensor("1xf32", {1})}), "3xf32", {2, 3, 4});
  expectError(runFunction(text, {tensor("2xf32", {1, 2}), tensor("3xf32", {1, 2, 3})}),
              "node \"/layer/Add\": elementwise-c1: shapes [2] and [3] do not broadcast");
}

TEST_F(ElementwiseTest, EachOperationRoundsOnce) {
  expectTensor(run("weft.mul", "", {tensor("f32", {0.1}), tensor("f32", {3})}, "f32"), "f32",
               {0.30000001192092896});
  expectTensor(run("weft.add", "", {tensor("f16", {65504}), tensor("f16", {32})}, "f16"), "f16", {kInfinity});
  expectTensor(run("weft.add", "", {tensor("f16", {2048}), tensor("f16", {1})}, "f16"), "f16", {2048});
  expectTensor(run("weft.add", "", {tensor("bf16", {256}), tensor("bf16", {1})}, "bf16"), "bf16", {256});
  expectTensor(run("weft.div", "", {tensor("f16", {1}), tensor("f16", {3})}, "f16"), "f16", {0.333251953125});
  expectTensor(run("weft.div", "", {tensor("bf16", {1}), tensor("bf16", {3})}, "bf16"), "bf16",
               {0.333984375});
  expectTensor(run("weft.sub", "", {tensor("f64", {1}), tensor("f64", {1e-15})}, "f64"), "f64",
               {0.999999999999999});
}

TEST_F(ElementwiseTest, IntegersWrap) {
  expectTensor(run("weft.add", "", {tensor("2xi8", {100, -100}), tensor("2xi8", {100, -100})}, "2xi8"),
               "2xi8", {-56, 56});
  expectTensor(run("weft.sub", "", {tensor("ui8", {3}), tensor("ui8", {5})}, "ui8"), "ui8", {254});
  expectTensor(run("weft.mul", "", {tensor("i16", {300}), tensor("i16", {300})}, "i16"), "i16", {24464});
  expectIntegers(run("weft.add", "", {integers("i64", {INT64_MAX}), integers("i64", {1})}, "i64"), "i64",
                 {INT64_MIN});
  expectIntegers(run("weft.mul", "", {integers("ui64", {-1}), integers("ui64", {-1})}, "ui64"), "ui64", {1});
  expectIntegers(run("weft.neg", "", {integers("2xi32", {INT32_MIN, 5})}, "2xi32"), "2xi32", {INT32_MIN, -5});
  expectIntegers(run("weft.abs", "", {integers("2xi8", {-128, -5})}, "2xi8"), "2xi8", {-128, 5});
  expectIntegers(run("weft.abs", "", {integers("ui64", {-5})}, "ui64"), "ui64", {-5});
}

TEST_F(ElementwiseTest, DivTruncatesAndDoesNotTrap) {
  expectIntegers(run("weft.div", "",
                     {integers("5xi32", {7, -7, 7, 7, INT32_MIN}), integers("5xi32", {2, 2, -2, 0, -1})},
                     "5xi32"),
                 "5xi32", {3, -3, -3, 0, INT32_MIN});
  expectIntegers(run("weft.div", "", {integers("i64", {INT64_MIN}), integers("i64", {-1})}, "i64"), "i64",
                 {INT64_MIN});
  expectIntegers(run("weft.div", "", {integers("ui64", {-2}), integers("ui64", {2})}, "ui64"), "ui64",
                 {INT64_MAX});
  expectTensor(run("weft.div", "", {tensor("3xf32", {1, -1, 0}), tensor("f32", {0})}, "3xf32"), "3xf32",
               {kInfinity, -kInfinity, kNan});
}

TEST_F(ElementwiseTest, RemHasTheSignOfTheDividend) {
  expectIntegers(
      run("weft.rem", "",
          {integers("6xi32", {7, -7, 7, -7, 7, INT32_MIN}), integers("6xi32", {4, 4, -4, -4, 0, -1})},
          "6xi32"),
      "6xi32", {3, -3, 3, -3, 0, 0});
  expectIntegers(run("weft.rem", "", {integers("2xui8", {250, 3}), integers("ui8", {7})}, "2xui8"), "2xui8",
                 {5, 3});
  expectTensor(run("weft.rem", "",
                   {tensor("5xf32", {7.5, -7.5, 1e30F, 3, kInfinity}), tensor("5xf32", {2, -2, 3, 0, 1})},
                   "5xf32"),
               "5xf32", {1.5, -1.5, std::fmod(1e30F, 3.0F), kNan, kNan});
}

TEST_F(ElementwiseTest, Bits) {
  Tensor x = integers("3xi8", {-128, 0x5a, -1}), y = integers("i8", {0x0f});
  expectIntegers(run("weft.bit_and", "", {x, y}, "3xi8"), "3xi8", {0, 0x0a, 0x0f});
  expectIntegers(run("weft.bit_or", "", {x, y}, "3xi8"), "3xi8", {-113, 0x5f, -1});
  expectIntegers(run("weft.bit_xor", "", {x, y}, "3xi8"), "3xi8", {-113, 0x55, -16});
}

TEST_F(ElementwiseTest, ShiftsByAnyDistance) {
  Tensor by = integers("5xui16", {0, 3, 15, 16, -1});
  expectIntegers(run("weft.shift_left", "", {integers("ui16", {-3}), by}, "5xui16"), "5xui16",
                 {0xfffd, 0xffe8, 0x8000, 0, 0});
  expectIntegers(run("weft.shift_right", "", {integers("ui16", {-3}), by}, "5xui16"), "5xui16",
                 {0xfffd, 0x1fff, 1, 0, 0});
  expectIntegers(run("weft.shift_right", "", {integers("i32", {-8}), integers("2xi32", {1, -1})}, "2xi32"),
                 "2xi32", {0x7ffffffc, 0});
}

TEST_F(ElementwiseTest, Roundings) {
  Tensor x = tensor("8xf32", {-1.5, -0.5, 0.5, 1.5, 2.5, 1e30, kInfinity, kNan});
  expectTensor(run("weft.floor", "", {x}, "8xf32"), "8xf32", {-2, -1, 0, 1, 2, 1e30, kInfinity, kNan});
  expectTensor(run("weft.ceil", "", {x}, "8xf32"), "8xf32", {-1, 0, 1, 2, 3, 1e30, kInfinity, kNan});
  expectTensor(run("weft.round", "", {x}, "8xf32"), "8xf32", {-2, 0, 0, 2, 2, 1e30, kInfinity, kNan});
}

TEST_F(ElementwiseTest, SineAndCosine) {
  Tensor x = tensor("4xf64", {0, 1, -2.5, kInfinity});
  expectTensor(run("weft.sin", "", {x}, "4xf64"), "4xf64",
               {0, 0.8414709848078965, -0.5984721441039564, kNan});
  expectTensor(run("weft.cos", "", {x}, "4xf64"), "4xf64",
               {1, 0.5403023058681398, -0.8011436155469337, kNan});
}

TEST_F(ElementwiseTest, Arctangent) {
  Tensor x = tensor("5xf64", {0, 1, -2.5, kInfinity, kNan});
  expectTensor(run("weft.atan", "", {x}, "5xf64"), "5xf64",
               {0, 0.7853981633974483, -1.1902899496825317, 1.5707963267948966, kNan});
}

TEST_F(ElementwiseTest, PowTakesTheTypeOfTheBase) {
  expectTensor(run("weft.pow", "", {tensor("3xf32", {2, 9, -2}), tensor("3xf32", {3, 0.5, 0.5})}, "3xf32"),
               "3xf32", {8, 3, kNan});
  expectTensor(run("weft.pow", "", {tensor("2xf32", {2, 3}), tensor("i64", {-1})}, "2xf32"), "2xf32",
               {0.5, 0.3333333432674408});
  expectTensor(run("weft.pow", "", {tensor("2xi32", {2, 9}), tensor("f32", {0.5})}, "2xi32"), "2xi32",
               {1, 3});
  expectTensor(run("weft.pow", "", {tensor("5xi32", {-3, 2, -1, 0, 1}), tensor("5xi32", {3, -1, -3, -1, -5})},
                   "5xi32"),
               "5xi32", {-27, 0, -1, 0, 1});
  expectTensor(run("weft.pow", "", {tensor("i8", {2}), tensor("i8", {8})}, "i8"), "i8", {0});
  expectTensor(run("weft.pow", "", {tensor("f32", {0}), tensor("f32", {0})}, "f32"), "f32", {1});
}

TEST_F(ElementwiseTest, MinAndMaxPropagateNan) {
  Tensor left = tensor("4xf32", {1, kNan, 1, -kInfinity}), right = tensor("4xf32", {2, 1, kNan, 0});
  expectTensor(run("weft.min", "", {left, right}, "4xf32"), "4xf32", {1, kNan, kNan, -kInfinity});
  expectTensor(run("weft.max", "", {left, right}, "4xf32"), "4xf32", {2, kNan, kNan, 0});
  Tensor zero = run("weft.max", "", {tensor("f32", {-0.0}), tensor("f32", {0.0})}, "f32");
  EXPECT_FALSE(std::signbit(zero.getFloat(0)));
  zero = run("weft.max", "", {tensor("f32", {0.0}), tensor("f32", {-0.0})}, "f32");
  EXPECT_FALSE(std::signbit(zero.getFloat(0)));
  expectIntegers(run("weft.max", "", {integers("ui64", {-1}), integers("ui64", {1})}, "ui64"), "ui64", {-1});
  expectIntegers(run("weft.min", "", {integers("i64", {-1}), integers("i64", {1})}, "i64"), "i64", {-1});
}

TEST_F(ElementwiseTest, FloatFunctions) {
  Tensor x = tensor("5xf64", {-2, -0.5, 0, 1, 3});
  auto expectOf = [&](llvm::StringRef op, llvm::StringRef suffix, llvm::ArrayRef<double> values) {
    SCOPED_TRACE(op.str());
    expectTensor(run(op, suffix, {x}, "5xf64"), "5xf64", values);
  };
  expectOf("weft.exp", "",
           {0.1353352832366127, 0.6065306597126334, 1.0, 2.718281828459045, 20.085536923187668});
  expectOf("weft.tanh", "",
           {-0.9640275800758169, -0.46211715726000974, 0, 0.7615941559557649, 0.9950547536867305});
  expectOf("weft.sigmoid", "",
           {0.11920292202211755, 0.3775406687981454, 0.5, 0.7310585786300049, 0.9525741268224334});
  expectOf("weft.erf", "",
           {-0.9953222650189527, -0.5204998778130465, 0, 0.8427007929497149, 0.9999779095030014});
  expectOf("weft.gelu", "{form = 0 : i32}",
           {-0.04550026389635842, -0.15426876936299344, 0, 0.8413447460685429, 2.99595030590511});
  expectOf("weft.gelu", "{form = 1 : i32}",
           {-0.04540230591222494, -0.15428599017485606, 0, 0.8411919906082768, 2.996362607918227});
  expectOf("weft.reciprocal", "", {-0.5, -2, kInfinity, 1, 0.3333333333333333});
  expectOf("weft.neg", "", {2, 0.5, 0, -1, -3});
  expectOf("weft.abs", "", {2, 0.5, 0, 1, 3});
  expectOf("weft.relu", "", {0, 0, 0, 1, 3});
}

TEST_F(ElementwiseTest, FloatFunctionsAtTheirEdges) {
  expectTensor(run("weft.sqrt", "", {tensor("4xf32", {0, 2, 9, -1})}, "4xf32"), "4xf32",
               {0, 1.4142135623730951, 3, kNan});
  expectTensor(run("weft.log", "", {tensor("5xf64", {0.5, 1, 10, 0, -1})}, "5xf64"), "5xf64",
               {-0.6931471805599453, 0, 2.302585092994046, -kInfinity, kNan});
  expectTensor(run("weft.sigmoid", "", {tensor("2xf32", {-1000, 1000})}, "2xf32"), "2xf32", {0, 1});
  expectTensor(run("weft.exp", "", {tensor("2xf16", {12, 1})}, "2xf16"), "2xf16", {kInfinity, 2.71875});
  expectTensor(run("weft.relu", "", {tensor("2xf32", {kNan, -kInfinity})}, "2xf32"), "2xf32", {kNan, 0});
  expectTensor(run("weft.relu", "", {tensor("2xi8", {-5, 5})}, "2xi8"), "2xi8", {0, 5});
  expectTensor(run("weft.relu", "", {tensor("ui8", {200})}, "ui8"), "ui8", {200});
}

TEST_F(ElementwiseTest, CompareWithNanIsFalse) {
  Tensor left = tensor("4xf32", {1, 2, 3, kNan}), right = tensor("4xf32", {2, 2, 2, kNan});
  auto expectOf = [&](llvm::StringRef predicate, llvm::ArrayRef<double> values) {
    expectTensor(run("weft.compare " + predicate.str(), "", {left, right}, "4xi1"), "4xi1", values);
  };
  expectOf("eq", {0, 1, 0, 0});
  expectOf("lt", {1, 0, 0, 0});
  expectOf("le", {1, 1, 0, 0});
  expectOf("gt", {0, 0, 1, 0});
  expectOf("ge", {0, 1, 1, 0});
  expectTensor(run("weft.compare lt", "", {integers("ui64", {1}), integers("ui64", {-1})}, "i1"), "i1", {1});
  expectTensor(run("weft.compare lt", "", {integers("i64", {1}), integers("i64", {-1})}, "i1"), "i1", {0});
  expectTensor(run("weft.compare eq", "", {tensor("2xi1", {1, 0}), tensor("i1", {1})}, "2xi1"), "2xi1",
               {1, 0});
}

TEST_F(ElementwiseTest, Logic) {
  Tensor left = tensor("4xi1", {0, 0, 1, 1}), right = tensor("4xi1", {0, 1, 0, 1});
  expectTensor(run("weft.and", "", {left, right}, "4xi1"), "4xi1", {0, 0, 0, 1});
  expectTensor(run("weft.or", "", {left, right}, "4xi1"), "4xi1", {0, 1, 1, 1});
  expectTensor(run("weft.not", "", {left}, "4xi1"), "4xi1", {1, 1, 0, 0});
}

TEST_F(ElementwiseTest, WhereBroadcastsThreeWays) {
  expectTensor(run("weft.where", "",
                   {tensor("2x1xi1", {1, 0}), tensor("f32", {9}), tensor("3xf32", {1, 2, kNan})}, "2x3xf32"),
               "2x3xf32", {9, 9, 9, 1, 2, kNan});
  expectTensor(
      run("weft.where", "", {tensor("2xi1", {0, 1}), tensor("2xi1", {1, 1}), tensor("2xi1", {0, 0})}, "2xi1"),
      "2xi1", {0, 1});
}

TEST_F(ElementwiseTest, Cast) {
  auto expectCast = [&](Tensor input, llvm::StringRef from, llvm::StringRef to,
                        llvm::ArrayRef<double> values) {
    std::string type = std::to_string(values.size()) + "x" + to.str();
    expectTensor(run("weft.cast", "to " + to.str(), {input}, type), type, values);
  };
  Tensor floats = tensor("7xf32", {kNan, kInfinity, -kInfinity, 300.7, -1.9, 0.25, -0.0});
  expectCast(floats, "f32", "i1", {1, 1, 1, 1, 1, 1, 0});
  expectCast(floats, "f32", "i8", {0, 127, -128, 127, -1, 0, 0});
  expectCast(floats, "f32", "ui8", {0, 255, 0, 255, 0, 0, 0});
  expectCast(floats, "f32", "f16", {kNan, kInfinity, -kInfinity, 300.75, -1.900390625, 0.25, 0});
  expectCast(tensor("4xi32", {300, -1, 128, 255}), "i32", "i8", {44, -1, -128, -1});
  expectCast(tensor("4xi32", {300, -1, 128, 255}), "i32", "ui8", {44, 255, 128, 255});
  expectCast(tensor("4xi32", {0, 256, -1, 2}), "i32", "i1", {0, 1, 1, 1});
  expectCast(tensor("2xi1", {0, 1}), "i1", "f32", {0, 1});
  expectCast(tensor("2xi1", {0, 1}), "i1", "i64", {0, 1});
  expectCast(tensor("2xf32", {1.00390625, 1.01171875}), "f32", "bf16", {1, 1.015625});
  expectCast(tensor("1xf64", {1e300}), "f64", "f32", {kInfinity});
  expectCast(integers("1xui64", {-1}), "ui64", "f32", {18446744073709551616.0});
  expectCast(integers("1xi64", {16777217}), "i64", "f32", {16777216});
}
