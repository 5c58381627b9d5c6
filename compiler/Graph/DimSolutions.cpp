// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear equations between dims, solved for symbols.
#include "compiler/Graph/DimSolutions.h"
#include "compiler/Graph/GraphInference.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

DimSolutions::DimSolutions(func::FuncOp function) : context(function.getContext()) {
  for (Type type : function.front().getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (Dim dim : getDims(tensor))
        if (auto symbol = dim ? dim.getSymbol() : std::nullopt)
          inputOrder.try_emplace(*symbol, inputOrder.size());
  walkElementSymbols(function, [&](StringRef name) { elements.insert(name); });
}

Dim DimSolutions::apply(Dim dim) const {
  return dim.substitute([&](StringRef name) { return solutions.lookup(name); });
}

void DimSolutions::add(StringRef symbol, Dim value) {
  for (auto &[name, solution] : solutions)
    solution = solution.substitute([&](StringRef used) { return used == symbol ? value : Dim(); });
  solutions[symbol] = value;
}

/// sum == 0 as symbol == value, if the symbol occurs once and times 1 or -1; null if not.
static Dim solveFor(StringRef symbol, Dim sum) {
  MLIRContext *context = sum.getContext();
  Dim name = Dim::symbol(context, symbol);
  auto mentions = [&](Dim dim) {
    bool found = false;
    dim.walkSymbols([&](StringRef used) { found |= used == symbol; });
    return found;
  };
  Dim others =
      sum.substitute([&](StringRef used) { return used == symbol ? Dim::constant(context, 0) : Dim(); });
  if (!others || mentions(others))
    return Dim();
  if (sum - others == name)
    return -others;
  return sum - others == -name ? others : Dim();
}

bool DimSolutions::solve(Dim left, Dim right) {
  Dim sum = apply(left) - apply(right);
  if (!sum)
    return false;
  llvm::SetVector<StringRef> symbols;
  sum.walkSymbols([&](StringRef name) { symbols.insert(name); });
  // Every symbol has to be bound by an input, the one that goes and those that stay.
  if (!llvm::all_of(symbols, [&](StringRef name) { return inputOrder.contains(name); }))
    return false;
  StringRef best;
  Dim value;
  for (StringRef symbol : symbols)
    if (best.empty() || inputOrder.lookup(symbol) > inputOrder.lookup(best))
      if (Dim solution = solveFor(symbol, sum); solution && provablyNonNegative(solution)) {
        best = symbol;
        value = solution;
      }
  if (!value)
    return false;
  add(best, value);
  return true;
}

void DimSolutions::drop(StringRef symbol) { add(symbol, Dim::constant(context, 0)); }

bool DimSolutions::define(StringRef symbol, Dim value) {
  value = apply(value);
  bool isCircular = false;
  if (value)
    value.walkSymbols([&](StringRef name) { isCircular |= name == symbol; });
  if (!value || isCircular || inputOrder.contains(symbol) || elements.contains(symbol) ||
      solutions.contains(symbol))
    return false;
  add(symbol, value);
  return true;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

void weft::graph::replaceDims(func::FuncOp function, function_ref<Dim(Dim)> replacement) {
  auto replace = [&](Dim dim) {
    Dim replaced = dim ? replacement(dim) : dim;
    return replaced ? replaced : dim; // null: it would be too large
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DimAttr dim) -> std::pair<Attribute, WalkResult> {
    return {replace(dim).getAttr(), WalkResult::skip()};
  });
  // A dim that becomes a number becomes static.
  replacer.addReplacement([&](RankedTensorType type) -> std::pair<Type, WalkResult> {
    if (!isa_and_present<DimsAttr>(type.getEncoding()))
      return {type, WalkResult::skip()};
    return {getTensorType(llvm::map_to_vector(getDims(type), replace), type.getElementType()),
            WalkResult::skip()};
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
