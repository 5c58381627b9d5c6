// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symbolic dims: integer expressions over named sizes, in a normal form in which equal polynomials are one
// attribute.
//
// The normal form. An expression is a polynomial with integer coefficients: like terms are merged, products
// of sums are expanded, terms are ordered by falling degree and then by their atoms, the constant is last.
// Atoms are symbols, floordiv, mod, min, max and broadcast, whose operands are again in normal form. (A
// product of two sums that would have more than 64 terms stays a product; two ways to write it may then be
// different attributes.)
//
// What a simplification may assume. Symbols are sizes: they are never negative; what Assumptions say holds. A
// divisor is not zero and the operands of a broadcast fit (they are equal or 1): the model asks for that, a
// guard checks it when a session is sized, and where it does not hold an expression means nothing. Every rule
// keeps the value everywhere else.
//
// The null Dim means "unknown". Every function here takes it and gives it back, and an operation gives it
// where the result cannot be written down: a coefficient overflows 64 bits, a constant divisor is zero, a
// product has more than 64 factors, the expression is too large. The caller makes a fresh symbol of it.
#ifndef WEFT_DIALECTS_WEFT_IR_DIMS_H
#define WEFT_DIALECTS_WEFT_IR_DIMS_H

#include "dialects/Weft/IR/DimKind.h"
#include "dialects/Weft/IR/WeftAttrs.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>

namespace weft {

/// A symbolic dim, or null. A value: copy it freely. Equal polynomials compare equal, by pointer.
class Dim {
public:
  Dim() = default;
  /// The attribute must come from this class, from the parser, or be null.
  Dim(DimAttr attr) : attr(attr) {}

  static Dim constant(mlir::MLIRContext *context, int64_t value);
  static Dim symbol(mlir::MLIRContext *context, llvm::StringRef name);

  static Dim sum(mlir::MLIRContext *context, llvm::ArrayRef<Dim> dims);     ///< of none: 0
  static Dim product(mlir::MLIRContext *context, llvm::ArrayRef<Dim> dims); ///< of none: 1
  static Dim floorDiv(Dim left, Dim right);
  static Dim ceilDiv(Dim left, Dim right); ///< -floordiv(-left, right)
  static Dim mod(Dim left, Dim right);
  static Dim min(llvm::ArrayRef<Dim> dims); ///< of none: null; so are the next two
  static Dim max(llvm::ArrayRef<Dim> dims);
  static Dim broadcast(llvm::ArrayRef<Dim> dims);
  static Dim min(Dim left, Dim right) { return min({left, right}); }
  static Dim max(Dim left, Dim right) { return max({left, right}); }
  static Dim broadcast(Dim left, Dim right) { return broadcast({left, right}); }
  /// The operation `kind` of operands, which are as many as it takes.
  static Dim combine(mlir::MLIRContext *context, DimKind kind, llvm::ArrayRef<Dim> operands);

  explicit operator bool() const { return static_cast<bool>(attr); }
  DimAttr getAttr() const { return attr; }
  mlir::MLIRContext *getContext() const { return attr.getContext(); }
  bool isConstant() const { return getConstant().has_value(); }
  std::optional<int64_t> getConstant() const;       ///< nothing for null
  std::optional<llvm::StringRef> getSymbol() const; ///< the name, if it is one symbol

  friend bool operator==(Dim left, Dim right) { return left.attr == right.attr; }
  friend bool operator!=(Dim left, Dim right) { return left.attr != right.attr; }
  /// Structural, the same in every run: by kind, value, name, operands; null comes first. Less, equal,
  /// greater: the sign.
  static int compare(Dim left, Dim right);
  friend bool operator<(Dim left, Dim right) { return compare(left, right) < 0; }

  /// Each symbol where it occurs, in printing order, repetitions too.
  void walkSymbols(llvm::function_ref<void(llvm::StringRef)> visit) const;
  /// Replaces symbols; where `replacement` gives null the symbol stays.
  Dim substitute(llvm::function_ref<Dim(llvm::StringRef)> replacement) const;
  /// The value where `valueOf` gives every symbol one. Nothing if it lacks one, if a divisor is zero or an
  /// intermediate overflows; `error` then says which.
  std::optional<int64_t> evaluate(llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> valueOf,
                                  std::string *error = nullptr) const;

  /// `2 * "src" - 1`, or for people without quotes: `2 * src - 1`. Null prints as `?`.
  void print(llvm::raw_ostream &os, bool quoted = true) const;
  std::string toString(bool quoted = false) const;

private:
  DimAttr attr;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Dim dim) {
  dim.print(os);
  return os;
}

Dim operator+(Dim left, Dim right);
Dim operator-(Dim left, Dim right);
Dim operator*(Dim left, Dim right);
Dim operator-(Dim dim);
Dim operator+(Dim left, int64_t right);
Dim operator-(Dim left, int64_t right);
Dim operator*(Dim left, int64_t right);
Dim operator*(int64_t left, Dim right);

/// One operation on values, as every evaluation of a dim does it; nothing on overflow and zero divisors.
std::optional<int64_t> combineValues(DimKind kind, int64_t left, int64_t right);

/// Visits the expression as a postfix program of binary operations: constants with their value, symbols with
/// their name, operations after their two operands. An n-ary operation becomes a chain from the left.
using PostfixVisitor = llvm::function_ref<void(DimKind kind, int64_t value, llvm::StringRef name)>;
void visitPostfix(Dim dim, PostfixVisitor visit);

/// Both without the numbers and symbols that are factors of all of their terms: equal if the two are, and the
/// two are equal where these are, or where such a symbol is 0.
std::pair<Dim, Dim> withoutCommonFactor(Dim left, Dim right);

// Proofs: true only if the relation holds for all values of the symbols. False, and nothing, mean "not
// proven", except where said.
bool provablyNonNegative(Dim dim);
bool provablyLess(Dim left, Dim right);
bool provablyLessEqual(Dim left, Dim right);
/// True: always equal. False: never equal. Nothing: not known.
std::optional<bool> provablyEqual(Dim left, Dim right);

/// While it lives, proofs and simplifications on this thread take for granted that dims are not negative.
/// Guards have to check it: a dim that was made under an assumption means nothing where that does not hold.
class Assumptions {
public:
  explicit Assumptions(llvm::ArrayRef<Dim> nonNegative);
  ~Assumptions();
  Assumptions(const Assumptions &) = delete;
  Assumptions &operator=(const Assumptions &) = delete;

  struct Facts;
  static const Facts *&assumed(); ///< what this thread assumes, or null

private:
  std::unique_ptr<Facts> facts;
  const Facts *outer; ///< what was assumed before, which this one hides
};

/// The expression alone, without `#weft.dim< >`; also for `custom<Dim>($x)` in an assembly format.
mlir::ParseResult parseDim(mlir::AsmParser &parser, DimAttr &dim);
void printDim(mlir::AsmPrinter &printer, DimAttr dim);

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_DIMS_H
