// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The epilogue of sums that are finished.
#include "compiler/Target/CPU/Emit/Gemm/GemmEmitter.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// Whether several vectors are computed at once: operations of one wait for each other, and if there are
/// many, the processor has no room to begin with the next vector. A product with a GELU of bytes takes a
/// fifth less time then on a Xeon.
static bool isLong(Region &epilogue) {
  constexpr int64_t kLong = 12, kOfFunction = 10; // operations, and those that a function is made of
  if (epilogue.empty())
    return false;
  int64_t operations = 0;
  for (Operation &op : epilogue.front())
    operations += isa<math::ErfOp, math::ExpOp, math::TanhOp>(op) ? kOfFunction : 1;
  return operations >= kLong;
}

/// An argument of the epilogue for a vector of columns.
Value GemmEmitter::loadArgument(unsigned which, Index row, Index column, Value mask) {
  BlockArgument argument = op.getEpilogue().front().getArgument(which);
  if (which > 0) {
    SmallVector<Index> position(batchIndices);
    position.append({row, column});
    return loadCapture(e, captures[which - 1], argument.getType(), position, lanes, mask);
  }
  Value sums = loadSums(sumsAt(row, column), mask);
  return argument.getType() == number ? sums : e.narrow(sums, out.element); // it takes what is rounded
}

void GemmEmitter::emitEpilogueColumns(Index row, Index column, Value mask) {
  Index at = outAt(row, column);
  if (op.getEpilogue().empty())
    return e.storeNumbers(loadSums(sumsAt(row, column), mask), out, at, mask);
  Block &region = op.getEpilogue().front();
  Emitter::Values arguments;
  for (unsigned i = 0; i < region.getNumArguments(); ++i)
    arguments.push_back(loadArgument(i, row, column, mask));
  FailureOr<Emitter::Values> elements = emitVectorRegion(e, region, arguments, lanes, {});
  if (succeeded(elements))
    e.store(elements->front(), out, at, mask);
  failedEpilogue |= failed(elements);
}

/// The same of several whole vectors, operation by operation.
void GemmEmitter::emitEpilogueVectors(Index row, Index column, int64_t vectors) {
  auto load = [&](unsigned argument, int64_t vector) {
    return loadArgument(argument, row, column + vector * lanes, {});
  };
  FailureOr<SmallVector<Value>> elements =
      emitVectorRegions(e, op.getEpilogue().front(), vectors, load, lanes);
  failedEpilogue |= failed(elements);
  for (int64_t vector = 0; succeeded(elements) && vector < vectors; ++vector)
    e.store((*elements)[vector], out, outAt(row, column + vector * lanes), {});
}

/// The epilogue of finished sums, in the element type, read back from the first-level cache. Doing it in
/// registers would repeat its code for every size of register tile, and is not faster.
void GemmEmitter::emitEpilogue(const Area &group) {
  auto emitRows = [&](auto emitRow) {
    e.loop(e.index(0), group.rows, e.index(1), [&](Index r) { emitRow(group.row + r); });
  };
  auto columnByColumn = [&] {
    emitRows([&](Index row) {
      e.overColumns(group.width, lanes,
                    [&](Index column, Value mask) { emitEpilogueColumns(row, group.column + column, mask); });
    });
  };
  if (!isLong(op.getEpilogue()))
    return columnByColumn();
  auto together = [&] {
    emitRows([&](Index row) { emitEpilogueVectors(row, group.column, subPanelColumns() / lanes); });
  };
  e.ifElse(isWholeSubPanel(group), together, columnByColumn);
}
