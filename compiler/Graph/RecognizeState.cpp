// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-recognize-state: a decoder's keys and values of earlier tokens, which come in as inputs and go out
// with those of this run behind them, can stay where they are.
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_RECOGNIZESTATE
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

static void collectSymbols(Dim dim, llvm::StringSet<> &symbols) {
  dim.walkSymbols([&](StringRef name) { symbols.insert(name); });
}

static bool isReturned(Operation *op) { return llvm::any_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>); }

/// Whether the dims of all that it concatenates are known, as the graph level promises.
static bool hasKnownDims(ConcatOp concat) {
  return llvm::all_of(concat->getOperandTypes(), isKnownType) && isKnownType(concat.getType());
}

namespace {

/// An argument that a returned concatenation takes.
struct Candidate {
  BlockArgument argument;
  ConcatOp concat;
  SmallVector<Dim> dims{getDims(cast<RankedTensorType>(argument.getType()))};

  Dim getNext() const { return (*getDims(ConcatOp(concat).getResult()))[ConcatOp(concat).getAxis()]; }
  Dim getLength() const { return dims[ConcatOp(concat).getAxis()]; }
  StringRef findObstacle();
  bool isSizedBy(const llvm::StringSet<> &symbols);
};

struct RecognizeState : graph::impl::RecognizeStateBase<RecognizeState> {
  using RecognizeStateBase::RecognizeStateBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    SmallVector<Candidate> candidates;
    for (BlockArgument argument : getOperation().getArguments())
      if (std::optional<Candidate> candidate = findCandidate(argument))
        candidates.push_back(*candidate);
    keepAlike(candidates);
    keepSized(candidates);
    for (const Candidate &candidate : candidates)
      getOperation().setArgAttr(candidate.argument.getArgNumber(), names::kCapacity,
                                Builder(&getContext()).getI64IntegerAttr(capacity));
    recognized += candidates.size();
    if (candidates.empty())
      emitWarning(getOperation().getLoc())
          << "no input is one that a run appends to and returns; there is nothing to keep ["
          << warnings::kNoState << "]";
  }

private:
  std::optional<Candidate> findCandidate(BlockArgument argument);
  void keepAlike(SmallVector<Candidate> &candidates);
  void keepSized(SmallVector<Candidate> &candidates);
  void decline(BlockArgument argument, StringRef why);
};

} // namespace

/// Why the argument is not the beginning of what is returned, and nothing else; empty if it is.
StringRef Candidate::findObstacle() {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto isComputed = [&](unsigned i) { return getComputedBy(function.getArgAttrDict(i)).has_value(); };
  if (llvm::any_of(llvm::seq(function.getNumArguments()), isComputed))
    return "sizes are computed before a run, from what the inputs hold";
  if (!argument.hasOneUse())
    return "something else reads it, too";
  if (concat.getInputs().front() != argument)
    return "it is not what the concatenation begins with";
  if (llvm::count_if(concat->getUsers(), llvm::IsaPred<func::ReturnOp>) != 1)
    return "the concatenation is more than one output";
  std::optional<StringRef> length = getLength().getSymbol();
  if (!length)
    return "its length is not a dim of its own; it may be fixed";
  for (auto [i, dim] : llvm::enumerate(dims)) {
    llvm::StringSet<> symbols;
    collectSymbols(dim, symbols);
    if (int64_t(i) != int64_t(concat.getAxis()) && symbols.contains(*length))
      return "another of its dims depends on its length";
  }
  for (Value appended : concat.getInputs().drop_front()) {
    llvm::StringSet<> symbols;
    collectSymbols((*getDims(appended))[concat.getAxis()], symbols);
    if (symbols.contains(*length))
      return "how much is appended to it depends on its length, unless bounds (--dim) rule that out";
  }
  return "";
}

/// Whether these symbols are all that its dims need, but for its length.
bool Candidate::isSizedBy(const llvm::StringSet<> &symbols) {
  bool isSized = true;
  for (auto [i, dim] : llvm::enumerate(dims))
    if (int64_t(i) != int64_t(concat.getAxis()))
      dim.walkSymbols([&](StringRef name) { isSized &= symbols.contains(name); });
  return isSized;
}

std::optional<Candidate> RecognizeState::findCandidate(BlockArgument argument) {
  for (Operation *user : argument.getUsers()) {
    auto concat = dyn_cast<ConcatOp>(user);
    bool isAppended = concat && concat.getInputs().front() != argument &&
                      isa<BlockArgument>(concat.getInputs().front()); // to another, which may be a state
    if (!concat || !isReturned(concat) || isAppended || !hasKnownDims(concat))
      continue;
    Candidate candidate{argument, concat};
    StringRef obstacle = candidate.findObstacle();
    if (obstacle.empty())
      return candidate;
    decline(argument, obstacle);
    break;
  }
  return std::nullopt;
}

/// Declines those that would no longer be as long as another with the same length.
void RecognizeState::keepAlike(SmallVector<Candidate> &candidates) {
  SmallVector<Candidate> kept;
  for (const Candidate &candidate : candidates) {
    auto isAsLong = [&](const Candidate &other) { return other.getLength() == candidate.getLength(); };
    auto *first = llvm::find_if(kept, isAsLong);
    if (first == kept.end() || first->getNext() == candidate.getNext())
      kept.push_back(candidate);
    else
      decline(candidate.argument, "another input of its length grows by another number of positions");
  }
  candidates = std::move(kept);
}

/// Declines those with a dim that nobody gives a size once all of them are no inputs any more; each that is
/// declined stays an input, which may size others.
void RecognizeState::keepSized(SmallVector<Candidate> &candidates) {
  for (;;) {
    llvm::StringSet<> symbols;
    for (BlockArgument argument : getOperation().getArguments()) {
      auto isCandidate = [&](const Candidate &candidate) { return candidate.argument == argument; };
      if (llvm::any_of(candidates, isCandidate))
        continue;
      for (Dim dim : getDims(argument).value_or(SmallVector<Dim>()))
        if (std::optional<StringRef> symbol = dim ? dim.getSymbol() : std::nullopt)
          symbols.insert(*symbol);
    }
    auto unsized =
        llvm::find_if(candidates, [&](Candidate &candidate) { return !candidate.isSizedBy(symbols); });
    if (unsized == candidates.end())
      return;
    decline(unsized->argument, "no other input gives one of its dims a size");
    candidates.erase(unsized);
  }
}

void RecognizeState::decline(BlockArgument argument, StringRef why) {
  auto name = getOperation().getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kName);
  emitWarning(getOperation().getLoc())
      << "input \"" << (name ? name.str() : std::to_string(argument.getArgNumber()))
      << "\" is not kept by the session: " << why << " [" << warnings::kStateDeclined << "]";
}
