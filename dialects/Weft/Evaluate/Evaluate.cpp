// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs operations and functions: operands and results checked against their types, symbols bound, guards
// checked.
#include "dialects/Weft/Evaluate/Evaluate.h"
#include "dialects/Weft/Evaluate/Models.h"

using namespace mlir;
using namespace weft;

#include "dialects/Weft/Evaluate/EvaluateInterface.cpp.inc"

void weft::registerEvaluateModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, WeftDialect *) {
    attachElementwiseModels(context);
    attachContractionModels(context);
    attachConvModels(context);
    attachEinsumModels(context);
    attachReductionModels(context);
    attachScanModels(context);
    attachNormModels(context);
    attachQuantizeModels(context);
    attachAttentionModels(context);
    attachLinearAttentionModels(context);
    attachShapeModels(context);
    attachSliceModels(context);
    attachPadModels(context);
    attachIndexModels(context);
    attachScatterModels(context);
    attachTopKModels(context);
    attachLoopModels(context);
  });
}

FailureOr<SmallVector<Tensor>> weft::evaluateOperation(Operation *op, ArrayRef<Tensor> operands,
                                                       EvaluateContext &context) {
  auto model = dyn_cast<EvaluateInterface>(op);
  if (!model)
    return evaluateError(op) << "the evaluator does not know '" << op->getName() << "'";
  if (operands.size() != op->getNumOperands())
    return evaluateError(op) << "expects " << op->getNumOperands() << " operands, got " << operands.size();
  for (auto [i, operand] : llvm::enumerate(operands))
    if (std::string why = context.mismatch(op->getOperand(i).getType(), operand); !why.empty())
      return evaluateError(op) << "operand " << i << ": " << why;
  FailureOr<SmallVector<Tensor>> results = model.evaluate(operands, context);
  if (failed(results))
    return failure();
  if (results->size() != op->getNumResults())
    return evaluateError(op) << "internal error: '" << op->getName() << "' declares " << op->getNumResults()
                             << " results and computes " << results->size();
  for (auto [type, result] : llvm::zip_equal(op->getResultTypes(), *results)) {
    context.bindSymbols(type, result.getShape());
    if (std::string why = context.mismatch(type, result); !why.empty())
      return evaluateError(op) << "internal error: '" << op->getName()
                               << "' declares a result type that is not what it computes: " << why;
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The name of an input for people: the model's, or its position.
static std::string describeInput(func::FuncOp function, unsigned index) {
  if (auto name = function.getArgAttrOfType<StringAttr>(index, names::kName))
    return "input \"" + name.getValue().str() + "\"";
  return "input " + std::to_string(index);
}

static LogicalResult checkInputs(func::FuncOp function, ArrayRef<Tensor> inputs, EvaluateContext &context) {
  if (inputs.size() != function.getNumArguments())
    return function.emitError() << "\"" << function.getName() << "\" expects " << function.getNumArguments()
                                << " inputs, got " << inputs.size();
  // All symbols are bound before any dim is checked: "past + seq" may come before "past".
  if (failed(context.bindInputs(function, inputs)))
    return failure();
  for (auto [i, input] : llvm::enumerate(inputs))
    if (std::string why = context.mismatch(function.getArgumentTypes()[i], input); !why.empty())
      return function.emitError() << describeInput(function, i) << ": " << why;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    for (Dim dim : ranked ? getDims(ranked) : SmallVector<Dim>()) {
      std::string why;
      if (dim && !context.value(dim, &why))
        return function.emitError() << describeInput(function, i) << ": " << why;
    }
  }
  return success();
}

static bool holds(Relation relation, int64_t left, int64_t right) {
  switch (relation) {
  case Relation::Equal:
    return left == right;
  case Relation::Broadcast:
    return left == right || left == 1 || right == 1;
  case Relation::LessEqual:
    return left <= right;
  }
  return false;
}

static StringRef describe(Relation relation) {
  switch (relation) {
  case Relation::Equal:
    return " equals ";
  case Relation::Broadcast:
    return " broadcasts with ";
  case Relation::LessEqual:
    return " is at most ";
  }
  return "";
}

/// Checks the guards whose symbols are all known and removes them from `pending`. Guards over sizes that
/// depend on data wait for the end of the run.
static LogicalResult checkGuards(func::FuncOp function, const EvaluateContext &context,
                                 SmallVectorImpl<GuardAttr> &pending) {
  SmallVector<GuardAttr> unknown;
  for (GuardAttr guard : pending) {
    Dim left = guard.getLeft(), right = guard.getRight();
    std::optional<int64_t> leftValue = context.value(left), rightValue = context.value(right);
    if (!leftValue || !rightValue)
      unknown.push_back(guard);
    else if (!holds(guard.getRelation(), *leftValue, *rightValue))
      return function.emitError() << "the model relies on this: " << left.toString()
                                  << describe(guard.getRelation()) << right.toString() << ", but they are "
                                  << *leftValue << " and " << *rightValue << "; " << guard.getMessage();
  }
  pending = unknown;
  return success();
}

namespace {
/// The values of a block's operations, each kept until its last use.
class Values {
public:
  void set(Value value, Tensor tensor) {
    if (!value.use_empty())
      tensors[value] = {std::move(tensor), int64_t(std::distance(value.use_begin(), value.use_end()))};
  }

  SmallVector<Tensor> take(OperandRange operands) {
    SmallVector<Tensor> result;
    for (Value operand : operands) {
      auto found = tensors.find(operand);
      if (found == tensors.end()) { // An operation of a region above or of another function.
        result.push_back(Tensor());
        continue;
      }
      result.push_back(found->second.tensor);
      if (--found->second.remainingUses == 0)
        tensors.erase(found);
    }
    return result;
  }

private:
  struct Entry {
    Tensor tensor;
    int64_t remainingUses = 0;
  };
  DenseMap<Value, Entry> tensors;
};
} // namespace

FailureOr<SmallVector<Tensor>> weft::evaluateBlock(Block &block, ArrayRef<Tensor> inputs,
                                                   EvaluateContext &context, EvaluateTrace trace) {
  Values values;
  for (auto [argument, input] : llvm::zip(block.getArguments(), inputs))
    values.set(argument, input);
  for (Operation &op : block.without_terminator()) {
    FailureOr<SmallVector<Tensor>> results = evaluateOperation(&op, values.take(op.getOperands()), context);
    if (failed(results))
      return failure();
    if (trace)
      trace(&op, *results);
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
      values.set(value, std::move(tensor));
  }
  return values.take(block.getTerminator()->getOperands());
}

FailureOr<SmallVector<Tensor>> weft::completeInputs(func::FuncOp function, ArrayRef<Tensor> given) {
  SmallVector<Tensor> inputs(given);
  llvm::StringMap<SmallVector<Tensor>> computed;
  for (unsigned i = given.size(); i < function.getNumArguments(); ++i) {
    auto by = getComputedBy(function.getArgAttrDict(i));
    if (!by)
      break; // that there are too few is said later
    auto [found, isNew] = computed.try_emplace(by->first);
    if (isNew) {
      auto program = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          function, StringAttr::get(function.getContext(), by->first));
      FailureOr<SmallVector<Tensor>> results =
          program ? evaluateFunction(program, given) : FailureOr<SmallVector<Tensor>>(failure());
      if (failed(results))
        return function.emitError() << "input " << i << " cannot be computed by \"" << by->first << "\"";
      found->second = std::move(*results);
    }
    if (by->second < 0 || by->second >= int64_t(found->second.size()))
      return function.emitError() << "\"" << by->first << "\" has no result " << by->second;
    inputs.push_back(found->second[by->second]);
  }
  return inputs;
}

FailureOr<SmallVector<Tensor>> weft::evaluateFunction(func::FuncOp function, ArrayRef<Tensor> given,
                                                      EvaluateTrace trace) {
  if (!function.getBody().hasOneBlock() || !isa<func::ReturnOp>(function.getBody().front().back()))
    return function.emitError() << "\"" << function.getName() << "\" has no body of one block to evaluate";
  FailureOr<SmallVector<Tensor>> inputs = completeInputs(function, given);
  EvaluateContext context;
  if (failed(inputs) || failed(checkInputs(function, *inputs, context)))
    return failure();
  SmallVector<GuardAttr> guards;
  if (auto attribute = function->getAttrOfType<ArrayAttr>(names::kGuards))
    llvm::append_range(guards, attribute.getAsRange<GuardAttr>());
  if (failed(checkGuards(function, context, guards)))
    return failure();
  FailureOr<SmallVector<Tensor>> results = evaluateBlock(function.getBody().front(), *inputs, context, trace);
  if (failed(results) || failed(checkGuards(function, context, guards)))
    return failure();
  return results;
}
