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
  /// Elements behind each line, so that the eight lines of a matrix begin in different banks.
  static constexpr int64_t kPadding = 8;
  /// How many blocks of the depth are in shared memory at once, if operands are copied while others are
  /// multiplied.
  static constexpr int64_t kStages = 3;

  int64_t piecesDown() const { return sizes.rows / kWarpsDown / kRows; }
  int64_t piecesAcross() const { return sizes.columns / kWarpsAcross / kColumns; }

  Values makeSums() override;
  Values computeSums() override;
  Values addDepth(Index k, ValueRange sums) override;
  void storeSums(ValueRange sums) override;
  Values multiply(Index stage, ValueRange sums);
  Value matrices(const Buffer &from, Index stage, Index line, Index place, bool transposed);
  void beginCopies(Index k, Index stage);

  const bool isCopied;                     ///< operands are, 16 bytes at a time, while others are multiplied
  Index group, pair;                       ///< this thread's place in a fragment
  Index warpRow{e, {}}, warpColumn{e, {}}; ///< where this warp's sums begin in the block
  Type element;                            ///< f16 or bf16
  Buffer left, right; ///< blocks of the operands, [stage, row, depth] and [stage, depth, column]
};

} // namespace

TensorGemm::TensorGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                       const GemmOperands &operands)
    : GemmBlock(emitter, op, sizes, operands, kDepth),
      isCopied(!op.getPacked() && e.hasAlignedRows(operands.lhs) && e.hasAlignedRows(operands.rhs)), group(emitter.lane / 4),
      pair(emitter.lane % 4 * 2),
      element(operands.lhs.element.isF16() ? operands.lhs.element : emitter.builder.getBF16Type()),
      left(emitter.shared(operands.lhs.element, {isCopied ? kStages : 1, sizes.rows, kDepth}, kPadding)),
      right(emitter.shared(operands.lhs.element, {isCopied ? kStages : 1, kDepth, sizes.columns}, kPadding)) {
  warpRow = e.warp / kWarpsAcross * (piecesDown() * kRows);
  warpColumn = e.warp % kWarpsAcross * (piecesAcross() * kColumns);
}

TensorGemm::Values TensorGemm::makeSums() {
  auto type = VectorType::get({4}, number);
  Value zero = e.create<arith::ConstantOp>(DenseElementsAttr::get(type, 0.0f));
  return Values(piecesDown() * piecesAcross(), zero);
}

/// Fragments of the 16 lines from `line` on.
Value TensorGemm::matrices(const Buffer &from, Index stage, Index line, Index place, bool transposed) {
  Index start = stage * from.strides[0] + line * from.strides[1] + place;
  return e.loadMatrices(from, start, transposed);
}

/// The sums after a block of the depth that is in shared memory.
TensorGemm::Values TensorGemm::multiply(Index stage, ValueRange sums) {
  Values next(sums);
  auto type = VectorType::get({4}, number);
  for (int64_t piece = 0; piece < kDepth; piece += kPieceDepth) {
    Values rows, columns;
    for (int64_t i = 0; i < piecesDown(); ++i)
      rows.push_back(matrices(left, stage, warpRow + i * kRows, e.index(piece), /*transposed=*/false));
    for (int64_t j = 0; j < piecesAcross(); j += 2) { // of two pieces at once
      Value both = matrices(right, stage, e.index(piece), warpColumn + j * kColumns, /*transposed=*/true);
      for (int64_t half : {0, 2})
        columns.push_back(e.create<vector::ExtractStridedSliceOp>(both, half, 2, 1));
    }
    for (auto [i, row] : llvm::enumerate(rows))
      for (auto [j, column] : llvm::enumerate(columns)) {
        Value &sum = next[i * columns.size() + j];
        sum = e.create<cta::MmaOp>(type, row, column, sum, TypeAttr::get(element));
      }
  }
  return next;
}

TensorGemm::Values TensorGemm::addDepth(Index k, ValueRange sums) {
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

/// Begins to copy what there is of the operands from `k` on. It is a group of copies even where there are
/// none.
void TensorGemm::beginCopies(Index k, Index stage) {
  Value isThere = k.compare(arith::CmpIPredicate::ult, depth);
  e.ifThen(isThere, [&] {
    const Buffer &rhs = operands.rhs;
    e.copyMatrix(operands.lhs, lhsStart + k, rowCount - firstRow, depth - k, left, stage * left.strides[0]);
    e.copyMatrix(rhs, rhsMatrix + k * rhs.strides[rhs.rank() - 2] + firstColumn, depth - k, columnCount - firstColumn, right,
                 stage * right.strides[0]);
  });
  e.commitCopies();
}

/// While a block of the depth is multiplied, the next ones are on their way. One barrier each: behind it all
/// have what was copied, and all are done with the stage that is written next.
TensorGemm::Values TensorGemm::computeSums() {
  if (!isCopied)
    return GemmBlock::computeSums();
  for (int64_t stage = 0; stage < kStages - 1; ++stage)
    beginCopies(e.index(stage * kDepth), e.index(stage));
  Values sums = e.loop(e.index(0), depth, e.index(kDepth), makeSums(), [&](Index k, ValueRange before) {
    e.waitForCopies(kStages - 2);
    e.barrier();
    Index number = k / kDepth;
    beginCopies(k + (kStages - 1) * kDepth, (number + (kStages - 1)) % kStages);
    return multiply(number % kStages, before);
  });
  e.waitForCopies(0);
  return sums;
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
