// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: both forms of each operation, with operands as at import and without as at graph level.
#include "EvaluateFixture.h"

using namespace weft;

namespace {
struct ShapeTest : EvaluateTest {
  /// Slices with starts, ends and steps; the result's type is left open.
  Tensor slice(Tensor input, llvm::StringRef axes, Tensor starts, Tensor ends, Tensor steps) {
    auto typeOf = [](const Tensor &tensor) {
      std::string text;
      llvm::raw_string_ostream(text) << tensor.getType();
      return text;
    };
    std::string types = typeOf(input) + ", " + typeOf(starts) + ", " + typeOf(ends) + ", " + typeOf(steps);
    return runFunction("func.func @f(%x: " + typeOf(input) + ", %s: " + typeOf(starts) +
                           ", %e: " + typeOf(ends) + ", %t: " + typeOf(steps) +
                           ") -> tensor<*xf32> {\n %r = weft.slice %x starts %s ends %e steps " +
                           "%t {axes = array<i64: " + axes.str() + ">} : (" + types +
                           ") -> tensor<*xf32>\n return %r : tensor<*xf32>\n}",
                       {input, starts, ends, steps});
  }
  /// Slices a vector from 0 to 4.
  Tensor sliceFive(int64_t start, int64_t end, int64_t step) {
    return slice(tensor("5xf32", {0, 1, 2, 3, 4}), "0", integers("1xi64", {start}), integers("1xi64", {end}),
                 integers("1xi64", {step}));
  }
  Tensor runConstant(llvm::StringRef value, llvm::StringRef type) {
    std::string result = "tensor<" + type.str() + ">";
    return runFunction("func.func @f() -> " + result + " {\n %r = weft.constant " + value.str() + " : " +
                           result + "\n return %r : " + result + "\n}",
                       {});
  }
  /// Runs an operation with a second operand that is data, and a result of unknown shape.
  Tensor runOpen(llvm::StringRef op, llvm::StringRef attributes, Tensor input, Tensor shape) {
    std::string text, types;
    llvm::raw_string_ostream(types) << input.getType() << ", " << shape.getType();
    llvm::raw_string_ostream(text) << "func.func @f(%x: " << input.getType() << ", %s: " << shape.getType()
                                   << ") -> tensor<*xf32> {\n %r = " << op << " %x, %s " << attributes
                                   << " : (" << types << ") -> tensor<*xf32>\n return %r : tensor<*xf32>\n}";
    return runFunction(text, {input, shape});
  }
};
} // namespace

TEST_F(ShapeTest, Constants) {
  expectTensor(runConstant("dense<[[1.0, 2.0], [3.0, 0x7F800000]]>", "2x2xf32"), "2x2xf32",
               {1, 2, 3, kInfinity});
  expectTensor(runConstant("dense<true>", "3xi1"), "3xi1", {1, 1, 1});
  expectTensor(runConstant("dense<-2>", "i8"), "i8", {-2});
  expectTensor(runConstant("dense<>", "0x2xi64"), "0x2xi64", {});
}

TEST_F(ShapeTest, ConstantsByHandle) {
  auto &weights = context.getLoadedDialect<WeftDialect>()->getWeights();
  Tensor data = tensor("2x2xf32", {1, 2, 3, 4});
  auto weight = weights.make(
      &context, 16, [&](llvm::MutableArrayRef<char> bytes) { llvm::copy(data.getBytes(), bytes.begin()); });
  ASSERT_TRUE(bool(weight)) << llvm::toString(weight.takeError());
  std::string handle;
  llvm::raw_string_ostream(handle) << *weight;
  ASSERT_TRUE(llvm::StringRef(handle).consume_front("#weft.")) << handle;
  handle = handle.substr(6);
  expectTensor(runConstant(handle, "2x2xf32"), "2x2xf32", {1, 2, 3, 4});
  expectError(runConstant("weight<\"missing.bin\", 0, 16, 1>", "2x2xf32"), "missing.bin");
}

