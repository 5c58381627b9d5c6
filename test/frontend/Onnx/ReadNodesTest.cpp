// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions, domains, attributes, and the subgraphs of control flow.
#include "TestModel.h"

using namespace weft::onnx;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

TEST(ReadNodes, RefusesUnknownIrVersions) {
  ModelProto model = identityModel();
  for (int64_t version : {0, 2, 15}) {
    model.set_ir_version(version);
    expectOneError(model, DiagnosticId::IrVersion, {"got " + std::to_string(version)});
  }
}

TEST(ReadNodes, RefusesBadOpsets) {
  ModelProto none = identityModel();
  none.clear_opset_import();
  none.mutable_graph()->clear_node();
  none.mutable_graph()->clear_output();
  expectOneError(none, DiagnosticId::OpsetMissing, {"opset_import"});

  ModelProto twice = identityModel();
  addOpset(twice.mutable_opset_import(), "ai.onnx", 17);
  expectOneError(twice, DiagnosticId::OpsetDuplicate, {"\"ai.onnx\" twice"});

  ModelProto range = identityModel();
  for (int64_t version : {0, -1, 29, 999}) {
    range.mutable_opset_import(0)->set_version(version);
    expectOneError(range, DiagnosticId::OpsetRange, {"got " + std::to_string(version)});
  }
}

TEST(ReadNodes, RefusesDomainsOncePerDomain) {
  ModelProto model = identityModel();
  for (const char *name : {"one", "two"})
    addNode(model.mutable_graph(), "Op", name, {"x"}, {name})->set_domain("custom");
  expectOneError(model, DiagnosticId::DomainNotImported, {"node \"one\" (custom.Op)", "\"custom\""});
  addOpset(model.mutable_opset_import(), "custom", 3);
  expectOneError(model, DiagnosticId::DomainUnknown, {"node \"one\" (custom.Op-3)", "\"custom\""});
}

TEST(ReadNodes, SaysHowToSaveForAllProcessors) {
  ModelProto model = identityModel();
  addNode(model.mutable_graph(), "Conv", "blocked", {"x"}, {"z"})->set_domain("com.microsoft.nchwc");
  addOpset(model.mutable_opset_import(), "com.microsoft.nchwc", 1);
  expectOneError(model, DiagnosticId::DomainUnknown, {"\"com.microsoft.nchwc\"", "ORT_ENABLE_EXTENDED"});
}

TEST(ReadNodes, TakesAiOnnxForTheDefaultDomain) {
  ModelProto model = identityModel();
  model.mutable_graph()->mutable_node(0)->set_domain("ai.onnx");
  auto result = read(model);
  ASSERT_TRUE(result->model) << printed(result->diagnostics);
  EXPECT_EQ(result->model->graph.nodes[0].domain, "");
}

TEST(ReadNodes, WantsAnOperator) {
  ModelProto model = identityModel();
  model.mutable_graph()->mutable_node(0)->clear_op_type();
  expectOneError(model, DiagnosticId::OpTypeEmpty, {"node \"copy\""});
}

TEST(ReadNodes, KeepsAttributes) {
  ModelProto model = identityModel();
  NodeProto *node = model.mutable_graph()->mutable_node(0);
  addAttribute(node, "i", AttributeProto::INT)->set_i(-7);
  addAttribute(node, "f", AttributeProto::FLOAT)->set_f(0.5f);
  addAttribute(node, "s", AttributeProto::STRING)->set_s("text");
  addAttribute(node, "is", AttributeProto::INTS)->add_ints(3);
  addAttribute(node, "fs", AttributeProto::FLOATS);
  addAttribute(node, "ss", AttributeProto::STRINGS)->add_strings("one");
  addAttribute(node, "zero", AttributeProto::INT); // Left out because it is the default.
  auto result = read(model);
  ASSERT_TRUE(result->model) << printed(result->diagnostics);
  const Node &read = result->model->graph.nodes[0];
  EXPECT_EQ(read.attribute("i")->ints, std::vector<int64_t>{-7});
  EXPECT_EQ(read.attribute("f")->floats, std::vector<float>{0.5f});
  EXPECT_EQ(read.attribute("s")->strings, std::vector<std::string>{"text"});
  EXPECT_EQ(read.attribute("is")->ints, std::vector<int64_t>{3});
  EXPECT_EQ(read.attribute("is")->kind, AttributeKind::Ints);
  EXPECT_TRUE(read.attribute("fs")->floats.empty());
  EXPECT_EQ(read.attribute("ss")->strings, std::vector<std::string>{"one"});
  EXPECT_EQ(read.attribute("zero")->ints, std::vector<int64_t>{0});
  EXPECT_EQ(read.attribute("none"), nullptr);
}

TEST(ReadNodes, RefusesBadAttributeNames) {
  ModelProto twice = identityModel();
  for (int i = 0; i < 2; ++i)
    addAttribute(twice.mutable_graph()->mutable_node(0), "axis", AttributeProto::INT)->set_i(i);
  expectOneError(twice, DiagnosticId::AttributeName, {"node \"copy\" (Identity-17)", "\"axis\" twice"});
  ModelProto unnamed = identityModel();
  addAttribute(unnamed.mutable_graph()->mutable_node(0), "", AttributeProto::INT)->set_i(1);
  expectOneError(unnamed, DiagnosticId::AttributeName, {"node \"copy\" (Identity-17)"});
}

