// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scatter: rows of out are changed at places, which every tile walks in order, each in its own columns.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "dialects/Weft/IR/ScalarBody.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// How an update and the element that is there become one; nothing where the update takes its place.
static std::optional<ReduceKind> reductionOf(ScatterKind kind) {
  switch (kind) {
  case ScatterKind::Replace:
    return std::nullopt;
  case ScatterKind::Add:
    return ReduceKind::Sum;
  case ScatterKind::Mul:
    return ReduceKind::Prod;
  case ScatterKind::Max:
    return ReduceKind::Max;
  case ScatterKind::Min:
    return ReduceKind::Min;
  }
  return std::nullopt;
}

/// Changes `count` elements of out from `to` on by those of updates from `from` on: whole vectors, then one
/// by one, since not every element type has masks on every processor.
static void emitChange(Emitter &e, ScatterTileOp op, const Buffer &out, Index to, const Buffer &updates,
                       Index from, Index count) {
  std::optional<ReduceKind> reduction = reductionOf(op.getKind());
  auto combine = [&](Value old, Value update) {
    return buildReduction(e.builder, e.location, *reduction, op.getIsUnsigned(), old, update);
  };
  int64_t lanes = e.lanes(out.element);
  Index whole = count - count % lanes;
  e.loop(e.index(0), whole, e.index(lanes), [&](Index i) {
    Value update = e.load(updates, from + i, lanes);
    e.store(reduction ? combine(e.load(out, to + i, lanes), update) : update, out, to + i);
  });
  e.loop(whole, count, e.index(1), [&](Index i) {
    Value update = e.loadScalar(updates, from + i);
    e.storeScalar(reduction ? combine(e.loadScalar(out, to + i), update) : update, out, to + i);
  });
}

LogicalResult weft::cpu::emitScatter(Emitter &emitter, ScatterTileOp op, Index tile, TileSizes sizes) {
  auto placesType = cast<MemRefType>(op.getPlaces().getType()),
       updatesType = cast<MemRefType>(op.getUpdates().getType()),
       outType = cast<MemRefType>(op.getOut().getType());
  if (placesType.getRank() != 1 || updatesType.getRank() != 2 || outType.getRank() != 2 ||
      !placesType.getElementType().isInteger(64) ||
      updatesType.getElementType() != outType.getElementType() || !outType.getElementType().isIntOrFloat())
    return op.emitOpError("expects places [count] of i64, updates [count, inner] and out [rows, inner], got ")
           << placesType << ", " << updatesType << " and " << outType;
  if (sizes.columns <= 0)
    return op.emitError("expects a schedule with columns");
  FailureOr<Buffer> places = emitter.rowMajor(op.getPlaces()), updates = emitter.rowMajor(op.getUpdates()),
                    out = emitter.rowMajor(op.getOut());
  if (failed(places) || failed(updates) || failed(out))
    return failure();
  Emitter &e = emitter;
  Index rows = out->sizes[0], inner = updates->sizes[1];
  bool isElement = inner.is(1);
  Index first = isElement ? e.index(0) : tile * sizes.columns;
  Index count = isElement ? inner : min(e.index(sizes.columns), inner - first);
  e.loop(e.index(0), places->sizes[0], e.index(1), [&](Index i) {
    Value stored = e.loadScalar(*places, places->offset + i);
    Index place = e.index(e.create<arith::IndexCastOp>(e.builder.getIndexType(), stored));
    e.ifThen(place.compare(arith::CmpIPredicate::ult, rows), [&] {
      emitChange(e, op, *out, out->offset + place * out->strides[0] + first, *updates,
                 updates->offset + i * updates->strides[0] + first, count);
    });
  });
  return success();
}
