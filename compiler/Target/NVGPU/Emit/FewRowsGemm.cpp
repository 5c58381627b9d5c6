// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of few rows, as decoding one token has them: what takes time is reading rhs, once. A thread
// has a column, and the warps of a block share out the depth; their sums are added in order.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

class FewRowsGemm : public GemmBlock {
public:
  FewRowsGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
      : GemmBlock(emitter, op, sizes, operands, run()),
        partial(emitter.shared(number, {emitter.warps(), sizes.rows, sizes.columns})) {}

private:
  /// How much of the depth a warp reads before it multiplies: so many loads are on their way at once.
  int64_t run() const { return sizes.rows == 1 ? 24 : 8; }

  Values makeSums() override { return Values(sizes.rows, e.number(number, 0)); }
  Values computeSums() override;
  Values addDepth(Index k, ValueRange sums) override;
  void storeSums(ValueRange sums) override;
  Value load(const Buffer &from, Index at, Value isThere);

  Buffer partial; ///< each warp's sums
};

} // namespace

/// Runs of the depth in turn.
FewRowsGemm::Values FewRowsGemm::computeSums() {
  return e.loop(e.warp * run(), depth, e.index(e.warps() * run()), makeSums(),
                [&](Index k, ValueRange before) { return addDepth(k, before); });
}

/// A number, and 0 behind the end of the depth. `at` is a place that can be read in any case: a load that
/// does not branch can be one of many.
Value FewRowsGemm::load(const Buffer &from, Index at, Value isThere) {
  return e.create<arith::SelectOp>(isThere, e.loadNumber(from, at), e.number(number, 0));
}

FewRowsGemm::Values FewRowsGemm::addDepth(Index k, ValueRange sums) {
  const auto &[lhs, rhs, out, captures] = operands;
  Index column = min(e.lane, columnCount - firstColumn - 1);
  SmallVector<Index> places;
  Values isThere, weights, next(sums);
  for (int64_t i = 0; i < run(); ++i) {
    places.push_back(min(k + i, depth - 1));
    isThere.push_back((k + i).compare(arith::CmpIPredicate::ult, depth));
    Index at = rhsStart + places[i] * rhs.strides[rhs.rank() - 2] + column * rhs.strides.back();
    weights.push_back(load(rhs, at, isThere[i]));
  }
  for (int64_t r = 0; r < sizes.rows; ++r) {
    Index start = lhsStart + min(e.index(r), rowCount - firstRow - 1) * lhs.strides[lhs.rank() - 2];
    for (int64_t i = 0; i < run(); ++i)
      next[r] = e.multiplyAdd(load(lhs, start + places[i], isThere[i]), weights[i], next[r]);
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
