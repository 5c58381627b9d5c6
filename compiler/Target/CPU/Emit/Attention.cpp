// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: for a block of queries, scores of a block of keys at a time, with a running maximum and sum for
// each query, so that no matrix of scores reaches memory.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Emit/Product.h"
#include "compiler/Target/CPU/Emit/Rows.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {

struct AttentionBuffers {
  Buffer query, key, value, out;
  SmallVector<Buffer> captures;
};

class AttentionEmitter {
public:
  AttentionEmitter(Emitter &emitter, AttentionTileOp op, TileSizes sizes, AttentionBuffers &buffers);
  LogicalResult emit(Index tile);

private:
  Buffer scratch(int64_t elements);
  Value exp(Value scalar);
  Value greater(Value left, Value right);
  void emitBlock(Index start);
  void emitProbabilities(Index row, Index start, Index width);
  Value emitScore(Value raw, Index row, Index column, Value mask);
  void emitResult(Index row);
  Index queryOf(Index row) { return groupSize.is(1) ? firstRow + row : (firstRow + row) % length; }
  Index headOf(Index row) {
    return groupSize.is(1) ? keyHead : keyHead * groupSize + (firstRow + row) / length;
  }

  Emitter &e;
  AttentionTileOp op;
  TileSizes sizes;
  AttentionBuffers &buffers;
  Type number;
  int64_t lanes;
  Index heads, length, depth, keyHeads, keys, width; ///< H, L, d, G, S, e
  Index groupSize;                                   ///< H / G
  Index batch{e, {}}, keyHead{e, {}}, firstRow{e, {}}, rows{e, {}}, queryStart{e, {}}, outStart{e, {}};
  Buffer scores, maxima, sums, scales; ///< of this tile: rows x columns, and one for each row
  bool failedRegion = false;
};

} // namespace

AttentionEmitter::AttentionEmitter(Emitter &emitter, AttentionTileOp op, TileSizes sizes,
                                   AttentionBuffers &buffers)
    : e(emitter), op(op), sizes(sizes), buffers(buffers), number(buffers.out.element), lanes(e.lanes(number)),
      heads(buffers.query.sizes[1]), length(buffers.query.sizes[2]), depth(buffers.query.sizes[3]),
      keyHeads(buffers.value.sizes[1]), keys(buffers.value.sizes[2]), width(buffers.value.sizes[3]),
      groupSize(heads / max(keyHeads, e.index(1))), scores(scratch(sizes.rows * sizes.columns)),
      maxima(scratch(sizes.rows)), sums(scratch(sizes.rows)), scales(scratch(sizes.rows)) {}

/// Memory of this call, on the stack.
Buffer AttentionEmitter::scratch(int64_t elements) {
  auto type = MemRefType::get(elements, number);
  constexpr int64_t kCacheLine = 64;
  Value memory = e.create<memref::AllocaOp>(type, e.builder.getI64IntegerAttr(kCacheLine));
  return {memory, e.index(0), {e.index(elements)}, {e.index(1)}, number};
}

LogicalResult AttentionEmitter::emit(Index tile) {
  Index rowCount = groupSize * length, blocks = max(ceilDiv(rowCount, sizes.rows), e.index(1));
  Index head = tile / blocks;
  batch = head / keyHeads;
  keyHead = head % keyHeads;
  firstRow = (tile % blocks) * sizes.rows;
  rows = min(e.index(sizes.rows), rowCount - firstRow);
  // The query heads of one key head lie side by side, so that their rows are the rows of one matrix.
  Index row = (batch * heads + keyHead * groupSize) * length + firstRow;
  queryStart = buffers.query.offset + row * depth;
  outStart = buffers.out.offset + row * width;
  e.loop(e.index(0), rows, e.index(1), [&](Index r) {
    e.storeScalar(e.number(number, -std::numeric_limits<double>::infinity()), maxima, r);
    e.storeScalar(e.number(number, 0), sums, r);
  });
  // One turn even without keys: out is to be written.
  e.loop(e.index(0), max(keys, e.index(1)), e.index(sizes.columns), [&](Index start) { emitBlock(start); });
  e.loop(e.index(0), rows, e.index(1), [&](Index r) { emitResult(r); });
  return failure(failedRegion);
}

/// The keys from `start` on: their scores, what these make of the running maxima and sums, their values.
void AttentionEmitter::emitBlock(Index start) {
  Index count = min(e.index(sizes.columns), keys - start), head = batch * keyHeads + keyHead;
  Matrix scoreMatrix{scores, e.index(0), e.index(sizes.columns)};
  Matrix query{buffers.query, queryStart, depth};
  Matrix key{buffers.key, buffers.key.offset + head * depth * keys + start, keys};
  emitProduct(e, {query, key, scoreMatrix, rows, count, depth, {}, {}});
  e.loop(e.index(0), rows, e.index(1), [&](Index row) { emitProbabilities(row, start, count); });
  Matrix value{buffers.value, buffers.value.offset + (head * keys + start) * width, width};
  Matrix out{buffers.out, outStart, width};
  emitProduct(e, {scoreMatrix, value, out, rows, width, count, start.compare(arith::CmpIPredicate::eq, 0),
                  [&](Index row) { return e.loadScalar(scales, row); }});
}

Value AttentionEmitter::exp(Value scalar) {
  return e.create<vector::ExtractOp>(e.create<math::ExpOp>(e.splat(scalar, lanes)), 0);
}

/// A NaN may get lost; the sum of exponentials finds it.
Value AttentionEmitter::greater(Value left, Value right) {
  Value isGreater = e.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, left, right);
  return e.create<arith::SelectOp>(isGreater, left, right);
}

