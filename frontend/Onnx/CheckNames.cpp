// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks on value names: one definition each, before the first use, as nodes are sorted.
#include "frontend/Onnx/Checks.h"
#include "llvm/ADT/StringSet.h"

using namespace weft::onnx;
using llvm::StringRef;

namespace {
/// A graph or function body on the way through it.
struct Scope {
  llvm::StringMap<ElementType> defined; ///< So far; with the element type for initializers.
  llvm::StringMap<const Node *> makers; ///< All node outputs, to the node that makes them.

  explicit Scope(const std::vector<Node> &nodes);
};

class NameChecker {
public:
  NameChecker(const Body &body, Diagnostics &diagnostics) : body(body), diagnostics(diagnostics) {}

  void checkGraph(const Graph &graph);
  void checkFunction(const Function &function);

private:
  void checkNodes(const std::vector<Node> &nodes);
  void checkUse(const Node &node, StringRef name);
  void checkLateUse(const Node &node, StringRef name);
  void define(StringRef name, ElementType type, PlaceFn place);
  void checkOutput(StringRef name, StringRef what, bool seesOuter);

  const Body &body;
  Diagnostics &diagnostics;
  std::vector<Scope> scopes;  // Innermost last.
  llvm::StringSet<> reported; // Undefined names: one message each.
};
} // namespace

Scope::Scope(const std::vector<Node> &nodes) {
  for (const Node &node : nodes)
    for (const std::string &output : node.outputs)
      if (!output.empty())
        makers.insert({output, &node});
}

void NameChecker::define(StringRef name, ElementType type, PlaceFn place) {
  if (name.empty())
    return diagnostics.error(DiagnosticId::NameEmpty, place(), "expects a name, got none");
  for (const Scope &scope : llvm::ArrayRef(scopes).drop_back())
    if (scope.defined.contains(name))
      return diagnostics.error(DiagnosticId::NameShadowed, place(),
                               "expects a new name, got " + quoted(name) + ", which an outer graph defines");
  if (!scopes.back().defined.insert({name, type}).second)
    diagnostics.error(DiagnosticId::NameDuplicate, place(),
                      "expects a new name, got " + quoted(name) + ", which is already defined");
}

void NameChecker::checkGraph(const Graph &graph) {
  bool isTop = scopes.empty();
  scopes.emplace_back(graph.nodes);
  for (const ValueInfo &input : graph.inputs) {
    auto place = [&] { return body.at("graph input", input.name); };
    define(input.name, ElementType::Undefined, place);
    bool hasType = input.type.kind == ValueType::Kind::Tensor
                       ? input.type.elementType != ElementType::Undefined
                       : input.type.kind != ValueType::Kind::None;
    if (isTop && !hasType)
      diagnostics.error(DiagnosticId::TypeMissing, place(), "expects a type with an element type, got none");
  }
  llvm::StringSet<> initializers;
  for (const Tensor &tensor : graph.initializers) {
    auto place = [&] { return body.at("initializer", tensor.name); };
    if (!initializers.insert(tensor.name).second)
      diagnostics.error(DiagnosticId::NameDuplicate, place(),
                        "expects a new name, got that of another initializer");
    else if (!tensor.isInputDefault)
      define(tensor.name, tensor.elementType, place);
  }
  checkNodes(graph.nodes);
  llvm::StringSet<> outputs;
  for (const ValueInfo &output : graph.outputs) {
    checkOutput(output.name, "graph output", !isTop);
    // A subgraph may yield a value twice; the results of a model are told apart by name.
    if (isTop && !outputs.insert(output.name).second)
      diagnostics.error(DiagnosticId::NameDuplicate, body.at("graph output", output.name),
                        "expects a new name, got that of another graph output");
  }
  scopes.pop_back();
}

void NameChecker::checkFunction(const Function &function) {
  scopes.emplace_back(function.nodes);
  for (const std::string &input : function.inputs)
    define(input, ElementType::Undefined, [&] { return body.at("function input", input); });
  checkNodes(function.nodes);
  for (const std::string &output : function.outputs)
    checkOutput(output, "function output", /*seesOuter=*/false);
  scopes.pop_back();
}

void NameChecker::checkNodes(const std::vector<Node> &nodes) {
  for (const Node &node : nodes) {
    for (const std::string &input : node.inputs)
      if (!input.empty())
        checkUse(node, input);
    for (const Attribute &attribute : node.attributes)
      for (const Graph &graph : attribute.graphs)
        checkGraph(graph);
    for (const std::string &output : node.outputs)
      if (!output.empty())
        define(output, ElementType::Undefined, [&] { return body.at(node); });
  }
}

void NameChecker::checkUse(const Node &node, StringRef name) {
  for (const Scope &scope : llvm::reverse(scopes))
    if (auto found = scope.defined.find(name); found != scope.defined.end()) {
      if (found->second == ElementType::String)
        diagnostics.error(DiagnosticId::StringTensor, body.at(node),
                          "expects tensors of numbers, got initializer " + quoted(name) + " of strings");
      return;
    }
  if (reported.insert(name).second)
    checkLateUse(node, name);
}

/// Says why `name` is not defined where `node` reads it. Nodes are sorted: one that is made later depends on
/// its reader.
void NameChecker::checkLateUse(const Node &node, StringRef name) {
  for (const Scope &scope : llvm::reverse(scopes))
    if (auto maker = scope.makers.find(name); maker != scope.makers.end())
      return diagnostics.error(DiagnosticId::Cycle, body.at(node),
                               "expects inputs that do not depend on it, got " + quoted(name) +
                                   ", which depends on it through " + body.at(*maker->second).text);
  diagnostics.error(DiagnosticId::NameUndefined, body.at(node),
                    "expects defined inputs, got " + quoted(name) +
                        ", which no node, input or initializer defines");
}

void NameChecker::checkOutput(StringRef name, StringRef what, bool seesOuter) {
  if (name.empty())
    return diagnostics.error(DiagnosticId::NameEmpty, body.at(what, name), "expects a name, got none");
  for (const Scope &scope : llvm::ArrayRef(scopes).take_back(seesOuter ? scopes.size() : 1))
    if (scope.defined.contains(name))
      return;
  diagnostics.error(DiagnosticId::OutputUndefined, body.at(what, name),
                    "expects a defined value, got one that no node, input or initializer defines");
}

void weft::onnx::checkNames(const Model &model, Diagnostics &diagnostics) {
  Body body = {model.opsets, ""};
  NameChecker(body, diagnostics).checkGraph(model.graph);
  for (const Function &function : model.functions) {
    Body functionBody = {function.opsets, function.name};
    NameChecker(functionBody, diagnostics).checkFunction(function);
  }
}
