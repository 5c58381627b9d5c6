// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of f16 and bf16 by tensor cores, with sums of f32. Weights of few bits are rounded to that
// type when they are brought.
#include "compiler/Target/NVGPU/Emit/TensorGemm.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

class HalfGemm : public TensorGemm {
public:
  HalfGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands);

private:
  static constexpr int64_t kDepth = 32;
  /// Elements behind each line, so that the eight lines of a matrix begin in different banks.
  static constexpr int64_t kPadding = 8;

  Value loadRows(Index stage, Index row, int64_t k) override;
  Values loadColumns(Index stage, int64_t k) override;
  void copyOperands(Index k, Index stage) override;
  Values addDepth(Index k, ValueRange sums) override;

  Buffer left, right; ///< blocks of the operands, [stage, row, depth] and [stage, depth, column]
};

} // namespace

static bool canCopy(BlockEmitter &e, GemmTileOp op, const GemmOperands &operands) {
  return !op.getPacked() && e.hasAlignedRows(operands.lhs) && e.hasAlignedRows(operands.rhs);
}

HalfGemm::HalfGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
    : TensorGemm(emitter, op, sizes, operands, kDepth,
                 operands.lhs.element.isF16() ? operands.lhs.element : emitter.builder.getBF16Type(),
                 canCopy(emitter, op, operands)),
      left(emitter.shared(operands.lhs.element, {stages(), sizes.rows, kDepth}, kPadding)),
      right(emitter.shared(operands.lhs.element, {stages(), kDepth, sizes.columns}, kPadding)) {}

Value HalfGemm::loadRows(Index stage, Index row, int64_t k) {
  Index start = stage * left.strides[0] + row * left.strides[1] + k;
  return e.loadMatrices(left, start, /*transposed=*/false);
}

HalfGemm::Values HalfGemm::loadColumns(Index stage, int64_t k) {
  Values columns;
  for (int64_t j = 0; j < piecesAcross(); j += 2) { // of two pieces at once
    Index start = stage * right.strides[0] + e.index(k) * right.strides[1] + warpColumn + j * kColumns;
    Value both = e.loadMatrices(right, start, /*transposed=*/true);
    for (int64_t half : {0, 2})
      columns.push_back(e.create<vector::ExtractStridedSliceOp>(both, half, 2, 1));
  }
  return columns;
}

HalfGemm::Values HalfGemm::addDepth(Index k, ValueRange sums) {
  auto block = [](Buffer stages) {
    stages.sizes.erase(stages.sizes.begin());
    stages.strides.erase(stages.strides.begin());
    return stages;
  };
  bringOperands(k, block(left), block(right));
  e.barrier();
  Values next = multiply(e.index(0), sums);
  e.barrier();
  return next;
}

void HalfGemm::copyOperands(Index k, Index stage) {
  const Buffer &rhs = operands.rhs;
  e.copyMatrix(operands.lhs, lhsStart + k, rowCount - firstRow, depth - k, left, stage * left.strides[0]);
  e.copyMatrix(rhs, rhsMatrix + k * rhs.strides[rhs.rank() - 2] + firstColumn, depth - k,
               columnCount - firstColumn, right, stage * right.strides[0]);
}

LogicalResult weft::nvgpu::emitHalfGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                        const GemmOperands &operands) {
  return HalfGemm(emitter, op, sizes, operands).emit();
}
