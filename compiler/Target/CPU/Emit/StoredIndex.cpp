// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/CPU/Emit/StoredIndex.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// Unsigned comparison refuses what is still negative.
StoredIndex weft::cpu::loadStoredIndex(Emitter &e, const Buffer &indices, Index at, Index size) {
  Value stored = e.loadScalar(indices, at);
  Index given = e.index(e.create<arith::IndexCastOp>(e.builder.getIndexType(), stored));
  Value isNegative = given.compare(arith::CmpIPredicate::slt, 0);
  Index place = e.select(isNegative, given + size, given);
  return {given, size, place, place.compare(arith::CmpIPredicate::ult, size)};
}

void StoredIndex::fail(Emitter &e) const {
  auto asNumber = [&](Index index) {
    return e.create<arith::IndexCastOp>(e.builder.getI64Type(), Value(index));
  };
  FailOp::create(e.builder, e.location, asNumber(given), asNumber(size));
}
