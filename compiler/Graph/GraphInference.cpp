// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contents, symbols and guards while shapes are inferred.
#include "compiler/Graph/GraphInference.h"
#include "compiler/Graph/NodeErrors.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

template <typename TypeOrAttribute>
static void walkSymbolsOf(TypeOrAttribute root, function_ref<void(StringRef)> visit) {
  AttrTypeWalker walker;
  walker.addWalk([&](DimAttr dim) {
    Dim(dim).walkSymbols(visit);
    return WalkResult::skip();
  });
  walker.walk<WalkOrder::PreOrder>(root);
}

void weft::graph::walkSymbols(Type type, function_ref<void(StringRef)> visit) { walkSymbolsOf(type, visit); }
void weft::graph::walkSymbols(Attribute attribute, function_ref<void(StringRef)> visit) {
  walkSymbolsOf(attribute, visit);
}

void weft::graph::walkSymbols(func::FuncOp function, function_ref<void(StringRef)> visit) {
  function.walk([&](Operation *op) {
    walkSymbols(op->getAttrDictionary(), visit);
    for (Type type : op->getResultTypes())
      walkSymbols(type, visit);
  });
}

void weft::graph::walkElementSymbols(func::FuncOp function, function_ref<void(StringRef)> visit) {
  forEachElementSymbol(function, [&](StringAttr name) { visit(name.getValue()); });
  forEachDefinition(function, [&](StringAttr name, Dim) { visit(name.getValue()); });
}

llvm::StringSet<> weft::graph::getGivenSymbols(func::FuncOp function) {
  llvm::StringSet<> given;
  for (BlockArgument argument : function.getArguments())
    for (Dim dim : getDims(argument).value_or(SmallVector<Dim>()))
      if (auto symbol = dim ? dim.getSymbol() : std::nullopt)
        given.insert(*symbol);
  forEachElementSymbol(function, [&](StringAttr name) { given.insert(name.getValue()); });
  forEachDefinition(function, [&](StringAttr defined, Dim dim) {
    bool isKnown = true;
    dim.walkSymbols([&](StringRef used) { isKnown &= given.contains(used); });
    if (isKnown)
      given.insert(defined.getValue());
  });
  return given;
}

std::string weft::graph::getInputName(func::FuncOp function, unsigned number) {
  auto given = function.getArgAttrOfType<StringAttr>(number, names::kName);
  return given ? given.str() : "arg" + std::to_string(number);
}

GraphInference::GraphInference(func::FuncOp function) : function(function), solutions(function) {
  walkElementSymbols(function, [&](StringRef name) {
    symbols.insert(name);
    elementSymbols.insert(name);
  });
  for (BlockArgument argument : function.getArguments())
    noteElements(argument);
  noteDefinitions();
  walkSymbols(function, [&](StringRef name) { symbols.insert(name); });
  if (auto existing = function->getAttrOfType<ArrayAttr>(names::kGuards))
    for (auto guard : existing.getAsRange<GuardAttr>())
      addGuard(guard);
  assumeOrder();
  hasNews = false;
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

/// Contents are followed as numbers of 64 bits, so only through types that hold sizes and truth values.
static bool isFollowed(Type element) {
  return element.isInteger(1) || element.isSignlessInteger(32) || element.isSignlessInteger(64) ||
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
}

std::optional<SmallVector<Dim>> GraphInference::elements(Value value) {
  if (!isFollowed(getElementTypeOrSelf(value)))
    return std::nullopt;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  return InferContext::elements(value);
}

void GraphInference::setContents(Value value, ArrayRef<Dim> elements) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned width = type.getElementTypeBitWidth();
  auto fits = [&](Dim dim) {
    std::optional<int64_t> number = dim.getConstant();
    return !number || isa<FloatType>(type.getElementType()) ||
           (width == 1 ? *number == 0 || *number == 1 : llvm::isIntN(width, *number));
  };
  if (isFollowed(type.getElementType()) && int64_t(elements.size()) == type.getNumElements() &&
      llvm::all_of(elements, fits) &&
      (!type.getElementType().isInteger(32) || staysIn32Bits(value, elements)))
    known[value] = llvm::map_to_vector(elements, [&](Dim dim) { return abbreviate(dim); });
}

