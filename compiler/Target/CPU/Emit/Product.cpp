// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by register tiles: columns in panels of a few vectors, rows in even groups.
#include "compiler/Target/CPU/Emit/Product.h"

using namespace mlir;
using namespace weft::cpu;

RegisterTile RegisterTile::forVectors(std::optional<int64_t> vectors, int64_t registers,
                                      bool hasStaticPitch) {
  // More rows would need more pointers than there are registers for them, unless one pointer is enough.
  int64_t mostRows = hasStaticPitch ? 16 : 8;
  bool areMany = registers >= 32;
  int64_t most = areMany ? 5 : 3, each = areMany ? 4 : 2;
  if (vectors)
    each = llvm::divideCeil(*vectors, llvm::divideCeil(*vectors, most));
  return {std::min(mostRows, (registers - 1) / each - 1), each};
}

/// Sizes of groups that can occur: all of them, unless the count is static.
static SmallVector<int64_t> possibleGroupSizes(Index count, int64_t most) {
  std::optional<int64_t> known = count.constant();
  if (!known || *known == 0)
    return llvm::to_vector(llvm::seq_inclusive<int64_t>(1, most));
  int64_t groups = llvm::divideCeil(*known, most), size = *known / groups;
  SmallVector<int64_t> sizes{size};
  if (*known % groups != 0)
    sizes.push_back(size + 1);
  return sizes;
}

void weft::cpu::overGroups(Emitter &e, Index count, int64_t most,
                           llvm::function_ref<void(Index, int64_t)> body) {
  Index groups = max(ceilDiv(count, most), e.index(1));
  Index size = count / groups, larger = count % groups;
  // The first is carried along: a formula of the group would be computed in every turn of an inner loop.
  e.loop(e.index(0), groups, e.index(1), ValueRange{e.index(0)}, [&](Index group, ValueRange carried) {
    Value isLarger = group.compare(arith::CmpIPredicate::ult, larger);
    Index first = e.index(carried.front()), number = e.select(isLarger, size + 1, size);
    e.switchOver(number, possibleGroupSizes(count, most), [&](int64_t sized) { body(first, sized); });
    return Emitter::Values{first + number};
  });
}

namespace {
class ProductEmitter {
public:
  ProductEmitter(Emitter &emitter, const Product &product)
      : e(emitter), product(product), number(product.out.buffer.element), lanes(emitter.lanes(number)),
        tile(RegisterTile::forVectors(vectorCount(), emitter.registers(),
                                      product.lhs.pitch.constant() && product.out.pitch.constant())) {}

  void emit();

private:
  std::optional<int64_t> vectorCount() const;
  void emitPanel(Index column, int64_t vectors, Value mask);
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

void ProductEmitter::emitPanel(Index column, int64_t vectors, Value mask) {
  overGroups(e, product.rows, tile.rows,
             [&](Index row, int64_t rows) { emitTile(row, rows, column, vectors, mask); });
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
  if (product.factor)
    for (Value &sum : sums)
      sum = e.create<arith::MulFOp>(sum, e.splat(product.factor, lanes));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      e.store(sums[r * vectors + v], out.buffer, outRows[r] + v * lanes, maskOf(v));
  if (!product.finish)
    return;
  SmallVector<Emitter::Values> finished;
  for (int64_t r = 0; r < rows; ++r)
    finished.emplace_back(ArrayRef(sums).slice(r * vectors, vectors));
  product.finish(row, finished);
}

void weft::cpu::emitProduct(Emitter &emitter, const Product &product) {
  ProductEmitter(emitter, product).emit();
}
