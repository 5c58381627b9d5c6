// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linalg.generic without reductions: rows of the last loop, vector by vector, each input by the strides that
// it is read with. Inputs that lie along another loop are read as squares, and transposed in registers.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Emit/Lanes.h"
#include "compiler/Target/CPU/Emit/Pointwise/RowBlock.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {

/// Columns that are done for all rows of a tile before the next: a column that is read with a stride brings
/// in cache lines that the next rows find again.
constexpr int64_t kStridedColumns = 128;

/// Columns that squares are done for before the next rows: what a cache line has of 4 bytes each.
constexpr int64_t kLineColumns = 16;

/// Operations that a region may have for each row of a square to repeat them.
constexpr int64_t kMostRepeated = 4;

class PointwiseEmitter {
public:
  PointwiseEmitter(Emitter &emitter, linalg::GenericOp op, TileSizes sizes)
      : e(emitter), op(op), sizes(sizes), lanes(emitter.lanesOf(32)) {}

  LogicalResult emit(Index tile);

private:
  FailureOr<Access> access(OpOperand &operand);
  void chooseLanes();
  Index rowCount();
  std::pair<Index, Index> rowsOf(Index tile);
  void overLines(Index tile, Index length, llvm::function_ref<void(Index line, Index begin, Index end)> body);
  void emitRows(Index tile);
  void emitRowBlocks(Index tile, const RowBlock &block, int64_t rows);
  bool hasNarrowRows();
  void mergeNarrowRows();
  void emitNarrowRows(Index tile);
  std::optional<size_t> transposedLoop();
  bool isTransposed(const Access &access, size_t along) const;
  void emitSquares(Index tile, size_t along);
  void emitSquare(size_t along, Index column);
  void setPosition(size_t along, Index line, Index place);
  void emitRow(Index column, Index width);
  void emitVector(ArrayRef<Index> starts, ValueRange loaded, Index column, Value mask);
  Value loadVector(const Access &access, Index at, Value mask);
  Value loadStrided(const Access &access, Index at, Index stride, Value mask);
  Value gather(const Access &access, Index at, Value offsets, Value mask);
  Value padding(const Access &access) { return e.number(access.buffer.element, 1); }

  Emitter &e;
  linalg::GenericOp op;
  TileSizes sizes;
  int64_t lanes;                ///< that are done at once
  SmallVector<Access> accesses; ///< of the inputs and the output
  SmallVector<Index> loops;     ///< sizes; at least one
  SmallVector<Index> outer;     ///< position of the row that is being emitted, in all loops but the last
  int64_t narrow = 1;           ///< columns of the inner one of a pair of loops that are done as one
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
  auto part = operand.get().getDefiningOp<memref::ReinterpretCastOp>();
  Access result{*buffer, part ? part.getSource() : operand.get(),
                SmallVector<Index>(std::max(map.getNumDims(), 1u), e.index(0))};
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

  if (hasNarrowRows()) {
    mergeNarrowRows();
    emitNarrowRows(tile);
  } else if (std::optional<size_t> along = transposedLoop()) {
    emitSquares(tile, *along);
  } else if (loops.size() > 1) {
    RowBlock block(e, *op.getBody(), accesses);
    if (int64_t rows = block.rowsFor(loops[loops.size() - 2]); rows > 1)
      emitRowBlocks(tile, block, rows);
    else
      emitRows(tile);
  } else {
    if (sizes.columns <= 0)
      return op.emitError("expects a schedule with columns");
    Index column = tile * sizes.columns;
    emitRow(column, min(e.index(sizes.columns), loops.back() - column));
  }
  return failure(failedRegion);
}

/// Several vectors, if a pass takes those, and as many as a short row fills.
void PointwiseEmitter::chooseLanes() {
  std::optional<int64_t> width = loops.back().constant();
  for (int64_t most = lanes * e.storedVectors(); lanes < most && (!width || *width > lanes);)
    lanes *= 2;
}

/// Rows of the inner loop, of which a pair of loops that are done as one has several in a row.
Index PointwiseEmitter::rowCount() {
  Index rows = e.index(1);
  for (Index size : ArrayRef(loops).drop_back())
    rows = rows * size;
  return narrow > 1 ? rows * (loops.back() / narrow) : rows;
}

/// The rows of a tile: the first, and that behind the last.
std::pair<Index, Index> PointwiseEmitter::rowsOf(Index tile) {
  Index from = tile * sizes.rows;
  return {from, min(from + sizes.rows, rowCount())};
}

