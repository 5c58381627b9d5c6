// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over the depth with weights of few bits and a scale for each group of rows, and perhaps an offset.
#include "compiler/Target/CPU/Emit/DepthLoop.h"
#include "compiler/Target/CPU/Emit/SelectFrom.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {
/// What belongs to a group: a vector for each of a row's.
struct Head {
  Emitter::Values scales, offsets; ///< no offsets where there are none
};

class GroupsEmitter {
public:
  explicit GroupsEmitter(const DepthLoop &loop)
      : e(loop.e), loop(loop), words(VectorType::get(loop.lanes(), e.builder.getI32Type())),
        floats(VectorType::get(loop.lanes(), loop.number)),
        bits(loop.groups ? loop.groups.getBits() : Int4Block::kBits),
        groupRows(loop.groups ? loop.groups.getRows() : Int4Block::kGroup) {}

  Emitter::Values emit(ValueRange sums);

private:
  int64_t perWord() const { return 32 / bits; }
  Index firstWord(Index group);
  Head loadHead(Index group);
  Emitter::Values loadHalfScales(Index group);
  Emitter::Values emitGroup(Index group, Index size, ValueRange sums);
  Emitter::Values stepGroup(Index group, Index size, const Head &head, ValueRange sums);
  Emitter::Values stepNumbers(ArrayRef<Value> row, Index k, Value shift, const Head &head, ValueRange sums);
  Value toFloats(Value words, Value shift);
  Value lookUp(Value index, ArrayRef<float> table);
  Emitter::Values loadFloats(Index row);
  Value words32(int64_t value) {
    return e.splat(e.number(words.getElementType(), double(value)), loop.lanes());
  }

  Emitter &e;
  const DepthLoop &loop;
  VectorType words, floats;
  int64_t bits, groupRows;
};
} // namespace

/// The row of words that a group's first numbers are in.
Index GroupsEmitter::firstWord(Index group) {
  if (loop.groups)
    return group * loop.groups.words() + loop.groups.headWords();
  constexpr int64_t groups = Int4Block::kDepth / Int4Block::kGroup;
  return group / groups * Int4Block::kRows + 1 + group % groups * (Int4Block::kGroup / Int4Block::kPerWord);
}

Emitter::Values GroupsEmitter::loadFloats(Index row) {
  Emitter::Values loaded = loop.loadRow(row);
  for (Value &vector : loaded)
    vector = e.create<arith::BitcastOp>(floats, vector);
  return loaded;
}

Head GroupsEmitter::loadHead(Index group) {
  if (!loop.groups)
    return {loadHalfScales(group), {}};
  Index row = group * loop.groups.words();
  Emitter::Values scales = loadFloats(row);
  return {scales, loop.groups.getHasOffsets() ? loadFloats(row + 1) : Emitter::Values()};
}

/// Int4Block's scales. A bf16 is the upper half of a float, and the second group's is where it has to be.
Emitter::Values GroupsEmitter::loadHalfScales(Index group) {
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

/// Of a table of up to 16 floats those whose places are an index's lowest bits. The permutation of AVX-512
/// looks at four of them, that of AVX2 at three.
Value GroupsEmitter::lookUp(Value index, ArrayRef<float> table) {
  auto part = [&](size_t first) -> Value {
    SmallVector<float> numbers;
    for (int64_t i = 0; i < loop.lanes(); ++i)
      numbers.push_back(table[(first + i) % table.size()]);
    return e.create<arith::ConstantOp>(DenseElementsAttr::get(floats, ArrayRef(numbers)));
  };
  if (e.vectorBits == 512)
    return e.intrinsic("llvm.x86.avx512.permvar.sf.512", floats, {part(0), index});
  if (e.vectorBits != 256)
    return selectFrom(e.builder, e.location, index, table);
  auto permute = [&](size_t first) {
    return e.intrinsic("llvm.x86.avx2.permps", floats, {part(first), index});
  };
  if (table.size() <= 8)
    return permute(0);
  Value bit = e.create<arith::AndIOp>(index, words32(8));
  Value isUpper = e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, bit, words32(0));
  return e.create<arith::SelectOp>(isUpper, permute(8), permute(0));
}

