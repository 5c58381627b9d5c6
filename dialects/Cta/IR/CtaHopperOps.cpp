// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constraints of the operations that sm_90a has.
#include "dialects/Cta/IR/Cta.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace weft::cta;

#define GET_OP_CLASSES
#include "dialects/Cta/IR/CtaHopperOps.cpp.inc"

LogicalResult SetRegistersOp::verify() {
  int64_t count = getRegisters();
  if (count >= 24 && count <= 256 && count % 8 == 0)
    return success();
  return emitOpError("set-registers-c1: expects a multiple of 8 from 24 to 256, got ") << count;
}

static LogicalResult verifyBarriers(Operation *op, Value barriers) {
  auto type = cast<MemRefType>(barriers.getType());
  if (isLine(type) && isShared(type) && type.getElementType().isInteger(64))
    return success();
  return op->emitOpError("mbarrier-c1: expects shared memory of one dimension of i64, got ") << type;
}
LogicalResult MbarrierInitOp::verify() { return verifyBarriers(*this, getBarriers()); }
LogicalResult MbarrierArriveOp::verify() {
  if (getBlock() && getBytes() != 0)
    return emitOpError(
        "mbarrier-c2: expects no bytes where it arrives at the barrier of a block of the cluster");
  return verifyBarriers(*this, getBarriers());
}
LogicalResult MbarrierWaitOp::verify() { return verifyBarriers(*this, getBarriers()); }

LogicalResult TensorMapOp::verify() {
  size_t rank = getBox().size();
  if (rank < 2 || rank > 5 || getSizes().size() != rank || getStrides().size() != rank - 1)
    return emitOpError(
        "tensor-map-c1: expects 2 to 5 dims, a size and a box of each and a stride of each but "
        "the last");
  if (getBox().back() != kLineElements ||
      llvm::any_of(getBox().drop_back(), [](int64_t count) { return count < 1 || count > 256; }))
    return emitOpError("tensor-map-c2: expects a box of ")
           << kLineElements << " elements of the last dim, and of 1 to 256 of each other, got " << getBox();
  auto type = cast<MemRefType>(getMemory().getType());
  if (!isLine(type) || type.getMemorySpace() || type.getElementTypeBitWidth() != 16)
    return emitOpError(
               "tensor-map-c3: expects the device's memory of one dimension of elements of 16 bits, got ")
           << type;
  return success();
}

static LogicalResult verifyTile(Operation *op, Value memory, Value map, size_t places) {
  auto type = cast<MemRefType>(memory.getType());
  if (!isLine(type) || !isShared(type) || type.getElementTypeBitWidth() != 16)
    return op->emitOpError("tile-c1: expects shared memory of one dimension of elements of 16 bits, got ")
           << type;
  auto made = map.getDefiningOp<TensorMapOp>();
  if (!made || made.getBox().size() != places)
    return op->emitOpError(
               "tile-c2: expects a map that cta.tensor_map makes, and as many places as it has dims, got ")
           << places;
  return success();
}
LogicalResult LoadTileOp::verify() {
  if (failed(verifyBarriers(*this, getBarriers())))
    return failure();
  return verifyTile(*this, getTo(), getMap(), getPosition().size());
}
LogicalResult StoreTileOp::verify() { return verifyTile(*this, getFrom(), getMap(), getPosition().size()); }

LogicalResult WaitStoresOp::verify() {
  if (int64_t(getPending()) >= 0)
    return success();
  return emitOpError("wait-stores-c1: expects a number of groups, got ") << int64_t(getPending());
}

LogicalResult BeginProductsOp::verify() {
  if (getSums().size() == getResults().size())
    return success();
  return emitOpError("begin-products-c1: expects as many results as sums");
}

static LogicalResult verifyProduct(Operation *op, int64_t columns, Type element) {
  if (columns <= 0 || columns > 256 || columns % 8 != 0)
    return op->emitOpError("wgmma-c1: expects sums of a multiple of 8 columns, up to 256, got ") << columns;
  if (!element.isF16() && !element.isBF16())
    return op->emitOpError("wgmma-c2: expects elements of f16 or bf16, got ") << element;
  return success();
}
LogicalResult WgmmaOp::verify() { return verifyProduct(*this, getColumns(), getElement()); }
LogicalResult WgmmaFragmentOp::verify() { return verifyProduct(*this, getColumns(), getElement()); }

/// Groups of products that are made behind an operation and before another in its block.
static int64_t countGroups(Operation *from, Operation *to) {
  int64_t count = 0;
  for (Operation *op = from; op && op != to; op = op->getNextNode())
    count += isa<CommitProductsOp>(op);
  return count;
}

LogicalResult WaitProductsOp::verify() {
  auto isPending = [](Type type) { return isa<PendingType>(type); };
  bool isNone = llvm::none_of(getResultTypes(), isPending), isAll = llvm::all_of(getResultTypes(), isPending);
  if (getResults().size() != getSums().size() || (!isNone && !isAll))
    return emitOpError("wait-products-c1: expects as many results as sums, all pending or all f32");
  if (isAll || getPending() == 0)
    return success();
  for (Value sum : getSums()) {
    Operation *product = sum.getDefiningOp();
    bool isHere = product && product->getBlock() == getOperation()->getBlock();
    if (!isHere || countGroups(product, *this) <= int64_t(getPending()))
      return emitOpError("wait-products-c2: expects sums of a product that is not in the last ")
             << int64_t(getPending()) << " groups, which are in this block";
  }
  return success();
}
