// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft.constant: syntax, types, and what is known of its elements.
#include "dialects/Weft/IR/ExactFloats.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  Attribute value;
  Type type;
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  // `dense<...> : tensor<...>` carries its type, `weight<...>` is followed by it. (Were it written
  // `#weft.weight<...> : tensor<...>`, the attribute's parser would take the type for itself.)
  if (succeeded(parser.parseOptionalKeyword("weight"))) {
    value = WeightAttr::parse(parser, Type());
    if (!value || parser.parseColonType(type))
      return failure();
  } else {
    if (parser.parseAttribute(value))
      return failure();
    auto typed = dyn_cast<TypedAttr>(value);
    if (!typed)
      return parser.emitError(parser.getNameLoc(), "expects dense<...> or weight<...>");
    type = typed.getType();
  }
  result.addAttribute("value", value);
  result.addTypes(type);
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ';
  auto weight = dyn_cast<WeightAttr>(getValue());
  if (!weight)
    return printer.printAttribute(getValue());
  printer << "weight";
  weight.print(printer);
  printer << " : " << getType();
}

LogicalResult ConstantOp::inferTypes(InferContext &, SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return emitOpError("constant-c1: expects a static type, got ") << describeType(getType());
  types.push_back(type);
  if (auto dense = dyn_cast<DenseElementsAttr>(getValue())) {
    if (dense.getType() != type)
      return emitOpError("constant-c2: data of type ") << dense.getType() << " for " << type;
    return success();
  }
  auto weight = dyn_cast<WeightAttr>(getValue());
  if (!weight)
    return emitOpError("constant-c2: expects dense data or #weft.weight");
  int64_t bytes = type.getNumElements() * getElementBytes(type.getElementType());
  if (weight.getBytes() != bytes)
    return emitOpError("constant-c2: a handle of ") << weight.getBytes() << " bytes for a type of " << bytes;
  return success();
}

/// A float as a dim, if it is an integer.
static Dim wholeNumber(MLIRContext *context, const APFloat &value) {
  llvm::APSInt number(64, /*isUnsigned=*/false);
  bool isExact = false;
  APFloat::opStatus status = value.convertToInteger(number, APFloat::rmTowardZero, &isExact);
  return status == APFloat::opOK && isExact ? Dim::constant(context, number.getSExtValue()) : Dim();
}

Contents ConstantOp::inferContents(InferContext &) {
  auto dense = dyn_cast<DenseElementsAttr>(getValue());
  if (!dense || dense.getNumElements() > kMaxKnownElements)
    return std::nullopt;
  SmallVector<Dim> result;
  if (isa<FloatType>(dense.getElementType())) {
    for (const APFloat &value : dense.getValues<APFloat>())
      result.push_back(wholeNumber(getContext(), value));
    return result;
  }
  // Narrow and unsigned integers wrap, and expressions do not: their arithmetic is not followed.
  auto type = dyn_cast<IntegerType>(dense.getElementType());
  bool isBool = type && type.isInteger(1);
  if (!type || !type.isSignless() || (!isBool && type.getWidth() < 32))
    return std::nullopt;
  for (const APInt &value : dense.getValues<APInt>())
    result.push_back(Dim::constant(getContext(), isBool ? value.getZExtValue() : value.getSExtValue()));
  return result;
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
