// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of the driver that stands in for NVIDIA's.

#include "StandIn.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

namespace weft::runtime::cuda {

struct GraphNodeHandle {
  Operation operation;
  bool isKernel;
  bool waits; ///< itself, for what is before it
  std::vector<const GraphNodeHandle *> before;
  size_t depth; ///< in kernels
};
struct GraphHandle {
  std::vector<std::unique_ptr<GraphNodeHandle>> nodes;
};
struct GraphExecHandle {
  Graph graph;
  std::vector<std::pair<const GraphNodeHandle *, Operation>> operations;
};

namespace {

/// An order in which nodes may run. Of those that may be next the one that was added last is: a node that
/// needs another, and does not say so, comes too early.
std::vector<const GraphNodeHandle *> orderOf(const GraphHandle &graph) {
  std::vector<const GraphNodeHandle *> order;
  std::set<const GraphNodeHandle *> done;
  auto isNext = [&](const std::unique_ptr<GraphNodeHandle> &node) {
    return done.count(node.get()) == 0 && std::all_of(node->before.begin(), node->before.end(),
                                                      [&](auto *before) { return done.count(before) > 0; });
  };
  while (order.size() < graph.nodes.size()) {
    order.push_back(std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), isNext)->get());
    done.insert(order.back());
  }
  return order;
}

bool isOfGraph(const GraphHandle &graph, const GraphNodeHandle *node) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const auto &known) { return known.get() == node; });
}

void putBehind(StandIn &it, const GraphNodeHandle *before, GraphNodeHandle *node) {
  node->before.push_back(before);
  node->depth = std::max(node->depth, before->depth + node->isKernel);
  it.calls["kernels in a row"] = std::max(it.calls["kernels in a row"], node->depth);
}

/// A node behind others, which have to be of the graph.
Result addNode(StandIn &it, GraphNodeHandle added, Graph graph, const GraphNode *before, size_t count,
               GraphNode *node) {
  if (!std::all_of(before, before + count, [&](GraphNode other) { return isOfGraph(*graph, other); }))
    return invalidValue;
  *node = graph->nodes.emplace_back(std::make_unique<GraphNodeHandle>(std::move(added))).get();
  for (size_t i = 0; i < count; ++i)
    putBehind(it, before[i], *node);
  return success;
}

/// What a copy of bytes between the host and the device does.
Result makeCopy(StandIn &it, const CopyNode &copy, Context context, Operation &operation) {
  auto isFlat = [&](const CopyNode::Side &side) {
    bool isWhole = side.x == 0 && side.y == 0 && side.z == 0 && side.level == 0 && side.height == 1;
    return isWhole && !side.array && !side.reserved && side.pitch >= copy.width;
  };
  const auto &[from, to, bytes, height, depth] = copy;
  bool isToDevice = from.kind == memoryOfHost && to.kind == memoryOfDevice;
  bool isFromDevice = from.kind == memoryOfDevice && to.kind == memoryOfHost;
  Address address = isToDevice ? to.device : from.device;
  void *host = isToDevice ? from.host : to.host;
  if (!isFlat(from) || !isFlat(to) || height != 1 || depth != 1 || bytes == 0 || !host ||
      context != &it.context || isToDevice == isFromDevice || !it.memory.holds(address, bytes))
    return invalidValue;
  operation = [=, bytes = copy.width] {
    char *device = pointerTo(address);
    std::memcpy(isToDevice ? device : host, isToDevice ? host : device, bytes);
    return success;
  };
  return success;
}

} // namespace

