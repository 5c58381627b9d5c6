// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feed-forward blocks.
#ifndef WEFT_FRONTEND_BUILDER_LAYERS_FEEDFORWARD_H
#define WEFT_FRONTEND_BUILDER_LAYERS_FEEDFORWARD_H

#include "frontend/Builder/Weights.h"

namespace weft::layers {

enum class Activation { Relu, GeluErf, GeluTanh, Silu };

mlir::Value activate(GraphBuilder &graph, mlir::Value x, Activation activation);

struct FeedForwardConfig {
  int64_t width = 0, hidden = 0;
  Activation activation = Activation::Relu;
  bool bias = true;
  bool gated = false;  ///< activation(gate(x)) * expand(x): with Silu that is SwiGLU
  bool isConv = false; ///< weights of Conv1d with a kernel of 1
  std::string expand = "expand", contract = "contract", gate = "gate"; ///< names of the linear maps
};

/// contract(activation(expand(x))).
mlir::Value feedForward(Scope scope, mlir::Value x, const FeedForwardConfig &config);

} // namespace weft::layers

#endif // WEFT_FRONTEND_BUILDER_LAYERS_FEEDFORWARD_H
