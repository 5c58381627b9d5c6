// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switching stacks, by the registers that a called function has to keep.

#include "Fiber.h"
#include "../Error.h"

#include <cerrno>
#include <cstdint>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_ADDRESS_SANITIZER 1
#include <sanitizer/asan_interface.h>
#endif
#if __has_feature(thread_sanitizer)
#define WEFT_THREAD_SANITIZER 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

extern "C" void weft_switch_stack(void **from, void *to);

#if defined(__x86_64__)

// Registers that a caller expects back go onto the stack that is left; those of the other one are taken off
// it. What rounding and exceptions of floats are set to is the same everywhere, and stays.
asm(R"(
.text
.type weft_switch_stack,@function
weft_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size weft_switch_stack,.-weft_switch_stack

.type weft_begin_fiber,@function
weft_begin_fiber:
  movq %r12, %rdi
  callq *%r13
  ud2
.size weft_begin_fiber,.-weft_begin_fiber
)");

#elif defined(__aarch64__)

asm(R"(
.text
.type weft_switch_stack,@function
weft_switch_stack:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size weft_switch_stack,.-weft_switch_stack

.type weft_begin_fiber,@function
weft_begin_fiber:
  mov x0, x19
  blr x20
  brk #1
.size weft_begin_fiber,.-weft_begin_fiber
)");

#endif

extern "C" void weft_begin_fiber();

namespace weft::runtime {

namespace {

// What kernels put on the stack is little; sanitized code takes more.
constexpr size_t guardBytes = 4096, stackBytes = 64 * 1024, strideBytes = guardBytes + stackBytes;

#if defined(__x86_64__)
constexpr size_t savedWords = 6, argumentWord = 3, bodyWord = 2; // r15 r14 r13 r12 rbx rbp
#elif defined(__aarch64__)
constexpr size_t savedWords = 20, argumentWord = 0, bodyWord = 1, linkWord = 11;
#endif

} // namespace

void switchContext(Context &from, Context &to, bool forGood) {
#ifdef WEFT_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(forGood ? nullptr : &from.fakeStack, to.stackBottom, to.stackBytes);
#endif
#ifdef WEFT_THREAD_SANITIZER
  from.knownAs = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.knownAs, 0);
#endif
  weft_switch_stack(&from.stackPointer, to.stackPointer);
#ifdef WEFT_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(from.fakeStack, nullptr, nullptr);
#endif
}

void arriveFrom(Context &from) {
#ifdef WEFT_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, &from.stackBottom, &from.stackBytes);
#endif
}

FiberStacks::~FiberStacks() { release(); }

void FiberStacks::release() {
#ifdef WEFT_THREAD_SANITIZER
  for (void *fiber : known)
    if (fiber)
      __tsan_destroy_fiber(fiber);
  known.clear();
#endif
  if (memory)
    munmap(memory, count * strideBytes);
  memory = nullptr;
  count = 0;
}

void FiberStacks::reserve(size_t wanted) {
  if (wanted <= count)
    return;
  release();
  void *mapped =
      mmap(nullptr, wanted * strideBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    raiseSystem("no memory for the stacks of ", wanted, " threads of a block: ", systemMessage(errno));
  memory = static_cast<char *>(mapped);
  count = wanted;
  known.resize(count);
  for (size_t i = 0; i < count; ++i)
    if (mprotect(memory + i * strideBytes, guardBytes, PROT_NONE) != 0)
      raiseSystem("no page between the stacks of ", wanted, " threads of a block: ", systemMessage(errno));
}

Context FiberStacks::start(size_t index, Body body, void *argument) {
  char *bottom = memory + index * strideBytes + guardBytes;
#ifdef WEFT_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(bottom, stackBytes); // of what a fiber left there that did not end
#endif
  auto *words = reinterpret_cast<uintptr_t *>(bottom + stackBytes);
#if defined(__x86_64__)
  words -= 2; // at a call the stack is aligned to 16 bytes
  *--words = reinterpret_cast<uintptr_t>(&weft_begin_fiber);
#endif
  words -= savedWords;
  for (size_t i = 0; i < savedWords; ++i)
    words[i] = 0;
  words[argumentWord] = reinterpret_cast<uintptr_t>(argument);
  words[bodyWord] = reinterpret_cast<uintptr_t>(body);
#if defined(__aarch64__)
  words[linkWord] = reinterpret_cast<uintptr_t>(&weft_begin_fiber);
#endif
  Context context;
  context.stackPointer = words;
  context.stackBottom = bottom;
  context.stackBytes = stackBytes;
#ifdef WEFT_THREAD_SANITIZER
  if (known[index])
    __tsan_destroy_fiber(known[index]);
  context.knownAs = known[index] = __tsan_create_fiber(0);
#endif
  return context;
}

} // namespace weft::runtime
