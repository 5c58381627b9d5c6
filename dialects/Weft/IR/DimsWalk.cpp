// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over symbolic dims: symbols, substitution, evaluation, postfix programs.
#include "dialects/Weft/IR/Dims.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

void Dim::walkSymbols(function_ref<void(StringRef)> visit) const {
  visitPostfix(*this, [&](DimKind kind, int64_t, StringRef name) {
    if (kind == DimKind::Symbol)
      visit(name);
  });
}

void weft::visitPostfix(Dim dim, PostfixVisitor visit) {
  if (!dim)
    return;
  DimAttr attr = dim.getAttr();
  if (attr.getOperands().empty())
    return visit(attr.getKind(), attr.getValue(), attr.getName().getValue());
  for (auto [i, operand] : llvm::enumerate(attr.getOperands())) {
    visitPostfix(operand, visit);
    if (i > 0)
      visit(attr.getKind(), 0, "");
  }
}

Dim Dim::substitute(function_ref<Dim(StringRef)> replacement) const {
  if (!attr || isConstant())
    return *this;
  if (std::optional<StringRef> name = getSymbol()) {
    Dim replaced = replacement(*name);
    return replaced ? replaced : *this;
  }
  return combine(getContext(), attr.getKind(), llvm::map_to_vector(attr.getOperands(), [&](DimAttr operand) {
                   return Dim(operand).substitute(replacement);
                 }));
}

std::optional<int64_t> weft::combineValues(DimKind kind, int64_t left, int64_t right) {
  int64_t result;
  switch (kind) {
  case DimKind::Add:
    return llvm::AddOverflow(left, right, result) ? std::nullopt : std::optional(result);
  case DimKind::Mul:
    return llvm::MulOverflow(left, right, result) ? std::nullopt : std::optional(result);
  case DimKind::FloorDiv:
    if (right == 0 || (left == INT64_MIN && right == -1))
      return std::nullopt;
    return left / right - (left % right != 0 && (left < 0) != (right < 0));
  case DimKind::Mod:
    if (right == 0)
      return std::nullopt;
    result = right == -1 ? 0 : left % right;
    return result + (result != 0 && (result < 0) != (right < 0) ? right : 0);
  case DimKind::Min:
    return std::min(left, right);
  case DimKind::Max:
    return std::max(left, right);
  case DimKind::Broadcast:
    return left == 1 ? right : left;
  case DimKind::Constant:
  case DimKind::Symbol:
    return std::nullopt;
  }
  return std::nullopt;
}

static std::string describeFailure(DimKind kind, int64_t left, int64_t right) {
  if ((kind == DimKind::FloorDiv || kind == DimKind::Mod) && right == 0)
    return "division of " + std::to_string(left) + " by zero";
  StringRef sign = kind == DimKind::Add ? " + " : kind == DimKind::Mul ? " * " : " / ";
  return std::to_string(left) + sign.str() + std::to_string(right) + " overflows 64 bits";
}

std::optional<int64_t> Dim::evaluate(function_ref<std::optional<int64_t>(StringRef)> valueOf,
                                     std::string *error) const {
  std::string reason = attr ? "" : "the dim is unknown";
  SmallVector<int64_t> stack;
  visitPostfix(*this, [&](DimKind kind, int64_t value, StringRef name) {
    if (!reason.empty())
      return;
    std::optional<int64_t> result;
    if (kind == DimKind::Constant) {
      result = value;
    } else if (kind == DimKind::Symbol) {
      result = valueOf(name);
      if (!result)
        reason = "no value is known for \"" + name.str() + "\"";
    } else {
      int64_t right = stack.pop_back_val(), left = stack.pop_back_val();
      result = combineValues(kind, left, right);
      if (!result)
        reason = describeFailure(kind, left, right);
    }
    stack.push_back(result.value_or(0));
  });
  if (reason.empty())
    return stack.back();
  if (error)
    *error = toString() + ": " + reason;
  return std::nullopt;
}
