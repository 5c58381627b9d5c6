// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symbolic dims: the operations with their simplifications, evaluation, substitution.
#include "dialects/Weft/IR/Dims.h"
#include "dialects/Weft/IR/DimsPolynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::polynomial;

static Polynomial polynomialOf(Dim dim) { return decompose(dim.getAttr()); }

static Dim dimOf(MLIRContext *context, const std::optional<Polynomial> &polynomial) {
  return polynomial ? Dim(compose(context, *polynomial)) : Dim();
}

static Dim node(MLIRContext *context, DimKind kind, ArrayRef<Dim> operands) {
  return makeNode(context, kind, llvm::map_to_vector(operands, [](Dim dim) { return dim.getAttr(); }));
}

static bool anyNull(ArrayRef<Dim> dims) { return llvm::is_contained(dims, Dim()); }

//===-- Leaves and order
//------------------------------------------------------------------------------------------===//

Dim Dim::constant(MLIRContext *context, int64_t value) {
  return DimAttr::get(context, DimKind::Constant, value, StringAttr::get(context), {});
}

Dim Dim::symbol(MLIRContext *context, StringRef name) {
  return DimAttr::get(context, DimKind::Symbol, 0, StringAttr::get(context, name), {});
}

std::optional<int64_t> Dim::getConstant() const {
  if (!attr || attr.getKind() != DimKind::Constant)
    return std::nullopt;
  return attr.getValue();
}

std::optional<StringRef> Dim::getSymbol() const {
  if (!attr || attr.getKind() != DimKind::Symbol)
    return std::nullopt;
  return attr.getName().getValue();
}

template <typename T> static int compareValues(T left, T right) { return left < right ? -1 : left > right; }

int Dim::compare(Dim left, Dim right) {
  if (left == right)
    return 0;
  if (!left || !right)
    return left ? 1 : -1;
  DimAttr l = left.attr, r = right.attr;
  if (int order = compareValues(l.getKind(), r.getKind()))
    return order;
  if (int order = compareValues(l.getValue(), r.getValue()))
    return order;
  if (int order = l.getName().getValue().compare(r.getName().getValue()))
    return order;
  // Only the first pair of different operands is looked into, so that sharing does not make this slow.
  for (auto [lOperand, rOperand] : llvm::zip(l.getOperands(), r.getOperands()))
    if (lOperand != rOperand)
      return compare(lOperand, rOperand);
  return compareValues(l.getOperands().size(), r.getOperands().size());
}

//===-- Sums and products
//-----------------------------------------------------------------------------------------===//

Dim Dim::sum(MLIRContext *context, ArrayRef<Dim> dims) {
  if (anyNull(dims))
    return {};
  Polynomial terms;
  for (Dim dim : dims)
    terms.append(polynomialOf(dim));
  return dimOf(context, normalize(std::move(terms)));
}

Dim Dim::product(MLIRContext *context, ArrayRef<Dim> dims) {
  return anyNull(dims) ? Dim() : dimOf(context, multiply(llvm::map_to_vector(dims, polynomialOf)));
}

Dim weft::operator+(Dim left, Dim right) {
  return left && right ? Dim::sum(left.getContext(), {left, right}) : Dim();
}

Dim weft::operator*(Dim left, Dim right) {
  return left && right ? Dim::product(left.getContext(), {left, right}) : Dim();
}

Dim weft::operator*(Dim left, int64_t right) {
  return left ? dimOf(left.getContext(), scale(polynomialOf(left), right)) : Dim();
}

Dim weft::operator*(int64_t left, Dim right) { return right * left; }
Dim weft::operator-(Dim dim) { return dim * -1; }
Dim weft::operator-(Dim left, Dim right) { return left + -right; }
Dim weft::operator+(Dim left, int64_t right) {
  return left ? left + Dim::constant(left.getContext(), right) : Dim();
}
Dim weft::operator-(Dim left, int64_t right) {
  return left ? left - Dim::constant(left.getContext(), right) : Dim();
}

std::pair<Dim, Dim> weft::withoutCommonFactor(Dim left, Dim right) {
  if (!left || !right)
    return {left, right};
  Polynomial first = polynomialOf(left), second = polynomialOf(right);
  if (!cancelSizes(first, second))
    return {left, right};
  Dim l = compose(left.getContext(), first), r = compose(left.getContext(), second);
  return l && r ? std::pair(l, r) : std::pair(left, right);
}

//===-- Division
//--------------------------------------------------------------------------------------------------===//

static bool hasNegativeLead(Dim dim) {
  Polynomial polynomial = polynomialOf(dim);
  return !polynomial.empty() && polynomial.front().coefficient < 0;
}

/// Whether 0 <= left < right always: then left / right is 0 and left is its own remainder.
static bool isBelow(const Polynomial &left, const Polynomial &right) {
  std::optional<Polynomial> room = subtract(right, left);
  room = room ? add(*room, fromConstant(-1)) : std::nullopt;
  return isBoundedBelow(left) && room && isBoundedBelow(*room);
}

/// floordiv(floordiv(a, b) + c, k) == floordiv(a + b * c, b * k) for constants c and k > 0.
static Dim mergeNestedFloorDiv(Dim left, Dim right) {
  Polynomial terms = polynomialOf(left);
  bool isAtomAndConstant = terms.size() == 1 || (terms.size() == 2 && terms.back().atoms.empty());
  if (!isAtomAndConstant || right.getConstant().value_or(0) <= 0 || terms.front().coefficient != 1 ||
      terms.front().atoms.size() != 1 || terms.front().atoms.front().getKind() != DimKind::FloorDiv)
    return {};
  Dim inner = terms.front().atoms.front();
  Dim a = inner.getAttr().getOperands()[0], b = inner.getAttr().getOperands()[1];
  return Dim::floorDiv(a + b * (left - inner), b * right);
}

