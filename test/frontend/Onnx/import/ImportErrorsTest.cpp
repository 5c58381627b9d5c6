// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of what is said about models that cannot be imported.
#include "ImportTest.h"

using namespace weft::onnx;
using ::onnx::TensorProto;

TEST(ImportErrors, UnsupportedOperatorsAreAllReportedOnceEach) {
  TestGraph graph;
  addOpset(graph.model.mutable_opset_import(), "com.microsoft", 1);
  graph.input("x", {"n"}).node("Unique", {"x"}, {"a"}).node("Unique", {"x"}, {"b"});
  graph.node("FusedGelu", {"x"}, {"c"}).last->set_domain("com.microsoft");
  graph.node("Trilu", {"a"}, {"d"}).node("Det", {"d"}, {"e"});
  // Depends on what is not there, and has an error of its own.
  graph.node("Softmax", {"e"}, {"y"}, {attr("axes", 1)}).output("y");
  auto result = import(graph);
  EXPECT_FALSE(result->module);
  expectExplained(result->diagnostics());
  std::string text = printed(result->diagnostics());
  ASSERT_EQ(result->diagnostics().all().size(), 4u) << text;
  expectFragments(text, {"node \"Softmax_5\" (Softmax-17): expects no attribute \"axes\"", "[weft-0184]",
                         "node \"Unique_0\" (Unique-17): expects an operator that Weft imports, got Unique; "
                         "2 nodes: \"Unique_0\", \"Unique_1\" [weft-0180]",
                         "node \"FusedGelu_2\" (com.microsoft.FusedGelu-1)",
                         "got com.microsoft.FusedGelu [weft-0180]", "got Det [weft-0180]"});
}

TEST(ImportErrors, ManyNodesOfOneOperatorAreCounted) {
  TestGraph graph;
  graph.input("x", {"n"}).output("x");
  for (int i = 0; i < 30; ++i)
    graph.node("Unique", {"x"}, {"y" + std::to_string(i)});
  expectImportError(graph, DiagnosticId::OpUnsupported, "Unique_0", {"30 nodes: ", "\"Unique_7\", ..."});
}

TEST(ImportErrors, OperatorsOlderThanWhatIsImported) {
  TestGraph graph(6);
  graph.input("x", {"4"}).node("Add", {"x", "x"}, {"y"}).output("y");
  expectImportError(graph, DiagnosticId::OpVersion, "Add_0", {"opset 7 or newer, got opset 6"});
}

TEST(ImportErrors, Arity) {
  auto node = [](const char *opType, std::vector<std::string> inputs,
                 std::vector<std::string> outputs = {"y"}) {
    TestGraph graph;
    graph.input("x", {"4"}).node(opType, inputs, outputs);
    return graph.output("y");
  };
  expectImportError(node("Add", {"x"}), DiagnosticId::NodeArity, "Add_0", {"expects 2 inputs, got 1"});
  expectImportError(node("Relu", {"x", "x"}), DiagnosticId::NodeArity, "Relu_0", {"expects 1 input, got 2"});
  expectImportError(node("Clip", {}), DiagnosticId::NodeArity, "Clip_0", {"expects 1 to 3 inputs, got 0"});
  expectImportError(node("Max", {}), DiagnosticId::NodeArity, "Max_0", {"at least 1 input, got 0"});
  expectImportError(node("Max", {"x", "", "x"}), DiagnosticId::NodeArity, "Max_0",
                    {"input 1, which is left out"});
  expectImportError(node("Add", {"", "x"}), DiagnosticId::NodeArity, "Add_0", {"input 0, which is left out"});
  expectImportError(node("Relu", {"x"}, {"y", "z"}), DiagnosticId::NodeArity, "Relu_0",
                    {"at most 1 output, got 2"});
}

TEST(ImportErrors, Attributes) {
  TestGraph unknown, kind, missing;
  unknown.input("x", {"4"}).node("Relu", {"x"}, {"y"}, {attr("alpha", 1.0)}).output("y");
  expectImportError(unknown, DiagnosticId::NodeAttributeUnknown, "Relu_0", {"\"alpha\""});
  kind.input("x", {"4"}).node("Softmax", {"x"}, {"y"}, {attr("axis", 1.0)}).output("y");
  expectImportError(kind, DiagnosticId::NodeAttributeKind, "Softmax_0",
                    {"\"axis\" to be an int, got a float"});
  missing.input("x", {"4"}).node("Concat", {"x"}, {"y"}).output("y");
  expectImportError(missing, DiagnosticId::NodeAttributeMissing, "Concat_0", {"\"axis\""});
}

TEST(ImportErrors, OperandsThatTheDialectRefuses) {
  TestGraph shapes, types, element;
  shapes.input("x", {"4"}).input("z", {"5"}).node("Add", {"x", "z"}, {"y"}).output("y");
  expectImportError(shapes, DiagnosticId::OperandType, "Add_0", {"(Add-17): elementwise-c1", "4 and 5"});
  types.input("x", {"4"}).input("z", {"4"}, TensorProto::INT64).node("Mul", {"x", "z"}, {"y"}).output("y");
  expectImportError(types, DiagnosticId::OperandType, "Mul_0", {"elementwise-c2", "f32", "i64"});
  element.input("x", {"4"}, TensorProto::INT64).node("Sqrt", {"x"}, {"y"}).output("y");
  expectImportError(element, DiagnosticId::OperandType, "Sqrt_0", {"i64"});
}

TEST(ImportErrors, OneMistakeIsReportedOnce) {
  TestGraph graph;
  graph.input("x", {"4"}).input("z", {"5"}).node("Add", {"x", "z"}, {"a"});
  graph.node("Relu", {"a"}, {"b"})
      .node("Concat", {"b", "x"}, {"y"}, {attr("axis", 0)})
      .output("y")
      .output("a");
  expectImportError(graph, DiagnosticId::OperandType, "Add_0");
}

TEST(ImportErrors, RanksThatDependOnData) {
  auto reshaped = [](const char *opType, std::vector<AttributeProto> attributes) {
    TestGraph graph;
    graph.input("x", {"n"}).input("s", {"r"}, TensorProto::INT64).node("Reshape", {"x", "s"}, {"z"});
    graph.node(opType, {"z"}, {"y"}, attributes).output("y");
    return graph;
  };
  expectIR(reshaped("Relu", {}), {"tensor<*xf32>", "weft.relu"});
  expectIR(reshaped("Softmax", {attr("axis", 1)}), {"weft.softmax %0 {axis = 1 : i64}"});
  expectImportError(reshaped("Softmax", {attr("axis", -1)}), DiagnosticId::RankUnknown, "Softmax_1",
                    {"got -1"});
  expectImportError(reshaped("Shape", {}), DiagnosticId::RankUnknown, "Shape_1");
  expectImportError(reshaped("ReduceMean", {}), DiagnosticId::RankUnknown, "ReduceMean_1");
  expectImportError(reshaped("Transpose", {}), DiagnosticId::RankUnknown, "Transpose_1");
  expectImportError(reshaped("Size", {}), DiagnosticId::RankUnknown, "Size_1");
  expectImportError(reshaped("Flatten", {}), DiagnosticId::RankUnknown, "Flatten_1");
}
