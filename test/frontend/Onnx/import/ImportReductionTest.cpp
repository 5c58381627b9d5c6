// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the Reduce operators and the softmaxes.
#include "ImportTest.h"

using namespace weft::onnx;
using ::onnx::TensorProto;

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

TEST(ImportReduction, OfBools) {
  for (auto [opType, kind] : {std::pair("ReduceMax", "max"), std::pair("ReduceMin", "min")}) {
    TestGraph graph(20);
    graph.input("x", {"a", "8"}, TensorProto::BOOL).ints("axes", {1});
    graph.node(opType, {"x", "axes"}, {"y"}, {attr("keepdims", 0)}).output("y");
    expectIR(graph,
             {"%1 = weft.cast %arg0 to ui8",
              std::string("weft.reduce ") + kind + " %1 {axes = array<i64: 1>}", "weft.cast %2 to i1"});
  }
  TestGraph sum(20);
  sum.input("x", {"8"}, TensorProto::BOOL).node("ReduceSum", {"x"}, {"y"}).output("y");
  expectImportError(sum, DiagnosticId::OperandType, "ReduceSum_0", {"i1"});
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
  expectIR(middle, {"weft.concat", "weft.reshape %arg0", "{allow_zero}", "weft.softmax", "{axis = 1 : i64}",
                    "weft.shape %arg0", "weft.reshape", "{allow_zero}", "return"});
  known.input("x", {"a", "4", "8"}).node("Softmax", {"x"}, {"y"}).output("y");
  expectIR(known, {"dense<32>", "weft.concat", "weft.softmax", "{axis = 1 : i64}"});
  log.input("x", {"a", "8", "1"}).node("LogSoftmax", {"x"}, {"y"}).output("y");
  expectIR(log, {"%0 = weft.log_softmax %arg0 {axis = 1 : i64}", "return %0"});
}

TEST(ImportReduction, SoftmaxOutOfRange) {
  TestGraph graph;
  graph.input("x", {"a", "8"}).node("Softmax", {"x"}, {"y"}, {attr("axis", 2)}).output("y");
  expectImportError(graph, DiagnosticId::NodeAttributeRange, "Softmax_0", {"rank 2", "got 2"});
}

TEST(ImportReduction, LogSumExp) {
  TestGraph kept(17), flat(18), none(18), integers(17);
  kept.input("x", {"n", "4", "8"}).node("ReduceLogSumExp", {"x"}, {"y"}, {list("axes", {-1})}).output("y");
  expectIR(kept, {"weft.reduce max %arg0 {axes = array<i64: 2>, keepdims}", "weft.abs", "weft.compare eq",
                  "weft.where", "weft.sub %arg0", "weft.exp", "weft.reduce sum", "weft.log", "weft.add",
                  "-> tensor<?x4x1xf32"});
  flat.input("x", {"n", "8"})
      .ints("axes", {0})
      .node("ReduceLogSumExp", {"x", "axes"}, {"y"}, {attr("keepdims", 0)});
  flat.output("y");
  expectIR(flat, {"weft.log", "weft.squeeze", "-> tensor<8xf32>"});
  none.input("x", {"n", "8"})
      .node("ReduceLogSumExp", {"x"}, {"y"}, {attr("noop_with_empty_axes", 1)})
      .output("y");
  expectIR(none, {"return %arg0"});
  integers.input("x", {"n", "8"}, TensorProto::INT32).node("ReduceLogSumExp", {"x"}, {"y"}).output("y");
  expectImportError(integers, DiagnosticId::OperandType, "ReduceLogSumExp_0", {"expects floats"});
}
