// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU detection.

#include "Cpu.h"
#include "Error.h"

#include <algorithm>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace weft::runtime {

#if defined(__x86_64__)

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
    if (!__builtin_cpu_supports("avx512bf16"))
      return WEFT_ISA_X86_64_V4_VNNI;
    if (!__builtin_cpu_supports("amx-int8") || !__builtin_cpu_supports("amx-bf16"))
      return WEFT_ISA_X86_64_V4_BF16;
    // A CPU with AMX is slower at AVX-512 BF16 than at f32.
    return mayUseAMX() ? WEFT_ISA_X86_64_V4_AMX : WEFT_ISA_X86_64_V4_VNNI;
  }
  if (__builtin_cpu_supports("x86-64-v3"))
    return WEFT_ISA_X86_64_V3;
  return __builtin_cpu_supports("x86-64-v2") ? 2 : 1;
}

#elif defined(__aarch64__)

int cpuLevel() { return getauxval(AT_HWCAP) & HWCAP_ASIMDDP ? WEFT_ISA_ARMV8_DOTPROD : WEFT_ISA_ARMV8; }

#else
#error "The runtime knows x86-64 and AArch64."
#endif

namespace {

struct IsaInfo {
  WeftIsa isa;
  const char *name, *shortName, *instructions;
};

constexpr IsaInfo isas[] = {
    {WEFT_ISA_X86_64_V3, "x86-64-v3", "avx2", "AVX2 and FMA"},
    {WEFT_ISA_X86_64_V4, "x86-64-v4", "avx512", "AVX-512"},
    {WEFT_ISA_X86_64_V4_VNNI, "x86-64-v4-vnni", "vnni", "AVX-512 VNNI"},
    {WEFT_ISA_X86_64_V4_BF16, "x86-64-v4-bf16", "bf16", "AVX-512 BF16"},
    {WEFT_ISA_X86_64_V4_AMX, "x86-64-v4-amx", "amx", "AMX"},
    {WEFT_ISA_ARMV8, "armv8", "neon", "AArch64"},
    {WEFT_ISA_ARMV8_DOTPROD, "armv8-dotprod", "dotprod", "AArch64's dot products"},
};

const IsaInfo *lookUpIsa(int64_t number) {
  for (const IsaInfo &info : isas)
    if (info.isa == number)
      return &info;
  return nullptr;
}

bool isArm(int level) { return level >= WEFT_ISA_ARMV8; }

} // namespace

bool isIsa(uint32_t number) { return lookUpIsa(number) != nullptr; }

bool canRun(WeftIsa isa, int level) { return isArm(isa) == isArm(level) && isa <= level; }

std::string levelName(int level) {
  const IsaInfo *info = lookUpIsa(level);
  return info ? info->name : concat("x86-64-v", level);
}

WeftIsa findIsa(const std::string &flag, const std::string &name) {
  std::string known;
  for (const IsaInfo &info : isas) {
    if (name == info.name || name == info.shortName)
      return info.isa;
    known += concat(known.empty() ? "" : ", ", info.name, " (", info.shortName, ")");
  }
  raiseBadArgument(flag, ": there is no instruction set \"", name, "\"; there are: ", known);
}

void requireCpu(WeftIsa isa, int level, const std::string &file) {
  if (canRun(isa, level))
    return;
  const IsaInfo *info = lookUpIsa(isa);
  raiseSystem(file, ": needs a CPU with ", info ? info->instructions : "other instructions", " (",
              levelName(isa), "); this one is ", levelName(level), "; compile the model for this CPU");
}

size_t usableProcessors() {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof(processors), &processors) == 0)
    return std::max(CPU_COUNT(&processors), 1);
  // More processors than a cpu_set_t holds.
  return std::max(std::thread::hardware_concurrency(), 1u);
}

} // namespace weft::runtime
