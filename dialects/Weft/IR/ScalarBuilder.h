// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short names for building scalar operations of arith and math at one place.
#ifndef WEFT_DIALECTS_WEFT_IR_SCALARBUILDER_H
#define WEFT_DIALECTS_WEFT_IR_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace weft {

class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location location) : builder(builder), location(location) {}

  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }
  mlir::Value number(mlir::Type type, double value) {
    return make<mlir::arith::ConstantOp>(builder.getFloatAttr(type, value));
  }
  mlir::Value integer(mlir::Type type, int64_t value) {
    return make<mlir::arith::ConstantOp>(builder.getIntegerAttr(type, value));
  }
  mlir::Value integer(mlir::Type type, const mlir::APInt &value) {
    return make<mlir::arith::ConstantOp>(builder.getIntegerAttr(type, value));
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return make<mlir::arith::SelectOp>(condition, yes, no);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value left, mlir::Value right) {
    return make<mlir::arith::CmpIOp>(predicate, left, right);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value left, mlir::Value right) {
    return make<mlir::arith::CmpFOp>(predicate, left, right);
  }

protected:
  mlir::OpBuilder &builder;
  mlir::Location location;
};

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_SCALARBUILDER_H
