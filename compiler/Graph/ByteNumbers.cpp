// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are made of bytes.
#include "compiler/Graph/ByteNumbers.h"
#include "compiler/Graph/ConstantEvaluation.h"

using namespace mlir;
using namespace weft;
using weft::graph::ByteNumbers;

std::optional<ByteNumbers> weft::graph::matchByteNumbers(Value value) {
  ByteNumbers numbers;
  numbers.element = getElementTypeOrSelf(value);
  auto dims = getDims(value);
  if (auto mul = value.getDefiningOp<MulOp>(); mul && numbers.element.isF32()) {
    numbers.scale = mul.getRhs();
    value = mul.getLhs();
  }
  if (auto sub = value.getDefiningOp<SubOp>()) {
    numbers.zero = sub.getRhs();
    value = sub.getLhs();
  }
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast || !getElementTypeOrSelf(cast.getInput()).isInteger(8))
    return std::nullopt;
  numbers.bytes = cast.getInput();
  auto plain = getDims(numbers.bytes);
  if (!dims || !plain || !provablyEqualShapes(*dims, *plain))
    return std::nullopt;
  return numbers;
}

Value ByteNumbers::make(OpBuilder &builder, Location location) const {
  auto type = getTensorType(*getDims(bytes), element);
  Value made = CastOp::create(builder, location, type, bytes, element);
  if (zero)
    made = SubOp::create(builder, location, type, made, zero);
  return scale ? Value(MulOp::create(builder, location, type, made, scale)) : made;
}

FailureOr<Value> weft::graph::findConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ConstantOp>(op))
    return value;
  if (!isa_and_nonnull<CastOp, ReshapeOp, TransposeOp>(op))
    return Value();
  FailureOr<Value> source = findConstant(op->getOperand(0));
  if (failed(source) || !*source)
    return source;
  op->setOperand(0, *source);
  return graph::hasConstantOperands(op) ? graph::evaluateToConstant(op) : FailureOr<Value>(Value());
}

FailureOr<std::optional<SmallVector<int64_t>>> weft::graph::readZeros(Value zero) {
  using Zeros = std::optional<SmallVector<int64_t>>;
  if (!zero)
    return Zeros(SmallVector<int64_t>{0});
  FailureOr<Value> constant = findConstant(zero);
  if (failed(constant))
    return failure();
  if (!*constant)
    return Zeros();
  FailureOr<Tensor> tensor = graph::readTensor((*constant).getDefiningOp<ConstantOp>());
  if (failed(tensor))
    return failure();
  SmallVector<int64_t> zeros;
  for (int64_t i = 0; i < tensor->getNumElements(); ++i) {
    zeros.push_back(tensor->getInteger(i)); // of a float, toward zero
    if (tensor->isFloat() && tensor->getFloat(i) != double(zeros.back()))
      return Zeros();
  }
  return Zeros(zeros);
}

FailureOr<bool> weft::graph::isInteger(Value zero) {
  if (!zero || isa<IntegerType>(getElementTypeOrSelf(zero)))
    return true;
  if (auto cast = zero.getDefiningOp<CastOp>())
    return getElementTypeOrSelf(cast.getInput()).isInteger(8);
  auto zeros = readZeros(zero);
  if (failed(zeros))
    return failure();
  return *zeros && llvm::all_of(**zeros, isOfByte);
}
