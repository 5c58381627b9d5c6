// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The world of weft-infer-shapes: contents followed from operation to operation, symbols, guards.
#ifndef WEFT_COMPILER_GRAPH_GRAPHINFERENCE_H
#define WEFT_COMPILER_GRAPH_GRAPHINFERENCE_H

#include "compiler/Graph/DimSolutions.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace weft::graph {

/// Of an operation, between weft-infer-shapes and weft-compute-sizes-first: the results that sizes depend on,
/// of which nothing is known before they are computed.
constexpr llvm::StringLiteral kDecidesSizes = "weft.decides_sizes";

class GraphInference : public InferContext {
public:
  /// Knows the symbols that the function uses, so that new ones differ, and the guards that it has already.
  explicit GraphInference(mlir::func::FuncOp function);

  std::optional<llvm::SmallVector<Dim>> elements(mlir::Value value) override;
  bool isElement(Dim dim) const override { return elementPlaces.contains(dim.getAttr()); }
  Dim fresh() override;
  void guard(mlir::Operation *op, Relation relation, Dim left, Dim right) override;

  /// Keeps what is known of a value's elements, if they are as many as its type says and fit its element
  /// type.
  void setContents(mlir::Value value, llvm::ArrayRef<Dim> elements);
  /// To be called before `from` is replaced and erased: another value may come to lie where it was.
  void moveContents(mlir::Value from, mlir::Value to);
  /// A new symbol with this name, or one like it.
  Dim makeSymbol(llvm::StringRef name);
  /// Says what a symbol is that an operation's declared type brought in, unless an input gives it a size.
  void define(llvm::StringRef symbol, Dim value) { hasNews |= solutions.define(symbol, value); }
  /// Gives the inputs that a short integer value is computed from symbols for their elements, which become
  /// known in the next walk: sizes depend on them. What is computed otherwise is one of `getDeciding`.
  void followInputsOf(mlir::Value value);
  /// Integers that sizes depend on, of which nothing is known before they are computed.
  llvm::ArrayRef<mlir::OpResult> getDeciding() const { return deciding.getArrayRef(); }
  /// The same dim, or a symbol that is defined to be it, if elements of inputs decide it and it is long.
  Dim abbreviate(Dim dim);
  /// Guards that a dim which elements of inputs decide is not negative.
  void requireNotNegative(mlir::Operation *op, Dim dim);
  /// With each broadcast that a guard says to be one of its dims replaced by that.
  Dim simplify(Dim dim) const;
  /// Puts what was found out about symbols since the last call into all dims; false if that was nothing.
  bool applyNews();
  /// The guards, each relation once, in the order in which nodes ask for them.
  mlir::ArrayAttr getGuards();
  /// Whether a guard cannot hold; the error was emitted.
  bool failed() const { return hasFailed; }

private:
  bool isSaid(mlir::Value value);
  bool isComputed(mlir::Operation *op);
  bool staysIn32Bits(mlir::Value value, llvm::ArrayRef<Dim> elements);
  void addGuard(GuardAttr guard);
  bool noteBroadcast(GuardAttr guard);
  void assumeOrder();
  void nameElements(mlir::BlockArgument input);
  void noteElements(mlir::BlockArgument input);
  void settleSign(Dim dim);
  void noteDefinitions();
  Dim symbolFor(Dim dim);
  bool dependsOnElements(Dim dim) const;
  void require(mlir::Operation *op, Relation relation, Dim left, Dim right);

  mlir::func::FuncOp function;
  DimSolutions solutions;
  llvm::StringSet<> symbols, elementSymbols;
  llvm::SmallDenseMap<DimAttr, std::pair<unsigned, unsigned>> elementPlaces; ///< input and element
  llvm::SmallDenseMap<DimAttr, Dim> definitions; ///< what is not negative, with the symbol for it
  llvm::DenseSet<mlir::Value> followed, followedAsWhole;
  llvm::SetVector<mlir::OpResult> deciding;
  unsigned nextFresh = 0;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Dim>> known;
  llvm::SmallVector<mlir::Attribute> guards;
  llvm::DenseSet<std::tuple<Relation, DimAttr, DimAttr>> guarded;
  std::optional<Assumptions> assumptions; ///< what the guards of order say
  llvm::SmallDenseMap<DimAttr, Dim> broadcasts;
  bool hasNews = false;
  bool hasFailed = false;
};

/// Calls `visit` with the name of each symbol that a type or attribute mentions.
void walkSymbols(mlir::Type type, llvm::function_ref<void(llvm::StringRef)> visit);
void walkSymbols(mlir::Attribute attribute, llvm::function_ref<void(llvm::StringRef)> visit);
/// The same with those that a function, its operations and their results mention.
void walkSymbols(mlir::func::FuncOp function, llvm::function_ref<void(llvm::StringRef)> visit);
/// The same with the symbols that elements of inputs give values to, or that are defined.
void walkElementSymbols(mlir::func::FuncOp function, llvm::function_ref<void(llvm::StringRef)> visit);
/// The symbols that inputs give a value to: those that stand alone as a dim, or are of an element, and what
/// these define.
llvm::StringSet<> getGivenSymbols(mlir::func::FuncOp function);
/// The model's name of an input, or one after its number.
std::string getInputName(mlir::func::FuncOp function, unsigned number);
/// Drops definitions that nothing uses, since earlier walks define symbols for what later ones know in
/// another way, and has each come after those that it is made of.
void settleDefinitions(mlir::func::FuncOp function);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_GRAPHINFERENCE_H
