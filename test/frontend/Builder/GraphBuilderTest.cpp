// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GraphBuilder: what it builds, what it infers, and what happens after an error.
#include "frontend/Builder/GraphBuilder.h"
#include "dialects/Weft/Evaluate/Evaluate.h"
#include "mlir/IR/Verifier.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;

namespace {

class GraphBuilderTest : public testing::Test {
protected:
  GraphBuilderTest()
      : context(makeRegistry()), handler(&context, [this](Diagnostic &diagnostic) {
          errors += getNodeName(diagnostic.getLocation()) + ": " + diagnostic.str() + "\n";
        }) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerEvaluateModels(registry);
    return registry;
  }

  /// A feed-forward block: relu(x * w1 + b1) * w2 + x.
  Value buildFeedForward(GraphBuilder &graph, Value x) {
    Value inner = graph.addition(graph.matmul(x, graph.constant({2, 3}, ArrayRef<float>{1, -1, 0, 0, 2, 1})),
                                 graph.constant({3}, ArrayRef<float>{0, 1, -1}));
    Value outer = graph.matmul(graph.relu(inner), graph.constant({3, 2}, ArrayRef<float>{1, 0, 0, 1, 1, 1}));
    return graph.addition(outer, x);
  }

  MLIRContext context;
  std::string errors;
  ScopedDiagnosticHandler handler;
};

