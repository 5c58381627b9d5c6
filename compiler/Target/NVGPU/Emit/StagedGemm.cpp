// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk of a matrix product along the depth, with what is multiplied next on its way.
#include "compiler/Target/NVGPU/Emit/StagedGemm.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

bool StagedGemm::canCopy(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands) {
  bool canCopyRight = op.getPacked() ? PackedLines::are(op) : emitter.hasRowsOfPieces(operands.rhs);
  return canCopyRight && emitter.hasRowsOfPieces(operands.lhs);
}

StagedGemm::StagedGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                       const GemmOperands &operands, const StageLayout &layout)
    : GemmBlock(emitter, op, sizes, operands, layout.depth), isCopied(layout.isCopied),
      packed(isCopied && op.getPacked() ? std::optional(PackedLines(op, layout.depth)) : std::nullopt),
      left(emitter.shared(layout.left, {stages(), sizes.rows, layout.depth}, layout.leftPadding)),
      right(emitter.shared(layout.right, {rightStages(), layout.lines, layout.lineElements},
                           layout.rightPadding)) {
  if (isUnpacked())
    stored = emitter.shared(operands.rhs.element, {stages(), packed->count(), sizes.columns});
}

Index StagedGemm::depthLeft(Index k) const {
  bool isWhole = depth.constant() && *depth.constant() % depthOfBlock == 0;
  return isWhole ? e.index(depthOfBlock) : depth - k;
}

void StagedGemm::copyRight(Index k, Index stage) {
  const Buffer &rhs = operands.rhs;
  if (packed)
    return copyPacked(k, isUnpacked() ? *stored : right, stage);
  e.copyMatrix(rhs, rhsMatrix + k * rhs.strides[rhs.rank() - 2] + firstColumn, depthLeft(k),
               columnCount - firstColumn, right, stage * right.strides[0]);
}

/// Lines of this block's columns. 16 bytes, of four columns, are of one panel.
void StagedGemm::copyPacked(Index k, const Buffer &to, Index stage) {
  constexpr int64_t kPanel = MatmulOp::kPanelColumns, kColumnsOfPiece = 4;
  static_assert(kPanel % kColumnsOfPiece == 0);
  const Buffer &rhs = operands.rhs;
  int64_t pieces = sizes.columns / kColumnsOfPiece, perWord = 32 / rhs.element.getIntOrFloatBitWidth();
  Index columns = rhs.sizes[0] * kPanel - firstColumn; // with those that fill the last panel
  e.overThreads(packed->count() * pieces, [&](Index i) {
    Index line = i / pieces, column = i % pieces * kColumnsOfPiece, from = firstColumn + column;
    Index inPanel = packed->inPanel(e, line, k);
    Value isThere = column.compare(arith::CmpIPredicate::ult, columns);
    if (!depthLeft(k).is(depthOfBlock))
      isThere = e.both(isThere, inPanel.compare(arith::CmpIPredicate::ult, packed->linesOfPanel(rhs)));
    Index at =
        rhsMatrix + from / kPanel * rhs.strides[0] + inPanel * packed->pitch(rhs) + from % kPanel * perWord;
    e.copyAsync(rhs, e.select(isThere, at, e.index(0)), to,
                line * to.strides[1] + column * perWord + stage * to.strides[0], isThere);
  });
}

/// Makes of a stage's words, of the block from `k` on, what is multiplied, if there is such a block. Behind
/// the end of the depth they may be anything.
void StagedGemm::unpack(Index k, Index stage) {
  e.ifThen(k.compare(arith::CmpIPredicate::ult, depthEnd), [&] {
    e.overThreads(packed->numberLines() * sizes.columns, [&](Index i) {
      Index line = i / sizes.columns, column = i % sizes.columns;
      unpackWord(k, packed->load(e, *stored, stage * stored->strides[0], line, column), line, column,
                 rightStage(k, stage) * right.strides[0]);
    });
  });
}

void StagedGemm::unpackWord(Index k, const Weights::Run &word, Index line, Index column, Index start) {
  constexpr int64_t kQuad = Quads::kDepth;
  if (areBytes) {
    for (auto [j, quad] : llvm::enumerate(weights.quads(word, 0, weights.perLoad()))) {
      Index quads = line * (weights.perLoad() / kQuad) + int64_t(j);
      e.storeWord(quad, right, start + quads * right.strides[1] + column * kQuad);
    }
    return;
  }
  Index first = line * weights.perLoad();
  Values numbers = weights.scaledNumbers(word);
  if (!depthLeft(k).is(depthOfBlock))
    numbers = orZeros(numbers, k + first);
  for (auto [j, value] : llvm::enumerate(numbers))
    e.storeNumber(value, right, start + (first + int64_t(j)) * right.strides[1] + column);
}

/// It is a group of copies even where there are none.
void StagedGemm::beginCopies(Index k, Index stage) {
  e.ifThen(k.compare(arith::CmpIPredicate::ult, depthEnd), [&] {
    e.copyMatrix(operands.lhs, lhsStart + k, rowCount - firstRow, depthLeft(k), left,
                 stage * left.strides[0]);
    copyRight(k, stage);
  });
  e.commitCopies();
}

/// While a block of the depth is multiplied, the next ones are on their way. One barrier each: behind it all
/// have what was copied or unpacked, and all are done with the stage that is written next.
StagedGemm::Values StagedGemm::computeSums() {
  if (!isCopied)
    return GemmBlock::computeSums();
  for (int64_t stage = 0; stage < stages() - 1; ++stage)
    beginCopies(depthBegin + stage * depthOfBlock, e.index(stage));
  if (isUnpacked()) {
    e.waitForCopies(stages() - 2);
    e.barrier();
    unpack(depthBegin, e.index(0));
  }
  auto follow = [&](Index stage) {
    Index next = stage + 1;
    return e.select(next.compare(arith::CmpIPredicate::eq, stages()), e.index(0), next);
  };
  Values carried{e.index(0), e.index(stages() - 1)}; // the stages that are multiplied and written next
  llvm::append_range(carried, makeSums());
  carried = e.loop(depthBegin, depthEnd, e.index(depthOfBlock), carried, [&](Index k, ValueRange before) {
    e.waitForCopies(stages() - 2 - isUnpacked());
    e.barrier();
    Index multiplied = e.index(before[0]), written = e.index(before[1]);
    beginCopies(k + (stages() - 1) * depthOfBlock, written);
    if (isUnpacked())
      unpack(k + depthOfBlock, follow(multiplied));
    Values after{follow(multiplied), follow(written)};
    llvm::append_range(after, multiply(multiplied, rightStage(k, multiplied), before.drop_front(2)));
    return after;
  });
  e.waitForCopies(0);
  return Values(ArrayRef(carried).drop_front(2));
}

StagedGemm::Values StagedGemm::addDepth(Index k, ValueRange sums) {
  auto block = [](Buffer stages) {
    stages.sizes.erase(stages.sizes.begin());
    stages.strides.erase(stages.strides.begin());
    return stages;
  };
  bringOperands(k, block(left), block(right));
  e.barrier();
  Values next = multiply(e.index(0), e.index(0), sums);
  e.barrier();
  return next;
}
