// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If and Loop in the graph, what they say where only a run knows, and inputs that become constants. What they
// compute is in test/conformance/trap_control.py.
#include "test/frontend/Onnx/import/ImportTest.h"

using namespace weft::onnx;
using ::onnx::TensorProto;

namespace {
/// y = c ? x + x : -x
TestGraph branching() {
  TestGraph graph;
  graph.input("c", {"1"}, TensorProto::BOOL).input("x", {"4"}).node("If", {"c"}, {"y"}).output("y");
  auto branch = [&](const char *name, const char *opType, const std::vector<std::string> &inputs) {
    ::onnx::GraphProto *body = addAttribute(graph.last, name, AttributeProto::GRAPH)->mutable_g();
    addNode(body, opType, "inner", inputs, {std::string(name) + "_y"});
    body->add_output()->set_name(std::string(name) + "_y");
  };
  branch("then_branch", "Add", {"x", "x"});
  branch("else_branch", "Neg", {"x"});
  return graph;
}

/// Gives the last node, a Loop with one state, a body of one node.
void addBody(TestGraph &graph, const std::string &opType, const std::string &domain = "") {
  ::onnx::GraphProto *body = addAttribute(graph.last, "body", AttributeProto::GRAPH)->mutable_g();
  for (const char *name : {"i", "c", "h"})
    declare(body->add_input(), name);
  addNode(body, opType, "inner", {"h"}, {"g"})->set_domain(domain);
  for (const char *name : {"c", "g"})
    body->add_output()->set_name(name);
}

ImportOptions set(std::vector<std::string> settings) {
  ImportOptions options;
  options.inputConstants = std::move(settings);
  return options;
}

/// Expects one error of --set, whose line holds `words`.
void expectSetError(const TestGraph &graph, const std::vector<std::string> &settings,
                    const std::string &words) {
  auto result = import(graph, set(settings));
  EXPECT_FALSE(result->module) << result->text;
  std::string text = printed(result->diagnostics());
  EXPECT_NE(text.find(words), std::string::npos) << text;
  EXPECT_NE(text.find("[weft-0197]"), std::string::npos) << text;
}
} // namespace

TEST(ImportControl, ABranchIsNamedAfterItsIf) {
  auto taken = import(branching(), set({"c=true"})), other = import(branching(), set({"c=0"}));
  ASSERT_TRUE(taken->module && other->module)
      << printed(taken->diagnostics()) << printed(other->diagnostics());
  EXPECT_NE(taken->text.find("weft.add"), std::string::npos) << taken->text;
  EXPECT_EQ(taken->text.find("weft.neg"), std::string::npos) << taken->text;
  EXPECT_NE(other->text.find("weft.neg"), std::string::npos) << other->text;
  EXPECT_EQ(mlir::cast<mlir::func::FuncOp>(taken->module->getBody()->front()).getNumArguments(), 1U);
  std::string text;
  llvm::raw_string_ostream out(text);
  taken->module->print(out, mlir::OpPrintingFlags().enableDebugInfo());
  EXPECT_NE(text.find("\"If_0/then/inner\""), std::string::npos) << text;
}

TEST(ImportControl, BothBranchesWhereOnlyARunKnows) {
  expectIR(branching(), {"weft.add", "weft.neg", "weft.where", "tensor<4xf32>"});
}

TEST(ImportControl, UnlikeBranches) {
  TestGraph graph = branching();
  ::onnx::NodeProto *inner = graph.last->mutable_attribute(0)->mutable_g()->mutable_node(0);
  inner->set_op_type("Shape");
  inner->mutable_input()->RemoveLast();
  expectImportError(graph, DiagnosticId::ControlFlow, "If_0",
                    {"expects a condition that constants and shapes decide", "--set c=VALUE"});
}

TEST(ImportControl, OperatorsThatAreNotImportedInABody) {
  TestGraph graph = branching();
  graph.last->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_op_type("Unique");
  graph.last->mutable_attribute(0)->mutable_g()->mutable_node(0)->mutable_input()->RemoveLast();
  auto result = import(graph, set({"c=1"}));
  EXPECT_NE(printed(result->diagnostics()).find("node \"If_0/then/inner\" (Unique-17)"), std::string::npos)
      << printed(result->diagnostics());
}

/// all[i] = last = h + x[0] + ... + x[i], of so many rows.
static TestGraph scanning(const std::string &rows) {
  TestGraph graph;
  graph.input("x", {rows, "4"}).input("h", {"4"});
  graph.node("Scan", {"h", "x"}, {"last", "all"}, {attr("num_scan_inputs", 1)}).output("last").output("all");
  ::onnx::GraphProto *body = addAttribute(graph.last, "body", AttributeProto::GRAPH)->mutable_g();
  for (const char *name : {"state", "element"})
    declare(body->add_input(), name);
  addNode(body, "Add", "step", {"state", "element"}, {"next"});
  for (int i = 0; i < 2; ++i)
    body->add_output()->set_name("next");
  return graph;
}

