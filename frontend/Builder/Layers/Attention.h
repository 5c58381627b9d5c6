// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multi-head attention with projections, masks, shared key heads, rotary positions and a cache.
#ifndef WEFT_FRONTEND_BUILDER_LAYERS_ATTENTION_H
#define WEFT_FRONTEND_BUILDER_LAYERS_ATTENTION_H

#include "frontend/Builder/Layers/Positions.h"

namespace weft::layers {

/// Which scores count. What is given is combined: a key is seen if all of it allows that.
struct AttentionMask {
  /// Row i sees the keys up to its own: i + (number of keys - number of rows), as a cache comes before the
  /// rows.
  bool causal = false;
  /// What is not 0 (or is true) is seen: [batch, keys], or [batch, rows, keys] (rows may be 1), or all four
  /// dims.
  mlir::Value seen;
  /// How many keys of each entry count, [batch], integers.
  mlir::Value lengths;
  /// Added to the scaled scores: anything that broadcasts to [batch, heads, rows, keys].
  mlir::Value bias;
  /// The score of what is not seen, such as -1e9: a row that sees nothing then attends to everything equally.
  /// Without it what is not seen is excluded, and `emptyRows` says what a row that sees nothing gives.
  std::optional<double> hiddenScore;
  EmptyRows emptyRows = EmptyRows::Zero;
};

struct AttentionConfig {
  int64_t width = 0, heads = 0;
  int64_t keyHeads = 0;  ///< fewer than heads: they are shared; 0: as many
  int64_t headWidth = 0; ///< 0: width / heads
  bool bias = true, outputBias = true;
  std::optional<double> scale; ///< of scores; 1 / sqrt(headWidth) unless set
  std::optional<RotaryConfig> rotary;
  std::string query = "query", key = "key", value = "value", output = "output"; ///< names of the projections
  std::string fused; ///< name of one projection for query, key and value, in this order, if set
};

/// Keys and values by head: [batch, key heads, length, head width].
struct KeyValue {
  mlir::Value key, value;
};

struct AttentionResult {
  mlir::Value result; ///< [batch, rows, width]
  KeyValue present;   ///< of `past` and of memory
};

/// Attention of the rows of x [batch, rows, width] over memory [batch, keys, width]: x itself for
/// self-attention. `past` comes before memory's keys and values.
AttentionResult attention(Scope scope, mlir::Value x, mlir::Value memory, const AttentionConfig &config,
                          const AttentionMask &mask, KeyValue past = {});

/// Attention without projections: weft.attention with a score region for the mask.
mlir::Value maskedAttention(GraphBuilder &graph, mlir::Value query, mlir::Value key, mlir::Value value,
                            double scale, const AttentionMask &mask);

} // namespace weft::layers

#endif // WEFT_FRONTEND_BUILDER_LAYERS_ATTENTION_H
