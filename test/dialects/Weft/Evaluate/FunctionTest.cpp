// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions: symbols, guards, inputs that do not fit, results that disagree with their types.
#include "EvaluateFixture.h"

using namespace weft;

namespace {
struct FunctionTest : EvaluateTest {
  Tensor ones(llvm::ArrayRef<int64_t> shape) {
    Tensor result = Tensor::zeros(mlir::Float32Type::get(&context), shape);
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      result.setFloat(i, 1);
    return result;
  }
  const std::string twoInputs =
      R"(func.func @f(%x: tensor<?x?xf32, #weft.dims<"past" + "seq", "seq">> {weft.name = "mask"},
                                              %y: tensor<?xf32, #weft.dims<"past">> {weft.name = "cache"})
      -> tensor<2xi64> attributes {weft.guards = [#weft.guard<less_equal, "past", 2 * "seq", "node \"Slice_7\" asks for it">,
                                                  #weft.guard<broadcast, "past", "seq", "node \"Add_3\" asks for it">]} {
    %r = weft.dims <"past", "seq"> : tensor<2xi64>
    return %r : tensor<2xi64>
  })";
};
} // namespace

TEST_F(FunctionTest, SymbolsComeFromAllInputs) {
  expectTensor(runFunction(twoInputs, {ones({6, 3}), ones({3})}), "2xi64", {3, 3});
}

TEST_F(FunctionTest, InputsThatDoNotFit) {
  expectError(runFunction(twoInputs, {ones({5, 3}), ones({3})}),
              "input \"mask\": expects dim 0 (past + seq) to be 6, got shape [5, 3]");
  expectError(runFunction(twoInputs, {ones({6, 3}), ones({3, 1})}),
              "input \"cache\": expects rank 1, got shape [3, 1]");
  expectError(runFunction(twoInputs, {ones({6, 3}), tensor("3xf16", {1, 2, 3})}),
              "input \"cache\": expects past x f32");
  expectError(runFunction(twoInputs, {ones({6, 3}), Tensor()}), "input \"cache\": there is no tensor");
  expectError(runFunction(twoInputs, {ones({6, 3})}), "\"f\" expects 2 inputs, got 1");
}

TEST_F(FunctionTest, OneSymbolTwoSizes) {
  std::string text = R"(func.func @f(%x: tensor<?xf32, #weft.dims<"n">>, %y: tensor<?xf32, #weft.dims<"n">>)
      -> tensor<?xf32, #weft.dims<"n">> {
    return %x : tensor<?xf32, #weft.dims<"n">>
  })";
  expectError(runFunction(text, {ones({2}), ones({3})}), "input 1: expects dim 0 (n) to be 2, got shape [3]");
}

TEST_F(FunctionTest, SymbolThatNoInputGives) {
  std::string text =
      R"(func.func @f(%x: tensor<?xf32, #weft.dims<"n" + "m">>, %y: tensor<?xf32, #weft.dims<"m">>)
      -> tensor<?xf32, #weft.dims<"m">> {
    return %y : tensor<?xf32, #weft.dims<"m">>
  })";
  expectError(runFunction(text, {ones({2}), ones({1})}), "input 0: m + n: no value is known for \"n\"");
}

TEST_F(FunctionTest, Guards) {
  expectError(runFunction(twoInputs, {ones({7, 2}), ones({5})}),
              "past is at most 2 * seq, but they are 5 and 4; node \"Slice_7\" asks for it");
  expectError(runFunction(twoInputs, {ones({5, 3}), ones({2})}),
              "past broadcasts with seq, but they are 2 and 3; node \"Add_3\" asks for it");
  expectTensor(runFunction(twoInputs, {ones({4, 3}), ones({1})}), "2xi64", {1, 3});
  expectTensor(runFunction(twoInputs, {ones({3, 1}), ones({2})}), "2xi64", {2, 1});
}

