// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one way to make weft IR from C++: every importer goes through it too.
#ifndef WEFT_FRONTEND_BUILDER_GRAPHBUILDER_H
#define WEFT_FRONTEND_BUILDER_GRAPHBUILDER_H

#include "dialects/Weft/IR/Weft.h"
#include "frontend/Builder/ScoreMask.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace weft {

/// Builds one entry point of a module, at the import level.
///
/// Result types are inferred as operations are added. What an operation refuses (its numbered constraints) is
/// emitted as a diagnostic at its location; the value that comes back is then null, `failed()` is true from
/// there on, and operations on a null value are skipped, so that a front end may go on and report more.
///
///   GraphBuilder graph(context, "main");
///   Value x = graph.input("x", graph.f32(), {graph.symbol("batch"), graph.dim(64)});
///   Value w = graph.constant("w", {64, 8}, data);
///   graph.output("y", graph.relu(graph.matmul(x, w)));
///   OwningOpRef<ModuleOp> module = graph.finish();
class GraphBuilder {
public:
  GraphBuilder(mlir::MLIRContext *context, llvm::StringRef entry);

  mlir::MLIRContext *getContext() { return context; }
  bool failed() const { return hasFailed; }
  /// Marks the graph as failed, for errors that the front end itself reports.
  void fail() { hasFailed = true; }

  // Types and dims.
  mlir::Type f32() { return builder.getF32Type(); }
  mlir::Type i64() { return builder.getI64Type(); }
  mlir::Type boolean() { return builder.getI1Type(); }
  mlir::Type u8() { return builder.getIntegerType(8, /*isSigned=*/false); }
  Dim dim(int64_t size) { return Dim::constant(context, size); }
  Dim symbol(llvm::StringRef name) { return Dim::symbol(context, name); }

  /// Names the operations that follow; empty for none. The name is what diagnostics call the node.
  void setNode(llvm::StringRef name, llvm::StringRef opType = "");
  mlir::Location getLocation() { return location; }

  // The graph's edges.
  mlir::Value input(llvm::StringRef name, mlir::Type element, llvm::ArrayRef<Dim> dims);
  void output(llvm::StringRef name, mlir::Value value);
  /// Ends the graph; null if anything failed. The builder is not used afterwards.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

  // Constants.
  mlir::Value constant(mlir::RankedTensorType type, mlir::Attribute value);
  mlir::Value constant(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<float> data);
  mlir::Value constant(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> data);
  mlir::Value scalar(float value) { return constant({}, llvm::ArrayRef<float>(value)); }
  mlir::Value scalar(int64_t value) { return constant({}, llvm::ArrayRef<int64_t>(value)); }
  /// A rank-1 constant, as shapes are given.
  mlir::Value vector(llvm::ArrayRef<int64_t> values) { return constant({int64_t(values.size())}, values); }

