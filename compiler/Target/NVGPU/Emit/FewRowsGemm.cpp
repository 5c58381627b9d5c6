// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of few rows, as decoding one token has them: what takes time is reading rhs, once. A thread
// has a column, and the warps of a block share out the depth, as do the threads of a warp where columns are
// fewer than these; their sums are added in order.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

static constexpr int64_t kLoads = 8; ///< that are on their way at once, if there are no registers for more

/// Rows of matrices are read a number at a time, those of few bits a word. More rows take more registers.
static int64_t chooseRun(GemmTileOp op, int64_t rows) {
  constexpr int64_t kLoadsForOneRow = 24, kMostNumbersForOneRow = 64, kMostNumbers = 32;
  int64_t each = Weights::perLoad(op);
  if (each == 1)
    return rows == 1 ? kLoadsForOneRow : kLoads;
  return std::min(each * kLoads, rows == 1 ? kMostNumbersForOneRow : kMostNumbers);
}

namespace {

class FewRowsGemm : public GemmBlock {
public:
  FewRowsGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
      : GemmBlock(emitter, op, sizes, operands, chooseRun(op, sizes.rows)),
        isLeftAligned(run() % piece() == 0 && emitter.hasRowsOfPieces(operands.lhs)),
        hasWords(areBytes && isLeftAligned), chunk(std::max(weights.perLoad(), isLeftAligned ? piece() : 1)),
        shares(cta::CtaDialect::kWarpThreads / sizes.columns), share(emitter.lane / sizes.columns),
        columnOfThread(emitter.lane % sizes.columns),
        partial(emitter.shared(number, {emitter.warps(), sizes.rows, sizes.columns})) {}

private:
  /// How much of the depth a warp reads before it multiplies: so many loads are on their way at once.
  int64_t run() const { return depthOfBlock; }
  /// Elements of lhs that a thread loads at once.
  int64_t piece() const { return BlockEmitter::perLoad(operands.lhs.element); }

  Values makeSums() override { return Values(sizes.rows, e.number(number, 0)); }
  Values computeSums() override;
  Values addDepth(Index k, ValueRange sums) override {
    return addRun(k + share * run(), run(), /*isWhole=*/true, sums);
  }
  void storeSums(ValueRange sums) override;
  Values addRun(Index k, int64_t count, bool isWhole, ValueRange sums);
  Values loadRight(const Weights::Run &run, int64_t first, Index k, bool isWhole);
  Values loadLeft(int64_t row, Index k, bool isWhole);
  Values loadLeftWords(Index start, Index k, bool isWhole);
  Value multiplyAdd(Value left, Value right, Value sum) {
    return hasWords ? e.create<cta::Dot4Op>(sum.getType(), left, right, sum)
                    : e.multiplyAdd(left, right, sum);
  }

  const bool isLeftAligned; ///< rows of lhs are read 16 bytes at a time
  const bool hasWords;      ///< bytes are multiplied four at a time
  const int64_t chunk;      ///< of the depth that is multiplied at once
  const int64_t shares;     ///< of a warp's part of the depth
  const Index share, columnOfThread;
  Buffer partial; ///< each warp's sums
};

} // namespace

/// Runs of the depth in turn: those that the whole block has, and then what is left, by shorter ones. The
/// threads of a warp make as many turns; behind the end of the depth they add 0.
FewRowsGemm::Values FewRowsGemm::computeSums() {
  int64_t ofWarp = shares * run(), step = e.warps() * ofWarp;
  Index rest = depth % step, whole = depth - rest;
  Values sums = makeSums();
  if (!whole.is(0))
    sums = e.loop(e.warp * ofWarp, whole, e.index(step), sums,
                  [&](Index k, ValueRange before) { return addDepth(k, before); });
  if (rest.is(0))
    return sums;
  int64_t last = std::max(chunk, weights.perLoad() > 1 ? 1 : kLoads);
  return e.loop(
      whole + e.warp * (shares * last), depth, e.index(e.warps() * shares * last), sums,
      [&](Index k, ValueRange before) { return addRun(k + share * last, last, /*isWhole=*/false, before); });
}

/// Numbers of rhs, as many as a chunk has, or words of four.
FewRowsGemm::Values FewRowsGemm::loadRight(const Weights::Run &run, int64_t first, Index k, bool isWhole) {
  if (hasWords) // behind the end lhs has zeros
    return weights.quads(run, first, chunk);
  Values numbers = weights.numbers(run, first, chunk);
  return isWhole ? numbers : orZeros(numbers, k);
}

