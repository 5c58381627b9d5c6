// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interval arithmetic on the scalar operations of a region, done by code that runs before the region does.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_INTERVALS_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_INTERVALS_H

#include "compiler/Target/CPU/Emit/ScoreVerdict.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace weft::cpu {

/// What is certain of a scalar wherever the arguments of its region lie in their intervals. Nothing is, where
/// all is null.
struct Known {
  /// The range of an integer, as i64, or of a float, in its type, which then is not NaN. Where it turns out
  /// at run time that nothing is known, an integer's range is its type's, and both ends of a float's are NaN.
  mlir::Value low, high;
  /// Bounds of an integer's range that are known now.
  int64_t least = 0, most = 0;
  /// Of an i1: two i1 that are never both true. A null one is never true.
  mlir::Value isTrue, isFalse;
  /// Of a float, an i1: it is excluded, whatever is known of its range, as s + -inf is.
  mlir::Value isExcluded;
  /// Of a float: large numbers may have gone into it, constants or captures, and finite ones among them.
  bool isLarge = false, isFiniteLarge = false;

  bool hasRange() const { return static_cast<bool>(low); }
};

/// Writes code that computes what is known of the result of an operation from what is known of its operands.
/// Operations that it does not know have results of which nothing is known.
class Intervals {
public:
  /// A float counts as excluded from `exclusion` down, and what it is added to is then excluded, too. What is
  /// not known and not large is taken to be less than 2^64 in size.
  Intervals(mlir::OpBuilder &builder, mlir::Location location, double exclusion)
      : builder(builder), location(location), exclusion(exclusion) {}

  Known ofArgument(mlir::Type type, Interval interval);
  Known ofBool(bool value);
  Known of(mlir::Operation *op, llvm::ArrayRef<Known> operands);

  // Each an i1, null for never.
  mlir::Value isExcluded(const Known &x);
  mlir::Value isConstant(const Known &x);
  /// It is this number, or truth, whatever it depends on.
  mlir::Value isAlways(const Known &x, mlir::Attribute value);
  mlir::Value both(mlir::Value left, mlir::Value right);
  mlir::Value either(mlir::Value left, mlir::Value right);

private:
  Known ofTruth(mlir::Operation *op, llvm::ArrayRef<Known> x);
  mlir::Value holds(const Known &condition, mlir::Value yes, mlir::Value no);

  // Integers. A Type is that of the result, whose arithmetic wraps.
  Known ofInteger(mlir::Operation *op, llvm::ArrayRef<Known> x);
  Known everyInteger(mlir::Type type);
  Known ofInteger(int64_t value);
  Known where(mlir::Value holds, Known known, mlir::Type type);
  Known fitted(const Known &exact, mlir::Type type);
  mlir::Value within(const Known &x, int64_t least, int64_t most);
  mlir::Value areUnsigned(const Known &a, const Known &b);
  Known addOrSubtract(const Known &a, const Known &b, mlir::Type type, bool isSum);
  Known multiply(const Known &a, const Known &b, mlir::Type type);
  Known divide(const Known &a, const Known &b, mlir::Type type);
  Known remainder(const Known &a, const Known &b, mlir::Type type);
  Known minimum(const Known &a, const Known &b);
  Known maximum(const Known &a, const Known &b);
  Known extendUnsigned(const Known &x, mlir::Type from);
  Known ofBits(const Known &x, bool isSigned);
  Known chooseInteger(const Known &condition, Known yes, Known no, mlir::Type type);
  Known compareIntegers(mlir::arith::CmpIPredicate predicate, const Known &a, const Known &b);

  // Floats.
  Known ofFloat(mlir::Operation *op, llvm::ArrayRef<Known> x);
  Known ofNumber(mlir::Type type, double value);
  Known rangeWhere(mlir::Value holds, mlir::Value low, mlir::Value high);
  Known addFloats(const Known &a, const Known &b);
  Known addUnknown(const Known &x);
  Known negate(const Known &x);
  Known multiplyFloats(const Known &a, const Known &b);
  Known divideFloats(const Known &a, const Known &b);
  Known combine(llvm::ArrayRef<mlir::Value> ends, mlir::Value holds);
  Known absolute(const Known &x);
  Known toFloat(Known x, mlir::Type from, mlir::Type to, bool isSigned);
  Known toInteger(const Known &x, mlir::Type to, bool isSigned);
  Known chooseFloat(const Known &condition, const Known &yes, const Known &no, mlir::Type type);
  Known ofMonotone(mlir::Operation *op, const Known &x);
  Known extremeOf(const Known &a, const Known &b, bool isLeast);
  Known compareFloats(mlir::arith::CmpFPredicate predicate, const Known &a, const Known &b);
  mlir::Value isFinite(mlir::Value value);
  mlir::Value isPositive(const Known &x);

  // Code, folded where that can be.
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return builder.createOrFold<Op>(location, std::forward<Args>(args)...);
  }
  mlir::Value truth(bool value);
  mlir::Value integer(int64_t value);
  mlir::Value number(mlir::Type type, double value);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value left, mlir::Value right);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value left, mlir::Value right);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value choose(const Known &condition, mlir::Value yes, mlir::Value no, mlir::Value undecided);

  mlir::OpBuilder &builder;
  mlir::Location location;
  double exclusion;
};

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_INTERVALS_H
