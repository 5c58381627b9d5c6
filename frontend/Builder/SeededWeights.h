// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random weights, for models that are measured and not trained.
#ifndef WEFT_FRONTEND_BUILDER_SEEDEDWEIGHTS_H
#define WEFT_FRONTEND_BUILDER_SEEDEDWEIGHTS_H

#include "frontend/Builder/Weights.h"
#include "llvm/ADT/MapVector.h"

namespace weft {

/// Draws each weight from its name and a seed, so that it does not depend on which others are asked for:
/// matrices about as torch.nn.Linear draws them, other weights near 0, weights of norms near 1.
class SeededWeights : public Weights {
public:
  explicit SeededWeights(uint64_t seed) : seed(seed) {}
  mlir::Value get(GraphBuilder &graph, llvm::StringRef name, llvm::ArrayRef<int64_t> shape) override;

  /// Writes all weights that were asked for as an uncompressed .npz file, for others to load.
  llvm::Error save(llvm::StringRef path) const;

private:
  struct Weight {
    llvm::SmallVector<int64_t> shape;
    std::vector<float> values;
    mlir::Attribute handle; ///< one for all who ask, so that equal computations are seen to be equal
  };
  uint64_t seed;
  llvm::MapVector<mlir::StringAttr, Weight> weights;
};

} // namespace weft

#endif // WEFT_FRONTEND_BUILDER_SEEDEDWEIGHTS_H
