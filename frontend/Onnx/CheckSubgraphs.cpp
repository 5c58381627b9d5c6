// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If, Loop and Scan against their subgraphs. Types are compared later, when they are inferred.
#include "frontend/Onnx/Checks.h"

using namespace weft::onnx;
using llvm::StringRef;
using llvm::Twine;

namespace {
class SubgraphChecker {
public:
  SubgraphChecker(const Body &body, Diagnostics &diagnostics) : body(body), diagnostics(diagnostics) {}

  void check(const Node &node);

private:
  void checkIf(const Node &node);
  void checkLoop(const Node &node);
  void checkScan(const Node &node);
  const Graph *subgraph(const Node &node, StringRef name);
  void expectCount(const Node &node, StringRef what, size_t expected, size_t got);

  const Body &body;
  Diagnostics &diagnostics;
};
} // namespace

const Graph *SubgraphChecker::subgraph(const Node &node, StringRef name) {
  const Attribute *attribute = node.attribute(name);
  if (attribute && attribute->kind == AttributeKind::Graph && attribute->graphs.size() == 1)
    return &attribute->graphs.front();
  // In a function the graph may be the caller's; it is checked when the call is expanded.
  if (!attribute || attribute->refName.empty())
    diagnostics.error(DiagnosticId::SubgraphArity, body.at(node),
                      "expects a graph as attribute " + quoted(name) + ", got none");
  return nullptr;
}

void SubgraphChecker::expectCount(const Node &node, StringRef what, size_t expected, size_t got) {
  if (expected != got)
    diagnostics.error(DiagnosticId::SubgraphArity, body.at(node),
                      "expects " + Twine(expected) + " " + what + ", got " + Twine(got));
}

void SubgraphChecker::checkIf(const Node &node) {
  for (StringRef name : {"then_branch", "else_branch"})
    if (const Graph *branch = subgraph(node, name)) {
      expectCount(node, (name + " inputs").str(), 0, branch->inputs.size());
      expectCount(node, (name + " outputs").str(), node.outputs.size(), branch->outputs.size());
    }
}

/// Loop(trips, condition, carried...) has body(iteration, condition, carried...) -> (condition, carried...,
/// scanned...).
void SubgraphChecker::checkLoop(const Node &node) {
  const Graph *loopBody = subgraph(node, "body");
  if (!loopBody)
    return;
  size_t carried = node.inputs.size() > 2 ? node.inputs.size() - 2 : 0;
  expectCount(node, "body inputs", carried + 2, loopBody->inputs.size());
  expectCount(node, "body outputs", node.outputs.size() + 1, loopBody->outputs.size());
  if (node.outputs.size() < carried)
    expectCount(node, "or more outputs, one for each carried value", carried, node.outputs.size());
}

/// Scan(states..., scanned...) has body(states..., elements...) -> (states..., elements...).
void SubgraphChecker::checkScan(const Node &node) {
  auto opset = body.opsets.find("");
  const Graph *scanBody = subgraph(node, "body");
  // Scan-8 has one input more, the sequence lengths, and a batch axis.
  if (!scanBody || opset == body.opsets.end() || opset->second < 9)
    return;
  expectCount(node, "body inputs", node.inputs.size(), scanBody->inputs.size());
  expectCount(node, "body outputs", node.outputs.size(), scanBody->outputs.size());
  const Attribute *scanned = node.attribute("num_scan_inputs");
  if (scanned && !scanned->refName.empty())
    return;
  int64_t count = scanned && scanned->ints.size() == 1 ? scanned->ints.front() : -1;
  if (count < 1 || uint64_t(count) > node.inputs.size())
    diagnostics.error(DiagnosticId::SubgraphArity, body.at(node),
                      "expects num_scan_inputs between 1 and the number of inputs, " +
                          Twine(node.inputs.size()) + ", got " + (scanned ? Twine(count).str() : "none"));
  else if (node.outputs.size() < node.inputs.size() - count)
    expectCount(node, "or more outputs, one for each state", node.inputs.size() - count, node.outputs.size());
}

void SubgraphChecker::check(const Node &node) {
  if (!node.domain.empty())
    return;
  if (node.opType == "If")
    checkIf(node);
  else if (node.opType == "Loop")
    checkLoop(node);
  else if (node.opType == "Scan")
    checkScan(node);
}

void weft::onnx::checkSubgraphs(const Model &model, const FunctionTable &table, Diagnostics &diagnostics) {
  forEachBody(model, [&](const Body &body, const std::vector<Node> &nodes) {
    SubgraphChecker checker(body, diagnostics);
    forEachNode(nodes, [&](const Node &node) {
      if (!table.calleeOf(node))
        checker.check(node);
    });
  });
}
