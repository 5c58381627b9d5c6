// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linear_attention: four vectors of columns of a state go through all positions, and then the next. Vectors
// go across columns: what a row of the state takes part in has one element of a key or a query as its factor.
#include "compiler/Target/CPU/Emit/Rows.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// The widest keys of which a state's columns are on the stack.
constexpr int64_t kWidestOnStack = 256;

namespace {
/// A factor for each position and head, and for each row of the state or for all.
struct Gate {
  Buffer buffer;

  /// Where the factor of the first row is.
  Index at(Index batch, Index position, Index head) const {
    Index start = buffer.offset + batch * buffer.strides[0] + position * buffer.strides[1];
    return buffer.sizes[2].is(1) ? start : start + head * buffer.strides[2];
  }
  bool isOfRows() const { return !buffer.sizes[3].is(1); }
};

/// The operands; rank 4 each.
struct Operands {
  Buffer query, key, value, state, out, final;
  std::optional<Gate> decay, rate;
};

/// Rows of a state's columns: where the first begins, and how far it is to the next.
struct StateRows {
  const Buffer &buffer;
  Index first, stride;
};

/// What belongs to some columns of one head.
class HeadColumns {
public:
  /// The state is in `scratch` meanwhile, or else where it has to be in the end.
  HeadColumns(Emitter &e, const Operands &operands, Index batch, Index head, Index column, int64_t lanes,
              Value mask, const std::optional<Buffer> &scratch)
      : e(e), operands(operands), batch(batch), head(head), column(column), lanes(lanes), mask(mask),
        final(rowsIn(operands.final)),
        state(scratch ? StateRows{*scratch, scratch->offset, e.index(lanes)} : final),
        isScratch(scratch.has_value()) {}

  void emit();

private:
  StateRows rowsIn(const Buffer &states) {
    Index first = states.offset + batch * states.strides[0] + head * states.strides[1] + column;
    return {states, first, states.strides[2]};
  }
  void copyRows(const StateRows &from, const StateRows &to);
  void advance(Index position);
  Index rowOf(const Buffer &buffer, Index position, Index at) {
    return buffer.offset + batch * buffer.strides[0] + position * buffer.strides[1] + at * buffer.strides[2];
  }
  Index width() const { return operands.key.sizes[3]; }
  Value splatAt(const Buffer &buffer, Index at) { return e.splat(e.loadScalar(buffer, at), lanes); }
  Value load(const StateRows &rows, Index row) {
    return e.load(rows.buffer, rows.first + row * rows.stride, lanes, mask);
  }
  void store(Value changed, const StateRows &rows, Index row) {
    e.store(changed, rows.buffer, rows.first + row * rows.stride, mask);
  }
  Value multiply(Value left, Value right) { return e.create<arith::MulFOp>(left, right); }
  Value multiplyAdd(Value left, Value right, Value sum) { return e.create<math::FmaOp>(left, right, sum); }
  /// A row of the state after its decay at a position.
  Value decayed(Index position, Index row);
  /// The sum over rows of an element of `factors` from `start` on times what `load` gives for the row.
  Value sumRows(const Buffer &factors, Index start, llvm::function_ref<Value(Index)> load);
  /// What is added to the state, for a key of 1.
  Value update(Index position);

  Emitter &e;
  const Operands &operands;
  Index batch, head, column;
  int64_t lanes;
  Value mask;
  StateRows final, state;
  bool isScratch;
};
} // namespace

void HeadColumns::copyRows(const StateRows &from, const StateRows &to) {
  e.loop(e.index(0), width(), e.index(1), [&](Index row) { store(load(from, row), to, row); });
}

void HeadColumns::emit() {
  copyRows(rowsIn(operands.state), state);
  e.loop(e.index(0), operands.key.sizes[1], e.index(1), [&](Index position) { advance(position); });
  if (isScratch)
    copyRows(state, final);
}

Value HeadColumns::decayed(Index position, Index row) {
  Value before = load(state, row);
  if (!operands.decay)
    return before;
  const Gate &decay = *operands.decay;
  Index at = decay.at(batch, position, head);
  return multiply(splatAt(decay.buffer, decay.isOfRows() ? at + row : at), before);
}

