// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives every value a shape, and turns import forms into graph forms.
#include "compiler/Graph/ConstantEvaluation.h"
#include "compiler/Graph/GraphForms.h"
#include "compiler/Graph/GraphInference.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_INFERSHAPES
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Names the unknown dims of arguments after the model's inputs.
static void nameArguments(func::FuncOp function) {
  GraphInference context(function);
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    auto given = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kName);
    std::string name = given ? given.str() : "arg" + std::to_string(argument.getArgNumber());
    SmallVector<Dim> dims = getDims(type);
    for (auto [i, dim] : llvm::enumerate(dims))
      if (!dim)
        dim = context.makeSymbol(name + "." + std::to_string(i));
    argument.setType(getTensorType(dims, type.getElementType()));
  }
}

//===----------------------------------------------------------------------===//
// Sizes given by the user
//===----------------------------------------------------------------------===//

/// Parses "batch=4".
static LogicalResult parseBinding(func::FuncOp function, StringRef text, llvm::StringMap<int64_t> &bindings) {
  auto [name, value] = text.rsplit('=');
  int64_t size;
  if (name.empty() || value.getAsInteger(10, size) || size < 0)
    return emitError(function.getLoc())
           << "option --dim: expects NAME=SIZE, got \"" << text << "\" [" << errors::kDimOption << "]";
  if (auto [it, inserted] = bindings.try_emplace(name, size); !inserted && it->second != size)
    return emitError(function.getLoc()) << "option --dim: \"" << name << "\" is given as " << it->second
                                        << " and as " << size << " [" << errors::kDimOption << "]";
  return success();
}

/// The type with sizes in place of symbols: a dim that becomes a number becomes static.
static RankedTensorType bindType(RankedTensorType type, const llvm::StringMap<int64_t> &bindings) {
  if (!isa_and_present<DimsAttr>(type.getEncoding()))
    return type;
  SmallVector<Dim> dims = getDims(type);
  for (Dim &dim : dims)
    dim = dim.substitute([&](StringRef name) {
      auto it = bindings.find(name);
      return it == bindings.end() ? Dim() : Dim::constant(type.getContext(), it->second);
    });
  return getTensorType(dims, type.getElementType());
}

static LogicalResult bindDims(func::FuncOp function, ArrayRef<std::string> texts) {
  llvm::StringMap<int64_t> bindings;
  for (StringRef text : texts)
    if (failed(parseBinding(function, text, bindings)))
      return failure();
  if (bindings.empty())
    return success();
  llvm::SetVector<StringRef> symbols;
  for (Type type : function.front().getArgumentTypes())
    walkSymbols(type, [&](StringRef name) { symbols.insert(name); });
  for (auto &binding : bindings)
    if (!symbols.contains(binding.getKey()))
      return emitError(function.getLoc())
             << "option --dim: no input has a dim \"" << binding.getKey() << "\"; dims are \""
             << llvm::join(symbols, "\", \"") << "\" [" << errors::kDimOption << "]";
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DimAttr dim) -> std::pair<Attribute, WalkResult> {
    auto type = bindType(getTensorType({Dim(dim)}, IntegerType::get(dim.getContext(), 1)), bindings);
    return {getDims(type).front().getAttr(), WalkResult::skip()};
  });
  replacer.addReplacement([&](RankedTensorType type) -> std::pair<Type, WalkResult> {
    return {bindType(type, bindings), WalkResult::skip()};
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// What was declared, where inference only knows less: a dim that it had to make up.
static Type preferDeclared(Type declared, Type inferred, const llvm::StringSet<> &made) {
  auto known = dyn_cast<RankedTensorType>(declared), type = dyn_cast<RankedTensorType>(inferred);
  if (!known || !type || known.getRank() != type.getRank())
    return !type && known ? declared : inferred;
  SmallVector<Dim> dims = getDims(type);
  for (auto [dim, other] : llvm::zip(dims, getDims(known)))
    if (other && dim.getSymbol() && made.contains(*dim.getSymbol()))
      dim = other;
  return getTensorType(dims, type.getElementType());
}

namespace {
/// Notes which symbols the inference of one operation made up.
class OneOperation : public InferContext {
public:
  explicit OneOperation(GraphInference &world) : world(world) {}
  std::optional<SmallVector<Dim>> contents(Value value) override { return world.contents(value); }
  void guard(Operation *op, Relation relation, Dim left, Dim right) override {
    world.guard(op, relation, left, right);
  }
  Dim fresh() override {
    Dim dim = world.fresh();
    made.insert(*dim.getSymbol());
    return dim;
  }
  llvm::StringSet<> made;

private:
  GraphInference &world;
};

struct InferShapes : graph::impl::InferShapesBase<InferShapes> {
  using InferShapesBase::InferShapesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    nameArguments(function);
    if (failed(bindDims(function, dims)))
      return signalPassFailure();
    GraphInference context(function);
    for (Operation &op : llvm::make_early_inc_range(function.getOps()))
      if (failed(visit(&op, context)) || context.failed())
        return signalPassFailure();
    eraseDead(function);
    auto *end = function.front().getTerminator();
    function.setType(
        FunctionType::get(&getContext(), function.front().getArgumentTypes(), end->getOperandTypes()));
    if (ArrayAttr guards = context.getGuards(); !guards.empty())
      function->setAttr(names::kGuards, guards);
    else
      function->removeAttr(names::kGuards);
  }

private:
  LogicalResult visit(Operation *op, GraphInference &context);
  void eraseDead(func::FuncOp function) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace

LogicalResult InferShapes::visit(Operation *op, GraphInference &context) {
  auto infer = dyn_cast<InferInterface>(op);
  if (!infer)
    return success();
  OneOperation here(context);
  SmallVector<Type> types;
  if (failed(infer.inferTypes(here, types)))
    return failure();
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    result.setType(preferDeclared(result.getType(), type, here.made));
  FailureOr<bool> replaced = foldContents(op, context);
  if (failed(replaced) || *replaced)
    return LogicalResult(replaced);
  bool isKnown = llvm::none_of(types, [&](Type type) {
    bool isMadeUp = !isa<RankedTensorType>(type);
    walkSymbols(type, [&](StringRef name) { isMadeUp |= here.made.contains(name); });
    return isMadeUp;
  });
  if (isKnown)
    takeGraphForm(op, context);
  return success();
}
