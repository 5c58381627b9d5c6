// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that need a whole row for an element: reductions, softmax, layer normalization. Floats are computed
// in f32 or f64, and rounded to what is stored once.
#include "compiler/Target/CPU/Emit/Rows.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

int64_t weft::cpu::lanesOfPass(const Emitter &e, const Row &row, Type number, int64_t vectors) {
  constexpr int64_t kMostBytes = 128 * 4; // of a thread
  std::optional<int64_t> width = row.width.constant();
  int64_t bytes = number.getIntOrFloatBitWidth() / 8;
  if (e.warpLanes && width && *width > 0 && *width % e.warpLanes == 0 &&
      *width / e.warpLanes * bytes <= kMostBytes)
    return *width;
  return e.lanes(number) * vectors;
}

/// The same of each lane of a warp, where there are several times as many: of the pieces of all threads, then
/// of neighbours in a piece.
static Value reduceToWarp(Emitter &e, Value vector, const Reduction &reduction) {
  Emitter::Values parts;
  int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0), pieces = e.warpLanes * e.pieceOf(lanes);
  for (int64_t first = 0; first < lanes; first += pieces)
    parts.push_back(e.create<vector::ExtractStridedSliceOp>(vector, first, pieces, 1));
  for (size_t count = parts.size(); count > 1; count = (count + 1) / 2)
    for (size_t i = 0; i < count / 2; ++i)
      parts[i] = reduction.combine(parts[i], parts[i + (count + 1) / 2]);
  Value result = parts.front();
  for (; pieces > e.warpLanes; pieces /= 2) {
    auto halves = vector::DeinterleaveOp::create(e.builder, e.location, result);
    result = reduction.combine(halves.getRes1(), halves.getRes2());
  }
  return result;
}

Value weft::cpu::reduceLanes(Emitter &e, Value vector, const Reduction &reduction) {
  if (e.warpLanes)
    vector = reduceToWarp(e, vector, reduction);
  for (int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0); lanes > 1; lanes /= 2) {
    auto half = [&](int64_t offset) {
      return e.create<vector::ExtractStridedSliceOp>(vector, offset, lanes / 2, 1);
    };
    vector = reduction.combine(half(0), half(lanes / 2));
  }
  return e.create<vector::ExtractOp>(vector, 0);
}

Value weft::cpu::reduceRow(Emitter &e, Index width, int64_t lanes, const Reduction &reduction,
                           llvm::function_ref<Value(Index column, Value mask)> element) {
  auto accumulate = [&](Index column, Value mask, ValueRange carried) {
    return Emitter::Values{reduction.combine(carried.front(), element(column, mask))};
  };
  return reduceLanes(e, e.overColumns(width, lanes, e.splat(reduction.identity, lanes), accumulate).front(),
                     reduction);
}

Value weft::cpu::sumRow(Emitter &e, Index width, Type type, int64_t lanes,
                        llvm::function_ref<Value(Index column, Value mask)> element) {
  auto add = [&](Value left, Value right) { return e.create<arith::AddFOp>(left, right); };
  return reduceRow(e, width, lanes, {e.number(type, 0), add}, element);
}

LogicalResult weft::cpu::checkRows(Emitter &e, Operation *op, ValueRange matrices) {
  auto first = cast<MemRefType>(matrices.front().getType());
  for (Value matrix : matrices)
    if (auto type = cast<MemRefType>(matrix.getType());
        type.getRank() != 2 || type.getElementType() != first.getElementType())
      return op->emitOpError("expects matrices of one element type, got ") << type;
  if (!isa<FloatType>(e.computed(first.getElementType())))
    return op->emitOpError("expects floats, got ") << first;
  return success();
}

void weft::cpu::overRows(Emitter &e, Index tile, TileSizes sizes, Index rows,
                         llvm::function_ref<void(Index)> body) {
  Index from = tile * sizes.rows;
  e.loop(from, min(from + sizes.rows, rows), e.index(1), body);
}

//===----------------------------------------------------------------------===//
// softmax
//===----------------------------------------------------------------------===//

/// The greatest element. One that is NaN may get lost here: every exp(x - max) of its row is summed, so the
/// row is NaN all the same.
static Value maximumOf(Emitter &e, const Row &row, Type type) {
  int64_t lanes = lanesOfPass(e, row, type, e.unrolledVectors());
  Value least = e.number(type, -std::numeric_limits<double>::infinity());
  auto greater = [&](Value left, Value right) { return e.pick(arith::CmpFPredicate::OGT, left, right); };
  return reduceRow(e, row.width, lanes, {least, greater}, [&](Index column, Value mask) {
    return e.loadNumbers(row.buffer, row.start + column, lanes, mask, least);
  });
}

