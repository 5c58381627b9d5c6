// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine offers: instructions and processors.

#ifndef WEFT_RUNTIME_CPU_H
#define WEFT_RUNTIME_CPU_H

#include "weft/abi.h"

#include <cstddef>
#include <string>

namespace weft::runtime {

/// The highest psABI level of this CPU, 1 to 4.
int cpuLevel();
/// Raises an Error that starts with `file` if code for `isa` cannot run on a CPU of `level`.
void requireCpu(WeftIsa isa, int level, const std::string &file);
/// Processors that this process may use, at least 1.
size_t usableProcessors();

} // namespace weft::runtime

#endif // WEFT_RUNTIME_CPU_H
