// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of machines.
#include "compiler/Machine/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include <sys/syscall.h>
#include <unistd.h>

using namespace weft;

static constexpr llvm::StringLiteral kX86 = "x86_64-unknown-linux-gnu", kArm = "aarch64-unknown-linux-gnu";

// 512 KiB is the smallest second-level cache among server cores of any of them; larger ones gain little.
static const Machine kMachines[] = {
    {"x86-64-v3", "avx2", kX86, "x86-64-v3", "", 3, 256, 16, 512 << 10},
    {"x86-64-v4", "avx512", kX86, "x86-64-v4", "", 4, 512, 32, 512 << 10},
    {"x86-64-v4-vnni", "vnni", kX86, "x86-64-v4", "+avx512vnni", 5, 512, 32, 512 << 10},
    {"x86-64-v4-bf16", "bf16", kX86, "x86-64-v4", "+avx512vnni,+avx512bf16", 6, 512, 32, 512 << 10},
    {"x86-64-v4-amx", "amx", kX86, "x86-64-v4", "+avx512vnni,+avx512bf16,+amx-tile,+amx-int8,+amx-bf16", 7,
     512, 32, 512 << 10},
    {"armv8", "neon", kArm, "generic", "", 64, 128, 32, 512 << 10},
    {"armv8-dotprod", "dotprod", kArm, "generic", "+dotprod", 65, 128, 32, 512 << 10},
};

/// Whether the system lets this process use AMX's registers, whose state is large.
static bool mayUseAMX() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

/// Whether this CPU has every feature that tells the level from the one below.
static bool hostHas(int64_t level) {
  static const char *const v3[] = {"avx2", "fma", "bmi2", "f16c", "lzcnt", "movbe"};
  static const char *const v4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](const char *feature) { return features.lookup(feature); };
  bool hasAMX = has("amx-int8") && has("amx-bf16");
  // A CPU with AMX is slower at AVX-512 BF16 than at f32.
  return llvm::all_of(v3, has) && (level < 4 || llvm::all_of(v4, has)) && (level < 5 || has("avx512vnni")) &&
         (level < 6 || (has("avx512bf16") && (!hasAMX || mayUseAMX()))) && (level < 7 || hasAMX);
}

llvm::ArrayRef<Machine> weft::getMachines() { return kMachines; }

std::optional<Machine> weft::findMachine(llvm::StringRef name) {
  for (const Machine &machine : llvm::reverse(kMachines))
    if (name == "native" ? machine.isX86() && hostHas(machine.level)
                         : name == machine.name || name == machine.shortName)
      return machine;
  return std::nullopt;
}

bool weft::isUsed(const Machine &machine, llvm::StringRef precision) {
  if (machine.features.empty())
    return true;
  if (precision == "f32")
    return false;
  if (precision == "bf16")
    return machine.hasBF16();
  return machine.hasDotProducts() || machine.hasAMX() || (machine.hasVNNI() && !machine.hasBF16());
}

Machine weft::leastFor(const Machine &machine, llvm::StringRef precision) {
  Machine best = machine;
  for (const Machine &other : kMachines)
    if (other.isX86() == machine.isX86() && other.level <= machine.level && isUsed(other, precision))
      best = other;
  return best;
}

std::string weft::listMachines() {
  std::string text = "native";
  for (const Machine &machine : kMachines)
    text += (", " + machine.name + " (" + machine.shortName + ")").str();
  return text;
}
