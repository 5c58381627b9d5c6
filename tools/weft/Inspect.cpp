// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft inspect: what an artifact says of itself. Nothing of it is run.
#include "runtime/src/launcher/RunCommand.h"
#include "tools/weft/Verbs.h"
#include <cstdio>

using namespace weft;

/// The GPUs that the driver has, a line each.
static int listDevices() {
  size_t devices;
  if (WeftStatus error = weft_cuda_device_count(&devices))
    return runtime::reportError("weft inspect", error, stderr);
  for (size_t i = 0; i < devices; ++i) {
    WeftCudaDevice device;
    if (WeftStatus error = weft_cuda_device(i, &device))
      return runtime::reportError("weft inspect", error, stderr);
    printf("GPU %zu: %s, sm_%d%d, %d multiprocessors of %d MHz, %.1f GB, driver for CUDA %d.%d\n", i,
           device.name, device.major, device.minor, device.processors, device.megahertz,
           double(device.memory_bytes) * 1e-9, device.driver_version / 1000,
           device.driver_version % 1000 / 10);
  }
  if (devices == 0)
    printf("no GPU\n");
  return finishOutput("weft inspect");
}

int weft::runInspectVerb(const std::vector<std::string> &arguments) {
  std::vector<FlagSpec> specs = {{"--devices", "", "list the NVIDIA GPUs of this machine instead"},
                                 {"--help", "", "this text"}};
  std::optional<Flags> flags = Flags::parse("inspect", specs, arguments);
  if (!flags)
    return 2;
  if (flags->has("--help")) {
    printf("Shows an artifact's signature, needs, memory formula and steps.\n\nusage: weft inspect "
           "ARTIFACT\n\n%s",
           describeFlags(specs).c_str());
    return finishOutput("weft inspect");
  }
  if (flags->has("--devices") && flags->positional.empty())
    return listDevices();
  if (flags->positional.size() != 1)
    return usageError("inspect",
                      flags->positional.empty() ? "no artifact given" : "more than one artifact given");
  WeftModel *model;
  if (WeftStatus error = weft_model_load(flags->positional.front().c_str(), &model))
    return runtime::reportError("weft inspect", error, stderr);
  int code = runtime::runCommand(model, "weft inspect", {"--signature"}, stdout, stderr);
  weft_model_release(model);
  return code;
}
