// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of f16, bf16 and tf32 by tensor cores, with sums of f32. Weights of few bits are rounded to
// the type of lhs when they are in shared memory.
#include "compiler/Target/NVGPU/Emit/TensorGemm.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

class FloatGemm : public TensorGemm {
public:
  FloatGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands);

private:
  static StageLayout layoutOf(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                              const GemmOperands &operands);
  Values loadColumns(Index stage, int64_t k) override;
};

} // namespace

/// Elements behind each line of rhs, so that the eight lines of a matrix begin in different banks.
static constexpr int64_t kPadding = 8;

/// What cta.mma multiplies: bf16 is i16 in memory.
static Type multiplied(BlockEmitter &e, Type stored) {
  if (stored.isF32())
    return FloatTF32Type::get(stored.getContext());
  return stored.isF16() ? stored : Type(e.builder.getBF16Type());
}

StageLayout FloatGemm::layoutOf(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                const GemmOperands &operands) {
  Type element = operands.lhs.element;
  int64_t depth = depthOf(element, sizes);
  return {element,       element,
          depth,         depth,
          sizes.columns, paddingOf(element),
          kPadding,      canCopy(emitter, op, operands)};
}

FloatGemm::FloatGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
    : TensorGemm(emitter, op, sizes, operands, multiplied(emitter, operands.lhs.element),
                 layoutOf(emitter, op, sizes, operands)) {}

FloatGemm::Values FloatGemm::loadColumns(Index stage, int64_t k) {
  if (element.isTF32())
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

LogicalResult weft::nvgpu::emitFloatGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                         const GemmOperands &operands) {
  return FloatGemm(emitter, op, sizes, operands).emit();
}
