// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user says of a dim: its size, between which sizes it is, or what it is of other dims.
#ifndef WEFT_COMPILER_GRAPH_DIMOPTION_H
#define WEFT_COMPILER_GRAPH_DIMOPTION_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace weft {

struct DimOption {
  llvm::StringRef name, range; ///< as they were written: "4", "1..512", "1..", "..512", "past + length"
  int64_t low = 0;
  std::optional<int64_t> high; ///< or as large as one likes

  bool isFormula = false; ///< of other dims, whose names nobody has looked at

  bool isFixed() const { return low == high; }
};

/// Reads "batch=4", "seq=1..512" or "total=past+length"; nothing if it is none of these.
std::optional<DimOption> parseDimOption(llvm::StringRef text);

} // namespace weft

#endif // WEFT_COMPILER_GRAPH_DIMOPTION_H
