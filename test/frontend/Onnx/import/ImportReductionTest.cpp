// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the Reduce operators, the softmaxes and LayerNormalization.
#include "ImportTest.h"

using namespace weft::onnx;

TEST(ImportReduction, AxesByAttribute) {
  const std::pair<const char *, const char *> rows[] = {
      {"ReduceMean", "mean"}, {"ReduceMax", "max"}, {"ReduceMin", "min"}, {"ReduceProd", "prod"}};
  for (auto [opType, kind] : rows) {
    TestGraph graph(13);
    graph.input("x", {"a", "b", "8"}).node(opType, {"x"}, {"y"}, {list("axes", {-1, 0})}).output("y");
    expectIR(graph, {std::string("weft.reduce ") + kind + " %arg0 {axes = array<i64: 0, 2>, keepdims}",
                     "-> tensor<1x?x1xf32"});
  }
  TestGraph sum(11);
  sum.input("x", {"a", "8"})
      .node("ReduceSum", {"x"}, {"y"}, {list("axes", {1}), attr("keepdims", 0)})
      .output("y");
  expectIR(sum, {"weft.reduce sum %arg0 {axes = array<i64: 1>}", "-> tensor<?xf32, #weft.dims<\"a\">>"});
}

TEST(ImportReduction, AxesByInput) {
  TestGraph sum(13), mean(18), attribute(18);
  sum.input("x", {"a", "8"}).ints("axes", {-1}).node("ReduceSum", {"x", "axes"}, {"y"}).output("y");
  expectIR(sum, {"weft.reduce sum %arg0 {axes = array<i64: 1>, keepdims}"});
  mean.input("x", {"a", "8"}).ints("axes", {0}).node("ReduceMean", {"x", "axes"}, {"y"}).output("y");
  expectIR(mean, {"weft.reduce mean %arg0 {axes = array<i64: 0>, keepdims}"});
  attribute.input("x", {"a", "8"}).node("ReduceMean", {"x"}, {"y"}, {list("axes", {0})}).output("y");
  expectImportError(attribute, DiagnosticId::NodeAttributeUnknown, "ReduceMean_0", {"axes"});
}

TEST(ImportReduction, NoAxes) {
  TestGraph all(18), none(18), empty(18);
  all.input("x", {"a", "8"}).node("ReduceMax", {"x"}, {"y"}).output("y");
  expectIR(all, {"weft.reduce max %arg0 {axes = array<i64: 0, 1>, keepdims}"});
  none.input("x", {"a", "8"}).node("ReduceMax", {"x"}, {"y"}, {attr("noop_with_empty_axes", 1)}).output("y");
  expectIR(none, {"return %arg0"});
  empty.input("x", {"a", "8"}).ints("axes", {}).node("ReduceMax", {"x", "axes"}, {"y"}).output("y");
  expectIR(empty, {"weft.reduce max %arg0 {axes = array<i64: 0, 1>, keepdims}"});
}

TEST(ImportReduction, ComposedOfOthers) {
  struct Row {
    const char *opType;
    std::vector<std::string> fragments;
  };
  const Row rows[] = {{"ReduceL1", {"weft.abs %arg0", "weft.reduce sum %0"}},
                      {"ReduceL2", {"weft.mul %arg0, %arg0", "weft.reduce sum %0", "weft.sqrt %1"}},
                      {"ReduceSumSquare", {"weft.mul %arg0, %arg0", "weft.reduce sum %0"}},
                      {"ReduceLogSum", {"weft.reduce sum %arg0", "weft.log %0"}}};
  for (const Row &row : rows) {
    TestGraph graph(13);
    graph.input("x", {"a", "8"}).node(row.opType, {"x"}, {"y"}, {list("axes", {1})}).output("y");
    expectIR(graph, row.fragments);
  }
  // What is done to each element is done even if nothing is reduced.
  TestGraph square(18);
  square.input("x", {"8"})
      .node("ReduceSumSquare", {"x"}, {"y"}, {attr("noop_with_empty_axes", 1)})
      .output("y");
  expectIR(square, {"%0 = weft.mul %arg0, %arg0", "return %0"});
}

TEST(ImportReduction, AxesThatAreWrong) {
  auto reduce = [](std::vector<int64_t> axes) {
    TestGraph graph(13);
    graph.input("x", {"a", "8"}).node("ReduceMean", {"x"}, {"y"}, {list("axes", axes)});
    return graph.output("y");
  };
  expectImportError(reduce({2}), DiagnosticId::NodeAttributeRange, "ReduceMean_0", {"rank 2", "got 2"});
  expectImportError(reduce({-3}), DiagnosticId::NodeAttributeRange, "ReduceMean_0", {"rank 2", "got -3"});
  expectImportError(reduce({1, -1}), DiagnosticId::NodeAttributeRange, "ReduceMean_0", {"axis 1 twice"});
}

