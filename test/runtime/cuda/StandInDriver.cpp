// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver that stands in for NVIDIA's where there is none: a libcuda.so.1 whose device is this machine's
// memory, and whose kernels the emulator runs. It refuses what the driver's documentation forbids, and
// notices what goes wrong unseen on a device: memory that was not allocated, memory of the host that changes
// before it is copied, contexts that are not current, what is never freed.
//
// The environment says what it is to be:
//   WEFT_STAND_IN_KERNELS     a folder that has, for each text of kernels, a shared object of the same
//                             kernels for the emulator, named by the FNV-1a hash of the text, as in
//                             0123456789abcdef.so
//   WEFT_STAND_IN_CAPABILITY  the device's compute capability (90)
//   WEFT_STAND_IN_DEVICES     how many devices there are (1)
//   WEFT_STAND_IN_MEMORY      the bytes of the device's memory (17179869184)
//   WEFT_STAND_IN_EARLY       if it is set, what is put into a stream takes effect at once, and not as late
//                             as it can
//   WEFT_STAND_IN_FAULT       a kernel that ends in a fault
//   WEFT_STAND_IN_PTX         the newest version of PTX that it knows
//   WEFT_STAND_IN_LOG         a file that gets, at the end, how often each function was called, how many
//                             kernels of a graph come one after another, and how many have their place early

#include "StandIn.h"

#include <cstdio>
#include <cstring>
#include <utility>

namespace weft::runtime::cuda {

std::string setting(const char *name, const char *otherwise) {
  const char *value = std::getenv((std::string("WEFT_STAND_IN_") + name).c_str());
  return value ? value : otherwise;
}

StandIn::~StandIn() {
  size_t leaks = alive.size() + memory.blockCount() + static_cast<size_t>(contextUsers);
  if (leaks > 0 && broken == success) {
    std::fprintf(stderr, "stand-in: %zu things were not released:%s%s\n", leaks,
                 memory.blockCount() ? " memory" : "", contextUsers ? " context" : "");
    for (auto &[thing, kind] : alive)
      std::fprintf(stderr, "stand-in:   %s\n", kind.c_str());
    std::_Exit(98);
  }
  if (std::FILE *file = log.empty() ? nullptr : std::fopen(log.c_str(), "w")) {
    for (auto &[name, count] : calls)
      std::fprintf(file, "%s %zu\n", name.c_str(), count);
    std::fclose(file);
  }
}

StandIn &standIn() {
  static StandIn it;
  return it;
}

thread_local std::vector<Context> currentContexts;

namespace {

Result runAll(const std::vector<Operation> &operations) {
  StandInMemory::Access access(standIn().memory);
  for (const Operation &operation : operations)
    if (Result result = operation(); result != success)
      return standIn().broken = result;
  return success;
}

StreamHandle &orLegacy(Stream stream) { return stream ? *stream : standIn().legacy; }

Result drain(StreamHandle &stream) {
  std::vector<Operation> operations = std::move(stream.waiting);
  stream.waiting.clear();
  return runAll(operations);
}

} // namespace

Result enqueue(Stream given, Operation operation) {
  StreamHandle &stream = orLegacy(given);
  if (standIn().isEarly)
    return runAll({operation});
  stream.waiting.push_back(std::move(operation));
  return success;
}

Result makeLaunch(StandIn &it, Function kernel, Grid grid, void **arguments, Operation &launch) {
  Address words;
  std::memcpy(&words, arguments[0], sizeof(words));
  if (Result result = checkLaunch(*kernel, grid, words, it.memory); result != success)
    return result;
  launch = [=, &it] {
    if (kernel->name == it.fault)
      return launchFailed;
    return it.memory.holds(words, 3 * sizeof(int64_t)) ? runKernel(*kernel, grid, words, it.memory)
                                                       : illegalAddress;
  };
  return success;
}

// The driver's functions.

Result cuInit(unsigned flags) { return flags == 0 ? success : invalidValue; }
Result cuDriverGetVersion(int *version) { return *version = 12040, success; }
Result cuGetErrorName(Result result, const char **text) {
  *text = result == outOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == launchFailed   ? "CUDA_ERROR_LAUNCH_FAILED"
          : result == invalidContext ? "CUDA_ERROR_INVALID_CONTEXT"
          : result == invalidValue   ? "CUDA_ERROR_INVALID_VALUE"
                                     : "CUDA_ERROR_OF_THE_STAND_IN";
  return success;
}
Result cuGetErrorString(Result result, const char **text) {
  *text = result == outOfMemory      ? "out of memory"
          : result == launchFailed   ? "unspecified launch failure"
          : result == invalidContext ? "invalid device context"
          : result == invalidValue   ? "invalid argument"
                                     : "an error of the stand-in";
  return success;
}

Result cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", false, [&](StandIn &it) { return *count = it.devices, success; });
}
Result cuDeviceGet(DeviceNumber *device, int ordinal) {
  return call("cuDeviceGet", false, [&](StandIn &it) {
    *device = ordinal;
    return ordinal >= 0 && ordinal < it.devices ? success : /*CUDA_ERROR_INVALID_DEVICE*/ 101;
  });
}
Result cuDeviceGetName(char *name, int bytes, DeviceNumber) {
  std::snprintf(name, static_cast<size_t>(bytes), "Stand-in");
  return success;
}
Result cuDeviceTotalMem(size_t *bytes, DeviceNumber) { return *bytes = standIn().memory.size, success; }
Result cuDeviceGetAttribute(int *value, int attribute, DeviceNumber) {
  int capability = standIn().capability;
  *value = attribute == attributeMajor         ? capability / 10
           : attribute == attributeMinor       ? capability % 10
           : attribute == attributeProcessors  ? 4
           : attribute == attributeKilohertz   ? 1980000
           : attribute == attributeSharedBytes ? (capability >= 90 ? 227 << 10 : 163 << 10)
                                               : -1;
  return *value < 0 ? invalidValue : success;
}
Result cuDevicePrimaryCtxRetain(Context *context, DeviceNumber) {
  return call("cuDevicePrimaryCtxRetain", false, [&](StandIn &it) {
    ++it.contextUsers;
    return *context = &it.context, success;
  });
}
Result cuDevicePrimaryCtxRelease(DeviceNumber) {
  return call("cuDevicePrimaryCtxRelease", false, [](StandIn &it) { return --it.contextUsers, success; });
}
Result cuCtxPushCurrent(Context context) { return currentContexts.push_back(context), success; }
Result cuCtxPopCurrent(Context *context) {
  if (currentContexts.empty())
    return invalidContext;
  *context = currentContexts.back();
  return currentContexts.pop_back(), success;
}

