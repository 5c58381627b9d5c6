// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A walk in depth: a node is placed behind all that it reads.
#include "frontend/Onnx/SortNodes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace weft::onnx;
using llvm::StringRef;

/// Visits what a node reads, which is, too, what its subgraphs read of what is around them.
static void forEachRead(const Node &node, llvm::function_ref<void(StringRef)> visit) {
  for (const std::string &input : node.inputs)
    visit(input);
  for (const Attribute &attribute : node.attributes)
    for (const Graph &graph : attribute.graphs) {
      llvm::StringSet<> own;
      for (const ValueInfo &input : graph.inputs)
        own.insert(input.name);
      for (const Tensor &tensor : graph.initializers)
        own.insert(tensor.name);
      for (const Node &inner : graph.nodes)
        own.insert_range(inner.outputs);
      auto visitOuter = [&](StringRef name) {
        if (!own.contains(name))
          visit(name);
      };
      for (const Node &inner : graph.nodes)
        forEachRead(inner, visitOuter);
      for (const ValueInfo &output : graph.outputs)
        visitOuter(output.name);
    }
}

/// Of each node, those that make what it reads.
static std::vector<llvm::SmallVector<size_t>> findMakers(const std::vector<Node> &nodes) {
  llvm::StringMap<size_t> makerOf;
  for (auto [i, node] : llvm::enumerate(nodes))
    for (const std::string &output : node.outputs)
      makerOf.insert({output, i});
  std::vector<llvm::SmallVector<size_t>> makers(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i)
    forEachRead(nodes[i], [&](StringRef name) {
      if (auto found = makerOf.find(name); found != makerOf.end() && !name.empty())
        makers[i].push_back(found->second);
    });
  return makers;
}

static void sortNodes(std::vector<Node> &nodes) {
  for (Node &node : nodes)
    for (Attribute &attribute : node.attributes)
      for (Graph &graph : attribute.graphs)
        sortNodes(graph.nodes);

  std::vector<llvm::SmallVector<size_t>> makers = findMakers(nodes);
  std::vector<Node> sorted;
  std::vector<bool> isSeen(nodes.size());
  std::vector<size_t> path; // From a node to one that it depends on; no recursion, as a model is deep.
  auto enter = [&](size_t node) {
    if (!isSeen[node])
      path.push_back(node);
    isSeen[node] = true;
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    enter(i);
    while (!path.empty()) {
      size_t node = path.back();
      if (makers[node].empty()) {
        sorted.push_back(std::move(nodes[node]));
        path.pop_back();
      } else {
        enter(makers[node].pop_back_val());
      }
    }
  }
  nodes = std::move(sorted);
}

void weft::onnx::sortNodes(Model &model) {
  ::sortNodes(model.graph.nodes);
  for (Function &function : model.functions)
    ::sortNodes(function.nodes);
}
