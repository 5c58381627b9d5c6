// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model-local functions: identity, recursion, size, calls, attribute references.
#include "TestModel.h"

using namespace weft::onnx;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;

namespace {
ModelProto modelWithDomain() {
  ModelProto model = identityModel();
  addOpset(model.mutable_opset_import(), "local", 1);
  return model;
}

/// An empty function (a) -> (b) of domain "local".
FunctionProto *addFunction(ModelProto &model, const std::string &name) {
  FunctionProto *function = model.add_functions();
  function->set_domain("local");
  function->set_name(name);
  function->add_input("a");
  function->add_output("b");
  addOpset(function->mutable_opset_import(), "", 17);
  addOpset(function->mutable_opset_import(), "local", 1);
  return function;
}

template <typename Owner>
NodeProto *addCall(Owner *owner, const std::string &callee, const std::string &name, const std::string &input,
                   const std::string &output) {
  NodeProto *node = addNode(owner, callee, name, {input}, {output});
  node->set_domain("local");
  return node;
}

/// Functions F0 ... F<levels>, each of which calls the next `width` times; the last is one node. "start"
/// calls F0.
ModelProto nestedModel(int levels, int width) {
  ModelProto model = modelWithDomain();
  for (int level = 0; level < levels; ++level) {
    FunctionProto *function = addFunction(model, "F" + std::to_string(level));
    for (int i = 0; i < width; ++i)
      addCall(function, "F" + std::to_string(level + 1), "", "a", i == 0 ? "b" : "c" + std::to_string(i));
  }
  addNode(addFunction(model, "F" + std::to_string(levels)), "Neg", "leaf", {"a"}, {"b"});
  addCall(model.mutable_graph(), "F0", "start", "x", "z");
  return model;
}
} // namespace

TEST(ReadFunctions, ReadsCalls) {
  ModelProto model = nestedModel(3, 2);
  auto result = read(model);
  ASSERT_TRUE(result->model) << printed(result->diagnostics);
  EXPECT_EQ(result->model->functions.size(), 4u);
  EXPECT_EQ(result->model->functions[0].inputs, std::vector<std::string>{"a"});
  EXPECT_EQ(result->model->functions[0].opsets.at(""), 17);
}

TEST(ReadFunctions, RefusesDuplicates) {
  ModelProto model = modelWithDomain();
  for (int i = 0; i < 2; ++i)
    addNode(addFunction(model, "F"), "Neg", "leaf", {"a"}, {"b"});
  expectOneError(model, DiagnosticId::FunctionDuplicate, {"function \"F\""});
  model.mutable_functions(1)->set_overload("other");
  expectReads(model);
}

TEST(ReadFunctions, RefusesFunctionsWithoutName) {
  ModelProto model = modelWithDomain();
  addNode(addFunction(model, ""), "Neg", "leaf", {"a"}, {"b"});
  expectOneError(model, DiagnosticId::NameEmpty, {"function \"\""});
}

TEST(ReadFunctions, RefusesRecursion) {
  ModelProto model = modelWithDomain();
  addCall(addFunction(model, "Even"), "Odd", "toOdd", "a", "b");
  addCall(addFunction(model, "Odd"), "Even", "toEven", "a", "b");
  auto expectRecursive = [&] {
    expectOneError(model, DiagnosticId::FunctionRecursive,
                   {"function \"Even\"", "node \"toOdd\" (local.Odd-1)", "\"Odd\""});
  };
  expectRecursive(); // Whether or not anybody calls them.
  addCall(model.mutable_graph(), "Odd", "start", "x", "z");
  expectRecursive();
}

TEST(ReadFunctions, SeesCallsInSubgraphs) {
  ModelProto model = modelWithDomain();
  FunctionProto *function = addFunction(model, "F");
  NodeProto *node = addNode(function, "Wrap", "wrap", {"a"}, {"b"});
  addCall(addAttribute(node, "g", AttributeProto::GRAPH)->mutable_g(), "F", "inner", "a", "i");
  expectOneError(model, DiagnosticId::FunctionRecursive, {"function \"F\"", "node \"inner\" (local.F-1)"});
}

TEST(ReadFunctions, BoundsDepth) {
  ReaderLimits limits;
  limits.callDepth = 5;
  EXPECT_TRUE(read(nestedModel(4, 1), limits)->model);
  expectOneError(read(nestedModel(5, 1), limits), DiagnosticId::FunctionLimit, {"5 deep"});
  expectOneError(read(nestedModel(100, 1)), DiagnosticId::FunctionLimit, {"100 deep"});
}

// The same when the deep part was measured already, from where it was not too deep.
TEST(ReadFunctions, BoundsDepthOfWhatIsKnown) {
  ReaderLimits limits;
  limits.callDepth = 5;
  ModelProto model = nestedModel(4, 1);
  addCall(addFunction(model, "Above"), "F0", "below", "a", "b");
  addCall(model.mutable_graph(), "Above", "startAbove", "x", "z2");
  expectOneError(read(model, limits), DiagnosticId::FunctionLimit, {"node \"below\"", "5 deep"});
}

