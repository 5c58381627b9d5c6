// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are made of bytes.
#include "compiler/Graph/ByteNumbers.h"

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