/// The words of a chunk, which is 16 bytes, as the depth is a multiple of.
FewRowsGemm::Values FewRowsGemm::loadLeftWords(Index start, Index k, bool isWhole) {
  Value isThere = k.compare(arith::CmpIPredicate::ult, depth);
  Values words =
      e.loadWords(operands.lhs, start + (isWhole ? k : min(k, depth - chunk)), chunk / Quads::kDepth);
  for (Value &word : words)
    if (!isWhole)
      word = e.create<arith::SelectOp>(isThere, word, e.number(number, 0));
  return words;
}

/// The same of a row of lhs, or of the last row. Behind the end of the depth the last one is read: a load
/// that does not branch can be one of many.
FewRowsGemm::Values FewRowsGemm::loadLeft(int64_t row, Index k, bool isWhole) {
  const Buffer &lhs = operands.lhs;
  Index start = lhsStart + min(e.index(row), rowCount - firstRow - 1) * lhs.strides[lhs.rank() - 2];
  if (hasWords)
    return loadLeftWords(start, k, isWhole);
  Values numbers;
  if (isWhole)
    numbers = e.loadMany(lhs, start + k, chunk, isLeftAligned);
  else
    for (int64_t i = 0; i < chunk; ++i)
      numbers.push_back(e.loadScalar(lhs, start + min(k + i, depth - 1)));
  for (Value &value : numbers)
    value = widenLeft(value);
  return isWhole ? numbers : orZeros(numbers, k);
}

/// The sums after a run of `count`. All of rhs is loaded first, and multiplied a chunk after the other; a
/// barrier keeps the numbers of several rows, which are in cache, from being loaded as early, for which there
/// are too few registers. What a group has is summed by itself, and multiplied by its scale once.
FewRowsGemm::Values FewRowsGemm::addRun(Index k, int64_t count, bool isWhole, ValueRange sums) {
  Index column = firstColumn + min(columnOfThread, columnCount - firstColumn - 1);
  Weights::Run right = weights.load(rhsMatrix, k, count, column, isWhole ? std::optional<Index>() : depth);
  const Values zeros = makeSums();
  bool isScaled = !right.scales.empty();
  int64_t group = isScaled ? count / int64_t(right.scales.size()) : count;
  Values next(sums), own = isScaled ? zeros : next;
  for (int64_t first = 0; first < count; first += chunk) {
    if (sizes.rows > 1 && weights.perLoad() > 1)
      e.warpBarrier();
    Values numbers = loadRight(right, first, k + first, isWhole);
    for (int64_t r = 0; r < sizes.rows; ++r)
      for (auto [left, number] : llvm::zip_equal(loadLeft(r, k + first, isWhole), numbers))
        own[r] = multiplyAdd(left, number, own[r]);
    if (!isScaled || (first + chunk) % group)
      continue;
    for (auto [sum, part] : llvm::zip_equal(next, own))
      sum = e.multiplyAdd(part, right.scales[first / group], sum);
    own = zeros;
  }
  return isScaled ? next : own;
}

void FewRowsGemm::storeSums(ValueRange sums) {
  auto add = [&](Value left, Value right) { return e.add(left, right); };
  Values ofWarp = llvm::map_to_vector(sums, [&](Value sum) { return e.reduceWarp(sum, add, sizes.columns); });
  e.ifThen(share.compare(arith::CmpIPredicate::eq, 0), [&] {
    for (auto [r, sum] : llvm::enumerate(ofWarp))
      e.storeScalar(sum, partial, (e.warp * sizes.rows + r) * sizes.columns + columnOfThread);
  });
  e.barrier();
  e.overThreads(sizes.rows * sizes.columns, [&](Index i) {
    Value sum = e.loadScalar(partial, i);
    for (int64_t warp = 1; warp < e.warps(); ++warp)
      sum = e.add(sum, e.loadScalar(partial, i + warp * sizes.rows * sizes.columns));
    store(sum, i / sizes.columns, i % sizes.columns);
  });
}

LogicalResult weft::nvgpu::emitFewRowsGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                           const GemmOperands &operands) {
  auto emitFor = [&](int64_t rows) {
    cpu::TileSizes those = sizes;
    those.rows = rows;
    return FewRowsGemm(emitter, op, those, operands).emit();
  };
  Index rows = operands.out.sizes[operands.out.rank() - 2];
  if (rows.constant())
    return emitFor(sizes.rows);
  // One token at a time is what is asked for most; rows that are not there would take time.
  bool isEmitted = true;
  auto emit = [&](int64_t count) { isEmitted &= succeeded(emitFor(count)); };
  emitter.ifElse(rows.compare(arith::CmpIPredicate::eq, 1), [&] { emit(1); }, [&] { emit(sizes.rows); });
  return success(isEmitted);
}
