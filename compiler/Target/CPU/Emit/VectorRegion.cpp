// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar regions on vectors: every operation in them is elementwise, so it exists on vectors under its own
// name.
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft::cpu;

/// The operation on vectors; all of its operands are vectors already.
static void emitOnVectors(Emitter &emitter, Operation &op, int64_t lanes, IRMapping &vectors) {
  OperationState state(emitter.location, op.getName());
  state.addAttributes(op.getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  for (Value operand : op.getOperands())
    state.operands.push_back(vectors.lookup(operand));
  for (Type type : op.getResultTypes())
    state.types.push_back(VectorType::get(lanes, type));
  vectors.map(op.getResults(), emitter.builder.create(state)->getResults());
}

FailureOr<Value> weft::cpu::emitVectorRegion(Emitter &emitter, Block &block, ValueRange arguments,
                                             int64_t lanes, llvm::function_ref<Value(int64_t)> position) {
  IRMapping vectors;
  for (auto [argument, vector] : llvm::zip(block.getArguments(), arguments))
    if (vector)
      vectors.map(argument, vector);
  for (Operation &op : block) {
    for (Value operand : op.getOperands())
      if (!vectors.contains(operand) && operand.getParentBlock() != &block)
        vectors.map(operand, emitter.splat(operand, lanes));
    if (op.hasTrait<OpTrait::IsTerminator>())
      return vectors.lookup(op.getOperand(0));
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      vectors.map(index.getResult(), position(index.getDim()));
    else if (op.hasTrait<OpTrait::ConstantLike>())
      vectors.map(op.getResult(0), emitter.splat(emitter.builder.clone(op)->getResult(0), lanes));
    else if (OpTrait::hasElementwiseMappableTraits(&op))
      emitOnVectors(emitter, op, lanes, vectors);
    else
      return op.emitError("has no vector form; expects an elementwise operation in the region of a kernel");
  }
  return failure();
}