  /// Adds an operation of one result, whose type is inferred. Null if an operand is null or a constraint does
  /// not hold.
  mlir::Value add(llvm::StringRef name, mlir::ValueRange operands,
                  llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

  /// The same of an operation that is described already, such as one with a region.
  mlir::Value add(mlir::OperationState &state);

  // The operations that models are written with; each as the operation of its name says.
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs) { return add("weft.matmul", {lhs, rhs}); }
  /// `bias` may be null; `pads` holds all begins, then all ends.
  mlir::Value conv(mlir::Value input, mlir::Value filter, mlir::Value bias, llvm::ArrayRef<int64_t> strides,
                   llvm::ArrayRef<int64_t> pads, llvm::ArrayRef<int64_t> dilations, int64_t groups);
  mlir::Value addition(mlir::Value lhs, mlir::Value rhs) { return add("weft.add", {lhs, rhs}); }
  mlir::Value subtract(mlir::Value lhs, mlir::Value rhs) { return add("weft.sub", {lhs, rhs}); }
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs) { return add("weft.mul", {lhs, rhs}); }
  mlir::Value divide(mlir::Value lhs, mlir::Value rhs) { return add("weft.div", {lhs, rhs}); }
  mlir::Value negate(mlir::Value input) { return add("weft.neg", {input}); }
  mlir::Value sqrt(mlir::Value input) { return add("weft.sqrt", {input}); }
  mlir::Value sin(mlir::Value input) { return add("weft.sin", {input}); }
  mlir::Value cos(mlir::Value input) { return add("weft.cos", {input}); }
  mlir::Value tanh(mlir::Value input) { return add("weft.tanh", {input}); }
  mlir::Value sigmoid(mlir::Value input) { return add("weft.sigmoid", {input}); }
  mlir::Value relu(mlir::Value input) { return add("weft.relu", {input}); }
  mlir::Value gelu(mlir::Value input, GeluForm form = GeluForm::Erf);
  mlir::Value where(mlir::Value condition, mlir::Value thenValue, mlir::Value elseValue);
  mlir::Value compare(ComparePredicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value cast(mlir::Value input, mlir::Type to);
  mlir::Value bitcast(mlir::Value input, mlir::Type to);
  mlir::Value reduce(ReduceKind kind, mlir::Value input, llvm::ArrayRef<int64_t> axes, bool keepdims);
  mlir::Value cumulative(ReduceKind kind, mlir::Value input, int64_t axis, bool exclusive = false,
                         bool reverse = false);
  mlir::Value softmax(mlir::Value input, int64_t axis);
  mlir::Value logSoftmax(mlir::Value input, int64_t axis);
  mlir::Value layerNorm(mlir::Value input, mlir::Value scale, mlir::Value bias, int64_t axis, float epsilon);
  mlir::Value rmsNorm(mlir::Value input, mlir::Value scale, int64_t axis, float epsilon);
  /// What a score region computes: the score to use and whether to keep it, from the scaled score, four
  /// indices (batch, head, row, column) and an element of each capture.
  using ScoreBody = llvm::function_ref<std::pair<mlir::Value, mlir::Value>(
      mlir::OpBuilder &body, mlir::Location location, mlir::ValueRange arguments)>;
  /// `weights`, if it is given, becomes the probabilities. `sink`, if it is not null, is a score of each row
  /// that no key has: of the type of scores, it broadcasts to [batch, heads, rows, 1].
  mlir::Value attention(mlir::Value query, mlir::Value key, mlir::Value value, double scale,
                        EmptyRows emptyRows, mlir::ValueRange captures = {}, ScoreBody score = nullptr,
                        mlir::Value *weights = nullptr, mlir::Value sink = nullptr);
  /// The same with a score region that a mask writes, if it says anything.
  mlir::Value attention(mlir::Value query, mlir::Value key, mlir::Value value, double scale,
                        EmptyRows emptyRows, const ScoreMask &mask, mlir::Value *weights = nullptr);
  /// weft.linear_attention without its gates, if they are null; all in f32 or all in f64. `state` becomes
  /// what it is behind the last position.
  mlir::Value linearAttention(mlir::Value query, mlir::Value key, mlir::Value value, mlir::Value &state,
                              mlir::Value decay, mlir::Value rate);
  mlir::Value shape(mlir::Value input);
  mlir::Value shape(mlir::Value input, int64_t start, int64_t end);
  mlir::Value reshape(mlir::Value input, mlir::Value shape, bool allowZero = false);
  mlir::Value reshape(mlir::Value input, llvm::ArrayRef<int64_t> shape) {
    return reshape(input, vector(shape));
  }
  mlir::Value squeeze(mlir::Value input, llvm::ArrayRef<int64_t> axes);
  mlir::Value unsqueeze(mlir::Value input, llvm::ArrayRef<int64_t> axes);
  mlir::Value transpose(mlir::Value input, llvm::ArrayRef<int64_t> permutation);
  mlir::Value concat(mlir::ValueRange inputs, int64_t axis);
  mlir::Value slice(mlir::Value input, mlir::Value starts, mlir::Value ends, mlir::Value steps,
                    llvm::ArrayRef<int64_t> axes);
  mlir::Value expand(mlir::Value input, mlir::Value shape) { return add("weft.expand", {input, shape}); }
  mlir::Value tile(mlir::Value input, mlir::Value repeats) { return add("weft.tile", {input, repeats}); }
  mlir::Value trilu(mlir::Value input, bool upper, int64_t diagonal);
  mlir::Value range(mlir::Value start, mlir::Value limit, mlir::Value delta);
  mlir::Value gather(mlir::Value data, mlir::Value indices, int64_t axis);
  mlir::Value scatterElements(ScatterKind kind, mlir::Value data, mlir::Value indices, mlir::Value updates,
                              int64_t axis);

  /// What an iteration computes, from its number, a scalar of i64, and the states: the states that follow,
  /// and then what it leaves behind. Nothing after an error, which has been reported.
  using LoopBody = llvm::function_ref<std::optional<llvm::SmallVector<mlir::Value>>(mlir::Value iteration,
                                                                                    mlir::ValueRange states)>;
  /// A weft.loop, whose body may read all values there are. Its results: the last states, and what iterations
  /// left behind, stacked along a new first dim. None after an error.
  llvm::SmallVector<mlir::Value> loop(mlir::Value trips, mlir::ValueRange states, LoopBody body);

private:
  /// Gives an operation's results the types that its inference says, and verifies it.
  mlir::LogicalResult settleTypes(mlir::Operation *operation);
  /// The same as one that is described; `body` has been built. Null after an error.
  LoopOp addLoop(mlir::Location location, mlir::Value trips, mlir::ValueRange states, mlir::Region &body);

  /// Follows integers that constants and ranks decide: shape arithmetic says the ranks of what is reshaped.
  class Inference : public InferContext {
  public:
    std::optional<llvm::SmallVector<Dim>> elements(mlir::Value value) override;
    /// Keeps what is known of the first result of an operation that has its types.
    void follow(mlir::Operation *op);

  private:
    llvm::DenseMap<mlir::Value, llvm::SmallVector<Dim>> known;
  };

  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  llvm::SmallVector<std::pair<std::string, mlir::Value>> outputs;
  Inference inference;
  mlir::Operation *outermostLoop = nullptr; ///< that is being built
  bool hasFailed = false;
};

} // namespace weft

#endif // WEFT_FRONTEND_BUILDER_GRAPHBUILDER_H
