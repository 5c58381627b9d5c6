// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator: what operations and functions of the import and graph levels mean, in numbers.
//
// It is the truth that passes are tested against: sums in f64, each operation rounded once to its element
// type, nothing optimised, nothing shared with the compiler.
#ifndef WEFT_DIALECTS_WEFT_EVALUATE_EVALUATE_H
#define WEFT_DIALECTS_WEFT_EVALUATE_EVALUATE_H

#include "dialects/Weft/Evaluate/Tensor.h"
#include "dialects/Weft/IR/Dims.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/StringMap.h"

namespace weft {

class MatmulOp;

/// What is known in one run: the sizes that dim symbols stand for.
class EvaluateContext {
public:
  std::optional<int64_t> symbol(llvm::StringRef name) const;
  /// Gives a symbol its value, if it has none yet.
  void bind(llvm::StringRef name, int64_t value) { symbols.try_emplace(name, value); }

  /// The value of an expression; nothing, and why, if a symbol has none or it cannot be computed.
  std::optional<int64_t> value(Dim dim, std::string *error = nullptr) const;
  /// The same, with an error on `op`.
  llvm::FailureOr<int64_t> value(mlir::Operation *op, Dim dim) const;
  /// The shape that the type of the result says; an error on `op` if it does not say all of it.
  llvm::FailureOr<Shape> declaredShape(mlir::Operation *op) const;

  /// Gives symbols that stand alone as dims of `type` the sizes that a tensor of the type has.
  void bindSymbols(mlir::Type type, llvm::ArrayRef<int64_t> shape);
  /// The same with the inputs of a function, whose elements may give symbols their values, too, and with what
  /// is defined by those. An error on the function where an element that has to be a size is negative.
  llvm::LogicalResult bindInputs(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs);
  /// Why a tensor is not of the type, as far as symbols are known; empty if it is.
  std::string mismatch(mlir::Type type, const Tensor &tensor) const;

private:
  bool bindElements(mlir::ArrayAttr elements, const Tensor &input);

  llvm::StringMap<int64_t> symbols;
};

/// Called with each operation and its results.
using EvaluateTrace = llvm::function_ref<void(mlir::Operation *, llvm::ArrayRef<Tensor>)>;

/// Runs a function. Binds dim symbols to the sizes of the inputs, and checks the inputs against the
/// arguments' types and the function's guards. Inputs that other functions of the module compute
/// (weft.computed_by) are computed where they are not given. Errors are diagnostics on the function or the
/// operation that fails.
llvm::FailureOr<llvm::SmallVector<Tensor>>
evaluateFunction(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> inputs, EvaluateTrace trace = {});

/// The inputs with those behind them that other functions of the module compute, as far as they are missing.
llvm::FailureOr<llvm::SmallVector<Tensor>> completeInputs(mlir::func::FuncOp function,
                                                          llvm::ArrayRef<Tensor> given);

/// The results of one operation. Symbols that stand alone in their types and are unknown get their value from
/// them; a result that disagrees with its type is an error.
llvm::FailureOr<llvm::SmallVector<Tensor>>
evaluateOperation(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, EvaluateContext &context);

/// What the terminator of a block has, with these values for the block's arguments.
llvm::FailureOr<llvm::SmallVector<Tensor>> evaluateBlock(mlir::Block &block, llvm::ArrayRef<Tensor> inputs,
                                                         EvaluateContext &context, EvaluateTrace trace = {});

/// The matrix that a matmul's right-hand side is, or stands for where it is packed.
llvm::FailureOr<Tensor> evaluateRhs(MatmulOp op, const Tensor &lhs, const Tensor &rhs);
/// The same of all matrices.
llvm::FailureOr<Tensor> evaluateRhs(RoutedMatmulOp op, const Tensor &input, const Tensor &weights);

/// Attaches the models of EvaluateInterface to the operations of the dialect.
void registerEvaluateModels(mlir::DialectRegistry &registry);

} // namespace weft

#include "dialects/Weft/Evaluate/EvaluateInterface.h.inc"

#endif // WEFT_DIALECTS_WEFT_EVALUATE_EVALUATE_H
