// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments to words and back.
#include "compiler/Target/NVGPU/KernelWords.h"
#include "compiler/Target/EntryBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weft;

int64_t weft::nvgpu::countWords(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer ? 1 + buffer.getNumDynamicDims() : 1;
}

SmallVector<Value> weft::nvgpu::packWords(OpBuilder &builder, Location location, Value argument) {
  Type type = argument.getType(), word = builder.getI64Type();
  if (auto buffer = dyn_cast<MemRefType>(type)) {
    Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(builder, location, argument);
    SmallVector<Value> words{toI64(builder, location, pointer)};
    for (auto [dim, size] : llvm::enumerate(buffer.getShape()))
      if (ShapedType::isDynamic(size))
        words.push_back(toI64(builder, location, memref::DimOp::create(builder, location, argument, dim)));
    return words;
  }
  if (type.isIndex())
    return {toI64(builder, location, argument)};
  Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (bits != type)
    argument = arith::BitcastOp::create(builder, location, bits, argument);
  return {bits == word ? argument : arith::ExtUIOp::create(builder, location, word, argument).getResult()};
}

Value weft::nvgpu::unpackWords(OpBuilder &builder, Location location, Type type, ValueRange words) {
  if (auto buffer = dyn_cast<MemRefType>(type)) {
    Type generic = LLVM::LLVMPointerType::get(builder.getContext());
    Value word = words.front(), pointer;
    if (word.getType().isInteger())
      pointer = LLVM::IntToPtrOp::create(builder, location, generic, word);
    else
      pointer = LLVM::AddrSpaceCastOp::create(builder, location, generic, word);
    SmallVector<Value> sizes;
    words = words.drop_front();
    for (int64_t size : buffer.getShape()) {
      bool isDynamic = ShapedType::isDynamic(size);
      sizes.push_back(isDynamic
                          ? words.front()
                          : LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(size)));
      words = words.drop_front(isDynamic);
    }
    return makeMemRef(builder, location, LLVMTypeConverter(builder.getContext()), buffer, pointer, sizes);
  }
  Value word = words.front();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, location, type, word);
  Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (bits != word.getType())
    word = arith::TruncIOp::create(builder, location, bits, word);
  return bits == type ? word : arith::BitcastOp::create(builder, location, type, word).getResult();
}

Value weft::nvgpu::addressOf(OpBuilder &builder, Location location, Value memref, Value index) {
  auto type = cast<MemRefType>(memref.getType());
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(builder, location, memref);
  Value bytes = arith::ConstantIndexOp::create(builder, location, type.getElementTypeBitWidth() / 8);
  Value offset = arith::MulIOp::create(builder, location, index, bytes);
  return toI64(builder, location, arith::AddIOp::create(builder, location, start, offset));
}

void weft::nvgpu::leaveBehindLastTile(OpBuilder &builder, Location location, Value block, Value tiles,
                                      cta::KernelOp kernel) {
  if (auto blocks = kernel.getCluster()) { // all blocks of a cluster do what its first one does
    Value mask = arith::ConstantIndexOp::create(builder, location, -int64_t(*blocks));
    block = arith::AndIOp::create(builder, location, block, mask);
  }
  Value scale = arith::ConstantIndexOp::create(builder, location, kernel.getTiles());
  Value first = arith::MulIOp::create(builder, location, block, scale);
  Value isBehind = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::uge, first, tiles);
  Block *entry = builder.getInsertionBlock();
  Block *body = entry->splitBlock(builder.getInsertionPoint());
  Block *behind = new Block();
  entry->getParent()->push_back(behind);
  builder.setInsertionPointToEnd(entry);
  cf::CondBranchOp::create(builder, location, isBehind, behind, ValueRange(), body, ValueRange());
  builder.setInsertionPointToEnd(behind);
}
