// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each kernel by itself: what it made of its operands, and what the evaluator makes of the same. An error
// does not reach the nodes behind it, so each that differs is wrong itself.
#include "dialects/Weft/IR/Weft.h"
#include "tools/weft/verify/Bounds.h"
#include "tools/weft/verify/Compare.h"
#include "tools/weft/verify/Stages.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;

std::string verify::describeOperation(Operation *op) {
  std::string name = getNodeName(op);
  llvm::SetVector<StringAttr> inside;
  op->walk([&](Operation *inner) {
    std::string node = getNodeName(inner->getLoc());
    if (inner != op && !node.empty() && node != name && !isa<arith::ConstantOp, YieldOp>(inner))
      inside.insert(StringAttr::get(op->getContext(), node));
  });
  std::string text = "node \"" + name + "\" (" + op->getName().getStringRef().str();
  for (auto [i, node] : llvm::enumerate(inside))
    text += (i == 0 ? "; with \"" : i + 1 < inside.size() ? ", \"" : " and \"") + node.str() + "\"";
  return text + ")";
}

/// `result 1 of node "/attn/MatMul" (weft.attention)`, where an operation has several.
static std::string describeResult(OpResult result) {
  std::string operation = verify::describeOperation(result.getOwner());
  if (result.getOwner()->getNumResults() == 1)
    return operation;
  return "result " + std::to_string(result.getResultNumber()) + " of " + operation;
}

LogicalResult verify::compareKernels(func::FuncOp entry, ArrayRef<Tensor> given, ArrayRef<Tensor> taps,
                                     std::vector<Finding> &findings) {
  EvaluateContext context;
  DenseMap<Value, Tensor> values;
  FailureOr<SmallVector<Tensor>> inputs = completeInputs(entry, given);
  if (failed(inputs) || failed(context.bindInputs(entry, *inputs)))
    return failure();
  for (auto [argument, input] : llvm::zip_equal(entry.getArguments(), *inputs))
    values[argument] = input;
  for (auto [value, tensor] : llvm::zip_equal(getTappedValues(entry), taps))
    values[value] = tensor;
  for (Operation &op : entry.getBody().front().without_terminator()) {
    SmallVector<Tensor> operands =
        llvm::map_to_vector(op.getOperands(), [&](Value operand) { return values.lookup(operand); });
    FailureOr<SmallVector<Tensor>> results = evaluateOperation(&op, operands, context);
    if (failed(results))
      return failure();
    for (auto [result, expected] : llvm::zip_equal(op.getResults(), *results)) {
      auto [known, isMissing] = values.try_emplace(result, expected);
      if (isMissing) // a constant, or of a type that no output has
        continue;
      Tensor got = known->second;
      FailureOr<std::vector<double>> bounds = getKernelBounds(result, operands, expected, context);
      if (failed(bounds))
        return failure();
      Comparison comparison = compareTensors(got, expected, *bounds);
      findings.push_back({describeResult(result), comparison.ratio, comparison.difference});
    }
  }
  return success();
}
