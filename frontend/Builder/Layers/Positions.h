// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Embeddings of tokens and positions, and rotary positions.
//
// `first` is the position of the first row, an i64 tensor of one element, where a part of a sequence is
// computed (after a cache of what came before); null: 0.
#ifndef WEFT_FRONTEND_BUILDER_LAYERS_POSITIONS_H
#define WEFT_FRONTEND_BUILDER_LAYERS_POSITIONS_H

#include "frontend/Builder/Weights.h"
#include <functional>

namespace weft::layers {

/// Rows of "weight" [rows, width] by token (or segment) ids.
mlir::Value embedding(Scope scope, mlir::Value ids, int64_t rows, int64_t width);

/// Rows of the weight `name`, as many as `x` [batch, length, ...] is long. Its shape is [longest, width],
/// with ones before it if `leadingOnes`.
mlir::Value learnedPositions(Scope scope, llvm::StringRef name, mlir::Value x, int64_t longest, int64_t width,
                             mlir::Value first = {}, int64_t leadingOnes = 0);

struct SinusoidConfig {
  int64_t width = 0;
  double base = 10000;
  /// Sines in even columns and cosines in odd ones; otherwise first all sines, then all cosines.
  bool interleaved = true;
  /// Rows of a table that is made when the model is built; 0: sines are computed when it runs, for any
  /// length.
  int64_t longest = 0;
  /// The frequency of a pair of columns; base^(-2 * pair / width) unless set.
  std::function<double(int64_t pair)> frequency;
};

/// Sinusoids [length, width] for the rows of `x` [batch, length, ...].
mlir::Value sinusoids(GraphBuilder &graph, mlir::Value x, const SinusoidConfig &config,
                      mlir::Value first = {});

struct RotaryConfig {
  int64_t width = 0; ///< how many of a head's channels are rotated, from the first on; even
  double base = 10000;
  /// Pairs are neighbours; otherwise channel i and i + width / 2.
  bool interleaved = false;
  int64_t longest = 0; ///< as of sinusoids
};

/// x [..., width] with pairs of its first channels rotated by angles whose cosines and sines [..., pairs]
/// broadcast to them. The rest of the channels stays.
mlir::Value rotateBy(GraphBuilder &graph, mlir::Value x, mlir::Value cosine, mlir::Value sine,
                     bool interleaved);

/// x [batch, heads, length, width] with each pair of channels rotated by its position.
mlir::Value rotate(GraphBuilder &graph, mlir::Value x, const RotaryConfig &config, mlir::Value first = {});

} // namespace weft::layers

#endif // WEFT_FRONTEND_BUILDER_LAYERS_POSITIONS_H
