// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/DeadOperations.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

void weft::graph::eraseDead(mlir::Block &block) {
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}
