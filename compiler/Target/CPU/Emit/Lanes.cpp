// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/CPU/Emit/Lanes.h"

using namespace mlir;
using namespace weft::cpu;

/// Vectors of the first half are interleaved with those of the second, log2(n) times.
Emitter::Values weft::cpu::interleave(Emitter &e, Emitter::Values rows, int64_t lanes) {
  size_t half = rows.size() / 2;
  auto zip = [&](Value left, Value right, int64_t first) -> Value {
    SmallVector<int64_t> order;
    for (int64_t i = first; i < first + lanes / 2; ++i)
      order.append({i, i + lanes});
    return e.create<vector::ShuffleOp>(left, right, order);
  };
  for (size_t size = 1; size < rows.size(); size *= 2) {
    Emitter::Values next;
    for (size_t i = 0; i < half; ++i)
      for (int64_t first : {int64_t(0), lanes / 2})
        next.push_back(zip(rows[i], rows[i + half], first));
    rows = next;
  }
  return rows;
}

/// Vectors one behind the other.
static Value concatenated(Emitter &e, Emitter::Values vectors, int64_t lanes) {
  for (; vectors.size() > 1; lanes *= 2) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes));
    Emitter::Values next;
    for (size_t i = 0; i < vectors.size(); i += 2)
      next.push_back(e.create<vector::ShuffleOp>(vectors[i], vectors[i + 1], order));
    vectors = next;
  }
  return vectors.front();
}

/// The pairs of lanes of two vectors that are first, or second, in each quad: a quad is transposed by two
/// rounds of these, and no lane leaves it, which x86 is slow at.
static Value zipInQuads(Emitter &e, Value left, Value right, int64_t lanes, bool second, bool inPairs) {
  SmallVector<int64_t> order;
  for (int64_t quad = second ? 2 : 0; quad < lanes; quad += 4)
    if (inPairs)
      order.append({quad, quad + 1, quad + lanes, quad + lanes + 1});
    else
      order.append({quad, quad + lanes, quad + 1, quad + lanes + 1});
  return e.create<vector::ShuffleOp>(left, right, order);
}

/// Quads of columns are loaded in such an order that transposing each is all.
Emitter::Values weft::cpu::loadColumns(Emitter &e, const Buffer &from, Index at, Index stride,
                                       int64_t lanes) {
  constexpr int64_t kQuad = 4;
  Emitter::Values rows;
  for (int64_t first = 0; first < lanes; first += kQuad) {
    Emitter::Values vectors; // k has elements first ... first + 3 of the columns k, k + 4, ...
    for (int64_t k = 0; k < kQuad; ++k) {
      Emitter::Values quads;
      for (int64_t column = k; column < lanes; column += kQuad)
        quads.push_back(e.load(from, at + stride * column + first, kQuad));
      vectors.push_back(concatenated(e, quads, kQuad));
    }
    for (bool second : {false, true}) {
      Value even = zipInQuads(e, vectors[0], vectors[1], lanes, second, /*inPairs=*/false);
      Value odd = zipInQuads(e, vectors[2], vectors[3], lanes, second, /*inPairs=*/false);
      rows.push_back(zipInQuads(e, even, odd, lanes, false, /*inPairs=*/true));
      rows.push_back(zipInQuads(e, even, odd, lanes, true, /*inPairs=*/true));
    }
  }
  return rows;
}

/// Two vectors at a time become one: each group's half of lanes is added to its other half.
Emitter::Values weft::cpu::addLanes(Emitter &e, Emitter::Values vectors, int64_t lanes, int64_t count) {
  for (; count > 1; count /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t first = 0; first < 2 * lanes; first += count)
      for (int64_t i = first; i < first + count / 2; ++i) {
        low.push_back(i);
        high.push_back(i + count / 2);
      }
    Emitter::Values next;
    for (size_t i = 0; i < vectors.size(); i += 2) {
      Value left = vectors[i], right = i + 1 < vectors.size() ? vectors[i + 1] : left;
      next.push_back(e.create<arith::AddFOp>(e.create<vector::ShuffleOp>(left, right, low),
                                             e.create<vector::ShuffleOp>(left, right, high)));
    }
    vectors = next;
  }
  return vectors;
}
