// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asking the driver for a device, and for memory.

#include "Device.h"
#include "../Error.h"

#include <algorithm>

namespace weft::runtime::cuda {

std::string gpuName(WeftGpu gpu) { return concat("sm_", gpu / 2, gpu % 2 ? "a" : ""); }

size_t Device::count() {
  int devices = 0;
  Result result = driver().cuDeviceGetCount(&devices);
  if (result != noDevice)
    check(result, "counting devices");
  return static_cast<size_t>(std::max(devices, 0));
}

Device::Device(size_t number) : number(number) {
  size_t devices = count();
  if (number >= devices)
    raiseSystem("there is no GPU ", number, "; the NVIDIA driver has ", devices);
  check(driver().cuDeviceGet(&handle, static_cast<int>(number)), "opening a device");
  check(driver().cuDeviceGetName(facts.name, sizeof(facts.name), handle), "asking a device for its name");
  facts.major = attribute(attributeMajor);
  facts.minor = attribute(attributeMinor);
  facts.processors = attribute(attributeProcessors);
  facts.shared_bytes = attribute(attributeSharedBytes);
  facts.megahertz = attribute(attributeKilohertz) / 1000;
  check(driver().cuDeviceTotalMem(&facts.memory_bytes, handle), "asking a device for its memory");
  check(driver().cuDriverGetVersion(&facts.driver_version), "asking the driver for its version");
  check(driver().cuDevicePrimaryCtxRetain(&retained, handle), "making a context");
}

Device::~Device() { driver().cuDevicePrimaryCtxRelease(handle); }

int Device::attribute(int which) const {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, handle), "asking a device what it is");
  return value;
}

std::string Device::text() const { return concat("GPU ", number, " (", facts.name, ")"); }

double Device::flops(WeftProductUnit unit) const {
  // Of a processor in a cycle: NVIDIA's whitepapers of Ampere (GA100 and GA102), Ada and Hopper.
  struct Speeds {
    int capability;
    double flops[4]; ///< by WeftProductUnit
  };
  static constexpr Speeds known[] = {{80, {128, 1024, 2048, 4096}},
                                     {86, {256, 512, 1024, 2048}},
                                     {89, {256, 512, 1024, 2048}},
                                     {90, {256, 2048, 4096, 8192}}};
  for (const Speeds &speeds : known)
    if (speeds.capability == facts.major * 10 + facts.minor)
      return speeds.flops[unit] * facts.processors * facts.megahertz * 1e6;
  return 0;
}

bool Device::canRun(WeftGpu gpu) const {
  int capability = facts.major * 10 + facts.minor, made = gpu / 2;
  bool isForOneAlone = gpu % 2 == 1;
  return isForOneAlone ? capability == made : capability >= made;
}

CurrentContext::CurrentContext(const Device &device)
    : isCurrent(driver().cuCtxPushCurrent(device.context()) == success) {}

CurrentContext::~CurrentContext() {
  Context own;
  if (isCurrent)
    driver().cuCtxPopCurrent(&own);
}

void DeviceMemory::allocate(size_t bytes) {
  release();
  Result result = driver().cuMemAlloc(&start, std::max<size_t>(bytes, 1));
  if (result == outOfMemory)
    raiseSystem("no memory for ", what, " of ", bytes, " bytes on ", device->text());
  check(result, "taking memory of a device");
  capacity = bytes;
}

void DeviceMemory::release() {
  if (start) {
    CurrentContext current(*device);
    driver().cuMemFree(start);
  }
  start = 0;
  capacity = 0;
}

char *DeviceMemory::reserve(size_t bytes) {
  CurrentContext current(*device);
  if (!start || bytes > capacity)
    allocate(bytes);
  return pointerTo(start);
}

char *DeviceMemory::reserveGuarded(size_t bytes) {
  CurrentContext current(*device);
  size_t exact = (bytes + WEFT_BUFFER_ALIGNMENT - 1) / WEFT_BUFFER_ALIGNMENT * WEFT_BUFFER_ALIGNMENT;
  if (!start || exact != capacity)
    allocate(exact);
  check(driver().cuMemsetD8Async(start, 0xFF, exact, nullptr), "filling memory of a device");
  check(driver().cuStreamSynchronize(nullptr), "filling memory of a device");
  return pointerTo(start);
}

char *PinnedMemory::reserve(size_t bytes) {
  if (bytes > capacity || !memory) {
    CurrentContext current(*device);
    release();
    check(driver().cuMemAllocHost(&memory, std::max<size_t>(bytes, 1)), "taking memory of the host");
    capacity = bytes;
  }
  return static_cast<char *>(memory);
}

void PinnedMemory::release() {
  if (memory) {
    CurrentContext current(*device);
    driver().cuMemFreeHost(memory);
  }
  memory = nullptr;
  capacity = 0;
}

} // namespace weft::runtime::cuda