TEST_F(FunctionTest, FreshSymbolsAreBoundByTheFirstResult) {
  std::string text = R"(func.func @f(%s: tensor<i64>) -> tensor<1xi64>
      attributes {weft.guards = [#weft.guard<less_equal, "$0", 4, "node \"Range\" asks for it">]} {
    %one = weft.constant dense<1> : tensor<i64>
    %zero = weft.constant dense<0> : tensor<i64>
    %r = weft.range %zero to %s by %one : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64, #weft.dims<"$0">>
    %d = weft.dims <"$0" + 1> : tensor<1xi64>
    return %d : tensor<1xi64>
  })";
  expectTensor(runFunction(text, {tensor("i64", {3})}), "1xi64", {4});
  expectError(runFunction(text, {tensor("i64", {5})}), "$0 is at most 4, but they are 5 and 4");
}

TEST_F(FunctionTest, UnknownSymbolInAnOperation) {
  std::string text = R"(func.func @f(%x: tensor<2xf32>) -> tensor<1xi64> {
    %d = weft.dims <"z"> : tensor<1xi64> loc("/Shape_2")
    return %d : tensor<1xi64>
  })";
  expectError(runFunction(text, {ones({2})}), "node \"/Shape_2\": z: no value is known for \"z\"");
}

TEST_F(FunctionTest, WrongInferenceIsCaught) {
  std::string text =
      R"(func.func @f(%x: tensor<?xf32, #weft.dims<"n">>) -> tensor<?xf32, #weft.dims<"n" + 1>> {
    %r = weft.neg %x : (tensor<?xf32, #weft.dims<"n">>) -> tensor<?xf32, #weft.dims<"n" + 1>>
    return %r : tensor<?xf32, #weft.dims<"n" + 1>>
  })";
  expectError(runFunction(text, {ones({2})}), "internal error: 'weft.neg' declares a result type that is not "
                                              "what it computes: expects dim 0 (n + 1)");
}

TEST_F(FunctionTest, TraceSeesEveryResult) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(R"(func.func @f(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %a = weft.neg %x : (tensor<f32>) -> tensor<f32>
    %b = weft.add %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %b, %x : tensor<f32>, tensor<f32>
  })",
                                              &context);
  ASSERT_TRUE(module);
  std::vector<std::pair<std::string, double>> seen;
  auto results =
      evaluateFunction(*module->getOps<mlir::func::FuncOp>().begin(), {tensor("f32", {3})},
                       [&](mlir::Operation *op, llvm::ArrayRef<Tensor> results) {
                         for (const Tensor &result : results)
                           seen.emplace_back(op->getName().getStringRef().str(), result.getFloat(0));
                       });
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, double>>{{"weft.neg", -3}, {"weft.add", -6}}));
  EXPECT_EQ((*results)[0].getFloat(0), -6);
  EXPECT_EQ((*results)[1].getFloat(0), 3);
}

TEST_F(FunctionTest, OperationsWithoutMeaning) {
  std::string text = R"(func.func @f(%x: tensor<f32>) -> tensor<f32> {
    %r = math.exp %x : tensor<f32>
    return %r : tensor<f32>
  })";
  expectError(runFunction(text, {tensor("f32", {1})}), "the evaluator does not know 'math.exp'");
  expectError(runFunction("func.func private @f(%x: tensor<f32>) -> tensor<f32>", {tensor("f32", {1})}),
              "no body of one block");
}

TEST_F(FunctionTest, SingleOperations) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    %a = weft.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %a : tensor<2xf32>
  })",
                                                        &context);
  ASSERT_TRUE(module);
  mlir::Operation *add = &(*module->getOps<mlir::func::FuncOp>().begin()).getBody().front().front();
  EvaluateContext symbols;
  auto results = evaluateOperation(add, {tensor("2xf32", {1, 2}), tensor("2xf32", {3, 4})}, symbols);
  ASSERT_TRUE(succeeded(results));
  ASSERT_EQ(results->size(), 1u);
  expectTensor(results->front(), "2xf32", {4, 6});
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) { error += diagnostic.str(); });
  EXPECT_TRUE(failed(evaluateOperation(add, {tensor("2xf32", {1, 2})}, symbols)));
  EXPECT_NE(error.find("expects 2 operands, got 1"), std::string::npos) << error;
  error.clear();
  EXPECT_TRUE(failed(evaluateOperation(add, {ones({2}), ones({3})}, symbols)));
  EXPECT_NE(error.find("operand 1: expects dim 0 to be 2"), std::string::npos) << error;
}
