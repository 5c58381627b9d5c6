// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims to arith operations.
#include "dialects/Weft/IR/DimIndices.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

DimIndices::DimIndices(func::FuncOp program) : program(program), builder(program.getContext()) {
  auto names = program->getAttrOfType<ArrayAttr>(names::kSymbols);
  for (auto [i, name] : llvm::enumerate(names.getAsRange<StringAttr>()))
    symbols[name.getValue()] = program.getArgument(i);
}

Value DimIndices::combine(DimKind kind, Value left, Value right) {
  Location location = builder.getUnknownLoc();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, location, value); };
  auto isEqual = [&](Value value, int64_t to) -> Value {
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, value, constant(to));
  };
  switch (kind) {
  case DimKind::Add:
    return arith::AddIOp::create(builder, location, left, right);
  case DimKind::Mul:
    return arith::MulIOp::create(builder, location, left, right);
  case DimKind::FloorDiv: {
    // A guard excludes a zero divisor, but the division must not trap where an empty tensor makes one.
    Value divisor = arith::SelectOp::create(builder, location, isEqual(right, 0), constant(1), right);
    return arith::FloorDivSIOp::create(builder, location, left, divisor);
  }
  case DimKind::Mod: {
    Value quotient = combine(DimKind::FloorDiv, left, right);
    return arith::SubIOp::create(builder, location, left,
                                 arith::MulIOp::create(builder, location, quotient, right));
  }
  case DimKind::Min:
    return arith::MinSIOp::create(builder, location, left, right);
  case DimKind::Max:
    return arith::MaxSIOp::create(builder, location, left, right);
  case DimKind::Broadcast:
    return arith::SelectOp::create(builder, location, isEqual(left, 1), right, left);
  case DimKind::Constant:
  case DimKind::Symbol:
    break;
  }
  return nullptr;
}

Value DimIndices::get(Dim dim) {
  if (Value value = known.lookup(dim.getAttr()))
    return value;
  Block &block = program.getBody().front();
  builder.setInsertionPoint(
      &block, llvm::find_if(block, [](Operation &op) { return !isa<arith::ArithDialect>(op.getDialect()); }));
  SmallVector<Value> stack;
  visitPostfix(dim, [&](DimKind kind, int64_t value, StringRef name) {
    if (kind == DimKind::Constant) {
      stack.push_back(arith::ConstantIndexOp::create(builder, builder.getUnknownLoc(), value));
    } else if (kind == DimKind::Symbol) {
      stack.push_back(symbols.lookup(name));
    } else {
      Value right = stack.pop_back_val();
      stack.back() = combine(kind, stack.back(), right);
    }
  });
  return known[dim.getAttr()] = stack.back();
}
