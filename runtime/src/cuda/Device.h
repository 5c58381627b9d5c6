// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU: what it is, its context, and memory of it.

#ifndef WEFT_RUNTIME_CUDA_DEVICE_H
#define WEFT_RUNTIME_CUDA_DEVICE_H

#include "../Memory.h"
#include "Driver.h"
#include "weft/runtime.h"

#include <memory>
#include <string>

namespace weft::runtime::cuda {

/// "sm_90a".
std::string gpuName(WeftGpu gpu);

class Device {
public:
  /// An Error that says how many there are if there is none of that number.
  explicit Device(size_t number);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device();

  static size_t count();

  const size_t number;
  WeftCudaDevice facts{};
  /// As messages call it: "GPU 0 (NVIDIA H100)".
  std::string text() const;
  /// Operations a second of such products, dense, with sums of f32 (i32 of bytes), by its highest clock; 0 of
  /// GPUs that are not known.
  double flops(WeftProductUnit unit) const;
  /// Whether it can run kernels for such GPUs.
  bool canRun(WeftGpu gpu) const;
  Context context() const { return retained; }

private:
  int attribute(int which) const;

  DeviceNumber handle = 0;
  Context retained = nullptr;
};

/// Makes a device's context the calling thread's, and at the end that which it was before. If that fails, so
/// do the calls that follow.
class CurrentContext {
public:
  explicit CurrentContext(const Device &device);
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
  ~CurrentContext();

private:
  const bool isCurrent;
};

/// Memory of a device. Its device's context is current in its functions.
class DeviceMemory : public Memory {
public:
  DeviceMemory(std::shared_ptr<const Device> device, std::string what)
      : device(std::move(device)), what(std::move(what)) {}
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;
  ~DeviceMemory() override { release(); }

  char *reserve(size_t bytes) override;
  char *reserveGuarded(size_t bytes) override;
  size_t bytes() const override { return capacity; }
  Address address() const { return start; }

private:
  void allocate(size_t bytes);
  void release();

  std::shared_ptr<const Device> device;
  const std::string what;
  Address start = 0;
  size_t capacity = 0;
};

/// Memory of the host that devices copy from and to without waiting.
class PinnedMemory {
public:
  explicit PinnedMemory(std::shared_ptr<const Device> device) : device(std::move(device)) {}
  PinnedMemory(const PinnedMemory &) = delete;
  PinnedMemory &operator=(const PinnedMemory &) = delete;
  ~PinnedMemory() { release(); }

  /// At least `bytes`. What was in it is lost.
  char *reserve(size_t bytes);

private:
  void release();

  std::shared_ptr<const Device> device;
  void *memory = nullptr;
  size_t capacity = 0;
};

} // namespace weft::runtime::cuda

#endif // WEFT_RUNTIME_CUDA_DEVICE_H
