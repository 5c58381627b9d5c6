// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polynomials of dims: from and to attributes, sums, products, and division with everything exact taken out.
#include "dialects/Weft/IR/DimsPolynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::polynomial;

static bool before(DimAttr left, DimAttr right) { return Dim::compare(left, right) < 0; }

int weft::polynomial::compareAtoms(ArrayRef<DimAttr> left, ArrayRef<DimAttr> right) {
  if (left.size() != right.size())
    return left.size() > right.size() ? -1 : 1;
  for (auto [l, r] : llvm::zip_equal(left, right))
    if (l != r)
      return Dim::compare(l, r);
  return 0;
}

//===-- Attributes
//------------------------------------------------------------------------------------------------===//

static bool isWithinLimits(ArrayRef<DimAttr> operands, int depth, int &nodes) {
  nodes -= static_cast<int>(std::min<size_t>(operands.size(), kMaxNodes + 1));
  if (depth > kMaxDepth || nodes < 0)
    return false;
  return llvm::all_of(
      operands, [&](DimAttr operand) { return isWithinLimits(operand.getOperands(), depth + 1, nodes); });
}

DimAttr weft::polynomial::makeNode(MLIRContext *context, DimKind kind, ArrayRef<DimAttr> operands) {
  int nodes = kMaxNodes;
  if (llvm::is_contained(operands, DimAttr()) || !isWithinLimits(operands, 1, nodes))
    return {};
  return DimAttr::get(context, kind, 0, StringAttr::get(context), operands);
}

Polynomial weft::polynomial::fromConstant(int64_t value) {
  return value == 0 ? Polynomial() : Polynomial{Monomial{value, {}}};
}

static Monomial decomposeTerm(DimAttr term) {
  if (term.getKind() == DimKind::Constant)
    return {term.getValue(), {}};
  if (term.getKind() != DimKind::Mul)
    return {1, {term}};
  ArrayRef<DimAttr> factors = term.getOperands();
  bool scaled = factors.front().getKind() == DimKind::Constant;
  return {scaled ? factors.front().getValue() : 1, llvm::SmallVector<DimAttr, 2>(factors.drop_front(scaled))};
}

Polynomial weft::polynomial::decompose(DimAttr dim) {
  if (dim.getKind() == DimKind::Constant)
    return fromConstant(dim.getValue());
  if (dim.getKind() != DimKind::Add)
    return {decomposeTerm(dim)};
  return llvm::map_to_vector<2>(dim.getOperands(), decomposeTerm);
}

static DimAttr composeTerm(MLIRContext *context, const Monomial &term) {
  if (term.atoms.empty())
    return Dim::constant(context, term.coefficient).getAttr();
  if (term.coefficient == 1 && term.atoms.size() == 1)
    return term.atoms.front();
  SmallVector<DimAttr> factors;
  if (term.coefficient != 1)
    factors.push_back(Dim::constant(context, term.coefficient).getAttr());
  factors.append(term.atoms.begin(), term.atoms.end());
  return makeNode(context, DimKind::Mul, factors);
}

DimAttr weft::polynomial::compose(MLIRContext *context, ArrayRef<Monomial> polynomial) {
  if (polynomial.empty())
    return Dim::constant(context, 0).getAttr();
  if (polynomial.size() == 1)
    return composeTerm(context, polynomial.front());
  return makeNode(context, DimKind::Add, llvm::map_to_vector(polynomial, [&](const Monomial &term) {
                    return composeTerm(context, term);
                  }));
}

//===-- Sums and products
//-----------------------------------------------------------------------------------------===//

static std::optional<Monomial> multiply(const Monomial &left, const Monomial &right) {
  Monomial result;
  if (llvm::MulOverflow(left.coefficient, right.coefficient, result.coefficient) ||
      left.atoms.size() + right.atoms.size() > kMaxDegree)
    return std::nullopt;
  std::merge(left.atoms.begin(), left.atoms.end(), right.atoms.begin(), right.atoms.end(),
             std::back_inserter(result.atoms), before);
  return result;
}

static std::optional<Polynomial> distribute(const Polynomial &left, const Polynomial &right) {
  Polynomial terms;
  for (const Monomial &l : left)
    for (const Monomial &r : right) {
      std::optional<Monomial> term = ::multiply(l, r);
      if (!term)
        return std::nullopt;
      terms.push_back(std::move(*term));
    }
  return normalize(std::move(terms));
}

static bool isSum(DimAttr atom) { return atom.getKind() == DimKind::Add; }

/// The one rule for products of sums: one sum is always multiplied out, more only if few terms come of it.
static bool staysProduct(ArrayRef<size_t> sizes) {
  size_t terms = 1;
  for (size_t size : sizes)
    terms = std::min(terms * std::min(size, kMaxTerms + 1), kMaxTerms + 1);
  return sizes.size() > 1 && terms > kMaxTerms;
}

