// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A session's scratch memory: one mapping that grows when shapes ask for more.

#ifndef WEFT_RUNTIME_ARENA_H
#define WEFT_RUNTIME_ARENA_H

#include <cstddef>

namespace weft::runtime {

class Arena {
public:
  /// `what` is for messages.
  explicit Arena(const char *what = "an arena") : what(what) {}
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena() { unmap(); }

  /// At least `bytes`; raises an Error if they are not there. What was in the arena is lost.
  char *reserve(size_t bytes);
  /// Exactly `bytes` (rounded up to WEFT_BUFFER_ALIGNMENT), filled with 0xFF, between two unreadable pages.
  char *reserveGuarded(size_t bytes);

  size_t bytes() const { return capacity; }

private:
  void map(size_t bytes);
  void unmap();

  const char *const what;
  char *mapping = nullptr;
  size_t mappedBytes = 0;
  char *start = nullptr;
  size_t capacity = 0;
  bool isGuarded = false;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_ARENA_H
