// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of columns that do not fill vectors: four steps of the depth lie in a vector, so that a quarter of
// a vector's lanes is all that columns have to fill.
#include "compiler/Target/CPU/Emit/Lanes.h"
#include "compiler/Target/CPU/Emit/Product.h"

using namespace mlir;
using namespace weft::cpu;

bool weft::cpu::fillsQuads(Index columns, int64_t lanes) {
  if (!columns.constant() || lanes <= kQuad)
    return false;
  int64_t number = *columns.constant();
  int64_t inQuads = llvm::alignTo(number, lanes / kQuad), inVectors = llvm::alignTo(number, lanes);
  return (inVectors - inQuads) * 8 >= inVectors; // an eighth of the work pays for another order
}

int64_t weft::cpu::quadElements(int64_t columns, int64_t depth, int64_t lanes) {
  return llvm::alignTo(columns, lanes / kQuad) * llvm::alignTo(depth, kQuad);
}

/// Quads of the rows of one step, of which `there` are there.
static void emitStep(Emitter &e, const Matrix &in, const Buffer &out, int64_t columns, Index step,
                     Index there) {
  int64_t lanes = e.lanes(out.element), each = lanes / kQuad, padded = llvm::alignTo(columns, each);
  for (int64_t column = 0; column < columns; column += lanes) {
    int64_t count = std::min(lanes, columns - column);
    Emitter::Values rows;
    for (int64_t r = 0; r < kQuad; ++r) {
      Value isThere = there.compare(arith::CmpIPredicate::ugt, r);
      Index active = e.select(isThere, e.index(count), e.index(0));
      Value mask = active.is(lanes) ? Value() : e.mask(active, lanes);
      rows.push_back(e.loadNumbers(in.buffer, in.start + (step + r) * in.pitch + column, lanes, mask));
    }
    rows = interleave(e, rows, lanes);
    for (int64_t i = 0; i * each < count; ++i)
      e.store(rows[i], out, out.offset + step * padded + (column * kQuad + i * lanes));
  }
}

void weft::cpu::emitQuads(Emitter &e, const Matrix &in, const Buffer &out, int64_t columns, Index depth) {
  Index rest = depth % kQuad, whole = depth - rest;
  e.loop(e.index(0), whole, e.index(kQuad),
         [&](Index step) { emitStep(e, in, out, columns, step, e.index(kQuad)); });
  e.ifThen(rest.compare(arith::CmpIPredicate::ne, 0), [&] { emitStep(e, in, out, columns, whole, rest); });
}

/// A register tile of vectors from `vector` on: quads of rhs are added up lane by lane, and the four lanes of
/// a column last.
static void emitQuadTile(Emitter &e, const QuadProduct &product, Index row, int64_t rows, Index vector,
                         int64_t vectors) {
  Type number = product.out.buffer.element;
  int64_t lanes = e.lanes(number), each = lanes / kQuad;
  SmallVector<int64_t> repeated;
  for (int64_t lane = 0; lane < lanes; ++lane)
    repeated.push_back(lane % kQuad);
  auto multiply = [&](Index k, ValueRange sums) {
    Index right = product.rhs.offset + k * llvm::alignTo(product.columns, each) + vector * lanes;
    Emitter::Values rights, next;
    for (int64_t v = 0; v < vectors; ++v)
      rights.push_back(e.load(product.rhs, right + v * lanes, lanes));
    for (int64_t r = 0; r < rows; ++r) {
      Index at = product.lhs.start + (row + r) * product.lhs.pitch + k;
      Value quad = e.load(product.lhs.buffer, at, kQuad);
      Value left = e.create<vector::ShuffleOp>(quad, quad, repeated);
      for (int64_t v = 0; v < vectors; ++v)
        next.push_back(e.create<vector::FMAOp>(left, rights[v], sums[r * vectors + v]));
    }
    return next;
  };
  Emitter::Values zeros(rows * vectors, e.splat(e.number(number, 0), lanes));
  Emitter::Values sums = e.loop(e.index(0), product.depth, e.index(kQuad), zeros, multiply);
  Index column = vector * each;
  for (int64_t r = 0; r < rows; ++r) {
    Value scale = e.splat(product.scale(row + r), lanes);
    Emitter::Values added =
        addLanes(e, Emitter::Values(ArrayRef(sums).slice(r * vectors, vectors)), lanes, kQuad);
    for (auto [i, sum] : llvm::enumerate(added)) {
      Index first = column + i * lanes, out = product.out.start + (row + r) * product.out.pitch + first;
      Index end = min(column + vectors * each, e.index(product.columns));
      Value mask = e.mask(min(end - first, e.index(lanes)), lanes);
      Value before = e.load(product.out.buffer, out, lanes, mask);
      e.store(e.create<vector::FMAOp>(before, scale, sum), product.out.buffer, out, mask);
    }
  }
}

void weft::cpu::emitQuadProduct(Emitter &e, const QuadProduct &product) {
  int64_t vectors = llvm::divideCeil(product.columns, e.lanes(product.out.buffer.element) / kQuad);
  RegisterTile tile = RegisterTile::forVectors(vectors, e.registers(), /*hasStaticPitch=*/false);
  overGroups(e, product.rows, tile.rows, [&](Index row, int64_t rowCount) {
    overGroups(e, e.index(vectors), tile.vectors,
               [&](Index vector, int64_t count) { emitQuadTile(e, product, row, rowCount, vector, count); });
  });
}
