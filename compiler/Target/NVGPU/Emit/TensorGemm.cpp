// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products by tensor cores: fragments of operands, and where sums go.
#include "compiler/Target/NVGPU/Emit/TensorGemm.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

/// The warps of a block: two beside each other, and as many rows of them as it takes.
static constexpr int64_t kWarpsAcross = 2,
                         kWarpsDown = kGemmThreads / cta::CtaDialect::kWarpThreads / kWarpsAcross;
/// Bytes of the depth in a block, and behind each line of lhs.
static constexpr int64_t kDepthBytes = 64, kPaddingBytes = 16;
static constexpr int64_t kSmallTile = 64 * 64;
/// Blocks that a processor has at a time: one multiplies while another waits or stores. That leaves 128
/// registers for a thread, which are enough unless it brings operands itself.
static constexpr int64_t kBlocksPerProcessor = 2;

static int64_t elementsOf(Type type, int64_t bytes) { return bytes * 8 / type.getIntOrFloatBitWidth(); }

int64_t TensorGemm::piecesDown() const { return sizes.rows / kWarpsDown / kRows; }
int64_t TensorGemm::piecesAcross() const { return sizes.columns / kWarpsAcross / kColumns; }

int64_t TensorGemm::depthOf(Type lhs, cpu::TileSizes sizes) {
  bool isSmall = sizes.rows * sizes.columns <= kSmallTile;
  return std::min(elementsOf(lhs, isSmall ? 2 * kDepthBytes : kDepthBytes), kUnitOfParts);
}
int64_t TensorGemm::paddingOf(Type lhs) { return elementsOf(lhs, kPaddingBytes); }

TensorGemm::TensorGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                       const GemmOperands &operands, Type element, const StageLayout &layout)
    : StagedGemm(emitter, op, sizes, operands, layout), element(element), group(e.lane / 4),
      pair(e.lane % 4 * 2) {
  if (isCopied)
    op->getParentOfType<cta::KernelOp>().setBlocksPerProcessor(kBlocksPerProcessor);
  warpRow = e.warp / kWarpsAcross * (piecesDown() * kRows);
  warpColumn = e.warp % kWarpsAcross * (piecesAcross() * kColumns);
}

TensorGemm::Values TensorGemm::makeSums() {
  auto type = VectorType::get({4}, number);
  Value zero = e.create<arith::ConstantOp>(e.builder.getZeroAttr(type));
  return Values(piecesDown() * piecesAcross(), zero);
}

/// A thread has the words of its group's column: of its place in the fours, and of four lines further on.
TensorGemm::Values TensorGemm::loadWords(Index stage, int64_t k) {
  int64_t perWord = elementsOf(right.element, /*bytes=*/4);
  auto type = VectorType::get({2}, e.builder.getI32Type());
  Values columns;
  for (int64_t j = 0; j < piecesAcross(); ++j) {
    Values words;
    for (int64_t further : {0, 4}) {
      Index line = e.lane % 4 + (k / perWord + further), column = warpColumn + group + j * kColumns;
      words.push_back(
          e.loadWord(right, stage * right.strides[0] + line * right.strides[1] + column * perWord));
    }
    columns.push_back(e.create<vector::FromElementsOp>(type, words));
  }
  return columns;
}

TensorGemm::Values TensorGemm::multiply(Index leftStage, Index rightStage, ValueRange sums) {
  Values next(sums);
  auto type = VectorType::get({4}, number);
  for (int64_t k = 0; k < depthOfBlock; k += pieceDepth()) {
    Values rows;
    for (int64_t i = 0; i < piecesDown(); ++i)
      rows.push_back(e.loadMatrices(left,
                                    leftStage * left.strides[0] + (warpRow + i * kRows) * left.strides[1] + k,
                                    /*transposed=*/false));
    Values columns = loadColumns(rightStage, k);
    for (auto [i, row] : llvm::enumerate(rows))
      for (auto [j, column] : llvm::enumerate(columns)) {
        Value &sum = next[i * columns.size() + j];
        sum = e.create<cta::MmaOp>(type, row, column, sum, TypeAttr::get(element));
      }
  }
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
