// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linalg.generic without reductions: rows of the last loop, vector by vector, each input by the strides that
// it is read with.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {

/// Columns that are done for all rows of a tile before the next: a column that is read with a stride brings
/// in cache lines that the next rows find again.
constexpr int64_t kStridedColumns = 128;

/// A buffer by loops: the element of loop position (i, j, ...) is at offset + i * strides[0] + j * strides[1]
/// + ...
struct Access {
  Buffer buffer;
  SmallVector<Index> strides; ///< one for each loop, 0 where the buffer does not have it
};

class PointwiseEmitter {
public:
  PointwiseEmitter(Emitter &emitter, linalg::GenericOp op, TileSizes sizes)
      : e(emitter), op(op), sizes(sizes), lanes(emitter.lanesOf(32)) {}

  LogicalResult emit(Index tile);

private:
  FailureOr<Access> access(OpOperand &operand);
  void chooseLanes();
  void emitRows(Index tile);
  void emitRow(Index row, Index column, Index width);
  void emitVector(ArrayRef<Index> starts, ValueRange splats, Index column, Value mask);
  Value loadVector(const Access &access, Index at, Value mask);
  Value loadStrided(const Access &access, Index at, Index stride, Value mask);
  Value padding(const Access &access) { return e.number(access.buffer.element, 1); }

  Emitter &e;
  linalg::GenericOp op;
  TileSizes sizes;
  int64_t lanes;                ///< that are done at once
  SmallVector<Access> accesses; ///< of the inputs and the output
  SmallVector<Index> loops;     ///< sizes; at least one
  SmallVector<Index> outer;     ///< position of the row that is being emitted
  bool failedRegion = false;
};

} // namespace

FailureOr<Access> PointwiseEmitter::access(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation())
    return op.emitError("expects operands indexed by some of the loops, each once, got ")
           << AffineMapAttr::get(map);
  FailureOr<Buffer> buffer = e.buffer(operand.get());
  if (failed(buffer))
    return failure();
  // A scalar is a row of one column.
  Access result{*buffer, SmallVector<Index>(std::max(map.getNumDims(), 1u), e.index(0))};
  for (auto [dim, expression] : llvm::enumerate(map.getResults()))
    result.strides[cast<AffineDimExpr>(expression).getPosition()] = buffer->strides[dim];
  if (map.getNumDims() == 0 && &operand == op.getDpsInitOperand(0))
    result.strides[0] = e.index(1);
  return result;
}

LogicalResult PointwiseEmitter::emit(Index tile) {
  if (op.getNumParallelLoops() != op.getNumLoops() || op.getNumDpsInits() != 1 ||
      !op.getIndexingMapsArray().back().isIdentity())
    return op.emitError("expects parallel loops and one output, indexed by all of them in order");
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<Access> found = access(operand);
    if (failed(found))
      return failure();
    accesses.push_back(*found);
  }
  const Access &out = accesses.back();
  if (!out.strides.back().is(1))
    return op.emitError("expects an output whose innermost elements are adjacent");
  loops = out.buffer.sizes;
  if (loops.empty())
    loops.push_back(e.index(1));
  outer.assign(loops.size() - 1, e.index(0));
  chooseLanes();

  if (loops.size() > 1) {
    emitRows(tile);
  } else {
    if (sizes.columns <= 0)
      return op.emitError("expects a schedule with columns");
    Index column = tile * sizes.columns;
    emitRow(e.index(0), column, min(e.index(sizes.columns), loops.back() - column));
  }
  return failure(failedRegion);
}

/// Several vectors, if a pass takes those, and as many as a short row fills.
void PointwiseEmitter::chooseLanes() {
  std::optional<int64_t> width = loops.back().constant();
  for (int64_t most = lanes * e.storedVectors(); lanes < most && (!width || *width > lanes);)
    lanes *= 2;
}

