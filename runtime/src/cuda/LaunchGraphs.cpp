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

CopyNode::Side onHost(const Transfer &transfer) {
  return {0, 0, 0, 0, memoryOfHost, transfer.host, 0, nullptr, nullptr, transfer.bytes, 1};
}
CopyNode::Side onDevice(const Transfer &transfer) {
  return {0, 0, 0, 0, memoryOfDevice, nullptr, transfer.device, nullptr, nullptr, transfer.bytes, 1};
}
CopyNode copyToDevice(const Transfers &transfers) {
  const Transfer &transfer = transfers.toDevice;
  return {onHost(transfer), onDevice(transfer), transfer.bytes, 1, 1};
}
CopyNode copyFromDevice(const Transfers &transfers) {
  const Transfer &transfer = transfers.fromDevice;
  return {onDevice(transfer), onHost(transfer), transfer.bytes, 1, 1};
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

void LaunchGraphs::launchEach(const Recording &recording, Address words, const Transfers &transfers,
                              const std::function<void()> &begin,
                              const std::function<void(const Recording::Launch &)> &after) {
  const auto &[to, from] = transfers;
  check(driver().cuMemcpyHtoDAsync(to.device, to.host, to.bytes, stream), "copying inputs to a device");
  begin();
  for (const Recording::Launch &launch : recording.launches) {
    launchOne(launch, words);
    after(launch);
  }
  check(driver().cuMemcpyDtoHAsync(from.host, from.device, from.bytes, stream),
        "copying outputs from a device");
}

LaunchGraphs::Signature LaunchGraphs::signatureOf(const Recording &recording) {
  Signature signature;
  for (const Recording::Launch &launch : recording.launches)
    signature.items.push_back(
        {kernelOf(launch), launch.isPersistent ? launch.blocks : roundUpBlocks(launch.blocks), launch.group});
  return signature;
}

void LaunchGraphs::launch(const Recording &recording, Address words, const Transfers &transfers) {
  Signature signature = signatureOf(recording);
  auto found = std::find_if(graphs.begin(), graphs.end(),
                            [&](const Built &graph) { return graph.signature == signature; });
  if (found == graphs.end() && !(signature == previous)) {
    previous = std::move(signature);
    return launchEach(recording, words, transfers);
  }
  if (found == graphs.end()) {
    if (graphs.size() == mostGraphs) {
      destroy(graphs.front());
      graphs.erase(graphs.begin());
    }
    Built built{signature, transfers};
    build(built, recording, words);
    graphs.push_back(std::move(built));
  } else {
    std::rotate(found, found + 1, graphs.end());
    copyAs(graphs.back(), transfers);
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

GraphNode LaunchGraphs::addCopy(Graph graph, const CopyNode &copy, const std::vector<GraphNode> &before) {
  GraphNode node = nullptr;
  check(driver().cuGraphAddMemcpyNode(&node, graph, before.data(), before.size(), &copy,
                                      model.device->context()),
        "adding a copy to a graph");
  return node;
}

/// A graph copies what it did when it was made, unless it is told otherwise: sizes of inputs may have
/// changed.
void LaunchGraphs::copyAs(Built &built, const Transfers &transfers) {
  if (built.transfers == transfers)
    return;
  CopyNode to = copyToDevice(transfers), from = copyFromDevice(transfers);
  auto set = [&](GraphNode node, const CopyNode &copy) {
    check(driver().cuGraphExecMemcpyNodeSetParams(built.exec, node, &copy, model.device->context()),
          "changing a copy of a graph");
  };
  set(built.toDevice, to);
  set(built.fromDevice, from);
  built.transfers = transfers;
}

/// Each kernel behind all of the last group before it that launches any, the first ones behind the copy to
/// the device. Where both groups are of one kernel, and kernels wait themselves for those before them, the
/// second gets its place early. Returns the last group.
std::vector<GraphNode> LaunchGraphs::addKernels(Built &built, const Recording &recording, Address words) {
  const std::vector<Recording::Launch> &launches = recording.launches;
  const std::vector<Signature::Item> &items = built.signature.items;
  bool canWait = model.isHopper() && driver().cuGraphAddDependencies;
  std::vector<GraphNode> before{built.toDevice};
  for (size_t first = 0, end = 0; first < launches.size(); first = end) {
    std::vector<size_t> members;
    for (; end < launches.size() && launches[end].group == launches[first].group; ++end)
      if (items[end].blocks > 0)
        members.push_back(end);
    if (members.empty())
      continue;
    bool isBehindKernel = before.size() == 1 && before.front() != built.toDevice;
    bool isEarly = canWait && isBehindKernel && members.size() == 1;
    std::vector<GraphNode> group(members.size());
    std::transform(members.begin(), members.end(), group.begin(), [&](size_t member) {
      return addNode(built.graph, launches[member], items[member], words,
                     isEarly ? std::vector<GraphNode>() : before);
    });
    if (isEarly)
      check(driver().cuGraphAddDependencies(built.graph, before.data(), group.data(), &programmaticEdge, 1),
            "putting kernels of a graph in order");
    before = std::move(group);
  }
  return before;
}

void LaunchGraphs::build(Built &built, const Recording &recording, Address words) {
  check(driver().cuGraphCreate(&built.graph, /*flags=*/0), "making a graph");
  try {
    built.toDevice = addCopy(built.graph, copyToDevice(built.transfers), {});
    std::vector<GraphNode> last = addKernels(built, recording, words);
    built.fromDevice = addCopy(built.graph, copyFromDevice(built.transfers), last);
    check(driver().cuGraphInstantiateWithFlags(&built.exec, built.graph, /*flags=*/0),
          "making a graph ready");
  } catch (...) {
    destroy(built);
    throw;
  }
}

void LaunchGraphs::destroy(Built &built) {
  if (built.exec)
    driver().cuGraphExecDestroy(built.exec);
  driver().cuGraphDestroy(built.graph);
}

void LaunchGraphs::forget() {
  for (Built &graph : graphs)
    destroy(graph);
  graphs.clear();
  previous.items.clear();
}

} // namespace weft::runtime::cuda