TEST(ReadFunctions, BoundsNumber) {
  ReaderLimits limits;
  limits.functions = 3;
  expectOneError(read(nestedModel(3, 1), limits), DiagnosticId::FunctionLimit, {"3 functions, got 4"});
}

// 90 functions of two calls each would expand to 2^90 nodes.
TEST(ReadFunctions, BoundsExpandedSize) {
  expectOneError(nestedModel(90, 2), DiagnosticId::FunctionExpansion, {"expanded"});
  ReaderLimits limits;
  limits.expandedNodes = 17; // 2^4 leaves and the identity.
  EXPECT_TRUE(read(nestedModel(4, 2), limits)->model);
  limits.expandedNodes = 16;
  expectOneError(read(nestedModel(4, 2), limits), DiagnosticId::FunctionExpansion, {"16 nodes"});
}

TEST(ReadFunctions, ChecksCalls) {
  ModelProto inputs = nestedModel(0, 1);
  inputs.mutable_graph()->mutable_node(1)->add_input("x");
  expectOneError(inputs, DiagnosticId::FunctionCall, {"node \"start\" (local.F0-1)", "1 inputs, got 2"});

  ModelProto outputs = nestedModel(0, 1);
  outputs.mutable_graph()->mutable_node(1)->add_output("z2");
  expectOneError(outputs, DiagnosticId::FunctionCall, {"node \"start\" (local.F0-1)", "1 outputs, got 2"});

  ModelProto attribute = nestedModel(0, 1);
  attribute.mutable_functions(0)->add_attribute("alpha");
  expectOneError(attribute, DiagnosticId::FunctionCall, {"node \"start\" (local.F0-1)", "\"alpha\""});
  addAttribute(attribute.mutable_graph()->mutable_node(1), "alpha", AttributeProto::INT)->set_i(1);
  expectReads(attribute);
}

TEST(ReadFunctions, WarnsOfAttributesThatTheFunctionDoesNotHave) {
  ModelProto model = nestedModel(0, 1);
  addAttribute(model.mutable_graph()->mutable_node(1), "extra", AttributeProto::INT)->set_i(1);
  auto result = read(model);
  EXPECT_TRUE(result->model);
  ASSERT_EQ(result->diagnostics.all().size(), 1u);
  EXPECT_EQ(result->diagnostics.all()[0].severity, Severity::Warning);
  EXPECT_EQ(result->diagnostics.all()[0].id, DiagnosticId::FunctionExtraAttribute);
}

TEST(ReadFunctions, BindsAttributeReferences) {
  ModelProto model = nestedModel(0, 1);
  FunctionProto *function = model.mutable_functions(0);
  AttributeProto *reference = addAttribute(function->mutable_node(0), "a", AttributeProto::INT);
  reference->set_ref_attr_name("alpha");
  expectOneError(model, DiagnosticId::AttributeUnbound,
                 {"function \"F0\"", "node \"leaf\" (Neg-17)", "\"alpha\""});
  AttributeProto *defaulted = function->add_attribute_proto();
  defaulted->set_name("alpha");
  defaulted->set_type(AttributeProto::INT);
  defaulted->set_i(3);
  expectReads(model);
  reference->set_i(1);
  expectOneError(model, DiagnosticId::AttributeValue, {"node \"leaf\"", "a reference only"});
}

TEST(ReadFunctions, RefusesAttributesDeclaredTwice) {
  ModelProto model = modelWithDomain();
  FunctionProto *function = addFunction(model, "F");
  addNode(function, "Neg", "leaf", {"a"}, {"b"});
  function->add_attribute("alpha");
  function->add_attribute("alpha");
  expectOneError(model, DiagnosticId::AttributeName, {"function \"F\"", "\"alpha\" twice"});
}

TEST(ReadFunctions, ChecksNamesInside) {
  ModelProto model = modelWithDomain();
  FunctionProto *function = addFunction(model, "F");
  NodeProto *leaf = addNode(function, "Neg", "leaf", {"x"}, {"b"});
  // The graph's values are not visible in a function.
  expectOneError(model, DiagnosticId::NameUndefined, {"function \"F\": node \"leaf\" (Neg-17)", "\"x\""});
  leaf->set_input(0, "a");
  function->add_output("gone");
  expectOneError(model, DiagnosticId::OutputUndefined, {"function \"F\": function output \"gone\""});
}

TEST(ReadFunctions, UsesTheOpsetsOfTheFunction) {
  ModelProto model = modelWithDomain();
  FunctionProto *function = addFunction(model, "F");
  addNode(function, "Op", "leaf", {"a"}, {"b"})->set_domain("com.microsoft");
  addOpset(model.mutable_opset_import(), "com.microsoft", 1);
  expectOneError(model, DiagnosticId::DomainNotImported, {"function \"F\": node \"leaf\"", "com.microsoft"});
  addOpset(function->mutable_opset_import(), "com.microsoft", 1);
  expectReads(model);
  function->mutable_opset_import(0)->set_version(99);
  expectOneError(model, DiagnosticId::OpsetRange, {"function \"F\"", "got 99"});
}
