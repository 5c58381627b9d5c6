// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What equations between dims say of symbols: one symbol is another, a sum of others, or a number.
#ifndef WEFT_COMPILER_GRAPH_DIMSOLUTIONS_H
#define WEFT_COMPILER_GRAPH_DIMSOLUTIONS_H

#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace weft::graph {

/// Symbols of a function with what they turned out to be.
///
/// A symbol of an input is only solved for if every symbol that takes its place still is by itself a dim of
/// some input, so that a session can bind it, and if what takes its place can be no less than 0. The input's
/// own dim becomes the expression, and so a session checks the equation when it checks the input's shape. A
/// symbol that an input's element gives a value to is never solved for.
class DimSolutions {
public:
  explicit DimSolutions(mlir::func::FuncOp function);

  /// Takes left == right for granted, if that gives a symbol: of several the one that the latest input
  /// brings. False if it gives none; then it needs a guard.
  bool solve(Dim left, Dim right);
  /// Says what a symbol is that no input gives a size to; false for another one.
  bool define(llvm::StringRef symbol, Dim value);

  /// Says that a symbol is 0, which a session checks by itself.
  void drop(llvm::StringRef symbol);

  Dim apply(Dim dim) const;

private:
  void add(llvm::StringRef symbol, Dim value);

  mlir::MLIRContext *context;
  llvm::StringSet<> elements;                      ///< symbols that elements of inputs give values to
  llvm::StringMap<unsigned> inputOrder;            ///< symbols that are dims of inputs, by first occurrence
  llvm::MapVector<llvm::StringRef, Dim> solutions; ///< free of the symbols that they are for
};

/// Replaces every dim in the types and attributes of a function, arguments and guards included.
void replaceDims(mlir::func::FuncOp function, llvm::function_ref<Dim(Dim)> replacement);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_DIMSOLUTIONS_H