/// A division may have taken away what kept a product from being multiplied out.
static bool expandProducts(Polynomial &terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    SmallVector<size_t> sizes;
    Polynomial product{Monomial{terms[i].coefficient, {}}};
    for (DimAttr atom : terms[i].atoms) {
      if (isSum(atom))
        sizes.push_back(atom.getOperands().size());
      else
        product.front().atoms.push_back(atom);
    }
    if (sizes.empty() || staysProduct(sizes))
      continue;
    for (DimAttr atom : llvm::make_filter_range(terms[i].atoms, isSum)) {
      std::optional<Polynomial> next = distribute(product, decompose(atom));
      if (!next)
        return false;
      product = std::move(*next);
    }
    terms[i].coefficient = 0;
    terms.append(product.begin(), product.end());
  }
  return true;
}

std::optional<Polynomial> weft::polynomial::normalize(Polynomial terms) {
  if (!expandProducts(terms))
    return std::nullopt;
  llvm::sort(terms, [](const Monomial &l, const Monomial &r) { return compareAtoms(l.atoms, r.atoms) < 0; });
  Polynomial merged;
  for (Monomial &term : terms) {
    if (merged.empty() || merged.back().atoms != term.atoms)
      merged.push_back(std::move(term));
    else if (llvm::AddOverflow(merged.back().coefficient, term.coefficient, merged.back().coefficient))
      return std::nullopt;
  }
  llvm::erase_if(merged, [](const Monomial &term) { return term.coefficient == 0; });
  return merged;
}

std::optional<Polynomial> weft::polynomial::add(const Polynomial &left, const Polynomial &right) {
  Polynomial terms = left;
  terms.append(right.begin(), right.end());
  return normalize(std::move(terms));
}

std::optional<Polynomial> weft::polynomial::subtract(const Polynomial &left, const Polynomial &right) {
  std::optional<Polynomial> negated = scale(right, -1);
  return negated ? add(left, *negated) : std::nullopt;
}

std::optional<Polynomial> weft::polynomial::scale(const Polynomial &polynomial, int64_t factor) {
  if (factor == 0)
    return Polynomial();
  Polynomial result = polynomial;
  for (Monomial &term : result)
    if (llvm::MulOverflow(term.coefficient, factor, term.coefficient))
      return std::nullopt;
  return result;
}

static std::optional<Polynomial> multiplyUnexpanded(Monomial product, ArrayRef<const Polynomial *> sums) {
  for (const Polynomial *sum : sums) {
    DimAttr atom = compose(sum->front().atoms.front().getContext(), *sum);
    if (!atom || product.atoms.size() == kMaxDegree)
      return std::nullopt;
    product.atoms.push_back(atom);
  }
  llvm::sort(product.atoms, before);
  return Polynomial{std::move(product)};
}

std::optional<Polynomial> weft::polynomial::multiply(ArrayRef<Polynomial> factors) {
  Monomial single{1, {}};
  SmallVector<const Polynomial *> sums;
  SmallVector<size_t> sizes;
  for (const Polynomial &factor : factors) {
    if (factor.empty())
      return Polynomial();
    if (factor.size() > 1) {
      sums.push_back(&factor);
      sizes.push_back(factor.size());
      continue;
    }
    std::optional<Monomial> product = ::multiply(single, factor.front());
    if (!product)
      return std::nullopt;
    single = std::move(*product);
  }
  if (staysProduct(sizes) || llvm::any_of(single.atoms, isSum))
    return multiplyUnexpanded(std::move(single), sums);
  std::optional<Polynomial> result = Polynomial{std::move(single)};
  for (const Polynomial *sum : sums)
    if (result)
      result = distribute(*result, *sum);
  return result;
}

//===-- Division
//--------------------------------------------------------------------------------------------------===//

static bool dividesAtoms(const Monomial &term, const Monomial &by) {
  return std::includes(term.atoms.begin(), term.atoms.end(), by.atoms.begin(), by.atoms.end(), before);
}

static llvm::SmallVector<DimAttr, 2> withoutAtoms(ArrayRef<DimAttr> atoms, ArrayRef<DimAttr> without) {
  llvm::SmallVector<DimAttr, 2> left;
  std::set_difference(atoms.begin(), atoms.end(), without.begin(), without.end(), std::back_inserter(left),
                      before);
  return left;
}

static llvm::SmallVector<DimAttr, 2> sharedAtoms(ArrayRef<DimAttr> left, ArrayRef<DimAttr> right) {
  llvm::SmallVector<DimAttr, 2> shared;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(shared),
                        before);
  return shared;
}

