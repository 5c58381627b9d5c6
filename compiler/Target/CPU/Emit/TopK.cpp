// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// top_k: the indices of the best elements so far are a heap, whose root is the worst of them; it lies where
// the result will be. In the end it is sorted in place.
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {

/// One row: element i of in is at in.start + i * in.stride.
struct Run {
  const Buffer &buffer;
  Index start, stride;

  Index at(Index i) const { return start + i * stride; }
};

class TopKEmitter {
public:
  TopKEmitter(Emitter &emitter, TopKTileOp op, const Run &in, const Run &out, Index size, Index count)
      : e(emitter), op(op), in(in), out(out), size(size), count(count) {}

  void emit();

private:
  /// Where an element is, and its key: a signed integer that is greater the better the element is.
  struct Item {
    Value place, key; ///< of types i64 and key
  };

  Value keyOf(Value element);
  Item item(Value place);
  Item load(Index position) { return item(e.loadScalar(out.buffer, out.at(position))); }
  void store(const Item &item, Index position) { e.storeScalar(item.place, out.buffer, out.at(position)); }
  Value isWorse(const Item &left, const Item &right);
  void siftDown(Item item, Index position, Index end);
  void build();
  void scan();
  void sort();

  Value asNumber(Index index) { return e.create<arith::IndexCastOp>(e.builder.getI64Type(), Value(index)); }
  Value select(Value condition, Value yes, Value no) { return e.create<arith::SelectOp>(condition, yes, no); }

  Emitter &e;
  TopKTileOp op;
  Run in, out;
  Index size, count;
};

} // namespace

/// Floats by their bits: of negative ones a greater number is a smaller float. NaN is greater than infinity,
/// and -0 equals 0.
Value TopKEmitter::keyOf(Value element) {
  auto integer = [&](Type type, const APInt &value) {
    return e.create<arith::ConstantOp>(IntegerAttr::get(type, value));
  };
  element = e.widen(element);
  Type type = element.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto keyType = e.builder.getIntegerType(width);
  Value key = element;
  if (isa<FloatType>(type)) {
    Value number = e.create<arith::AddFOp>(element, e.number(type, 0)); // makes 0 of -0
    Value bits = e.create<arith::BitcastOp>(keyType, number);
    Value greatest = integer(keyType, APInt::getSignedMaxValue(width));
    Value sign = e.create<arith::ShRSIOp>(bits, integer(keyType, APInt(width, width - 1)));
    key = e.create<arith::XOrIOp>(bits, e.create<arith::AndIOp>(sign, greatest));
    key = select(e.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, element, element), greatest, key);
  } else if (op.getIsUnsigned()) {
    key = e.create<arith::XOrIOp>(key, integer(keyType, APInt::getSignMask(width)));
  }
  return op.getLargest() ? key : e.create<arith::XOrIOp>(key, integer(keyType, APInt::getAllOnes(width)));
}

TopKEmitter::Item TopKEmitter::item(Value place) {
  Index index = e.index(e.create<arith::IndexCastOp>(e.builder.getIndexType(), place));
  return {place, keyOf(e.loadScalar(in.buffer, in.at(index)))};
}

/// Of equal elements the later one is worse.
Value TopKEmitter::isWorse(const Item &left, const Item &right) {
  using P = arith::CmpIPredicate;
  Value less = e.create<arith::CmpIOp>(P::slt, left.key, right.key);
  Value equal = e.create<arith::CmpIOp>(P::eq, left.key, right.key);
  Value later = e.create<arith::CmpIOp>(P::sgt, left.place, right.place);
  return e.create<arith::OrIOp>(less, e.create<arith::AndIOp>(equal, later));
}

