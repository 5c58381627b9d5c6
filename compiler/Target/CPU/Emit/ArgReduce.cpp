// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arg_reduce: the greatest or least element so far and its place, in vectors along the row, or across columns
// that lie side by side.
#include "compiler/Target/CPU/Emit/Columns.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {

class ArgReduceEmitter {
public:
  ArgReduceEmitter(Emitter &emitter, ArgReduceTileOp op, const Buffer &in, const Buffer &out)
      : e(emitter), in(in), out(out), isMax(op.getKind() == ReduceKind::Max), last(op.getLast()),
        isUnsigned(op.getIsUnsigned()), lanes(columnLanes(emitter, in)) {}

  void emitRow(Index outer);
  void emitColumns(Index outer, Index first, Index width);

private:
  /// Whether x takes the place of `best`, which may be NaN: nothing but a later NaN takes the place of that.
  Value isBetter(Value x, Value best, bool takesEqual);
  Value select(Value condition, Value yes, Value no) { return e.create<arith::SelectOp>(condition, yes, no); }
  Value asNumber(Index index) { return e.create<arith::IndexCastOp>(e.builder.getI64Type(), Value(index)); }
  /// The place of the best of all lanes.
  Value reduceLanes(Value best, Value places);

  Emitter &e;
  const Buffer &in, &out;
  bool isMax, last, isUnsigned;
  int64_t lanes;
};

} // namespace

Value ArgReduceEmitter::isBetter(Value x, Value best, bool takesEqual) {
  if (isa<IntegerType>(getElementTypeOrSelf(x))) {
    using P = arith::CmpIPredicate;
    P greater = isUnsigned ? (takesEqual ? P::uge : P::ugt) : (takesEqual ? P::sge : P::sgt);
    return isMax ? e.create<arith::CmpIOp>(greater, x, best) : e.create<arith::CmpIOp>(greater, best, x);
  }
  using P = arith::CmpFPredicate;
  P greater = takesEqual ? P::UGE : P::UGT; // true, too, if one is NaN
  Value wins = isMax ? e.create<arith::CmpFOp>(greater, x, best) : e.create<arith::CmpFOp>(greater, best, x);
  Value may = e.create<arith::CmpFOp>(P::ORD, best, best);
  if (takesEqual)
    may = e.create<arith::OrIOp>(may, e.create<arith::CmpFOp>(P::UNO, x, x));
  return e.create<arith::AndIOp>(wins, may);
}

Value ArgReduceEmitter::reduceLanes(Value best, Value places) {
  for (int64_t count = lanes; count > 1; count /= 2) {
    auto half = [&](Value vector, int64_t offset) {
      return e.create<vector::ExtractStridedSliceOp>(vector, offset, count / 2, 1);
    };
    Value left = half(best, 0), right = half(best, count / 2);
    Value leftPlaces = half(places, 0), rightPlaces = half(places, count / 2);
    auto order = last ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt;
    Value isFirst = e.create<arith::CmpIOp>(order, rightPlaces, leftPlaces);
    // With a tie the place decides.
    Value takes = select(isFirst, isBetter(right, left, /*takesEqual=*/true),
                         isBetter(right, left, /*takesEqual=*/false));
    best = select(takes, right, left);
    places = select(takes, rightPlaces, leftPlaces);
  }
  return e.create<vector::ExtractOp>(places, 0);
}

void ArgReduceEmitter::emitRow(Index outer) {
  Index start = in.offset + outer * in.strides[0];
  Value first = loadOne(e, in, start);
  Emitter::Values carried{e.splat(first, lanes), e.splat(asNumber(e.index(0)), lanes)};
  auto wide = VectorType::get(lanes, e.builder.getI64Type());
  carried = e.overColumns(
      in.sizes[1], lanes, carried, [&](Index column, Value mask, ValueRange before) -> Emitter::Values {
        Value x = loadMany(e, in, start + column, lanes, mask);
        Value better = isBetter(x, before[0], last);
        if (mask)
          better = e.create<arith::AndIOp>(better, mask);
        Value place = e.create<arith::AddIOp>(e.splat(column, lanes), e.ramp(e.index(1), lanes));
        return {select(better, x, before[0]),
                select(better, e.create<arith::IndexCastOp>(wide, place), before[1])};
      });
  e.storeScalar(reduceLanes(carried[0], carried[1]), out, out.offset + outer * out.strides[0]);
}

void ArgReduceEmitter::emitColumns(Index outer, Index first, Index width) {
  e.overColumns(width, lanes, [&](Index column, Value mask) {
    Index start = in.offset + outer * in.strides[0] + first + column;
    Emitter::Values carried{loadMany(e, in, start, lanes, mask), e.splat(asNumber(e.index(0)), lanes)};
    carried = e.loop(
        e.index(1), in.sizes[1], e.index(1), carried, [&](Index i, ValueRange before) -> Emitter::Values {
          Value x = loadMany(e, in, start + i * in.strides[1], lanes, mask);
          Value better = isBetter(x, before[0], last);
          return {select(better, x, before[0]), select(better, e.splat(asNumber(i), lanes), before[1])};
        });
    e.store(carried[1], out, out.offset + outer * out.strides[0] + first + column, mask);
  });
}

LogicalResult weft::cpu::emitArgReduce(Emitter &emitter, ArgReduceTileOp op, Index tile, TileSizes sizes) {
  auto inType = cast<MemRefType>(op.getInput().getType()), outType = cast<MemRefType>(op.getOut().getType());
  if (inType.getRank() != 3 || outType.getRank() != 2 || !outType.getElementType().isInteger(64) ||
      !inType.getElementType().isIntOrFloat())
    return op.emitOpError("expects numbers [outer, axis, inner] and places [outer, inner] of i64, got ")
           << inType << " and " << outType;
  FailureOr<Buffer> in = emitter.rowMajor(op.getInput()), out = emitter.rowMajor(op.getOut());
  if (failed(in) || failed(out))
    return failure();
  ArgReduceEmitter arg(emitter, op, *in, *out);
  return overBlocks(
      emitter, op, tile, sizes, *in, [&](Index outer) { arg.emitRow(outer); },
      [&](Index outer, Index first, Index width) { arg.emitColumns(outer, first, width); });
}
