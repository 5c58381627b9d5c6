// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of any numbers: each thread multiplies and adds its own.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// The threads of a block as a square: thread (y, x) has the sums of rows y, y + 16, ... and columns x, x +
/// 16, ...
constexpr int64_t kSide = 16;
static_assert(kSide * kSide == kGemmThreads);

class ThreadGemm : public GemmBlock {
public:
  ThreadGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
      : GemmBlock(emitter, op, sizes, operands, kDepth), y(emitter.thread / kSide), x(emitter.thread % kSide),
        left(emitter.shared(number, {sizes.rows, kDepth})),
        right(emitter.shared(number, {kDepth, sizes.columns})) {}

private:
  static constexpr int64_t kDepth = 16;
  int64_t rowsOfThread() const { return sizes.rows / kSide; }
  int64_t columnsOfThread() const { return sizes.columns / kSide; }

  Values makeSums() override { return Values(rowsOfThread() * columnsOfThread(), e.number(number, 0)); }
  Values addDepth(Index k, ValueRange sums) override;
  void storeSums(ValueRange sums) override;
  Values multiply(ValueRange sums);

  Index y, x;
  Buffer left, right; ///< blocks of the operands
};

} // namespace

ThreadGemm::Values ThreadGemm::addDepth(Index k, ValueRange sums) {
  bringOperands(k, left, right);
  e.barrier();
  Values next = multiply(sums);
  e.barrier();
  return next;
}

/// The sums after the blocks in shared memory.
ThreadGemm::Values ThreadGemm::multiply(ValueRange sums) {
  return e.loop(e.index(0), e.index(kDepth), e.index(1), sums, [&](Index k, ValueRange before) {
    Values rows, columns, next;
    for (int64_t i = 0; i < rowsOfThread(); ++i)
      rows.push_back(e.loadScalar(left, (y + i * kSide) * left.strides[0] + k));
    for (int64_t j = 0; j < columnsOfThread(); ++j)
      columns.push_back(e.loadScalar(right, k * right.strides[0] + x + j * kSide));
    for (auto [i, row] : llvm::enumerate(rows))
      for (auto [j, column] : llvm::enumerate(columns))
        next.push_back(e.multiplyAdd(row, column, before[i * columns.size() + j]));
    return next;
  });
}

void ThreadGemm::storeSums(ValueRange sums) {
  for (int64_t i = 0; i < rowsOfThread(); ++i)
    for (int64_t j = 0; j < columnsOfThread(); ++j)
      store(sums[i * columnsOfThread() + j], y + i * kSide, x + j * kSide);
}

LogicalResult weft::nvgpu::emitThreadGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes,
                                          const GemmOperands &operands) {
  return ThreadGemm(emitter, op, sizes, operands).emit();
}
