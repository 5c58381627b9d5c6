// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks on model-local functions, which a hostile file can nest, recurse and multiply.
#include "frontend/Onnx/Checks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace weft::onnx;
using llvm::StringRef;
using llvm::Twine;

/// Names may hold any byte, so the parts are told apart by their lengths.
static std::string identity(StringRef domain, StringRef name, StringRef overload) {
  return (Twine(domain.size()) + ":" + Twine(name.size()) + ":" + domain + name + overload).str();
}

FunctionTable::FunctionTable(const Model &model) {
  for (const auto &[index, function] : llvm::enumerate(model.functions)) {
    functions.insert({identity(function.domain, function.name, function.overload), unsigned(index)});
    domains[function.domain] = true;
  }
}

std::optional<unsigned> FunctionTable::find(StringRef domain, StringRef name, StringRef overload) const {
  // Most models have none, and every node asks.
  if (functions.empty())
    return std::nullopt;
  auto found = functions.find(identity(domain, name, overload));
  return found == functions.end() ? std::nullopt : std::optional<unsigned>(found->second);
}

namespace {
class FunctionChecker {
public:
  FunctionChecker(const Model &model, const FunctionTable &table, const ReaderLimits &limits,
                  Diagnostics &diagnostics)
      : model(model), table(table), limits(limits), diagnostics(diagnostics), states(model.functions.size()),
        attributes(model.functions.size()) {}

  void run();

private:
  struct State {
    enum { New, Open, Done } progress = New;
    uint64_t expandedNodes = 0;
    unsigned depth = 0; // Of the calls below.
  };

  State measure(const std::vector<Node> &nodes, const Body &body, unsigned depth);
  void visit(unsigned index, const Node &caller, const Body &body, unsigned depth);
  void checkReferences(unsigned index);
  void checkCall(const Node &node, unsigned callee, const Body &body);
  void checkCallAttributes(const Node &node, unsigned callee, const Body &body);

  const Model &model;
  const FunctionTable &table;
  const ReaderLimits &limits;
  Diagnostics &diagnostics;
  std::vector<State> states;
  std::vector<llvm::StringMap<bool>> attributes; // Of each function, to whether a call must give it.
};
} // namespace

void FunctionChecker::run() {
  if (model.functions.size() > limits.functions)
    return diagnostics.error(DiagnosticId::FunctionLimit, {},
                             "expects at most " + Twine(limits.functions) + " functions, got " +
                                 Twine(model.functions.size()));
  for (const auto &[index, function] : llvm::enumerate(model.functions)) {
    if (table.find(function.domain, function.name, function.overload) != index)
      diagnostics.error(DiagnosticId::FunctionDuplicate, {"function " + quoted(function.name), ""},
                        "expects one function of a domain, name and overload, got two");
    checkReferences(index);
  }
  forEachBody(model, [&](const Body &body, const std::vector<Node> &nodes) {
    forEachNode(nodes, [&](const Node &node) {
      if (std::optional<unsigned> callee = table.calleeOf(node))
        checkCall(node, *callee, body);
    });
  });

  State whole = measure(model.graph.nodes, {model.opsets, ""}, 0);
  // Functions that nobody calls must not be recursive either.
  for (const Function &function : model.functions)
    measure(function.nodes, {function.opsets, function.name}, 0);
  if (whole.expandedNodes > limits.expandedNodes)
    diagnostics.error(DiagnosticId::FunctionExpansion, {},
                      "expects at most " + Twine(limits.expandedNodes) +
                          " nodes with all functions expanded, got more");
}

/// The size and depth of `nodes` with their calls expanded. `depth` is that of the calls above, and bounds
/// recursion.
FunctionChecker::State FunctionChecker::measure(const std::vector<Node> &nodes, const Body &body,
                                                unsigned depth) {
  State total;
  forEachNode(nodes, [&](const Node &node) {
    uint64_t size = 1;
    if (std::optional<unsigned> callee = table.calleeOf(node)) {
      visit(*callee, node, body, depth + 1);
      size = states[*callee].expandedNodes;
      total.depth = std::max(total.depth, states[*callee].depth + 1);
    }
    total.expandedNodes = llvm::SaturatingAdd(total.expandedNodes, size);
  });
  return total;
}