Dim Dim::floorDiv(Dim left, Dim right) {
  if (!left || !right || right.getConstant() == 0)
    return {};
  if (hasNegativeLead(right))
    return floorDiv(-left, -right);
  MLIRContext *context = left.getContext();
  std::optional<Division> division = divide(polynomialOf(left), polynomialOf(right));
  if (!division)
    return {};
  Dim quotient = compose(context, division->quotient);
  if (division->rest.empty() || isBelow(division->rest, division->divisor))
    return quotient;
  Dim rest = compose(context, division->rest), divisor = compose(context, division->divisor);
  if (!rest || !divisor)
    return {};
  Dim merged = mergeNestedFloorDiv(rest, divisor);
  return quotient + (merged ? merged : node(context, DimKind::FloorDiv, {rest, divisor}));
}

Dim Dim::ceilDiv(Dim left, Dim right) { return -floorDiv(-left, right); }

Dim Dim::mod(Dim left, Dim right) {
  if (!left || !right || right.getConstant() == 0)
    return {};
  if (hasNegativeLead(right))
    return -mod(-left, -right);
  MLIRContext *context = left.getContext();
  std::optional<Division> division = divide(polynomialOf(left), polynomialOf(right));
  if (!division)
    return {};
  Dim rest = compose(context, division->rest), divisor = compose(context, division->divisor);
  if (!division->rest.empty() && !isBelow(division->rest, division->divisor) && rest && divisor)
    rest = node(context, DimKind::Mod, {rest, divisor});
  return Dim(compose(context, {division->scale})) * rest + division->offset;
}

//===-- Choices
//---------------------------------------------------------------------------------------------------===//

/// The operands of a nest of `kind`, sorted, each once.
static SmallVector<Dim> flatten(DimKind kind, ArrayRef<Dim> dims) {
  SmallVector<Dim> flat;
  for (Dim dim : dims) {
    if (dim.getAttr().getKind() == kind)
      llvm::append_range(flat, dim.getAttr().getOperands());
    else
      flat.push_back(dim);
  }
  llvm::sort(flat);
  flat.erase(llvm::unique(flat), flat.end());
  return flat;
}

/// By bounds alone, not by all that can be proven: that is transitive, and so nests of any form end up the
/// same.
static bool isAtMost(const Polynomial &left, const Polynomial &right) {
  std::optional<int64_t> high = bounds(left).high, low = bounds(right).low;
  if (high && low && *high <= *low) // for constants so far apart that their difference overflows
    return true;
  std::optional<Polynomial> gap = subtract(right, left);
  return gap && isBoundedBelow(*gap);
}

/// Keeps the operands that no other one makes superfluous.
static Dim extremum(DimKind kind, ArrayRef<Dim> dims) {
  if (dims.empty() || anyNull(dims))
    return {};
  MLIRContext *context = dims.front().getContext();
  SmallVector<std::pair<Dim, Polynomial>> kept;
  for (Dim dim : flatten(kind, dims)) {
    Polynomial next = polynomialOf(dim);
    auto wins = [&](const Polynomial &a, const Polynomial &b) {
      return kind == DimKind::Min ? isAtMost(a, b) : isAtMost(b, a);
    };
    if (llvm::any_of(kept, [&](auto &other) { return wins(other.second, next); }))
      continue;
    llvm::erase_if(kept, [&](auto &other) { return wins(next, other.second); });
    kept.push_back({dim, std::move(next)});
  }
  if (kept.size() == 1)
    return kept.front().first;
  return node(context, kind, llvm::map_to_vector(kept, [](auto &entry) { return entry.first; }));
}

Dim Dim::min(ArrayRef<Dim> dims) { return extremum(DimKind::Min, dims); }
Dim Dim::max(ArrayRef<Dim> dims) { return extremum(DimKind::Max, dims); }

Dim Dim::broadcast(ArrayRef<Dim> dims) {
  if (dims.empty() || anyNull(dims))
    return {};
  MLIRContext *context = dims.front().getContext();
  SmallVector<Dim> operands = flatten(DimKind::Broadcast, dims);
  llvm::erase_if(operands, [](Dim dim) { return dim.getConstant() == 1; });
  if (operands.empty())
    return constant(context, 1);
  // 1, but for an `of` that is 0, which such a broadcast is then as well.
  auto isOneOf = [&](Dim dim, Dim of) {
    Dim one = constant(context, 1);
    return dim != of && (dim == min(one, of) || dim == one - max(constant(context, 0), one - of));
  };
  SmallVector<Dim> all = operands;
  llvm::erase_if(operands,
                 [&](Dim dim) { return llvm::any_of(all, [&](Dim other) { return isOneOf(dim, other); }); });
  // All that are not 1 are equal, or the model is wrong: so one that never is 1 is the result.
  for (Dim dim : operands)
    if (neverEquals(polynomialOf(dim), 1))
      return dim;
  return operands.size() == 1 ? operands.front() : node(context, DimKind::Broadcast, operands);
}

Dim Dim::combine(MLIRContext *context, DimKind kind, ArrayRef<Dim> operands) {
  switch (kind) {
  case DimKind::Add:
    return sum(context, operands);
  case DimKind::Mul:
    return product(context, operands);
  case DimKind::FloorDiv:
    return operands.size() == 2 ? floorDiv(operands[0], operands[1]) : Dim();
  case DimKind::Mod:
    return operands.size() == 2 ? mod(operands[0], operands[1]) : Dim();
  case DimKind::Min:
    return min(operands);
  case DimKind::Max:
    return max(operands);
  case DimKind::Broadcast:
    return broadcast(operands);
  case DimKind::Constant:
  case DimKind::Symbol:
    return {};
  }
  return {};
}
