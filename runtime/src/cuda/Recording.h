// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run as the model's code describes it: which kernels are launched, and the words that they read.

#ifndef WEFT_RUNTIME_CUDA_RECORDING_H
#define WEFT_RUNTIME_CUDA_RECORDING_H

#include "../Team.h"
#include "TensorMaps.h"

#include <exception>
#include <vector>

namespace weft::runtime::cuda {

class Recording : public WeftTeam {
public:
  struct Launch {
    const char *kernel;
    int64_t threads, sharedBytes, step, blocks;
    int64_t group; ///< launches of one group need nothing of each other
    size_t firstWord;
    bool isPersistent; ///< more blocks than there are would not run at once
  };

  /// For a device that runs so many blocks at once, of kernels for sm_90a or for others.
  Recording(int64_t processors, bool isHopper)
      : WeftTeam(/*threads=*/1, WaitWord::Duration::zero()), processors(processors), isHopper(isHopper) {}

  /// Calls the code. A kernel reports failures to `failure`, an address of the device. Raises an Error if
  /// that could not be recorded.
  void record(WeftEntryFunction function, WeftFrame frame, int64_t failure);

  std::vector<Launch> launches;
  std::vector<int64_t> words;

  /// What the code calls.
  void add(const WeftLaunch &launch);
  void endGroup() { ++group; }

private:
  void append(const WeftLaunch &launch);

  void pad();

  const int64_t processors;
  const bool isHopper;
  TensorMaps maps;
  int64_t failure = 0, group = 0;
  std::exception_ptr problem;
};

} // namespace weft::runtime::cuda

#endif // WEFT_RUNTIME_CUDA_RECORDING_H
