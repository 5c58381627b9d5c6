// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by register tiles: columns in panels of a few vectors, rows in even groups.
#include "compiler/Target/CPU/Emit/Product.h"

using namespace mlir;
using namespace weft::cpu;

RegisterTile RegisterTile::forVectors(std::optional<int64_t> vectors, int64_t vectorBits) {
  // More rows would need more pointers than there are registers for them.
  constexpr int64_t kMostRows = 8;
  bool isWide = vectorBits >= 512;
  int64_t registers = isWide ? 32 : 16, most = isWide ? 5 : 3, each = isWide ? 4 : 2;
  if (vectors)
    each = llvm::divideCeil(*vectors, llvm::divideCeil(*vectors, most));
  return {std::min(kMostRows, (registers - 1) / each - 1), each};
}

namespace {
class ProductEmitter {
public:
  ProductEmitter(Emitter &emitter, const Product &product)
      : e(emitter), product(product), number(product.out.buffer.element), lanes(emitter.lanes(number)),
        tile(RegisterTile::forVectors(vectorCount(), emitter.vectorBits)) {}

  void emit();

private:
  std::optional<int64_t> vectorCount() const;
  void emitPanel(Index column, int64_t vectors, Value mask);
  SmallVector<int64_t> possibleGroupSizes() const;
  void emitTile(Index row, int64_t rows, Index column, int64_t vectors, Value mask);
  Emitter::Values initialSums(Index row, ArrayRef<Index> rowStarts, int64_t vectors, Value mask);

  Emitter &e;
  const Product &product;
  Type number;
  int64_t lanes;
  RegisterTile tile;
};
} // namespace

std::optional<int64_t> ProductEmitter::vectorCount() const {
  std::optional<int64_t> columns = product.columns.constant();
  return columns && *columns > 0 ? std::optional(llvm::divideCeil(*columns, lanes)) : std::nullopt;
}

void ProductEmitter::emit() {
  int64_t width = tile.vectors * lanes;
  Index rest = product.columns % width, whole = product.columns - rest;
  if (!whole.is(0))
    e.loop(e.index(0), whole, e.index(width), [&](Index column) { emitPanel(column, tile.vectors, {}); });
  e.ifThen(rest.compare(arith::CmpIPredicate::ne, 0), [&] {
    int64_t most = product.hasWholeVectors ? tile.vectors - 1 : tile.vectors;
    SmallVector<int64_t> counts =
        llvm::to_vector(llvm::seq_inclusive<int64_t>(1, std::max<int64_t>(most, 1)));
    if (std::optional<int64_t> known = rest.constant())
      counts.assign(1, int64_t(llvm::divideCeil(*known, lanes)));
    bool isWhole = product.hasWholeVectors || (rest % lanes).is(0);
    e.switchOver(ceilDiv(rest, lanes), counts, [&](int64_t vectors) {
      emitPanel(whole, vectors, isWhole ? Value() : e.mask(rest - (vectors - 1) * lanes, lanes));
    });
  });
}

/// Sizes of row groups that can occur: all of them, unless the number of rows is static.
SmallVector<int64_t> ProductEmitter::possibleGroupSizes() const {
  std::optional<int64_t> known = product.rows.constant();
  if (!known || *known == 0)
    return llvm::to_vector(llvm::seq_inclusive<int64_t>(1, tile.rows));
  int64_t groups = llvm::divideCeil(*known, tile.rows), size = *known / groups;
  SmallVector<int64_t> sizes{size};
  if (*known % groups != 0)
    sizes.push_back(size + 1);
  return sizes;
}

/// Rows in groups of at most tile.rows, as even as can be.
void ProductEmitter::emitPanel(Index column, int64_t vectors, Value mask) {
  Index groups = max(ceilDiv(product.rows, tile.rows), e.index(1));
  Index size = product.rows / groups, larger = product.rows % groups;
  e.loop(e.index(0), groups, e.index(1), [&](Index group) {
    Value isLarger = group.compare(arith::CmpIPredicate::ult, larger);
    Index row = group * size + min(group, larger), count = e.select(isLarger, size + 1, size);
    e.switchOver(count, possibleGroupSizes(),
                 [&](int64_t rows) { emitTile(row, rows, column, vectors, mask); });
  });
}

Emitter::Values ProductEmitter::initialSums(Index row, ArrayRef<Index> rowStarts, int64_t vectors,
                                            Value mask) {
  if (!product.scale)
    return Emitter::Values(rowStarts.size() * vectors, e.splat(e.number(number, 0), lanes));
  Emitter::Values sums;
  for (auto [r, start] : llvm::enumerate(rowStarts)) {
    Value scale = e.splat(product.scale(row + r), lanes);
    for (int64_t v = 0; v < vectors; ++v) {
      Value before = e.load(product.out.buffer, start + v * lanes, lanes, v == vectors - 1 ? mask : Value());
      sums.push_back(e.create<arith::MulFOp>(before, scale));
    }
  }
  return sums;
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