TEST_F(ShapeTest, DimsAndShape) {
  std::string text = R"(func.func @f(%x: tensor<?x3x?xf32, #weft.dims<"a", 3, "b">>) -> (tensor<3xi64>) {
    %d = weft.dims <2 * "a" + "b", "a", 7> : tensor<3xi64>
    return %d : tensor<3xi64>
  })";
  Tensor x = Tensor::zeros(mlir::Float32Type::get(&context), {2, 3, 5});
  expectTensor(runFunction(text, {x}), "3xi64", {9, 2, 7});
  expectTensor(run("weft.shape", "{start = 0 : i64, end = 3 : i64}", {x}, "3xi64"), "3xi64", {2, 3, 5});
  expectTensor(run("weft.shape", "{start = 1 : i64, end = 2 : i64}", {x}, "1xi64"), "1xi64", {3});
  expectTensor(run("weft.shape", "{start = 2 : i64, end = 1 : i64}", {x}, "0xi64"), "0xi64", {});
}

TEST_F(ShapeTest, ScalarDims) {
  std::string text = R"(func.func @f(%x: tensor<?xf32, #weft.dims<"a">>) -> tensor<i32> {
    %d = weft.dims <"a" + 1> : tensor<i32>
    return %d : tensor<i32>
  })";
  expectTensor(runFunction(text, {tensor("2xf32", {1, 2})}), "i32", {3});
}

