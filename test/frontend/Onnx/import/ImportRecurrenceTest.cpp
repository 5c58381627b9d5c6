// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LinearAttention and CausalConvWithState in the graph. What they compute is in
// test/conformance/trap_recurrence.py.
#include "test/frontend/Onnx/import/ImportTest.h"

using namespace weft::onnx;

namespace {
/// A linear attention of 4 query heads and 2 others.
TestGraph linearAttention(const std::string &length, const char *rule) {
  TestGraph graph(27);
  graph.input("q", {"n", length, "32"}).input("k", {"n", length, "16"}).input("v", {"n", length, "10"});
  graph.node("LinearAttention", {"q", "k", "v"}, {"y", "s"},
             {attr("q_num_heads", 4), attr("kv_num_heads", 2), attr("update_rule", rule)});
  return graph.output("y").output("s");
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
