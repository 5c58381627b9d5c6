// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening the driver, and its errors.

#include "Driver.h"
#include "../Error.h"

#include <dlfcn.h>

namespace weft::runtime::cuda {

namespace {

constexpr const char *library = "libcuda.so.1";
/// The version of CUDA whose functions are asked for: the first with PTX 8.0, and with cuGetProcAddress as it
/// is called here.
constexpr int version = 12000;

/// CUresult cuGetProcAddress_v2(const char *name, void **function, int version, flags, status *)
using GetFunction = Result (*)(const char *, void **, int, uint64_t, int *);

/// Faults of a kernel, after which the context is of no use.
bool isKernelFault(Result result) {
  constexpr Result illegalAddress = 700, assertFailed = 710, hardwareStack = 714, launchFailed = 719;
  return result == illegalAddress || result == assertFailed ||
         (result >= hardwareStack && result <= launchFailed);
}

std::string textOf(Result result) {
  const char *name = nullptr, *text = nullptr;
  const Functions &functions = driver();
  if (functions.cuGetErrorName(result, &name) != success ||
      functions.cuGetErrorString(result, &text) != success)
    return concat("error ", result);
  return concat(text, " (", name, ")");
}

Functions open() {
  void *handle =
      dlopen(library, RTLD_NOW | RTLD_LOCAL); // never closed: its threads live as long as the process
  if (!handle)
    raiseSystem("no NVIDIA driver: ", library, " cannot be opened");
  auto get = reinterpret_cast<GetFunction>(dlsym(handle, "cuGetProcAddress_v2"));
  Functions functions;
  auto find = [&](const char *name, int since, auto &function) {
    void *found = nullptr;
    int status = 0;
    if (get && get(name, &found, since, /*flags=*/0, &status) == success)
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    if (!function && since == version)
      raiseSystem("the NVIDIA driver has no ", get ? name : "cuGetProcAddress_v2",
                  "; Weft needs one for CUDA 12.0 or later");
  };
#define WEFT_CUDA_FUNCTION(name, ...) find(#name, version, functions.name);
#define WEFT_CUDA_FUNCTION_SINCE(since, name, ...) find(#name, since, functions.name);
#include "Functions.def"
  if (Result result = functions.cuInit(0); result != success) {
    const char *text = nullptr;
    bool isKnown = functions.cuGetErrorString(result, &text) == success && text;
    raiseSystem("the NVIDIA driver cannot be used: ", isKnown ? text : concat("error ", result));
  }
  return functions;
}

} // namespace

const Functions &driver() {
  static const Functions functions = open();
  return functions;
}

void check(Result result, const char *what) {
  if (result == success)
    return;
  WeftStatusCode code = isKernelFault(result) ? WEFT_STATUS_INTERNAL : WEFT_STATUS_SYSTEM;
  raise(code, "CUDA: ", what, ": ", textOf(result));
}

} // namespace weft::runtime::cuda
