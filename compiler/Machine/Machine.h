// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the machines that code is made for; what schedules and emitters ask.
#ifndef WEFT_COMPILER_MACHINE_MACHINE_H
#define WEFT_COMPILER_MACHINE_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace weft {

/// A CPU, as far as generated code depends on it. Two machines of one level give the same artifact.
struct Machine {
  llvm::StringRef name;      ///< the psABI level, and what it has besides: "x86-64-v4-vnni"
  llvm::StringRef shortName; ///< after the instructions that matter: "vnni"
  llvm::StringRef triple;    ///< LLVM's name for the kind of system
  llvm::StringRef cpu;       ///< LLVM's name for the level
  llvm::StringRef features;  ///< LLVM's names for what it has besides
  int64_t level;             ///< a WeftIsa
  int64_t vectorBits;        ///< width of a vector register
  int64_t vectorRegisters;   ///< how many there are
  int64_t level2CacheBytes;  ///< of one core; what a tile's operands should fit in

  static constexpr int64_t kFirstArm = 64; ///< the least level of AArch64
  bool isX86() const { return level < kFirstArm; }
  bool hasAVX512() const { return isX86() && level >= 4; }
  bool hasVNNI() const { return isX86() && level >= 5; }
  bool hasBF16() const { return isX86() && level >= 6; }
  bool hasAMX() const { return isX86() && level >= 7; }
  bool hasDotProducts() const { return level > kFirstArm; }
};

/// All there are, the least demanding first; each can run code for the ones before it of the same kind of
/// system.
llvm::ArrayRef<Machine> getMachines();
/// The machine of that name or short name, or "native" for the one this runs on; nothing if there is none, or
/// if this CPU is below the lowest level.
std::optional<Machine> findMachine(llvm::StringRef name);
/// The least demanding machine whose code is as good as this one's for products of a precision: "f32",
/// "bf16", or "i8" or "i4", which are of bytes.
Machine leastFor(const Machine &machine, llvm::StringRef precision);
/// Whether products of that precision are computed with what the machine has beyond those before.
bool isUsed(const Machine &machine, llvm::StringRef precision);
/// The names that findMachine takes, for messages.
std::string listMachines();

} // namespace weft

#endif // WEFT_COMPILER_MACHINE_MACHINE_H