TEST(ImportControl, FixedDimsDecide) {
  ImportOptions options;
  options.fixedDims["t"] = 3;
  auto result = import(scanning("t"), options);
  ASSERT_TRUE(result->module) << printed(result->diagnostics());
  EXPECT_NE(result->text.find("tensor<3x4xf32>"), std::string::npos) << result->text;
  EXPECT_EQ(result->text.find("weft.loop"), std::string::npos) << result->text;
}

TEST(ImportControl, SizesCountALoop) {
  expectIR(scanning("t"), {"weft.loop trips(", "states(%arg1 : tensor<4xf32>)", "captures(%arg0",
                           "weft.yield", "-> (tensor<4xf32>, tensor<?x4xf32>)"});
}

TEST(ImportControl, LongScansAreNotUnrolled) {
  expectIR(scanning("8193"), {"weft.loop", "tensor<8193x4xf32>"});
  auto result = import(scanning("16"));
  ASSERT_TRUE(result->module) << printed(result->diagnostics());
  EXPECT_EQ(llvm::StringRef(result->text).count("weft.add"), 16U) << result->text;
}

TEST(ImportControl, ANumberOfIterationsThatVaries) {
  TestGraph graph;
  graph.input("x", {"t"}).node("Size", {"x"}, {"n"}).node("Loop", {"n", "", "x"}, {"y"}).output("y");
  addBody(graph, "Neg");
  expectIR(graph, {"weft.loop trips(", "weft.neg"});
}

TEST(ImportControl, AConditionThatARunHas) {
  TestGraph graph;
  graph.ints("three", {3}, std::vector<int64_t>{}).input("go", {}, TensorProto::BOOL);
  graph.input("x", {"t"}).node("Loop", {"three", "go", "x"}, {"y"}).output("y");
  addBody(graph, "Neg");
  expectIR(graph, {"weft.cast %4 to i64", "weft.mul %2, %5", "weft.loop trips(%6"});
}

// What has been appended is not all there is of a sequence, so nothing may ask for it, not in a branch
// either.
TEST(ImportControl, ASequenceThatABranchReads) {
  TestGraph graph;
  graph.input("n", {}, TensorProto::INT64).input("x", {"t"}).node("SequenceEmpty", {}, {"s"});
  graph.node("Loop", {"n", "", "s"}, {"r", "lengths"});
  addBody(graph, "SequenceInsert");
  ::onnx::GraphProto *body = graph.last->mutable_attribute(0)->mutable_g();
  body->mutable_node(0)->add_input("x");
  ::onnx::NodeProto *choice = addNode(body, "If", "choice", {"c"}, {"length"});
  for (const char *name : {"then_branch", "else_branch"}) {
    ::onnx::GraphProto *branch = addAttribute(choice, name, AttributeProto::GRAPH)->mutable_g();
    addNode(branch, "SequenceLength", name, {"g"}, {std::string(name) + "_y"});
    branch->add_output()->set_name(std::string(name) + "_y");
  }
  body->add_output()->set_name("length");
  graph.output("lengths");
  expectImportError(graph, DiagnosticId::ControlFlow, "Loop_1",
                    {"expects a body that only appends to the sequence \"h\""});
}

// Where a run counts, an iteration is like the others.
TEST(ImportControl, WhatMayNotChangeFromIterationToIteration) {
  TestGraph stops, grows, sequence;
  for (TestGraph *graph : {&stops, &grows}) {
    graph->input("n", {}, TensorProto::INT64).input("x", {"t"});
    graph->node("Loop", {"n", "", "x"}, {"y"}).output("y");
    addBody(*graph, "Neg");
  }
  ::onnx::GraphProto *body = stops.last->mutable_attribute(0)->mutable_g();
  addNode(body, "Not", "stop", {"c"}, {"d"});
  body->mutable_output(0)->set_name("d");
  expectImportError(stops, DiagnosticId::ControlFlow, "Loop_0", {"expects a condition that stays true"});
  ::onnx::NodeProto *inner = grows.last->mutable_attribute(0)->mutable_g()->mutable_node(0);
  inner->set_op_type("Unsqueeze");
  inner->add_input("axes");
  grows.ints("axes", {0});
  expectImportError(grows, DiagnosticId::OperandType, "Loop_0",
                    {"loop-c3: expects a body that keeps the type of state 0", "got 1 x t x f32"});
  sequence.input("n", {}, TensorProto::INT64).node("SequenceEmpty", {}, {"s"});
  sequence.node("Loop", {"n", "", "s"}, {"r"});
  addBody(sequence, "SequenceErase");
  sequence.node("SequenceLength", {"r"}, {"y"}).output("y");
  expectImportError(sequence, DiagnosticId::ControlFlow, "Loop_1",
                    {"expects a body that only appends to the sequence \"h\""});
}

