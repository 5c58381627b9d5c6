// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The epilogue of sums that are finished.
#include "compiler/Target/CPU/Emit/Gemm/GemmEmitter.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

void GemmEmitter::emitEpilogueColumns(Index row, Index column, Value mask) {
  Index at = outAt(row, column);
  Value sums = loadSums(sumsAt(row, column), mask);
  if (op.getEpilogue().empty())
    return e.storeNumbers(sums, out, at, mask);
  Block &region = op.getEpilogue().front();
  if (region.getArgument(0).getType() != number) // it takes what is rounded
    sums = e.narrow(sums, out.element);
  Emitter::Values arguments{sums};
  SmallVector<Index> position(batchIndices);
  position.append({row, column});
  for (auto [capture, argument] : llvm::zip(captures, region.getArguments().drop_front()))
    arguments.push_back(loadCapture(e, capture, argument.getType(), position, lanes, mask));
  FailureOr<Emitter::Values> elements = emitVectorRegion(e, region, arguments, lanes, {});
  if (succeeded(elements))
    e.store(elements->front(), out, at, mask);
  failedEpilogue |= failed(elements);
}

/// The epilogue of finished sums, in the element type, read back from the first-level cache. Doing it in
/// registers would repeat its code for every size of register tile, and is not faster.
void GemmEmitter::emitEpilogue(const Area &group) {
  e.loop(e.index(0), group.rows, e.index(1), [&](Index r) {
    e.overColumns(group.width, lanes, [&](Index column, Value mask) {
      emitEpilogueColumns(group.row + r, group.column + column, mask);
    });
  });
}