TEST_F(ShapeTest, ReshapeByData) {
  Tensor x = tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), empty = tensor("0x3xf32", {});
  expectTensor(runOpen("weft.reshape", "", x, tensor("2xi64", {3, 2})), "3x2xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(runOpen("weft.reshape", "", x, tensor("3xi64", {0, -1, 1})), "2x3x1xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(runOpen("weft.reshape", "", x, tensor("1xi32", {-1})), "6xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(runOpen("weft.reshape", "", tensor("1x1xf32", {4}), tensor("0xi64", {})), "f32", {4});
  expectTensor(runOpen("weft.reshape", "{allow_zero}", empty, tensor("2xi64", {3, 0})), "3x0xf32", {});
  expectTensor(runOpen("weft.reshape", "", empty, tensor("2xi64", {-1, 3})), "0x3xf32", {});
  expectError(runOpen("weft.reshape", "", x, tensor("2xi64", {4, -1})), "reshape-c2");
  expectError(runOpen("weft.reshape", "", x, tensor("2xi64", {4, 2})), "reshape-c2: 6 elements");
  expectError(runOpen("weft.reshape", "", x, tensor("2xi64", {-1, -1})), "reshape-c1");
  expectError(runOpen("weft.reshape", "", x, tensor("2xi64", {-2, 3})), "reshape-c1");
  expectError(runOpen("weft.reshape", "", x, tensor("3xi64", {6, 1, 0})), "reshape-c1: entry 2 copies a dim");
  expectError(runOpen("weft.reshape", "", empty, tensor("2xi64", {0, -1})),
              "-1 cannot be solved beside a dim of 0");
  expectError(runOpen("weft.reshape", "", x, integers("2xi64", {int64_t(1) << 62, 4})), "reshape-c2");
}

TEST_F(ShapeTest, ReshapeByType) {
  std::string text =
      R"(func.func @f(%x: tensor<?x6xf32, #weft.dims<"n", 6>>) -> tensor<?x2xf32, #weft.dims<3 * "n", 2>> {
    %r = weft.reshape %x : (tensor<?x6xf32, #weft.dims<"n", 6>>) -> tensor<?x2xf32, #weft.dims<3 * "n", 2>>
    return %r : tensor<?x2xf32, #weft.dims<3 * "n", 2>>
  })";
  expectTensor(runFunction(text, {tensor("1x6xf32", {1, 2, 3, 4, 5, 6})}), "3x2xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(runFunction(text, {tensor("0x6xf32", {})}), "0x2xf32", {});
}

TEST_F(ShapeTest, SqueezeUnsqueezeTranspose) {
  Tensor x = tensor("1x2x1x3xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(run("weft.squeeze", "{axes = array<i64: 0, 2>}", {x}, "2x3xf32"), "2x3xf32",
               {1, 2, 3, 4, 5, 6});
  expectTensor(run("weft.unsqueeze", "{axes = array<i64: 0, 2>}", {tensor("2xf32", {1, 2})}, "1x2x1xf32"),
               "1x2x1xf32", {1, 2});
  expectTensor(run("weft.transpose", "{permutation = array<i64: 3, 0, 1, 2>}", {x}, "3x1x2x1xf32"),
               "3x1x2x1xf32", {1, 4, 2, 5, 3, 6});
  expectTensor(run("weft.transpose", "{permutation = array<i64: 1, 0>}",
                   {tensor("2x3xi8", {1, 2, 3, 4, 5, 6})}, "3x2xi8"),
               "3x2xi8", {1, 4, 2, 5, 3, 6});
  expectTensor(run("weft.transpose", "{permutation = array<i64>}", {tensor("f32", {1})}, "f32"), "f32", {1});
  std::string text = R"(func.func @f(%x: tensor<?x2xf32, #weft.dims<"n", 2>>) -> tensor<2xf32> {
    %r = weft.squeeze %x {axes = array<i64: 0>} : (tensor<?x2xf32, #weft.dims<"n", 2>>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  })";
  expectError(runFunction(text, {tensor("2x2xf32", {1, 2, 3, 4})}), "squeeze-c2: dim 0 is 2, not 1");
}

TEST_F(ShapeTest, Concat) {
  Tensor a = tensor("2x1xf32", {1, 2}), b = tensor("2x2xf32", {3, 4, 5, 6}), none = tensor("2x0xf32", {});
  expectTensor(run("weft.concat", "{axis = 1 : i64}", {a, none, b}, "2x3xf32"), "2x3xf32",
               {1, 3, 4, 2, 5, 6});
  expectTensor(run("weft.concat", "{axis = 0 : i64}", {b, b}, "4x2xf32"), "4x2xf32",
               {3, 4, 5, 6, 3, 4, 5, 6});
  std::string text =
      R"(func.func @f(%x: tensor<?x1xf32, #weft.dims<"a", 1>>, %y: tensor<?x1xf32, #weft.dims<"b", 1>>)
      -> tensor<?x2xf32, #weft.dims<"a", 2>> {
    %r = weft.concat %x, %y {axis = 1 : i64} : (tensor<?x1xf32, #weft.dims<"a", 1>>, tensor<?x1xf32, #weft.dims<"b", 1>>)
      -> tensor<?x2xf32, #weft.dims<"a", 2>>
    return %r : tensor<?x2xf32, #weft.dims<"a", 2>>
  })";
  expectError(runFunction(text, {a, tensor("1x1xf32", {1})}),
              "concat-c2: shapes [2, 1] and [1, 1] differ beside axis 1");
}

TEST_F(ShapeTest, SliceByData) {
  expectTensor(sliceFive(1, 4, 1), "3xf32", {1, 2, 3});
  expectTensor(sliceFive(-3, -1, 1), "2xf32", {2, 3});
  expectTensor(sliceFive(0, INT64_MAX, 2), "3xf32", {0, 2, 4});
  expectTensor(sliceFive(-100, 100, 3), "2xf32", {0, 3});
  expectTensor(sliceFive(INT64_MIN, INT64_MAX, 1), "5xf32", {0, 1, 2, 3, 4});
  expectTensor(sliceFive(3, 1, 1), "0xf32", {});
  expectTensor(sliceFive(5, 100, 1), "0xf32", {});
  expectTensor(sliceFive(-1, INT64_MIN, -1), "5xf32", {4, 3, 2, 1, 0});
  expectTensor(sliceFive(100, 0, -2), "2xf32", {4, 2});
  expectTensor(sliceFive(3, -1, -1), "0xf32", {}); // -1 is the last element, not before the first.
  expectTensor(sliceFive(3, -6, -2), "2xf32", {3, 1});
  expectTensor(sliceFive(4, INT64_MIN, INT64_MIN), "1xf32", {4});
  expectTensor(sliceFive(0, INT64_MAX, INT64_MAX), "1xf32", {0});
  expectTensor(slice(tensor("0xf32", {}), "0", tensor("1xi64", {-1}), integers("1xi64", {INT64_MIN}),
                     tensor("1xi64", {-1})),
               "0xf32", {});
  expectTensor(slice(tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), "1, 0", tensor("2xi32", {2, 1}),
                     tensor("2xi32", {-100, 2}), tensor("2xi32", {-1, 1})),
               "1x3xf32", {6, 5, 4});
  expectError(sliceFive(0, 5, 0), "slice-c1: the step of axis 0 is 0");
}

