// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the stand-in for NVIDIA's driver knows, and what its functions share.

#ifndef WEFT_TEST_RUNTIME_CUDA_STANDIN_H
#define WEFT_TEST_RUNTIME_CUDA_STANDIN_H

#include "StandInKernels.h"

#include <cstdlib>
#include <functional>
#include <mutex>
#include <vector>

namespace weft::runtime::cuda {

using Operation = std::function<Result()>;

struct ContextHandle {};

struct StreamHandle {
  std::vector<Operation> waiting;
};
struct EventHandle {
  bool isRecorded = false;
};

constexpr Result invalidContext = 201;

/// WEFT_STAND_IN_<name>.
std::string setting(const char *name, const char *otherwise);

/// All that there is of the driver. Its functions are called by one thread at a time.
struct StandIn {
  std::mutex mutex;
  const int capability = std::atoi(setting("CAPABILITY", "90").c_str());
  const int devices = std::atoi(setting("DEVICES", "1").c_str());
  const bool isEarly = !setting("EARLY", "").empty();
  const std::string log = setting("LOG", ""), fault = setting("FAULT", "");
  StandInMemory memory{std::strtoull(setting("MEMORY", "17179869184").c_str(), nullptr, 10)};
  ContextHandle context;
  int contextUsers = 0;
  StreamHandle legacy; ///< what a stream of NULL is
  std::map<std::string, size_t> calls;
  /// What was made and not yet released.
  std::map<void *, std::string> alive;
  Result broken = success; ///< of a kernel: nothing works any more

  ~StandIn();
};

StandIn &standIn();
extern thread_local std::vector<Context> currentContexts;

/// Around a function: one thread at a time; counted; with a context, if it needs one.
template <typename Body> Result call(const char *name, bool needsContext, Body body) {
  StandIn &it = standIn();
  std::lock_guard<std::mutex> lock(it.mutex);
  ++it.calls[name];
  if (it.broken != success)
    return it.broken;
  if (needsContext && currentContexts.empty())
    return invalidContext;
  return body(it);
}

template <typename Handle> Handle *make(const char *kind) {
  auto *handle = new Handle();
  standIn().alive[handle] = kind;
  return handle;
}
template <typename Handle> Result destroy(Handle *handle) {
  if (standIn().alive.erase(handle) == 0)
    return invalidValue;
  delete handle;
  return success;
}

/// Puts it into a stream.
Result enqueue(Stream stream, Operation operation);
/// What a launch of one argument does.
Result makeLaunch(StandIn &it, Function kernel, Grid grid, void **arguments, Operation &launch);

// The driver's functions.
#define WEFT_CUDA_FUNCTION(name, ...) Result name(__VA_ARGS__);
#define WEFT_CUDA_FUNCTION_SINCE(version, name, ...) WEFT_CUDA_FUNCTION(name, __VA_ARGS__)
#include "runtime/src/cuda/Functions.def"

} // namespace weft::runtime::cuda

#endif // WEFT_TEST_RUNTIME_CUDA_STANDIN_H
