// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An Einstein summation's equation, with its ellipses spelled out for given ranks.
#ifndef WEFT_DIALECTS_WEFT_IR_EINSUMEQUATION_H
#define WEFT_DIALECTS_WEFT_IR_EINSUMEQUATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace weft {

/// The name of each dim. A letter is its character; the dims under an ellipsis, right-aligned, are negative:
/// -1 is the last of them.
struct EinsumEquation {
  llvm::SmallVector<llvm::SmallVector<int>> inputs;
  llvm::SmallVector<int> output;

  static bool isEllipsis(int label) { return label < 0; }

  /// Reads an equation for inputs of these ranks; nothing, and why, if it does not fit them. Spaces mean
  /// nothing.
  static std::optional<EinsumEquation> parse(llvm::StringRef text, llvm::ArrayRef<int64_t> ranks,
                                             std::string &error);
};

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_EINSUMEQUATION_H
