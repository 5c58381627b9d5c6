// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over the depth with weights of 4 bits and a scale for each group of 32.
#include "compiler/Target/CPU/Emit/DepthLoop.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {
class Int4Emitter {
public:
  explicit Int4Emitter(const DepthLoop &loop)
      : e(loop.e), loop(loop), words(VectorType::get(loop.lanes(), e.builder.getI32Type())),
        floats(VectorType::get(loop.lanes(), loop.number)) {}

  Emitter::Values emit(ValueRange sums);

private:
  Emitter::Values emitGroup(Index group, Index size, ValueRange sums);
  Emitter::Values stepGroup(Index row, Index k, Index size, ArrayRef<Value> scales, ValueRange sums);
  Emitter::Values stepNumbers(ArrayRef<Value> row, Index k, Value shift, ArrayRef<Value> scales,
                              ValueRange sums);
  Value toFloats(Value words, Value shift);
  Emitter::Values loadScales(Index group);
  Value words32(int64_t value) {
    return e.splat(e.number(words.getElementType(), double(value)), loop.lanes());
  }

  Emitter &e;
  const DepthLoop &loop;
  VectorType words, floats;
};
} // namespace

/// A bf16 is the upper half of a float, and the second group's is where it has to be.
Emitter::Values Int4Emitter::loadScales(Index group) {
  constexpr int64_t groups = Int4Block::kDepth / Int4Block::kGroup;
  Emitter::Values scales = loop.loadRow(group / groups * Int4Block::kRows);
  Value isFirst = (group % groups).compare(arith::CmpIPredicate::eq, 0);
  Value distance = e.splat(e.create<arith::SelectOp>(isFirst, e.number(words.getElementType(), 16),
                                                     e.number(words.getElementType(), 0)),
                           loop.lanes());
  for (Value &scale : scales) {
    Value shifted = e.create<arith::ShLIOp>(scale, distance);
    Value upper = e.create<arith::AndIOp>(shifted, words32(int64_t(int32_t(0xFFFF0000))));
    scale = e.create<arith::BitcastOp>(floats, upper);
  }
  return scales;
}

/// The number of each word whose lowest bit is `shift`. The permutation of AVX-512 looks at an index's low
/// four bits only, so that its 16 floats are a table; otherwise the number's sign is spread over a word.
Value Int4Emitter::toFloats(Value words, Value shift) {
  if (e.vectorBits == 512) {
    Value index = e.create<arith::ShRUIOp>(words, e.splat(shift, loop.lanes()));
    auto table = DenseElementsAttr::get(
        floats, {0.F, 1.F, 2.F, 3.F, 4.F, 5.F, 6.F, 7.F, -8.F, -7.F, -6.F, -5.F, -4.F, -3.F, -2.F, -1.F});
    return e.intrinsic("llvm.x86.avx512.permvar.sf.512", floats, {e.create<arith::ConstantOp>(table), index});
  }
  constexpr int64_t sign = 32 - Int4Block::kBits;
  Value distance = e.create<arith::SubIOp>(e.number(shift.getType(), sign), shift);
  Value top = e.create<arith::ShLIOp>(words, e.splat(distance, loop.lanes()));
  return e.create<arith::SIToFPOp>(floats, e.create<arith::ShRSIOp>(top, words32(sign)));
}

/// A step with one number of each word.
Emitter::Values Int4Emitter::stepNumbers(ArrayRef<Value> row, Index k, Value shift, ArrayRef<Value> scales,
                                         ValueRange sums) {
  Emitter::Values weights;
  for (auto [v, words] : llvm::enumerate(row)) {
    Value weight = toFloats(words, shift);
    weights.push_back(scales.empty() ? weight : e.create<arith::MulFOp>(weight, scales[v]));
  }
  return loop.step(k, weights, sums);
}

/// Steps with `size` numbers of the depth from `k` on, whose words begin in `row`.
Emitter::Values Int4Emitter::stepGroup(Index row, Index k, Index size, ArrayRef<Value> scales,
                                       ValueRange sums) {
  constexpr int64_t each = Int4Block::kPerWord, bits = Int4Block::kBits;
  Index whole = size / each, rest = size % each;
  Emitter::Values added = e.loop(e.index(0), whole, e.index(1), sums, [&](Index word, ValueRange carried) {
    Emitter::Values loaded = loop.loadRow(row + word), next(carried);
    for (int64_t i = 0; i < each; ++i)
      next = stepNumbers(loaded, k + word * each + i, e.number(words.getElementType(), double(bits * i)),
                         scales, next);
    return next;
  });
  if (rest.is(0))
    return added;
  auto last = [&] {
    Emitter::Values loaded = loop.loadRow(row + whole);
    return e.loop(e.index(0), rest, e.index(1), added, [&](Index i, ValueRange carried) {
      Value shift = e.create<arith::IndexCastOp>(words.getElementType(), i * bits);
      return stepNumbers(loaded, k + whole * each + i, shift, scales, carried);
    });
  };
  return e.ifElse(rest.compare(arith::CmpIPredicate::ne, 0), ValueRange(added).getTypes(), last,
                  [&] { return added; });
}

/// Few sums leave registers for a group's own, which are scaled once; otherwise each weight is.
Emitter::Values Int4Emitter::emitGroup(Index group, Index size, ValueRange sums) {
  Emitter::Values scales = loadScales(group);
  constexpr int64_t groups = Int4Block::kDepth / Int4Block::kGroup;
  Index row =
      group / groups * Int4Block::kRows + 1 + group % groups * (Int4Block::kGroup / Int4Block::kPerWord);
  Index k = group * Int4Block::kGroup;
  if (sums.empty() || int64_t(2 * sums.size()) + 2 * loop.vectors > e.registers())
    return stepGroup(row, k, size, scales, sums);
  Emitter::Values zeros(sums.size(), e.splat(e.number(loop.number, 0), loop.lanes()));
  Emitter::Values own = stepGroup(row, k, size, {}, zeros), next;
  for (auto [i, sum] : llvm::enumerate(sums))
    next.push_back(e.create<vector::FMAOp>(own[i], scales[i % loop.vectors], sum));
  return next;
}

Emitter::Values Int4Emitter::emit(ValueRange sums) {
  Index whole = loop.size / Int4Block::kGroup, rest = loop.size % Int4Block::kGroup;
  Emitter::Values added = e.loop(e.index(0), whole, e.index(1), sums, [&](Index group, ValueRange carried) {
    return emitGroup(group, e.index(Int4Block::kGroup), carried);
  });
  if (rest.is(0))
    return added;
  return e.ifElse(
      rest.compare(arith::CmpIPredicate::ne, 0), ValueRange(added).getTypes(),
      [&] { return emitGroup(whole, rest, added); }, [&] { return added; });
}

Emitter::Values weft::cpu::emitInt4DepthLoop(const DepthLoop &loop, ValueRange sums) {
  return Int4Emitter(loop).emit(sums);
}
