// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model on a device: its kernels and its weights, which sessions share.

#ifndef WEFT_RUNTIME_CUDA_DEVICEMODEL_H
#define WEFT_RUNTIME_CUDA_DEVICEMODEL_H

#include "../Model.h"
#include "Device.h"

#include <unordered_map>

namespace weft::runtime::cuda {

class DeviceModel {
public:
  /// Loads both. Raises an Error if there are no kernels for this device, or none that its driver can
  /// compile.
  DeviceModel(const WeftModel &model, std::shared_ptr<const Device> device);
  DeviceModel(const DeviceModel &) = delete;
  DeviceModel &operator=(const DeviceModel &) = delete;
  ~DeviceModel();

  /// A kernel, made ready for so much shared memory.
  Function kernel(const char *name, int64_t sharedBytes);
  /// Whether they are those for sm_90a.
  bool isHopper() const { return gpu == WEFT_GPU_SM_90A; }
  const char *weights() const { return pointerTo(weightMemory.address()); }

  const std::shared_ptr<const Device> device;

private:
  /// False if the driver does not know such PTX.
  bool load(const char *text);

  WeftGpu gpu = WEFT_GPU_SM_80; ///< that the loaded kernels are for
  const std::string file;
  DeviceMemory weightMemory;
  Module module = nullptr;
  std::mutex mutex;
  std::unordered_map<std::string, Function> kernels;
};

} // namespace weft::runtime::cuda

#endif // WEFT_RUNTIME_CUDA_DEVICEMODEL_H
