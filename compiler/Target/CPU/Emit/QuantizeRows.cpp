// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows as bytes: one pass finds the range, one rounds. The order of operations is weft.quantize_rows's,
// exactly.
#include "compiler/Target/CPU/Emit/Rows.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {
class QuantizeRowsEmitter {
public:
  QuantizeRowsEmitter(Emitter &emitter, const Row &in, const Row &bytes)
      : e(emitter), in(in), bytes(bytes), f32(in.buffer.element),
        lanes(lanesOfPass(e, in, f32, e.storedVectors())) {}

  /// Writes the bytes; gives the scale and the zero.
  std::pair<Value, Value> emit();

private:
  /// Of 0 and the row's elements; `finite` is 0, or NaN if one of them is not finite.
  struct Range {
    Value least, greatest, finite;
  };
  Range findRange();
  Value clampToByte(Value value);

  Emitter &e;
  Row in, bytes;
  Type f32;
  int64_t lanes;
};
} // namespace

QuantizeRowsEmitter::Range QuantizeRowsEmitter::findRange() {
  using P = arith::CmpFPredicate;
  int64_t wide = lanesOfPass(e, in, f32, e.unrolledVectors());
  Value zero = e.number(f32, 0), zeros = e.splat(zero, wide);
  Emitter::Values found =
      e.overColumns(in.width, wide, {zeros, zeros, zeros}, [&](Index column, Value mask, ValueRange carried) {
        Value x = e.load(in.buffer, in.start + column, wide, mask); // lanes beyond the end are 0
        Value finite = e.create<vector::FMAOp>(x, zeros, carried[2]);
        return Emitter::Values{e.pick(P::OLT, x, carried[0]), e.pick(P::OGT, x, carried[1]), finite};
      });
  auto least = [&](Value left, Value right) { return e.pick(P::OLT, left, right); };
  auto greatest = [&](Value left, Value right) { return e.pick(P::OGT, left, right); };
  auto sum = [&](Value left, Value right) { return e.create<arith::AddFOp>(left, right); };
  return {reduceLanes(e, found[0], {zero, least}), reduceLanes(e, found[1], {zero, greatest}),
          reduceLanes(e, found[2], {zero, sum})};
}

/// Within 0 and 255; a NaN is 0.
Value QuantizeRowsEmitter::clampToByte(Value value) {
  auto constant = [&](double number) -> Value {
    Value scalar = e.number(f32, number);
    return isa<VectorType>(value.getType()) ? e.splat(scalar, lanes) : scalar;
  };
  Value raised = e.pick(arith::CmpFPredicate::OGT, value, constant(0));
  return e.pick(arith::CmpFPredicate::OLT, raised, constant(255));
}

std::pair<Value, Value> QuantizeRowsEmitter::emit() {
  Range range = findRange();
  Value most = e.number(f32, 255), least = range.least;
  Value step = e.create<arith::SubFOp>(e.create<arith::DivFOp>(range.greatest, most),
                                       e.create<arith::DivFOp>(least, most));
  Value normal = e.pick(arith::CmpFPredicate::OGT, step, e.number(f32, std::numeric_limits<float>::min()));
  Value scale = e.create<arith::AddFOp>(normal, range.finite);
  Value inverse = e.create<arith::DivFOp>(e.number(f32, 1), scale);
  Value below = e.create<arith::MulFOp>(e.create<arith::NegFOp>(least), inverse);
  Value zero = clampToByte(e.create<math::RoundEvenOp>(below));
  Value inverses = e.splat(inverse, lanes), zeros = e.splat(zero, lanes);
  auto words = VectorType::get(lanes, e.builder.getI32Type());
  e.overColumns(in.width, lanes, [&](Index column, Value mask) {
    Value x = e.load(in.buffer, in.start + column, lanes, mask);
    Value rounded = e.create<math::RoundEvenOp>(e.create<arith::MulFOp>(x, inverses));
    Value number = clampToByte(e.create<arith::AddFOp>(rounded, zeros));
    e.storeNumbers(e.create<arith::FPToSIOp>(words, number), bytes.buffer, bytes.start + column, mask);
  });
  Index rest = bytes.width - in.width; // fewer than 64
  int64_t many = std::min(e.lanes(bytes.buffer.element), Quads::kPadding);
  Value padding = e.splat(e.number(bytes.buffer.element, 0), many);
  e.overColumns(rest, many, [&](Index column, Value mask) {
    e.store(padding, bytes.buffer, bytes.start + in.width + column, mask);
  });
  return {scale, e.create<arith::FPToSIOp>(e.builder.getI32Type(), zero)};
}

LogicalResult weft::cpu::emitQuantizeRows(Emitter &emitter, QuantizeRowsTileOp op, Index tile,
                                          TileSizes sizes) {
  auto isMatrix = [](Value memref, auto isElement) {
    auto type = cast<MemRefType>(memref.getType());
    return type.getRank() == 2 && isElement(type.getElementType());
  };
  auto isF32 = [](Type type) { return type.isF32(); };
  auto isInteger = [](unsigned bits) { return [bits](Type type) { return type.isInteger(bits); }; };
  if (!isMatrix(op.getInput(), isF32) || !isMatrix(op.getBytes(), isInteger(8)) ||
      !isMatrix(op.getScale(), isF32) || !isMatrix(op.getZero(), isInteger(32)))
    return op.emitOpError("expects matrices of f32, i8, f32 and i32, got ")
           << op.getInput().getType() << ", " << op.getBytes().getType() << ", " << op.getScale().getType()
           << " and " << op.getZero().getType();
  FailureOr<Buffer> in = emitter.rowMajor(op.getInput()), bytes = emitter.rowMajor(op.getBytes()),
                    scale = emitter.rowMajor(op.getScale()), zero = emitter.rowMajor(op.getZero());
  if (failed(in) || failed(bytes) || failed(scale) || failed(zero))
    return failure();
  overRows(emitter, tile, sizes, in->sizes[0], [&](Index row) {
    auto [factor, offset] = QuantizeRowsEmitter(emitter, rowOf(*in, row), rowOf(*bytes, row)).emit();
    emitter.storeScalar(factor, *scale, rowOf(*scale, row).start);
    emitter.storeScalar(offset, *zero, rowOf(*zero, row).start);
  });
  return success();
}
