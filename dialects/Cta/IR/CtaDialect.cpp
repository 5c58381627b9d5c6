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
// mma
//===----------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  if (getElement().isF16() || getElement().isBF16())
    return success();
  return emitOpError("mma-c1: expects elements of f16 or bf16, got ") << getElement();
}
