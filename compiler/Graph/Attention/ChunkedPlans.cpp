// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/ChunkedPlans.h"
#include "compiler/Graph/Attention/ChunkedAttention.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

namespace {
/// The operations between the sources of queries, keys and values and the product with values, in an order
/// that follows from them: each as what it is and the numbers of its operands.
class Surroundings {
public:
  /// False if no product uses the softmax.
  bool collect(SoftmaxOp softmax);
  ArrayRef<Value> getValues() const { return values; }
  std::vector<uintptr_t> takeSignature() { return std::move(signature); }

private:
  /// What is before a product's operand is told apart no further than moves and constants are.
  enum class Side { Scores, Operand };
  MatmulOp findContext(SoftmaxOp softmax);
  size_t visit(Value value, Side side);

  SmallVector<Value> values;
  DenseMap<Value, size_t> numbers;
  std::vector<uintptr_t> signature;
};
} // namespace

/// The product that uses the softmax after moves and wheres, in some place; null if there is none.
MatmulOp Surroundings::findContext(SoftmaxOp softmax) {
  MatmulOp context;
  llvm::SmallSetVector<Operation *, 16> pending;
  pending.insert(softmax);
  for (size_t i = 0; i < pending.size(); ++i) {
    size_t uses = 0;
    for (Operation *user : pending[i]->getUsers()) {
      ++uses;
      bool isMove = !getMoved(user).empty();
      if (auto product = dyn_cast<MatmulOp>(user); product && !isMove && !context)
        context = product;
      if (isMove || isa<WhereOp>(user))
        pending.insert(user);
    }
    signature.push_back(uses); // some may want the weights
  }
  return context;
}

size_t Surroundings::visit(Value value, Side side) {
  if (auto found = numbers.find(value); found != numbers.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  bool isInside = op && op->getNumRegions() == 0 && op->getNumResults() == 1 &&
                  (isComputedFromConstants(value) || !getMoved(op).empty() ||
                   (side == Side::Scores && isa<AddOp, MulOp, DivOp, WhereOp, SoftmaxOp>(op)));
  bool isProduct = side == Side::Scores && isa_and_present<MatmulOp>(op);
  SmallVector<size_t> operands;
  if (isInside || isProduct)
    for (Value operand : op->getOperands())
      operands.push_back(visit(operand, isProduct ? Side::Operand : side));
  size_t number = values.size();
  values.push_back(value);
  numbers[value] = number;
  auto note = [&](const void *what) { signature.push_back(reinterpret_cast<uintptr_t>(what)); };
  note(value.getType().getAsOpaquePointer());
  note(isInside || isProduct ? op->getName().getAsOpaquePointer() : nullptr);
  signature.push_back(isProduct && !cast<MatmulOp>(op).getEpilogue().empty());
  auto constant = value.getDefiningOp<ConstantOp>();
  if (auto weight = constant ? dyn_cast<WeightAttr>(constant.getValue()) : WeightAttr())
    signature.insert(signature.end(),
                     {uintptr_t(weight.getHash()), uintptr_t(weight.getBytes())}); // wherever it lies
  else
    note(isInside || isProduct ? op->getAttrDictionary().getAsOpaquePointer() : nullptr);
  signature.push_back(operands.size());
  signature.insert(signature.end(), operands.begin(), operands.end());
  return number;
}

bool Surroundings::collect(SoftmaxOp softmax) {
  MatmulOp context = findContext(softmax);
  if (!context || !context.getCaptures().empty())
    return false;
  visit(context.getLhs(), Side::Scores);
  visit(context.getRhs(), Side::Operand);
  visit(context, Side::Scores);
  return true;
}

ChunkedPlans::Outcome ChunkedPlans::find(SoftmaxOp softmax) {
  Surroundings around;
  bool isAmongOperations = around.collect(softmax);
  std::vector<uintptr_t> signature = around.takeSignature();
  if (auto found = known.find(signature); isAmongOperations && found != known.end()) {
    Outcome outcome = found->second.outcome;
    size_t next = 0;
    if (outcome.plan)
      outcome.plan->mapValues([&](Value) { return around.getValues()[found->second.places[next++]]; });
    return outcome;
  }
  ChunkedAttention attention(softmax);
  Known result;
  if (attention.match())
    result.outcome.plan = attention.getPlan();
  result.outcome.obstacle = attention.getObstacle();
  result.outcome.isCandidate = attention.isCandidate();
  ArrayRef<Value> values = around.getValues();
  if (result.outcome.plan)
    result.outcome.plan->mapValues([&](Value value) {
      result.places.push_back(llvm::find(values, value) - values.begin());
      return value;
    });
  Outcome outcome = result.outcome;
  if (isAmongOperations && llvm::none_of(result.places, [&](size_t place) { return place == values.size(); }))
    known.emplace(std::move(signature), std::move(result));
  return outcome;
}
