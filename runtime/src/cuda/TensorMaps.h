// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps as a device wants them, made once as long as a run has the same ones as the run before.

#ifndef WEFT_RUNTIME_CUDA_TENSORMAPS_H
#define WEFT_RUNTIME_CUDA_TENSORMAPS_H

#include "Driver.h"
#include "weft/abi.h"

#include <array>
#include <vector>

namespace weft::runtime::cuda {

class TensorMaps {
public:
  /// The driver's form of a map.
  struct alignas(64) Encoded {
    std::array<int64_t, WEFT_TENSOR_MAP_BYTES / sizeof(int64_t)> words;
  };

  /// Begins a run.
  void begin() { next = 0; }
  /// The run's next map. Raises an Error if there can be no such map.
  const Encoded &encode(const WeftTensorMap &map);

private:
  struct Entry {
    WeftTensorMap map;
    Encoded encoded;
  };
  std::vector<Entry> entries;
  size_t next = 0;
};

} // namespace weft::runtime::cuda

#endif // WEFT_RUNTIME_CUDA_TENSORMAPS_H