/// What is subtracted from a row with that maximum, and what its exponentials are multiplied by. A row of
/// minus infinities becomes zeros if `zeroEmptyRows`.
static Value shiftOf(Emitter &e, Value maximum, bool zeroEmptyRows) {
  if (!zeroEmptyRows)
    return maximum;
  Value least = e.number(maximum.getType(), -std::numeric_limits<double>::infinity());
  Value isEmpty = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, maximum, least);
  return e.create<arith::SelectOp>(isEmpty, e.number(maximum.getType(), 0), maximum);
}
static Value scaleOf(Emitter &e, Value sum, bool zeroEmptyRows) {
  Value scale = e.create<arith::DivFOp>(e.number(sum.getType(), 1), sum), zero = e.number(sum.getType(), 0);
  if (!zeroEmptyRows)
    return scale;
  Value isEmpty = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, sum, zero);
  return e.create<arith::SelectOp>(isEmpty, zero, scale);
}

/// A row that is one vector.
static void emitSoftmaxVector(Emitter &e, const Row &in, const Row &out, bool zeroEmptyRows, int64_t lanes) {
  Type type = e.computed(in.buffer.element);
  auto greater = [&](Value left, Value right) { return e.pick(arith::CmpFPredicate::OGT, left, right); };
  auto add = [&](Value left, Value right) { return e.create<arith::AddFOp>(left, right); };
  Value x = e.loadNumbers(in.buffer, in.start, lanes);
  Value maximum = reduceLanes(e, x, {e.number(type, -std::numeric_limits<double>::infinity()), greater});
  Value shift = e.splat(shiftOf(e, maximum, zeroEmptyRows), lanes);
  Value exp = e.create<math::ExpOp>(e.create<arith::SubFOp>(x, shift));
  Value scale = scaleOf(e, reduceLanes(e, exp, {e.number(type, 0), add}), zeroEmptyRows);
  e.storeNumbers(e.create<arith::MulFOp>(exp, e.splat(scale, lanes)), out.buffer, out.start);
}

/// exp(x - maximum) of each element is stored, and scaled where it lies. An element of 16 bits cannot hold it
/// without being rounded, and is computed again.
static void emitSoftmaxRow(Emitter &e, const Row &in, const Row &out, bool zeroEmptyRows) {
  Type stored = in.buffer.element, type = e.computed(stored);
  int64_t lanes = lanesOfPass(e, in, type, e.storedVectors());
  if (in.width.is(lanes))
    return emitSoftmaxVector(e, in, out, zeroEmptyRows, lanes);
  bool isStored = type == stored;
  Value least = e.number(type, -std::numeric_limits<double>::infinity()), zero = e.number(type, 0);
  Value maxima = e.splat(shiftOf(e, maximumOf(e, in, type), zeroEmptyRows), lanes);
  auto exponential = [&](Index column, Value mask) {
    Value x = e.loadNumbers(in.buffer, in.start + column, lanes, mask, least);
    return e.create<math::ExpOp>(e.create<arith::SubFOp>(x, maxima));
  };
  Value sum = sumRow(e, in.width, type, lanes, [&](Index column, Value mask) -> Value {
    Value exp = exponential(column, mask);
    if (isStored)
      e.store(exp, out.buffer, out.start + column, mask);
    return mask ? e.create<arith::SelectOp>(mask, exp, e.splat(zero, lanes)) : exp;
  });
  Value scales = e.splat(scaleOf(e, sum, zeroEmptyRows), lanes);
  e.overColumns(in.width, lanes, [&](Index column, Value mask) {
    Value exp = isStored ? e.load(out.buffer, out.start + column, lanes, mask) : exponential(column, mask);
    e.storeNumbers(e.create<arith::MulFOp>(exp, scales), out.buffer, out.start + column, mask);
  });
}

