// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the numbers of a packed right-hand side of weft.matmul lie in memory.
#ifndef WEFT_DIALECTS_WEFT_IR_PACKEDWEIGHTS_H
#define WEFT_DIALECTS_WEFT_IR_PACKEDWEIGHTS_H

#include "dialects/Weft/IR/Weft.h"

namespace weft {

/// Weights of 4 bits, -8 to 7, and their scales: [panels, blocks, 9, 48] words of i32. A block has 64 of the
/// summed dim. Its first row holds scales of bf16, in the lower half of a word for the first 32 and in the
/// upper half for the others; each of the eight other rows holds eight numbers a word, the first in the
/// lowest bits. Scales lie beside what they scale so that a column is read as one stream.
struct Int4Block {
  static constexpr int64_t kDepth = 64, kGroup = 32, kRows = 9;
  static constexpr int64_t kBits = 4, kPerWord = 32 / kBits;
  static constexpr int64_t kLargest = 7;

  static constexpr int64_t count(int64_t depth) { return (depth + kDepth - 1) / kDepth; }
  /// Where depth k is: the word's row, counted over all blocks, and its lowest bit.
  static constexpr int64_t row(int64_t k) { return k / kDepth * kRows + 1 + k % kDepth / kPerWord; }
  static constexpr int64_t shift(int64_t k) { return k % kPerWord * kBits; }
  /// Where its scale is.
  static constexpr int64_t scaleRow(int64_t k) { return k / kDepth * kRows; }
  static constexpr int64_t scaleShift(int64_t k) { return k % kDepth / kGroup * 16; }
};

/// The same words for products with bytes, where a number times its scale is one of 8 bits. A scale is an
/// integer, 0 to 15, for 8 of the summed dim, which are a word; so a word of the first row holds those of its
/// block, in order. Numbers lie so that a mask and a shift make quads of a word, the first four in the lower
/// halves of its bytes, the others in the upper, and are stored plus 8, since subtracting it takes one
/// instruction.
struct Int4Quads : Int4Block {
  static constexpr int64_t kGroup = kPerWord, kLargestScale = 15, kOffset = 8;

  static constexpr int64_t shift(int64_t k) { return k % 4 * 8 + k % kPerWord / 4 * kBits; }
  static constexpr int64_t scaleShift(int64_t k) { return k % kDepth / kGroup * kBits; }
};

/// Weights of 8 bits for products with bytes: [panels, K / 4, 48, 4] of i8, K rounded up to 64 with zeros.
/// Four of the summed dim lie side by side, since instructions multiply and add them at once.
struct Quads {
  static constexpr int64_t kDepth = 4, kPadding = 64;
  /// The deepest sum that is sure to fit i32: a byte times 127, that many times, less a product as large.
  static constexpr int64_t kMaxDepth = INT32_MAX / (255 * 127) / 2;
};

/// Weights of bf16 for products with bf16: [panels, K / 2, 48, 2], K rounded up to 32 with zeros. Two of the
/// summed dim lie side by side, as in Quads.
struct Pairs {
  static constexpr int64_t kDepth = 2, kPadding = 32;
};

/// How the packed right-hand side of a product is read: panels of `width` columns, [panels, rows, ...].
struct PackedForm {
  llvm::StringRef rule;                    ///< the constraint that it is held to
  int64_t columns;                         ///< that there are, without what fills the last panel
  WeightGroupsAttr groups = {};            ///< of numbers in groups
  bool isInt4 = false, isOfBytes = false;  ///< Int4Block, or of these Int4Quads
  int64_t together = 1;                    ///< how many of the depth lie side by side: Quads, Pairs
  int64_t width = MatmulOp::kPanelColumns; ///< of a panel

  /// The dims behind the rows'.
  llvm::SmallVector<int64_t> innerDims() const;
  /// How many of the depth a row has, or a block of rows.
  int64_t depthOfRow() const;
  /// Whether rows are blocks, of which the last may be filled up.
  bool isOfBlocks() const { return isInt4 || groups; }
};

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_PACKEDWEIGHTS_H