/// p / d by leading terms, if nothing is left over.
static std::optional<Polynomial> divideExactly(Polynomial p, const Polynomial &d) {
  Polynomial quotient;
  while (!p.empty()) {
    const Monomial &lead = p.front();
    if (quotient.size() == kMaxTerms || !dividesAtoms(lead, d.front()) ||
        lead.coefficient % d.front().coefficient != 0)
      return std::nullopt;
    quotient.push_back({lead.coefficient / d.front().coefficient, withoutAtoms(lead.atoms, d.front().atoms)});
    std::optional<Polynomial> product = multiply({Polynomial{quotient.back()}, d});
    std::optional<Polynomial> left = product ? subtract(p, *product) : std::nullopt;
    if (!left)
      return std::nullopt;
    p = std::move(*left);
  }
  return quotient;
}

/// For a divisor of one term: p == quotient * d + rest, where a term of rest that d's atoms divide has a
/// coefficient in [0, d's coefficient).
static void splitByMonomial(const Polynomial &p, const Monomial &d, Division &division) {
  for (const Monomial &term : p) {
    if (!dividesAtoms(term, d)) {
      division.rest.push_back(term);
      continue;
    }
    int64_t quotient = llvm::divideFloorSigned(term.coefficient, d.coefficient);
    int64_t left = llvm::mod(term.coefficient, d.coefficient);
    if (quotient != 0)
      division.quotient.push_back({quotient, withoutAtoms(term.atoms, d.atoms)});
    if (left != 0)
      division.rest.push_back({left, term.atoms});
  }
}

static uint64_t magnitude(int64_t value) { return value < 0 ? -static_cast<uint64_t>(value) : value; }

/// Cancels what rest and divisor have in common. A constant divisor also cancels past rest's constant, whose
/// part below the common factor cannot change the quotient: floordiv(4 * x + 3, 6) == floordiv(2 * x + 1, 3).
static void cancelCommonFactor(Division &division) {
  Monomial &common = division.scale;
  bool byConstant = division.divisor.front().atoms.empty();
  common.atoms = division.divisor.front().atoms;
  uint64_t factor = 0;
  for (const Polynomial *side : {&division.divisor, &division.rest})
    for (const Monomial &term : *side) {
      if (side == &division.divisor || !byConstant || !term.atoms.empty())
        factor = std::gcd(factor, magnitude(term.coefficient));
      common.atoms = sharedAtoms(common.atoms, term.atoms);
    }
  common.coefficient = factor <= static_cast<uint64_t>(INT64_MAX) ? factor : 1;
  for (Polynomial *side : {&division.divisor, &division.rest})
    for (Monomial &term : *side) {
      int64_t quotient = llvm::divideFloorSigned(term.coefficient, common.coefficient);
      division.offset += llvm::mod(term.coefficient, common.coefficient);
      term = {quotient, withoutAtoms(term.atoms, common.atoms)};
    }
  llvm::erase_if(division.rest, [](const Monomial &term) { return term.coefficient == 0; });
}

std::optional<Division> weft::polynomial::divide(const Polynomial &p, const Polynomial &d) {
  Division division{{}, {}, d, {1, {}}, 0};
  if (std::optional<Polynomial> exact = divideExactly(p, d)) {
    division.quotient = std::move(*exact);
    return division;
  }
  if (d.size() == 1)
    splitByMonomial(p, d.front(), division);
  else
    division.rest = p;
  if (!division.rest.empty())
    cancelCommonFactor(division);
  for (Polynomial *side : {&division.quotient, &division.rest, &division.divisor}) {
    std::optional<Polynomial> normal = normalize(std::move(*side));
    if (!normal)
      return std::nullopt;
    *side = std::move(*normal);
  }
  return division;
}

bool weft::polynomial::cancelSizes(Polynomial &left, Polynomial &right) {
  std::optional<llvm::SmallVector<DimAttr, 2>> sizes;
  uint64_t factor = 0;
  for (const Polynomial *side : {&left, &right})
    for (const Monomial &term : *side) {
      factor = std::gcd(factor, magnitude(term.coefficient));
      sizes = sizes ? sharedAtoms(*sizes, term.atoms) : term.atoms;
    }
  if (factor == 0) // there is no term
    return true;
  llvm::erase_if(*sizes, [](DimAttr atom) { return atom.getKind() != DimKind::Symbol; });
  if (factor > static_cast<uint64_t>(INT64_MAX))
    factor = 1;
  for (Polynomial *side : {&left, &right}) {
    for (Monomial &term : *side)
      term = {term.coefficient / static_cast<int64_t>(factor), withoutAtoms(term.atoms, *sizes)};
    std::optional<Polynomial> normal = normalize(std::move(*side));
    if (!normal)
      return false;
    *side = std::move(*normal);
  }
  return true;
}
