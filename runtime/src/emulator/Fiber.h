// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks that one thread of the system switches between: each thread of a block runs on one.

#ifndef WEFT_RUNTIME_EMULATOR_FIBER_H
#define WEFT_RUNTIME_EMULATOR_FIBER_H

#include <cstddef>
#include <vector>

namespace weft::runtime {

/// What it takes to go on somewhere: on x86-64 the stack's pointer, below which the other registers lie.
struct Context {
  void *stackPointer = nullptr;
  void *fakeStack = nullptr;         ///< the address sanitizer's
  void *knownAs = nullptr;           ///< to the thread sanitizer
  const void *stackBottom = nullptr; ///< of the stack that it is on
  size_t stackBytes = 0;
};

/// Leaves `from`, and goes on in `to`. For good: nobody comes back.
void switchContext(Context &from, Context &to, bool forGood = false);
/// What a fiber does first: it was begun out of `from`.
void arriveFrom(Context &from);

/// A number of stacks of one size, with a page between them that nothing may touch.
class FiberStacks {
public:
  /// `body(argument)` is what a fiber runs. It must not return.
  using Body = void (*)(void *argument);

  FiberStacks() = default;
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;
  ~FiberStacks();

  /// Has at least so many. An Error if there is no memory for them.
  void reserve(size_t count);
  /// A context that begins body(argument) on stack number `index`.
  Context start(size_t index, Body body, void *argument);

private:
  void release();

  std::vector<void *> known; ///< to the thread sanitizer: the fibers
  char *memory = nullptr;
  size_t count = 0;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EMULATOR_FIBER_H