/// The rows of a tile as parts of lines of that many: from `begin` to `end` in each.
void PointwiseEmitter::overLines(Index tile, Index length,
                                 llvm::function_ref<void(Index line, Index begin, Index end)> body) {
  std::pair<Index, Index> rows = rowsOf(tile);
  Index from = rows.first, to = rows.second;
  length = max(length, e.index(1));
  e.loop(from / length, (to + length - 1) / length, e.index(1), [&](Index line) {
    Index first = line * length;
    body(line, max(from, first) - first, min(to, first + length) - first);
  });
}

void PointwiseEmitter::emitRows(Index tile) {
  std::pair<Index, Index> rows = rowsOf(tile);
  bool isStrided = llvm::any_of(accesses, [](const Access &access) {
    return !access.strides.back().is(0) && !access.strides.back().is(1);
  });
  Index width = loops.back(), step = isStrided ? e.index(kStridedColumns) : max(width, e.index(1));
  e.loop(e.index(0), width, step, [&](Index column) {
    e.loop(rows.first, rows.second, e.index(1), [&](Index row) {
      outer = positionOf(row, ArrayRef(loops).drop_back());
      emitRow(column, min(step, width - column));
    });
  });
}

void PointwiseEmitter::emitRowBlocks(Index tile, const RowBlock &block, int64_t rows) {
  size_t along = loops.size() - 2;
  overLines(tile, loops[along], [&](Index line, Index begin, Index end) {
    for (int64_t count = rows; count > 0; count /= 2) { // what is left over is done in smaller blocks
      Index whole = begin + (end - begin) / count * count;
      e.loop(begin, whole, e.index(count), [&](Index place) {
        setPosition(along, line, place);
        failedRegion |= failed(block.emit(outer, count, loops.back(), lanes));
      });
      begin = whole;
    }
  });
}

/// Whether vectors hold several whole rows, whose elements the output has one behind the other.
bool PointwiseEmitter::hasNarrowRows() {
  std::optional<int64_t> width = loops.back().constant();
  bool asksForPlace =
      llvm::any_of(*op.getBody(), [](Operation &inner) { return isa<linalg::IndexOp>(inner); });
  return !e.warpLanes && loops.size() > 1 && width && *width > 1 && *width < lanes && lanes % *width == 0 &&
         accesses.back().strides[loops.size() - 2].is(*width) && !asksForPlace;
}

/// The last two loops become one.
void PointwiseEmitter::mergeNarrowRows() {
  narrow = *loops.back().constant();
  loops.pop_back();
  loops.back() = loops.back() * narrow;
  outer.pop_back();
  for (Access &access : accesses) {
    Index inner = access.strides.pop_back_val(), &stride = access.strides.back();
    std::optional<int64_t> known = inner.constant();
    if (known && stride.is(*known * narrow))
      stride = inner;
    else
      access.inner = inner;
  }
}

/// A tile has rows of the inner loop, which are pieces of rows of the pair.
void PointwiseEmitter::emitNarrowRows(Index tile) {
  overLines(tile, loops.back() / narrow, [&](Index line, Index begin, Index end) {
    outer = positionOf(line, ArrayRef(loops).drop_back());
    emitRow(begin * narrow, (end - begin) * narrow);
  });
}

/// Whether an input's neighbours lie along that loop, and not along the last.
bool PointwiseEmitter::isTransposed(const Access &access, size_t along) const {
  return access.strides[along].is(1) && !access.strides.back().is(0) && !access.strides.back().is(1);
}

/// The loop along which an input lies, unless it is the last; nothing if rows are better read one by one.
std::optional<size_t> PointwiseEmitter::transposedLoop() {
  bool isShort = (loops.back().constant() && *loops.back().constant() < lanes) ||
                 std::distance(op.getBody()->begin(), op.getBody()->end()) > kMostRepeated;
  if (e.warpLanes || isShort)
    return std::nullopt;
  for (size_t loop = 0; loop + 1 < loops.size(); ++loop)
    if (llvm::any_of(accesses, [&](const Access &access) { return isTransposed(access, loop); }))
      return loop;
  return std::nullopt;
}

/// The row at a place along a loop, in a line of them: a position in the others.
void PointwiseEmitter::setPosition(size_t along, Index line, Index place) {
  SmallVector<Index> others(loops);
  others.pop_back();
  others.erase(others.begin() + along);
  outer = positionOf(line, others);
  outer.insert(outer.begin() + along, place);
}