/// The number of each word whose lowest bit is `shift`. Without a table its sign is spread over a word, or
/// AVX-512 looks it up.
Value GroupsEmitter::toFloats(Value words, Value shift) {
  DenseF32ArrayAttr table = loop.groups ? loop.groups.getTable() : DenseF32ArrayAttr();
  if (table || (e.vectorBits == 512 && bits <= 4)) {
    SmallVector<float> numbers;
    for (int32_t i = 0; i < 1 << bits; ++i)
      numbers.push_back(table ? table[i] : float(int32_t(uint32_t(i) << (32 - bits)) >> (32 - bits)));
    return lookUp(e.create<arith::ShRUIOp>(words, e.splat(shift, loop.lanes())), numbers);
  }
  int64_t sign = 32 - bits;
  Value distance = e.create<arith::SubIOp>(e.number(shift.getType(), double(sign)), shift);
  Value top = e.create<arith::ShLIOp>(words, e.splat(distance, loop.lanes()));
  return e.create<arith::SIToFPOp>(floats, e.create<arith::ShRSIOp>(top, words32(sign)));
}

/// A step with one number of each word. Without scales those are left for later.
Emitter::Values GroupsEmitter::stepNumbers(ArrayRef<Value> row, Index k, Value shift, const Head &head,
                                           ValueRange sums) {
  Emitter::Values weights;
  for (auto [v, words] : llvm::enumerate(row)) {
    Value weight = toFloats(words, shift);
    if (!head.offsets.empty())
      weight = e.create<arith::SubFOp>(weight, head.offsets[v]);
    weights.push_back(head.scales.empty() ? weight : e.create<arith::MulFOp>(weight, head.scales[v]));
  }
  return loop.step(k, weights, sums);
}

/// Steps with the first `size` numbers of a group.
Emitter::Values GroupsEmitter::stepGroup(Index group, Index size, const Head &head, ValueRange sums) {
  int64_t each = perWord();
  Index row = firstWord(group), k = group * groupRows, whole = size / each, rest = size % each;
  Emitter::Values added = e.loop(e.index(0), whole, e.index(1), sums, [&](Index word, ValueRange carried) {
    Emitter::Values loaded = loop.loadRow(row + word), next(carried);
    for (int64_t i = 0; i < each; ++i)
      next = stepNumbers(loaded, k + word * each + i, e.number(words.getElementType(), double(bits * i)),
                         head, next);
    return next;
  });
  if (rest.is(0))
    return added;
  auto last = [&] {
    Emitter::Values loaded = loop.loadRow(row + whole);
    return e.loop(e.index(0), rest, e.index(1), added, [&](Index i, ValueRange carried) {
      Value shift = e.create<arith::IndexCastOp>(words.getElementType(), i * bits);
      return stepNumbers(loaded, k + whole * each + i, shift, head, carried);
    });
  };
  return e.ifElse(rest.compare(arith::CmpIPredicate::ne, 0), ValueRange(added).getTypes(), last,
                  [&] { return added; });
}

/// Few sums leave registers for a group's own, which are scaled once; otherwise each weight is.
Emitter::Values GroupsEmitter::emitGroup(Index group, Index size, ValueRange sums) {
  Head head = loadHead(group);
  int64_t needed = int64_t(2 * sums.size()) + 2 * loop.vectors + int64_t(head.offsets.size());
  if (sums.empty() || needed > e.registers())
    return stepGroup(group, size, head, sums);
  Emitter::Values zeros(sums.size(), e.splat(e.number(loop.number, 0), loop.lanes()));
  Emitter::Values own = stepGroup(group, size, {{}, head.offsets}, zeros), next;
  for (auto [i, sum] : llvm::enumerate(sums))
    next.push_back(e.create<vector::FMAOp>(own[i], head.scales[i % loop.vectors], sum));
  return next;
}

Emitter::Values GroupsEmitter::emit(ValueRange sums) {
  Index whole = loop.size / groupRows, rest = loop.size % groupRows;
  Emitter::Values added = e.loop(e.index(0), whole, e.index(1), sums, [&](Index group, ValueRange carried) {
    return emitGroup(group, e.index(groupRows), carried);
  });
  if (rest.is(0))
    return added;
  return e.ifElse(
      rest.compare(arith::CmpIPredicate::ne, 0), ValueRange(added).getTypes(),
      [&] { return emitGroup(whole, rest, added); }, [&] { return added; });
}

Emitter::Values weft::cpu::emitGroupsDepthLoop(const DepthLoop &loop, ValueRange sums) {
  return GroupsEmitter(loop).emit(sums);
}