// More iterations than operations are followed for one question.
TEST(ImportControl, ACounterThatTheBodyCarriesEndsALoop) {
  TestGraph graph;
  graph.ints("zero", {0}, std::vector<int64_t>{}).ints("end", {200000}, std::vector<int64_t>{});
  graph.node("Loop", {"", "", "zero"}, {"y"}).output("y");
  addBody(graph, "Identity");
  ::onnx::GraphProto *body = graph.last->mutable_attribute(0)->mutable_g();
  body->clear_node();
  ::onnx::TensorProto *step = body->add_initializer();
  step->set_name("step");
  step->set_data_type(TensorProto::INT64);
  step->add_int64_data(1000);
  addNode(body, "Add", "count", {"h", "step"}, {"g"});
  addNode(body, "Less", "ask", {"g", "end"}, {"more"});
  body->mutable_output(0)->set_name("more");
  auto result = import(graph);
  ASSERT_TRUE(result->module) << printed(result->diagnostics());
  llvm::StringRef text = result->text;
  EXPECT_EQ(text.count("weft.compare"), 200U) << result->text;
  EXPECT_EQ(text.count("weft.constant dense<1000>"), 1U) << "an initializer is made again: " << result->text;
}

TEST(ImportControl, UnrolledLoopsAreBounded) {
  TestGraph graph;
  graph.ints("many", {int64_t(1) << 62}, std::vector<int64_t>{});
  graph.input("x", {"4"}).node("Loop", {"many", "", "x"}, {"y"}).output("y");
  addBody(graph, "Neg");
  expectImportError(graph, DiagnosticId::LoopUnrolled, "Loop_0", {"at most 131072 nodes"});
}

TEST(ImportControl, PartsOfSequencesAreBounded) {
  TestGraph graph;
  graph.input("x", {"1099511627776"})
      .node("SplitToSequence", {"x"}, {"s"})
      .node("SequenceLength", {"s"}, {"n"});
  expectImportError(graph.output("n"), DiagnosticId::LoopUnrolled, "SplitToSequence_0",
                    {"at most 131072 nodes"});
}

TEST(ImportControl, FunctionsThatABodyCallsCount) {
  TestGraph graph;
  addOpset(graph.model.mutable_opset_import(), "own", 1);
  ::onnx::FunctionProto *function = graph.model.add_functions();
  function->set_domain("own");
  function->set_name("Chain");
  function->add_input("a");
  function->add_output("v1000");
  addOpset(function->mutable_opset_import(), "", 17);
  for (int i = 0; i <= 1000; ++i)
    addNode(function, "Neg", "", {i ? "v" + std::to_string(i - 1) : "a"}, {"v" + std::to_string(i)});
  graph.ints("many", {200}, std::vector<int64_t>{});
  graph.input("x", {"4"}).node("Loop", {"many", "", "x"}, {"y"}).output("y");
  addBody(graph, "Chain", "own");
  auto result = import(graph);
  EXPECT_FALSE(result->module);
  EXPECT_NE(printed(result->diagnostics()).find("[weft-0196]"), std::string::npos)
      << printed(result->diagnostics());
}

TEST(ImportControl, ValuesOfInputs) {
  TestGraph graph;
  graph.input("n", {"2"}, TensorProto::INT8)
      .input("u", {}, TensorProto::UINT64)
      .input("h", {"2"}, TensorProto::FLOAT16);
  graph.input("b", {"batch"})
      .node("Identity", {"n"}, {"y"})
      .output("y")
      .node("Identity", {"u"}, {"z"})
      .output("z");
  graph.node("Identity", {"h"}, {"w"}).output("w").output("b");
  auto good = import(graph, set({"n=-128,127", "u=18446744073709551615", "h=1.5"}));
  ASSERT_TRUE(good->module) << printed(good->diagnostics());
  expectFragments(good->text, {"dense<[-128, 127]>", "dense<18446744073709551615>", "dense<1.500000e+00>"});
  expectSetError(graph, {"n=128"}, "numbers that fit 2 x i8");
  expectSetError(graph, {"n=-129"}, "numbers that fit 2 x i8");
  expectSetError(graph, {"n=1,2,3"}, "one value, or 2");
  expectSetError(graph, {"n="}, "numbers that fit");
  expectSetError(graph, {"n=99999999999999999999999"}, "numbers that fit");
  expectSetError(graph, {"u=-1"}, "numbers that fit");
  expectSetError(graph, {"u=18446744073709551616"}, "numbers that fit");
  expectSetError(graph, {"h=none"}, "numbers that fit");
  expectSetError(graph, {"b=1"}, "its size is not fixed");
  expectSetError(graph, {"q=1"}, "to name an input of the model, got \"q\"");
  expectSetError(graph, {"n=1", "n=2"}, "each name once");
  expectSetError(graph, {"n"}, "NAME=VALUE");
}
