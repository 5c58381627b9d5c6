// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU detection.

#include "Cpu.h"
#include "Error.h"

#include <algorithm>
#include <sched.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace weft::runtime {

/// Asks the system to let this process use AMX's registers, whose state is large. It refuses if it does not
/// know them, or if a signal handler's stack is too small for them.
static bool mayUseAMX() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  static const bool granted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
}

int cpuLevel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) {
    if (!__builtin_cpu_supports("avx512vnni"))
      return WEFT_ISA_X86_64_V4;
    bool hasAMX = __builtin_cpu_supports("amx-int8") && __builtin_cpu_supports("amx-bf16") && mayUseAMX();
    return hasAMX ? WEFT_ISA_X86_64_V4_AMX : WEFT_ISA_X86_64_V4_VNNI;
  }
  if (__builtin_cpu_supports("x86-64-v3"))
    return 3;
  return __builtin_cpu_supports("x86-64-v2") ? 2 : 1;
}

std::string levelName(int level) {
  if (level == WEFT_ISA_X86_64_V4_AMX)
    return "x86-64-v4-amx";
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
  case WEFT_ISA_X86_64_V4_AMX:
    return "AMX";
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