Result cuGraphCreate(Graph *graph, unsigned flags) {
  return call("cuGraphCreate", true, [&](StandIn &) {
    return flags == 0 ? (*graph = make<GraphHandle>("graph"), success) : invalidValue;
  });
}

Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph, unsigned long long) {
  return call("cuGraphInstantiateWithFlags", true, [&](StandIn &) {
    *exec = make<GraphExecHandle>("executable graph");
    (*exec)->graph = graph;
    for (const GraphNodeHandle *node : orderOf(*graph))
      (*exec)->operations.emplace_back(node, node->operation);
    return success;
  });
}
Result cuGraphLaunch(GraphExec exec, Stream stream) {
  return call("cuGraphLaunch", true, [&](StandIn &it) {
    if (it.alive.count(exec) == 0)
      return invalidValue;
    for (const auto &[node, operation] : exec->operations)
      if (Result result = enqueue(stream, operation); result != success)
        return result;
    return success;
  });
}
Result cuGraphExecDestroy(GraphExec exec) {
  return call("cuGraphExecDestroy", true, [&](StandIn &) { return destroy(exec); });
}
Result cuGraphDestroy(Graph graph) {
  return call("cuGraphDestroy", true, [&](StandIn &) { return destroy(graph); });
}

Result cuGraphAddKernelNode(GraphNode *node, Graph graph, const GraphNode *before, size_t count,
                            const KernelNode *parameters) {
  return call("cuGraphAddKernelNode", true, [&](StandIn &it) {
    const KernelNode &given = *parameters;
    if (!graph || given.gridY != 1 || given.gridZ != 1 || given.blockY != 1 || given.blockZ != 1 ||
        given.extra || given.other || given.context)
      return invalidValue;
    Operation launch;
    Grid grid{given.gridX, given.blockX, given.sharedBytes};
    if (Result result = makeLaunch(it, given.kernel, grid, given.arguments, launch); result != success)
      return result;
    GraphNodeHandle added{std::move(launch), /*isKernel=*/true, given.kernel->waits, {}, /*depth=*/1};
    return addNode(it, std::move(added), graph, before, count, node);
  });
}

Result cuGraphAddMemcpyNode(GraphNode *node, Graph graph, const GraphNode *before, size_t count,
                            const CopyNode *parameters, Context context) {
  return call("cuGraphAddMemcpyNode", true, [&](StandIn &it) {
    Operation copy;
    if (Result result = makeCopy(it, *parameters, context, copy); result != success)
      return result;
    GraphNodeHandle added{std::move(copy), /*isKernel=*/false, /*waits=*/false, {}, /*depth=*/0};
    return addNode(it, std::move(added), graph, before, count, node);
  });
}

/// Of a node of the graph that the other one was made of, which is still there.
Result cuGraphExecMemcpyNodeSetParams(GraphExec exec, GraphNode node, const CopyNode *parameters,
                                      Context context) {
  return call("cuGraphExecMemcpyNodeSetParams", true, [&](StandIn &it) {
    if (!it.alive.count(exec) || !it.alive.count(exec->graph) || !isOfGraph(*exec->graph, node) ||
        node->isKernel)
      return invalidValue;
    auto known = std::find_if(exec->operations.begin(), exec->operations.end(),
                              [&](const auto &each) { return each.first == node; });
    return makeCopy(it, *parameters, context, known->second);
  });
}

/// Of edges that say that a kernel waits itself: it has to, for another kernel, and be behind nothing else.
Result cuGraphAddDependencies(Graph graph, const GraphNode *from, const GraphNode *to, const EdgeData *edges,
                              size_t count) {
  return call("cuGraphAddDependencies", true, [&](StandIn &it) {
    for (size_t i = 0; i < count; ++i) {
      bool isProgrammatic = std::memcmp(&edges[i], &programmaticEdge, sizeof(EdgeData)) == 0;
      if (!isOfGraph(*graph, from[i]) || !isOfGraph(*graph, to[i]) || !isProgrammatic || !to[i]->waits ||
          !from[i]->isKernel || !to[i]->before.empty())
        return invalidValue;
      putBehind(it, from[i], to[i]);
      ++it.calls["kernels with an early place"];
    }
    return success;
  });
}

} // namespace weft::runtime::cuda
