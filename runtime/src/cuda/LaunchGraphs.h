// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, one after another or as a graph. Of launches that came twice in a row a CUDA graph is made, which
// the runs after that launch as one thing: kernels read what differs from run to run (sizes, addresses) from
// the device's memory, so a graph serves all runs that launch the same kernels on about as many blocks.
// Kernels of a graph that need nothing of each other run side by side.

#ifndef WEFT_RUNTIME_CUDA_LAUNCHGRAPHS_H
#define WEFT_RUNTIME_CUDA_LAUNCHGRAPHS_H

#include "DeviceModel.h"
#include "Recording.h"

#include <functional>

namespace weft::runtime::cuda {

class LaunchGraphs {
public:
  LaunchGraphs(DeviceModel &model, Stream stream) : model(model), stream(stream) {}
  LaunchGraphs(const LaunchGraphs &) = delete;
  LaunchGraphs &operator=(const LaunchGraphs &) = delete;
  /// The device's context is current.
  ~LaunchGraphs() { forget(); }

  /// Launches all of a run, whose words are at `words` on the device.
  void launch(const Recording &recording, Address words);
  /// The same, one by one; `after` is called behind each.
  void launchEach(const Recording &recording, Address words,
                  const std::function<void(const Recording::Launch &)> &after);
  /// Graphs hold the address of the words; this forgets them.
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
    GraphExec exec;
  };

  Function kernelOf(const Recording::Launch &launch);
  Signature signatureOf(const Recording &recording);
  void launchOne(const Recording::Launch &launch, Address words);
  GraphExec build(const Recording &recording, const Signature &signature, Address words);
  GraphNode addNode(Graph graph, const Recording::Launch &launch, const Signature::Item &item, Address words,
                    const std::vector<GraphNode> &before);
  void addNodes(Graph graph, const Recording &recording, const Signature &signature, Address words);

  DeviceModel &model;
  const Stream stream;
  std::unordered_map<const char *, Function> kernels; ///< by where the model's code has their names
  std::vector<Built> graphs;                          ///< the latest last
  Signature previous;
};

} // namespace weft::runtime::cuda

#endif // WEFT_RUNTIME_CUDA_LAUNCHGRAPHS_H
