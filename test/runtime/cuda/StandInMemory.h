// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of the stand-in's device: nobody but the driver can touch it.

#ifndef WEFT_TEST_RUNTIME_CUDA_STANDINMEMORY_H
#define WEFT_TEST_RUNTIME_CUDA_STANDINMEMORY_H

#include "runtime/src/cuda/Driver.h"

#include <map>

namespace weft::runtime::cuda {

constexpr Result invalidValue = 1, notFound = 500, illegalAddress = 700, launchFailed = 719;

class StandInMemory {
public:
  explicit StandInMemory(size_t size) : size(size) {}

  Result allocate(Address *address, size_t bytes);
  Result release(Address address);
  /// Whether all of it was allocated at once.
  bool holds(Address address, size_t bytes) const;
  size_t blockCount() const { return blocks.size(); }

  const size_t size;

  /// While it lives, the memory can be touched.
  class Access {
  public:
    explicit Access(const StandInMemory &memory);
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;
    ~Access();

  private:
    const StandInMemory &memory;
  };

private:
  void protect(int protection) const;

  std::map<Address, size_t> blocks;
  size_t taken = 0;
};

} // namespace weft::runtime::cuda

#endif // WEFT_TEST_RUNTIME_CUDA_STANDINMEMORY_H
