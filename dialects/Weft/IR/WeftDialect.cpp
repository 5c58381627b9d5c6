// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the dialect, and what belongs to no family.
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

#include "dialects/Weft/IR/WeftDialect.cpp.inc"
#include "dialects/Weft/IR/WeftEnums.cpp.inc"
#include "dialects/Weft/IR/WeftInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Weft/IR/WeftAttrs.cpp.inc"

namespace {
/// Constants stay in epilogues: these are isolated in meaning, and a kernel is made of what is in them.
struct KeepConstantsInEpilogues : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const override {
    return isa<AttentionOp, AttentionTileOp, MatmulOp, GemmTileOp, AddPartsTileOp>(region->getParentOp());
  }
};
} // namespace

void WeftDialect::initialize() {
  addInterfaces<KeepConstantsInEpilogues>();
  weights = std::make_shared<WeightStore>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Weft/IR/WeftAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftAttentionOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftContractionOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftControlOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftElementwiseOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftIndexOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftNormOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftQuantizeOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftReductionOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftShapeOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Weft/IR/WeftStepOps.cpp.inc"
      >();
}

LogicalResult WeightGroupsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t bits,
                                       int64_t rows, bool, DenseF32ArrayAttr table) {
  if (bits != 2 && bits != 4 && bits != 8)
    return emitError() << "expects numbers of 2, 4 or 8 bits, got " << bits;
  if (rows <= 0 || kMostRows % rows != 0 || rows % (32 / bits) != 0)
    return emitError() << "expects groups of rows that divide " << kMostRows << " and fill words, got "
                       << rows;
  if (table && (bits > 4 || table.size() != int64_t(1) << bits))
    return emitError() << "expects a table of 2^bits numbers, of at most 4 bits, got " << table.size()
                       << " of " << bits << " bits";
  return success();
}

int64_t WeightGroupsAttr::rowsFor(int64_t depth) {
  return std::clamp(int64_t(llvm::PowerOf2Ceil(uint64_t(depth))), kFewestRows, kMostRows);
}

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  if (getDims().size() != shape.size())
    return emitError() << "expects an expression for each of " << shape.size() << " dims, got "
                       << getDims().size();
  for (auto [size, dim] : llvm::zip(shape, getDims()))
    if (size != Dim(dim).getConstant().value_or(ShapedType::kDynamic))
      return emitError()
             << "expects a dim that is static in the type if its expression is a constant, and that "
                "constant then; got "
             << Dim(dim).toString();
  return success();
}

Operation *WeftDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location location) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !isa<DenseElementsAttr, WeightAttr>(value))
    return nullptr;
  return ConstantOp::create(builder, location, type, value);
}

std::string weft::getNodeName(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location inner : fused.getLocations())
      if (std::string name = getNodeName(inner); !name.empty())
        return name;
  return "";
}

std::string weft::getNodeName(Operation *op) {
  std::string name = getNodeName(op->getLoc());
  return name.empty() ? op->getName().getStringRef().str() : name;
}

int64_t weft::getElementBytes(Type element) { return (element.getIntOrFloatBitWidth() + 7) / 8; }

bool weft::isCompactFloat(Type element) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType, Float8E8M0FNUType,
             Float4E2M1FNType>(element);
}

bool weft::isCompact(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return isCompactFloat(element) || (integer && (integer.getWidth() == 2 || integer.getWidth() == 4));
}
