// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the cta dialect, and the constraints of its operations.
#include "dialects/Cta/IR/Cta.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::cta;

#include "dialects/Cta/IR/CtaDialect.cpp.inc"
#include "dialects/Cta/IR/CtaEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Cta/IR/CtaTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Cta/IR/CtaOps.cpp.inc"

void CtaDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Cta/IR/CtaTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Cta/IR/CtaOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Cta/IR/CtaHopperOps.cpp.inc"
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
  if (getGpu() && *getGpu() != CtaDialect::kHopper)
    return emitOpError("kernel-c5: expects \"") << CtaDialect::kHopper << "\", got \"" << *getGpu() << "\"";
  if (getPiece() && !llvm::isPowerOf2_64(*getPiece()))
    return emitOpError("kernel-c6: expects a piece of a power of two of lanes, got ") << int64_t(*getPiece());
  if (getCluster() && (!llvm::is_contained({2, 4, 8}, *getCluster()) || !getPersistent() || !getGpu()))
    return emitOpError("kernel-c7: expects clusters of 2, 4 or 8 blocks, of a persistent kernel for \"")
           << CtaDialect::kHopper << "\", got " << int64_t(*getCluster());
  if (int64_t blocks = getBlocksAtOnce();
      blocks <= 0 || blocks > CtaDialect::kMostResidentThreads / int64_t(getThreads()))
    return emitOpError("kernel-c9: expects blocks of at most ")
           << CtaDialect::kMostResidentThreads << " threads for a processor, got " << blocks << " of "
           << int64_t(getThreads());
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  int64_t bytes = getSharedOffsets().back(),
          most = getGpu() ? CtaDialect::kMostSharedBytesOfHopper : CtaDialect::kMostSharedBytes;
  if (bytes > most)
    return emitOpError("kernel-c4: expects a block to share at most ") << most << " bytes, got " << bytes;
  WalkResult clusters = walk([&](Operation *op) {
    auto load = dyn_cast<LoadTileOp>(op);
    auto arrive = dyn_cast<MbarrierArriveOp>(op);
    bool isOfCluster =
        isa<ClusterBarrierOp>(op) || (load && load.getToCluster()) || (arrive && arrive.getBlock());
    if (!isOfCluster || getCluster())
      return WalkResult::advance();
    op->emitOpError("kernel-c8: expects to be in a kernel with clusters of blocks");
    return WalkResult::interrupt();
  });
  return failure(clusters.wasInterrupted());
}

SmallVector<int64_t> KernelOp::getSharedOffsets() {
  constexpr int64_t kAlignment = 128; // of what threads copy in the widest pieces
  SmallVector<int64_t> offsets;
  int64_t end = 0;
  walk([&](SharedOp op) {
    auto type = cast<MemRefType>(op.getType());
    int64_t bytes = llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8);
    offsets.push_back(llvm::alignTo(end, op.getAlignment().value_or(kAlignment)));
    end = offsets.back() + llvm::alignTo(bytes, kAlignment);
  });
  offsets.push_back(end);
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
  if (int64_t alignment = getAlignment().value_or(128); alignment < 128 || !llvm::isPowerOf2_64(alignment))
    return emitOpError("shared-c2: expects an alignment that is a power of two of 128 at least, got ")
           << alignment;
  return success();
}

//===----------------------------------------------------------------------===//
// copies
//===----------------------------------------------------------------------===//

bool weft::cta::isLine(MemRefType type) {
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
  unsigned bits = from.getElementTypeBitWidth();
  if (isLine(from) && isShared(from) && (bits == 16 || ((bits == 8 || bits == 32) && !getTransposed())))
    return success();
  return emitOpError("load-matrices-c1: expects a contiguous memref of one dimension, of elements of 16 "
                     "bits, or of 8 "
                     "or 32 if not transposed, in shared memory, got ")
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
  Type sum = getC().getType().getElementType(), element = getElement();
  bool areFloats = (element.isF16() || element.isBF16() || element.isTF32()) && sum.isF32();
  if (getC().getType() == getResult().getType() && (areFloats || (element.isInteger(8) && sum.isInteger(32))))
    return success();
  return emitOpError("mma-c1: expects elements of f16, bf16 or tf32 and sums of f32, or i8 and i32, got ")
         << element << " and " << getResult().getType();
}
