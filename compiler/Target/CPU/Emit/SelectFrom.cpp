// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of numbers by the lowest bit, pairs of those by the next one, and so on.
#include "compiler/Target/CPU/Emit/SelectFrom.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value weft::cpu::selectFrom(OpBuilder &builder, Location location, Value index, ArrayRef<float> table) {
  Type words = index.getType(), float32 = builder.getF32Type();
  auto vector = dyn_cast<VectorType>(words);
  auto constant = [&](Type type, Attribute one) -> Value {
    auto shaped = dyn_cast<VectorType>(type);
    return arith::ConstantOp::create(builder, location,
                                     shaped ? cast<TypedAttr>(DenseElementsAttr::get(shaped, one))
                                            : cast<TypedAttr>(one));
  };
  Type floats = vector ? Type(vector.clone(float32)) : float32;
  SmallVector<Value> numbers;
  for (float number : table)
    numbers.push_back(constant(floats, builder.getF32FloatAttr(number)));
  Value none = constant(words, builder.getI32IntegerAttr(0));
  for (int32_t mask = 1; numbers.size() > 1; mask *= 2) {
    Value bit =
        arith::AndIOp::create(builder, location, index, constant(words, builder.getI32IntegerAttr(mask)));
    Value isSet = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, bit, none);
    for (size_t i = 0; i < numbers.size() / 2; ++i)
      numbers[i] = arith::SelectOp::create(builder, location, isSet, numbers[2 * i + 1], numbers[2 * i]);
    numbers.truncate(numbers.size() / 2);
  }
  return numbers.front();
}
