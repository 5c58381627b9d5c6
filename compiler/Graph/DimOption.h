// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user says of a dim: its size, or between which sizes it is.
#ifndef WEFT_COMPILER_GRAPH_DIMOPTION_H
#define WEFT_COMPILER_GRAPH_DIMOPTION_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace weft {

struct DimOption {
  llvm::StringRef name, range; ///< as they were written: "4", "1..512", "1..", "..512"
  int64_t low = 0;
  std::optional<int64_t> high; ///< or as large as one likes

  bool isFixed() const { return low == high; }
};

/// Reads "batch=4" or "seq=1..512"; nothing if it is neither.
std::optional<DimOption> parseDimOption(llvm::StringRef text);

} // namespace weft

#endif // WEFT_COMPILER_GRAPH_DIMOPTION_H
