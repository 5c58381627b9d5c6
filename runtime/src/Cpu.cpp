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
    return __builtin_cpu_supports("avx512vnni") ? WEFT_ISA_X86_64_V4_VNNI : WEFT_ISA_X86_64_V4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return 3;
  return __builtin_cpu_supports("x86-64-v2") ? 2 : 1;
}

std::string levelName(int level) {
  return level == WEFT_ISA_X86_64_V4_VNNI ? "x86-64-v4-vnni" : concat("x86-64-v", level);
}

static const char *describe(WeftIsa isa) {
  switch (isa) {
  case WEFT_ISA_X86_64_V3:
    return "AVX2 and FMA";
  case WEFT_ISA_X86_64_V4:
    return "AVX-512";
  case WEFT_ISA_X86_64_V4_VNNI:
    return "AVX-512 VNNI";
  }
  return "other instructions";
}

void requireCpu(WeftIsa isa, int level, const std::string &file) {
  if (level >= isa)
    return;
  raiseSystem(file, ": needs a CPU with ", describe(isa), " (", levelName(isa), "); this one is ",
              levelName(level), "; compile the model for this CPU");
}

size_t usableProcessors() {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors) == 0)
    return std::max(CPU_COUNT(&processors), 1);
  // More processors than a cpu_set_t holds.
  return std::max(std::thread::hardware_concurrency(), 1u);
}

} // namespace weft::runtime
