// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a session's code works in: the host's, or a device's.

#ifndef WEFT_RUNTIME_MEMORY_H
#define WEFT_RUNTIME_MEMORY_H

#include <cstddef>

namespace weft::runtime {

class Memory {
public:
  virtual ~Memory() = default;

  /// At least `bytes`; raises an Error if they are not there. What was in it is lost.
  virtual char *reserve(size_t bytes) = 0;
  /// Exactly `bytes` (rounded up to WEFT_BUFFER_ALIGNMENT), filled with 0xFF; on the host between two
  /// unreadable pages.
  virtual char *reserveGuarded(size_t bytes) = 0;
  virtual size_t bytes() const = 0;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_MEMORY_H
