// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, one after another or as a graph. Of launches that came twice in a row a CUDA graph is made, which
// the runs after that launch as one thing, with the copies before and behind them: kernels read what differs
// from run to run (sizes, addresses) from the device's memory, so a graph serves all runs that launch the
// same kernels on about as many blocks. Kernels of a graph that need nothing of each other run side by side.

#ifndef WEFT_RUNTIME_CUDA_LAUNCHGRAPHS_H
#define WEFT_RUNTIME_CUDA_LAUNCHGRAPHS_H

#include "DeviceModel.h"
#include "Recording.h"

#include <functional>

namespace weft::runtime::cuda {

/// Bytes of the host's memory that go to the device, or come from there.
struct Transfer {
  void *host;
  Address device;
  size_t bytes;
  bool operator==(const Transfer &other) const {
    return host == other.host && device == other.device && bytes == other.bytes;
  }
};
/// Those of a run, before its kernels and behind them.
struct Transfers {
  Transfer toDevice, fromDevice;
  bool operator==(const Transfers &other) const {
    return toDevice == other.toDevice && fromDevice == other.fromDevice;
  }
};

class LaunchGraphs {
public:
  LaunchGraphs(DeviceModel &model, Stream stream) : model(model), stream(stream) {}
  LaunchGraphs(const LaunchGraphs &) = delete;
  LaunchGraphs &operator=(const LaunchGraphs &) = delete;
  /// The device's context is current.
  ~LaunchGraphs() { forget(); }

  /// Launches all of a run, whose words are at `words` on the device when what goes there is, and copies.
  void launch(const Recording &recording, Address words, const Transfers &transfers);
  /// The same, one by one; `begin` is called before the kernels, and `after` behind each.
  void launchEach(
      const Recording &recording, Address words, const Transfers &transfers,
      const std::function<void()> &begin = [] {},
      const std::function<void(const Recording::Launch &)> &after = [](const Recording::Launch &) {});
  /// Graphs hold addresses of the words and of what is copied; this forgets them.
  void forget();

private:
  /// What has to be the same for a graph to serve.
  struct Signature {
    struct Item {
      Function kernel;
      int64_t blocks, group;
      bool operator==(const Item &other) const {
        return kernel == other.kernel && blocks == other.blocks && group == other.group;
      }
    };
    std::vector<Item> items;
    bool operator==(const Signature &other) const { return items == other.items; }
  };
  struct Built {
    Signature signature;
    Transfers transfers;
    Graph graph = nullptr;
    GraphNode toDevice = nullptr, fromDevice = nullptr;
    GraphExec exec = nullptr;
  };

  Function kernelOf(const Recording::Launch &launch);
  Signature signatureOf(const Recording &recording);
  void launchOne(const Recording::Launch &launch, Address words);
  void build(Built &built, const Recording &recording, Address words);
  void destroy(Built &built);
  void copyAs(Built &built, const Transfers &transfers);
  GraphNode addCopy(Graph graph, const CopyNode &copy, const std::vector<GraphNode> &before);
  GraphNode addNode(Graph graph, const Recording::Launch &launch, const Signature::Item &item, Address words,
                    const std::vector<GraphNode> &before);
  std::vector<GraphNode> addKernels(Built &built, const Recording &recording, Address words);

  DeviceModel &model;
  const Stream stream;
  std::unordered_map<const char *, Function> kernels; ///< by where the model's code has their names
  std::vector<Built> graphs;                          ///< the latest last
  Signature previous;
};

} // namespace weft::runtime::cuda

#endif // WEFT_RUNTIME_CUDA_LAUNCHGRAPHS_H
