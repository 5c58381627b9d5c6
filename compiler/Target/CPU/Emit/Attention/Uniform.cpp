// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft.uniform_tile: where a mask is one number, so that attention need not read it there.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Emit/Rows.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {

class UniformEmitter {
public:
  UniformEmitter(Emitter &emitter, const Buffer &in, const Buffer &out)
      : e(emitter), in(in), out(out), lanes(emitter.lanes(emitter.builder.getF32Type())),
        isBool(isa<IntegerType>(in.element)) {}
  void emitRow(Index row);

private:
  Value emitBlock(Index start, Index rows, Index columns);
  Value emitIsRow(Index start, Index columns, Value expected);
  /// Bools as they are compared: every byte but 0 is true.
  Value truths(Value bytes);

  Emitter &e;
  const Buffer &in, &out;
  int64_t lanes;
  bool isBool;
};

} // namespace

Value UniformEmitter::truths(Value bytes) {
  auto vector = dyn_cast<VectorType>(bytes.getType());
  Value zero = e.number(in.element, 0);
  return e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, bytes,
                                 vector ? e.splat(zero, vector.getNumElements()) : zero);
}

/// Whether a row of a block is the expected number all over.
Value UniformEmitter::emitIsRow(Index start, Index columns, Value expected) {
  Value yes = e.splat(e.create<arith::ConstantIntOp>(1, 1), lanes), all = e.splat(expected, lanes);
  auto compare = [&](Index column, Value mask, ValueRange before) -> Emitter::Values {
    Value found = e.load(in, start + column, lanes, mask);
    Value isEqual = isBool ? e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, truths(found), all)
                           : e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, found, all);
    if (mask)
      isEqual = e.create<arith::SelectOp>(mask, isEqual, yes);
    return {e.create<arith::AndIOp>(before.front(), isEqual)};
  };
  Value found = e.overColumns(columns, lanes, yes, compare).front();
  return e.create<vector::ReductionOp>(vector::CombiningKind::AND, found);
}

/// The number that a block is; rows behind one that differs are not read.
Value UniformEmitter::emitBlock(Index start, Index rows, Index columns) {
  Value first = e.loadScalar(in, start);
  if (isBool)
    first = truths(first);
  auto next = [&](Index row, ValueRange before) {
    auto test = [&]() -> Emitter::Values { return {emitIsRow(start + row * in.strides[2], columns, first)}; };
    return e.ifElse(before.front(), before.getTypes(), test, [&] { return Emitter::Values(before); });
  };
  Value isOne = e.loop(e.index(0), rows, e.index(1), e.create<arith::ConstantIntOp>(1, 1), next).front();
  Value number = isBool ? e.create<arith::UIToFPOp>(out.element, first) : first;
  return e.create<arith::SelectOp>(isOne, number,
                                   e.number(out.element, std::numeric_limits<double>::quiet_NaN()));
}

/// The blocks of a row of out, which is counted through all matrices.
void UniformEmitter::emitRow(Index row) {
  constexpr int64_t kRows = UniformTileOp::kRows, kColumns = UniformTileOp::kColumns;
  Index matrix = row / out.sizes[2], from = row % out.sizes[2] * kRows;
  Index start = in.offset + matrix / in.sizes[1] * in.strides[0] + matrix % in.sizes[1] * in.strides[1] +
                from * in.strides[2];
  Index rows = min(in.sizes[2] - from, e.index(kRows));
  e.loop(e.index(0), out.sizes[3], e.index(1), [&](Index block) {
    Index column = block * kColumns, columns = min(in.sizes[3] - column, e.index(kColumns));
    e.storeScalar(emitBlock(start + column, rows, columns), out, out.offset + row * out.strides[2] + block);
  });
}

LogicalResult weft::cpu::emitUniform(Emitter &emitter, UniformTileOp op, Index tile, TileSizes sizes) {
  auto input = cast<MemRefType>(op.getInput().getType()), output = cast<MemRefType>(op.getOut().getType());
  Type element = input.getElementType(), number = output.getElementType();
  bool isBool = element.isInteger(8) && number.isF32();
  if (input.getRank() != 4 || output.getRank() != 4 ||
      !(isBool || (element == number && (number.isF32() || number.isF64()))))
    return op.emitOpError("expects f32, f64 or bools of rank 4 and their map, got ")
           << input << ", " << output;
  FailureOr<Buffer> in = emitter.rowMajor(op.getInput()), out = emitter.rowMajor(op.getOut());
  if (failed(in) || failed(out))
    return failure();
  Index rows = out->sizes[0] * out->sizes[1] * out->sizes[2];
  UniformEmitter uniform(emitter, *in, *out);
  overRows(emitter, tile, sizes, rows, [&](Index row) { uniform.emitRow(row); });
  return success();
}
