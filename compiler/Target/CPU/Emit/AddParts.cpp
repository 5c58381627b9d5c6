// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft.add_parts_tile: sums that parts of the depth left, as one, and the epilogue of a product.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {

class AddPartsEmitter {
public:
  AddPartsEmitter(Emitter &emitter, AddPartsTileOp op, ArrayRef<Buffer> buffers)
      : e(emitter), op(op), parts(buffers.front()), out(buffers.back()),
        captures(buffers.drop_front().drop_back()),
        lanes(emitter.lanes(parts.element) * emitter.storedVectors()) {}

  LogicalResult emit(Index tile, int64_t columns);

private:
  Value addParts(Index column, Value mask);
  void finish(Value sums, Index column, Value mask);

  Emitter &e;
  AddPartsTileOp op;
  const Buffer &parts, &out;
  ArrayRef<Buffer> captures;
  const int64_t lanes;
  SmallVector<Index> position; ///< of the row in out
  bool failedEpilogue = false;
};

} // namespace

/// In order, but several are on their way at once; of those that there are not nothing is read.
Value AddPartsEmitter::addParts(Index column, Value mask) {
  constexpr int64_t kLoads = 4;
  Index first = placeOf(parts, position, ArrayRef(parts.strides).drop_front()) + column,
        count = parts.sizes[0];
  Value none = e.splat(e.number(parts.element, 0), lanes);
  auto addSome = [&](Index part, ValueRange before) -> Emitter::Values {
    Emitter::Values loaded;
    for (int64_t i = 0; i < kLoads; ++i) {
      Value isThere = e.splat((part + i).compare(arith::CmpIPredicate::ult, count), lanes);
      Value active = mask ? Value(e.create<arith::AndIOp>(mask, isThere)) : isThere;
      loaded.push_back(e.load(parts, first + (part + i) * parts.strides[0], lanes, active));
    }
    Value sum = before.front();
    for (Value more : loaded)
      sum = e.add(sum, more);
    return {sum};
  };
  return e.loop(e.index(0), count, e.index(kLoads), none, addSome).front();
}

void AddPartsEmitter::finish(Value sums, Index column, Value mask) {
  Index at = placeOf(out, position, out.strides) + column;
  if (op.getEpilogue().empty())
    return e.storeNumbers(sums, out, at, mask);
  Block &region = op.getEpilogue().front();
  Emitter::Values arguments{e.narrow(sums, region.getArgument(0).getType())};
  SmallVector<Index> place(position);
  place.push_back(column);
  for (auto [capture, argument] : llvm::zip(captures, region.getArguments().drop_front()))
    arguments.push_back(loadCapture(e, capture, argument.getType(), place, lanes, mask));
  FailureOr<Emitter::Values> elements = emitVectorRegion(e, region, arguments, lanes, {});
  failedEpilogue |= failed(elements);
  if (succeeded(elements))
    e.store(elements->front(), out, at, mask);
}

LogicalResult AddPartsEmitter::emit(Index tile, int64_t columns) {
  Index blocks = ceilDiv(out.sizes.back(), columns), first = tile % blocks * columns;
  position = positionOf(tile / blocks, ArrayRef(out.sizes).drop_back());
  e.overColumns(min(e.index(columns), out.sizes.back() - first), lanes, [&](Index column, Value mask) {
    finish(addParts(first + column, mask), first + column, mask);
  });
  return failure(failedEpilogue);
}

LogicalResult weft::cpu::emitAddParts(Emitter &emitter, AddPartsTileOp op, Index tile, TileSizes sizes) {
  auto parts = cast<MemRefType>(op.getInput().getType()), out = cast<MemRefType>(op.getOut().getType());
  Type number = parts.getElementType();
  bool isKnown = number.isF32() || number.isF64() || number.isInteger(32);
  if (!isKnown || out.getRank() < 2 || parts.getRank() != out.getRank() + 1)
    return op.emitOpError("expects parts of f32, f64 or i32 with a dim more than matrices of out, got ")
           << parts << " and " << out;
  if (op.getEpilogue().empty() && emitter.computed(out.getElementType()) != number)
    return op.emitOpError("expects elements that are computed as ") << number << ", got " << out;
  if (sizes.rows != 1 || sizes.columns <= 0)
    return op.emitOpError("expects a schedule of columns of one row, got ")
           << sizes.columns << " of " << sizes.rows;
  FailureOr<SmallVector<Buffer>> buffers = emitter.allRowMajor(op->getOperands());
  if (failed(buffers))
    return failure();
  return AddPartsEmitter(emitter, op, *buffers).emit(tile, sizes.columns);
}
