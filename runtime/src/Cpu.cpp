// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU detection.

#include "Cpu.h"
#include "Error.h"

#include <algorithm>
#include <sched.h>
#include <thread>

namespace weft::runtime {

int cpuLevel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return 4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return 3;
  return __builtin_cpu_supports("x86-64-v2") ? 2 : 1;
}

void requireCpu(WeftIsa isa, int level, const std::string &file) {
  if (level >= isa)
    return;
  const char *needed = isa == WEFT_ISA_X86_64_V4 ? "AVX-512 (x86-64-v4)" : "AVX2 and FMA (x86-64-v3)";
  raiseSystem(file, ": needs a CPU with ", needed, "; this one is x86-64-v", level,
              "; compile the model for this CPU");
}

size_t usableProcessors() {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors) == 0)
    return std::max(CPU_COUNT(&processors), 1);
  // More processors than a cpu_set_t holds.
  return std::max(std::thread::hardware_concurrency(), 1u);
}

} // namespace weft::runtime
