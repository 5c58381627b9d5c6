// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of any numbers: each thread multiplies and adds its own.
#include "compiler/Target/NVGPU/Emit/StagedGemm.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// The threads of a block as a square: thread (y, x) has the sums of rows y, y + 16, ... and columns x, x +
/// 16, ...
constexpr int64_t kSide = 16;
static_assert(kSide * kSide == kGemmThreads);

class ThreadGemm : public StagedGemm {
public:
  ThreadGemm(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, const GemmOperands &operands)
      : StagedGemm(emitter, op, sizes, operands, layoutOf(emitter, op, operands, sizes.columns)),
        y(emitter.thread / kSide), x(emitter.thread % kSide) {}

private:
  static constexpr int64_t kDepth = 16;
  static StageLayout layoutOf(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands,
                              int64_t columns);
  int64_t rowsOfThread() const { return sizes.rows / kSide; }
  int64_t columnsOfThread() const { return sizes.columns / kSide; }

  Values makeSums() override { return Values(rowsOfThread() * columnsOfThread(), e.number(number, 0)); }
  Values multiply(Index leftStage, Index rightStage, ValueRange sums) override;
  void storeSums(ValueRange sums) override;

  Index y, x;
};

} // namespace

/// What is to be widened cannot be copied. Rows are read as words that serve half of a warp, columns side by
/// side: neither wants padding.
StageLayout ThreadGemm::layoutOf(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands,
                                 int64_t columns) {
  Type number = numberOf(emitter, op, operands);
  bool canUnpack = op.getGroups().has_value() || operands.rhs.element == number;
  bool isCopied = operands.lhs.element == number && canUnpack && canCopy(emitter, op, operands);
  return {number, number, kDepth, kDepth, columns, /*leftPadding=*/0, /*rightPadding=*/0, isCopied};
}

/// A row is read 16 bytes of the depth at a time.
ThreadGemm::Values ThreadGemm::multiply(Index leftStage, Index rightStage, ValueRange sums) {
  int64_t each = BlockEmitter::perLoad(number);
  Index leftStart = leftStage * left.strides[0], rightStart = rightStage * right.strides[0];
  return e.loop(e.index(0), e.index(kDepth), e.index(each), sums, [&](Index k, ValueRange before) {
    SmallVector<Values> rows;
    for (int64_t i = 0; i < rowsOfThread(); ++i)
      rows.push_back(e.loadMany(left, leftStart + (y + i * kSide) * left.strides[1] + k, each, true));
    Values next(before);
    for (int64_t step = 0; step < each; ++step)
      for (int64_t j = 0; j < columnsOfThread(); ++j) {
        Value column = e.loadScalar(right, rightStart + (k + step) * right.strides[1] + x + j * kSide);
        for (auto [i, row] : llvm::enumerate(rows)) {
          Value &sum = next[i * columnsOfThread() + j];
          sum = e.multiplyAdd(row[step], column, sum);
        }
      }
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