TEST_F(GraphBuilderTest, InfersSymbolicTypes) {
  GraphBuilder graph(&context, "main");
  Value x = graph.input("x", graph.f32(), {graph.symbol("batch"), graph.symbol("seq"), graph.dim(2)});
  Value y = buildFeedForward(graph, x);
  EXPECT_EQ(describeType(y.getType()), "batch x seq x 2 x f32");
  EXPECT_EQ(describeType(graph.transpose(y, {1, 0, 2}).getType()), "seq x batch x 2 x f32");
  EXPECT_EQ(describeType(graph.reshape(y, {0, -1}).getType()), "batch x 2 * seq x f32");
  EXPECT_EQ(describeType(graph.concat({y, x}, 1).getType()), "batch x 2 * seq x 2 x f32");
  EXPECT_EQ(describeType(graph.reduce(ReduceKind::Sum, y, {2}, false).getType()), "batch x seq x f32");
  graph.output("y", y);
  OwningOpRef<ModuleOp> module = graph.finish();
  ASSERT_TRUE(module) << errors;
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(GraphBuilderTest, WhatItBuildsEvaluates) {
  GraphBuilder graph(&context, "main");
  Value x = graph.input("x", graph.f32(), {graph.symbol("n"), graph.dim(2)});
  graph.output("y", buildFeedForward(graph, x));
  OwningOpRef<ModuleOp> module = graph.finish();
  ASSERT_TRUE(module) << errors;
  Tensor input = Tensor::fromFloats(Float32Type::get(&context), {2, 2}, {1, 2, -3, 0.5});
  auto results = evaluateFunction(*module->getOps<func::FuncOp>().begin(), {input});
  ASSERT_TRUE(succeeded(results)) << errors;
  // Row 1: [1, -1+4+1, 2-1] = [1, 4, 1] -> [2, 5] + [1, 2]; row 2: [-3, 3+1+1, 0.5-1] -> [0, 5, 0] -> [0, 5]
  // + [-3, 0.5].
  EXPECT_EQ((*results)[0].toFloats(), (std::vector<double>{3, 7, -3, 5.5}));
}

TEST_F(GraphBuilderTest, AnErrorNamesTheNodeAndStopsNothing) {
  GraphBuilder graph(&context, "main");
  Value x = graph.input("x", graph.f32(), {graph.dim(4), graph.dim(2)});
  graph.setNode("/ffn/MatMul", "MatMul-13");
  Value wrong = graph.matmul(x, graph.constant({3, 2}, ArrayRef<float>{1, 0, 0, 1, 1, 1}));
  EXPECT_FALSE(wrong);
  EXPECT_TRUE(graph.failed());
  EXPECT_NE(errors.find("/ffn/MatMul: "), std::string::npos) << errors;
  EXPECT_NE(errors.find("matmul-c2"), std::string::npos) << errors;
  std::string first = errors;
  EXPECT_FALSE(graph.relu(wrong)); // skipped in silence: its cause is reported already
  EXPECT_EQ(errors, first);
  EXPECT_TRUE(graph.relu(x)); // the rest goes on
  graph.output("y", wrong);
  EXPECT_FALSE(graph.finish());
}

TEST_F(GraphBuilderTest, ConstantsCountTheirElements) {
  GraphBuilder graph(&context, "main");
  EXPECT_FALSE(graph.constant({2, 2}, ArrayRef<float>{1, 2, 3}));
  EXPECT_NE(errors.find("expects 4 elements for a constant, got 3"), std::string::npos) << errors;
  EXPECT_TRUE(graph.failed());
}

/// A body reads what is around it: values are captured, and constants, which are made before the loop, are
/// the body's own.
TEST_F(GraphBuilderTest, ALoopCapturesWhatItsBodyReads) {
  GraphBuilder graph(&context, "main");
  Value x = graph.input("x", graph.f32(), {graph.symbol("n"), graph.dim(2)});
  Value first = graph.constant({2}, ArrayRef<float>{1, 1}), step;
  auto body = [&](Value iteration, ValueRange states) -> std::optional<SmallVector<Value>> {
    step = graph.constant({2}, ArrayRef<float>{10, 20});
    Value row = graph.gather(x, iteration, 0);
    return SmallVector<Value>{graph.addition(graph.addition(states[0], row), step), row};
  };
  SmallVector<Value> results = graph.loop(graph.shape(x, 0, 1), first, body);
  ASSERT_EQ(results.size(), 2u) << errors;
  EXPECT_EQ(describeType(results[0].getType()), "2 x f32");
  EXPECT_EQ(describeType(results[1].getType()), "? x 2 x f32");
  auto loop = results[0].getDefiningOp<LoopOp>();
  ASSERT_EQ(loop.getCaptures().size(), 1u);
  EXPECT_EQ(loop.getCaptures().front(), x);
  EXPECT_TRUE(step.getDefiningOp()->isBeforeInBlock(loop));
  EXPECT_EQ(llvm::count_if(loop.getBlock(), llvm::IsaPred<ConstantOp>), 1);
  graph.output("sum", results[0]);
  graph.output("rows", results[1]);
  OwningOpRef<ModuleOp> module = graph.finish();
  ASSERT_TRUE(module) << errors;
  EXPECT_TRUE(succeeded(verify(*module))) << errors;
  Tensor input = Tensor::fromFloats(Float32Type::get(&context), {2, 2}, {1, 2, 3, 4});
  auto values = evaluateFunction(*module->getOps<func::FuncOp>().begin(), {input});
  ASSERT_TRUE(succeeded(values)) << errors;
  EXPECT_EQ((*values)[0].toFloats(), (std::vector<double>{25, 47}));
  EXPECT_EQ((*values)[1].toFloats(), (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(GraphBuilderTest, ALoopWithAnErrorHasNoResults) {
  GraphBuilder graph(&context, "main");
  Value x = graph.input("x", graph.f32(), {graph.dim(2)}), trips = graph.scalar(int64_t(3));
  auto nothing = [](Value, ValueRange) -> std::optional<SmallVector<Value>> { return std::nullopt; };
  EXPECT_TRUE(graph.loop(trips, x, nothing).empty());
  EXPECT_TRUE(graph.failed());
  EXPECT_EQ(errors, ""); // the body has reported its error
  graph.setNode("/Loop");
  auto other = [&](Value iteration, ValueRange) -> std::optional<SmallVector<Value>> {
    return SmallVector<Value>{iteration};
  };
  EXPECT_TRUE(graph.loop(trips, x, other).empty());
  EXPECT_NE(errors.find("/Loop: "), std::string::npos) << errors;
  EXPECT_NE(errors.find("loop-c3"), std::string::npos) << errors;
  EXPECT_TRUE(graph.relu(x)); // the rest goes on
  EXPECT_FALSE(graph.finish());
}

TEST_F(GraphBuilderTest, AttentionWithAScoreRegion) {
  GraphBuilder graph(&context, "main");
  auto heads = [&](StringRef name, int64_t count, StringRef length) {
    return graph.input(name, graph.f32(),
                       {graph.symbol("batch"), graph.dim(count), graph.symbol(length), graph.dim(8)});
  };
  Value query = heads("q", 4, "rows"), key = heads("k", 2, "keys");
  Value mask = graph.input("mask", graph.boolean(), {graph.symbol("keys")});
  auto score = [](OpBuilder &, Location, ValueRange arguments) {
    return std::pair(arguments[0], arguments[5]);
  };
  Value result = graph.attention(query, key, key, 0.5, EmptyRows::Zero, mask, score);
  EXPECT_EQ(describeType(result.getType()), "batch x 4 x rows x 8 x f32");
  graph.output("y", result);
  OwningOpRef<ModuleOp> module = graph.finish();
  ASSERT_TRUE(module) << errors;
  EXPECT_TRUE(succeeded(verify(*module))) << errors;
}

TEST_F(GraphBuilderTest, AttentionWithItsWeights) {
  GraphBuilder graph(&context, "main");
  auto heads = [&](StringRef name, int64_t count, StringRef length) {
    return graph.input(name, graph.f32(),
                       {graph.symbol("batch"), graph.dim(count), graph.symbol(length), graph.dim(8)});
  };
  Value query = heads("q", 4, "rows"), key = heads("k", 2, "keys"), weights;
  Value result = graph.attention(query, key, key, 0.5, EmptyRows::Zero, {}, nullptr, &weights);
  EXPECT_EQ(describeType(result.getType()), "batch x 4 x rows x 8 x f32");
  ASSERT_TRUE(weights);
  EXPECT_EQ(describeType(weights.getType()), "batch x 4 x rows x keys x f32");
  graph.output("y", result);
  graph.output("weights", weights);
  OwningOpRef<ModuleOp> module = graph.finish();
  ASSERT_TRUE(module) << errors;
  EXPECT_TRUE(succeeded(verify(*module))) << errors;
  EXPECT_FALSE(graph.attention(query, Value(), key, 1, EmptyRows::NaN, {}, nullptr, &weights));
  EXPECT_FALSE(weights);
}

TEST_F(GraphBuilderTest, AttentionRefusesWhatDoesNotFit) {
  GraphBuilder graph(&context, "main");
  Value query = graph.input("q", graph.f32(), {graph.dim(1), graph.dim(4), graph.dim(5), graph.dim(8)});
  Value key = graph.input("k", graph.f32(), {graph.dim(1), graph.dim(3), graph.dim(5), graph.dim(8)});
  graph.setNode("attend");
  EXPECT_FALSE(graph.attention(query, key, key, 1, EmptyRows::NaN));
  EXPECT_TRUE(graph.failed());
  EXPECT_NE(errors.find("attend: "), std::string::npos) << errors;
  EXPECT_NE(errors.find("attention-c3"), std::string::npos) << errors;
  auto score = [](OpBuilder &, Location, ValueRange arguments) {
    return std::pair(arguments[0], arguments[1]); // an index says nothing about keeping
  };
  EXPECT_FALSE(graph.attention(query, query, query, 1, EmptyRows::NaN, {}, score));
  EXPECT_NE(errors.find("attention-c5"), std::string::npos) << errors;
  EXPECT_FALSE(graph.attention(query, Value(), query, 1, EmptyRows::NaN, {}, score)); // null stays null
}

} // namespace
