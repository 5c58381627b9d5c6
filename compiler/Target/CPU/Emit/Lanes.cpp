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
