// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of f16 and bf16 by tensor cores, with sums of f32: a warp has a rectangle of the block's
// sums, made of pieces of 16 x 8, and takes fragments of the operands out of shared memory.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// Rows, columns and depth of a piece, and the words of its fragments (cta.mma).
constexpr int64_t kRows = 16, kColumns = 8, kPieceDepth = 16;
/// The warps of a block: two beside each other, and as many rows of them as it takes.
constexpr int64_t kWarpsAcross = 2, kWarpsDown = kGemmThreads / cta::CtaDialect::kWarpThreads / kWarpsAcross;

class TensorGemm : public GemmBlock {
public:
  TensorGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands);

private:
  static constexpr int64_t kDepth = 32;
  /// Behind a row of the depth, so that the eight rows of a fragment begin in different banks.
  static constexpr int64_t kPadding = 8;

  int64_t piecesDown() const { return sizes.rows / kWarpsDown / kRows; }
  int64_t piecesAcross() const { return sizes.columns / kWarpsAcross / kColumns; }

  Values makeSums() override;
  Values addDepth(Index k, ValueRange sums) override;
  void storeSums(ValueRange sums) override;
  Value word(const Buffer &from, Index line, Index k);
  Value fragment(const Buffer &from, Index firstLine, int64_t k,
                 ArrayRef<std::pair<int64_t, int64_t>> places);

  Index group, pair;                       ///< this thread's place in a fragment
  Index warpRow{e, {}}, warpColumn{e, {}}; ///< where this warp's sums begin in the block
  Type element;                            ///< f16 or bf16
  Buffer left, right; ///< blocks of the operands: lines of the depth, which are rows and columns
};

} // namespace

TensorGemm::TensorGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                       const GemmOperands &operands)
    : GemmBlock(emitter, op, sizes, operands, kDepth), group(emitter.lane / 4), pair(emitter.lane % 4 * 2),
      element(operands.out.element.isF16() ? operands.out.element : emitter.builder.getBF16Type()),
      left(emitter.shared(operands.lhs.element, {sizes.rows, kDepth}, kPadding)),
      right(emitter.shared(operands.rhs.element, {sizes.columns, kDepth}, kPadding)) {
  warpRow = e.warp / kWarpsAcross * (piecesDown() * kRows);
  warpColumn = e.warp % kWarpsAcross * (piecesAcross() * kColumns);
}

TensorGemm::Values TensorGemm::makeSums() {
  auto type = VectorType::get({4}, number);
  Value zero = e.create<arith::ConstantOp>(DenseElementsAttr::get(type, 0.0f));
  return Values(piecesDown() * piecesAcross(), zero);
}

/// Two neighbours of a line as a word.
Value TensorGemm::word(const Buffer &from, Index line, Index k) {
  auto type = VectorType::get({2}, from.element);
  Index at = line * from.strides[0] + k;
  Value both = e.create<vector::LoadOp>(type, from.flat, ValueRange(Value(at)), /*nontemporal=*/false,
                                        llvm::MaybeAlign(4));
  Value bits = e.create<vector::BitCastOp>(VectorType::get({1}, e.builder.getI32Type()), both);
  return e.create<vector::ExtractOp>(bits, 0);
}

/// The words of a fragment: each a number of lines and of the depth from the first.
Value TensorGemm::fragment(const Buffer &from, Index firstLine, int64_t k,
                           ArrayRef<std::pair<int64_t, int64_t>> places) {
  Values words;
  for (auto [lines, depth] : places)
    words.push_back(word(from, firstLine + group + lines, pair + (k + depth)));
  auto type = VectorType::get({int64_t(words.size())}, e.builder.getI32Type());
  return e.create<vector::FromElementsOp>(type, words);
}

TensorGemm::Values TensorGemm::addDepth(Index k, ValueRange sums) {
  // rhs comes as lines of the depth, too: [depth, columns] in memory that has a line for each column.
  Buffer columns = right;
  std::swap(columns.sizes[0], columns.sizes[1]);
  std::swap(columns.strides[0], columns.strides[1]);
  bringOperands(k, left, columns);
  e.barrier();
  Values next(sums);
  auto type = VectorType::get({4}, number);
  for (int64_t piece = 0; piece < kDepth; piece += kPieceDepth) {
    Values rows, columnsOfPiece;
    for (int64_t i = 0; i < piecesDown(); ++i)
      rows.push_back(fragment(left, warpRow + i * kRows, piece, {{0, 0}, {8, 0}, {0, 8}, {8, 8}}));
    for (int64_t j = 0; j < piecesAcross(); ++j)
      columnsOfPiece.push_back(fragment(right, warpColumn + j * kColumns, piece, {{0, 0}, {0, 8}}));
    for (auto [i, row] : llvm::enumerate(rows))
      for (auto [j, column] : llvm::enumerate(columnsOfPiece)) {
        Value &sum = next[i * columnsOfPiece.size() + j];
        sum = e.create<cta::MmaOp>(type, row, column, sum, TypeAttr::get(element));
      }
  }
  e.barrier();
  return next;
}

void TensorGemm::storeSums(ValueRange sums) {
  constexpr std::pair<int64_t, int64_t> kPlaces[] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}};
  for (int64_t i = 0; i < piecesDown(); ++i)
    for (int64_t j = 0; j < piecesAcross(); ++j)
      for (auto [number, place] : llvm::enumerate(kPlaces)) {
        Value sum = e.create<vector::ExtractOp>(sums[i * piecesAcross() + j], number);
        store(sum, warpRow + group + (i * kRows + place.first),
              warpColumn + pair + (j * kColumns + place.second));
      }
}

LogicalResult weft::nvgpu::emitTensorGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                          const GemmOperands &operands) {
  return TensorGemm(emitter, op, sizes, operands).emit();
}
