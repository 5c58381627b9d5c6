// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of bytes by tensor cores, with sums of i32, which are exact. Four of the depth lie side by
// side in rhs (Quads), so that a fragment's words are there as they are, or as numbers of 4 bits are
// unpacked.
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
            byte,
            depth,
            depth / kQuad,
            sizes.columns * kQuad,
            paddingOf(byte),
            kPadding,
            /*isCopied=*/true};
  }

  Values loadColumns(Index stage, int64_t k) override { return loadWords(stage, k); }
};

} // namespace

bool weft::nvgpu::isByteGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands) {
  return cpu::isOfBytes(cpu::formatOf(op)) && emitter.hasRowsOfPieces(operands.lhs);
}

LogicalResult weft::nvgpu::emitByteGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                        const GemmOperands &operands) {
  return ByteGemm(emitter, op, sizes, operands).emit();
}