Result cuModuleLoadDataEx(Module *module, const void *text, unsigned count, int *options, void **values) {
  return call("cuModuleLoadDataEx", true, [&](StandIn &it) {
    auto *loaded = make<ModuleHandle>("module");
    std::string log;
    Result result = loadModule(static_cast<const char *>(text), it.capability, setting("PTX", "8.3"),
                               setting("KERNELS", "."), *loaded, log);
    if (result != success)
      destroy(loaded);
    if (count == 2 && options[0] == jitErrorLogBuffer && options[1] == jitErrorLogBytes)
      std::snprintf(static_cast<char *>(values[0]), reinterpret_cast<size_t>(values[1]), "%s", log.c_str());
    *module = loaded;
    return result;
  });
}
Result cuModuleUnload(Module module) {
  return call("cuModuleUnload", true, [&](StandIn &) { return destroy(module); });
}
Result cuModuleGetFunction(Function *function, Module module, const char *name) {
  return call("cuModuleGetFunction", true, [&](StandIn &) { return findFunction(*module, name, function); });
}
Result cuFuncSetAttribute(Function function, int attribute, int value) {
  return call("cuFuncSetAttribute", true, [&](StandIn &it) {
    int most = 0;
    cuDeviceGetAttribute(&most, attributeSharedBytes, 0);
    if (attribute != functionSharedBytes || value < 0 || value > most || !it.contextUsers)
      return invalidValue;
    function->sharedBytes = static_cast<unsigned>(value);
    return success;
  });
}