TEST(ReadNodes, WantsTheDeclaredKindOfValue) {
  auto expectBad = [](AttributeProto::AttributeType type, const std::string &word, auto fill) {
    ModelProto model = identityModel();
    fill(*addAttribute(model.mutable_graph()->mutable_node(0), "a", type));
    expectOneError(model, DiagnosticId::AttributeValue,
                   {"node \"copy\" (Identity-17)", "attribute \"a\"", word});
  };
  expectBad(AttributeProto::INT, "expects an int, got a float", [](AttributeProto &a) { a.set_f(1); });
  expectBad(AttributeProto::INT, "expects an int, got a list of ints", [](AttributeProto &a) {
    a.set_i(1);
    a.add_ints(1);
  });
  expectBad(AttributeProto::UNDEFINED, "expects a type", [](AttributeProto &a) { a.set_i(1); });
  expectBad(AttributeProto::TENSOR, "expects a tensor, got nothing", [](AttributeProto &) {});
  expectBad(AttributeProto::GRAPH, "expects a graph, got nothing", [](AttributeProto &) {});
}

TEST(ReadNodes, RefusesReferencesOutsideOfFunctions) {
  ModelProto model = identityModel();
  addAttribute(model.mutable_graph()->mutable_node(0), "a", AttributeProto::INT)->set_ref_attr_name("outer");
  expectOneError(model, DiagnosticId::AttributeReference, {"node \"copy\" (Identity-17)", "\"outer\""});
}

namespace {
/// A model with node "flow" whose subgraphs have the given numbers of inputs and outputs.
struct FlowModel {
  FlowModel(const std::string &opType, int inputs, int outputs) {
    addTensor(model, "b", TensorProto::BOOL, {})->add_int32_data(1);
    node = addNode(model.mutable_graph(), opType, "flow", {}, {});
    for (int i = 0; i < inputs; ++i)
      node->add_input("b");
    for (int i = 0; i < outputs; ++i)
      node->add_output("o" + std::to_string(i));
  }
  FlowModel &with(const std::string &name, int inputs, int outputs) {
    GraphProto *graph = addAttribute(node, name, AttributeProto::GRAPH)->mutable_g();
    for (int i = 0; i < inputs; ++i)
      graph->add_input()->set_name("i" + std::to_string(i));
    for (int i = 0; i < outputs; ++i)
      graph->add_output()->set_name("b");
    return *this;
  }
  FlowModel &scanning(int64_t count) {
    addAttribute(node, "num_scan_inputs", AttributeProto::INT)->set_i(count);
    return *this;
  }
  void expectReads() { weft::onnx::expectReads(model); }
  void expectError(const std::string &word) {
    expectOneError(model, DiagnosticId::SubgraphArity, {"node \"flow\"", word});
  }

  ModelProto model = identityModel();
  NodeProto *node;
};
} // namespace

TEST(ReadNodes, ChecksIf) {
  FlowModel("If", 1, 2).with("then_branch", 0, 2).with("else_branch", 0, 2).expectReads();
  FlowModel("If", 1, 2).with("then_branch", 0, 2).expectError("\"else_branch\"");
  FlowModel("If", 1, 2)
      .with("then_branch", 0, 2)
      .with("else_branch", 0, 1)
      .expectError("2 else_branch outputs, got 1");
  FlowModel("If", 1, 1)
      .with("then_branch", 1, 1)
      .with("else_branch", 0, 1)
      .expectError("0 then_branch inputs, got 1");
}

TEST(ReadNodes, ChecksLoop) {
  FlowModel("Loop", 3, 2).with("body", 3, 3).expectReads();
  FlowModel("Loop", 3, 2).expectError("\"body\"");
  FlowModel("Loop", 3, 2).with("body", 2, 3).expectError("3 body inputs, got 2");
  FlowModel("Loop", 3, 2).with("body", 3, 2).expectError("3 body outputs, got 2");
  FlowModel("Loop", 4, 1).with("body", 4, 2).expectError("2 or more outputs");
}

TEST(ReadNodes, ChecksScan) {
  FlowModel("Scan", 2, 2).with("body", 2, 2).scanning(1).expectReads();
  FlowModel("Scan", 2, 2).with("body", 1, 2).scanning(1).expectError("2 body inputs, got 1");
  FlowModel("Scan", 2, 2).with("body", 2, 1).scanning(1).expectError("2 body outputs, got 1");
  FlowModel("Scan", 2, 2).with("body", 2, 2).expectError("num_scan_inputs");
  FlowModel("Scan", 2, 2).with("body", 2, 2).scanning(3).expectError("num_scan_inputs");
  FlowModel("Scan", 3, 1).with("body", 3, 1).scanning(1).expectError("2 or more outputs");
}