/// Puts an item into the heap [0, end) at a position where there is room, and lets worse ones rise above it.
void TopKEmitter::siftDown(Item item, Index position, Index end) {
  auto findChild = [&](OpBuilder &, Location, ValueRange arguments) {
    Index here = e.index(arguments.front()), last = end - 1;
    Index left = here * 2 + 1, right = left + 1;
    // Beyond the end the last one stands in, so that nothing is read there.
    Item leftItem = load(min(left, last)), rightItem = load(min(right, last));
    Value takesRight = isWorse(rightItem, leftItem);
    Item child{select(takesRight, rightItem.place, leftItem.place),
               select(takesRight, rightItem.key, leftItem.key)};
    Index childPosition = e.select(takesRight, min(right, last), left);
    Value rises = e.create<arith::AndIOp>(left.compare(arith::CmpIPredicate::ult, end), isWorse(child, item));
    scf::ConditionOp::create(e.builder, e.location, rises,
                             ValueRange{Value(here), Value(childPosition), child.place});
  };
  auto rise = [&](OpBuilder &, Location, ValueRange arguments) {
    e.storeScalar(arguments[2], out.buffer, out.at(e.index(arguments[0])));
    scf::YieldOp::create(e.builder, e.location, arguments[1]);
  };
  Type index = e.builder.getIndexType(), number = e.builder.getI64Type();
  auto loop = scf::WhileOp::create(e.builder, e.location, TypeRange{index, index, number},
                                   ValueRange{Value(position)}, findChild, rise);
  store(item, e.index(loop.getResult(0)));
}

/// A heap of the first `count` elements.
void TopKEmitter::build() {
  e.loop(e.index(0), count, e.index(1), [&](Index i) { e.storeScalar(asNumber(i), out.buffer, out.at(i)); });
  Index parents = count / 2;
  e.loop(e.index(0), parents, e.index(1), [&](Index i) {
    Index position = parents - 1 - i;
    siftDown(load(position), position, count);
  });
}

/// Each element that is better than the root takes its place. An equal one comes later, so it is worse.
void TopKEmitter::scan() {
  Value worst = load(e.index(0)).key;
  e.loop(count, size, e.index(1), worst, [&](Index i, ValueRange carried) -> Emitter::Values {
    Item next = item(asNumber(i));
    Value isBetter = e.create<arith::CmpIOp>(arith::CmpIPredicate::sgt, next.key, carried.front());
    return e.ifElse(
        isBetter, next.key.getType(),
        [&] {
          siftDown(next, e.index(0), count);
          return Emitter::Values{load(e.index(0)).key};
        },
        [&] { return Emitter::Values{carried.front()}; });
  });
}

/// The worst of those that are left goes behind them, again and again.
void TopKEmitter::sort() {
  e.loop(e.index(1), count, e.index(1), [&](Index i) {
    Index last = count - i;
    Item moved = load(last);
    store(load(e.index(0)), last);
    siftDown(moved, e.index(0), last);
  });
}

void TopKEmitter::emit() {
  e.ifThen(count.compare(arith::CmpIPredicate::ne, 0), [&] {
    build();
    scan();
    sort();
  });
}

LogicalResult weft::cpu::emitTopK(Emitter &emitter, TopKTileOp op, Index tile, TileSizes sizes) {
  auto inType = cast<MemRefType>(op.getInput().getType()), outType = cast<MemRefType>(op.getOut().getType());
  if (inType.getRank() != 3 || outType.getRank() != 3 || !outType.getElementType().isInteger(64) ||
      !inType.getElementType().isIntOrFloat())
    return op.emitOpError("expects numbers [outer, axis, inner] and indices [outer, k, inner] of i64, got ")
           << inType << " and " << outType;
  FailureOr<Buffer> in = emitter.rowMajor(op.getInput()), out = emitter.rowMajor(op.getOut());
  if (failed(in) || failed(out))
    return failure();
  Index inner = in->sizes[2], from = tile * sizes.rows;
  Index to = min(from + sizes.rows, in->sizes[0] * inner);
  emitter.loop(from, to, emitter.index(1), [&](Index row) {
    auto run = [&](const Buffer &buffer) {
      Index start = buffer.offset + row / inner * buffer.strides[0] + row % inner;
      return Run{buffer, start, buffer.strides[1]};
    };
    TopKEmitter(emitter, op, run(*in), run(*out), in->sizes[1], out->sizes[1]).emit();
  });
  return success();
}
