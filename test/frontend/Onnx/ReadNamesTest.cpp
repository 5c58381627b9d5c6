// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and order: every value is defined once, before it is used.
#include "TestModel.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft::onnx;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::TensorProto;

namespace {
/// An operator with one subgraph; the reader does not know it and checks what holds for all.
GraphProto *addSubgraph(GraphProto *graph, const std::string &name, const std::string &output) {
  return addAttribute(addNode(graph, "Wrap", name, {}, {output}), "g", AttributeProto::GRAPH)->mutable_g();
}
} // namespace

TEST(ReadNames, KeepsWhatTheGraphSays) {
  ModelProto proto = identityModel();
  GraphProto *graph = proto.mutable_graph();
  ::onnx::TensorShapeProto *shape =
      declare(graph->add_input(), "s")->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->add_dim()->set_dim_param("batch");
  shape->add_dim();
  addNode(graph, "Clip", "", {"x", "", "x"}, {"c", ""});
  auto result = read(proto);
  ASSERT_TRUE(result->model) << printed(result->diagnostics);
  const Graph &read = result->model->graph;
  ASSERT_EQ(read.inputs[1].type.dims.size(), 3u);
  EXPECT_EQ(read.inputs[1].type.dims[0].size, 2);
  EXPECT_EQ(read.inputs[1].type.dims[1].symbol, "batch");
  EXPECT_EQ(read.inputs[1].type.dims[2].kind, Dim::Kind::Unknown);
  EXPECT_EQ(read.nodes[1].inputs, (std::vector<std::string>{"x", "", "x"}));
  EXPECT_EQ(read.nodes[1].outputs, (std::vector<std::string>{"c", ""}));
  EXPECT_EQ(read.nodes[1].index, 1u);
}

TEST(ReadNames, TakesAnInitializerThatIsAnInputForADefault) {
  ModelProto proto = identityModel();
  addTensor(proto, "x", TensorProto::FLOAT, {2})->set_raw_data("12345678");
  auto result = read(proto);
  ASSERT_TRUE(result->model) << printed(result->diagnostics);
  EXPECT_TRUE(result->model->graph.initializers[0].isInputDefault);
  EXPECT_EQ(result->model->graph.inputs.size(), 1u);
  // Before IR version 4, every initializer had to be an input, and was a constant.
  proto.set_ir_version(3);
  result = read(proto);
  ASSERT_TRUE(result->model) << printed(result->diagnostics);
  EXPECT_FALSE(result->model->graph.initializers[0].isInputDefault);
  EXPECT_TRUE(result->model->graph.inputs.empty());
}

TEST(ReadNames, RefusesUndefinedInputs) {
  ModelProto model = identityModel();
  model.mutable_graph()->mutable_node(0)->set_input(0, "gone");
  expectOneError(model, DiagnosticId::NameUndefined, {"node \"copy\" (Identity-17)", "\"gone\""});
}

TEST(ReadNames, DescribesNodesWithoutName) {
  ModelProto model = identityModel();
  addNode(model.mutable_graph(), "Neg", "", {"gone"}, {"z"});
  expectOneError(model, DiagnosticId::NameUndefined, {"node #1, which makes \"z\" (Neg-17)"});
}

/// The names of nodes in the order in which they are read.
static std::string order(const std::vector<Node> &nodes) {
  return llvm::join(llvm::map_range(nodes, [](const Node &node) { return node.name; }), ", ");
}

TEST(ReadNames, SortsNodes) {
  ModelProto model = identityModel();
  addNode(model.mutable_graph(), "Add", "last", {"late", "later"}, {"a"});
  addNode(model.mutable_graph(), "Neg", "free", {"x"}, {"f"});
  addNode(model.mutable_graph(), "Neg", "second", {"later"}, {"late"});
  addNode(model.mutable_graph(), "Neg", "first", {"x"}, {"later"});
  auto result = read(model);
  ASSERT_TRUE(result->model) << printed(result->diagnostics);
  EXPECT_EQ(order(result->model->graph.nodes), "copy, first, second, last, free");
  EXPECT_EQ(result->model->graph.nodes[1].index, 4u); // where the file has it
}

TEST(ReadNames, SortsWhatSubgraphsRead) {
  ModelProto model = identityModel();
  GraphProto *inner = addSubgraph(model.mutable_graph(), "outer", "o");
  addNode(inner, "Neg", "inner last", {"n"}, {"i"});
  addNode(inner, "Neg", "inner first", {"b"}, {"n"});
  inner->add_output()->set_name("i");
  inner->add_output()->set_name("c");
  addNode(model.mutable_graph(), "Neg", "behind", {"x"}, {"n"}); // a name that the subgraph has of its own
  addNode(model.mutable_graph(), "Neg", "read", {"x"}, {"b"});
  addNode(model.mutable_graph(), "Neg", "yielded", {"x"}, {"c"});
  auto result = read(model);
  ASSERT_TRUE(result->model) << printed(result->diagnostics);
  const std::vector<Node> &nodes = result->model->graph.nodes;
  EXPECT_EQ(order(nodes), "copy, yielded, read, outer, behind");
  EXPECT_EQ(order(nodes[3].attributes[0].graphs[0].nodes), "inner first, inner last");
}

TEST(ReadNames, RefusesCycles) {
  ModelProto model = identityModel();
  addNode(model.mutable_graph(), "Add", "loop", {"x", "b"}, {"a"});
  addNode(model.mutable_graph(), "Neg", "back", {"a"}, {"b"});
  expectOneError(model, DiagnosticId::Cycle, {"node \"back\" (Neg-17)", "\"a\"", "node \"loop\""});

  ModelProto self = identityModel();
  addNode(self.mutable_graph(), "Neg", "itself", {"s"}, {"s"});
  expectOneError(self, DiagnosticId::Cycle, {"node \"itself\" (Neg-17)"});
}

