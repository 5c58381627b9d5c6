// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every element-wise operation means the same as scalar code: fused into a matmul's epilogue and evaluated
// there, it gives what the evaluator gives for the operation itself.
#include "compiler/Graph/GraphPipeline.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "test/same-answer/SameAnswer.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mlir;
using namespace weft;

namespace {
/// Values at which scalar code goes wrong: signed zeros, infinities, NaN, halves, large and tiny ones.
const std::vector<double> kFloats = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     0.5,
                                     -2.5,
                                     3.0,
                                     1e-8,
                                     -1e-8,
                                     12.0,
                                     -12.0,
                                     300.0,
                                     1e9,
                                     -1e10,
                                     1e19,
                                     -1e19,
                                     INFINITY,
                                     -INFINITY,
                                     std::numeric_limits<double>::quiet_NaN()};
const std::vector<int64_t> kIntegers = {0,     1,      -1,        2,         -2,        3,
                                        7,     -7,     127,       -128,      128,       255,
                                        65535, -32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};

class ScalarBodyTest : public ::testing::Test {
public:
  static void SetUpTestSuite() { registerGraphPasses(); }

protected:
  /// Evaluates `steps`, which lead from %x to %r of the same type, alone and as an epilogue; %c is another
  /// operand.
  void check(const std::string &element, const std::string &steps) {
    SCOPED_TRACE(element + ":\n" + steps);
    std::string type = "tensor<?x1x" + element + ", #weft.dims<\"n\", 1>>",
                one = isFloat(element) ? "1.0" : "1";
    std::string text = "!t = " + type + "\n!e = " + element + "\nfunc.func @f(%v: !t, %c: !t) -> !t {\n" +
                       "  %one = weft.constant dense<" + one + "> : tensor<1x1x" + element + ">\n" +
                       "  %x = weft.matmul %v, %one : (!t, tensor<1x1x" + element + ">) -> !t\n" + steps +
                       "  return %r : !t\n}\n";
    OwningOpRef<ModuleOp> before = parseSourceString<ModuleOp>(text, context.get());
    ASSERT_TRUE(before);
    OwningOpRef<ModuleOp> after = before->clone();
    PassManager pm(context.get());
    ASSERT_TRUE(succeeded(parsePassPipeline("func.func(weft-fuse-epilogue)", pm)) &&
                succeeded(pm.run(*after)));
    auto fused = after->lookupSymbol<func::FuncOp>("f");
    auto matmul = fused.front().getTerminator()->getOperand(0).getDefiningOp<MatmulOp>();
    ASSERT_TRUE(matmul && !matmul.getEpilogue().empty()) << "was not fused";
    compare(before->lookupSymbol<func::FuncOp>("f"), fused);
  }

  static bool isFloat(const std::string &element) { return element[0] == 'f' || element[0] == 'b'; }

private:
  /// Every pair of values.
  SmallVector<Tensor> makePairs(Type element) {
    bool floats = isa<FloatType>(element);
    int64_t count = floats ? kFloats.size() : kIntegers.size(), pairs = count * count;
    Tensor left = Tensor::zeros(element, {pairs, 1}), right = Tensor::zeros(element, {pairs, 1});
    for (int64_t i = 0; i < pairs; ++i) {
      if (floats) {
        left.setFloat(i, kFloats[i / count]);
        right.setFloat(i, kFloats[i % count]);
      } else {
        left.setInteger(i, kIntegers[i / count]);
        right.setInteger(i, kIntegers[i % count]);
      }
    }
    return {left, right};
  }

  void compare(func::FuncOp before, func::FuncOp after) {
    Type element = getElementTypeOrSelf(before.getArgument(0).getType());
    SmallVector<Tensor> inputs = makePairs(element);
    auto left = evaluateFunction(before, inputs), right = evaluateFunction(after, inputs);
    ASSERT_TRUE(succeeded(left) && succeeded(right));
    const Tensor &a = left->front(), &b = right->front();
    double tolerance = element.isF64() ? 1e-9 : element.isF32() ? 1e-5 : element.isF16() ? 2e-3 : 1.6e-2;
    for (int64_t i = 0; i < a.getNumElements(); ++i) {
      double x = a.getFloat(i), y = b.getFloat(i);
      bool isSame = a.isFloat() ? x == y || (std::isnan(x) && std::isnan(y)) ||
                                      std::abs(x - y) <= tolerance * std::abs(x)
                                : a.getInteger(i) == b.getInteger(i);
      EXPECT_TRUE(isSame) << "of " << inputs[0].getFloat(i) << " and " << inputs[1].getFloat(i) << ": " << x
                          << " and " << y;
    }
  }

