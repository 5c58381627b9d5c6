// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encoder and decoder layers, and stacks of them.
#ifndef WEFT_FRONTEND_BUILDER_LAYERS_STACKS_H
#define WEFT_FRONTEND_BUILDER_LAYERS_STACKS_H

#include "frontend/Builder/Layers/Attention.h"
#include "frontend/Builder/Layers/FeedForward.h"
#include "frontend/Builder/Layers/Norms.h"

namespace weft::layers {

/// Where norms are: before each block, x + block(norm(x)), or after it, norm(x + block(x)).
enum class NormPlace { Before, After };

/// One layer. Its norms are "norm1", "norm2" and, with cross attention, "norm3", in the order of its blocks.
struct LayerConfig {
  AttentionConfig attention; ///< of self and cross attention alike
  FeedForwardConfig feedForward;
  NormConfig norm;
  NormPlace normPlace = NormPlace::Before;
  std::string selfName = "attention", crossName = "cross_attention", feedForwardName = "feed_forward";
};

/// What a layer sees besides its own rows.
struct Surroundings {
  AttentionMask mask; ///< of self-attention
  mlir::Value memory; ///< for cross attention, if there is any
  AttentionMask crossMask;
};

/// Self-attention, cross attention if there is memory, feed-forward. `present`, if it is not null, gets what
/// `past` and x give self-attention as keys and values.
mlir::Value layer(Scope scope, mlir::Value x, const LayerConfig &config, const Surroundings &surroundings,
                  KeyValue past = {}, KeyValue *present = nullptr);

/// Layers "0", "1", ... one after the other. `past` is empty, or has an entry for each layer; `present`, if
/// it is not null, gets one for each.
mlir::Value stack(Scope scope, mlir::Value x, int64_t layers, const LayerConfig &config,
                  const Surroundings &surroundings, llvm::ArrayRef<KeyValue> past = {},
                  llvm::SmallVectorImpl<KeyValue> *present = nullptr);

} // namespace weft::layers

#endif // WEFT_FRONTEND_BUILDER_LAYERS_STACKS_H