void FunctionChecker::visit(unsigned index, const Node &caller, const Body &body, unsigned depth) {
  State &state = states[index];
  const Function &function = model.functions[index];
  if (state.progress == State::Open)
    return diagnostics.error(DiagnosticId::FunctionRecursive, body.at(caller),
                             "expects functions that do not call themselves, got a call of " +
                                 quoted(function.name) + " from within it");
  if (state.progress == State::New) {
    if (depth > limits.callDepth)
      return diagnostics.error(DiagnosticId::FunctionLimit, body.at(caller),
                               "expects calls nested at most " + Twine(limits.callDepth) + " deep, got more");
    state.progress = State::Open;
    State measured = measure(function.nodes, {function.opsets, function.name}, depth);
    measured.progress = State::Done;
    state = measured;
    return;
  }
  // Measured from elsewhere, where less was above it.
  if (depth + state.depth > limits.callDepth)
    diagnostics.error(DiagnosticId::FunctionLimit, body.at(caller),
                      "expects calls nested at most " + Twine(limits.callDepth) + " deep, got more");
}

void FunctionChecker::checkCall(const Node &node, unsigned callee, const Body &body) {
  const Function &function = model.functions[callee];
  auto expectAtMost = [&](size_t most, StringRef what, size_t got) {
    if (got > most)
      diagnostics.error(DiagnosticId::FunctionCall, body.at(node),
                        "expects at most " + Twine(most) + " " + what + ", got " + Twine(got));
  };
  expectAtMost(function.inputs.size(), "inputs", node.inputs.size());
  expectAtMost(function.outputs.size(), "outputs", node.outputs.size());
  checkCallAttributes(node, callee, body);
}

void FunctionChecker::checkCallAttributes(const Node &node, unsigned callee, const Body &body) {
  const Function &function = model.functions[callee];
  llvm::StringSet<> given;
  for (const Attribute &attribute : node.attributes) {
    auto known = attributes[callee].find(attribute.name);
    if (known == attributes[callee].end())
      diagnostics.warning(DiagnosticId::FunctionExtraAttribute, body.at(node),
                          "expects attributes of function " + quoted(function.name) + ", got " +
                              quoted(attribute.name) + ", which is ignored");
    else if (known->second)
      given.insert(attribute.name);
  }
  // Many calls of a function with many attributes must not take the product of both.
  if (given.size() == function.requiredAttributes.size())
    return;
  for (const std::string &name : function.requiredAttributes)
    if (!given.contains(name))
      return diagnostics.error(DiagnosticId::FunctionCall, body.at(node),
                               "expects attribute " + quoted(name) + ", got none");
}

/// Every reference to an attribute must be to one of the function's.
void FunctionChecker::checkReferences(unsigned index) {
  const Function &function = model.functions[index];
  Body body = {function.opsets, function.name};
  auto declare = [&](StringRef name, bool isRequired) {
    if (!attributes[index].insert({name, isRequired}).second)
      diagnostics.error(DiagnosticId::AttributeName, {"function " + quoted(function.name), ""},
                        "expects each attribute once, got " + quoted(name) + " twice");
  };
  for (const std::string &name : function.requiredAttributes)
    declare(name, true);
  for (const Attribute &attribute : function.defaultedAttributes)
    declare(attribute.name, false);
  forEachNode(function.nodes, [&](const Node &node) {
    for (const Attribute &attribute : node.attributes)
      if (!attribute.refName.empty() && !attributes[index].contains(attribute.refName))
        diagnostics.error(DiagnosticId::AttributeUnbound, body.at(node),
                          "attribute " + quoted(attribute.name) +
                              " expects an attribute of the function, got " + quoted(attribute.refName));
  });
}

void weft::onnx::checkFunctions(const Model &model, const FunctionTable &table, const ReaderLimits &limits,
                                Diagnostics &diagnostics) {
  FunctionChecker(model, table, limits, diagnostics).run();
}