/// Whether 32 bits hold the elements, which wrap where they do not: by guards, where sizes decide.
bool GraphInference::staysIn32Bits(Value value, ArrayRef<Dim> elements) {
  MLIRContext *context = value.getContext();
  Dim least = Dim::constant(context, INT32_MIN), most = Dim::constant(context, INT32_MAX);
  SmallVector<std::pair<Dim, Dim>> orders;
  for (Dim element : elements)
    // No tensor of a shape has dims beyond.
    if (element && !element.isConstant() && (!element.getSymbol() || dependsOnElements(element)))
      llvm::append_values(orders, std::pair(least, element), std::pair(element, most));
  if (llvm::any_of(orders, [](auto order) { return provablyLess(order.second, order.first); }))
    return false;
  if (Operation *op = value.getDefiningOp())
    for (auto [low, high] : orders)
      guard(op, Relation::LessEqual, low, high);
  return true;
}

void GraphInference::moveContents(Value from, Value to) {
  auto it = known.find(from);
  if (it == known.end())
    return;
  SmallVector<Dim> elements = std::move(it->second);
  known.erase(it);
  known[to] = std::move(elements);
}

void GraphInference::noteElements(BlockArgument input) {
  unsigned number = input.getArgNumber();
  auto names = function.getArgAttrOfType<ArrayAttr>(number, names::kElementSymbols);
  if (!names)
    return;
  SmallVector<Dim> elements = getElementDims(names);
  for (auto [i, element] : llvm::enumerate(elements))
    if (!element.getSymbol())
      elementPlaces[element.getAttr()] = {number, i};
  known[input] = std::move(elements);
}

/// An element of an input that has to be a size needs no symbol for what it is below 0.
void GraphInference::settleSign(Dim dim) {
  auto place = elementPlaces.find(dim.getAttr());
  if (place == elementPlaces.end())
    return;
  auto [number, element] = place->second;
  auto names = llvm::to_vector(function.getArgAttrOfType<ArrayAttr>(number, names::kElementSymbols));
  Attribute below = std::exchange(names[2 * element + 1], StringAttr::get(function.getContext()));
  function.setArgAttr(number, names::kElementSymbols, ArrayAttr::get(function.getContext(), names));
  solutions.drop(cast<StringAttr>(below).getValue());
  elementPlaces.erase(place);
  hasNews = true;
}

/// Names the symbols "k[0]" and "k[0].below" of element 0 of input "k".
void GraphInference::nameElements(BlockArgument input) {
  unsigned number = input.getArgNumber();
  auto type = cast<RankedTensorType>(input.getType());
  if (function.getArgAttr(number, names::kElementSymbols) || function.getArgAttr(number, names::kCapacity))
    return;
  std::string name = getInputName(function, number);
  SmallVector<Attribute> names;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    for (StringRef part : {"]", "].below"})
      names.push_back(StringAttr::get(function.getContext(),
                                      *makeSymbol((name + "[" + Twine(i) + part).str()).getSymbol()));
  function.setArgAttr(number, names::kElementSymbols, ArrayAttr::get(function.getContext(), names));
  hasNews = true;
}

bool GraphInference::isSaid(Value value) {
  return value.getDefiningOp<ConstantOp>() || contents(value).has_value();
}

/// Whether a short result has to be computed: contents do not follow what it is computed from, or how.
bool GraphInference::isComputed(Operation *op) {
  auto isLong = [](Value operand) {
    return !isShort(operand.getType()) || !isFollowed(getElementTypeOrSelf(operand));
  };
  return llvm::any_of(op->getOperands(), isLong) ||
         llvm::all_of(op->getOperands(), [&](Value operand) { return isSaid(operand); });
}

namespace {
/// A value that sizes depend on, and the integers that are made of it, which may be itself. Of floats
/// `isWhole` says that nothing rounds or compares them: a count that is cast.
struct Followed {
  Value value, integers;
  bool isWhole;

  Followed operandOf(Operation *op, Value operand) const {
    bool rounds = isa<DivOp, FloorOp, CeilOp, RoundOp>(op) && isa<FloatType>(getElementTypeOrSelf(value));
    bool isCount = isa<CastOp>(op) && !getElementTypeOrSelf(value).isInteger(1);
    bool areIntegers = isa<IntegerType>(getElementTypeOrSelf(value));
    return {operand, areIntegers ? value : integers, areIntegers ? isCount : isWhole && !rounds};
  }
};
} // namespace

