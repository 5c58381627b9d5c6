// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives every value a shape, and turns import forms into graph forms.
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/DimOption.h"
#include "compiler/Graph/GraphForms.h"
#include "compiler/Graph/GraphInference.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/DimText.h"

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
    std::string name = getInputName(function, argument.getArgNumber());
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

static InFlightDiagnostic optionError(func::FuncOp function) {
  return emitError(function.getLoc()) << "option --dim: ";
}

static LogicalResult parseBinding(func::FuncOp function, StringRef text,
                                  llvm::StringMap<DimOption> &bindings) {
  std::optional<DimOption> option = parseDimOption(text);
  if (!option)
    return optionError(function) << "expects NAME=SIZE, NAME=LOW..HIGH or NAME=FORMULA, got \"" << text
                                 << "\" [" << errors::kDimOption << "]";
  auto [it, inserted] = bindings.try_emplace(option->name, *option);
  const DimOption &known = it->second;
  bool isSame = known.isFormula || option->isFormula ? known.range == option->range
                                                     : known.low == option->low && known.high == option->high;
  if (!inserted && !isSame)
    return optionError(function) << "\"" << option->name << "\" is given as " << known.range << " and as "
                                 << option->range << " [" << errors::kDimOption << "]";
  return success();
}

/// The ends of a range as guards, which are what the inference knows it by.
static void guardRange(StringRef name, const DimOption &option, MLIRContext *context,
                       SmallVectorImpl<Attribute> &guards) {
  Dim symbol = Dim::symbol(context, name);
  std::string message = ("option --dim says that " + name + " is " + option.range).str();
  auto guard = [&](Dim low, Dim high) {
    guards.push_back(GuardAttr::get(context, Relation::LessEqual, low.getAttr(), high.getAttr(), message));
  };
  if (option.low > 0)
    guard(Dim::constant(context, option.low), symbol);
  if (option.high)
    guard(symbol, Dim::constant(context, *option.high));
}

/// What dims are that have a size or a formula of others. A formula is of dims that have none themselves.
static FailureOr<llvm::StringMap<Dim>> getKnownDims(func::FuncOp function,
                                                    const llvm::StringMap<DimOption> &bindings,
                                                    const llvm::SetVector<StringRef> &symbols) {
  llvm::StringMap<Dim> known;
  for (auto &binding : bindings)
    if (binding.second.isFixed())
      known[binding.getKey()] = Dim::constant(function.getContext(), binding.second.low);
  llvm::StringSet<> free;
  for (StringRef symbol : symbols)
    if (auto it = bindings.find(symbol); it == bindings.end() || !it->second.isFormula)
      free.insert(symbol);
  for (auto &binding : bindings) {
    if (!binding.second.isFormula)
      continue;
    Dim dim = parseDimText(function.getContext(), free, binding.second.range);
    if (!dim)
      return LogicalResult(optionError(function)
                           << "\"" << binding.second.range
                           << "\" is no sum, difference or product of the dims \""
                           << llvm::join(
                                  llvm::make_filter_range(
                                      symbols, [&](StringRef symbol) { return free.contains(symbol); }),
                                  "\", \"")
                           << "\" [" << errors::kDimOption << "]");
    known[binding.getKey()] = dim.substitute([&](StringRef name) { return known.lookup(name); });
  }
  return known;
}

