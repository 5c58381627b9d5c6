// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are loaded as PTX, and run as what the compiler makes of them for the emulator.

#ifndef WEFT_TEST_RUNTIME_CUDA_STANDINKERNELS_H
#define WEFT_TEST_RUNTIME_CUDA_STANDINKERNELS_H

#include "StandInMemory.h"

#include <memory>
#include <string>

namespace weft::runtime::cuda {

/// One kernel of a module.
struct FunctionHandle {
  std::string name;
  void *function = nullptr; ///< a WeftKernelFunction
  unsigned threads = 0;     ///< that a block has to have
  unsigned sharedBytes = 48 << 10;
  unsigned clusterBlocks = 0; ///< 0 where there are no clusters
  bool waits = false;         ///< for kernels before it, before all else
};

struct Grid {
  unsigned blocks, threads, sharedBytes;
};

/// Whether a kernel can be launched so, with words at that address.
Result checkLaunch(const FunctionHandle &kernel, const Grid &grid, Address words,
                   const StandInMemory &memory);
/// Runs it; what it does wrong is printed.
Result runKernel(const FunctionHandle &kernel, const Grid &grid, Address words, const StandInMemory &memory);
/// Writes the map of a tensor of 16-bit elements with a swizzle of 128 bytes (WeftTensorMap), if there can be
/// such a one.
Result encodeMap(void *map, uint32_t rank, void *address, const uint64_t *sizes, const uint64_t *strides,
                 const uint32_t *box, const StandInMemory &memory);

struct ModuleHandle {
  std::string text;
  void *library = nullptr;
  std::map<std::string, std::unique_ptr<FunctionHandle>> functions;
};

/// Loads kernels in PTX, of that version at most, for a device of a compute capability (90), and the library
/// of the same for the emulator, which is in a folder. What is wrong is put into `log`.
Result loadModule(const char *text, int capability, const std::string &newestPtx, const std::string &folder,
                  ModuleHandle &module, std::string &log);
Result findFunction(ModuleHandle &module, const std::string &name, Function *function);

} // namespace weft::runtime::cuda

#endif // WEFT_TEST_RUNTIME_CUDA_STANDINKERNELS_H
