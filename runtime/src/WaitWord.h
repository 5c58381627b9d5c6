// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A word that threads wait on until it changes: they spin for a while, then sleep in the kernel. Spinning
// costs a tenth of a microsecond per barrier where sleeping costs four; sleeping lets a machine with more
// threads than processors make progress.

#ifndef WEFT_RUNTIME_WAITWORD_H
#define WEFT_RUNTIME_WAITWORD_H

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::runtime {

/// One cache line, so that nothing else slows the waiters down.
class alignas(64) WaitWord {
public:
  using Duration = std::chrono::nanoseconds;

  uint32_t load() const { return value.load(std::memory_order_acquire); }

  /// Changes the word and wakes everyone. What the caller wrote before is visible to who sees the change.
  void publish(uint32_t changed) {
    // Sequentially consistent, as is `sleepers`: either this thread sees the sleeper, or the sleeper the
    // change.
    value.store(changed, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0)
      futex(FUTEX_WAKE_PRIVATE, INT_MAX);
  }

  /// Returns the word once it is not `old`.
  uint32_t waitWhile(uint32_t old, Duration spin) {
    uint32_t current = load();
    if (current == old && spin.count() > 0)
      current = spinWhile(old, spin);
    while (current == old) {
      sleepers.fetch_add(1, std::memory_order_seq_cst);
      futex(FUTEX_WAIT_PRIVATE, old);
      sleepers.fetch_sub(1, std::memory_order_relaxed);
      current = load();
    }
    return current;
  }

private:
  uint32_t spinWhile(uint32_t old, Duration spin) const {
    constexpr int looksPerClockRead = 64;
    auto end = std::chrono::steady_clock::now() + spin;
    do {
      for (int look = 0; look < looksPerClockRead; ++look) {
        uint32_t current = load();
        if (current != old)
          return current;
        relax();
      }
    } while (std::chrono::steady_clock::now() < end);
    return load();
  }

  /// Tells the processor that this is a loop that waits.
  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    asm volatile("yield" ::: "memory");
#endif
  }

  void futex(int operation, uint32_t operand) {
    static_assert(sizeof(value) == sizeof(uint32_t));
    syscall(SYS_futex, &value, operation, operand, nullptr, nullptr, 0);
  }

  std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> sleepers{0};
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_WAITWORD_H