Value HeadColumns::sumRows(const Buffer &factors, Index start, llvm::function_ref<Value(Index)> load) {
  Value zero = e.splat(e.number(factors.element, 0), lanes);
  return e
      .loop(e.index(0), width(), e.index(1), zero,
            [&](Index row, ValueRange sum) {
              return Emitter::Values{multiplyAdd(splatAt(factors, start + row), load(row), sum.front())};
            })
      .front();
}

Value HeadColumns::update(Index position) {
  const Operands &o = operands;
  Value value = e.load(o.value, rowOf(o.value, position, head) + column, lanes, mask);
  if (!o.rate)
    return value;
  Value held =
      sumRows(o.key, rowOf(o.key, position, head), [&](Index row) { return decayed(position, row); });
  return multiply(splatAt(o.rate->buffer, o.rate->at(batch, position, head)),
                  e.create<arith::SubFOp>(value, held));
}

void HeadColumns::advance(Index position) {
  const Operands &o = operands;
  Value added = update(position);
  Index group = o.query.sizes[2] / o.key.sizes[2], firstQuery = head * group;
  Index keyRow = rowOf(o.key, position, head);
  auto changeRow = [&](Index row) {
    Value changed = multiplyAdd(splatAt(o.key, keyRow + row), added, decayed(position, row));
    store(changed, state, row);
    return changed;
  };
  auto read = [&](Index queryHead, llvm::function_ref<Value(Index)> load) {
    Value sum = sumRows(o.query, rowOf(o.query, position, queryHead), load);
    e.store(sum, o.out, rowOf(o.out, position, queryHead) + column, mask);
  };
  // The first query head, if there is one for sure, reads the state as it changes.
  bool isRead = group.constant().value_or(0) > 0;
  if (isRead)
    read(firstQuery, changeRow);
  else
    e.loop(e.index(0), width(), e.index(1), [&](Index row) { changeRow(row); });
  e.loop(e.index(isRead ? 1 : 0), group, e.index(1),
         [&](Index other) { read(firstQuery + other, [&](Index row) { return load(state, row); }); });
}

static FailureOr<Operands> getOperands(Emitter &e, LinearAttentionTileOp op) {
  SmallVector<Buffer> buffers;
  Type element = cast<MemRefType>(op.getQuery().getType()).getElementType();
  for (Value operand : op->getOperands()) {
    auto type = cast<MemRefType>(operand.getType());
    if (type.getRank() != 4 || type.getElementType() != element || !(element.isF32() || element.isF64()))
      return op.emitOpError("expects operands of rank 4, all f32 or all f64, got ") << type;
    FailureOr<Buffer> buffer = e.rowMajor(operand);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  size_t count = buffers.size();
  Operands operands{buffers[0],         buffers[1],         buffers[2], buffers[3],
                    buffers[count - 2], buffers[count - 1], {},         {}};
  if (op.getDecay())
    operands.decay = Gate{buffers[4]};
  if (op.getRate())
    operands.rate = Gate{buffers[count - 3]};
  return operands;
}

LogicalResult weft::cpu::emitLinearAttention(Emitter &e, LinearAttentionTileOp op, Index tile,
                                             TileSizes sizes) {
  if (sizes.columns <= 0)
    return op->emitError("expects a kernel whose schedule has columns");
  FailureOr<Operands> operands = getOperands(e, op);
  if (failed(operands))
    return failure();
  Type element = operands->value.element;
  int64_t lanes = e.lanes(element) * (e.warpLanes ? 1 : e.unrolledVectors()); // a tile's columns are a warp's
  // In one piece a state's rows do not fall on the same lines of the cache, as those of a power of 2 do. A
  // warp's threads would each have such a piece.
  std::optional<int64_t> width = operands->key.sizes[3].constant();
  std::optional<Buffer> scratch;
  if (width && *width > 0 && *width <= kWidestOnStack && !e.warpLanes)
    scratch = e.scratch(element, *width * lanes);
  Index heads = operands->key.sizes[2], columns = operands->value.sizes[3];
  Index blocks = max(ceilDiv(columns, sizes.columns), e.index(1)), begin = tile % blocks * sizes.columns;
  Index batch = tile / blocks / heads, head = tile / blocks % heads;
  e.overColumns(min(e.index(sizes.columns), columns - begin), lanes, [&](Index column, Value mask) {
    HeadColumns(e, *operands, batch, head, begin + column, lanes, mask, scratch).emit();
  });
  return success();
}
