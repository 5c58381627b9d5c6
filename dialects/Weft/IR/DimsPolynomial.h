// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polynomials behind Dims.h: the form in which dims are added, multiplied and divided. Only Dims*.cpp include
// it.
#ifndef WEFT_DIALECTS_WEFT_IR_DIMSPOLYNOMIAL_H
#define WEFT_DIALECTS_WEFT_IR_DIMSPOLYNOMIAL_H

#include "dialects/Weft/IR/Dims.h"
#include "llvm/ADT/SmallVector.h"

namespace weft::polynomial {

/// A product of sums is expanded up to so many terms.
constexpr size_t kMaxTerms = 64;
/// A monomial has at most so many atoms.
constexpr size_t kMaxDegree = 64;
/// An expression has at most so many nodes, nested so deep: what walks one may recurse.
constexpr int kMaxNodes = 16384;
constexpr int kMaxDepth = 128;

/// A coefficient and the sorted atoms, repeated for powers.
struct Monomial {
  int64_t coefficient;
  llvm::SmallVector<DimAttr, 2> atoms;
};

/// Monomials in falling order, no two of the same atoms, none zero. Zero is the empty one.
using Polynomial = llvm::SmallVector<Monomial, 2>;

/// Orders monomials by degree, then by their first different atom. Products keep this order, so that division
/// may go by leading terms. Negative if `left` comes first, which is where the higher one goes.
int compareAtoms(llvm::ArrayRef<DimAttr> left, llvm::ArrayRef<DimAttr> right);

Polynomial fromConstant(int64_t value);
Polynomial decompose(DimAttr dim);
/// The attribute of a polynomial, or null if it is too large.
DimAttr compose(mlir::MLIRContext *context, llvm::ArrayRef<Monomial> polynomial);
/// A node of operands in normal form, or null if it is too large.
DimAttr makeNode(mlir::MLIRContext *context, DimKind kind, llvm::ArrayRef<DimAttr> operands);

/// Sorts and merges terms; nothing on overflow, like all that follow.
std::optional<Polynomial> normalize(Polynomial terms);
std::optional<Polynomial> add(const Polynomial &left, const Polynomial &right);
std::optional<Polynomial> subtract(const Polynomial &left, const Polynomial &right);
std::optional<Polynomial> multiply(llvm::ArrayRef<Polynomial> factors);
std::optional<Polynomial> scale(const Polynomial &polynomial, int64_t factor);

/// p / d with all that is exact taken out, for d with a positive leading coefficient:
///   floordiv(p, d) == quotient + floordiv(rest, divisor)      mod(p, d) == scale * mod(rest, divisor) +
///   offset
/// The two atoms are 0 if rest is empty.
struct Division {
  Polynomial quotient;
  Polynomial rest;
  Polynomial divisor;
  Monomial scale;
  int64_t offset;
};
std::optional<Division> divide(const Polynomial &p, const Polynomial &d);
/// Takes the number and the symbols that are factors of all terms of both out of them; false, and neither is
/// of use any more, on overflow.
bool cancelSizes(Polynomial &left, Polynomial &right);

/// What is known of a value; a missing end is unbounded.
struct Interval {
  std::optional<int64_t> low, high;
};
/// Bounds term by term. "bounds(b - a).low >= 0" is a transitive relation of a and b, which min and max rely
/// on to be associative.
Interval bounds(llvm::ArrayRef<Monomial> polynomial);
/// Whether a polynomial is not negative by its bounds, or by those of what it has more than something
/// assumed.
bool isBoundedBelow(const Polynomial &polynomial);
/// Whether a polynomial never is `value`, by its bounds and the divisors that its coefficients share.
bool neverEquals(const Polynomial &polynomial, int64_t value);

} // namespace weft::polynomial

#endif // WEFT_DIALECTS_WEFT_IR_DIMSPOLYNOMIAL_H
