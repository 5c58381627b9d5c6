// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the graph's edges: inputs and their dims, initializers, outputs, locations, functions.
#include "ImportTest.h"
#include "dialects/Weft/IR/Weft.h"

using namespace weft::onnx;
using ::onnx::TensorProto;

/// x of these dims goes through Relu.
static TestGraph relu(const std::vector<std::string> &dims) {
  TestGraph graph;
  graph.input("x", dims).node("Relu", {"x"}, {"y"}).output("y");
  return graph;
}

TEST(ImportGraph, NamesArgumentsAndResults) {
  expectIR(relu({"n", "4"}),
           {"func.func @main(%arg0: tensor<?x4xf32, #weft.dims<\"n\", 4>> {weft.name = \"x\"})",
            "-> (tensor<?x4xf32, #weft.dims<\"n\", 4>> {weft.name = \"y\"})"});
}

TEST(ImportGraph, DimsOfInputs) {
  expectIR(relu({"", "4", ""}), {"#weft.dims<\"x.0\", 4, \"x.2\">"});
  expectIR(relu({"", "x.0"}), {"#weft.dims<\"x.0_\", \"x.0\">"});
  // An expression only if a session can solve for its names.
  expectIR(relu({"past", "seq", "past + seq"}), {"#weft.dims<\"past\", \"seq\", \"past\" + \"seq\">"});
  expectIR(relu({"n", "3*((n + 1)//2)"}), {"#weft.dims<\"n\", 3 * floordiv(\"n\" + 1, 2)>"});
  expectIR(relu({"past_sequence_length", "sequence_length", "past_sequence_length + sequence_length"}),
           {"\"past_sequence_length\" + \"sequence_length\">"});
  // Anything else is a name.
  for (const char *text :
       {"?", "a b", "n // 0", "n - ", "(n", "n + + n", "2n", "9223372036854775807 * n * 2"})
    expectIR(relu({"n", text}), {"#weft.dims<\"n\", \"" + std::string(text) + "\">"});
  expectIR(relu({"batch-size"}), {"#weft.dims<\"batch-size\">"});
  expectIR(relu({"past", "past + seq"}), {"#weft.dims<\"past\", \"past + seq\">"});
  expectIR(relu({"n", "n +"}), {"#weft.dims<\"n\", \"n +\">"});
  expectIR(relu({"n", std::string(200000, '(') + "n"}), {"((((n\""});
}

TEST(ImportGraph, InputsThatAreNoTensorOfKnownRank) {
  TestGraph shapeless = relu({"4"}), sequence = relu({"4"}), text = relu({"4"});
  shapeless.model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  expectImportError(shapeless, DiagnosticId::InputType, "", {"input \"x\"", "known rank"});
  auto *type = sequence.model.mutable_graph()->mutable_input(0)->mutable_type();
  ::onnx::TypeProto element = *type;
  *type->mutable_sequence_type()->mutable_elem_type() = element;
  expectImportError(sequence, DiagnosticId::InputType, "", {"input \"x\"", "sequence"});
  text.model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      TensorProto::STRING);
  expectImportError(text, DiagnosticId::ElementTypeUnsupported, "", {"input \"x\"", "string"});
}

TEST(ImportGraph, InitializersBecomeConstantsWhereTheyAreUsed) {
  TestGraph graph;
  graph.ints("unused", {1}).ints("two", {2}, {{}}).input("x", {"n"}, TensorProto::INT64);
  graph.node("Mul", {"x", "two"}, {"z"}).node("Add", {"z", "two"}, {"y"}).output("y");
  auto result = import(graph);
  ASSERT_TRUE(result->module) << printed(result->diagnostics());
  expectFragments(result->text, {"%0 = weft.constant dense<2>", "weft.mul %arg0, %0", "weft.add %1, %0"});
  EXPECT_EQ(result->text.find("dense<1>"), std::string::npos) << result->text;
}

TEST(ImportGraph, InitializersThatCallersMayOverride) {
  TestGraph graph;
  graph.input("x", {"1"}, TensorProto::INT64).input("two", {"1"}, TensorProto::INT64).ints("two", {2});
  graph.node("Mul", {"x", "two"}, {"y"}).output("y");
  auto asInput = import(graph);
  ASSERT_TRUE(asInput->module) << printed(asInput->diagnostics());
  expectFragments(asInput->text, {"weft.name = \"two\"", "weft.mul %arg0, %arg1"});
  ASSERT_EQ(asInput->diagnostics().all().size(), 1u);
  EXPECT_EQ(asInput->diagnostics().all().front().id, DiagnosticId::InitializerOverridable);
  EXPECT_EQ(asInput->diagnostics().all().front().severity, Severity::Warning);
  EXPECT_NE(asInput->diagnostics().all().front().message.find("--constant-initializers"), std::string::npos);

  ImportOptions options;
  options.constantInitializers = true;
  auto asConstant = import(graph, options);
  ASSERT_TRUE(asConstant->module);
  expectFragments(asConstant->text, {"dense<2>", "weft.mul %arg0, %0"});
  EXPECT_TRUE(asConstant->diagnostics().all().empty()) << printed(asConstant->diagnostics());
}

