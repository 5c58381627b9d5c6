// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LinearAttention and CausalConvWithState in the graph, and what com.microsoft has with them. What they
// compute is in test/conformance/trap_recurrence.py and trap_hybrid.py.
#include "test/frontend/Onnx/import/ImportTest.h"

using namespace weft::onnx;

namespace {
/// A linear attention of 4 query heads and 2 others.
TestGraph linearAttention(const std::string &length, const char *rule) {
  TestGraph graph(27);
  graph.input("q", {"n", length, "32"}).input("k", {"n", length, "16"}).input("v", {"n", length, "10"});
  graph.node("LinearAttention", {"q", "k", "v"}, {"y", "s"},
             {attr("q_num_heads", 4), attr("kv_num_heads", 2), attr("update_rule", rule)});
  graph.output("y").output("s");
  return graph;
}
} // namespace

TEST(ImportRecurrence, LinearAttention) {
  expectIR(linearAttention("t", "linear"),
           {"weft.linear_attention", "-> (tensor<?x?x4x5xf32>, tensor<?x2x8x5xf32>)", "tensor<?x?x20xf32>"});
  expectImportError(linearAttention("2", "delta"), DiagnosticId::OperandType, "LinearAttention_0",
                    {"a beta for delta"});
  expectImportError(linearAttention("2", "other"), DiagnosticId::NodeAttributeRange, "LinearAttention_0",
                    {"gated_delta, got \"other\""});
}

TEST(ImportRecurrence, CausalConvWithState) {
  TestGraph graph(27);
  graph.input("x", {"n", "c", "t"}).input("w", {"c", "1", "3"});
  graph.node("CausalConvWithState", {"x", "w"}, {"y", "s"}, {attr("activation", "silu")})
      .output("y")
      .output("s");
  expectIR(graph,
           {"#weft.dims<\"n\", \"c\", \"t\">", "#weft.dims<\"n\", \"c\", 2>", "weft.concat", "weft.sigmoid"});
}

TEST(ImportRecurrence, GatesOfOtherTypes) {
  TestGraph decay = linearAttention("2", "gated"), beta = linearAttention("2", "delta");
  for (auto [graph, name] : {std::pair{&decay, "g"}, std::pair{&beta, "b"}}) {
    graph->input(name, {"n", "2", "2"}, onnx::TensorProto::INT64);
    graph->last->add_input("");
    if (graph == &beta)
      graph->last->add_input("");
    graph->last->add_input(name);
    EXPECT_FALSE(import(*graph)->module);
  }
}

TEST(ImportRecurrence, SharedKeys) {
  TestGraph graph(21);
  addOpset(graph.model.mutable_opset_import(), "com.microsoft", 1);
  graph.input("q", {"n", "t", "16"}).input("k", {"n", "t", "16"}).input("v", {"n", "t", "20"});
  graph.node("LinearAttention", {"q", "k", "v"}, {"y", "s"},
             {attr("q_num_heads", 2), attr("kv_num_heads", 4), attr("update_rule", "linear")});
  graph.last->set_domain("com.microsoft");
  graph.output("y").output("s");
  expectIR(graph, {"weft.expand", "-> (tensor<?x?x4x5xf32>, tensor<?x4x8x5xf32>)"});
}

TEST(ImportRecurrence, Lstm) {
  auto lstm = [](const std::vector<std::string> &weights, std::vector<AttributeProto> attributes) {
    TestGraph graph;
    graph.input("x", {"t", "b", "4"}).input("w", weights).input("r", {"1", "24", "6"});
    return graph.node("LSTM", {"x", "w", "r"}, {"y"}, attributes).output("y");
  };
  expectIR(lstm({"1", "24", "4"}, {}),
           {"weft.matmul", "weft.loop", "weft.sigmoid", "weft.tanh", "tensor<?x1x?x6xf32>"});
  expectImportError(lstm({"1", "20", "4"}, {}), DiagnosticId::OperandType, "LSTM_0", {"its weights"});
  expectImportError(lstm({"1", "24", "4"}, {attr("direction", "both")}), DiagnosticId::NodeAttributeRange,
                    "LSTM_0", {"\"direction\"", "both"});
}
