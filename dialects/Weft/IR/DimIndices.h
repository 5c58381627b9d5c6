// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims as index values of a program, computed once each from its symbols.
#ifndef WEFT_DIALECTS_WEFT_IR_DIMINDICES_H
#define WEFT_DIALECTS_WEFT_IR_DIMINDICES_H

#include "dialects/Weft/IR/Dims.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace weft {

/// Computes dims at the start of a program, whose first arguments are the symbols that its attribute
/// `weft.symbols` names.
class DimIndices {
public:
  explicit DimIndices(mlir::func::FuncOp program);
  /// The value of a dim; it dominates everything but other index arithmetic.
  mlir::Value get(Dim dim);

private:
  mlir::Value combine(DimKind kind, mlir::Value left, mlir::Value right);

  mlir::func::FuncOp program;
  mlir::OpBuilder builder;
  llvm::StringMap<mlir::Value> symbols;
  llvm::DenseMap<mlir::Attribute, mlir::Value> known;
};

/// Checks that the program's first arguments are the indices that `weft.symbols` names, that nothing in it
/// asks for another symbol, and that it is one block that returns: IR that a person wrote need not be so.
llvm::LogicalResult verifySymbols(mlir::func::FuncOp program);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_DIMINDICES_H