/// Makes exp(score - maximum) of one row's products, and the factor by which what was summed before shrinks.
void AttentionEmitter::emitProbabilities(Index row, Index start, Index count) {
  Index at = row * sizes.columns;
  Value least = e.number(number, -std::numeric_limits<double>::infinity()), zero = e.number(number, 0);
  auto score = [&](Index column, Value mask) -> Value {
    Value s = emitScore(e.load(scores, at + column, lanes, mask), row, start + column, mask);
    e.store(s, scores, at + column, mask);
    return mask ? e.create<arith::SelectOp>(mask, s, e.splat(least, lanes)) : s;
  };
  auto choose = [&](Value left, Value right) { return greater(left, right); };
  Value before = e.loadScalar(maxima, row);
  Value maximum = greater(reduceRow(e, count, lanes, {least, choose}, score), before);
  // Of nothing but excluded keys the maximum is minus infinity, which must not be subtracted from itself.
  Value isEmpty = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, maximum, least);
  Value base = e.create<arith::SelectOp>(isEmpty, zero, maximum), bases = e.splat(base, lanes);
  Value sum = sumRow(e, count, number, lanes, [&](Index column, Value mask) -> Value {
    Value s = e.load(scores, at + column, lanes, mask);
    Value p = e.create<math::ExpOp>(e.create<arith::SubFOp>(s, bases));
    e.store(p, scores, at + column, mask);
    return mask ? e.create<arith::SelectOp>(mask, p, e.splat(zero, lanes)) : p;
  });
  Value scale = exp(e.create<arith::SubFOp>(before, base));
  e.storeScalar(maximum, maxima, row);
  e.storeScalar(scale, scales, row);
  e.storeScalar(e.create<math::FmaOp>(e.loadScalar(sums, row), scale, sum), sums, row);
}

Value AttentionEmitter::emitScore(Value raw, Index row, Index column, Value mask) {
  Value scale = e.splat(e.number(number, op.getScale().convertToDouble()), lanes);
  Value score = e.create<arith::MulFOp>(raw, scale);
  if (op.getScore().empty())
    return score;
  Block &region = op.getScore().front();
  Index head = headOf(row), query = queryOf(row);
  Emitter::Values arguments{score};
  for (Index index : {batch, head, query})
    arguments.push_back(e.splat(index, lanes));
  arguments.push_back(e.create<arith::AddIOp>(e.splat(column, lanes), e.ramp(e.index(1), lanes)));
  for (auto [capture, argument] : llvm::zip(buffers.captures, region.getArguments().drop_front(5)))
    arguments.push_back(
        loadCapture(e, capture, argument.getType(), {batch, head, query, column}, lanes, mask));
  FailureOr<Emitter::Values> results = emitVectorRegion(e, region, arguments, lanes, {}, mask);
  failedRegion |= failed(results);
  if (failed(results))
    return score;
  Value excluded = e.splat(e.number(number, -std::numeric_limits<double>::infinity()), lanes);
  return e.create<arith::SelectOp>((*results)[1], (*results)[0], excluded);
}

/// Divides a row by its sum. That is 0 if no key was kept; where there are no keys at all the result is 0.
void AttentionEmitter::emitResult(Index row) {
  Value sum = e.loadScalar(sums, row), zero = e.number(number, 0);
  Value isZero = keys.compare(arith::CmpIPredicate::eq, 0);
  if (op.getEmptyRows() != EmptyRows::NaN) // a score of NaN makes a sum of NaN, which is unordered
    isZero = e.create<arith::CmpFOp>(op.getEmptyRows() == EmptyRows::Zero ? arith::CmpFPredicate::OEQ
                                                                         : arith::CmpFPredicate::UEQ,
                                     sum, zero);
  Value factor = e.create<arith::DivFOp>(e.number(number, 1), sum);
  factor = e.create<arith::SelectOp>(isZero, zero, factor);
  Value factors = e.splat(factor, lanes);
  Index start = outStart + row * width;
  e.overColumns(width, lanes, [&](Index column, Value mask) {
    Value y = e.load(buffers.out, start + column, lanes, mask);
    e.store(e.create<arith::MulFOp>(y, factors), buffers.out, start + column, mask);
  });
}

static LogicalResult checkAttention(AttentionTileOp op, TileSizes sizes) {
  auto out = cast<MemRefType>(op.getOut().getType());
  Type element = out.getElementType();
  for (Value matrix : {op.getQuery(), op.getKey(), op.getValue(), op.getOut()})
    if (auto type = cast<MemRefType>(matrix.getType());
        type.getRank() != 4 || type.getElementType() != element || !(element.isF32() || element.isF64()))
      return op.emitOpError("expects query, key, value and out of rank 4, all f32 or all f64, got ") << type;
  for (Value capture : op.getCaptures())
    if (cast<MemRefType>(capture.getType()).getRank() > 4)
      return op.emitOpError("expects captures of rank 4 at most, got ") << capture.getType();
  if (op.getWeights())
    return op.emitOpError("cannot write the weights yet");
  if (sizes.rows <= 0 || sizes.columns <= 0)
    return op.emitOpError("expects a schedule of rows and columns");
  return success();
}

LogicalResult weft::cpu::emitAttention(Emitter &emitter, AttentionTileOp op, Index tile, TileSizes sizes) {
  if (failed(checkAttention(op, sizes)))
    return failure();
  SmallVector<Buffer> found;
  for (Value operand : op->getOperands()) {
    FailureOr<Buffer> buffer = emitter.rowMajor(operand);
    if (failed(buffer))
      return failure();
    found.push_back(*buffer);
  }
  AttentionBuffers buffers{found[0], found[1], found[2], found.back(),
                           SmallVector<Buffer>(ArrayRef(found).drop_front(3).drop_back())};
  return AttentionEmitter(emitter, op, sizes, buffers).emit(tile);
}
