// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the host: one mapping that grows when shapes ask for more.

#ifndef WEFT_RUNTIME_ARENA_H
#define WEFT_RUNTIME_ARENA_H

#include "Memory.h"

namespace weft::runtime {

class Arena : public Memory {
public:
  /// `what` is for messages.
  explicit Arena(const char *what = "an arena") : what(what) {}
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena() override { unmap(); }

  char *reserve(size_t bytes) override;
  char *reserveGuarded(size_t bytes) override;
  size_t bytes() const override { return capacity; }

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
