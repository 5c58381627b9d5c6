// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics of the graph level: they name the model's node, and end with a stable id.
#ifndef WEFT_COMPILER_GRAPH_NODEERRORS_H
#define WEFT_COMPILER_GRAPH_NODEERRORS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

namespace weft::graph {

/// `node "/layers.3/attn/Softmax" (Softmax-13)`, or with the operation's name where the model gave no kind.
std::string describeNode(mlir::Operation *op);

/// Ids of this level's errors.
namespace errors {
constexpr llvm::StringLiteral kImpossible = "weft-0200";   ///< a relation of dims that cannot hold
constexpr llvm::StringLiteral kUnknownShape = "weft-0201"; ///< a rank or dim that is not known
constexpr llvm::StringLiteral kDataShape = "weft-0202";    ///< a shape that depends on data
constexpr llvm::StringLiteral kNoLowering = "weft-0203";   ///< an operation or form without a lowering
constexpr llvm::StringLiteral kDimOption = "weft-0204";    ///< a size given to a dim that does not fit
constexpr llvm::StringLiteral kFusion = "weft-0205";       ///< fewer attentions than the user requires
} // namespace errors

/// And of its warnings.
namespace warnings {
constexpr llvm::StringLiteral kNoState = "weft-0206";       ///< no input is one that a session can keep
constexpr llvm::StringLiteral kStateDeclined = "weft-0207"; ///< an input that a session cannot keep, and why
constexpr llvm::StringLiteral kNoShortWeight =
    "weft-0208"; ///< no weight is one that can be stored in fewer bits, or computed with
} // namespace warnings

/// Emits `NODE: MESSAGE; HINT [ID]` at the operation; the hint may be empty.
void emitNodeError(mlir::Operation *op, const llvm::Twine &message, const llvm::Twine &hint,
                   llvm::StringRef id);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_NODEERRORS_H
