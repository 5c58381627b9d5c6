// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine offers: instructions and processors.

#ifndef WEFT_RUNTIME_CPU_H
#define WEFT_RUNTIME_CPU_H

#include "weft/abi.h"

#include <cstddef>
#include <string>

namespace weft::runtime {

/// The highest level of this CPU: x86-64's, 1 or 2, or a WeftIsa.
int cpuLevel();
/// Whether a number is a WeftIsa.
bool isIsa(uint32_t number);
/// Whether a CPU of `level` runs code for `isa`.
bool canRun(WeftIsa isa, int level);
/// "x86-64-v4".
std::string levelName(int level);
/// The instruction set of a name, "x86-64-v4" or "avx512". If there is none, raises an Error that starts with
/// `flag` and lists them.
WeftIsa findIsa(const std::string &flag, const std::string &name);
/// Raises an Error that starts with `file` if code for `isa` cannot run on a CPU of `level`.
void requireCpu(WeftIsa isa, int level, const std::string &file);
/// Processors that this process may use, at least 1.
size_t usableProcessors();

} // namespace weft::runtime

#endif // WEFT_RUNTIME_CPU_H
