// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where NaN and infinities come from.
#include "dialects/Weft/IR/ScalarBody.h"
#include "dialects/Weft/IR/Weft.h"
#include "tools/weft/verify/Compare.h"
#include "tools/weft/verify/Stages.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::verify;

namespace {
/// A kind of number to look for, and what in an operand explains it.
struct Kind {
  const char *name;
  bool (*is)(double);
  bool (*isCause)(double);
};
} // namespace

static bool isNaN(double x) { return std::isnan(x); }
static bool isInfinite(double x) { return std::isinf(x); }
static bool isNotFinite(double x) { return !std::isfinite(x); }

static constexpr Kind kKinds[] = {{"NaN", isNaN, isNaN}, {"infinity", isInfinite, isNotFinite}};

static std::optional<int64_t> findElement(const Tensor &tensor, bool (*is)(double)) {
  for (int64_t i = 0; tensor && tensor.isFloat() && i < tensor.getNumElements(); ++i)
    if (is(tensor.getFloat(i)))
      return i;
  return std::nullopt;
}

/// The place in an operand of an element-wise operation that element `place` of the result reads.
static int64_t getOperandPlace(const Tensor &operand, const Tensor &result, int64_t place) {
  return getPlace(unravel(place, result.getShape()),
                  getBroadcastStrides(operand.getShape(), result.getShape()));
}

/// The first element that no element of an operand explains: of an element-wise operation those that it is
/// computed from, of another all.
static std::optional<int64_t> findOrigin(Operation *op, ArrayRef<Tensor> operands, const Tensor &result,
                                         Kind kind) {
  std::optional<int64_t> first = findElement(result, kind.is);
  if (!first)
    return std::nullopt;
  if (!isElementwise(op)) {
    bool isExplained =
        llvm::any_of(operands, [&](const Tensor &operand) { return findElement(operand, kind.isCause); });
    return isExplained ? std::nullopt : first;
  }
  for (int64_t i = *first; i < result.getNumElements(); ++i)
    if (kind.is(result.getFloat(i)) && llvm::none_of(operands, [&](const Tensor &operand) {
          return operand.isFloat() && kind.isCause(operand.getFloat(getOperandPlace(operand, result, i)));
        }))
      return i;
  return std::nullopt;
}

static std::string describeOrigin(Operation *op, ArrayRef<Tensor> operands, const Tensor &result,
                                  int64_t place, Kind kind) {
  std::string text =
      llvm::formatv("{0} first appears at {1}, element {2} of shape {3}", kind.name, describeOperation(op),
                    describeShape(unravel(place, result.getShape())), describeShape(result.getShape()));
  if (!isElementwise(op))
    return text + "; its operands have none";
  text += operands.size() == 1 ? "; its operand there is" : "; its operands there are";
  for (auto [i, operand] : llvm::enumerate(operands))
    text += (i ? ", " : " ") + describeElement(operand, getOperandPlace(operand, result, place));
  return text;
}

LogicalResult verify::findNonFinite(func::FuncOp entry, ArrayRef<Tensor> given,
                                    std::vector<std::string> &notes) {
  FailureOr<SmallVector<Tensor>> inputs = completeInputs(entry, given);
  if (failed(inputs))
    return failure();
  DenseMap<Value, Tensor> values;
  for (auto [argument, input] : llvm::zip(entry.getArguments(), *inputs))
    values[argument] = input;
  std::string found[std::size(kKinds)];
  FailureOr<SmallVector<Tensor>> outputs =
      evaluateFunction(entry, *inputs, [&](Operation *op, ArrayRef<Tensor> results) {
        SmallVector<Tensor> operands =
            llvm::map_to_vector(op->getOperands(), [&](Value operand) { return values.lookup(operand); });
        for (auto [value, result] : llvm::zip_equal(op->getResults(), results)) {
          values[value] = result;
          for (auto [note, kind] : llvm::zip_equal(found, kKinds)) {
            if (!note.empty() || op->getNumOperands() == 0) // A constant means what it says.
              continue;
            if (std::optional<int64_t> place = findOrigin(op, operands, result, kind))
              note = describeOrigin(op, operands, result, *place, kind);
          }
        }
      });
  for (std::string &note : found)
    if (!note.empty())
      notes.push_back(std::move(note));
  return failure(failed(outputs));
}
