// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: where a block's operands are and its results go. A walk along the depth brings blocks of
// both operands into shared memory; each sum is rounded once.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

GemmBlock::GemmBlock(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
    : e(emitter), op(op), sizes(sizes), operands(operands), number(emitter.computed(operands.out.element)),
      rowCount(operands.out.sizes[operands.out.rank() - 2]), columnCount(operands.out.sizes.back()),
      depth(operands.lhs.sizes.back()) {
  decodeTile();
}

/// Where a buffer's matrix of this batch starts. A batch dim that is 1, or missing, serves the whole batch.
Index GemmBlock::batchOffset(const Buffer &buffer, size_t batchRank) {
  Index offset = buffer.offset;
  size_t missing = batchIndices.size() - batchRank;
  for (size_t i = 0; i < batchRank; ++i) {
    Value isOne = buffer.sizes[i].compare(arith::CmpIPredicate::eq, 1);
    offset = offset + batchIndices[missing + i] * e.select(isOne, e.index(0), buffer.strides[i]);
  }
  return offset;
}

void GemmBlock::decodeTile() {
  const auto &[lhs, rhs, out, captures] = operands;
  Index columnBlocks = ceilDiv(columnCount, sizes.columns), rowBlocks = ceilDiv(rowCount, sizes.rows);
  Index panel = e.quotient(e.block, columnBlocks), batch = e.quotient(panel, rowBlocks);
  firstColumn = e.remainder(e.block, columnBlocks) * sizes.columns;
  firstRow = e.remainder(panel, rowBlocks) * sizes.rows;
  size_t batchRank = out.rank() - 2;
  batchIndices.assign(batchRank, batch);
  for (size_t i = batchRank; i-- > 0;) {
    batchIndices[i] = e.remainder(batch, out.sizes[i]);
    batch = e.quotient(batch, out.sizes[i]);
  }
  lhsStart = batchOffset(lhs, lhs.rank() - 2) + firstRow * lhs.strides[lhs.rank() - 2];
  rhsStart = batchOffset(rhs, rhs.rank() - 2) + firstColumn * rhs.strides.back();
  outStart = batchOffset(out, batchRank) + firstRow * out.strides[out.rank() - 2] + firstColumn;
}

/// A block of a matrix from `start` on, of which `rows` and `columns` are there. It is widened where `to` is
/// of numbers.
void GemmBlock::bring(const Buffer &from, Index start, Index rows, Index columns, const Buffer &to) {
  int64_t height = *to.sizes[0].constant(), width = *to.sizes[1].constant();
  e.overThreads(height * width, [&](Index i) {
    Index row = i / width, column = i % width;
    Value isThere = e.both(row.compare(arith::CmpIPredicate::ult, rows),
                           column.compare(arith::CmpIPredicate::ult, columns));
    Index at = start + row * from.strides[from.rank() - 2] + column * from.strides.back();
    Value element = e.loadIf(isThere, from, at, to.element);
    e.storeScalar(element, to, row * to.strides[0] + column * to.strides[1]);
  });
}

void GemmBlock::bringOperands(Index k, const Buffer &left, const Buffer &right) {
  const Buffer &rhs = operands.rhs;
  bring(operands.lhs, lhsStart + k, rowCount - firstRow, depth - k, left);
  bring(rhs, rhsStart + k * rhs.strides[rhs.rank() - 2], depth - k, columnCount - firstColumn, right);
}

void GemmBlock::store(Value sum, Index row, Index column) {
  const Buffer &out = operands.out;
  Value isThere = e.both((firstRow + row).compare(arith::CmpIPredicate::ult, rowCount),
                         (firstColumn + column).compare(arith::CmpIPredicate::ult, columnCount));
  e.ifThen(isThere, [&] {
    Value element = e.narrow(sum, out.element);
    if (!op.getEpilogue().empty()) {
      SmallVector<Index> position(batchIndices);
      position.append({firstRow + row, firstColumn + column});
      auto elements = e.region(op.getEpilogue().front(), element, operands.captures, position);
      failedEpilogue |= failed(elements);
      element = failed(elements) ? element : elements->front();
    }
    e.storeScalar(element, out, outStart + row * out.strides[out.rank() - 2] + column);
  });
}

LogicalResult GemmBlock::emit() {
  Values sums = e.loop(e.index(0), depth, e.index(depthOfBlock), makeSums(),
                       [&](Index k, ValueRange before) { return addDepth(k, before); });
  storeSums(sums);
  return failure(failedEpilogue);
}
