// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be proven of dims: bounds of polynomials over symbols that are never negative, and relations of
// two dims.
#include "dialects/Weft/IR/DimsPolynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::polynomial;

using Bound = std::optional<int64_t>;

//===-- Assumptions
//-------------------------------------------------------------------------------------------------===//

/// Facts about one symbol are its range; the rest are sums that are not negative.
struct Assumptions::Facts {
  llvm::DenseMap<Attribute, Interval> ranges;
  SmallVector<Polynomial> sums;

  void add(const Polynomial &polynomial);
};

/// A range from factor * symbol + constant >= 0.
void Assumptions::Facts::add(const Polynomial &polynomial) {
  if (polynomial.empty())
    return;
  const Monomial &lead = polynomial.front();
  bool isLinear = polynomial.size() == 1 || (polynomial.size() == 2 && polynomial.back().atoms.empty());
  if (!isLinear || lead.atoms.size() != 1 || lead.atoms.front().getKind() != DimKind::Symbol) {
    sums.push_back(polynomial);
    return;
  }
  int64_t constant = polynomial.size() == 2 ? polynomial.back().coefficient : 0;
  if (lead.coefficient == INT64_MIN || constant == INT64_MIN)
    return;
  Interval &range = ranges.try_emplace(lead.atoms.front(), Interval{0, std::nullopt}).first->second;
  if (lead.coefficient > 0)
    range.low = std::max(*range.low, -llvm::divideFloorSigned(constant, lead.coefficient));
  else
    range.high =
        std::min(range.high.value_or(INT64_MAX), llvm::divideFloorSigned(constant, -lead.coefficient));
}

const Assumptions::Facts *&Assumptions::assumed() {
  static thread_local const Facts *facts = nullptr;
  return facts;
}

Assumptions::Assumptions(ArrayRef<Dim> nonNegative) : facts(std::make_unique<Facts>()), outer(assumed()) {
  for (Dim dim : nonNegative)
    if (dim)
      facts->add(decompose(dim.getAttr()));
  assumed() = facts.get();
}

Assumptions::~Assumptions() { assumed() = outer; }

static Interval getRange(DimAttr symbol) {
  if (const Assumptions::Facts *facts = Assumptions::assumed())
    if (auto it = facts->ranges.find(symbol); it != facts->ranges.end())
      return it->second;
  return {0, std::nullopt};
}

static ArrayRef<Polynomial> getSums() {
  const Assumptions::Facts *facts = Assumptions::assumed();
  return facts ? ArrayRef<Polynomial>(facts->sums) : ArrayRef<Polynomial>();
}

//===-- Bounds
//------------------------------------------------------------------------------------------------------===//

static Interval bounds(DimAttr atom);

static Bound combineBounds(DimKind kind, Bound left, Bound right) {
  return left && right ? combineValues(kind, *left, *right) : std::nullopt;
}

/// The hull of all operands' intervals, tightened by `kind`: a minimum is at most its least upper bound.
static Interval boundsOfChoice(DimKind kind, ArrayRef<DimAttr> operands) {
  Interval result = ::bounds(operands.front());
  for (DimAttr operand : operands.drop_front()) {
    Interval next = ::bounds(operand);
    Bound low = combineBounds(kind == DimKind::Max ? DimKind::Max : DimKind::Min, result.low, next.low);
    Bound high = combineBounds(kind == DimKind::Min ? DimKind::Min : DimKind::Max, result.high, next.high);
    if (kind == DimKind::Max && !low)
      low = result.low ? result.low : next.low;
    if (kind == DimKind::Min && !high)
      high = result.high ? result.high : next.high;
    result = {low, high};
  }
  return result;
}

static Interval boundsOfQuotient(Interval left, Interval right) {
  if (!right.low || *right.low < 0)
    return {};
  Bound divisor = right.low == right.high ? right.low : std::nullopt; // otherwise it is some number >= 1
  if (divisor)
    return {combineBounds(DimKind::FloorDiv, left.low, divisor),
            combineBounds(DimKind::FloorDiv, left.high, divisor)};
  return left.low && *left.low >= 0 ? Interval{0, left.high} : Interval{};
}

static Interval boundsOfRemainder(Interval left, Interval right) {
  if (!right.low || *right.low < 0)
    return {};
  Interval result{0, combineBounds(DimKind::Add, right.high, -1)};
  if (left.low && *left.low >= 0 && left.high)
    result.high = result.high ? std::min(*result.high, *left.high) : left.high;
  return result;
}

static Interval bounds(DimAttr atom) {
  ArrayRef<DimAttr> operands = atom.getOperands();
  switch (atom.getKind()) {
  case DimKind::Symbol:
    return getRange(atom);
  case DimKind::Constant:
  case DimKind::Add:
  case DimKind::Mul:
    return polynomial::bounds(decompose(atom));
  case DimKind::FloorDiv:
    return boundsOfQuotient(::bounds(operands[0]), ::bounds(operands[1]));
  case DimKind::Mod:
    return boundsOfRemainder(::bounds(operands[0]), ::bounds(operands[1]));
  case DimKind::Min:
  case DimKind::Max:
  case DimKind::Broadcast:
    return boundsOfChoice(atom.getKind(), operands);
  }
  return {};
}

static Interval bounds(const Monomial &term) {
  Interval product{1, 1};
  for (auto [i, atom] : llvm::enumerate(term.atoms)) {
    Interval next = ::bounds(atom);
    bool nonNegative = next.low && *next.low >= 0 && product.low && *product.low >= 0;
    if (i == 0)
      product = next;
    else if (!nonNegative)
      return {};
    else
      product = {combineBounds(DimKind::Mul, product.low, next.low).value_or(0),
                 combineBounds(DimKind::Mul, product.high, next.high)};
  }
  Interval scaled{combineBounds(DimKind::Mul, product.low, term.coefficient),
                  combineBounds(DimKind::Mul, product.high, term.coefficient)};
  return term.coefficient >= 0 ? scaled : Interval{scaled.high, scaled.low};
}

