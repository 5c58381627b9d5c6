// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft.merge_attention_tile: what parts of the keys left, as one result. Parts are added in order.
#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"
#include "compiler/Target/CPU/Emit/Rows.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

RowFactor weft::cpu::rowFactor(Emitter &e, EmptyRows emptyRows, Value sum, Value hasNoKeys) {
  Value zero = e.number(sum.getType(), 0), isZero = hasNoKeys;
  if (emptyRows != EmptyRows::NaN) // a score of NaN makes a sum of NaN, which is unordered
    isZero = e.create<arith::CmpFOp>(
        emptyRows == EmptyRows::Zero ? arith::CmpFPredicate::OEQ : arith::CmpFPredicate::UEQ, sum, zero);
  return {isZero, e.create<arith::DivFOp>(e.number(sum.getType(), 1), sum)};
}

Value RowFactor::apply(Emitter &e, Value numbers) const {
  auto type = cast<VectorType>(numbers.getType());
  Value zeros = e.splat(e.number(type.getElementType(), 0), type.getDimSize(0));
  Value product = e.create<arith::MulFOp>(numbers, e.splat(factor, type.getDimSize(0)));
  return e.create<arith::SelectOp>(isZero, zeros, product);
}

namespace {

class MergeEmitter {
public:
  MergeEmitter(Emitter &emitter, MergeAttentionTileOp op, const Buffer &parts, const Buffer &statistics,
               const Buffer &out)
      : e(emitter), op(op), parts(parts), statistics(statistics), out(out), number(parts.element),
        lanes(emitter.lanes(number)) {}
  void emitRow(Index row);

private:
  Index statisticAt(Index part, Index row) {
    return statistics.offset + part * statistics.strides[0] + row * statistics.strides[1];
  }
  Value maximumOf(Index row);
  /// By what a part's sums shrink. All lanes are alike.
  Value scaleOf(Index part, Index row, Value base);

  Emitter &e;
  MergeAttentionTileOp op;
  Buffer parts, statistics, out;
  Type number;
  int64_t lanes;
};

} // namespace

/// The greatest score of the row; 0 if every key was excluded.
Value MergeEmitter::maximumOf(Index row) {
  Value least = e.number(number, -std::numeric_limits<double>::infinity());
  auto choose = [&](Index part, ValueRange greatest) -> Emitter::Values {
    Value found = e.loadScalar(statistics, statisticAt(part, row));
    Value isGreater = e.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, found, greatest.front());
    return {e.create<arith::SelectOp>(isGreater, found, greatest.front())};
  };
  Value maximum = e.loop(e.index(0), parts.sizes[0], e.index(1), least, choose).front();
  Value isEmpty = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, maximum, least);
  return e.create<arith::SelectOp>(isEmpty, e.number(number, 0), maximum);
}

Value MergeEmitter::scaleOf(Index part, Index row, Value base) {
  Value maximum = e.loadScalar(statistics, statisticAt(part, row));
  return e.create<math::ExpOp>(e.splat(e.create<arith::SubFOp>(maximum, base), lanes));
}

void MergeEmitter::emitRow(Index row) {
  Value base = maximumOf(row), zero = e.splat(e.number(number, 0), lanes);
  Index none = e.index(0), count = parts.sizes[0];
  auto addSum = [&](Index part, ValueRange sum) -> Emitter::Values {
    Value each = e.splat(e.loadScalar(statistics, statisticAt(part, row) + 1), lanes);
    return {e.create<vector::FMAOp>(scaleOf(part, row, base), each, sum.front())};
  };
  Value sum = e.create<vector::ExtractOp>(e.loop(none, count, e.index(1), zero, addSum).front(), 0);
  RowFactor factor = rowFactor(e, op.getEmptyRows(), sum, e.create<arith::ConstantIntOp>(0, 1));
  // Rows are those of a matrix, or of [B, H, L, e].
  Index start = placeOf(out, positionOf(row, ArrayRef(out.sizes).drop_back()), out.strides);
  e.overColumns(out.sizes.back(), lanes, [&](Index column, Value mask) {
    auto addPart = [&](Index part, ValueRange total) -> Emitter::Values {
      Index at = parts.offset + part * parts.strides[0] + row * parts.strides[1] + column;
      return {
          e.create<vector::FMAOp>(scaleOf(part, row, base), e.load(parts, at, lanes, mask), total.front())};
    };
    Value total = e.loop(none, count, e.index(1), zero, addPart).front();
    e.storeNumbers(factor.apply(e, total), out, start + column, mask);
  });
}

LogicalResult weft::cpu::emitMergeAttention(Emitter &emitter, MergeAttentionTileOp op, Index tile,
                                            TileSizes sizes) {
  auto parts = cast<MemRefType>(op.getParts().getType()),
       statistics = cast<MemRefType>(op.getStatistics().getType()),
       out = cast<MemRefType>(op.getOut().getType());
  Type number = parts.getElementType();
  bool isKnown =
      parts.getRank() == 3 && statistics.getRank() == 3 && (out.getRank() == 2 || out.getRank() == 4);
  if (!isKnown || statistics.getElementType() != number || emitter.computed(out.getElementType()) != number)
    return op.emitOpError(
               "expects parts and statistics of rank 3, and rows of rank 2 or 4 that are computed in "
               "their type, got ")
           << parts << ", " << statistics << " and " << out;
  FailureOr<SmallVector<Buffer>> found = emitter.allRowMajor(op->getOperands());
  if (failed(found))
    return failure();
  MergeEmitter merge(emitter, op, (*found)[0], (*found)[1], (*found)[2]);
  Index rows = (*found)[0].sizes[1];
  overRows(emitter, tile, sizes, rows, [&](Index row) { merge.emitRow(row); });
  return success();
}