Result cuMemAlloc(Address *address, size_t bytes) {
  return call("cuMemAlloc", true, [&](StandIn &it) { return it.memory.allocate(address, bytes); });
}
Result cuMemFree(Address address) {
  return call("cuMemFree", true, [&](StandIn &it) {
    drain(it.legacy); // it waits
    return it.memory.release(address);
  });
}
Result cuMemAllocHost(void **memory, size_t bytes) {
  return call("cuMemAllocHost", true, [&](StandIn &it) {
    *memory = std::malloc(bytes);
    it.alive[*memory] = "memory of the host";
    return success;
  });
}
Result cuMemFreeHost(void *memory) {
  return call("cuMemFreeHost", true, [&](StandIn &it) {
    std::free(memory);
    return it.alive.erase(memory) ? success : invalidValue;
  });
}
Result cuMemcpyHtoDAsync(Address to, const void *from, size_t bytes, Stream stream) {
  return call("cuMemcpyHtoDAsync", true, [&](StandIn &it) {
    if (!it.memory.holds(to, bytes))
      return invalidValue;
    return enqueue(stream, [=] { return std::memcpy(pointerTo(to), from, bytes), success; });
  });
}
Result cuMemcpyDtoHAsync(void *to, Address from, size_t bytes, Stream stream) {
  return call("cuMemcpyDtoHAsync", true, [&](StandIn &it) {
    if (!it.memory.holds(from, bytes))
      return invalidValue;
    return enqueue(stream, [=] { return std::memcpy(to, pointerTo(from), bytes), success; });
  });
}
Result cuMemcpyDtoDAsync(Address to, Address from, size_t bytes, Stream stream) {
  return call("cuMemcpyDtoDAsync", true, [&](StandIn &it) {
    if (!it.memory.holds(to, bytes) || !it.memory.holds(from, bytes))
      return invalidValue;
    return enqueue(stream, [=] { return std::memcpy(pointerTo(to), pointerTo(from), bytes), success; });
  });
}
Result cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream stream) {
  return call("cuMemsetD8Async", true, [&](StandIn &it) {
    if (!it.memory.holds(to, bytes))
      return invalidValue;
    return enqueue(stream, [=] { return std::memset(pointerTo(to), value, bytes), success; });
  });
}

Result cuStreamCreate(Stream *stream, unsigned) {
  return call("cuStreamCreate", true,
              [&](StandIn &) { return *stream = make<StreamHandle>("stream"), success; });
}
Result cuStreamDestroy(Stream stream) {
  return call("cuStreamDestroy", true, [&](StandIn &) { return drain(*stream), destroy(stream); });
}
Result cuStreamSynchronize(Stream stream) {
  return call("cuStreamSynchronize", true, [&](StandIn &) { return drain(orLegacy(stream)); });
}

Result cuLaunchKernel(Function kernel, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                      unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream stream, void **arguments,
                      void **extra) {
  return call("cuLaunchKernel", true, [&](StandIn &it) {
    if (gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1 || extra)
      return invalidValue;
    Operation launch;
    Result result = makeLaunch(it, kernel, {gridX, blockX, sharedBytes}, arguments, launch);
    return result == success ? enqueue(stream, launch) : result;
  });
}

Result cuTensorMapEncodeTiled(void *map, int elements, uint32_t rank, void *address, const uint64_t *sizes,
                              const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                              int interleaving, int swizzle, int caching, int outside) {
  return call("cuTensorMapEncodeTiled", true, [&](StandIn &it) {
    constexpr int elementsOf16Bits = 1, swizzleOf128Bytes = 3, mostCached = 3;
    bool isKnown = elements == elementsOf16Bits && swizzle == swizzleOf128Bytes && interleaving == 0 &&
                   caching <= mostCached && outside == 0;
    for (uint32_t i = 0; i < rank; ++i)
      isKnown &= steps[i] == 1;
    return isKnown ? encodeMap(map, rank, address, sizes, strides, box, it.memory) : invalidValue;
  });
}

Result cuEventCreate(Event *event, unsigned) {
  return call("cuEventCreate", true, [&](StandIn &) { return *event = make<EventHandle>("event"), success; });
}
Result cuEventRecord(Event event, Stream) {
  return call("cuEventRecord", true, [&](StandIn &) { return event->isRecorded = true, success; });
}
Result cuEventElapsedTime(float *milliseconds, Event from, Event to) {
  return call("cuEventElapsedTime", true, [&](StandIn &) {
    *milliseconds = 0.5f;
    return from->isRecorded && to->isRecorded ? success : invalidValue;
  });
}
Result cuEventDestroy(Event event) {
  return call("cuEventDestroy", true, [&](StandIn &) { return destroy(event); });
}

namespace {

template <typename Function> void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

const std::map<std::string, void *> &functionsByName() {
  static const std::map<std::string, void *> functions = {
#define WEFT_CUDA_FUNCTION(name, ...) {#name, addressOf(name)},
#define WEFT_CUDA_FUNCTION_SINCE(version, name, ...) WEFT_CUDA_FUNCTION(name, __VA_ARGS__)
#include "runtime/src/cuda/Functions.def"
  };
  return functions;
}

} // namespace

} // namespace weft::runtime::cuda

extern "C" __attribute__((visibility("default"))) int
cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
  using namespace weft::runtime::cuda;
  auto found = functionsByName().find(name);
  bool isKnown = found != functionsByName().end() && version <= 12040 && flags == 0;
  *function = isKnown ? found->second : nullptr;
  *status = isKnown ? 0 : 1;
  return isKnown ? success : notFound;
}
