// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One list, read both ways.
#include "compiler/Artifact/DType.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

Type weft::getElementType(MLIRContext *context, WeftDType dtype) {
  Builder builder(context);
  auto natural = [&](unsigned width) { return builder.getIntegerType(width, /*isSigned=*/false); };
  switch (dtype) {
  case WEFT_DTYPE_BOOL:
    return builder.getI1Type();
  case WEFT_DTYPE_I8:
    return builder.getI8Type();
  case WEFT_DTYPE_I16:
    return builder.getI16Type();
  case WEFT_DTYPE_I32:
    return builder.getI32Type();
  case WEFT_DTYPE_I64:
    return builder.getI64Type();
  case WEFT_DTYPE_U8:
    return natural(8);
  case WEFT_DTYPE_U16:
    return natural(16);
  case WEFT_DTYPE_U32:
    return natural(32);
  case WEFT_DTYPE_U64:
    return natural(64);
  case WEFT_DTYPE_F16:
    return builder.getF16Type();
  case WEFT_DTYPE_BF16:
    return builder.getBF16Type();
  case WEFT_DTYPE_F32:
    return builder.getF32Type();
  case WEFT_DTYPE_F64:
    return builder.getF64Type();
  case WEFT_DTYPE_I4:
    return builder.getIntegerType(4);
  case WEFT_DTYPE_U4:
    return natural(4);
  case WEFT_DTYPE_I2:
    return builder.getIntegerType(2);
  case WEFT_DTYPE_U2:
    return natural(2);
  case WEFT_DTYPE_F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case WEFT_DTYPE_F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case WEFT_DTYPE_F8E5M2:
    return Float8E5M2Type::get(context);
  case WEFT_DTYPE_F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case WEFT_DTYPE_F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case WEFT_DTYPE_F4E2M1FN:
    return Float4E2M1FNType::get(context);
  }
  return nullptr;
}

std::optional<WeftDType> weft::getDType(Type element) {
  for (int dtype = WEFT_DTYPE_BOOL; dtype <= WEFT_DTYPE_F4E2M1FN; ++dtype)
    if (getElementType(element.getContext(), WeftDType(dtype)) == element)
      return WeftDType(dtype);
  return std::nullopt;
}