void PointwiseEmitter::emitRows(Index tile) {
  Index rows = e.index(1);
  for (Index size : ArrayRef(loops).drop_back())
    rows = rows * size;
  Index from = tile * sizes.rows, to = min(from + sizes.rows, rows);
  bool isStrided = llvm::any_of(accesses, [](const Access &access) {
    return !access.strides.back().is(0) && !access.strides.back().is(1);
  });
  Index width = loops.back(), step = isStrided ? e.index(kStridedColumns) : max(width, e.index(1));
  e.loop(e.index(0), width, step, [&](Index column) {
    e.loop(from, to, e.index(1), [&](Index row) { emitRow(row, column, min(step, width - column)); });
  });
}

void PointwiseEmitter::emitRow(Index row, Index column, Index width) {
  outer = positionOf(row, ArrayRef(loops).drop_back());
  SmallVector<Index> starts;
  Emitter::Values splats;
  for (const Access &access : accesses) {
    starts.push_back(placeOf(access.buffer, outer, access.strides));
    splats.push_back(access.strides.back().is(0) ? e.splat(e.loadScalar(access.buffer, starts.back()), lanes)
                                                 : Value());
  }
  e.overColumns(width, lanes,
                [&](Index offset, Value mask) { emitVector(starts, splats, column + offset, mask); });
}

void PointwiseEmitter::emitVector(ArrayRef<Index> starts, ValueRange splats, Index column, Value mask) {
  Block &body = *op.getBody();
  Emitter::Values arguments;
  for (auto [access, start, splat, argument] : llvm::zip(accesses, starts, splats, body.getArguments())) {
    bool isRead = !argument.use_empty();
    arguments.push_back(splat || !isRead ? splat
                                         : loadVector(access, start + column * access.strides.back(), mask));
  }
  auto position = [&](int64_t loop) -> Value {
    if (loop < int64_t(outer.size()))
      return e.splat(outer[loop], lanes);
    return e.create<arith::AddIOp>(e.splat(column, lanes), e.ramp(e.index(1), lanes));
  };
  FailureOr<Emitter::Values> elements = emitVectorRegion(e, body, arguments, lanes, position, mask);
  if (succeeded(elements))
    e.store(elements->front(), accesses.back().buffer, starts.back() + column, mask);
  failedRegion |= failed(elements);
}

/// Loads by the stride along the last loop. One that is known only at run time is 1, or 0 where the input is
/// broadcast, or anything. Lanes that are off hold 1, by which an integer can be divided.
Value PointwiseEmitter::loadVector(const Access &access, Index at, Value mask) {
  Index stride = access.strides.back();
  if (stride.is(1))
    return e.load(access.buffer, at, lanes, mask, padding(access));
  if (stride.constant())
    return loadStrided(access, at, stride, mask);
  Type type = VectorType::get(lanes, access.buffer.element);
  auto other = [&] {
    return e.ifElse(
        stride.compare(arith::CmpIPredicate::eq, 0), type,
        [&] { return Emitter::Values{e.splat(e.loadScalar(access.buffer, at), lanes)}; },
        [&] { return Emitter::Values{loadStrided(access, at, stride, mask)}; });
  };
  return e
      .ifElse(
          stride.compare(arith::CmpIPredicate::eq, 1), type,
          [&] { return Emitter::Values{e.load(access.buffer, at, lanes, mask, padding(access))}; }, other)
      .front();
}

Value PointwiseEmitter::loadStrided(const Access &access, Index at, Index stride, Value mask) {
  auto type = VectorType::get(lanes, access.buffer.element);
  Value active = mask ? mask : e.splat(e.create<arith::ConstantIntOp>(1, 1), lanes);
  return e.create<vector::GatherOp>(type, access.buffer.flat, ValueRange(Value(at)), e.ramp(stride, lanes),
                                    active, e.splat(padding(access), lanes));
}

LogicalResult weft::cpu::emitPointwise(Emitter &emitter, linalg::GenericOp op, Index tile, TileSizes sizes) {
  return PointwiseEmitter(emitter, op, sizes).emit(tile);
}