static void emitLogSoftmaxRow(Emitter &e, const Row &in, const Row &out) {
  Type type = e.computed(in.buffer.element);
  int64_t lanes = lanesOfPass(e, in, type, e.storedVectors());
  Value least = e.number(type, -std::numeric_limits<double>::infinity()), zero = e.number(type, 0);
  Value maxima = e.splat(maximumOf(e, in, type), lanes);
  auto shifted = [&](Index column, Value mask) {
    return e.create<arith::SubFOp>(e.loadNumbers(in.buffer, in.start + column, lanes, mask, least), maxima);
  };
  Value sum = sumRow(e, in.width, type, lanes, [&](Index column, Value mask) -> Value {
    Value exp = e.create<math::ExpOp>(shifted(column, mask));
    return mask ? e.create<arith::SelectOp>(mask, exp, e.splat(zero, lanes)) : exp;
  });
  Value shift = e.splat(e.create<math::LogOp>(sum), lanes);
  e.overColumns(in.width, lanes, [&](Index column, Value mask) {
    e.storeNumbers(e.create<arith::SubFOp>(shifted(column, mask), shift), out.buffer, out.start + column,
                   mask);
  });
}

LogicalResult weft::cpu::emitSoftmax(Emitter &emitter, SoftmaxTileOp op, Index tile, TileSizes sizes) {
  if (failed(checkRows(emitter, op, {op.getInput(), op.getOut()})))
    return failure();
  FailureOr<Buffer> in = emitter.rowMajor(op.getInput()), out = emitter.rowMajor(op.getOut());
  if (failed(in) || failed(out))
    return failure();
  overRows(emitter, tile, sizes, out->sizes[0], [&](Index row) {
    if (op.getLog())
      emitLogSoftmaxRow(emitter, rowOf(*in, row), rowOf(*out, row));
    else
      emitSoftmaxRow(emitter, rowOf(*in, row), rowOf(*out, row), op.getZeroEmptyRows());
  });
  return success();
}

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

namespace {
struct LayerNorm {
  const Buffer &in, &scale, *bias, &out;
  double epsilon;
};
} // namespace

static void emitLayerNormRow(Emitter &e, const LayerNorm &norm, Index rowNumber) {
  Row in = rowOf(norm.in, rowNumber), out = rowOf(norm.out, rowNumber);
  Type stored = norm.in.element, type = e.computed(stored);
  int64_t lanes = lanesOfPass(e, in, type, e.storedVectors()),
          wide = lanesOfPass(e, in, type, e.unrolledVectors());
  Value count =
      e.create<arith::SIToFPOp>(type, e.create<arith::IndexCastOp>(e.builder.getI64Type(), in.width));
  auto meanOf = [&](Value sum) { return e.create<arith::DivFOp>(sum, count); };

  Value mean = meanOf(sumRow(e, in.width, type, wide, [&](Index column, Value mask) {
    return e.loadNumbers(in.buffer, in.start + column, wide, mask);
  }));
  Value means = e.splat(mean, wide);
  // The variance in a second pass: the mean of squares minus the square of the mean cancels.
  Value variance = meanOf(sumRow(e, in.width, type, wide, [&](Index column, Value mask) {
    Value x = e.loadNumbers(in.buffer, in.start + column, wide, mask, mean);
    Value centred = e.create<arith::SubFOp>(x, means);
    return e.create<arith::MulFOp>(centred, centred);
  }));
  Value deviation = e.create<math::SqrtOp>(e.create<arith::AddFOp>(variance, e.number(type, norm.epsilon)));
  Value factor = e.splat(e.create<arith::DivFOp>(e.number(type, 1), deviation), lanes);
  e.overColumns(in.width, lanes, [&](Index column, Value mask) {
    Value x = e.loadNumbers(in.buffer, in.start + column, lanes, mask);
    Value y = e.create<arith::MulFOp>(e.create<arith::SubFOp>(x, e.splat(mean, lanes)), factor);
    y = e.widen(e.narrow(y, stored)); // f16 and bf16 are rounded between normalizing and scaling
    auto parameter = [&](const Buffer &row) { return e.loadNumbers(row, row.offset + column, lanes, mask); };
    Value scale = parameter(norm.scale);
    y = norm.bias ? Value(e.create<math::FmaOp>(y, scale, parameter(*norm.bias)))
                  : Value(e.create<arith::MulFOp>(y, scale));
    e.storeNumbers(y, out.buffer, out.start + column, mask);
  });
}

