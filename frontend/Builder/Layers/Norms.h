// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms over the last dim.
#ifndef WEFT_FRONTEND_BUILDER_LAYERS_NORMS_H
#define WEFT_FRONTEND_BUILDER_LAYERS_NORMS_H

#include "frontend/Builder/Weights.h"

namespace weft::layers {

enum class NormKind {
  Layer,          ///< (x - mean) / sqrt(biased variance + epsilon) * weight + bias
  RootMeanSquare, ///< x / sqrt(mean of squares + epsilon) * weight; no bias
  /// weight * (x - mean) / (sqrt(unbiased variance) + epsilon) + bias: home-made in many tutorials, and no
  /// LayerNorm: the variance is divided by one less, epsilon is outside of the root.
  UnbiasedDeviation,
};

struct NormConfig {
  NormKind kind = NormKind::Layer;
  float epsilon = 1e-5f;
};

/// Weights: "weight" and "bias" [width].
mlir::Value norm(Scope scope, mlir::Value x, int64_t width, const NormConfig &config);

} // namespace weft::layers

#endif // WEFT_FRONTEND_BUILDER_LAYERS_NORMS_H
