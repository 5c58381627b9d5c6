// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by register tiles: columns in panels of a few vectors, rows in even groups.
#include "compiler/Target/CPU/Emit/Product.h"

using namespace mlir;
using namespace weft::cpu;

namespace {
class ProductEmitter {
public:
  ProductEmitter(Emitter &emitter, const Product &product)
      : e(emitter), product(product), tile(RegisterTile::fitting(emitter.vectorBits)),
        number(product.out.buffer.element), lanes(emitter.lanes(number)) {}

  void emit();

private:
  int64_t panelVectors() const;
  void emitPanel(Index column, int64_t vectors, Value mask);
  void emitTile(Index row, int64_t rows, Index column, int64_t vectors, Value mask);
  Emitter::Values initialSums(Index row, ArrayRef<Index> rowStarts, int64_t vectors, Value mask);

  Emitter &e;
  const Product &product;
  RegisterTile tile;
  Type number;
  int64_t lanes;
};
} // namespace

/// Vectors of a panel. Of 4, say, two panels of 2 are better than 3 and a narrow rest, which waits for its
/// loads.
int64_t ProductEmitter::panelVectors() const {
  std::optional<int64_t> columns = product.columns.constant();
  bool isEven = columns && *columns % (2 * lanes) == 0 && *columns % (tile.vectors * lanes) != 0;
  return isEven ? 2 : tile.vectors;
}

void ProductEmitter::emit() {
  int64_t width = panelVectors() * lanes;
  Index rest = product.columns % width, whole = product.columns - rest;
  if (!whole.is(0))
    e.loop(e.index(0), whole, e.index(width), [&](Index column) { emitPanel(column, width / lanes, {}); });
  e.ifThen(rest.compare(arith::CmpIPredicate::ne, 0), [&] {
    SmallVector<int64_t> counts = llvm::to_vector(llvm::seq_inclusive<int64_t>(1, width / lanes));
    if (std::optional<int64_t> known = rest.constant())
      counts.assign(1, int64_t(llvm::divideCeil(*known, lanes)));
    e.switchOver(ceilDiv(rest, lanes), counts, [&](int64_t vectors) {
      emitPanel(whole, vectors, e.mask(rest - (vectors - 1) * lanes, lanes));
    });
  });
}

/// Rows in groups of at most tile.rows, as even as can be.
void ProductEmitter::emitPanel(Index column, int64_t vectors, Value mask) {
  Index groups = max(ceilDiv(product.rows, tile.rows), e.index(1));
  Index size = product.rows / groups, larger = product.rows % groups;
  e.loop(e.index(0), groups, e.index(1), [&](Index group) {
    Value isLarger = group.compare(arith::CmpIPredicate::ult, larger);
    Index row = group * size + min(group, larger), count = e.select(isLarger, size + 1, size);
    e.switchOver(count, llvm::to_vector(llvm::seq_inclusive<int64_t>(1, tile.rows)),
                 [&](int64_t rows) { emitTile(row, rows, column, vectors, mask); });
  });
}

Emitter::Values ProductEmitter::initialSums(Index row, ArrayRef<Index> rowStarts, int64_t vectors,
                                            Value mask) {
  Value zero = e.splat(e.number(number, 0), lanes);
  Emitter::Values zeros(rowStarts.size() * vectors, zero);
  if (!product.isFirst)
    return zeros;
  auto scaled = [&] {
    Emitter::Values sums;
    for (auto [r, start] : llvm::enumerate(rowStarts)) {
      Value scale = e.splat(product.scale(row + r), lanes);
      for (int64_t v = 0; v < vectors; ++v) {
        Value before =
            e.load(product.out.buffer, start + v * lanes, lanes, v == vectors - 1 ? mask : Value());
        sums.push_back(e.create<arith::MulFOp>(before, scale));
      }
    }
    return sums;
  };
  return e.ifElse(product.isFirst, ValueRange(zeros).getTypes(), [&] { return zeros; }, scaled);
}

/// The inner loop. For each step of the summed dim: a row of rhs, and an element of each row of lhs times
/// that. `mask` is for the last vector.
void ProductEmitter::emitTile(Index row, int64_t rows, Index column, int64_t vectors, Value mask) {
  const Matrix &lhs = product.lhs, &rhs = product.rhs, &out = product.out;
  SmallVector<Index> lhsRows, outRows;
  for (int64_t r = 0; r < rows; ++r) {
    lhsRows.push_back(lhs.start + (row + r) * lhs.pitch);
    outRows.push_back(out.start + (row + r) * out.pitch + column);
  }
  auto maskOf = [&](int64_t v) { return v == vectors - 1 ? mask : Value(); };
  auto multiply = [&](Index k, ValueRange sums) {
    Index start = rhs.start + k * rhs.pitch + column;
    Emitter::Values right, next;
    for (int64_t v = 0; v < vectors; ++v)
      right.push_back(e.load(rhs.buffer, start + v * lanes, lanes, maskOf(v)));
    for (int64_t r = 0; r < rows; ++r) {
      Value left = e.splat(e.loadScalar(lhs.buffer, lhsRows[r] + k), lanes);
      for (int64_t v = 0; v < vectors; ++v)
        next.push_back(e.create<vector::FMAOp>(left, right[v], sums[r * vectors + v]));
    }
    return next;
  };
  Emitter::Values sums =
      e.loop(e.index(0), product.depth, e.index(1), initialSums(row, outRows, vectors, mask), multiply);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      e.store(sums[r * vectors + v], out.buffer, outRows[r] + v * lanes, maskOf(v));
}

void weft::cpu::emitProduct(Emitter &emitter, const Product &product) {
  ProductEmitter(emitter, product).emit();
}