TEST_F(ShapeTest, SliceByAttributes) {
  std::string text =
      R"(func.func @f(%p: tensor<?xi8, #weft.dims<"past">>, %x: tensor<2x?xf32, #weft.dims<2, "n" + "past">>,
                                   %n: tensor<?xi8, #weft.dims<"n">>) -> tensor<2x?xf32, #weft.dims<2, "n">> {
    %r = weft.slice %x {offsets = #weft.dims<1, "past">, strides = array<i64: -1, 1>}
      : (tensor<2x?xf32, #weft.dims<2, "n" + "past">>) -> tensor<2x?xf32, #weft.dims<2, "n">>
    return %r : tensor<2x?xf32, #weft.dims<2, "n">>
  })";
  expectTensor(
      runFunction(text, {tensor("1xi8", {0}), tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), tensor("2xi8", {0, 0})}),
      "2x2xf32", {5, 6, 2, 3});
  expectError(run("weft.slice", "{offsets = #weft.dims<2>, strides = array<i64: 2>}",
                  {tensor("4xf32", {1, 2, 3, 4})}, "2xf32"),
              "slice-c3: 2 elements from 2 with stride 2 leave dim 0 of size 4");
}

TEST_F(ShapeTest, Expand) {
  Tensor x = tensor("2x1xf32", {1, 2});
  expectTensor(runOpen("weft.expand", "", x, tensor("3xi64", {2, 1, 3})), "2x2x3xf32",
               {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  expectTensor(runOpen("weft.expand", "", x, tensor("1xi64", {1})), "2x1xf32", {1, 2});
  expectTensor(runOpen("weft.expand", "", tensor("f32", {5}), tensor("1xi64", {0})), "0xf32", {});
  expectTensor(run("weft.expand", "", {tensor("3xf32", {1, 2, 3})}, "2x3xf32"), "2x3xf32",
               {1, 2, 3, 1, 2, 3});
  expectError(runOpen("weft.expand", "", x, tensor("2xi64", {3, 1})),
              "expand-c2: shape [2, 1] does not broadcast to [3, 1]");
  expectError(runOpen("weft.expand", "", x, tensor("2xi64", {2, -1})), "expand-c1");
  expectError(runOpen("weft.expand", "", x, integers("2xi64", {2, int64_t(1) << 50})),
              "larger than the evaluator's limit");
}

TEST_F(ShapeTest, Tile) {
  Tensor x = tensor("2x2xf32", {1, 2, 3, 4});
  expectTensor(runOpen("weft.tile", "", x, tensor("2xi64", {1, 2})), "2x4xf32", {1, 2, 1, 2, 3, 4, 3, 4});
  expectTensor(runOpen("weft.tile", "", x, tensor("2xi64", {0, 2})), "0x4xf32", {});
  expectTensor(run("weft.tile", "", {x}, "4x2xf32"), "4x2xf32", {1, 2, 3, 4, 1, 2, 3, 4});
  expectError(runOpen("weft.tile", "", x, tensor("2xi64", {1, -1})), "tile-c1");
  expectError(runOpen("weft.tile", "", x, tensor("1xi64", {1})), "tile-c1: expects 2 repeats, got 1");
  expectError(run("weft.tile", "", {x}, "3x2xf32"), "tile-c1: [3, 2] is no multiple");
}

TEST_F(ShapeTest, Trilu) {
  Tensor x = tensor("3x4xf32", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  expectTensor(run("weft.trilu", "{upper, diagonal = 0 : i64}", {x}, "3x4xf32"), "3x4xf32",
               {1, 2, 3, 4, 0, 6, 7, 8, 0, 0, 11, 12});
  expectTensor(run("weft.trilu", "{upper, diagonal = 2 : i64}", {x}, "3x4xf32"), "3x4xf32",
               {0, 0, 3, 4, 0, 0, 0, 8, 0, 0, 0, 0});
  expectTensor(run("weft.trilu", "{diagonal = -1 : i64}", {x}, "3x4xf32"), "3x4xf32",
               {0, 0, 0, 0, 5, 0, 0, 0, 9, 10, 0, 0});
  expectTensor(
      run("weft.trilu", "{diagonal = 0 : i64}", {tensor("2x2x2xi1", {1, 1, 1, 1, 1, 1, 1, 1})}, "2x2x2xi1"),
      "2x2x2xi1", {1, 0, 1, 1, 1, 0, 1, 1});
}

TEST_F(ShapeTest, Toeplitz) {
  Tensor x = tensor("2x4xf32", {1, 2, 3, 4, 5, 6, 7, 8});
  expectTensor(run("weft.toeplitz", "", {x}, "2x2x3xf32"), "2x2x3xf32", {2, 3, 4, 1, 2, 3, 6, 7, 8, 5, 6, 7});
  expectTensor(run("weft.toeplitz", "", {tensor("3xi8", {1, 2, 3})}, "3x1xi8"), "3x1xi8", {3, 2, 1});
  expectTensor(run("weft.toeplitz", "", {tensor("0xf32", {})}, "0x4xf32"), "0x4xf32", {});
}

TEST_F(ShapeTest, RangeByData) {
  auto range = [&](llvm::StringRef element, Tensor start, Tensor limit, Tensor delta) {
    std::string scalar = "tensor<" + element.str() + ">", result = "tensor<?x" + element.str() + ">";
    return runFunction("func.func @f(%s: " + scalar + ", %l: " + scalar + ", %d: " + scalar + ") -> " +
                           result + " {\n %r = weft.range %s to %l by %d : (" + scalar + ", " + scalar +
                           ", " + scalar + ") -> " + result + "\n return %r : " + result + "\n}",
                       {start, limit, delta});
  };
  auto i64 = [&](int64_t value) { return integers("i64", {value}); };
  auto f32 = [&](double value) { return tensor("f32", {value}); };
  expectTensor(range("i64", i64(2), i64(7), i64(2)), "3xi64", {2, 4, 6});
  expectTensor(range("i64", i64(5), i64(0), i64(-2)), "3xi64", {5, 3, 1});
  expectTensor(range("i64", i64(3), i64(3), i64(1)), "0xi64", {});
  expectTensor(range("i64", i64(3), i64(9), i64(-1)), "0xi64", {});
  expectIntegers(range("i64", i64(INT64_MIN), i64(INT64_MAX), i64(INT64_MAX)), "3xi64",
                 {INT64_MIN, -1, INT64_MAX - 1});
  expectTensor(range("f32", f32(0), f32(1), f32(0.25)), "4xf32", {0, 0.25, 0.5, 0.75});
  expectTensor(range("f32", f32(1), f32(0), f32(-0.75)), "2xf32", {1, 0.25});
  expectTensor(range("ui8", tensor("ui8", {250}), tensor("ui8", {255}), tensor("ui8", {3})), "2xui8",
               {250, 253});
  expectIntegers(range("ui64", integers("ui64", {0}), integers("ui64", {-1}), integers("ui64", {INT64_MIN})),
                 "2xui64", {0, INT64_MIN});
  expectError(range("i64", i64(0), i64(1), i64(0)), "range-c1");
  expectError(range("f32", f32(0), f32(0), f32(0)), "range-c1");
  expectError(range("f32", f32(0), f32(1), f32(0)), "larger than the evaluator's limit");
  expectError(range("i64", i64(0), i64(INT64_MAX), i64(1)), "larger than the evaluator's limit");
}

TEST_F(ShapeTest, RangeByType) {
  std::string text = R"(func.func @f(%x: tensor<?xi8, #weft.dims<"n">>) -> tensor<?xi64, #weft.dims<"n">> {
    %r = weft.range {first = #weft.dim<"n" + 1>, step = -2 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
    return %r : tensor<?xi64, #weft.dims<"n">>
  })";
  expectTensor(runFunction(text, {tensor("3xi8", {0, 0, 0})}), "3xi64", {4, 2, 0});
}