TEST(ImportReduction, Softmax) {
  TestGraph last, first, log;
  last.input("x", {"a", "b", "8"}).node("Softmax", {"x"}, {"y"}).output("y");
  expectIR(last, {"%0 = weft.softmax %arg0 {axis = 2 : i64}", "return %0"});
  first.input("x", {"a", "b", "8"}).node("Softmax", {"x"}, {"y"}, {attr("axis", -3)}).output("y");
  expectIR(first, {"weft.softmax %arg0 {axis = 0 : i64}"});
  log.input("x", {"a", "b", "8"}).node("LogSoftmax", {"x"}, {"y"}).output("y");
  expectIR(log, {"weft.log_softmax %arg0 {axis = 2 : i64}"});
}

TEST(ImportReduction, SoftmaxOfOldFlattens) {
  TestGraph last(11), middle(11), known(11), log(11);
  last.input("x", {"a", "b", "8"}).node("Softmax", {"x"}, {"y"}, {attr("axis", 2)}).output("y");
  expectIR(last, {"%0 = weft.softmax %arg0 {axis = 2 : i64}", "return %0"});
  // The axis is 1 unless given.
  middle.input("x", {"a", "b", "8"}).node("Softmax", {"x"}, {"y"}).output("y");
  expectIR(middle, {"dense<[0, -1]>", "%1 = weft.reshape %arg0, %0", "#weft.dims<\"a\", 8 * \"b\">",
                    "%2 = weft.softmax %1 {axis = 1 : i64}", "%3 = weft.shape %arg0",
                    "%4 = weft.reshape %2, %3 {allow_zero}", "return %4"});
  known.input("x", {"a", "4", "8"}).node("Softmax", {"x"}, {"y"}).output("y");
  expectIR(known, {"dense<[0, 32]>", "weft.softmax %1 {axis = 1 : i64}"});
  log.input("x", {"a", "8", "1"}).node("LogSoftmax", {"x"}, {"y"}).output("y");
  expectIR(log, {"%0 = weft.log_softmax %arg0 {axis = 1 : i64}", "return %0"});
}

TEST(ImportReduction, SoftmaxOutOfRange) {
  TestGraph graph;
  graph.input("x", {"a", "8"}).node("Softmax", {"x"}, {"y"}, {attr("axis", 2)}).output("y");
  expectImportError(graph, DiagnosticId::NodeAttributeRange, "Softmax_0", {"rank 2", "got 2"});
}

TEST(ImportNorm, LayerNormalization) {
  TestGraph graph, both;
  graph.input("x", {"n", "8"}).input("g", {"8"}).input("b", {"8"});
  graph.node("LayerNormalization", {"x", "g", "b"}, {"y", "mean", "deviation"}, {attr("epsilon", 0.5)})
      .output("y");
  expectIR(graph, {"weft.layer_norm %arg0, %arg1, %arg2 {axis = 1 : i64, epsilon = 5.000000e-01 : f32}"});
  both.input("x", {"n", "4", "8"}).input("g", {"4", "8"});
  both.node("LayerNormalization", {"x", "g"}, {"y"}, {attr("axis", -2)}).output("y");
  expectIR(both, {"weft.layer_norm %arg0, %arg1 {axis = 1 : i64, epsilon = 9.99999974E-6 : f32}"});
}

TEST(ImportNorm, LayerNormalizationWithoutScale) {
  TestGraph known, unknown;
  known.input("x", {"n", "8"}).node("LayerNormalization", {"x", "", ""}, {"y"}).output("y");
  expectIR(known, {"weft.constant dense<1.000000e+00> : tensor<8xf32>", "weft.layer_norm %arg0, %0 {"});
  unknown.input("x", {"n", "d"}).node("LayerNormalization", {"x"}, {"y"}).output("y");
  expectIR(unknown, {"weft.constant dense<1.000000e+00> : tensor<f32>", "weft.layer_norm %arg0, %0 {"});
}

TEST(ImportNorm, LayerNormalizationThatIsNotSupported) {
  TestGraph mean, stash, old(16);
  mean.input("x", {"n", "8"})
      .input("g", {"8"})
      .node("LayerNormalization", {"x", "g"}, {"y", "m"})
      .output("y")
      .output("m");
  expectImportError(mean, DiagnosticId::OutputUnsupported, "LayerNormalization_0", {"output 1 (Mean)"});
  stash.input("x", {"n", "8"}).input("g", {"8"});
  stash.node("LayerNormalization", {"x", "g"}, {"y"}, {attr("stash_type", 10)}).output("y");
  expectImportError(stash, DiagnosticId::NodeAttributeRange, "LayerNormalization_0",
                    {"stash_type", "got 10"});
  old.input("x", {"n", "8"}).input("g", {"8"}).node("LayerNormalization", {"x", "g"}, {"y"}).output("y");
  expectImportError(old, DiagnosticId::OpVersion, "LayerNormalization_0",
                    {"opset 17 or newer, got opset 16"});
}
