// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Import level to graph level.
#ifndef WEFT_COMPILER_GRAPH_GRAPHPIPELINE_H
#define WEFT_COMPILER_GRAPH_GRAPHPIPELINE_H

#include "mlir/Pass/PassManager.h"
#include <string>
#include <vector>

namespace weft {

struct GraphOptions {
  /// What the user said of dims: "batch=4", "seq=1..512" (DimOption.h).
  std::vector<std::string> dims;
  /// Whether to say, in remarks, why a softmax is no part of an attention.
  bool explainFusion = false;
  /// How many attentions there must be: a number, "all", or nothing.
  std::string requireFusion;
  /// How the weights of matrix products are stored: "f32" as they are, "bf16", "i8" with a scale per
  /// column, "i4" with one per 32 of a column, or "i2" where they are -s, 0 and s.
  std::string weightStorage = "f32";
  /// What products with weights are computed in: "f32"; "bf16", which each row is rounded to; "i8" or
  /// "i4", of which weights are made, and bytes of each row when it is known; or for GPUs "tf32".
  std::string precision = "f32";
  /// Whether weights that keep their type stay matrices, as GPUs multiply by, instead of panels.
  bool keepsMatrices = false;
  /// Columns of a panel of numbers that are multiplied in 32 bits or more: 16 where code is for AVX2 alone
  /// (PackWeights).
  int64_t panelColumns = 48;
  /// Bytes of weights from which on 16 bits hold those that lose nothing. What a core's cache holds is read
  /// as fast in 32, and need not be converted.
  int64_t shortFromBytes = 4 * 1024 * 1024;
  /// Whether kernels read through indices what is gathered for them: keys and values in lists of blocks, and
  /// a matrix for each row. On GPUs they do not.
  bool readsGathered = true;
  /// Positions that keys and values which a session keeps have room for; 0: they stay inputs and outputs.
  int64_t stateCapacity = 0;
  /// Most bytes that a constant made by folding may take. Transposed weights of Linear layers should fit.
  int64_t foldCapBytes = 16 * 1024 * 1024;
};

/// Adds the level's passes to a pass manager of modules.
void buildGraphPipeline(mlir::OpPassManager &pm, const GraphOptions &options = {});

/// Registers the level's passes, and the pipeline `weft-graph`.
void registerGraphPasses();

} // namespace weft

#endif // WEFT_COMPILER_GRAPH_GRAPHPIPELINE_H
