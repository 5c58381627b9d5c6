// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of f16, bf16 and tf32 by tensor cores, with sums of f32. Weights of few bits are rounded to
// the type of lhs when they are brought.
#include "compiler/Target/NVGPU/Emit/TensorGemm.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

class FloatGemm : public TensorGemm {
public:
  FloatGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands);

private:
  bool isTF32() const { return element.isTF32(); }
  Values loadWords(Index stage, int64_t k);

  Value loadRows(Index stage, Index row, int64_t k) override;
  Values loadColumns(Index stage, int64_t k) override;
  void copyOperands(Index k, Index stage) override;
  Values addDepth(Index k, ValueRange sums) override;

  Buffer left, right; ///< blocks of the operands, [stage, row, depth] and [stage, depth, column]
};

} // namespace

/// Bytes of the depth, and behind each line of lhs, so that the eight lines of a matrix begin in different
/// banks; and elements behind each line of rhs.
static constexpr int64_t kDepthBytes = 64, kLeftPaddingBytes = 16, kRightPadding = 8;

static int64_t elementsOf(Type type, int64_t bytes) { return bytes * 8 / type.getIntOrFloatBitWidth(); }

static bool canCopy(BlockEmitter &e, GemmTileOp op, const GemmOperands &operands) {
  int64_t piece = BlockEmitter::perLoad(operands.lhs.element);
  return !op.getPacked() && e.hasRowsOf(operands.lhs, piece) && e.hasRowsOf(operands.rhs, piece);
}

/// What cta.mma multiplies: bf16 is i16 in memory.
static Type multiplied(BlockEmitter &e, Type stored) {
  if (stored.isF32())
    return FloatTF32Type::get(stored.getContext());
  return stored.isF16() ? stored : Type(e.builder.getBF16Type());
}

FloatGemm::FloatGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
    : TensorGemm(emitter, op, sizes, operands, elementsOf(operands.lhs.element, kDepthBytes),
                 multiplied(emitter, operands.lhs.element), canCopy(emitter, op, operands)),
      left(emitter.shared(operands.lhs.element, {stages(), sizes.rows, depthOfBlock},
                          elementsOf(operands.lhs.element, kLeftPaddingBytes))),
      right(emitter.shared(operands.lhs.element, {stages(), depthOfBlock, sizes.columns}, kRightPadding)) {}

Value FloatGemm::loadRows(Index stage, Index row, int64_t k) {
  Index start = stage * left.strides[0] + row * left.strides[1] + k;
  return e.loadMatrices(left, start, /*transposed=*/false);
}

/// A thread has the numbers of its group's column: of its place in the fours, and of four further on.
FloatGemm::Values FloatGemm::loadWords(Index stage, int64_t k) {
  auto type = VectorType::get({2}, e.builder.getI32Type());
  Values columns;
  for (int64_t j = 0; j < piecesAcross(); ++j) {
    Values words;
    for (int64_t further : {0, 4}) {
      Index line = e.lane % 4 + (k + further), column = warpColumn + group + j * kColumns;
      words.push_back(e.loadWord(right, stage * right.strides[0] + line * right.strides[1] + column));
    }
    columns.push_back(e.create<vector::FromElementsOp>(type, words));
  }
  return columns;
}

FloatGemm::Values FloatGemm::loadColumns(Index stage, int64_t k) {
  if (isTF32())
    return loadWords(stage, k);
  Values columns;
  for (int64_t j = 0; j < piecesAcross(); j += 2) { // of two pieces at once
    Index start = stage * right.strides[0] + e.index(k) * right.strides[1] + warpColumn + j * kColumns;
    Value both = e.loadMatrices(right, start, /*transposed=*/true);
    for (int64_t half : {0, 2})
      columns.push_back(e.create<vector::ExtractStridedSliceOp>(both, half, 2, 1));
  }
  return columns;
}

FloatGemm::Values FloatGemm::addDepth(Index k, ValueRange sums) {
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

void FloatGemm::copyOperands(Index k, Index stage) {
  const Buffer &rhs = operands.rhs;
  e.copyMatrix(operands.lhs, lhsStart + k, rowCount - firstRow, depth - k, left, stage * left.strides[0]);
  e.copyMatrix(rhs, rhsMatrix + k * rhs.strides[rhs.rank() - 2] + firstColumn, depth - k,
               columnCount - firstColumn, right, stage * right.strides[0]);
}

LogicalResult weft::nvgpu::emitFloatGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                         const GemmOperands &operands) {
  return FloatGemm(emitter, op, sizes, operands).emit();
}
