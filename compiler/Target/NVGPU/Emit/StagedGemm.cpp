// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk of a matrix product along the depth, with what is multiplied next on its way.
#include "compiler/Target/NVGPU/Emit/StagedGemm.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

bool StagedGemm::canCopy(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands) {
  return !op.getPacked() && emitter.hasRowsOfPieces(operands.lhs) && emitter.hasRowsOfPieces(operands.rhs);
}

StagedGemm::StagedGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                       const GemmOperands &operands, const StageLayout &layout)
    : GemmBlock(emitter, op, sizes, operands, layout.depth), isCopied(layout.isCopied),
      left(emitter.shared(layout.left, {isCopied ? kStages : 1, sizes.rows, layout.depth},
                          layout.leftPadding)),
      right(emitter.shared(layout.right, {isCopied ? kStages : 1, layout.lines, layout.lineElements},
                           layout.rightPadding)) {}

Index StagedGemm::depthLeft(Index k) const {
  bool isWhole = depth.constant() && *depth.constant() % depthOfBlock == 0;
  return isWhole ? e.index(depthOfBlock) : depth - k;
}

void StagedGemm::copyRight(Index k, Index stage) {
  const Buffer &rhs = operands.rhs;
  e.copyMatrix(rhs, rhsMatrix + k * rhs.strides[rhs.rank() - 2] + firstColumn, depthLeft(k),
               columnCount - firstColumn, right, stage * right.strides[0]);
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
/// have what was copied, and all are done with the stage that is written next.
StagedGemm::Values StagedGemm::computeSums() {
  if (!isCopied)
    return GemmBlock::computeSums();
  for (int64_t stage = 0; stage < kStages - 1; ++stage)
    beginCopies(depthBegin + stage * depthOfBlock, e.index(stage));
  auto follow = [&](Index stage) {
    Index next = stage + 1;
    return e.select(next.compare(arith::CmpIPredicate::eq, kStages), e.index(0), next);
  };
  Values carried{e.index(0), e.index(kStages - 1)}; // the stages that are multiplied and written next
  llvm::append_range(carried, makeSums());
  carried = e.loop(depthBegin, depthEnd, e.index(depthOfBlock), carried, [&](Index k, ValueRange before) {
    e.waitForCopies(kStages - 2);
    e.barrier();
    Index multiplied = e.index(before[0]), written = e.index(before[1]);
    beginCopies(k + (kStages - 1) * depthOfBlock, written);
    Values after{follow(multiplied), follow(written)};
    llvm::append_range(after, multiply(multiplied, before.drop_front(2)));
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
  Values next = multiply(e.index(0), sums);
  e.barrier();
  return next;
}
