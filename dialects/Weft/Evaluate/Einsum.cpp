// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: einsum, as one sum over all letters that the result lacks.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/IR/EinsumEquation.h"
#include <map>

using namespace mlir;
using namespace weft;

namespace {
/// The equation with a size for each label. An index has the result's labels first, then those that are
/// summed.
struct Einsum {
  SmallVector<int> labels;
  Shape result, summed;
  SmallVector<Strides> strides; ///< of each operand, by label: 0 where it lacks it, or has 1
};
} // namespace

/// einsum-c2 of this run's sizes. A dim of 1 is broadcast.
static FailureOr<std::map<int, int64_t>> getSizes(EinsumOp op, const EinsumEquation &equation,
                                                  ArrayRef<Tensor> operands) {
  std::map<int, int64_t> sizes;
  for (auto [labels, operand] : llvm::zip(equation.inputs, operands))
    for (auto [label, dim] : llvm::zip(labels, operand.getShape())) {
      int64_t &size = sizes.try_emplace(label, dim).first->second;
      if (size != dim && size != 1 && dim != 1)
        return evaluateError(op) << "einsum-c2: one letter has sizes " << size << " and " << dim << " in \""
                                 << op.getEquation() << "\"";
      size = size == 1 ? dim : size;
    }
  return sizes;
}

static FailureOr<Einsum> planEinsum(EinsumOp op, ArrayRef<Tensor> operands) {
  std::string error;
  auto ranks = llvm::map_to_vector(operands, [](const Tensor &operand) { return operand.getRank(); });
  std::optional<EinsumEquation> equation = EinsumEquation::parse(op.getEquation(), ranks, error);
  if (!equation)
    return evaluateError(op) << "einsum-c1: " << error;
  FailureOr<std::map<int, int64_t>> sizes = getSizes(op, *equation, operands);
  if (failed(sizes))
    return failure();
  Einsum plan;
  plan.labels.assign(equation->output.begin(), equation->output.end());
  for (int label : plan.labels)
    plan.result.push_back(sizes->at(label));
  for (auto [label, size] : *sizes)
    if (!llvm::is_contained(equation->output, label)) {
      plan.labels.push_back(label);
      plan.summed.push_back(size);
    }
  for (auto [labels, operand] : llvm::zip(equation->inputs, operands)) {
    Strides own = getStrides(operand.getShape()), strides(plan.labels.size(), 0);
    for (auto [label, dim, stride] : llvm::zip(labels, operand.getShape(), own))
      if (dim != 1) // A letter that occurs twice walks the diagonal.
        strides[llvm::find(plan.labels, label) - plan.labels.begin()] += stride;
    plan.strides.push_back(strides);
  }
  return plan;
}

/// The sum at `index`, whose last entries it moves over the labels that are summed.
template <typename Sum>
static Sum sumAt(const Einsum &plan, ArrayRef<std::vector<Sum>> values, ArrayRef<int64_t> index) {
  Sum total = 0;
  forEachIndex(plan.summed, [&](ArrayRef<int64_t> rest) {
    Sum product = 1;
    for (auto [strides, elements] : llvm::zip(plan.strides, values))
      product *= elements[getPlace(index, ArrayRef(strides).take_front(index.size())) +
                          getPlace(rest, ArrayRef(strides).drop_front(index.size()))];
    total += product;
  });
  return total;
}

template <typename Sum> static std::vector<Sum> readAll(const Tensor &tensor) {
  std::vector<Sum> values(tensor.getNumElements());
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    values[i] = std::is_same_v<Sum, double> ? Sum(tensor.getFloat(i)) : Sum(tensor.getInteger(i));
  return values;
}

static FailureOr<Tensor> evaluateEinsum(EinsumOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  FailureOr<Einsum> plan = planEinsum(op, operands);
  if (failed(plan))
    return failure();
  FailureOr<Tensor> result = makeResult(op, plan->result);
  if (failed(result))
    return failure();
  int64_t place = 0;
  if (result->isFloat()) {
    auto values = llvm::map_to_vector(operands, readAll<double>);
    forEachIndex(plan->result, [&](ArrayRef<int64_t> index) {
      result->setFloat(place++, sumAt<double>(*plan, values, index));
    });
  } else { // Sums of uint64_t wrap.
    auto values = llvm::map_to_vector(operands, readAll<uint64_t>);
    forEachIndex(plan->result, [&](ArrayRef<int64_t> index) {
      result->setInteger(place++, int64_t(sumAt<uint64_t>(*plan, values, index)));
    });
  }
  return result;
}

void weft::attachEinsumModels(MLIRContext *context) { attachModel<EinsumOp, evaluateEinsum>(context); }
