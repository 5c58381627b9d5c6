// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention whose scores and sums are fragments, as tensor cores leave them: a thread has of each 8 columns
// four, (row, column), (row, column + 1), (row + 8, column), (row + 8, column + 1), and its row is lane / 4,
// its column lane % 4 * 2.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_FRAGMENTATTENTION_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_FRAGMENTATTENTION_H

#include "compiler/Target/NVGPU/Emit/AttentionBlock.h"

namespace weft::nvgpu {

class FragmentAttention : public AttentionBlock {
public:
  FragmentAttention(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                    const AttentionOperands &operands);

protected:
  /// Of a thread's numbers of 8 columns: rows, and neighbours of each.
  static constexpr int64_t kHalves = 2, kPair = 2, kColumns = 8;

  /// Of this thread's two rows: the greatest score so far, and its part of the sum of exponentials; and what
  /// sums of before are multiplied by.
  struct Softmax {
    Values maxima, sums, shrink;
  };
  /// Before any key. Of warps that share rows one has sums: the one of which `isCounted` holds.
  Softmax begin(mlir::Value isCounted);
  /// What scores, four of each 8 keys, make of it; they become probabilities.
  Softmax update(llvm::MutableArrayRef<mlir::Value> scores, const Softmax &before);

  /// Scores of products, four of each 8 keys from `first` on.
  Values scoresOf(mlir::ValueRange products, Index first, bool isFull);
  /// The same where masks are left out if they are open on all of the block's keys, from `firstOfBlock` on.
  Values scoresOf(mlir::ValueRange products, Index first, Index firstOfBlock, int64_t keysOfBlock);

  /// Words for a product's fragment of 16 keys: two neighbours each.
  Values fragmentOf(mlir::ValueRange probabilities);
  /// A row's sum of all four threads that have some of it.
  mlir::Value totalOf(mlir::Value sum);
  /// A score as its exponential is of e.
  mlir::Value naturalScore(mlir::Value score);
  /// 2 to the power of a score less a base: what exponentials are here.
  mlir::Value exponential(mlir::Value score, mlir::Value negativeBase) {
    return e.create<cta::Exp2Op>(number, e.multiplyAdd(score, e.number(number, unit), negativeBase));
  }
  mlir::Value negativeBaseOf(mlir::Value maximum) {
    return e.create<mlir::arith::NegFOp>(multiply(baseOf(maximum), e.number(number, unit)));
  }
  /// By what sums shrink when their maximum grows: 1 if it does not, however large it is.
  mlir::Value shrinkOf(mlir::Value before, mlir::Value maximum) {
    mlir::Value less = e.create<mlir::arith::SubFOp>(before, baseOf(maximum));
    return e.create<cta::Exp2Op>(number, multiply(less, e.number(number, unit)));
  }
  mlir::Value add(mlir::Value left, mlir::Value right) { return e.create<mlir::arith::AddFOp>(left, right); }
  mlir::Value multiply(mlir::Value left, mlir::Value right) {
    return e.create<mlir::arith::MulFOp>(left, right);
  }

  const int64_t depth, width; ///< of a query or key, and of a value
  const mlir::Type element;   ///< f16 or bf16
  Index pair;                 ///< this thread's first column of 8
  llvm::SmallVector<Row> rows;

private:
  mlir::Value reduceQuad(mlir::Value value,
                         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

  const bool areScoresProducts; ///< whatever the region keeps is the scaled product
  const double unit;            ///< what scores are multiplied by to be exponents of 2
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_FRAGMENTATTENTION_H
