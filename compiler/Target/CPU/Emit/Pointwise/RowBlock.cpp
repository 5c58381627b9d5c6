// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows' sums are done operation by operation, each input is loaded where the first of them uses it.
#include "compiler/Target/CPU/Emit/Pointwise/RowBlock.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace weft::cpu;

/// Inputs of which rows are computed one by one: what they load once is no more than a row of a plain sum
/// has.
static constexpr size_t kFewInputs = 8;

static bool areSame(Index left, Index right) {
  std::optional<int64_t> known = left.constant();
  return known ? right.is(*known) : Value(left) == Value(right);
}

/// The index as one that is not constant, if any, and a constant that is added to it.
static std::pair<Value, int64_t> splitConstant(Index index) {
  if (std::optional<int64_t> known = index.constant())
    return {Value(), *known};
  Value value = index;
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> known = getConstantIntValue(sum.getRhs()))
      return {sum.getLhs(), *known};
  return {value, 0};
}

RowBlock::RowBlock(Emitter &emitter, Block &body, ArrayRef<Access> accesses)
    : e(emitter), body(body), accesses(accesses) {
  for (const Access &access : accesses.drop_back()) {
    size_t loops = access.strides.size();
    std::optional<int64_t> step = loops > 1 ? access.strides[loops - 2].constant() : std::nullopt;
    Index column = access.strides.back();
    if (!step || !(column.is(0) || column.is(1))) {
      rows.clear();
      return;
    }
    auto [base, offset] = splitConstant(access.buffer.offset);
    rows.push_back({groupOf(access), base, offset, *step});
  }
}

/// The first input that reads the same memory by the same strides.
size_t RowBlock::groupOf(const Access &access) const {
  return llvm::find_if(accesses,
                       [&](const Access &other) {
                         return other.memory == access.memory &&
                                llvm::all_of(llvm::zip_equal(other.strides, access.strides), [](auto pair) {
                                  return areSame(std::get<0>(pair), std::get<1>(pair));
                                });
                       }) -
         accesses.begin();
}

RowBlock::Place RowBlock::placeOf(size_t input, int64_t row) const {
  const Row &found = rows[input];
  return {found.group, found.base, found.offset + row * found.step};
}

size_t RowBlock::loadsOf(int64_t count) const {
  llvm::DenseSet<Place> places;
  for (int64_t row = 0; row < count; ++row)
    for (size_t input = 0; input < rows.size(); ++input)
      places.insert(placeOf(input, row));
  return places.size();
}

/// Whether the operation needs its operands alone, not its place or the mask.
static bool isOnElements(Operation &op) {
  return op.hasTrait<OpTrait::ConstantLike>() || op.hasTrait<OpTrait::IsTerminator>() ||
         OpTrait::hasElementwiseMappableTraits(&op);
}

int64_t RowBlock::rowsFor(Index line) const {
  // A register for the sum of each, and as many again for what they share.
  int64_t most = std::min<int64_t>(8, e.registers() * 3 / 8), best = most;
  if (std::optional<int64_t> known = line.constant()) {
    most = std::min(most, *known);
    best = most;
    for (int64_t rows = most; rows > most / 2; --rows) // one that leaves few rows over
      if (*known % rows < *known % best)
        best = rows;
  }
  bool pays = !e.warpLanes && rows.size() > kFewInputs && llvm::all_of(body, isOnElements) && best > 1 &&
              4 * loadsOf(best) < 3 * best * loadsOf(1);
  return pays ? best : 1;
}

Index RowBlock::at(ArrayRef<Index> starts, Place place) const {
  auto [group, base, constant] = place;
  Index start = starts[group] + constant;
  return base ? start + e.index(base) : start;
}

LogicalResult RowBlock::emit(ArrayRef<Index> position, int64_t count, Index width, int64_t lanes) const {
  SmallVector<Index> starts;
  for (const Access &access : accesses) {
    Buffer memory = access.buffer; // which a row's base and constant say where to begin in
    memory.offset = e.index(0);
    starts.push_back(weft::cpu::placeOf(memory, position, access.strides));
  }
  Loaded splats;
  for (size_t input = 0; input < rows.size(); ++input)
    for (int64_t row = 0; row < count && accesses[input].isSplat(); ++row) {
      Place place = placeOf(input, row);
      Value &splat = splats[place];
      if (!splat)
        splat = e.splat(e.loadScalar(accesses[input].buffer, at(starts, place)), lanes);
    }

  const Access &out = accesses.back();
  LogicalResult result = success();
  e.overColumns(width, lanes, [&](Index column, Value mask) {
    Loaded loaded = splats;
    auto load = [&](unsigned input, int64_t row) {
      Place place = placeOf(input, row);
      Value &vector = loaded[place];
      if (!vector)
        vector = e.load(accesses[input].buffer, at(starts, place) + column, lanes, mask,
                        e.number(accesses[input].buffer.element, 1));
      return vector;
    };
    FailureOr<SmallVector<Value>> elements = emitVectorRegions(e, body, count, load, lanes);
    result = elements;
    if (failed(result))
      return;
    Index start = starts.back() + out.buffer.offset + column;
    for (auto [row, vector] : llvm::enumerate(*elements))
      e.store(vector, out.buffer, start + out.strides[out.strides.size() - 2] * row, mask);
  });
  return result;
}
