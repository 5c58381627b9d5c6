// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates operations and functions that a test writes as text.
//
// Expected numbers are NumPy's, as literals. They are rounded to the result's element type before they are
// compared, so that a comparison is exact except for f64.
#ifndef WEFT_TEST_DIALECTS_WEFT_EVALUATE_EVALUATEFIXTURE_H
#define WEFT_TEST_DIALECTS_WEFT_EVALUATE_EVALUATEFIXTURE_H

#include "dialects/Weft/Evaluate/Evaluate.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

namespace weft {

class EvaluateTest : public ::testing::Test {
protected:
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  EvaluateTest() {
    mlir::DialectRegistry registry;
    registry
        .insert<WeftDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
    registerEvaluateModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// `type` is "2x3xf32", or "f32" for a scalar.
  Tensor tensor(llvm::StringRef type, llvm::ArrayRef<double> values) {
    auto parsed = parse(type);
    return Tensor::fromFloats(parsed.getElementType(), parsed.getShape(), values);
  }
  Tensor integers(llvm::StringRef type, llvm::ArrayRef<int64_t> values) {
    auto parsed = parse(type);
    return Tensor::fromIntegers(parsed.getElementType(), parsed.getShape(), values);
  }

  /// Runs the first function of a module; null and `error` if that fails.
  Tensor runFunction(llvm::StringRef text, llvm::ArrayRef<Tensor> inputs) {
    error.clear();
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        error += diagnostic.str() + "\n";
    });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "does not parse: " << error << text.str();
      return Tensor();
    }
    auto results = evaluateFunction(*module->getOps<mlir::func::FuncOp>().begin(), inputs);
    return succeeded(results) ? results->front() : Tensor();
  }

  /// Runs one operation, written without its operands and types: `prefix` %0, %1 `suffix` : (types) -> result
  /// type. The text must hold in tensor<...> what a function of these inputs can say.
  Tensor run(llvm::StringRef prefix, llvm::StringRef suffix, llvm::ArrayRef<Tensor> inputs,
             llvm::StringRef resultType) {
    std::string arguments, operands, types, result = "tensor<" + resultType.str() + ">";
    llvm::raw_string_ostream argumentStream(arguments), operandStream(operands), typeStream(types);
    for (auto [i, input] : llvm::enumerate(inputs)) {
      const char *comma = i ? ", " : "";
      argumentStream << comma << "%a" << i << ": " << input.getType();
      operandStream << comma << "%a" << i;
      typeStream << comma << input.getType();
    }
    return runFunction("func.func @f(" + arguments + ") -> " + result + " {\n  %r = " + prefix.str() + " " +
                           operands + " " + suffix.str() + " : (" + types + ") -> " + result +
                           "\n  return %r : " + result + "\n}\n",
                       inputs);
  }

  void expectTensor(const Tensor &actual, llvm::StringRef type, llvm::ArrayRef<double> values) {
    ASSERT_TRUE(bool(actual)) << error;
    Tensor expected = tensor(type, values);
    ASSERT_TRUE(bool(expected)) << "a wrong number of expected values";
    EXPECT_EQ(describeType(actual.getType()), describeType(expected.getType()));
    if (actual.getType() != expected.getType())
      return;
    for (int64_t i = 0; i < actual.getNumElements(); ++i) {
      double got = actual.getFloat(i), want = expected.getFloat(i);
      double tolerance = actual.getElementType().isF64() ? 1e-14 * std::fabs(want) : 0;
      bool same = got == want || (std::isnan(got) && std::isnan(want)) || std::fabs(got - want) <= tolerance;
      EXPECT_TRUE(same) << "at " << i << ": " << got << ", expected " << want;
    }
  }
  void expectIntegers(const Tensor &actual, llvm::StringRef type, llvm::ArrayRef<int64_t> values) {
    ASSERT_TRUE(bool(actual)) << error;
    Tensor expected = integers(type, values);
    ASSERT_TRUE(bool(expected)) << "a wrong number of expected values";
    EXPECT_EQ(describeType(actual.getType()), describeType(expected.getType()));
    EXPECT_EQ(actual.getBytes(), expected.getBytes());
  }
  /// A run failed, and its message holds `part`.
  void expectError(const Tensor &result, llvm::StringRef part) {
    EXPECT_FALSE(bool(result)) << "expected the error: " << part.str();
    EXPECT_NE(error.find(part.str()), std::string::npos) << "expected '" << part.str() << "' in: " << error;
  }

  mlir::MLIRContext context;
  std::string error;

private:
  mlir::RankedTensorType parse(llvm::StringRef type) {
    return mlir::cast<mlir::RankedTensorType>(mlir::parseType("tensor<" + type.str() + ">", &context));
  }
};

} // namespace weft

#endif // WEFT_TEST_DIALECTS_WEFT_EVALUATE_EVALUATEFIXTURE_H