Interval weft::polynomial::bounds(ArrayRef<Monomial> polynomial) {
  Interval sum{0, 0};
  for (const Monomial &term : polynomial) {
    Interval next = ::bounds(term);
    sum = {combineBounds(DimKind::Add, sum.low, next.low), combineBounds(DimKind::Add, sum.high, next.high)};
  }
  return sum;
}

bool weft::polynomial::isBoundedBelow(const Polynomial &polynomial) {
  auto isNonNegative = [](const std::optional<Polynomial> &polynomial) {
    Interval range = polynomial ? bounds(*polynomial) : Interval();
    return range.low && *range.low >= 0;
  };
  return isNonNegative(polynomial) || llvm::any_of(getSums(), [&](const Polynomial &sum) {
           return isNonNegative(subtract(polynomial, sum));
         });
}

bool weft::polynomial::neverEquals(const Polynomial &polynomial, int64_t value) {
  Interval range = bounds(polynomial);
  if ((range.low && *range.low > value) || (range.high && *range.high < value))
    return true;
  uint64_t common = 0;
  int64_t constant = 0;
  for (const Monomial &term : polynomial) {
    if (term.atoms.empty())
      constant = term.coefficient;
    else
      common = std::gcd(common,
                        term.coefficient < 0 ? -static_cast<uint64_t>(term.coefficient) : term.coefficient);
  }
  int64_t left;
  if (common > static_cast<uint64_t>(INT64_MAX) || llvm::SubOverflow(value, constant, left))
    return false;
  return common == 0 ? left != 0 : left % static_cast<int64_t>(common) != 0;
}

namespace {
/// Proves that polynomials are not negative: by their bounds, or by replacing an atom with something that
/// makes the polynomial no greater. Each replacement is one step; steps are few, because real shapes need two
/// or three.
class Prover {
public:
  bool isNonNegative(const std::optional<Polynomial> &polynomial) {
    if (!polynomial)
      return false;
    if (isBoundedBelow(*polynomial))
      return true;
    for (size_t i = 0; i < polynomial->size(); ++i)
      for (size_t j = 0; j < (*polynomial)[i].atoms.size(); ++j)
        if (--steps >= 0 && holdsAfterReplacing(*polynomial, i, j))
          return true;
    return false;
  }

private:
  bool holdsAfterReplacing(const Polynomial &polynomial, size_t i, size_t j);

  int steps = 64;
};
} // namespace

bool Prover::holdsAfterReplacing(const Polynomial &polynomial, size_t i, size_t j) {
  Monomial factor = polynomial[i];
  DimAttr atom = factor.atoms[j];
  bool positive = factor.coefficient > 0;
  factor.atoms.erase(factor.atoms.begin() + j);
  Interval range = ::bounds(Monomial{1, factor.atoms});
  if (!range.low || *range.low < 0)
    return false;
  Polynomial others = polynomial;
  others.erase(others.begin() + i);
  auto holdsWith = [&](const Polynomial &others, const Polynomial &replacement) {
    std::optional<Polynomial> term = multiply({Polynomial{factor}, replacement});
    return isNonNegative(term ? add(others, *term) : std::nullopt);
  };
  auto holdsWithOperand = [&](DimAttr operand) { return holdsWith(others, decompose(operand)); };

  switch (atom.getKind()) {
  case DimKind::Min: // at most each of its operands, and always one of them; a maximum the other way round
    return positive ? llvm::all_of(atom.getOperands(), holdsWithOperand)
                    : llvm::any_of(atom.getOperands(), holdsWithOperand);
  case DimKind::Max:
    return positive ? llvm::any_of(atom.getOperands(), holdsWithOperand)
                    : llvm::all_of(atom.getOperands(), holdsWithOperand);
  case DimKind::Broadcast:
    return llvm::all_of(atom.getOperands(), holdsWithOperand);
  case DimKind::FloorDiv: { // a - k + 1 <= k * floordiv(a, k) <= a, with everything multiplied by k
    std::optional<int64_t> k = Dim(atom.getOperands()[1]).getConstant();
    if (!k || *k <= 0)
      return false;
    std::optional<Polynomial> scaled = scale(others, *k);
    std::optional<Polynomial> end = decompose(atom.getOperands()[0]);
    if (positive)
      end = add(*end, fromConstant(1 - *k));
    return scaled && end && holdsWith(*scaled, *end);
  }
  default:
    return false;
  }
}

static std::optional<Polynomial> difference(Dim left, Dim right) {
  return subtract(decompose(left.getAttr()), decompose(right.getAttr()));
}

bool weft::provablyNonNegative(Dim dim) { return dim && Prover().isNonNegative(decompose(dim.getAttr())); }

bool weft::provablyLessEqual(Dim left, Dim right) {
  return left && right && Prover().isNonNegative(difference(right, left));
}

bool weft::provablyLess(Dim left, Dim right) { return provablyLessEqual(left + 1, right); }

std::optional<bool> weft::provablyEqual(Dim left, Dim right) {
  if (!left || !right)
    return std::nullopt;
  if (left == right)
    return true;
  std::optional<Polynomial> gap = difference(left, right);
  if ((gap && neverEquals(*gap, 0)) || provablyLess(left, right) || provablyLess(right, left))
    return false;
  if (provablyLessEqual(left, right) && provablyLessEqual(right, left))
    return true;
  return std::nullopt;
}