TEST(ReadNames, FindsCyclesThroughSubgraphs) {
  ModelProto model = identityModel();
  GraphProto *inner = addSubgraph(model.mutable_graph(), "outer", "o");
  addNode(inner, "Neg", "inner", {"b"}, {"i"});
  addNode(model.mutable_graph(), "Neg", "back", {"o"}, {"b"});
  expectOneError(model, DiagnosticId::Cycle, {"node \"back\" (Neg-17)", "node \"outer\""});

  // The subgraph alone closes the circle.
  ModelProto captured = identityModel();
  addNode(captured.mutable_graph(), "Add", "loop", {"x", "o"}, {"a"});
  inner = addSubgraph(captured.mutable_graph(), "outer", "o");
  addNode(inner, "Neg", "inner", {"a"}, {"i"});
  expectOneError(captured, DiagnosticId::Cycle, {"node \"inner\" (Neg-17)", "node \"loop\""});
}

TEST(ReadNames, SeesOuterValuesInSubgraphs) {
  ModelProto model = identityModel();
  GraphProto *inner = addSubgraph(model.mutable_graph(), "outer", "o");
  addNode(inner, "Neg", "inner", {"x"}, {"i"});
  inner->add_output()->set_name("i");
  inner->add_output()->set_name("x");
  // Siblings may use the same names.
  inner = addSubgraph(model.mutable_graph(), "other", "o2");
  addNode(inner, "Neg", "inner2", {"x"}, {"i"});
  expectReads(model);
  // But inner values do not get out.
  addNode(model.mutable_graph(), "Neg", "out", {"i"}, {"z"});
  expectOneError(model, DiagnosticId::NameUndefined, {"node \"out\"", "\"i\""});
}

TEST(ReadNames, RefusesSecondDefinitions) {
  ModelProto twice = identityModel();
  addNode(twice.mutable_graph(), "Neg", "again", {"x"}, {"y"});
  expectOneError(twice, DiagnosticId::NameDuplicate, {"node \"again\" (Neg-17)", "\"y\""});

  ModelProto overInput = identityModel();
  addNode(overInput.mutable_graph(), "Neg", "again", {"x"}, {"x"});
  expectOneError(overInput, DiagnosticId::NameDuplicate, {"node \"again\" (Neg-17)", "\"x\""});

  ModelProto inputs = identityModel();
  declare(inputs.mutable_graph()->add_input(), "x");
  expectOneError(inputs, DiagnosticId::NameDuplicate, {"graph input \"x\""});

  ModelProto outputs = identityModel();
  declare(outputs.mutable_graph()->add_output(), "y");
  expectOneError(outputs, DiagnosticId::NameDuplicate, {"graph output \"y\""});

  ModelProto initializers = identityModel();
  for (int i = 0; i < 2; ++i)
    addTensor(initializers, "w", TensorProto::FLOAT, {})->add_float_data(1);
  expectOneError(initializers, DiagnosticId::NameDuplicate, {"initializer \"w\""});
}

TEST(ReadNames, RefusesShadowing) {
  ModelProto model = identityModel();
  GraphProto *inner = addSubgraph(model.mutable_graph(), "outer", "o");
  addNode(inner, "Neg", "inner", {"x"}, {"y"});
  expectOneError(model, DiagnosticId::NameShadowed, {"node \"inner\" (Neg-17)", "\"y\""});
  inner->clear_node();
  inner->add_input()->set_name("x");
  expectOneError(model, DiagnosticId::NameShadowed, {"graph input \"x\""});
}

TEST(ReadNames, RefusesUndefinedOutputs) {
  ModelProto model = identityModel();
  declare(model.mutable_graph()->add_output(), "gone");
  expectOneError(model, DiagnosticId::OutputUndefined, {"graph output \"gone\""});
}

TEST(ReadNames, RefusesEmptyNames) {
  ModelProto input = identityModel();
  declare(input.mutable_graph()->add_input(), "");
  expectOneError(input, DiagnosticId::NameEmpty, {"graph input \"\""});
  ModelProto output = identityModel();
  declare(output.mutable_graph()->add_output(), "");
  expectOneError(output, DiagnosticId::NameEmpty, {"graph output \"\""});
  ModelProto initializer = identityModel();
  addTensor(initializer, "", TensorProto::FLOAT, {})->add_float_data(1);
  expectOneError(initializer, DiagnosticId::NameEmpty, {"initializer \"\""});
}

TEST(ReadNames, WantsTypesOfModelInputs) {
  ModelProto model = identityModel();
  model.mutable_graph()->mutable_input(0)->clear_type();
  expectOneError(model, DiagnosticId::TypeMissing, {"graph input \"x\""});
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  expectOneError(model, DiagnosticId::TypeMissing, {"graph input \"x\""});
}

TEST(ReadNames, RefusesBadDeclaredTypes) {
  ModelProto model = identityModel();
  declare(model.mutable_graph()->add_value_info(), "y", -1);
  expectOneError(model, DiagnosticId::DimNegative, {"value \"y\"", "dim_param"});
  model.mutable_graph()->clear_value_info();
  declare(model.mutable_graph()->add_value_info(), "y")
      ->mutable_type()
      ->mutable_tensor_type()
      ->set_elem_type(99);
  expectOneError(model, DiagnosticId::ElementTypeUnknown, {"value \"y\"", "99"});
}