/// A tile's rows are numbered along that loop first, so that many of them make squares.
void PointwiseEmitter::emitSquares(Index tile, size_t along) {
  Index width = loops.back();
  int64_t columns = std::max(lanes, kLineColumns);
  overLines(tile, loops[along], [&](Index line, Index begin, Index end) {
    Index whole = begin + (end - begin) / lanes * lanes, wholeColumns = width / columns * columns;
    e.loop(e.index(0), wholeColumns, e.index(columns), [&](Index column) {
      e.loop(begin, whole, e.index(lanes), [&](Index place) {
        for (int64_t next = 0; next < columns; next += lanes) {
          setPosition(along, line, place);
          emitSquare(along, column + next);
        }
      });
    });
    // What is left of columns, and of rows.
    e.loop(begin, end, e.index(1), [&](Index place) {
      Index done = e.select(place.compare(arith::CmpIPredicate::ult, whole), wholeColumns, e.index(0));
      setPosition(along, line, place);
      emitRow(done, width - done);
    });
  });
}

/// As many rows as a vector has lanes, of as many columns.
void PointwiseEmitter::emitSquare(size_t along, Index column) {
  Index place = outer[along];
  SmallVector<Emitter::Values> squares(accesses.size()); // of transposed inputs, a vector for each row
  for (auto [access, square] : llvm::zip(accesses, squares))
    if (isTransposed(access, along)) {
      Index start = placeOf(access.buffer, outer, access.strides) + column * access.strides.back();
      square = loadColumns(e, access.buffer, start, access.strides.back(), lanes);
    }
  for (int64_t row = 0; row < lanes; ++row) {
    outer[along] = place + row;
    SmallVector<Index> starts;
    Emitter::Values loaded;
    for (auto [access, square] : llvm::zip(accesses, squares)) {
      starts.push_back(placeOf(access.buffer, outer, access.strides));
      loaded.push_back(!square.empty()    ? square[row]
                       : access.isSplat() ? e.splat(e.loadScalar(access.buffer, starts.back()), lanes)
                                          : Value());
    }
    emitVector(starts, loaded, column, /*mask=*/nullptr);
  }
}

void PointwiseEmitter::emitRow(Index column, Index width) {
  SmallVector<Index> starts;
  Emitter::Values splats;
  for (const Access &access : accesses) {
    starts.push_back(placeOf(access.buffer, outer, access.strides));
    splats.push_back(access.isSplat() ? e.splat(e.loadScalar(access.buffer, starts.back()), lanes) : Value());
  }
  e.overColumns(width, lanes,
                [&](Index offset, Value mask) { emitVector(starts, splats, column + offset, mask); });
}

/// The elements of a row from a column on; `loaded` has those that are loaded already.
void PointwiseEmitter::emitVector(ArrayRef<Index> starts, ValueRange loaded, Index column, Value mask) {
  Block &body = *op.getBody();
  Emitter::Values arguments;
  for (auto [access, start, vector, argument] : llvm::zip(accesses, starts, loaded, body.getArguments())) {
    bool isRead = !argument.use_empty();
    Index at = start + (access.inner ? column / narrow : column) * access.strides.back();
    arguments.push_back(vector || !isRead ? vector : loadVector(access, at, mask));
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
  if (access.inner) { // of lane i, row i / narrow and column i % narrow
    SmallVector<int64_t> rows, columns;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      rows.push_back(lane / narrow);
      columns.push_back(lane % narrow);
    }
    auto scaled = [&](ArrayRef<int64_t> places, Index by) {
      Value vector = e.create<arith::ConstantOp>(e.builder.getIndexVectorAttr(places));
      return e.create<arith::MulIOp>(vector, e.splat(by, lanes));
    };
    return gather(access, at, e.create<arith::AddIOp>(scaled(rows, stride), scaled(columns, *access.inner)),
                  mask);
  }
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
  return gather(access, at, e.ramp(stride, lanes), mask);
}

Value PointwiseEmitter::gather(const Access &access, Index at, Value offsets, Value mask) {
  auto type = VectorType::get(lanes, access.buffer.element);
  Value active = mask ? mask : e.splat(e.create<arith::ConstantIntOp>(1, 1), lanes);
  return e.create<vector::GatherOp>(type, access.buffer.flat, ValueRange(Value(at)), offsets, active,
                                    e.splat(padding(access), lanes));
}

LogicalResult weft::cpu::emitPointwise(Emitter &emitter, linalg::GenericOp op, Index tile, TileSizes sizes) {
  return PointwiseEmitter(emitter, op, sizes).emit(tile);
}
