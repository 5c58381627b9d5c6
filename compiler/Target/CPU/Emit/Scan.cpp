// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scan: running sums and products, one element after the other; vectors go across columns that lie side by
// side.
#include "compiler/Target/CPU/Emit/Columns.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

//===----------------------------------------------------------------------===//
// Along the middle of [outer, axis, inner]
//===----------------------------------------------------------------------===//

/// Whether elements become other numbers to compute with; narrow integers do not have to.
static bool isWidened(Emitter &e, Type element) { return isa<FloatType>(e.computed(element)); }

int64_t weft::cpu::columnLanes(Emitter &e, const Buffer &buffer) {
  Type number = isWidened(e, buffer.element) ? e.computed(buffer.element) : buffer.element;
  return std::min(e.lanes(number), e.lanesOf(32));
}

Value weft::cpu::loadMany(Emitter &e, const Buffer &from, Index at, int64_t lanes, Value mask) {
  return isWidened(e, from.element) ? e.loadNumbers(from, at, lanes, mask) : e.load(from, at, lanes, mask);
}

Value weft::cpu::loadOne(Emitter &e, const Buffer &from, Index at) {
  Value stored = e.loadScalar(from, at);
  return isWidened(e, from.element) ? e.widen(stored) : stored;
}

LogicalResult weft::cpu::overBlocks(Emitter &e, Operation *op, Index tile, TileSizes sizes, const Buffer &in,
                                    llvm::function_ref<void(Index)> row,
                                    llvm::function_ref<void(Index, Index, Index)> columns) {
  if (sizes.columns <= 0)
    return op->emitError("expects a kernel whose schedule has columns");
  Index inner = in.sizes[2], blocks = max(ceilDiv(inner, sizes.columns), e.index(1));
  Index first = tile % blocks * sizes.columns, from = tile / blocks * sizes.rows;
  Index to = min(from + sizes.rows, in.sizes[0]), width = min(e.index(sizes.columns), inner - first);
  e.loop(from, to, e.index(1), [&](Index outer) {
    if (inner.is(1))
      row(outer);
    else
      columns(outer, first, width);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

namespace {
struct Scan {
  const Buffer &in, &out;
  ReduceKind kind;
  bool exclusive, reverse;
};
} // namespace

/// The place on the axis of each step, from the first or from the last.
static Index placeOf(const Scan &scan, Index step) {
  return scan.reverse ? scan.in.sizes[1] - 1 - step : step;
}

static Value cumulate(Emitter &e, const Scan &scan, Value before, Value x) {
  if (scan.kind == ReduceKind::Sum)
    return e.add(before, x);
  return isa<FloatType>(getElementTypeOrSelf(x)) ? e.create<arith::MulFOp>(before, x)
                                                 : e.create<arith::MulIOp>(before, x);
}

static Type numberOf(Emitter &e, const Scan &scan) {
  return isWidened(e, scan.in.element) ? e.computed(scan.in.element) : scan.in.element;
}

/// What there is before the first element.
static Value neutralOf(Emitter &e, const Scan &scan) {
  return e.number(numberOf(e, scan), scan.kind == ReduceKind::Sum ? 0 : 1);
}

static void emitRow(Emitter &e, const Scan &scan, Index outer) {
  Index from = scan.in.offset + outer * scan.in.strides[0],
        to = scan.out.offset + outer * scan.out.strides[0];
  e.loop(e.index(0), scan.in.sizes[1], e.index(1), neutralOf(e, scan), [&](Index step, ValueRange before) {
    Index place = placeOf(scan, step);
    Value after = cumulate(e, scan, before.front(), loadOne(e, scan.in, from + place));
    e.storeScalar(e.narrow(scan.exclusive ? before.front() : after, scan.out.element), scan.out, to + place);
    return Emitter::Values{after};
  });
}

static void emitColumns(Emitter &e, const Scan &scan, Index outer, Index first, Index width) {
  int64_t lanes = columnLanes(e, scan.in);
  e.overColumns(width, lanes, [&](Index column, Value mask) {
    Index from = scan.in.offset + outer * scan.in.strides[0] + first + column;
    Index to = scan.out.offset + outer * scan.out.strides[0] + first + column;
    Value neutral = e.splat(neutralOf(e, scan), lanes);
    e.loop(e.index(0), scan.in.sizes[1], e.index(1), neutral, [&](Index step, ValueRange before) {
      Index place = placeOf(scan, step);
      Value x = loadMany(e, scan.in, from + place * scan.in.strides[1], lanes, mask);
      Value after = cumulate(e, scan, before.front(), x);
      e.storeNumbers(scan.exclusive ? before.front() : after, scan.out, to + place * scan.out.strides[1],
                     mask);
      return Emitter::Values{after};
    });
  });
}

LogicalResult weft::cpu::emitScan(Emitter &emitter, ScanTileOp op, Index tile, TileSizes sizes) {
  auto inType = cast<MemRefType>(op.getInput().getType()), outType = cast<MemRefType>(op.getOut().getType());
  if (inType.getRank() != 3 || inType != outType || !inType.getElementType().isIntOrFloat())
    return op.emitOpError("expects numbers [outer, axis, inner] and a result like them, got ")
           << inType << " and " << outType;
  FailureOr<Buffer> in = emitter.rowMajor(op.getInput()), out = emitter.rowMajor(op.getOut());
  if (failed(in) || failed(out))
    return failure();
  if (op.getKind() != ReduceKind::Sum && op.getKind() != ReduceKind::Prod)
    return op.emitOpError("expects sum or prod, got ") << stringifyReduceKind(op.getKind());
  Scan scan{*in, *out, op.getKind(), op.getExclusive(), op.getReverse()};
  return overBlocks(
      emitter, op, tile, sizes, *in, [&](Index outer) { emitRow(emitter, scan, outer); },
      [&](Index outer, Index first, Index width) { emitColumns(emitter, scan, outer, first, width); });
}
