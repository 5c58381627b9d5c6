// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose result is bf16 though their sums are f32.
#include "compiler/Graph/RoundResults.h"
#include "compiler/Graph/MatrixWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;

bool graph::isRounding(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  return cast && cast.getTo().isBF16() && getElementTypeOrSelf(cast.getInput()).isF32();
}

void graph::replaceRoundings(Operation *op, Value by) {
  for (Operation *user : llvm::to_vector(op->getUsers()))
    if (isRounding(user)) {
      user->getResult(0).replaceAllUsesWith(by);
      user->erase();
    }
}

void graph::setElement(Value value, Type element) { value.setType(getTensorType(*getDims(value), element)); }

void graph::roundResult(MatmulOp product) {
  bool hasFloatSums = product.getF32Sums() || product.hasPairs();
  if (!hasFloatSums || product->use_empty() || !llvm::all_of(product->getUsers(), isRounding))
    return;
  Operation *yield = getOrCreateEpilogue(product).getTerminator();
  OpBuilder builder(yield);
  Type bf16 = builder.getBF16Type();
  yield->setOperand(0, arith::TruncFOp::create(builder, yield->getLoc(), bf16, yield->getOperand(0)));
  replaceRoundings(product, product.getResult());
  setElement(product.getResult(), bf16);
}
