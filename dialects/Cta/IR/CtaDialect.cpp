// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the cta dialect, and the constraints of its operations.
#include "dialects/Cta/IR/Cta.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace weft::cta;

#include "dialects/Cta/IR/CtaDialect.cpp.inc"
#include "dialects/Cta/IR/CtaEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Cta/IR/CtaOps.cpp.inc"

void CtaDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Cta/IR/CtaOps.cpp.inc"
      >();
}

bool weft::cta::isShared(MemRefType type) {
  auto space = dyn_cast_or_null<IntegerAttr>(type.getMemorySpace());
  return space && space.getInt() == CtaDialect::kShared;
}

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

static bool isKernelArgument(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? memref.getLayout().isIdentity() && !memref.getMemorySpace() : type.isIntOrIndexOrFloat();
}

LogicalResult KernelOp::verify() {
  ArrayRef<Type> types = getArgumentTypes();
  if (types.empty() || !types.front().isIndex() || !getResultTypes().empty() || getBody().empty() ||
      !llvm::all_of(types, isKernelArgument))
    return emitOpError("kernel-c1: expects an index and then contiguous memrefs of the device or scalars as "
                       "arguments, and no result");
  if (int64_t(getThreads()) <= 0 || getThreads() % CtaDialect::kWarpThreads != 0 ||
      int64_t(getThreads()) > CtaDialect::kMostThreads)
    return emitOpError("kernel-c2: expects a multiple of ")
           << CtaDialect::kWarpThreads << " threads, at most " << CtaDialect::kMostThreads << ", got "
           << int64_t(getThreads());
  if (int64_t(getTiles()) <= 0)
    return emitOpError("kernel-c3: expects a number of tiles for a block, got ") << int64_t(getTiles());
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  int64_t bytes = getSharedOffsets().back();
  if (bytes > CtaDialect::kMostSharedBytes)
    return emitOpError("kernel-c4: expects a block to share at most ")
           << CtaDialect::kMostSharedBytes << " bytes, got " << bytes;
  return success();
}

SmallVector<int64_t> KernelOp::getSharedOffsets() {
  constexpr int64_t kAlignment = 128; // of what threads copy in the widest pieces
  SmallVector<int64_t> offsets{0};
  walk([&](SharedOp op) {
    auto type = cast<MemRefType>(op.getType());
    int64_t bytes = llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8);
    offsets.push_back(offsets.back() + llvm::alignTo(bytes, kAlignment));
  });
  return offsets;
}

LogicalResult AddressOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr()))
    return success();
  return emitOpError("address-c1: there is no kernel @") << getKernel();
}

//===----------------------------------------------------------------------===//
// shared
//===----------------------------------------------------------------------===//

LogicalResult SharedOp::verify() {
  auto type = cast<MemRefType>(getType());
  if (!isShared(type) || !type.getLayout().isIdentity() || !type.getElementType().isIntOrFloat())
    return emitOpError("shared-c1: expects a contiguous memref of numbers in memory space ")
           << CtaDialect::kShared << ", got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// copies
//===----------------------------------------------------------------------===//

/// Whether a memref is a line of numbers, as copies and matrices take them.
static bool isLine(MemRefType type) {
  return type.getRank() == 1 && type.getLayout().isIdentity() && type.getElementType().isIntOrFloat();
}

LogicalResult CopyOp::verify() {
  auto from = cast<MemRefType>(getFrom().getType()), to = cast<MemRefType>(getTo().getType());
  bool isPossible = isLine(from) && isLine(to) && !from.getMemorySpace() && isShared(to) &&
                    from.getElementType() == to.getElementType() &&
                    llvm::is_contained({8, 16, 32}, from.getElementTypeBitWidth());
  return isPossible
             ? success()
             : emitOpError("copy-c1: expects contiguous memrefs of one dimension and of the same numbers of "
                           "8, 16 or 32 bits, to shared memory, got ")
                   << from << " and " << to;
}

LogicalResult WaitCopiesOp::verify() {
  if (int64_t(getPending()) >= 0)
    return success();
  return emitOpError("wait-copies-c1: expects a number of groups, got ") << int64_t(getPending());
}

void LoadMatricesOp::build(OpBuilder &builder, OperationState &state, Value from, Value at, bool transposed) {
  build(builder, state, VectorType::get({4}, builder.getI32Type()), from, at,
        transposed ? builder.getUnitAttr() : UnitAttr());
}

LogicalResult LoadMatricesOp::verify() {
  auto from = cast<MemRefType>(getFrom().getType());
  if (isLine(from) && isShared(from) && from.getElementTypeBitWidth() == 16)
    return success();
  return emitOpError(
             "load-matrices-c1: expects a contiguous memref of one dimension, of elements of 16 bits, in "
             "shared memory, got ")
         << from;
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

LogicalResult PackOp::verify() {
  if (getElement().isF16() || getElement().isBF16())
    return success();
  return emitOpError("pack-c1: expects elements of f16 or bf16, got ") << getElement();
}

LogicalResult MmaOp::verify() {
  if (getElement().isF16() || getElement().isBF16())
    return success();
  return emitOpError("mma-c1: expects elements of f16 or bf16, got ") << getElement();
}
