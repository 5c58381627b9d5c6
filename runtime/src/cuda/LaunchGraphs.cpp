// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a graph is captured, and when it serves.

#include "LaunchGraphs.h"
#include "../Error.h"

#include <algorithm>

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

void LaunchGraphs::launchOne(const Recording::Launch &launch, int64_t blocks, Address words) {
  if (blocks == 0)
    return;
  Address argument = words + launch.firstWord * sizeof(int64_t);
  void *arguments[] = {&argument};
  check(driver().cuLaunchKernel(kernelOf(launch), static_cast<unsigned>(blocks), 1, 1,
                                static_cast<unsigned>(launch.threads), 1, 1,
                                static_cast<unsigned>(launch.sharedBytes), stream, arguments, nullptr),
        "launching a kernel");
}

void LaunchGraphs::launchEach(const Recording &recording, Address words,
                              const std::function<void(const Recording::Launch &)> &after) {
  for (const Recording::Launch &launch : recording.launches) {
    launchOne(launch, launch.blocks, words);
    after(launch);
  }
}

LaunchGraphs::Signature LaunchGraphs::signatureOf(const Recording &recording) {
  Signature signature;
  for (const Recording::Launch &launch : recording.launches)
    signature.items.push_back(
        {kernelOf(launch), launch.isPersistent ? launch.blocks : roundUpBlocks(launch.blocks)});
  return signature;
}

void LaunchGraphs::launch(const Recording &recording, Address words) {
  Signature signature = signatureOf(recording);
  auto found = std::find_if(graphs.begin(), graphs.end(),
                            [&](const Captured &graph) { return graph.signature == signature; });
  if (found == graphs.end() && !(signature == previous)) {
    previous = std::move(signature);
    return launchEach(recording, words, [](const Recording::Launch &) {});
  }
  if (found == graphs.end()) {
    if (graphs.size() == mostGraphs) {
      driver().cuGraphExecDestroy(graphs.front().exec);
      graphs.erase(graphs.begin());
    }
    GraphExec exec = capture(recording, signature, words);
    graphs.push_back({signature, exec});
  } else {
    std::rotate(found, found + 1, graphs.end());
  }
  previous = std::move(signature);
  check(driver().cuGraphLaunch(graphs.back().exec, stream), "launching a graph");
}

GraphExec LaunchGraphs::capture(const Recording &recording, const Signature &signature, Address words) {
  check(driver().cuStreamBeginCapture(stream, captureOfThread), "capturing a graph");
  Graph graph = nullptr;
  try {
    for (size_t i = 0; i < recording.launches.size(); ++i)
      launchOne(recording.launches[i], signature.items[i].blocks, words);
  } catch (...) {
    if (driver().cuStreamEndCapture(stream, &graph) == success)
      driver().cuGraphDestroy(graph);
    throw;
  }
  check(driver().cuStreamEndCapture(stream, &graph), "capturing a graph");
  GraphExec exec = nullptr;
  Result result = driver().cuGraphInstantiateWithFlags(&exec, graph, /*flags=*/0);
  driver().cuGraphDestroy(graph);
  check(result, "making a graph ready");
  return exec;
}

void LaunchGraphs::forget() {
  for (const Captured &graph : graphs)
    driver().cuGraphExecDestroy(graph.exec);
  graphs.clear();
  previous.items.clear();
}

} // namespace weft::runtime::cuda
