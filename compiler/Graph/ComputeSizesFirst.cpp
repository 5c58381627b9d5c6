// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that a model computes in its middle become elements of an input, which another program computes.
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/GraphInference.h"
#include "compiler/Graph/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_COMPUTESIZESFIRST
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

/// The marked results that can be computed now: those that depend on no other one. The marks go.
static SmallVector<OpResult> takeDeciding(func::FuncOp function) {
  SmallVector<OpResult> first;
  DenseSet<Value> waiting; // what depends on a marked result
  for (Operation &op : function.front()) {
    auto marked = llvm::dyn_cast_or_null<DenseI64ArrayAttr>(op.removeAttr(kDecidesSizes));
    bool waits = llvm::any_of(op.getOperands(), [&](Value operand) { return waiting.contains(operand); });
    if (marked && !waits)
      for (int64_t number : marked.asArrayRef())
        first.push_back(op.getResult(number));
    if (marked || waits)
      waiting.insert_range(op.getResults());
  }
  return first;
}

/// Drops guards over sizes that no input of the function says.
static void keepKnownGuards(func::FuncOp function) {
  auto guards = function->getAttrOfType<ArrayAttr>(names::kGuards);
  if (!guards)
    return;
  llvm::StringSet<> known = getGivenSymbols(function);
  SmallVector<Attribute> kept;
  for (Attribute guard : guards) {
    bool isKnown = true;
    walkSymbols(guard, [&](StringRef name) { isKnown &= known.contains(name); });
    if (isKnown)
      kept.push_back(guard);
  }
  function->setAttr(names::kGuards, ArrayAttr::get(function.getContext(), kept));
}

/// A copy of the function, behind all others, that computes these of its values and nothing else.
static func::FuncOp makeProgram(func::FuncOp function, ArrayRef<OpResult> results) {
  IRMapping mapping;
  auto program = cast<func::FuncOp>(function->clone(mapping));
  program.setName((function.getName() + ".sizes").str());
  program.removeResAttrsAttr();
  program.front().getTerminator()->setOperands(
      llvm::map_to_vector(results, [&](OpResult result) -> Value { return mapping.lookup(Value(result)); }));
  program.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(),
                                    program.front().getTerminator()->getOperandTypes()));
  for (auto [i, result] : llvm::enumerate(results))
    program.setResultAttr(i, names::kName, StringAttr::get(function.getContext(), std::to_string(i)));
  eraseDead(program.front());
  keepKnownGuards(program);
  auto module = function->getParentOfType<ModuleOp>();
  SymbolTable(module).insert(program, module.getBody()->end());
  return program;
}

/// A name that no input has yet.
static std::string makeInputName(func::FuncOp function, StringRef wanted) {
  llvm::StringSet<> taken;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    taken.insert(getInputName(function, i));
  std::string name = wanted.str();
  while (taken.contains(name))
    name += '\'';
  return name;
}

/// Has inputs take the place of values that another function computes.
static void takeAsInputs(func::FuncOp function, ArrayRef<OpResult> values, func::FuncOp program) {
  Builder builder(function.getContext());
  for (auto [i, result] : llvm::enumerate(values)) {
    Value value = result;
    unsigned number = function.getNumArguments();
    std::string name = makeInputName(function, getNodeName(result.getOwner()));
    NamedAttribute attributes[] = {
        builder.getNamedAttr(names::kName, builder.getStringAttr(name)),
        builder.getNamedAttr(names::kComputedBy,
                             builder.getArrayAttr({builder.getStringAttr(program.getName()),
                                                   builder.getI64IntegerAttr(int64_t(i))}))};
    (void)function.insertArgument(number, value.getType(), builder.getDictionaryAttr(attributes),
                                  value.getLoc());
    value.replaceAllUsesWith(function.getArgument(number));
  }
}

namespace {
struct ComputeSizesFirst : graph::impl::ComputeSizesFirstBase<ComputeSizesFirst> {
  using ComputeSizesFirstBase::ComputeSizesFirstBase;

  void runOnOperation() override {
    OpPassManager infer(func::FuncOp::getOperationName());
    infer.addPass(createInferShapes());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && failed(settle(function, infer)))
        return signalPassFailure();
  }

private:
  /// Programs that one size after the other may need, each of which runs before the next.
  static constexpr int kMostPrograms = 16;

  LogicalResult settle(func::FuncOp function, OpPassManager &infer) {
    for (int programs = 0; programs < kMostPrograms; ++programs) {
      SmallVector<OpResult> deciding = takeDeciding(function);
      if (deciding.empty())
        return success();
      func::FuncOp program = makeProgram(function, deciding);
      takeAsInputs(function, deciding, program);
      sizes += deciding.size();
      if (failed(runPipeline(infer, program)) || failed(runPipeline(infer, function)))
        return failure();
    }
    takeDeciding(function); // What is left has no size, which weft-verify-graph says.
    return success();
  }
};
} // namespace
