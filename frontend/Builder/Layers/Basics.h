// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What layers are written with: sizes as values, reshapes, linear maps.
#ifndef WEFT_FRONTEND_BUILDER_LAYERS_BASICS_H
#define WEFT_FRONTEND_BUILDER_LAYERS_BASICS_H

#include "frontend/Builder/Weights.h"

namespace weft::layers {

/// The size of a dim, as an i64 tensor of one element.
mlir::Value sizeOf(GraphBuilder &graph, mlir::Value x, int64_t axis);
/// `first`, `first` + 1, ... `first` + `count` - 1, from i64 tensors of one element; `first` may be null: 0.
mlir::Value positions(GraphBuilder &graph, mlir::Value first, mlir::Value count);
/// Elements `start`, `start` + `step`, ... before `end` of an axis; end counts from the end of it if
/// negative.
mlir::Value slice(GraphBuilder &graph, mlir::Value x, int64_t axis, int64_t start, int64_t end,
                  int64_t step = 1);

/// [.., heads * width] of [batch, length, ...] as [batch, heads, length, width], and back.
mlir::Value splitHeads(GraphBuilder &graph, mlir::Value x, int64_t heads, int64_t width);
mlir::Value mergeHeads(GraphBuilder &graph, mlir::Value x, int64_t heads, int64_t width);

/// x times the transposed "weight" [to, from] plus "bias" [to], as torch.nn.Linear has them; or as
/// torch.nn.Conv1d with a kernel of 1 has them, whose weight is [to, from, 1].
mlir::Value linear(Scope scope, mlir::Value x, int64_t from, int64_t to, bool bias = true,
                   bool isConv = false);

} // namespace weft::layers

#endif // WEFT_FRONTEND_BUILDER_LAYERS_BASICS_H
