// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a graph is made, and when it serves.

#include "LaunchGraphs.h"
#include "../Error.h"

#include <algorithm>
#include <utility>

namespace weft::runtime::cuda {

namespace {

constexpr size_t mostGraphs = 16;

/// Up by less than an eighth, to one of few numbers: the lengths of one decode step and the next are to be
/// served by one graph. Blocks that are too many return at once.
int64_t roundUpBlocks(int64_t blocks) {
  int64_t unit = 1;
  while (unit * 16 <= blocks)
    unit *= 2;
  return (blocks + unit - 1) / unit * unit;
}

} // namespace

/// Asked for each launch of each run: the model, which sessions share, is asked once.
Function LaunchGraphs::kernelOf(const Recording::Launch &launch) {
  Function &kernel = kernels[launch.kernel];
  if (!kernel)
    kernel = model.kernel(launch.kernel, launch.sharedBytes);
  return kernel;
}

void LaunchGraphs::launchOne(const Recording::Launch &launch, Address words) {
  if (launch.blocks == 0)
    return;
  Address argument = words + launch.firstWord * sizeof(int64_t);
  void *arguments[] = {&argument};
  check(driver().cuLaunchKernel(kernelOf(launch), static_cast<unsigned>(launch.blocks), 1, 1,
                                static_cast<unsigned>(launch.threads), 1, 1,
                                static_cast<unsigned>(launch.sharedBytes), stream, arguments, nullptr),
        "launching a kernel");
}

void LaunchGraphs::launchEach(const Recording &recording, Address words,
                              const std::function<void(const Recording::Launch &)> &after) {
  for (const Recording::Launch &launch : recording.launches) {
    launchOne(launch, words);
    after(launch);
  }
}

LaunchGraphs::Signature LaunchGraphs::signatureOf(const Recording &recording) {
  Signature signature;
  for (const Recording::Launch &launch : recording.launches)
    signature.items.push_back(
        {kernelOf(launch), launch.isPersistent ? launch.blocks : roundUpBlocks(launch.blocks), launch.group});
  return signature;
}

void LaunchGraphs::launch(const Recording &recording, Address words) {
  Signature signature = signatureOf(recording);
  auto found = std::find_if(graphs.begin(), graphs.end(),
                            [&](const Built &graph) { return graph.signature == signature; });
  if (found == graphs.end() && !(signature == previous)) {
    previous = std::move(signature);
    return launchEach(recording, words, [](const Recording::Launch &) {});
  }
  if (found == graphs.end()) {
    if (graphs.size() == mostGraphs) {
      driver().cuGraphExecDestroy(graphs.front().exec);
      graphs.erase(graphs.begin());
    }
    GraphExec exec = build(recording, signature, words);
    graphs.push_back({signature, exec});
  } else {
    std::rotate(found, found + 1, graphs.end());
  }
  previous = std::move(signature);
  check(driver().cuGraphLaunch(graphs.back().exec, stream), "launching a graph");
}

GraphNode LaunchGraphs::addNode(Graph graph, const Recording::Launch &launch, const Signature::Item &item,
                                Address words, const std::vector<GraphNode> &before) {
  Address argument = words + launch.firstWord * sizeof(int64_t);
  void *arguments[] = {&argument};
  KernelNode kernel = {item.kernel,
                       static_cast<unsigned>(item.blocks),
                       1,
                       1,
                       static_cast<unsigned>(launch.threads),
                       1,
                       1,
                       static_cast<unsigned>(launch.sharedBytes),
                       arguments,
                       nullptr,
                       nullptr,
                       nullptr};
  GraphNode node = nullptr;
  check(driver().cuGraphAddKernelNode(&node, graph, before.data(), before.size(), &kernel),
        "adding a kernel to a graph");
  return node;
}

/// Each kernel behind all of the last group before it that launches any. Where both groups are of one kernel,
/// and kernels wait themselves for those before them, the second gets its place early.
void LaunchGraphs::addNodes(Graph graph, const Recording &recording, const Signature &signature,
                            Address words) {
  const std::vector<Recording::Launch> &launches = recording.launches;
  bool canWait = model.isHopper() && driver().cuGraphAddDependencies;
  std::vector<GraphNode> before;
  for (size_t first = 0, end = 0; first < launches.size(); first = end) {
    std::vector<size_t> members;
    for (; end < launches.size() && launches[end].group == launches[first].group; ++end)
      if (signature.items[end].blocks > 0)
        members.push_back(end);
    if (members.empty())
      continue;
    bool isEarly = canWait && before.size() == 1 && members.size() == 1;
    std::vector<GraphNode> group(members.size());
    std::transform(members.begin(), members.end(), group.begin(), [&](size_t member) {
      return addNode(graph, launches[member], signature.items[member], words,
                     isEarly ? std::vector<GraphNode>() : before);
    });
    if (isEarly)
      check(driver().cuGraphAddDependencies(graph, before.data(), group.data(), &programmaticEdge, 1),
            "putting kernels of a graph in order");
    before = std::move(group);
  }
}

GraphExec LaunchGraphs::build(const Recording &recording, const Signature &signature, Address words) {
  Graph graph = nullptr;
  check(driver().cuGraphCreate(&graph, /*flags=*/0), "making a graph");
  GraphExec exec = nullptr;
  Result result = success;
  try {
    addNodes(graph, recording, signature, words);
    result = driver().cuGraphInstantiateWithFlags(&exec, graph, /*flags=*/0);
  } catch (...) {
    driver().cuGraphDestroy(graph);
    throw;
  }
  driver().cuGraphDestroy(graph);
  check(result, "making a graph ready");
  return exec;
}

void LaunchGraphs::forget() {
  for (const Built &graph : graphs)
    driver().cuGraphExecDestroy(graph.exec);
  graphs.clear();
  previous.items.clear();
}

} // namespace weft::runtime::cuda
