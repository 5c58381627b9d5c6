// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/DeadOperations.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

void weft::graph::eraseDead(mlir::Block &block) {
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
    else if (auto loop = mlir::dyn_cast<LoopOp>(op))
      eraseDead(loop.getBlock());
}