/// Inputs of floats only where they are one that is cast to integers, as a count is: a session has all that
/// are followed be whole numbers.
void GraphInference::followInputsOf(Value value) {
  SmallVector<Followed> pending{{value, nullptr, false}};
  auto decide = [&](Value integers) {
    auto result = dyn_cast_if_present<OpResult>(integers);
    if (result && result.getParentRegion() == &function.getBody())
      deciding.insert(result);
  };
  while (!pending.empty()) {
    Followed next = pending.pop_back_val();
    Type element = getElementTypeOrSelf(next.value);
    if (!isShort(next.value.getType()) || !isFollowed(element) ||
        !(next.isWhole ? followedAsWhole : followed).insert(next.value).second || isSaid(next.value))
      continue;
    auto input = dyn_cast<BlockArgument>(next.value);
    if (Operation *op = next.value.getDefiningOp()) {
      if (isComputed(op))
        decide(isa<IntegerType>(element) ? next.value : next.integers);
      else
        for (Value operand : op->getOperands())
          pending.push_back(next.operandOf(op, operand));
    } else if (auto loop = dyn_cast<LoopOp>(input.getOwner()->getParentOp())) {
      if (Value captured = loop.getCaptured(input))
        pending.push_back({captured, next.integers, next.isWhole});
    } else if (isa<IntegerType>(element) ||
               (next.isWhole && cast<ShapedType>(input.getType()).getNumElements() == 1)) {
      nameElements(input);
    } else {
      decide(next.integers);
    }
  }
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Dim GraphInference::makeSymbol(StringRef name) {
  std::string unique = name.str();
  while (!symbols.insert(unique).second)
    unique += '\'';
  return Dim::symbol(function.getContext(), unique);
}

Dim GraphInference::fresh() {
  std::string name;
  do
    name = "d" + std::to_string(nextFresh++);
  while (symbols.contains(name));
  return makeSymbol(name);
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static std::string describeRelation(Relation relation, Dim left, Dim right) {
  switch (relation) {
  case Relation::Equal:
    return "needs " + left.toString() + " to equal " + right.toString();
  case Relation::Broadcast:
    return "broadcasts " + left.toString() + " with " + right.toString();
  case Relation::LessEqual:
    return "needs " + left.toString() + " to be at most " + right.toString();
  }
  return "";
}

/// Whether a relation always holds, or never does; nothing if sizes decide.
static std::optional<bool> decide(Relation relation, Dim left, Dim right) {
  std::optional<bool> equal = provablyEqual(left, right);
  Dim one = Dim::constant(left.getContext(), 1);
  switch (relation) {
  case Relation::Equal:
    return equal;
  case Relation::Broadcast:
    if (equal == true || left == one || right == one)
      return true;
    if (equal == false && provablyEqual(left, one) == false && provablyEqual(right, one) == false)
      return false;
    return std::nullopt;
  case Relation::LessEqual:
    if (provablyLessEqual(left, right))
      return true;
    return provablyLess(right, left) ? std::optional<bool>(false) : std::nullopt;
  }
  return std::nullopt;
}

/// min(a, b) == b as b <= a, and so for max: one relation for each operand that `choice` has beside
/// `operand`. Broadcasting the two is the same, where no operand beside it may be 1: then one is 1 only if
/// the other is.
static SmallVector<std::pair<Dim, Dim>> asOrder(Relation relation, Dim choice, Dim operand) {
  DimKind kind = choice.getAttr().getKind();
  ArrayRef<DimAttr> operands = choice.getAttr().getOperands();
  bool isMin = kind == DimKind::Min;
  SmallVector<std::pair<Dim, Dim>> order;
  if ((!isMin && kind != DimKind::Max) || !llvm::is_contained(operands, operand.getAttr()))
    return order;
  Dim two = Dim::constant(choice.getContext(), 2);
  for (Dim other : operands) {
    if (other == operand)
      continue;
    if (relation == Relation::Broadcast && !(isMin && provablyLessEqual(two, other)))
      return {};
    order.push_back(isMin ? std::pair(operand, other) : std::pair(other, operand));
  }
  return order;
}

void GraphInference::guard(Operation *op, Relation relation, Dim left, Dim right) {
  left = simplify(solutions.apply(left));
  right = simplify(solutions.apply(right));
  if (left && right && relation == Relation::LessEqual && left.getConstant().value_or(-1) >= 0) {
    settleSign(right);
    right = solutions.apply(right);
  }
  if (!left || !right || relation == Relation::LessEqual)
    return left && right ? require(op, relation, left, right) : void();
  // An empty tensor has to fit as others do, unless it is the only one that does: then all shapes would.
  if (relation == Relation::Equal)
    if (auto [first, second] = withoutCommonFactor(left, right); provablyEqual(first, second) != false)
      left = first, right = second;
  for (auto [choice, operand] : {std::pair(left, right), std::pair(right, left)})
    if (auto order = asOrder(relation, choice, operand); !order.empty()) {
      for (auto [low, high] : order)
        require(op, Relation::LessEqual, low, high);
      return;
    }
  require(op, relation, left, right);
}

bool GraphInference::dependsOnElements(Dim dim) const {
  bool depends = false;
  if (elementSymbols.empty())
    return false;
  dim.walkSymbols([&](StringRef name) { depends |= elementSymbols.contains(name); });
  return depends;
}

void GraphInference::noteDefinitions() {
  definitions.clear();
  forEachDefinition(function, [&](StringAttr name, Dim dim) {
    definitions[dim.getAttr()] = Dim::symbol(name.getContext(), name.getValue());
  });
}

/// The symbol that is defined to be a dim which is not negative.
Dim GraphInference::symbolFor(Dim dim) {
  if (!dim || dim.isConstant())
    return dim;
  Dim &symbol = definitions[dim.getAttr()];
  if (symbol)
    return symbol;
  symbol = makeSymbol("v" + std::to_string(definitions.size() - 1));
  elementSymbols.insert(*symbol.getSymbol());
  SmallVector<Attribute> all;
  if (auto old = function->getAttrOfType<ArrayAttr>(names::kDefinitions))
    llvm::append_range(all, old);
  all.push_back(StringAttr::get(function.getContext(), *symbol.getSymbol()));
  all.push_back(dim.getAttr());
  function->setAttr(names::kDefinitions, ArrayAttr::get(function.getContext(), all));
  return symbol;
}

Dim GraphInference::abbreviate(Dim dim) {
  constexpr int kLong = 24; // words of a postfix program, of which a session evaluates some thousands
  int words = 0;
  if (dim && dependsOnElements(dim))
    visitPostfix(dim, [&](DimKind, int64_t, StringRef) { ++words; });
  if (words <= kLong)
    return dim;
  if (provablyNonNegative(dim))
    return symbolFor(dim);
  Dim zero = Dim::constant(dim.getContext(), 0);
  Dim above = symbolFor(Dim::max(dim, zero)), below = symbolFor(Dim::max(-dim, zero));
  return above && below ? above - below : dim;
}

void GraphInference::requireNotNegative(Operation *op, Dim dim) {
  if (dependsOnElements(dim))
    guard(op, Relation::LessEqual, Dim::constant(op->getContext(), 0), dim);
}

/// Nothing to do if it always holds; an error if it never does; a symbol solved for, or a guard.
void GraphInference::require(Operation *op, Relation relation, Dim left, Dim right) {
  std::optional<bool> holds = decide(relation, left, right);
  if (holds == false && !hasFailed) {
    hasFailed = true;
    emitNodeError(op, describeRelation(relation, left, right) + ", which no size allows",
                  "check the dims of its inputs", errors::kImpossible);
  }
  if (holds)
    return;
  if (relation == Relation::Equal && solutions.solve(left, right)) {
    hasNews = true;
    return;
  }
  std::string message = "node \"" + getNodeName(op) + "\" " + describeRelation(relation, left, right);
  addGuard(GuardAttr::get(op->getContext(), relation, left.getAttr(), right.getAttr(), message));
}

void GraphInference::addGuard(GuardAttr guard) {
  Dim left(guard.getLeft()), right(guard.getRight());
  bool isOrder = guard.getRelation() == Relation::LessEqual;
  std::optional<Assumptions> none; // A guard must not be taken for granted because of itself.
  if (isOrder)
    none.emplace(ArrayRef<Dim>());
  std::optional<bool> holds = decide(guard.getRelation(), left, right);
  if (holds == false && !hasFailed) { // a guard of an earlier run that a size given since then breaks
    hasFailed = true;
    emitError(function.getLoc()) << guard.getMessage() << ", which the given dims do not allow ["
                                 << errors::kImpossible << "]";
  }
  if (holds)
    return;
  // Equality and broadcasting are symmetric; one order stands for both.
  if (guard.getRelation() != Relation::LessEqual && right < left)
    std::swap(left, right);
  if (guarded.insert({guard.getRelation(), left.getAttr(), right.getAttr()}).second) {
    guards.push_back(guard);
    hasNews |= isOrder | noteBroadcast(guard);
  }
}

/// A mask of 1 or n columns that is added to n ones, and then multiplied by n rows: broadcast(m, n) == n.
/// That is no equation for m, but it says what the broadcast is.
bool GraphInference::noteBroadcast(GuardAttr guard) {
  if (guard.getRelation() != Relation::Equal)
    return false;
  for (auto [side, other] :
       {std::pair(guard.getLeft(), guard.getRight()), std::pair(guard.getRight(), guard.getLeft())})
    if (side.getKind() == DimKind::Broadcast && llvm::is_contained(side.getOperands(), other))
      return broadcasts.try_emplace(side, Dim(other)).second;
  return false;
}

Dim GraphInference::simplify(Dim dim) const {
  if (!dim || broadcasts.empty() || dim.getAttr().getOperands().empty())
    return dim;
  if (Dim known = broadcasts.lookup(dim.getAttr()))
    return known;
  Dim result = Dim::combine(
      dim.getContext(), dim.getAttr().getKind(),
      llvm::map_to_vector(dim.getAttr().getOperands(), [&](DimAttr operand) { return simplify(operand); }));
  return result ? result : dim;
}

void GraphInference::assumeOrder() {
  SmallVector<Dim> nonNegative;
  for (Attribute attribute : guards)
    if (auto guard = cast<GuardAttr>(attribute); guard.getRelation() == Relation::LessEqual)
      nonNegative.push_back(Dim(guard.getRight()) - Dim(guard.getLeft()));
  assumptions.reset();
  assumptions.emplace(nonNegative);
}

bool GraphInference::applyNews() {
  if (!hasNews)
    return false;
  // Dims without a solution are made anew too: what guards of order say may simplify them. Those guards come
  // first.
  SmallVector<Attribute> old = std::exchange(guards, {});
  auto apply = [&](GuardAttr guard) {
    Dim left = solutions.apply(guard.getLeft()), right = solutions.apply(guard.getRight());
    return left && right ? GuardAttr::get(guard.getContext(), guard.getRelation(), left.getAttr(),
                                          right.getAttr(), guard.getMessage())
                         : guard;
  };
  assumptions.reset();
  for (Attribute &attribute : old)
    if (auto guard = cast<GuardAttr>(attribute); guard.getRelation() == Relation::LessEqual)
      guards.push_back(attribute = apply(guard));
  assumeOrder();
  guards.clear();
  guarded.clear();
  broadcasts.clear();
  for (Attribute attribute : old) {
    auto guard = cast<GuardAttr>(attribute);
    addGuard(guard.getRelation() == Relation::LessEqual ? guard : apply(guard));
  }
  auto renew = [&](Dim dim) {
    Dim renewed = dim ? solutions.apply(dim) : dim;
    return renewed ? simplify(renewed) : dim;
  };
  replaceDims(function, renew);
  for (auto &[value, elements] : known)
    for (Dim &element : elements)
      element = renew(element);
  solutions = DimSolutions(function);
  noteDefinitions();
  hasNews = false;
  return true;
}

void weft::graph::settleDefinitions(func::FuncOp function) {
  llvm::MapVector<StringRef, Dim> all;
  forEachDefinition(function, [&](StringAttr name, Dim dim) { all[name.getValue()] = dim; });
  if (all.empty())
    return;
  function->removeAttr(names::kDefinitions);
  llvm::SetVector<StringRef> pending;
  auto use = [&](StringRef name) {
    if (all.contains(name))
      pending.insert(name);
  };
  walkSymbols(function, use);
  for (size_t i = 0; i < pending.size(); ++i) // It grows.
    all[pending[i]].walkSymbols(use);
  // In rounds, since a symbol may turn out to be one that was defined later. A round that places none leaves
  // a circle, whose symbols have no value then.
  SmallVector<Attribute> kept;
  for (size_t placed = 1; placed > 0;) {
    placed = 0;
    for (StringRef name : llvm::to_vector(pending)) {
      bool waits = false;
      all[name].walkSymbols([&](StringRef used) { waits |= pending.contains(used); });
      if (waits)
        continue;
      kept.push_back(StringAttr::get(function.getContext(), name));
      kept.push_back(all[name].getAttr());
      pending.remove(name);
      ++placed;
    }
  }
  if (!kept.empty())
    function->setAttr(names::kDefinitions, ArrayAttr::get(function.getContext(), kept));
}

ArrayAttr GraphInference::getGuards() {
  // What is equal also broadcasts.
  auto implied = [&](Attribute attribute) {
    auto guard = cast<GuardAttr>(attribute);
    Dim left(guard.getLeft()), right(guard.getRight());
    if (right < left)
      std::swap(left, right);
    return guard.getRelation() == Relation::Broadcast &&
           guarded.contains({Relation::Equal, left.getAttr(), right.getAttr()});
  };
  llvm::erase_if(guards, implied);
  return ArrayAttr::get(function.getContext(), guards);
}
