// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which convolutions are products of windows of bytes.
#include "compiler/Graph/ByteNumbers.h"
#include "compiler/Graph/Moves.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

/// A zero point as the byte that it is; null if that is not known. `zero` is not null.
static FailureOr<Value> findByte(OpBuilder &builder, Value zero, Type byte) {
  auto cast = zero.getDefiningOp<CastOp>();
  if (cast && getElementTypeOrSelf(cast.getInput()) == byte)
    return cast.getInput();
  auto zeros = readZeros(zero);
  if (failed(zeros))
    return failure();
  bool isSigned = !byte.isUnsignedInteger();
  if (!*zeros || (*zeros)->size() != 1 ||
      !(isSigned ? llvm::isInt<8>((*zeros)->front()) : llvm::isUInt<8>((*zeros)->front())))
    return Value();
  return makeScalar(builder, zero.getLoc(), builder.getIntegerAttr(byte, (*zeros)->front()));
}

/// Whether there is one element in all.
static bool isSingle(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

/// What belongs to the outputs of a filter, as a column or a scalar; null if it does not.
static Value asColumnOfOutputs(OpBuilder &builder, Value value, Dim outputs) {
  MLIRContext *context = builder.getContext();
  if (isSingle(value))
    return makeReshape(builder, value.getLoc(), value, {});
  auto dims = getDims(value);
  auto isOne = [](Dim dim) { return dim && dim.getConstant() == 1; };
  bool isColumn =
      dims && !dims->empty() && dims->front() == outputs && llvm::all_of(llvm::drop_begin(*dims), isOne);
  return isColumn ? makeReshape(builder, value.getLoc(), value, {outputs, Dim::constant(context, 1)})
                  : Value();
}

LogicalResult weft::graph::makeByteProduct(ConvOp op) {
  std::optional<ByteNumbers> input = matchByteNumbers(op.getInput()),
                             filter = input ? matchByteNumbers(op.getFilter()) : std::nullopt;
  if (!filter || op.getGroups() != 1 || !isKnownType(op.getType()))
    return success();
  FailureOr<Value> taps = findConstant(filter->bytes);
  if (failed(taps) || !*taps)
    return failure(failed(taps));
  filter->bytes = *taps;
  for (Value part : {input->zero, input->scale})
    if (part && !isSingle(part))
      return success();
  IRRewriter rewriter(op);
  Dim outputs = getDims(filter->bytes)->front();
  Value zero;
  if (input->zero) {
    FailureOr<bool> hasInteger = isInteger(input->zero);
    FailureOr<Value> byte = findByte(rewriter, input->zero, getElementTypeOrSelf(input->bytes));
    if (failed(hasInteger) || failed(byte))
      return failure();
    if (!*hasInteger || !*byte)
      return success();
    zero = makeReshape(rewriter, op.getLoc(), *byte, {});
  }
  for (Value *part : {&input->zero, &input->scale})
    if (*part)
      *part = makeReshape(rewriter, op.getLoc(), *part, {});
  for (Value *part : {&filter->zero, &filter->scale}) {
    Value column = *part ? asColumnOfOutputs(rewriter, *part, outputs) : Value();
    if (bool(*part) != bool(column))
      return success();
    *part = column;
  }
  rewriteConvOfBytes(op, *input, zero, *filter, rewriter);
  return success();
}
