// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over the depth of which each step has a row of rhs.
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

/// A vector of rhs as numbers of the sums' type.
static Value loadWeights(const DepthLoop &loop, Index at, Value mask) {
  Value weights = loop.e.loadNumbers(loop.rhs, at, loop.lanes(), mask);
  bool isInteger = isa<IntegerType>(getElementTypeOrSelf(weights));
  return isInteger && isa<FloatType>(loop.number)
             ? loop.e.create<arith::SIToFPOp>(VectorType::get(loop.lanes(), loop.number), weights)
             : weights;
}

Emitter::Values DepthLoop::emit(bool hasInt4, ValueRange sums) const {
  if (hasInt4)
    return emitInt4DepthLoop(*this, sums);
  return e.loop(e.index(0), size, e.index(1), sums, [&](Index k, ValueRange carried) {
    Index row = rhsStart + k * rhsPitch;
    prefetch(k, row);
    Emitter::Values weights;
    for (int64_t v = 0; v < vectors; ++v)
      weights.push_back(loadWeights(*this, row + v * lanes(), v == vectors - 1 ? mask : Value()));
    return step(k, weights, carried);
  });
}
