// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Bodies.h"
#include "dialects/Weft/IR/Weft.h"

llvm::SmallVector<mlir::Block *> weft::graph::getBodies(mlir::func::FuncOp function) {
  llvm::SmallVector<mlir::Block *> bodies{&function.front()};
  function.walk<mlir::WalkOrder::PreOrder>([&](LoopOp loop) { bodies.push_back(&loop.getBlock()); });
  return bodies;
}
