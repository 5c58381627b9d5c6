// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of bytes by tensor cores, with sums of i32, which are exact. Four of the depth lie side by
// side in rhs (Quads), so that a fragment's words are there as they are.
#include "compiler/Target/NVGPU/Emit/TensorGemm.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

class ByteGemm : public TensorGemm {
public:
  ByteGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
      : TensorGemm(emitter, op, sizes, operands, emitter.builder.getI8Type(), layoutOf(operands, sizes)) {}

private:
  static constexpr int64_t kQuad = Quads::kDepth;
  /// Bytes behind each line, so that the words of a fragment, of four lines, are in different banks.
  static constexpr int64_t kPadding = 32;

  /// rhs in lines of quads, [stage, depth / 4, column * 4].
  static StageLayout layoutOf(const GemmOperands &operands, cpu::TileSizes sizes) {
    Type byte = operands.lhs.element;
    int64_t depth = depthOf(byte, sizes);
    return {byte,
            operands.rhs.element,
            depth,
            depth / kQuad,
            sizes.columns * kQuad,
            paddingOf(byte),
            kPadding,
            /*isCopied=*/true};
  }

  Values loadColumns(Index stage, int64_t k) override { return loadWords(stage, k); }
  void copyRight(Index k, Index stage) override;
};

} // namespace

/// Quads of this block's columns. 16 bytes, of four columns, are of one panel.
void ByteGemm::copyRight(Index k, Index stage) {
  constexpr int64_t kPanel = MatmulOp::kPanelColumns, kColumnsOfPiece = 16 / kQuad;
  static_assert(kPanel % kColumnsOfPiece == 0);
  const Buffer &rhs = operands.rhs;
  int64_t pieces = sizes.columns / kColumnsOfPiece;
  Index columns = rhs.sizes[0] * kPanel - firstColumn; // with those that fill the last panel
  e.overThreads(depthOfBlock / kQuad * pieces, [&](Index i) {
    Index line = i / pieces, column = i % pieces * kColumnsOfPiece, from = firstColumn + column;
    Value isThere = column.compare(arith::CmpIPredicate::ult, columns);
    if (!depthLeft(k).is(depthOfBlock))
      isThere = e.both(isThere, (line * kQuad).compare(arith::CmpIPredicate::ult, depthLeft(k)));
    Index at = rhsMatrix + from / kPanel * rhs.strides[0] + line * rhs.strides[1] + from % kPanel * kQuad +
               k / kQuad * rhs.strides[1];
    e.copyAsync(rhs, e.select(isThere, at, e.index(0)), right,
                line * right.strides[1] + column * kQuad + stage * right.strides[0], isThere);
  });
}

bool weft::nvgpu::isByteGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands) {
  return cpu::formatOf(op) == cpu::RowFormat::Quads && emitter.hasRowsOfPieces(operands.lhs);
}

LogicalResult weft::nvgpu::emitByteGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                        const GemmOperands &operands) {
  return ByteGemm(emitter, op, sizes, operands).emit();
}
