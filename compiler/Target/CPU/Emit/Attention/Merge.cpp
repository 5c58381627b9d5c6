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
  MergeEmitter(Emitter &emitter, MergeAttentionTileOp op, Buffer parts, Buffer statistics, Buffer out)
      : e(emitter), op(op), parts(parts), statistics(statistics), out(out), number(out.element),
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
  e.overColumns(out.sizes[1], lanes, [&](Index column, Value mask) {
    auto addPart = [&](Index part, ValueRange total) -> Emitter::Values {
      Index at = parts.offset + part * parts.strides[0] + row * parts.strides[1] + column;
      return {
          e.create<vector::FMAOp>(scaleOf(part, row, base), e.load(parts, at, lanes, mask), total.front())};
    };
    Value total = e.loop(none, count, e.index(1), zero, addPart).front();
    e.store(factor.apply(e, total), out, out.offset + row * out.strides[0] + column, mask);
  });
}

LogicalResult weft::cpu::emitMergeAttention(Emitter &emitter, MergeAttentionTileOp op, Index tile,
                                            TileSizes sizes) {
  SmallVector<Buffer> found;
  constexpr int64_t kRanks[] = {3, 3, 2};
  for (auto [operand, rank] : llvm::zip_equal(op->getOperands(), kRanks)) {
    auto type = cast<MemRefType>(operand.getType());
    if (type.getRank() != rank || type.getElementType() != op.getOut().getType().getElementType())
      return op.emitOpError("expects parts and statistics of rank 3 and a matrix, got ") << type;
    FailureOr<Buffer> buffer = emitter.rowMajor(operand);
    if (failed(buffer))
      return failure();
    found.push_back(*buffer);
  }
  MergeEmitter merge(emitter, op, found[0], found[1], found[2]);
  overRows(emitter, tile, sizes, found[2].sizes[0], [&](Index row) { merge.emitRow(row); });
  return success();
}
