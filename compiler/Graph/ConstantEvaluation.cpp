// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From constants to tensors, through the evaluator, and back.
#include "compiler/Graph/ConstantEvaluation.h"
#include "dialects/Weft/Evaluate/Evaluate.h"

using namespace mlir;
using namespace weft;

bool weft::graph::hasConstantOperands(Operation *op) {
  // A loop may run for any time.
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 || !isa<EvaluateInterface>(op) || isa<LoopOp>(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() &&
         llvm::all_of(op->getOperands(), [](Value value) { return value.getDefiningOp<ConstantOp>(); });
}

FailureOr<Tensor> weft::graph::readTensor(ConstantOp constant) {
  SmallVector<char> storage;
  FailureOr<ArrayRef<char>> bytes = readConstant(constant, storage);
  if (failed(bytes))
    return failure();
  auto type = cast<RankedTensorType>(constant.getType());
  Tensor tensor = Tensor::fromBytes(type.getElementType(), type.getShape(), *bytes);
  if (!tensor)
    return constant.emitError() << "a constant of " << type << " does not fit into memory";
  return tensor;
}

FailureOr<Value> weft::graph::evaluateToConstant(Operation *op) {
  SmallVector<Tensor> operands;
  for (Value value : op->getOperands()) {
    FailureOr<Tensor> operand = readTensor(value.getDefiningOp<ConstantOp>());
    if (failed(operand))
      return failure();
    operands.push_back(std::move(*operand));
  }
  EvaluateContext context;
  FailureOr<SmallVector<Tensor>> results = evaluateOperation(op, operands, context);
  if (failed(results))
    return failure();
  const Tensor &result = results->front(); // the only one: hasConstantOperands
  FailureOr<Attribute> value = makeConstant(result.getType(), op->getLoc(), [&](MutableArrayRef<char> bytes) {
    llvm::copy(result.getBytes(), bytes.begin());
  });
  if (failed(value))
    return failure();
  OpBuilder builder(op);
  return Value(ConstantOp::create(builder, op->getLoc(), result.getType(), *value));
}
