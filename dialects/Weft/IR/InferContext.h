// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the inference of one operation may ask: known integer contents, fresh symbols, guards.
#ifndef WEFT_DIALECTS_WEFT_IR_INFERCONTEXT_H
#define WEFT_DIALECTS_WEFT_IR_INFERCONTEXT_H

#include "dialects/Weft/IR/Dims.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace weft {

enum class Relation : uint32_t;

/// Contents longer than this are not followed: shapes are short.
constexpr int64_t kMaxKnownElements = 64;

/// Whether it is a ranked tensor of static shape and at most so many elements.
bool isShort(mlir::Type type);

/// The world of one inference. This base class is the verifier's: it knows only what constants say, makes no
/// symbols and keeps no guards. The builder and weft-infer-shapes refine it.
class InferContext {
public:
  virtual ~InferContext() = default;

  /// The elements of a short tensor as expressions, row-major, if something is known of them; one that is not
  /// is null. Of floats only integers are known, as if arithmetic with them were exact (ExactFloats.h).
  virtual std::optional<llvm::SmallVector<Dim>> elements(mlir::Value value);
  /// The same if all elements are known.
  std::optional<llvm::SmallVector<Dim>> contents(mlir::Value value);
  /// Whether it is an element of an input, which may be any integer.
  virtual bool isElement(Dim dim) const { return false; }
  /// A dim of which nothing is known; the null Dim where no symbols are made.
  virtual Dim fresh() { return Dim(); }
  /// Records that `op` relies on a relation that is not provable.
  virtual void guard(mlir::Operation *op, Relation relation, Dim left, Dim right) {}
};

/// The dims of a ranked tensor or memref type: constants, the encoding's expressions, or null for unknown
/// ones.
llvm::SmallVector<Dim> getDims(mlir::ShapedType type);
/// The dims of a value, or nothing if it is unranked.
std::optional<llvm::SmallVector<Dim>> getDims(mlir::Value value);
/// The tensor type of these dims; encoded if some dim is symbolic and none is null.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<Dim> dims, mlir::Type element);
/// The same with null dims made fresh.
mlir::RankedTensorType getTensorType(InferContext &context, llvm::SmallVector<Dim> dims, mlir::Type element);
/// Known dims as an attribute.
DimsAttr getDimsAttr(mlir::MLIRContext *context, llvm::ArrayRef<Dim> dims);
/// The type for people: "batch x 512 x f32".
std::string describeType(mlir::Type type);

/// The dim that two broadcast dims make, guarded if need be; nothing if they are constants that do not fit.
std::optional<Dim> broadcastDims(InferContext &context, mlir::Operation *op, Dim left, Dim right);
/// The shape that broadcast shapes make (NumPy's rules), or an error on `op` that starts with `constraint`.
mlir::FailureOr<llvm::SmallVector<Dim>> broadcastShapes(InferContext &context, mlir::Operation *op,
                                                        llvm::ArrayRef<llvm::SmallVector<Dim>> shapes,
                                                        llvm::StringRef constraint);
/// Whether a shape broadcasts to another without enlarging it, as far as constants and equal expressions
/// tell.
bool provablyBroadcastsTo(llvm::ArrayRef<Dim> shape, llvm::ArrayRef<Dim> to);
/// Requires two dims to be equal: true if provable or guarded, false if they are different constants.
bool requireEqual(InferContext &context, mlir::Operation *op, Dim left, Dim right);
/// Guards that a dim is another, or 1, unless that is certain.
void guardBroadcastTo(InferContext &context, mlir::Operation *op, Dim from, Dim to);
/// True if the shapes have one rank and provably equal dims.
bool provablyEqualShapes(llvm::ArrayRef<Dim> left, llvm::ArrayRef<Dim> right);
/// How many dims `from` and `to` begin with that have the same product, as few as possible; 0 and 0 if no
/// such beginnings are found.
std::pair<size_t, size_t> matchDims(llvm::ArrayRef<Dim> from, llvm::ArrayRef<Dim> to);

/// Verifies an operation: its results have the types that its inference gives, where both are known.
llvm::LogicalResult verifyInferredTypes(mlir::Operation *op);
/// Whether a declared type agrees with an inferred one, where both are known.
bool agree(mlir::Type declared, mlir::Type inferred);

// Inference shared by the operations of a family.
llvm::LogicalResult inferUnary(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Type> &types);
llvm::LogicalResult inferBinary(mlir::Operation *op, InferContext &context,
                                llvm::SmallVectorImpl<mlir::Type> &types);
std::optional<llvm::SmallVector<Dim>> inferBinaryContents(mlir::Operation *op, InferContext &context);
std::optional<llvm::SmallVector<Dim>> inferUnaryContents(mlir::Operation *op, InferContext &context);
llvm::LogicalResult inferSoftmax(mlir::Operation *op, int64_t axis, llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_INFERCONTEXT_H
