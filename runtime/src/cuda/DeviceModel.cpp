// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing and loading kernels, and copying weights.

#include "DeviceModel.h"
#include "../Error.h"

namespace weft::runtime::cuda {

namespace {

/// What a device can run, the best first.
std::vector<DeviceCode> findKernels(const WeftModel &model, const Device &device) {
  std::vector<DeviceCode> found;
  std::string known;
  for (const DeviceCode &code : model.metadata.deviceCodes) {
    known += (known.empty() ? "" : ", ") + gpuName(code.gpu);
    if (device.canRun(code.gpu))
      found.insert(found.begin(), code);
  }
  if (found.empty())
    raiseSystem(model.file, ": has kernels for ", known, "; ", device.text(), " is sm_",
                device.facts.major * 10 + device.facts.minor);
  return found;
}

const char *textOf(const WeftModel &model, const DeviceCode &code) {
  std::string_view text = model.payload.code.substr(code.offset, code.bytes);
  if (text.empty() || text.back() != '\0')
    raiseBadData(model.file, ": its kernels for ", gpuName(code.gpu), " do not end in a zero byte");
  return text.data();
}

} // namespace

DeviceModel::DeviceModel(const WeftModel &model, std::shared_ptr<const Device> given)
    : device(std::move(given)), file(model.file), weightMemory(device, "the weights") {
  CurrentContext current(*device);
  std::string_view weights = model.payload.weights;
  weightMemory.reserve(weights.size());
  if (!weights.empty())
    check(driver().cuMemcpyHtoDAsync(weightMemory.address(), weights.data(), weights.size(), nullptr),
          "copying weights to a device");
  check(driver().cuStreamSynchronize(nullptr), "copying weights to a device");
  // A driver that is too old for the best kernels may know others.
  std::vector<DeviceCode> codes = findKernels(model, *device);
  for (const DeviceCode &code : codes) {
    gpu = code.gpu;
    if (load(textOf(model, code)))
      return;
  }
  raiseSystem(file, ": its kernels are in PTX ", isHopper() ? "8.3" : "8.0", ", which the driver of ",
              device->text(), " does not know; Weft needs one for CUDA ", isHopper() ? "12.3" : "12.0",
              " or later");
}

bool DeviceModel::load(const char *text) {
  char log[1024] = "";
  int options[] = {jitErrorLogBuffer, jitErrorLogBytes};
  void *values[] = {log, pointerTo(sizeof(log))};
  Result result = driver().cuModuleLoadDataEx(&module, text, 2, options, values);
  if (result == unsupportedPtxVersion)
    return false;
  std::string_view words(log);
  if (result != success && !words.empty())
    raise(WEFT_STATUS_INTERNAL, file, ": its kernels do not load on ", device->text(), ": ",
          words.substr(0, words.find('\n')));
  check(result, "loading kernels");
  return true;
}

DeviceModel::~DeviceModel() {
  CurrentContext current(*device);
  driver().cuModuleUnload(module);
}

Function DeviceModel::kernel(const char *name, int64_t sharedBytes) {
  std::lock_guard<std::mutex> lock(mutex);
  Function &place = kernels[name];
  if (place)
    return place;
  if (sharedBytes > device->facts.shared_bytes)
    raiseSystem("kernel \"", name, "\" needs ", sharedBytes, " bytes of shared memory; ", device->text(),
                " has ", device->facts.shared_bytes);
  Function found;
  check(driver().cuModuleGetFunction(&found, module, name), "finding a kernel");
  check(driver().cuFuncSetAttribute(found, functionSharedBytes, static_cast<int>(sharedBytes)),
        "giving a kernel its shared memory");
  return place = found;
}

} // namespace weft::runtime::cuda
