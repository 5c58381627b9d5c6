// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over the depth: for each step of it a row of rhs, and an element of each row of lhs times that.
#include "compiler/Target/CPU/Emit/DepthLoop.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace weft::cpu;

/// How many rows of a packed panel are on their way to the first-level cache.
static constexpr int64_t kRowsAhead = 12;
static constexpr int64_t kLineBits = 64 * 8;

int64_t weft::cpu::elementsPerLine(const Buffer &buffer) {
  return kLineBits / buffer.element.getIntOrFloatBitWidth();
}

/// Weights come from memory, and the processor's own prefetching stops at the end of each page. Some rows
/// ahead for the first-level cache; and for the second-level cache the next panel or depth block, spread over
/// all that is done with this one, so that memory is asked for little at a time. An address behind the last
/// panel does no harm.
void DepthLoop::prefetch(Index row, Index at) const {
  if (!ahead)
    return;
  auto fetch = [&](Index from, int locality) {
    memref::PrefetchOp::create(e.builder, e.location, rhs.flat, ValueRange(Value(from)), /*isWrite=*/false,
                               locality, /*isDataCache=*/true);
  };
  for (int64_t column = 0; column < vectors * lanes(); column += elementsPerLine(rhs))
    fetch(at + rhsPitch * kRowsAhead + column, /*locality=*/3);
  fetch(ahead->start + row * ahead->step, /*locality=*/2);
}

static Value addProduct(Emitter &e, Value left, Value right, Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum)))
    return e.create<vector::FMAOp>(left, right, sum);
  return e.create<arith::AddIOp>(e.create<arith::MulIOp>(left, right), sum);
}

Emitter::Values DepthLoop::multiply(Index k, ArrayRef<Value> weights, ValueRange sums) const {
  Emitter::Values next;
  for (auto [r, start] : llvm::enumerate(lhsRows)) {
    Value left = e.splatNumber(lhs, start + k, lanes());
    for (int64_t v = 0; v < vectors; ++v)
      next.push_back(addProduct(e, left, weights[v], sums[r * vectors + v]));
  }
  return next;
}

/// A vector of rhs as numbers of the sums' type.
static Value loadWeights(const DepthLoop &loop, Index at, Value mask) {
  Value weights = loop.e.loadNumbers(loop.rhs, at, loop.lanes(), mask);
  bool isInteger = isa<IntegerType>(getElementTypeOrSelf(weights));
  return isInteger && isa<FloatType>(loop.number)
             ? loop.e.create<arith::SIToFPOp>(VectorType::get(loop.lanes(), loop.number), weights)
             : weights;
}

Emitter::Values weft::cpu::emitDepthLoop(const DepthLoop &loop, ValueRange sums) {
  Emitter &e = loop.e;
  return e.loop(e.index(0), loop.size, e.index(1), sums, [&](Index k, ValueRange carried) {
    Index row = loop.rhsStart + k * loop.rhsPitch;
    loop.prefetch(k, row);
    Emitter::Values weights;
    for (int64_t v = 0; v < loop.vectors; ++v)
      weights.push_back(
          loadWeights(loop, row + v * loop.lanes(), v == loop.vectors - 1 ? loop.mask : Value()));
    return loop.multiply(k, weights, carried);
  });
}