LogicalResult weft::cpu::emitLayerNorm(Emitter &emitter, LayerNormTileOp op, Index tile, TileSizes sizes) {
  if (failed(checkRows(emitter, op, {op.getInput(), op.getOut()})))
    return failure();
  SmallVector<Buffer> buffers;
  for (Value operand : op->getOperands()) {
    FailureOr<Buffer> buffer = emitter.rowMajor(operand);
    if (failed(buffer))
      return failure();
    if (buffer->element != cast<MemRefType>(op.getInput().getType()).getElementType())
      return op.emitOpError("expects one element type, got ") << operand.getType();
    buffers.push_back(*buffer);
  }
  LayerNorm norm{buffers.front(), buffers[1], op.getBias() ? &buffers[2] : nullptr, buffers.back(),
                 op.getEpsilon().convertToDouble()};
  overRows(emitter, tile, sizes, norm.out.sizes[0], [&](Index row) { emitLayerNormRow(emitter, norm, row); });
  return success();
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// What a reduction of no elements gives, and combines with without effect.
static Value identityOf(Emitter &e, ReduceKind kind, Type type, bool isUnsigned) {
  if (kind == ReduceKind::Prod)
    return e.number(type, 1);
  if (kind == ReduceKind::Sum || kind == ReduceKind::Mean)
    return e.number(type, 0);
  bool isMax = kind == ReduceKind::Max;
  if (isa<FloatType>(type))
    return e.number(type, isMax ? -std::numeric_limits<double>::infinity()
                                : std::numeric_limits<double>::infinity());
  unsigned bits = type.getIntOrFloatBitWidth();
  APInt extreme = isUnsigned ? (isMax ? APInt::getMinValue(bits) : APInt::getMaxValue(bits))
                             : (isMax ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits));
  return e.create<arith::ConstantOp>(IntegerAttr::get(type, extreme));
}

/// The sum over the number of elements; an integer's truncates.
static Value divideByCount(Emitter &e, Value sum, Index width, bool isUnsigned) {
  Type type = sum.getType();
  if (isa<FloatType>(type)) {
    Value count = e.create<arith::IndexCastOp>(e.builder.getI64Type(), width);
    return e.create<arith::DivFOp>(sum, e.create<arith::SIToFPOp>(type, count));
  }
  // Of no elements an integer mean is 0: the division must not trap.
  Value count = e.create<arith::IndexCastOp>(type, max(width, e.index(1)));
  return isUnsigned ? e.create<arith::DivUIOp>(sum, count) : e.create<arith::DivSIOp>(sum, count);
}

LogicalResult weft::cpu::emitReduce(Emitter &emitter, ReduceTileOp op, Index tile, TileSizes sizes) {
  auto inType = cast<MemRefType>(op.getInput().getType()), outType = cast<MemRefType>(op.getOut().getType());
  Type type = inType.getElementType();
  if (inType.getRank() != 2 || outType.getRank() != 1 || outType.getElementType() != type ||
      !type.isIntOrFloat())
    return op.emitOpError("expects a matrix and its rows' results of one number type, got ")
           << inType << " and " << outType;
  FailureOr<Buffer> in = emitter.rowMajor(op.getInput()), out = emitter.rowMajor(op.getOut());
  if (failed(in) || failed(out))
    return failure();
  Emitter &e = emitter;
  ReduceKind kind = op.getKind();
  // Narrow integers stay as they are: a maximum reads their sign, and sums wrap in any case.
  bool isFloat = isa<FloatType>(e.computed(type));
  Type number = isFloat ? e.computed(type) : type;
  overRows(e, tile, sizes, in->sizes[0], [&](Index rowNumber) {
    Row row = rowOf(*in, rowNumber);
    int64_t lanes = lanesOfPass(e, row, number, e.unrolledVectors());
    Value identity = identityOf(e, kind, number, op.getIsUnsigned());
    auto combine = [&](Value left, Value right) {
      return buildReduction(e.builder, e.location, kind, op.getIsUnsigned(), left, right);
    };
    Value result = reduceRow(e, row.width, lanes, {identity, combine}, [&](Index column, Value mask) {
      Index at = row.start + column;
      return isFloat ? e.loadNumbers(row.buffer, at, lanes, mask, identity)
                     : e.load(row.buffer, at, lanes, mask, identity);
    });
    if (kind == ReduceKind::Mean)
      result = divideByCount(e, result, row.width, op.getIsUnsigned());
    e.storeScalar(isFloat ? e.narrow(result, type) : result, *out, out->offset + rowNumber);
  });
  return success();
}
