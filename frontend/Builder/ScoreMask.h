// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of attention's scores before the softmax, as tensors and numbers; written as a score region.
#ifndef WEFT_FRONTEND_BUILDER_SCOREMASK_H
#define WEFT_FRONTEND_BUILDER_SCOREMASK_H

#include "mlir/IR/Builders.h"
#include <optional>

namespace weft {

/// Scores are capped, a bias is added, and then they are left out wherever anything here says so. Values are
/// null where there is no such thing.
struct ScoreMask {
  double softcap = 0;   ///< softcap * tanh(score / softcap); 0: none
  mlir::Value seen;     ///< bools: which count; broadcasts to [batch, heads, rows, keys]
  mlir::Value bias;     ///< floats, added; broadcasts as well
  mlir::Value lengths;  ///< [batch, 1, 1, 1], integers: how many keys count
  mlir::Value position; ///< of the first row among the keys, integers of one element or [batch, 1, 1, 1]
  std::optional<int64_t> before, after; ///< how far from its position a row sees; they need `position`
  /// The score of what is left out, such as -1e9. Without it that is excluded.
  std::optional<double> hiddenScore;
  mlir::Value sink; ///< one score more of each row, of no key; as GraphBuilder::attention takes it

  /// Whether anything but a sink is there.
  bool changesScores() const { return softcap > 0 || !captures().empty(); }
  llvm::SmallVector<mlir::Value> captures() const;
  /// The score, and whether to keep it; a body of GraphBuilder::attention with these captures.
  std::pair<mlir::Value, mlir::Value> write(mlir::OpBuilder &body, mlir::Location location,
                                            mlir::ValueRange arguments) const;
};

} // namespace weft

#endif // WEFT_FRONTEND_BUILDER_SCOREMASK_H
