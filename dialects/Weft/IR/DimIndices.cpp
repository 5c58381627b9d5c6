// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims to arith operations.
#include "dialects/Weft/IR/DimIndices.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace weft;

DimIndices::DimIndices(func::FuncOp program) : program(program), builder(program.getContext()) {
  auto names = program->getAttrOfType<ArrayAttr>(names::kSymbols);
  for (auto [i, name] : llvm::enumerate(names.getAsRange<StringAttr>()))
    symbols[name.getValue()] = program.getArgument(i);
}

Value DimIndices::combine(DimKind kind, Value left, Value right) {
  Location location = builder.getUnknownLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, location, value);
  };
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

LogicalResult weft::verifySymbols(func::FuncOp program) {
  auto names = program->getAttrOfType<ArrayAttr>(names::kSymbols);
  if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>) || program.getNumArguments() < names.size() ||
      !llvm::all_of(program.getArgumentTypes().take_front(names.size()),
                    [](Type type) { return type.isIndex(); }))
    return program.emitError("expects weft.symbols, and an index argument for each at first");
  if (!program.getBody().hasOneBlock() || !isa<func::ReturnOp>(program.getBody().front().getTerminator()))
    return program.emitError("expects a program of one block that returns");
  llvm::StringSet<> known;
  for (auto name : names.getAsRange<StringAttr>())
    known.insert(name.getValue());
  std::string unknown;
  AttrTypeWalker walker;
  walker.addWalk([&](DimAttr dim) {
    if (dim.getKind() == DimKind::Symbol && !known.contains(dim.getName().getValue()))
      unknown = dim.getName().str();
  });
  program.walk([&](Operation *op) { walker.walk(op->getAttrDictionary()); });
  if (!unknown.empty())
    return program.emitError() << "uses the symbol \"" << unknown << "\", which weft.symbols does not name";
  return success();
}