  std::unique_ptr<MLIRContext> context = test::makeContext();
};

std::string unary(const std::string &op, const std::string &attributes = "") {
  return "  %r = weft." + op + " %x " + attributes + " : (!t) -> !t\n";
}
std::string binary(const std::string &op) { return "  %r = weft." + op + " %x, %c : (!t, !t) -> !t\n"; }
std::string boolType() { return "tensor<?x1xi1, #weft.dims<\"n\", 1>>"; }

const char *const kFloatTypes[] = {"f16", "bf16", "f32", "f64"};
const char *const kIntegerTypes[] = {"i8", "i16", "i32", "i64"};
} // namespace

TEST_F(ScalarBodyTest, FloatUnary) {
  for (const char *type : kFloatTypes) {
    for (const char *op : {"neg", "abs", "sqrt", "exp", "log", "erf", "tanh", "sigmoid", "reciprocal", "relu",
                           "sin", "cos", "atan", "floor", "ceil", "round"})
      check(type, unary(op));
    check(type, unary("gelu", "{form = 0 : i32}"));
    check(type, unary("gelu", "{form = 1 : i32}"));
  }
}

TEST_F(ScalarBodyTest, FloatBinary) {
  for (const char *type : kFloatTypes)
    for (const char *op : {"add", "sub", "mul", "div", "min", "max", "pow"})
      check(type, binary(op));
}

TEST_F(ScalarBodyTest, Integers) {
  for (const char *type : kIntegerTypes) {
    for (const char *op : {"neg", "abs", "relu"})
      check(type, unary(op));
    for (const char *op : {"add", "sub", "mul", "div", "rem", "min", "max", "pow", "bit_and", "bit_or",
                           "bit_xor", "shift_left", "shift_right"})
      check(type, binary(op));
  }
}

TEST_F(ScalarBodyTest, UnsignedIntegers) {
  for (const std::string width : {"8", "16", "32", "64"}) {
    std::string type = "tensor<?x1xui" + width + ", #weft.dims<\"n\", 1>>";
    for (const char *op : {"add", "sub", "mul", "div", "rem", "min", "max", "pow", "bit_and", "bit_or",
                           "bit_xor", "shift_left", "shift_right"})
      check("i64", "  %k = weft.constant dense<7> : tensor<ui" + width + ">\n  %u = weft.cast %x to ui" +
                       width + " : (!t) -> " + type + "\n  %o = weft." + op + " %u, %k : (" + type +
                       ", tensor<ui" + width + ">) -> " + type + "\n  %r = weft.cast %o to i64 : (" + type +
                       ") -> !t\n");
  }
}

TEST_F(ScalarBodyTest, ComparisonsAndBools) {
  for (const char *type : {"f16", "f32", "f64", "i8", "i64"})
    for (const char *predicate : {"eq", "lt", "le", "gt", "ge"})
      check(type, std::string("  %a = weft.compare ") + predicate + " %x, %c : (!t, !t) -> " + boolType() +
                      "\n  %b = weft.cast %c to i1 : (!t) -> " + boolType() + "\n  %o = weft.or %a, %b : (" +
                      boolType() + ", " + boolType() + ") -> " + boolType() + "\n  %n = weft.not %a : (" +
                      boolType() + ") -> " + boolType() + "\n  %d = weft.and %o, %n : (" + boolType() + ", " +
                      boolType() + ") -> " + boolType() + "\n  %r = weft.where %d, %x, %c : (" + boolType() +
                      ", !t, !t) -> !t\n");
}

TEST_F(ScalarBodyTest, Casts) {
  const char *all[] = {"i1",   "i8",   "i16", "i32",  "i64", "ui8", "ui16",
                       "ui32", "ui64", "f16", "bf16", "f32", "f64"};
  for (const char *from : {"f16", "bf16", "f32", "f64", "i8", "i32", "i64"})
    for (std::string to : all) {
      std::string type = "tensor<?x1x" + to + ", #weft.dims<\"n\", 1>>";
      check(from, "  %o = weft.cast %x to " + to + " : (!t) -> " + type + "\n  %r = weft.cast %o to " + from +
                      " : (" + type + ") -> !t\n");
    }
}
