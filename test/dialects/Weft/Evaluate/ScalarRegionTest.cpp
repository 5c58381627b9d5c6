// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar arith and math operations, run as the epilogue of an outer product with 1: the sum is the element of
// %x.
#include "EvaluateFixture.h"

using namespace weft;

namespace {
struct ScalarRegionTest : EvaluateTest {
  /// Runs an epilogue over each pair of elements. `body` computes %r from %x and %y.
  Tensor runBody(llvm::StringRef body, Tensor x, Tensor y) {
    std::string n = std::to_string(x.getNumElements()), element = describe(x), other = describe(y);
    std::string type = "tensor<" + n + "x" + element + ">", column = "tensor<" + n + "x1x" + element + ">",
                one = "tensor<1x" + element + ">", capture = "tensor<" + n + "x" + other + ">";
    Tensor unit = Tensor::fromIntegers(x.getElementType(), {1}, {1});
    return runFunction("func.func @f(%a: " + column + ", %one: " + one + ", %captured: " + capture + ") -> " +
                           type + " {\n  %m = weft.matmul %a, %one captures(%captured : " + capture +
                           ") epilogue {\n  ^bb0(%x: " + element + ", %y: " + other + "):\n" + body.str() +
                           "\n    weft.yield %r : " + element + "\n  } : (" + column + ", " + one + ") -> " +
                           type + "\n  return %m : " + type + "\n}",
                       {x.withShape({x.getNumElements(), 1}), unit, y});
  }
  Tensor runFloats(llvm::StringRef body, llvm::ArrayRef<double> x, llvm::ArrayRef<double> y) {
    std::string type = std::to_string(x.size()) + "xf32";
    return runBody(body, tensor(type, x), tensor(type, y));
  }
  Tensor runIntegers(llvm::StringRef body, llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y) {
    std::string type = std::to_string(x.size()) + "xi32";
    return runBody(body, integers(type, x), integers(type, y));
  }

private:
  static std::string describe(const Tensor &tensor) {
    std::string text;
    llvm::raw_string_ostream(text) << tensor.getElementType();
    return text;
  }
};
} // namespace

TEST_F(ScalarRegionTest, FloatArithmetic) {
  auto expectOf = [&](llvm::StringRef op, llvm::ArrayRef<double> values) {
    SCOPED_TRACE(op.str());
    expectTensor(runFloats("%r = " + op.str() + " %x, %y : f32", {6, -1, 2}, {4, 0.5, kNan}), "3xf32",
                 values);
  };
  expectOf("arith.addf", {10, -0.5, kNan});
  expectOf("arith.subf", {2, -1.5, kNan});
  expectOf("arith.mulf", {24, -0.5, kNan});
  expectOf("arith.divf", {1.5, -2, kNan});
  expectOf("arith.remf", {2, 0, kNan});
  expectOf("arith.maximumf", {6, 0.5, kNan});
  expectOf("arith.minimumf", {4, -1, kNan});
  expectOf("arith.maxnumf", {6, 0.5, 2});
  expectOf("arith.minnumf", {4, -1, 2});
  expectOf("math.powf", {1296, kNan, kNan});
}

TEST_F(ScalarRegionTest, FloatFunctions) {
  auto expectOf = [&](llvm::StringRef op, llvm::ArrayRef<double> values) {
    SCOPED_TRACE(op.str());
    expectTensor(runFloats("%r = " + op.str() + " %x : f32", {1, 4, -0.25}, {0, 0, 0}), "3xf32", values);
  };
  expectOf("arith.negf", {-1, -4, 0.25});
  expectOf("math.absf", {1, 4, 0.25});
  expectOf("math.exp", {2.718281828459045, 54.598150033144236, 0.7788007830714049});
  expectOf("math.exp2", {2, 16, 0.8408964152537145});
  expectOf("math.expm1", {1.718281828459045, 53.598150033144236, -0.22119921692859515});
  expectOf("math.tanh", {0.7615941559557649, 0.999329299739067, -0.24491866240370913});
  expectOf("math.erf", {0.8427007929497149, 0.9999999845827421, -0.2763263901682369});
  expectOf("math.sqrt", {1, 2, kNan});
  expectOf("math.rsqrt", {1, 0.5, kNan});
  expectOf("math.log", {0, 1.3862943611198906, kNan});
  expectOf("math.log1p", {0.6931471805599453, 1.6094379124341003, -0.2876820724517809});
  expectOf("math.log2", {0, 2, kNan});
  expectOf("math.floor", {1, 4, -1});
  expectOf("math.ceil", {1, 4, 0});
  expectOf("math.sin", {0.8414709848078965, -0.7568024953079282, -0.24740395925452294});
  expectOf("math.cos", {0.5403023058681398, -0.6536436208636119, 0.9689124217106447});
  expectOf("math.atan", {0.7853981633974483, 1.3258176636680326, -0.24497866312686414});
  expectTensor(runFloats("%r = math.fma %x, %y, %x : f32", {2}, {3}), "1xf32", {8});
}

