// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the operations of a function are.
#ifndef WEFT_COMPILER_GRAPH_BODIES_H
#define WEFT_COMPILER_GRAPH_BODIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft::graph {

/// The function's block and those of its loops, each before the ones in it. They share no values, so that a
/// pass which makes something that several operations use makes it for each block.
llvm::SmallVector<mlir::Block *> getBodies(mlir::func::FuncOp function);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_BODIES_H
