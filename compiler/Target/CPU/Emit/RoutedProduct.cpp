// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with one of several matrices each. A tile is some rows of one matrix, and takes the rows
// of input that are routed to it, a few at a time, along the depth, in which both lie in memory: so a matrix
// is read from memory once, and not at all if nothing is routed to it.
#include "compiler/Target/CPU/Emit/Rows.h"
#include "compiler/Target/CPU/Emit/StoredIndex.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {
/// Rows of input, and of the matrix, whose sums are in registers at once.
constexpr int64_t kTaken = 4, kRows = 3, kRowsOfManyRegisters = 6;

/// One tile.
class RoutedProduct {
public:
  RoutedProduct(Emitter &emitter, ArrayRef<Buffer> buffers, Index tile, TileSizes sizes)
      : e(emitter), input(buffers[0]), weights(buffers[1]), experts(buffers[2]), out(buffers[3]), tile(tile),
        number(e.computed(out.element)), lanes(e.lanes(number)), count(weights.sizes[0]),
        expert(tile % max(count, e.index(1))), firstRow(tile / max(count, e.index(1)) * sizes.rows),
        rows(min(e.index(sizes.rows), weights.sizes[1] - firstRow)),
        taken(e.scratch(e.builder.getI64Type(), kTaken)), takenCount(e.scratch(e.builder.getI64Type(), 1)) {}

  void emit();

private:
  Value asNumber(Index index) { return e.create<arith::IndexCastOp>(e.builder.getI64Type(), Value(index)); }
  Index loadIndex(const Buffer &from, Index at) {
    return e.index(e.create<arith::IndexCastOp>(e.builder.getIndexType(), e.loadScalar(from, at)));
  }
  void visit(Index row);
  void take(Index row);
  void multiply(int64_t takenRows);
  void multiply(ArrayRef<Index> inputRows, ArrayRef<Index> outRows, Index row, int64_t matrixRows);

  Emitter &e;
  const Buffer &input, &weights, &experts, &out;
  Index tile;
  Type number;
  int64_t lanes;
  Index count, expert, firstRow, rows; ///< matrices, the tile's one, and which of its rows
  Buffer taken, takenCount;            ///< rows of input that are waiting
};
} // namespace

void RoutedProduct::emit() {
  e.storeScalar(asNumber(e.index(0)), takenCount, e.index(0));
  e.loop(e.index(0), input.sizes[0], e.index(1), [&](Index row) { visit(row); });
  SmallVector<int64_t> rest = llvm::to_vector(llvm::seq<int64_t>(0, kTaken));
  e.switchOver(loadIndex(takenCount, e.index(0)), rest, [&](int64_t left) {
    if (left > 0)
      multiply(left);
  });
}

void RoutedProduct::visit(Index row) {
  StoredIndex chosen = loadStoredIndex(e, experts, experts.offset + row, count);
  auto route = [&] { e.ifThen(chosen.place.compare(arith::CmpIPredicate::eq, expert), [&] { take(row); }); };
  auto check = [&] { e.ifThen(tile.compare(arith::CmpIPredicate::eq, 0), [&] { chosen.fail(e); }); };
  e.ifElse(chosen.isThere, route, check);
}

void RoutedProduct::take(Index row) {
  Index at = loadIndex(takenCount, e.index(0)), next = at + 1;
  e.storeScalar(asNumber(row), taken, at);
  e.storeScalar(asNumber(next % kTaken), takenCount, e.index(0));
  e.ifThen(next.compare(arith::CmpIPredicate::eq, kTaken), [&] { multiply(kTaken); });
}

/// The rows that are waiting times all rows of the tile.
void RoutedProduct::multiply(int64_t takenRows) {
  SmallVector<Index> inputRows, outRows;
  for (int64_t i = 0; i < takenRows; ++i) {
    Index row = loadIndex(taken, e.index(i));
    inputRows.push_back(input.offset + row * input.strides[0]);
    outRows.push_back(out.offset + row * out.strides[0] + firstRow);
  }
  int64_t together = e.registers() > 16 ? kRowsOfManyRegisters : kRows;
  Index whole = rows - rows % together;
  e.loop(e.index(0), whole, e.index(together),
         [&](Index row) { multiply(inputRows, outRows, row, together); });
  e.loop(whole, rows, e.index(1), [&](Index row) { multiply(inputRows, outRows, row, 1); });
}

void RoutedProduct::multiply(ArrayRef<Index> inputRows, ArrayRef<Index> outRows, Index row,
                             int64_t matrixRows) {
  SmallVector<Index> weightRows;
  for (int64_t i = 0; i < matrixRows; ++i)
    weightRows.push_back(weights.offset + expert * weights.strides[0] +
                         (firstRow + row + i) * weights.strides[1]);
  Emitter::Values zeros(inputRows.size() * matrixRows, e.splat(e.number(number, 0), lanes));
  Emitter::Values sums =
      e.overColumns(input.sizes[1], lanes, zeros, [&](Index k, Value mask, ValueRange before) {
        Emitter::Values columns, next;
        for (Index weightRow : weightRows)
          columns.push_back(e.loadNumbers(weights, weightRow + k, lanes, mask));
        for (auto [i, inputRow] : llvm::enumerate(inputRows)) {
          Value left = e.loadNumbers(input, inputRow + k, lanes, mask);
          for (auto [j, right] : llvm::enumerate(columns))
            next.push_back(e.create<vector::FMAOp>(left, right, before[i * matrixRows + j]));
        }
        return next;
      });
  auto add = [&](Value left, Value right) { return e.add(left, right); };
  for (auto [i, outRow] : llvm::enumerate(outRows))
    for (int64_t j = 0; j < matrixRows; ++j) {
      Value sum = reduceLanes(e, sums[i * matrixRows + j], {e.number(number, 0), add});
      e.storeNumbers(e.splat(sum, 1), out, outRow + row + j);
    }
}

LogicalResult weft::cpu::emitRoutedProduct(Emitter &emitter, RoutedMatmulTileOp op, Index tile,
                                           TileSizes sizes) {
  auto typeOf = [](Value operand) { return cast<MemRefType>(operand.getType()); };
  MemRefType input = typeOf(op.getInput()), weights = typeOf(op.getWeights()),
             experts = typeOf(op.getExperts()), out = typeOf(op.getOut());
  Type element = out.getElementType();
  if (input.getRank() != 2 || weights.getRank() != 3 || experts.getRank() != 1 || out.getRank() != 2 ||
      input.getElementType() != element || weights.getElementType() != element ||
      !isa<FloatType>(emitter.computed(element)) || !isa<IntegerType>(experts.getElementType()))
    return op.emitOpError(
               "expects floats [rows, depth] and [matrices, columns, depth], and integers [rows], got ")
           << input << ", " << weights << ", " << experts << " and " << out;
  if (sizes.rows <= 0)
    return op.emitOpError("expects a schedule of rows, got ") << sizes.rows;
  FailureOr<SmallVector<Buffer>> buffers = emitter.allRowMajor(op->getOperands());
  if (failed(buffers))
    return failure();
  RoutedProduct(emitter, *buffers, tile, sizes).emit();
  return success();
}
