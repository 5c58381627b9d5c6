// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with one of several matrices each. A tile is a panel of one matrix, and takes the rows
// that are routed to it, wherever they are: so a matrix is read from memory once, and not at all if nothing
// is routed to it.
#include "compiler/Target/CPU/Emit/Gemm/GemmEmitter.h"
#include "compiler/Target/CPU/Emit/StoredIndex.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// How many rows are looked through at once for those that are routed to a matrix. Their numbers are on the
/// stack; more rows of a matrix read each of its panels once.
static constexpr int64_t kWindow = 4096;

/// Lists the rows from `start` up to `end` that are routed to a matrix, and returns how many there are. The
/// first tile reports what is routed to none.
Index GemmEmitter::listRows(Index start, Index end, Index matrix, Index matrixCount, Index tileNumber) {
  Value isFirst = tileNumber.compare(arith::CmpIPredicate::eq, 0);
  auto visit = [&](Index row, ValueRange before) {
    StoredIndex chosen = loadStoredIndex(e, *experts, experts->offset + row, matrixCount);
    e.ifThen(isFirst, [&] { e.ifElse(chosen.isThere, [] {}, [&] { chosen.fail(e); }); });
    // Written in any case, and written over unless it is counted.
    Index count = e.index(before.front());
    e.storeScalar(e.create<arith::IndexCastOp>(e.builder.getI64Type(), Value(row)), *routed, count);
    Value isOwn = chosen.place.compare(arith::CmpIPredicate::eq, matrix);
    return Emitter::Values{e.select(e.create<arith::AndIOp>(isOwn, chosen.isThere), count + 1, count)};
  };
  return e.index(e.loop(start, end, e.index(1), ValueRange{e.index(0)}, visit).front());
}

LogicalResult GemmEmitter::emitRouted(Index tileNumber) {
  Index panels = ceilDiv(columnCount, sizes.columns), one = e.index(1);
  Index stored = rhs.sizes[0], matrixCount = op.getPacked() ? stored / max(panels, one) : stored;
  // Panels of all matrices come before the next of any, so that threads share out columns, not matrices, of
  // which one may have all the rows. Without a matrix there is a tile that says what is wrong.
  Index counted = max(matrixCount, one), matrix = tileNumber % counted;
  panel = tileNumber / counted;
  lhsStart = lhs.offset;
  outStart = out.offset;
  rhsStart = rhs.offset + (op.getPacked() ? matrix * panels + panel : matrix) * rhs.strides[0];
  routed = e.scratch(e.builder.getI64Type(), kWindow);
  if (canUnpack())
    allocateUnpacked();

  Index column = panel * sizes.columns, width = min(e.index(sizes.columns), columnCount - column);
  Index all = experts->sizes[0];
  e.loop(e.index(0), all, e.index(kWindow), [&](Index start) {
    Index rows = listRows(start, min(start + kWindow, all), matrix, matrixCount, tileNumber);
    e.loop(e.index(0), rows, e.index(sizes.rows), [&](Index row) {
      blockRows = min(e.index(sizes.rows), rows - row);
      emitRows({row, blockRows, column, width});
    });
  });
  return success();
}

Index GemmEmitter::rowNumber(Index row) {
  if (!routed)
    return row;
  return e.index(e.create<arith::IndexCastOp>(e.builder.getIndexType(), e.loadScalar(*routed, row)));
}
