// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings that are unreadable between the driver's calls. New memory is filled with 0xFF, a NaN in every
// float type.

#include "StandInMemory.h"

#include <cstring>
#include <sys/mman.h>

namespace weft::runtime::cuda {

namespace {
constexpr size_t pageBytes = 4096;
size_t roundUp(size_t bytes) { return (bytes + pageBytes - 1) / pageBytes * pageBytes; }
} // namespace

Result StandInMemory::allocate(Address *address, size_t bytes) {
  if (bytes == 0)
    return invalidValue;
  if (bytes > size - taken)
    return outOfMemory;
  void *memory = mmap(nullptr, roundUp(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return outOfMemory;
  std::memset(memory, 0xFF, bytes);
  mprotect(memory, roundUp(bytes), PROT_NONE);
  *address = reinterpret_cast<Address>(memory);
  blocks[*address] = bytes;
  taken += bytes;
  return success;
}

Result StandInMemory::release(Address address) {
  auto found = blocks.find(address);
  if (found == blocks.end())
    return invalidValue;
  munmap(reinterpret_cast<void *>(address), roundUp(found->second));
  taken -= found->second;
  blocks.erase(found);
  return success;
}

bool StandInMemory::holds(Address address, size_t bytes) const {
  auto behind = blocks.upper_bound(address);
  if (behind == blocks.begin())
    return false;
  auto [start, length] = *std::prev(behind);
  return address - start <= length && bytes <= length - (address - start);
}

void StandInMemory::protect(int protection) const {
  for (auto [start, length] : blocks)
    mprotect(reinterpret_cast<void *>(start), roundUp(length), protection);
}

StandInMemory::Access::Access(const StandInMemory &memory) : memory(memory) {
  memory.protect(PROT_READ | PROT_WRITE);
}

StandInMemory::Access::~Access() { memory.protect(PROT_NONE); }

} // namespace weft::runtime::cuda
