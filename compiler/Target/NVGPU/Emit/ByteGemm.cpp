// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of bytes by tensor cores, with sums of i32, which are exact. Four of the depth lie side by
// side in rhs (Quads), so that a fragment's words are there as they are; numbers of 4 bits (Int4Quads) are
// copied as they are stored, and made such words of in shared memory.
#include "compiler/Target/NVGPU/Emit/TensorGemm.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

class ByteGemm : public TensorGemm {
public:
  ByteGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
      : ByteGemm(emitter, op, sizes, operands, /*lines=*/depthOf(operands.lhs.element, sizes) / kQuad) {}

protected:
  ByteGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands,
           int64_t lines)
      : TensorGemm(emitter, op, sizes, operands, emitter.builder.getI8Type(),
                   layoutOf(operands, sizes, lines)) {}

  static constexpr int64_t kQuad = Quads::kDepth;
  /// Bytes behind each line of quads, so that the words of a fragment, of four lines, are in different banks.
  static constexpr int64_t kPadding = 32;

  /// Begins to copy this block's columns of lines of words, where `line` is in a panel, `pitch` elements
  /// each; those from `count` on are not there.
  void copyLines(Index line, Index pitch, std::optional<Index> count, Index stage);

private:
  /// rhs in lines of words, a word for a column.
  static StageLayout layoutOf(const GemmOperands &operands, cpu::TileSizes sizes, int64_t lines) {
    Type byte = operands.lhs.element, stored = operands.rhs.element;
    return {byte,
            stored,
            depthOf(byte, sizes),
            lines,
            sizes.columns * perWord(stored),
            paddingOf(byte),
            kPadding * 8 / stored.getIntOrFloatBitWidth(),
            /*isCopied=*/true};
  }
  static int64_t perWord(Type element) { return 32 / element.getIntOrFloatBitWidth(); }

  Values loadColumns(Index stage, int64_t k) override {
    return loadWords(right, stage * right.strides[0], k);
  }
  void copyRight(Index k, Index stage) override {
    std::optional<Index> count;
    if (!depthLeft(k).is(depthOfBlock))
      count = ceilDiv(depthLeft(k), kQuad);
    copyLines(k / kQuad, operands.rhs.strides[1], count, stage);
  }
};

/// A block of 64 of the depth at a time.
class Int4ByteGemm : public ByteGemm {
public:
  Int4ByteGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
      : ByteGemm(emitter, op, sizes, operands, Int4Quads::kRows),
        quads(emitter.shared(emitter.builder.getI8Type(), {Int4Quads::kDepth / kQuad, sizes.columns * kQuad},
                             kPadding)) {
    assert(depthOfBlock == Int4Quads::kDepth);
  }

private:
  void copyRight(Index k, Index stage) override {
    copyLines(k / Int4Quads::kDepth * Int4Quads::kRows, operands.rhs.strides[2], {}, stage);
  }
  Values multiply(Index stage, ValueRange sums) override;
  Values loadColumns(Index, int64_t k) override { return loadWords(quads, e.index(0), k); }

  Buffer quads; ///< of the stage that is multiplied
};

} // namespace

void ByteGemm::copyLines(Index line, Index pitch, std::optional<Index> count, Index stage) {
  constexpr int64_t kPanel = MatmulOp::kPanelColumns, kColumnsOfPiece = 4; // 16 bytes are of one panel
  static_assert(kPanel % kColumnsOfPiece == 0);
  const Buffer &rhs = operands.rhs;
  int64_t pieces = sizes.columns / kColumnsOfPiece, each = perWord(rhs.element);
  Index columns = rhs.sizes[0] * kPanel - firstColumn; // with those that fill the last panel
  e.overThreads(*right.sizes[1].constant() * pieces, [&](Index i) {
    Index further = i / pieces, column = i % pieces * kColumnsOfPiece, from = firstColumn + column;
    Value isThere = column.compare(arith::CmpIPredicate::ult, columns);
    if (count)
      isThere = e.both(isThere, further.compare(arith::CmpIPredicate::ult, *count));
    Index at = rhsMatrix + from / kPanel * rhs.strides[0] + (line + further) * pitch + from % kPanel * each;
    e.copyAsync(rhs, e.select(isThere, at, e.index(0)), right,
                further * right.strides[1] + column * each + stage * right.strides[0], isThere);
  });
}

/// Behind the barrier that computeSums() has, all are done with the quads that were multiplied before.
ByteGemm::Values Int4ByteGemm::multiply(Index stage, ValueRange sums) {
  Type i32 = e.builder.getI32Type();
  auto constant = [&](int64_t value) { return e.create<arith::ConstantIntOp>(i32, value); };
  Index start = stage * right.strides[0];
  e.overThreads(Int4Quads::kDepth / Int4Quads::kPerWord * sizes.columns, [&](Index i) {
    Index row = i / sizes.columns, column = i % sizes.columns;
    Value word = e.loadScalar(right, start + (row + 1) * right.strides[1] + column);
    Value factors = e.loadScalar(right, start + column);
    Value shift = e.create<arith::IndexCastUIOp>(i32, row * Int4Quads::kBits);
    Value factor =
        e.create<arith::AndIOp>(e.create<arith::ShRUIOp>(factors, shift), constant(Int4Quads::kLargestScale));
    for (int64_t second : {0, 1}) {
      Value quad = Weights::unpackQuad(e, word, second, factor);
      Value bytes =
          e.create<vector::BitCastOp>(VectorType::get({kQuad}, quads.element),
                                      e.create<vector::FromElementsOp>(VectorType::get({1}, i32), quad));
      e.storeWhole(bytes, quads, (row * 2 + second) * quads.strides[0] + column * kQuad);
    }
  });
  e.barrier();
  return TensorGemm::multiply(stage, sums);
}

bool weft::nvgpu::isByteGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands) {
  return cpu::isOfBytes(cpu::formatOf(op)) && emitter.hasRowsOfPieces(operands.lhs);
}

LogicalResult weft::nvgpu::emitByteGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                        const GemmOperands &operands) {
  if (cpu::isInt4(cpu::formatOf(op)))
    return Int4ByteGemm(emitter, op, sizes, operands).emit();
  return ByteGemm(emitter, op, sizes, operands).emit();
}
