// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Root mean square normalization of rows: one pass sums the squares, one scales.
#include "compiler/Target/CPU/Emit/Rows.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

static void emitRow(Emitter &e, const Row &in, const Row &out, const Buffer &scale, double epsilon) {
  Type stored = in.buffer.element, type = e.computed(stored);
  int64_t lanes = lanesOfPass(e, in, type, e.storedVectors()),
          wide = lanesOfPass(e, in, type, e.unrolledVectors());
  Value count =
      e.create<arith::SIToFPOp>(type, e.create<arith::IndexCastOp>(e.builder.getI64Type(), in.width));
  Value squares = sumRow(e, in.width, type, wide, [&](Index column, Value mask) {
    Value x = e.loadNumbers(in.buffer, in.start + column, wide, mask);
    return e.create<arith::MulFOp>(x, x);
  });
  Value mean = e.create<arith::DivFOp>(squares, count);
  Value root = e.create<math::SqrtOp>(e.create<arith::AddFOp>(mean, e.number(type, epsilon)));
  Value factor = e.splat(e.create<arith::DivFOp>(e.number(type, 1), root), lanes);
  e.overColumns(in.width, lanes, [&](Index column, Value mask) {
    Value y = e.create<arith::MulFOp>(e.loadNumbers(in.buffer, in.start + column, lanes, mask), factor);
    y = e.widen(e.narrow(y, stored)); // f16 and bf16 are rounded between normalizing and scaling
    y = e.create<arith::MulFOp>(y, e.loadNumbers(scale, scale.offset + column, lanes, mask));
    e.storeNumbers(y, out.buffer, out.start + column, mask);
  });
}

LogicalResult weft::cpu::emitRMSNorm(Emitter &emitter, RMSNormTileOp op, Index tile, TileSizes sizes) {
  if (failed(checkRows(emitter, op, {op.getInput(), op.getOut()})))
    return failure();
  FailureOr<Buffer> in = emitter.rowMajor(op.getInput()), scale = emitter.rowMajor(op.getScale()),
                    out = emitter.rowMajor(op.getOut());
  if (failed(in) || failed(scale) || failed(out))
    return failure();
  if (scale->rank() != 1 || scale->element != in->element)
    return op.emitOpError("expects a scale of one row and the matrices' element type, got ")
           << op.getScale().getType();
  overRows(emitter, tile, sizes, out->sizes[0], [&](Index row) {
    emitRow(emitter, rowOf(*in, row), rowOf(*out, row), *scale, op.getEpsilon().convertToDouble());
  });
  return success();
}
