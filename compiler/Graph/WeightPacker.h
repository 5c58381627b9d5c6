// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes panels of a constant matrix.
#ifndef WEFT_COMPILER_GRAPH_WEIGHTPACKER_H
#define WEFT_COMPILER_GRAPH_WEIGHTPACKER_H

#include "compiler/Graph/MatrixWeights.h"

namespace weft::graph {

/// A weight as matmuls take it: panels, what sums of i8 have to be multiplied by, and how groups lie in
/// words.
struct PackedWeight {
  mlir::Value panels, scale;
  WeightGroupsAttr groups;
};

/// What can be made of a weight.
struct PackingChoices {
  bool keepsMatrices; ///< what keeps its type is not packed
  bool scalesSums;    ///< an epilogue can scale the sums; otherwise the scales of i8 lie beside the numbers
  bool hasBF16;       ///< a kernel can tell bf16 from what else it reads
  bool shortens;      ///< what would stay f32 takes 16 bits, if they hold each number
  int64_t panelColumns =
      MatmulOp::kPanelColumns; ///< where elements have 32 bits or more, however numbers are stored
};

/// A weight stored as `storage`, "f32", "bf16", "i8", "i4" or "i2", if it can be and is of f32, at the start
/// of a block, so that every product there can share it. Null panels: it stays a matrix.
mlir::FailureOr<PackedWeight> packWeight(mlir::Block &body, const MatrixWeight &weight,
                                         llvm::StringRef storage, PackingChoices choices);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_WEIGHTPACKER_H
