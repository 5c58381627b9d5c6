// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data as a relocatable object, so that a payload can be linked into a program.
#ifndef WEFT_COMPILER_ARTIFACT_OBJECTFILE_H
#define WEFT_COMPILER_ARTIFACT_OBJECTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace weft {

class OutputFile;

/// Writes an ELF object for `machine` (an e_machine) whose symbol `symbol` is `bytes` bytes of read-only
/// data, page-aligned, that `writeData` appends.
void writeDataObject(OutputFile &out, uint16_t machine, llvm::StringRef symbol, uint64_t bytes,
                     llvm::function_ref<void()> writeData);

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_OBJECTFILE_H
