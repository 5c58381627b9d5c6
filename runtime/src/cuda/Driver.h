// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Weft uses of NVIDIA's driver. The driver is opened when it is first asked for; nothing of CUDA is
// needed to build or to run on CPUs. https://docs.nvidia.com/cuda/cuda-driver-api

#ifndef WEFT_RUNTIME_CUDA_DRIVER_H
#define WEFT_RUNTIME_CUDA_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::runtime::cuda {

// The driver's types, by its documentation.
using Result = int; // CUresult
using DeviceNumber = int;
using Address = uint64_t; // CUdeviceptr
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Graph = struct GraphHandle *;
using GraphNode = struct GraphNodeHandle *;
using GraphExec = struct GraphExecHandle *;

/// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNode {
  Function kernel;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  void **arguments, **extra;
  void *other;     ///< a CUkernel, where `kernel` is null
  Context context; ///< null, for the current one
};

/// CUDA_MEMCPY3D: bytes of a box of memory, whose place `Side` gives.
struct CopyNode {
  struct Side {
    size_t x, y, z, level;
    int kind; ///< memoryOfHost or memoryOfDevice
    void *host;
    Address device;
    void *array, *reserved;
    size_t pitch, height;
  } from, to;
  size_t width, height, depth;
};

/// CUgraphEdgeData
struct EdgeData {
  unsigned char fromPort, toPort, type, reserved[5];
};
/// Of a kernel that waits for the one before it itself (griddepcontrol.wait), and has its place when all
/// blocks of that one have allowed it: CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
/// CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
constexpr EdgeData programmaticEdge = {1, 0, 1, {}};

// Values of its enumerations.
constexpr Result success = 0, outOfMemory = 2, noDevice = 100, noBinaryForGpu = 209,
                 unsupportedPtxVersion = 222;
constexpr int jitErrorLogBuffer = 5, jitErrorLogBytes = 6;
constexpr int attributeKilohertz = 13, attributeProcessors = 16, attributeMajor = 75, attributeMinor = 76,
              attributeSharedBytes = 97;
constexpr int functionSharedBytes = 8;
constexpr int memoryOfHost = 1, memoryOfDevice = 2;
constexpr unsigned streamNonBlocking = 1;

/// The functions, by the names that the driver has for them, as they are since CUDA 12.0 or a later version.
struct Functions {
#define WEFT_CUDA_FUNCTION(name, ...) Result (*name)(__VA_ARGS__) = nullptr;
#define WEFT_CUDA_FUNCTION_SINCE(version, name, ...) Result (*name)(__VA_ARGS__) = nullptr;
#include "Functions.def"
};

/// An address of the device, as generated code is given it: nothing that the host can read.
inline char *pointerTo(Address address) {
  char *pointer;
  static_assert(sizeof(pointer) == sizeof(address));
  std::memcpy(static_cast<void *>(&pointer), &address, sizeof(pointer));
  return pointer;
}

/// Opens the driver, at the first call that succeeds. Raises an Error that says in a line what is missing.
const Functions &driver();

/// Raises an Error if a call failed: what was tried, and the driver's words.
void check(Result result, const char *what);

} // namespace weft::runtime::cuda

#endif // WEFT_RUNTIME_CUDA_DRIVER_H
