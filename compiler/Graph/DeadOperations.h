// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left over after a pass has replaced values.
#ifndef WEFT_COMPILER_GRAPH_DEADOPERATIONS_H
#define WEFT_COMPILER_GRAPH_DEADOPERATIONS_H

#include "mlir/IR/Block.h"

namespace weft::graph {

/// Erases operations whose results nothing uses, and then those that only they used, of the block and of the
/// loops in it.
void eraseDead(mlir::Block &block);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_DEADOPERATIONS_H
