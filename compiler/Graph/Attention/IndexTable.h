// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants whose elements follow from their place: positions that were counted, masks that were drawn.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_INDEXTABLE_H
#define WEFT_COMPILER_GRAPH_ATTENTION_INDEXTABLE_H

#include "dialects/Weft/IR/Weft.h"

namespace weft::graph {

/// The elements of a constant as a formula of their place; its dims that are not 1 are `dims`.
struct IndexTable {
  llvm::SmallVector<unsigned, 2> dims;
  /// One dim: element = first + step * place.
  int64_t first = 0, step = 0;
  /// Two dims: element = column - row <= diagonal ? below : above.
  mlir::TypedAttr below, above;
  int64_t diagonal = 0;
};

/// Nothing if the elements follow no such formula, or if there is one element alone.
std::optional<IndexTable> findIndexTable(ConstantOp constant);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_INDEXTABLE_H
