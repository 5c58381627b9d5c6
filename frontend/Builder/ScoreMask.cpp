// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Score regions.
#include "frontend/Builder/ScoreMask.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;

namespace {
class RegionWriter {
public:
  RegionWriter(const ScoreMask &mask, OpBuilder &body, Location location, ValueRange arguments)
      : mask(mask), body(body), location(location), score(arguments[0]), row(arguments[3]),
        column(arguments[4]), elements(arguments.drop_front(5)) {}

  std::pair<Value, Value> write();

private:
  template <typename Op, typename... Arguments> Value make(Arguments... arguments) {
    return Op::create(body, location, arguments...);
  }
  Value asIndex(Value integer) { return make<arith::IndexCastOp>(body.getIndexType(), integer); }
  Value asScore(Value number);
  Value constant(double number) {
    return make<arith::ConstantOp>(body.getFloatAttr(score.getType(), number));
  }
  void keepIf(Value condition) { keep = keep ? make<arith::AndIOp>(keep, condition) : condition; }
  void keepWithin(Value position);

  const ScoreMask &mask;
  OpBuilder &body;
  Location location;
  Value score, row, column, keep;
  ValueRange elements; ///< of the captures
};
} // namespace

SmallVector<Value> ScoreMask::captures() const {
  SmallVector<Value> values;
  for (Value value : {seen, bias, lengths, position})
    if (value)
      values.push_back(value);
  return values;
}

/// A float of the bias' type as one of the score's.
Value RegionWriter::asScore(Value number) {
  unsigned from = number.getType().getIntOrFloatBitWidth(), to = score.getType().getIntOrFloatBitWidth();
  if (from == to)
    return number;
  return from < to ? make<arith::ExtFOp>(score.getType(), number)
                   : make<arith::TruncFOp>(score.getType(), number);
}

void RegionWriter::keepWithin(Value position) {
  auto at = [&](int64_t distance) -> Value {
    return distance == 0 ? position : make<arith::AddIOp>(position, make<arith::ConstantIndexOp>(distance));
  };
  if (mask.after)
    keepIf(make<arith::CmpIOp>(arith::CmpIPredicate::sle, column, at(*mask.after)));
  if (mask.before)
    keepIf(make<arith::CmpIOp>(arith::CmpIPredicate::sge, column, at(-*mask.before)));
}

std::pair<Value, Value> RegionWriter::write() {
  size_t next = 0;
  if (mask.softcap > 0) {
    Value cap = constant(mask.softcap);
    score = make<arith::MulFOp>(make<math::TanhOp>(make<arith::DivFOp>(score, cap)), cap);
  }
  if (mask.seen)
    keepIf(elements[next++]);
  if (mask.bias)
    score = make<arith::AddFOp>(score, asScore(elements[next++]));
  if (mask.lengths)
    keepIf(make<arith::CmpIOp>(arith::CmpIPredicate::slt, column, asIndex(elements[next++])));
  if (mask.position)
    keepWithin(make<arith::AddIOp>(row, asIndex(elements[next])));
  if (mask.hiddenScore && keep) {
    score = make<arith::SelectOp>(keep, score, constant(*mask.hiddenScore));
    keep = nullptr;
  }
  return {score, keep ? keep : make<arith::ConstantIntOp>(1, 1)};
}

std::pair<Value, Value> ScoreMask::write(OpBuilder &body, Location location, ValueRange arguments) const {
  return RegionWriter(*this, body, location, arguments).write();
}