TEST_F(ScalarRegionTest, ConstantsCompareAndSelect) {
  std::string body = R"(
    %zero = arith.constant 0.0 : f32
    %keep = arith.cmpf ogt, %x, %zero : f32
    %r = arith.select %keep, %x, %y : f32)";
  expectTensor(runFloats(body, {1, -1, kNan}, {7, 8, 9}), "3xf32", {1, 8, 9});
  std::string unordered = R"(
    %any = arith.cmpf une, %x, %y : f32
    %r = arith.uitofp %any : i1 to f32)";
  expectTensor(runFloats(unordered, {1, 2, kNan}, {1, 3, kNan}), "3xf32", {0, 1, 1});
}

TEST_F(ScalarRegionTest, IntegerArithmetic) {
  auto expectOf = [&](llvm::StringRef op, llvm::ArrayRef<int64_t> values) {
    SCOPED_TRACE(op.str());
    expectIntegers(runIntegers("%r = " + op.str() + " %x, %y : i32", {7, -7, INT32_MAX}, {2, 2, -1}), "3xi32",
                   values);
  };
  expectOf("arith.addi", {9, -5, INT32_MAX - 1});
  expectOf("arith.subi", {5, -9, INT32_MIN});
  expectOf("arith.muli", {14, -14, -INT32_MAX});
  expectOf("arith.divsi", {3, -3, -INT32_MAX});
  expectOf("arith.divui", {3, 2147483644, 0});
  expectOf("arith.remsi", {1, -1, 0});
  expectOf("arith.remui", {1, 1, INT32_MAX});
  expectOf("arith.maxsi", {7, 2, INT32_MAX});
  expectOf("arith.maxui", {7, -7, -1});
  expectOf("arith.minsi", {2, -7, -1});
  expectOf("arith.minui", {2, 2, INT32_MAX});
  expectOf("arith.andi", {2, 0, INT32_MAX});
  expectOf("arith.ori", {7, -5, -1});
  expectOf("arith.xori", {5, -5, INT32_MIN});
}

TEST_F(ScalarRegionTest, IntegerCompare) {
  auto expectOf = [&](llvm::StringRef predicate, llvm::ArrayRef<int64_t> values) {
    SCOPED_TRACE(predicate.str());
    std::string body =
        "%c = arith.cmpi " + predicate.str() + ", %x, %y : i32\n%r = arith.extui %c : i1 to i32";
    expectIntegers(runIntegers(body, {1, -1, 3}, {2, 1, 3}), "3xi32", values);
  };
  expectOf("eq", {0, 0, 1});
  expectOf("ne", {1, 1, 0});
  expectOf("slt", {1, 1, 0});
  expectOf("sge", {0, 0, 1});
  expectOf("ult", {1, 0, 0});
  expectOf("uge", {0, 1, 1});
}

TEST_F(ScalarRegionTest, Conversions) {
  expectTensor(
      runFloats("%h = arith.truncf %x : f32 to f16\n%r = arith.extf %h : f16 to f32", {0.1, 2049}, {0, 0}),
      "2xf32", {0.0999755859375, 2048});
  expectTensor(
      runFloats("%i = arith.fptosi %x : f32 to i32\n%r = arith.sitofp %i : i32 to f32", {-1.75, 2.5}, {0, 0}),
      "2xf32", {-1, 2});
  expectTensor(
      runFloats("%i = arith.fptoui %x : f32 to i32\n%r = arith.uitofp %i : i32 to f32", {3e9, 2.5}, {0, 0}),
      "2xf32", {3e9, 2});
  expectIntegers(
      runIntegers("%b = arith.trunci %x : i32 to i8\n%r = arith.extsi %b : i8 to i32", {200, 3}, {0, 0}),
      "2xi32", {-56, 3});
  expectIntegers(
      runIntegers("%b = arith.trunci %x : i32 to i8\n%r = arith.extui %b : i8 to i32", {200, -1}, {0, 0}),
      "2xi32", {200, 255});
  expectIntegers(
      runIntegers("%b = arith.trunci %x : i32 to i1\n%r = arith.extsi %b : i1 to i32", {3, 2}, {0, 0}),
      "2xi32", {-1, 0});
  expectIntegers(runIntegers("%b = arith.index_cast %x : i32 to index\n%c = arith.constant 5 : index\n"
                             "%s = arith.addi %b, %c : index\n%r = arith.index_cast %s : index to i32",
                             {-3, 2}, {0, 0}),
                 "2xi32", {2, 7});
}

TEST_F(ScalarRegionTest, BoolArithmeticWraps) {
  expectIntegers(
      runIntegers("%t = arith.constant true\n%s = arith.addi %t, %t : i1\n%r = arith.extui %s : i1 to i32",
                  {9}, {9}),
      "1xi32", {0});
}

TEST_F(ScalarRegionTest, EachOperationRoundsToItsType) {
  std::string body = "%s = arith.addf %x, %y : f16\n%r = arith.subf %s, %x : f16";
  expectTensor(runBody(body, tensor("1xf16", {2048}), tensor("1xf16", {1})), "1xf16", {0});
}

TEST_F(ScalarRegionTest, UnknownOperation) {
  expectError(runFloats("%r = math.cbrt %x : f32", {1}, {1}),
              "the evaluator does not know 'math.cbrt' on scalars");
}
