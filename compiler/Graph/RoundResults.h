// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are read only to be rounded to bf16 are rounded where they are made.
#ifndef WEFT_COMPILER_GRAPH_ROUNDRESULTS_H
#define WEFT_COMPILER_GRAPH_ROUNDRESULTS_H

#include "dialects/Weft/IR/Weft.h"

namespace weft::graph {

/// Whether an operation rounds f32 to bf16.
bool isRounding(mlir::Operation *op);
/// Has what rounds an operation's result replaced, which may have other users.
void replaceRoundings(mlir::Operation *op, mlir::Value by);
/// Gives a value another element type.
void setElement(mlir::Value value, mlir::Type element);
/// Has a product, if all users round its result, round sums of f32 behind its epilogue.
void roundResult(MatmulOp product);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ROUNDRESULTS_H
