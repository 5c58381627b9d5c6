// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What weft.state says of a program's argument.
#ifndef WEFT_DIALECTS_WEFT_IR_STATEGROWTH_H
#define WEFT_DIALECTS_WEFT_IR_STATEGROWTH_H

#include "dialects/Weft/IR/Dims.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft {

/// How a state grows: a run appends positions along an axis, for which there is room up to a capacity.
struct StateGrowth {
  int64_t axis, capacity;
  Dim next; ///< positions after a run

  /// Reads the attribute's dictionary; nothing if it is none, or lacks an entry.
  static std::optional<StateGrowth> get(mlir::Attribute attribute);
  mlir::DictionaryAttr getAttr() const;
};

/// Checks each of a program's arguments with weft.state: a tensor or buffer with the capacity as its dim, and
/// weft.dims of its rank. IR that a person wrote need not be so.
llvm::LogicalResult verifyStates(mlir::func::FuncOp program);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_STATEGROWTH_H
