// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the function is of the graph level; reports every violation.
#include "compiler/Graph/GraphForms.h"
#include "compiler/Graph/GraphInference.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

namespace {
struct VerifyGraph : graph::impl::VerifyGraphBase<VerifyGraph> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    symbols = getGivenSymbols(getOperation());
    isValid = true;
    checkArguments();
    check(getOperation().front());
    if (!isValid)
      signalPassFailure();
  }

private:
  void checkArguments();
  void check(Block &block);
  void check(Operation *op);
  void checkShape(Operation *op);
  void checkSymbol(Operation *op, StringRef name);
  bool checkLowering(Operation *op);
  void report(Operation *op, const Twine &message, const Twine &hint, StringRef id) {
    emitNodeError(op, message, hint, id);
    isValid = false;
  }

  llvm::StringSet<> symbols; ///< that inputs give a size to, or that were reported
  bool isValid = true;
};
} // namespace

void VerifyGraph::checkArguments() {
  func::FuncOp function = getOperation();
  for (BlockArgument argument : function.getArguments()) {
    if (isKnownType(argument.getType()))
      continue;
    auto given = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::kName);
    std::string name = given ? given.str() : std::to_string(argument.getArgNumber());
    emitError(function.getLoc()) << "input \"" << name << "\": expects a known rank, got "
                                 << describeType(argument.getType()) << " [" << errors::kUnknownShape << "]";
    isValid = false;
  }
}

void VerifyGraph::check(Block &block) {
  for (Operation &op : block.without_terminator()) {
    // What is wrong in a body makes the loop's results be wrong, and trips that are unknown what is in it.
    auto loop = dyn_cast<LoopOp>(op);
    if (loop && !isImportForm(loop))
      check(loop.getBlock());
    check(&op);
    if (loop && isImportForm(loop))
      check(loop.getBlock());
  }
}

void VerifyGraph::check(Operation *op) {
  if (isImportForm(op)) {
    report(op,
           "shape depends on data: " + op->getName().stripDialect() +
               " takes a size that is not known before the "
               "model runs",
           "fix the size in the model, or give its dims with --dim", errors::kDataShape);
    // What follows from it is not reported again.
    for (Type type : op->getResultTypes())
      walkSymbols(type, [&](StringRef name) { symbols.insert(name); });
    return;
  }
  if (checkLowering(op))
    checkShape(op);
}

void VerifyGraph::checkSymbol(Operation *op, StringRef name) {
  if (symbols.insert(name).second)
    report(op, "has a dim \"" + name + "\" that no input gives a size to", "give a size with --dim",
           errors::kUnknownShape);
}

void VerifyGraph::checkShape(Operation *op) {
  for (Type type : op->getResultTypes()) {
    if (!isKnownType(type)) {
      // An unknown shape makes unknown shapes; the first in a row is the cause.
      if (llvm::all_of(op->getOperandTypes(), isKnownType))
        report(op, "expects a result of known shape, got " + describeType(type), "run weft-infer-shapes",
               errors::kUnknownShape);
      isValid = false;
      continue;
    }
    walkSymbols(type, [&](StringRef name) { checkSymbol(op, name); });
  }
  walkSymbols(op->getAttrDictionary(), [&](StringRef name) { checkSymbol(op, name); });
}

/// A scale or bias that is the same for every row.
static bool isSharedByRows(Value normalized, int64_t axis, Value parameter) {
  auto input = getDims(normalized), dims = getDims(parameter);
  size_t row = input && dims ? input->size() - axis : 0;
  return !input || !dims || dims->size() <= row ||
         llvm::all_of(ArrayRef(*dims).drop_back(row), [](Dim dim) { return dim.getConstant() == 1; });
}

/// Why there is no kernel for an operation; empty if there is one.
static std::string findObstacle(Operation *op) {
  return TypeSwitch<Operation *, std::string>(op)
      .Case<LayerNormOp, RMSNormOp>([](auto norm) {
        for (Value parameter : norm->getOperands().drop_front())
          if (!isSharedByRows(norm.getInput(), norm.getAxis(), parameter))
            return "expects a scale and bias that are the same for every row, got " +
                   describeType(parameter.getType());
        return std::string();
      })
      .Case([](AttentionOp attention) {
        for (Value capture : attention.getCaptures())
          if (getElementTypeOrSelf(capture).isUnsignedInteger())
            return "expects a score region that reads no unsigned integers, got " +
                   describeType(capture.getType());
        return std::string();
      })
      .Case<ConvOp, EinsumOp>([](Operation *op) { // What has a product is one by now.
        std::string types = llvm::join(llvm::map_range(op->getOperandTypes(), describeType), " and ");
        return "expects operands whose sizes are formulas of at most 64 bits, got " + types;
      })
      .Default([](Operation *) { return std::string(); });
}

bool VerifyGraph::checkLowering(Operation *op) {
  std::string obstacle;
  if (!isa<InferInterface>(op))
    obstacle = "is no operation of the graph level";
  else
    obstacle = findObstacle(op);
  if (obstacle.empty())
    return true;
  report(op, obstacle, "", errors::kNoLowering);
  return false;
}
