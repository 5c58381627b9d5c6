// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: where a block's operands are and its results go. A walk along the depth brings blocks of
// both operands into shared memory; each sum is rounded once.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

Type weft::nvgpu::numberOf(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands) {
  bool areBytes = cpu::isOfBytes(cpu::formatOf(op));
  return areBytes ? Type(emitter.builder.getI32Type()) : emitter.computed(operands.out.element);
}

GemmBlock::GemmBlock(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands,
                     int64_t depthOfBlock)
    : e(emitter), op(op), sizes(sizes), operands(operands), depthOfBlock(depthOfBlock),
      areBytes(cpu::isOfBytes(cpu::formatOf(op))), number(numberOf(emitter, op, operands)),
      weights(emitter, op, operands.rhs, number),
      cluster{emitter.index(1), emitter.index(1), emitter.index(0), emitter.index(0)},
      rowCount(operands.out.sizes[operands.out.rank() - 2]), columnCount(operands.out.sizes.back()),
      depth(operands.lhs.sizes.back()) {
  decodeTile(e.block);
}

/// Of a matrix's tiles, number `tile`. They are numbered by bands, in each column after column: those that
/// are computed at a time are about as high as they are wide together, and so read the least.
void GemmBlock::decodeInMatrix(Index tile) {
  constexpr int64_t kRowsOfBand = 2048;
  const bool areFew = sizes.rows <= kMostFewRows; // so that nothing is divided for them
  Index all = rowTiles(), most = e.index(areFew ? 1 : std::max<int64_t>(kRowsOfBand / sizes.rows, 1));
  if (!cluster.rows.is(1))
    most = e.quotient(most, cluster.rows);
  const bool isOne = all.constant() && most.constant() && *all.constant() <= *most.constant();
  Index above = isOne ? e.index(0) : e.quotient(tile, columnTiles() * most) * most;
  Index height = areFew ? e.index(1) : min(all - above, most);
  Index inBand = tile - above * columnTiles();
  firstColumn = (e.quotient(inBand, height) * cluster.columns + cluster.column) * sizes.columns;
  firstRow = ((above + e.remainder(inBand, height)) * cluster.rows + cluster.row) * sizes.rows;
}

void GemmBlock::decodeTile(Index tile) {
  const auto &[lhs, rhs, out, captures] = operands;
  size_t batchRank = out.rank() - 2;
  Index batch = batchRank ? e.quotient(tile, tilesOfMatrix()) : e.index(0);
  decodeInMatrix(batchRank ? tile - batch * tilesOfMatrix() : tile);
  batchIndices.assign(batchRank, batch);
  for (size_t i = batchRank; i-- > 0;) {
    batchIndices[i] = e.remainder(batch, out.sizes[i]);
    batch = e.quotient(batch, out.sizes[i]);
  }
  decodePart(batchRank ? batchIndices.front() : e.index(0));
  lhsStart = e.batchOffset(lhs, lhs.rank() - 2, batchIndices) + firstRow * lhs.strides[lhs.rank() - 2];
  rhsMatrix = op.getPacked() ? rhs.offset : e.batchOffset(rhs, rhs.rank() - 2, batchIndices);
  outStart =
      e.batchOffset(out, batchRank, batchIndices) + firstRow * out.strides[out.rank() - 2] + firstColumn;
}

/// Parts begin at multiples of what lies in shared memory at a time.
void GemmBlock::decodePart(Index part) {
  depthBegin = e.index(0);
  depthEnd = depth;
  if (!op.getParts())
    return;
  assert(kUnitOfParts % depthOfBlock == 0);
  Index pieces = ceilDiv(depth, kUnitOfParts), parts = operands.out.sizes.front();
  depthBegin = e.quotient(part * pieces, parts) * kUnitOfParts;
  depthEnd = min(e.quotient((part + 1) * pieces, parts) * kUnitOfParts, depth);
}

GemmBlock::Values GemmBlock::orZeros(Values numbers, Index k) {
  for (auto [i, value] : llvm::enumerate(numbers)) {
    Value isThere = (k + int64_t(i)).compare(arith::CmpIPredicate::ult, depth);
    value = e.create<arith::SelectOp>(isThere, value, e.number(number, 0));
  }
  return numbers;
}

Value GemmBlock::widenLeft(Value element) {
  return areBytes ? e.create<arith::ExtUIOp>(number, element) : e.widen(element);
}

void GemmBlock::bringOperands(Index k, const Buffer &left, const Buffer &right) {
  const Buffer &rhs = operands.rhs;
  e.bring(operands.lhs, lhsStart + k, rowCount - firstRow, depth - k, left,
          [&](Value element) { return widenLeft(element); });
  if (op.getPacked())
    return bringWeights(k, right);
  Index start = rhsMatrix + k * rhs.strides[rhs.rank() - 2] + firstColumn * rhs.strides.back();
  e.bring(rhs, start, depth - k, columnCount - firstColumn, right);
}

/// The same of a packed rhs: each thread takes what one load gives.
void GemmBlock::bringWeights(Index k, const Buffer &right) {
  int64_t columns = *right.sizes[1].constant(), each = weights.perLoad();
  e.overThreads(*right.sizes[0].constant() / each * columns, [&](Index i) {
    Index step = i / columns * each, column = i % columns, first = k + step;
    Value isThere = e.both(first.compare(arith::CmpIPredicate::ult, depth),
                           column.compare(arith::CmpIPredicate::ult, columnCount - firstColumn));
    Values zeros(each, e.number(number, 0));
    auto load = [&] { // behind the end of the depth there may be anything
      Weights::Run run = weights.load(rhsMatrix, first, each, firstColumn + column);
      return orZeros(weights.scaledNumbers(run), first);
    };
    Values numbers = e.ifElse(isThere, ValueRange(zeros).getTypes(), load, [&] { return zeros; });
    for (auto [j, value] : llvm::enumerate(numbers))
      e.storeNumber(value, right, (step + int64_t(j)) * right.strides[0] + column * right.strides[1]);
  });
}

Value GemmBlock::epilogueOf(Value sum, Index row, Index column) {
  if (op.getEpilogue().empty())
    return e.narrow(sum, operands.out.element);
  // The epilogue may make an element of another type of a sum.
  Value element = e.narrow(sum, op.getEpilogue().front().getArgument(0).getType());
  SmallVector<Index> position(batchIndices);
  position.append({min(firstRow + row, rowCount - 1), min(firstColumn + column, columnCount - 1)});
  auto elements = e.region(op.getEpilogue().front(), element, operands.captures, position);
  failedEpilogue |= failed(elements);
  return failed(elements) ? element : elements->front();
}

void GemmBlock::store(Value sum, Index row, Index column) {
  const Buffer &out = operands.out;
  Value isThere = e.both((firstRow + row).compare(arith::CmpIPredicate::ult, rowCount),
                         (firstColumn + column).compare(arith::CmpIPredicate::ult, columnCount));
  e.ifThen(isThere, [&] {
    Index at = outStart + row * out.strides[out.rank() - 2] + column;
    e.storeScalar(epilogueOf(sum, row, column), out, at);
  });
}

GemmBlock::Values GemmBlock::computeSums() {
  return e.loop(depthBegin, depthEnd, e.index(depthOfBlock), makeSums(),
                [&](Index k, ValueRange before) { return addDepth(k, before); });
}

LogicalResult GemmBlock::emit() {
  storeSums(computeSums());
  return result();
}
