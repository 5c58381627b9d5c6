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

/// Each kernel behind all of the last group before it that launches any.
void LaunchGraphs::addNodes(Graph graph, const Recording &recording, const Signature &signature,
                            Address words) {
  std::vector<GraphNode> before, group;
  for (size_t i = 0; i < recording.launches.size(); ++i) {
    const Recording::Launch &launch = recording.launches[i];
    bool isNewGroup = i > 0 && launch.group != recording.launches[i - 1].group;
    if (isNewGroup && !group.empty())
      before = std::exchange(group, {});
    if (signature.items[i].blocks == 0)
      continue;
    Address argument = words + launch.firstWord * sizeof(int64_t);
    void *arguments[] = {&argument};
    KernelNode kernel = {signature.items[i].kernel,
                         static_cast<unsigned>(signature.items[i].blocks),
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
    check(driver().cuGraphAddKernelNode(&group.emplace_back(), graph, before.data(), before.size(), &kernel),
          "adding a kernel to a graph");
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
