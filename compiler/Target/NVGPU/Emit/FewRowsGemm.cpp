// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of few rows, as decoding one token has them: what takes time is reading rhs, once. A thread
// has a column, and the warps of a block share out the depth; their sums are added in order.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

/// Rows of matrices are read a number at a time, those of few bits a word. More rows take more registers.
static int64_t chooseRun(GemmTileOp op, int64_t rows) {
  constexpr int64_t kLoadsForOneRow = 24, kLoads = 8, kWordsForOneRow = 16;
  int64_t each = Weights::perLoad(op);
  if (each == 1)
    return rows == 1 ? kLoadsForOneRow : kLoads;
  return each * (rows == 1 ? kWordsForOneRow : kLoads);
}

namespace {

class FewRowsGemm : public GemmBlock {
public:
  FewRowsGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
      : GemmBlock(emitter, op, sizes, operands, chooseRun(op, sizes.rows)),
        isLeftAligned(run() % piece() == 0 && emitter.hasRowsOf(operands.lhs, piece())),
        partial(emitter.shared(number, {emitter.warps(), sizes.rows, sizes.columns})) {}

private:
  /// How much of the depth a warp reads before it multiplies: so many loads are on their way at once.
  int64_t run() const { return depthOfBlock; }
  /// Elements of lhs that a thread loads at once.
  int64_t piece() const { return BlockEmitter::perLoad(operands.lhs.element); }

  Values makeSums() override { return Values(sizes.rows, e.number(number, 0)); }
  Values computeSums() override;
  Values addDepth(Index k, ValueRange sums) override { return addRun(k, /*isWhole=*/true, sums); }
  void storeSums(ValueRange sums) override;
  Values addRun(Index k, bool isWhole, ValueRange sums);
  Values loadLeft(int64_t row, Index k, bool isWhole);
  Values orZeros(Values numbers, Index k);

  const bool isLeftAligned; ///< rows of lhs are read 16 bytes at a time
  Buffer partial;           ///< each warp's sums
};

} // namespace

/// Runs of the depth in turn: those that the whole block has, and then what is left.
FewRowsGemm::Values FewRowsGemm::computeSums() {
  int64_t step = e.warps() * run();
  Index rest = depth % step, whole = depth - rest;
  Values sums = makeSums();
  if (!whole.is(0))
    sums = e.loop(e.warp * run(), whole, e.index(step), sums,
                  [&](Index k, ValueRange before) { return addDepth(k, before); });
  Index last = whole + e.warp * run();
  return e.ifElse(
      last.compare(arith::CmpIPredicate::ult, depth), ValueRange(sums).getTypes(),
      [&] { return addRun(last, /*isWhole=*/false, sums); }, [&] { return sums; });
}

/// Numbers of a run that goes beyond the end of the depth, and 0 behind that.
FewRowsGemm::Values FewRowsGemm::orZeros(Values numbers, Index k) {
  for (auto [i, value] : llvm::enumerate(numbers)) {
    Value isThere = (k + int64_t(i)).compare(arith::CmpIPredicate::ult, depth);
    value = e.create<arith::SelectOp>(isThere, value, e.number(number, 0));
  }
  return numbers;
}

/// A run of a row of lhs, or of the last row. Behind the end of the depth the last number is read: a load
/// that does not branch can be one of many.
FewRowsGemm::Values FewRowsGemm::loadLeft(int64_t row, Index k, bool isWhole) {
  const Buffer &lhs = operands.lhs;
  Index start = lhsStart + min(e.index(row), rowCount - firstRow - 1) * lhs.strides[lhs.rank() - 2];
  Values numbers;
  if (isWhole)
    numbers = e.loadMany(lhs, start + k, run(), isLeftAligned);
  else
    for (int64_t i = 0; i < run(); ++i)
      numbers.push_back(e.loadScalar(lhs, start + min(k + i, depth - 1)));
  for (Value &value : numbers)
    value = widenLeft(value);
  return isWhole ? numbers : orZeros(numbers, k);
}

/// The sums after a run. What groups have is summed by itself, and multiplied by their scale once.
FewRowsGemm::Values FewRowsGemm::addRun(Index k, bool isWhole, ValueRange sums) {
  Index column = firstColumn + min(e.lane, columnCount - firstColumn - 1);
  Weights::Run right = weights.load(rhsMatrix, k, run(), column, isWhole ? std::optional<Index>() : depth);
  Values numbers = weights.numbers(right), next(sums);
  if (!isWhole)
    numbers = orZeros(numbers, k);
  size_t each = right.scales.empty() ? run() : run() / right.scales.size();
  for (int64_t r = 0; r < sizes.rows; ++r) {
    Values left = loadLeft(r, k, isWhole);
    for (size_t first = 0; first < left.size(); first += each) {
      Value sum = right.scales.empty() ? next[r] : e.number(number, 0);
      for (size_t i = first; i < first + each; ++i)
        sum = e.multiplyAdd(left[i], numbers[i], sum);
      next[r] = right.scales.empty() ? sum : e.multiplyAdd(sum, right.scales[first / each], next[r]);
    }
  }
  return next;
}

void FewRowsGemm::storeSums(ValueRange sums) {
  for (auto [r, sum] : llvm::enumerate(sums))
    e.storeScalar(sum, partial, (e.warp * sizes.rows + r) * sizes.columns + e.lane);
  e.barrier();
  e.overThreads(sizes.rows * sizes.columns, [&](Index i) {
    Value sum = e.loadScalar(partial, i);
    for (int64_t warp = 1; warp < e.warps(); ++warp) {
      Value more = e.loadScalar(partial, i + warp * sizes.rows * sizes.columns);
      sum = isa<FloatType>(number) ? e.create<arith::AddFOp>(sum, more) : e.create<arith::AddIOp>(sum, more);
    }
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
