// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas over floats, or vectors of them, written as arith and math operations.
#ifndef WEFT_COMPILER_TARGET_CPU_MATH_FORMULA_H
#define WEFT_COMPILER_TARGET_CPU_MATH_FORMULA_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace weft::cpu {

/// Writes operations on values of the shape that `like` has. Plain numbers become constants of a value's
/// type.
class Formula {
public:
  using Value = mlir::Value;
  using Predicate = mlir::arith::CmpFPredicate;

  Formula(mlir::OpBuilder &builder, mlir::Location location, mlir::Type like)
      : builder(builder), location(location), like(like) {}

  /// A type with this element and the shape of the formula's values.
  mlir::Type shaped(mlir::Type element) const {
    auto vector = mlir::dyn_cast<mlir::VectorType>(like);
    return vector ? mlir::Type(vector.clone(element)) : element;
  }
  mlir::Type integerType(unsigned bits) const { return shaped(builder.getIntegerType(bits)); }
  mlir::Type f64() const { return shaped(builder.getF64Type()); }

  Value number(double value) {
    mlir::Type element = getElementTypeOrSelf(like);
    return constant(like, mlir::FloatAttr::get(element, value));
  }
  Value integer(unsigned bits, int64_t value) {
    return constant(integerType(bits), builder.getIntegerAttr(builder.getIntegerType(bits), value));
  }
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }

  /// An intrinsic of LLVM's whose result is like the formula's values.
  Value call(llvm::StringRef intrinsic, mlir::ValueRange operands) {
    auto name = builder.getStringAttr(intrinsic);
    return mlir::LLVM::CallIntrinsicOp::create(builder, location, like, name, operands).getResult(0);
  }

  Value add(Value a, Value b) { return make<mlir::arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return make<mlir::arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return make<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return make<mlir::arith::DivFOp>(a, b); }
  Value fma(Value a, Value b, Value c) { return make<mlir::math::FmaOp>(a, b, c); }
  Value fma(Value a, double b, Value c) { return fma(a, number(b), c); }
  Value mul(Value a, double b) { return mul(a, number(b)); }
  Value add(Value a, double b) { return add(a, number(b)); }
  Value floor(Value a) { return make<mlir::math::FloorOp>(a); }
  Value is(Value a, Predicate predicate, Value b) { return make<mlir::arith::CmpFOp>(predicate, a, b); }
  Value is(Value a, Predicate predicate, double b) { return is(a, predicate, number(b)); }
  Value both(Value a, Value b) { return make<mlir::arith::AndIOp>(a, b); }
  Value either(Value a, Value b) { return make<mlir::arith::OrIOp>(a, b); }
  Value select(Value condition, Value yes, Value no) {
    return make<mlir::arith::SelectOp>(condition, yes, no);
  }
  Value select(Value condition, double yes, Value no) { return select(condition, number(yes), no); }
  /// coefficients[0] + x * (coefficients[1] + x * ...)
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value result = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, number(coefficient));
    return result;
  }

private:
  Value constant(mlir::Type type, mlir::TypedAttr element) {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      return make<mlir::arith::ConstantOp>(mlir::DenseElementsAttr::get(vector, mlir::Attribute(element)));
    return make<mlir::arith::ConstantOp>(element);
  }

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Type like;
};

/// Replaces an operation on f32 or f64 by a formula in f64.
template <typename Op>
mlir::LogicalResult replaceByDoubles(Op op, mlir::PatternRewriter &rewriter,
                                     llvm::function_ref<mlir::Value(Formula &, mlir::Value)> emit) {
  mlir::Type type = op.getType(), element = getElementTypeOrSelf(type);
  if (!element.isF32() && !element.isF64())
    return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
  mlir::Type wide = Formula(rewriter, op.getLoc(), type).f64();
  Formula f(rewriter, op.getLoc(), wide);
  mlir::Value x = op.getOperand();
  mlir::Value result = emit(f, element.isF64() ? x : f.make<mlir::arith::ExtFOp>(wide, x));
  rewriter.replaceOp(op, element.isF64() ? result : f.make<mlir::arith::TruncFOp>(type, result));
  return mlir::success();
}

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_MATH_FORMULA_H