static LogicalResult bindDims(func::FuncOp function, ArrayRef<std::string> texts) {
  llvm::StringMap<DimOption> bindings;
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
      return optionError(function) << "no input has a dim \"" << binding.getKey() << "\"; dims are \""
                                   << llvm::join(symbols, "\", \"") << "\" [" << errors::kDimOption << "]";
  FailureOr<llvm::StringMap<Dim>> known = getKnownDims(function, bindings, symbols);
  if (failed(known))
    return failure();
  SmallVector<Attribute> guards;
  if (auto existing = function->getAttrOfType<ArrayAttr>(names::kGuards))
    llvm::append_range(guards, existing);
  for (StringRef name : symbols)
    if (auto it = bindings.find(name); it != bindings.end() && !known->contains(name))
      guardRange(name, it->second, function.getContext(), guards);
  if (!guards.empty())
    function->setAttr(names::kGuards, ArrayAttr::get(function.getContext(), guards));
  replaceDims(function,
              [&](Dim dim) { return dim.substitute([&](StringRef name) { return known->lookup(name); }); });
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

/// Symbols that an earlier walk or the model made up for dims that are known now.
static void defineDeclared(Type declared, Type inferred, const llvm::StringSet<> &made,
                           GraphInference &context) {
  auto known = dyn_cast<RankedTensorType>(declared), type = dyn_cast<RankedTensorType>(inferred);
  if (!known || !type || known.getRank() != type.getRank())
    return;
  for (auto [dim, other] : llvm::zip(getDims(type), getDims(known)))
    if (other && dim && other != dim && other.getSymbol() &&
        !(dim.getSymbol() && made.contains(*dim.getSymbol())))
      context.define(*other.getSymbol(), dim);
}

/// Says of operations which of their results sizes depend on.
static void markDeciding(func::FuncOp function, ArrayRef<OpResult> deciding) {
  for (Operation &op : function.front())
    op.removeAttr(kDecidesSizes);
  for (OpResult result : deciding) {
    SmallVector<int64_t> results{result.getResultNumber()};
    if (auto known = result.getOwner()->getAttrOfType<DenseI64ArrayAttr>(kDecidesSizes))
      llvm::append_range(results, known.asArrayRef());
    result.getOwner()->setAttr(kDecidesSizes, DenseI64ArrayAttr::get(function.getContext(), results));
  }
}

/// Whether something that is not dead has a size that no input says.
static bool dependsOnUnknownSizes(func::FuncOp function) {
  llvm::StringSet<> known = getGivenSymbols(function);
  DenseSet<Operation *> live;
  bool depends = false;
  for (Operation &op : llvm::reverse(function.front())) {
    auto isLive = [&](Operation *user) {
      return live.contains(function.front().findAncestorOpInBlock(*user));
    };
    if (!op.hasTrait<OpTrait::IsTerminator>() && llvm::none_of(op.getUsers(), isLive))
      continue;
    live.insert(&op);
    for (Type type : op.getResultTypes()) {
      depends |= isa<UnrankedTensorType>(type);
      walkSymbols(type, [&](StringRef name) { depends |= !known.contains(name); });
    }
  }
  return depends;
}

namespace {
/// Notes which symbols the inference of one operation made up, and which values it asked about.
class OneOperation : public InferContext {
public:
  explicit OneOperation(GraphInference &world) : world(world) {}
  std::optional<SmallVector<Dim>> elements(Value value) override {
    asked.insert(value);
    return world.elements(value);
  }
  void guard(Operation *op, Relation relation, Dim left, Dim right) override {
    world.guard(op, relation, left, right);
  }
  bool isElement(Dim dim) const override { return world.isElement(dim); }
  Dim fresh() override {
    Dim dim = world.fresh();
    made.insert(*dim.getSymbol());
    return dim;
  }
  llvm::StringSet<> made;
  llvm::SetVector<Value> asked;

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
    // What a walk finds out about symbols may simplify what came before it. Two walks do for most models.
    FailureOr<bool> changed = true;
    for (int walks = 0; walks < kMostWalks && succeeded(changed) && *changed; ++walks)
      changed = walk(function);
    if (failed(changed))
      return signalPassFailure();
    // Not before: what a dead operation says of a made-up symbol may be known in a later walk, which may be
    // after weft-compute-sizes-first.
    bool isMarked = llvm::any_of(function.front(), [](Operation &op) { return op.hasAttr(kDecidesSizes); });
    if (!isMarked || !dependsOnUnknownSizes(function)) {
      markDeciding(function, {});
      eraseDead(function.front());
    }
    settleDefinitions(function);
    auto *end = function.front().getTerminator();
    function.setType(
        FunctionType::get(&getContext(), function.front().getArgumentTypes(), end->getOperandTypes()));
  }

private:
  static constexpr int kMostWalks = 8;

  FailureOr<bool> walk(func::FuncOp function);
  FailureOr<bool> walk(Block &block, GraphInference &context);
  FailureOr<bool> walkBody(LoopOp loop, GraphInference &context);
  LogicalResult visit(Operation *op, GraphInference &context);
};
} // namespace

/// One walk. Whether it found out something about symbols, which may be of use to what came before.
FailureOr<bool> InferShapes::walk(func::FuncOp function) {
  GraphInference context(function);
  FailureOr<bool> hasNews = walk(function.front(), context);
  if (failed(hasNews))
    return failure();
  if (ArrayAttr guards = context.getGuards(); !guards.empty())
    function->setAttr(names::kGuards, guards);
  else
    function->removeAttr(names::kGuards);
  markDeciding(function, context.getDeciding());
  return context.failed() ? FailureOr<bool>(failure()) : hasNews;
}

FailureOr<bool> InferShapes::walk(Block &block, GraphInference &context) {
  bool hasNews = false;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto loop = dyn_cast<LoopOp>(op);
    FailureOr<bool> bodyNews = loop ? walkBody(loop, context) : false;
    if (failed(bodyNews) || failed(visit(&op, context)) || context.failed())
      return failure();
    hasNews |= *bodyNews;
    hasNews |= context.applyNews();
  }
  return hasNews;
}

/// The same for what a loop runs, which begins with what is known of its operands. Nothing is known of what
/// states hold, which changes.
FailureOr<bool> InferShapes::walkBody(LoopOp loop, GraphInference &context) {
  for (auto [state, argument] : llvm::zip(loop.getStates(), loop.getBodyStates()))
    argument.setType(state.getType());
  for (auto [capture, argument] : llvm::zip(loop.getCaptures(), loop.getBodyCaptures())) {
    argument.setType(capture.getType());
    if (auto elements = context.elements(capture))
      context.setContents(argument, *elements);
  }
  return walk(loop.getBlock(), context);
}

LogicalResult InferShapes::visit(Operation *op, GraphInference &context) {
  auto infer = dyn_cast<InferInterface>(op);
  if (!infer)
    return success();
  OneOperation here(context);
  SmallVector<Type> types;
  if (failed(infer.inferTypes(here, types)))
    return failure();
  // What a size depends on may be an input's to say.
  auto loop = dyn_cast<LoopOp>(op);
  bool isUnknown = llvm::any_of(types, [](Type type) { return isa<UnrankedTensorType>(type); }) ||
                   (loop && loop.getTrips() && !context.contents(loop.getTrips()));
  if (isUnknown || !here.made.empty())
    for (Value value : here.asked)
      context.followInputsOf(value);
  for (Type &type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && isa_and_present<DimsAttr>(tensor.getEncoding())) {
      auto dims = llvm::map_to_vector(getDims(tensor), [&](Dim dim) {
        dim = context.simplify(dim);
        context.requireNotNegative(op, dim);
        return context.abbreviate(dim);
      });
      type = getTensorType(dims, tensor.getElementType());
    }
  for (auto [result, type] : llvm::zip(op->getResults(), types)) {
    defineDeclared(result.getType(), type, here.made, context);
    result.setType(preferDeclared(result.getType(), type, here.made));
  }
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
