// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: of few rows by columns, by tensor cores where elements are of a type that these multiply
// exactly, otherwise by each thread.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

/// What rows and columns of a block are multiples of.
static constexpr int64_t kThreadUnit = 16, kTensorUnit = 64;

bool weft::nvgpu::isHalfGemm(GemmTileOp op) {
  Type element = cast<MemRefType>(op.getLhs().getType()).getElementType();
  return element.isF16() || (element.isInteger(16) && op->hasAttr(names::kBF16));
}

bool weft::nvgpu::isFloatGemm(GemmTileOp op) { return isHalfGemm(op) || op.getTf32(); }

static LogicalResult checkGemm(GemmTileOp op, cpu::TileSizes sizes) {
  auto lhs = cast<MemRefType>(op.getLhs().getType()), rhs = cast<MemRefType>(op.getRhs().getType()),
       out = cast<MemRefType>(op.getOut().getType());
  Type element = out.getElementType(), left = lhs.getElementType(), right = rhs.getElementType();
  cpu::RowFormat format = cpu::formatOf(op);
  bool isSum = isHalfGemm(op) && element.isF32(), isPacked = op.getPacked();
  bool isOfOneType = left == right && (left == element || isSum);
  bool isStored = isPacked && left.isF32() && element.isF32() && (right.isInteger(8) || right.isInteger(16));
  bool fits = format == cpu::RowFormat::Numbers  ? isOfOneType || isStored
              : format == cpu::RowFormat::Groups ? left == element || isSum
                                                 : cpu::isOfBytes(format);
  if (!fits || !element.isIntOrFloat() || element.isInteger(1))
    return op.emitOpError(
               "expects matrices of one type of numbers, or sums of f32, or weights as bytes, in quads or "
               "in groups, got ")
           << lhs << ", " << rhs << " and " << out;
  if (isPacked && rhs.getRank() == 3 && rhs.getShape().back() != MatmulOp::kPanelColumns)
    return op.emitOpError("expects packed panels of ") << MatmulOp::kPanelColumns << " columns, got " << rhs;
  if (op.getExperts() || op.getRowDims())
    return op.emitOpError("has experts, and rows in pieces, on CPUs alone");
  int64_t batches = out.getRank() - 2;
  if (batches < 0 || lhs.getRank() < 2 || lhs.getRank() > out.getRank() || rhs.getRank() < 2 ||
      (!isPacked && rhs.getRank() > out.getRank()))
    return op.emitOpError("expects matrices with batch dims of out at most, got ")
           << lhs << ", " << rhs << " and " << out;
  if (op.getParts() && (batches == 0 || !op.getEpilogue().empty()))
    return op.emitOpError("expects parts without an epilogue in a dim of their own, got ") << out;
  int64_t depth = lhs.getShape().back(), parts = op.getParts() ? out.getDimSize(0) : ShapedType::kDynamic;
  bool areKnown = !ShapedType::isDynamic(depth) && !ShapedType::isDynamic(parts);
  if (areKnown && parts * kUnitOfParts >= depth + kUnitOfParts)
    return op.emitOpError("expects at most a part for every ")
           << kUnitOfParts << " of the depth of " << depth << ", got " << parts;
  if (sizes.rows > 0 && sizes.rows <= kMostFewRows) {
    if (op.getParts())
      return op.emitOpError("has no parts of the depth for so few rows");
    if (llvm::is_contained({8, 16, 32}, sizes.columns))
      return success();
    return op.emitOpError("expects a schedule of 8, 16 or 32 columns for so few rows, got ") << sizes.columns;
  }
  bool isTensor = isFloatGemm(op) || cpu::isOfBytes(format);
  int64_t unit = isTensor ? kTensorUnit : kThreadUnit;
  if (sizes.rows <= 0 || sizes.columns <= 0 || sizes.rows % unit || sizes.columns % unit)
    return op.emitOpError("expects a schedule of rows and columns that are multiples of ")
           << unit << ", got " << sizes.rows << " and " << sizes.columns;
  return success();
}

FailureOr<GemmOperands> weft::nvgpu::findGemmOperands(BlockEmitter &emitter, GemmTileOp op) {
  SmallVector<Value> found{op.getLhs(), op.getRhs(), op.getOut()};
  llvm::append_range(found, op.getCaptures());
  FailureOr<SmallVector<Buffer>> buffers = emitter.allRowMajor(found);
  if (failed(buffers))
    return failure();
  return GemmOperands{(*buffers)[0], (*buffers)[1], (*buffers)[2], {buffers->begin() + 3, buffers->end()}};
}

int64_t weft::nvgpu::threadsOfGemm(cpu::TileSizes sizes) {
  return sizes.rows <= kMostFewRows ? kFewRowsThreads : kGemmThreads;
}

LogicalResult weft::nvgpu::emitGemm(GemmTileOp op, cpu::TileSizes sizes) {
  if (failed(checkGemm(op, sizes)))
    return failure();
  BlockEmitter emitter(op, threadsOfGemm(sizes));
  FailureOr<GemmOperands> operands = findGemmOperands(emitter, op);
  if (failed(operands))
    return failure();
  if (sizes.rows <= kMostFewRows)
    return emitFewRowsGemm(emitter, op, sizes, *operands);
  if (isFloatGemm(op))
    return emitFloatGemm(emitter, op, sizes, *operands);
  return (isByteGemm(emitter, op, *operands) ? emitByteGemm : emitThreadGemm)(emitter, op, sizes, *operands);
}
