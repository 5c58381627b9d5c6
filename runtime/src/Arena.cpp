// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena's mappings.

#include "Arena.h"
#include "Error.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

namespace weft::runtime {

namespace {

/// Of the system's: 4096, and on AArch64 16384 or 65536, too.
const size_t pageBytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
/// From here on huge pages pay: kernels walk megabytes with large strides.
constexpr size_t hugePageThreshold = size_t(4) << 20;

size_t roundUp(size_t bytes, size_t multiple) {
  if (bytes > std::numeric_limits<size_t>::max() - 2 * pageBytes - multiple)
    raiseSystem(bytes, " bytes are more than any memory has");
  return (bytes + multiple - 1) / multiple * multiple;
}

} // namespace

void Arena::map(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    raiseSystem("no memory for ", what, " of ", bytes, " bytes: ", systemMessage(errno));
  mapping = static_cast<char *>(memory);
  mappedBytes = bytes;
}

void Arena::unmap() {
  if (mapping)
    munmap(mapping, mappedBytes);
  mapping = start = nullptr;
  mappedBytes = capacity = 0;
}

char *Arena::reserve(size_t bytes) {
  if (start && !isGuarded && bytes <= capacity)
    return start;
  size_t rounded = roundUp(bytes + (bytes == 0), pageBytes);
  unmap();
  map(rounded);
  if (rounded >= hugePageThreshold)
    madvise(mapping, rounded, MADV_HUGEPAGE); // A hint; without it everything works too.
  isGuarded = false;
  start = mapping;
  capacity = rounded;
  return start;
}

char *Arena::reserveGuarded(size_t bytes) {
  size_t exact = roundUp(bytes, WEFT_BUFFER_ALIGNMENT);
  size_t rounded = roundUp(exact, pageBytes);
  if (!isGuarded || !start || exact != capacity) {
    unmap();
    map(rounded + 2 * pageBytes);
    if (mprotect(mapping, pageBytes, PROT_NONE) != 0 ||
        mprotect(mapping + pageBytes + rounded, pageBytes, PROT_NONE) != 0)
      raiseSystem("the arena's guard pages cannot be protected: ", systemMessage(errno));
    isGuarded = true;
    start = mapping + pageBytes + rounded - exact;
    capacity = exact;
  }
  std::memset(start, 0xFF, exact);
  return start;
}

} // namespace weft::runtime
