// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims as people and exporters write them: `past_length + length`.
#ifndef WEFT_DIALECTS_WEFT_IR_DIMTEXT_H
#define WEFT_DIALECTS_WEFT_IR_DIMTEXT_H

#include "dialects/Weft/IR/Dims.h"
#include "llvm/ADT/StringSet.h"

namespace weft {

/// Reads sums, differences, products and floor divisions (`//`) of names and numbers, with parentheses. Null
/// if the text is none, or a name in it is not among `names`.
Dim parseDimText(mlir::MLIRContext *context, const llvm::StringSet<> &names, llvm::StringRef text);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_DIMTEXT_H
