// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather: rows of out are copies of rows of data, by checked indices.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Emit/StoredIndex.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// Copies `count` elements: whole vectors, then one by one, since not every element type has masks on every
/// processor. The threads of a warp have them for all.
static void emitCopy(Emitter &e, const Buffer &from, Index source, const Buffer &to, Index target,
                     Index count) {
  int64_t lanes = e.lanes(from.element) * e.storedVectors();
  if (e.warpLanes)
    return e.overColumns(count, lanes, [&](Index i, Value mask) {
      e.store(e.load(from, source + i, lanes, mask), to, target + i, mask);
    });
  Index whole = count - count % lanes;
  e.loop(e.index(0), whole, e.index(lanes),
         [&](Index i) { e.store(e.load(from, source + i, lanes), to, target + i); });
  e.loop(whole, count, e.index(1),
         [&](Index i) { e.storeScalar(e.loadScalar(from, source + i), to, target + i); });
}

static void emitGatheredRow(Emitter &e, const Buffer &data, const Buffer &indices, const Buffer &out,
                            Index row) {
  Index axis = data.sizes[1], inner = data.sizes[2], count = indices.sizes[0];
  StoredIndex index = loadStoredIndex(e, indices, indices.offset + row % count, axis);
  auto copy = [&] {
    Index source = data.offset + (row / count) * data.strides[0] + index.place * data.strides[1];
    emitCopy(e, data, source, out, out.offset + row * inner, inner);
  };
  e.ifElse(index.isThere, copy, [&] { index.fail(e); });
}

LogicalResult weft::cpu::emitGather(Emitter &emitter, GatherTileOp op, Index tile, TileSizes sizes) {
  auto dataType = cast<MemRefType>(op.getData().getType()),
       indicesType = cast<MemRefType>(op.getIndices().getType()),
       outType = cast<MemRefType>(op.getOut().getType());
  if (dataType.getRank() != 3 || indicesType.getRank() != 1 || outType.getRank() != 3 ||
      dataType.getElementType() != outType.getElementType() || !dataType.getElementType().isIntOrFloat() ||
      !isa<IntegerType>(indicesType.getElementType()))
    return op.emitOpError(
               "expects data [outer, axis, inner], indices [count] and out [outer, count, inner], got ")
           << dataType << ", " << indicesType << " and " << outType;
  FailureOr<Buffer> data = emitter.rowMajor(op.getData()), indices = emitter.rowMajor(op.getIndices()),
                    out = emitter.rowMajor(op.getOut());
  if (failed(data) || failed(indices) || failed(out))
    return failure();
  Index from = tile * sizes.rows, to = min(from + sizes.rows, out->sizes[0] * out->sizes[1]);
  emitter.loop(from, to, emitter.index(1),
               [&](Index row) { emitGatheredRow(emitter, *data, *indices, *out, row); });
  return success();
}