TEST(ImportGraph, OutputsHaveTheDeclaredType) {
  TestGraph graph = relu({"n", "4"});
  auto *tensor = graph.model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(TensorProto::FLOAT);
  expectIR(graph, {"weft.relu"});
  tensor->mutable_shape()->add_dim()->set_dim_param("anything");
  tensor->mutable_shape()->add_dim()->set_dim_value(4);
  expectIR(graph, {"weft.relu"});
  tensor->mutable_shape()->mutable_dim(1)->set_dim_value(5);
  expectImportError(graph, DiagnosticId::OutputType, "", {"output \"y\"", "n x 4 x f32"});
  tensor->clear_shape();
  tensor->set_elem_type(TensorProto::INT64);
  expectImportError(graph, DiagnosticId::OutputType, "", {"output \"y\""});
}

/// The names and the operators that the locations of a graph's operations have.
static std::vector<std::pair<std::string, std::string>> locations(const TestGraph &graph) {
  auto result = import(graph);
  std::vector<std::pair<std::string, std::string>> found;
  if (result->module)
    result->module->walk([&](weft::InferInterface op) {
      auto kind = mlir::cast<mlir::NameLoc>(mlir::cast<mlir::NameLoc>(op.getLoc()).getChildLoc());
      found.emplace_back(weft::getNodeName(op), kind.getName().str());
    });
  return found;
}

TEST(ImportGraph, LocationsNameTheNodes) {
  for (auto [opset, relu, softmax] :
       {std::tuple(17, "Relu-14", "Softmax-13"), std::tuple(14, "Relu-14", "Softmax-13"),
        std::tuple(13, "Relu-13", "Softmax-13"), std::tuple(12, "Relu-6", "Softmax-11")}) {
    TestGraph graph(opset);
    graph.input("x", {"n", "4"}).node("Relu", {"x"}, {"z"}).node("Softmax", {"z"}, {"y"}).output("y");
    // A node without a name has that of its first output.
    graph.model.mutable_graph()->mutable_node(0)->clear_name();
    EXPECT_EQ(locations(graph),
              (std::vector<std::pair<std::string, std::string>>{{"z", relu}, {"Softmax_1", softmax}}));
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// F(a, b?) = Softmax(Relu(a) [+ b]), whose axis is the call's attribute "dim".
static ::onnx::FunctionProto *addFunction(TestGraph &graph) {
  addOpset(graph.model.mutable_opset_import(), "local", 1);
  ::onnx::FunctionProto *function = graph.model.add_functions();
  function->set_domain("local");
  function->set_name("F");
  function->add_input("a");
  function->add_input("low");
  function->add_output("r");
  function->add_attribute("dim");
  addOpset(function->mutable_opset_import(), "", 13);
  addNode(function, "Clip", "inner", {"a", "low"}, {"t"});
  ::onnx::AttributeProto *axis =
      addAttribute(addNode(function, "Softmax", "", {"t"}, {"r"}), "axis", AttributeProto::INT);
  axis->set_ref_attr_name("dim");
  return function;
}

TEST(ImportFunctions, AreExpandedWhereTheyAreCalled) {
  TestGraph graph;
  addFunction(graph);
  graph.input("x", {"n", "4"}).input("zero", {});
  graph.node("F", {"x", "zero"}, {"z"}, {attr("dim", 0)}).last->set_domain("local");
  graph.node("F", {"z"}, {"y"}, {attr("dim", 1)}).last->set_domain("local");
  graph.output("y");
  auto result = import(graph);
  ASSERT_TRUE(result->module) << printed(result->diagnostics());
  expectFragments(result->text, {"%0 = weft.max %arg0, %arg1", "%1 = weft.softmax %0 {axis = 0 : i64}",
                                 "%2 = weft.softmax %1 {axis = 1 : i64}", "return %2"});
  mlir::Operation *softmax = nullptr;
  result->module->walk([&](weft::SoftmaxOp op) { softmax = op; });
  EXPECT_EQ(weft::getNodeName(softmax), "F_1/r");
}

TEST(ImportFunctions, AttributesThatNobodyGivesHaveTheirDefaults) {
  TestGraph graph;
  ::onnx::FunctionProto *function = addFunction(graph);
  function->clear_attribute();
  *function->add_attribute_proto() = attr("dim", 0);
  graph.input("x", {"n", "4"}).node("F", {"x"}, {"y"}).last->set_domain("local");
  graph.output("y");
  expectIR(graph, {"weft.softmax %arg0 {axis = 0 : i64}"});
}

TEST(ImportFunctions, ErrorsSayWhichCall) {
  TestGraph graph;
  ::onnx::FunctionProto *function = addFunction(graph);
  addNode(function, "Unique", "bad", {"t"}, {"u"});
  graph.input("x", {"n", "4"}).node("F", {"x"}, {"y"}, {attr("dim", 0)}).last->set_domain("local");
  graph.output("y");
  expectImportError(graph, DiagnosticId::OpUnsupported, "F_0/bad", {"function \"F\"", "Unique"});
}
