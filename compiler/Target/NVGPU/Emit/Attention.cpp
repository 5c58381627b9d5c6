// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: a block of queries, whose scores against a block of keys are in registers, with a running
// maximum and sum for each query. Each warp has some of the queries: of scores a thread has a key's, of sums
// some columns.
#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"
#include "compiler/Target/CPU/Emit/ScoreVerdict.h"
#include "compiler/Target/NVGPU/Emit/Kernels.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// Keys of a block: one for each thread of a warp.
constexpr int64_t kKeys = cta::CtaDialect::kWarpThreads;
/// The number of a score region's first capture among its arguments.
constexpr unsigned kFirstCapture = 5;

struct Operands {
  Buffer query, key, value, out;
  std::optional<Buffer> weights;
  SmallVector<Buffer> captures;
};

class AttentionEmitter {
public:
  AttentionEmitter(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes, const Operands &operands);

  LogicalResult emit();

private:
  using Values = BlockEmitter::Values;
  void walk(llvm::function_ref<Values(Index first, Index count, ValueRange carried)> body, Values &carried);
  Value isEmpty(Index first, Index count);
  Values scoresOf(Index first);
  Value scoreOf(Value product, int64_t r, Index key);
  Values addBlock(Index first, Index count, ValueRange carried);
  void storeResult(int64_t r, ValueRange carried);
  void storeWeights(Index first, ValueRange carried);

  int64_t rowsOfWarp() const { return sizes.rows / e.warps(); }
  int64_t columnsOfThread() const { return llvm::divideCeil(width, kKeys); }
  // What is carried from block to block: of each row its maximum, its sum, and its sums of columns.
  size_t maximumAt(int64_t r) const { return r * (2 + columnsOfThread()); }
  size_t sumAt(int64_t r) const { return maximumAt(r) + 1; }
  size_t columnAt(int64_t r, int64_t c) const { return sumAt(r) + 1 + c; }

  /// The row of the tile, and of the rows that share a key head; the last one stands for those behind it.
  Index rowInTile(int64_t r) { return e.warp * rowsOfWarp() + r; }
  Index rowOf(int64_t r) { return min(firstRow + rowInTile(r), rowCount - 1); }
  Value isRowThere(int64_t r) {
    return (firstRow + rowInTile(r)).compare(arith::CmpIPredicate::ult, rowCount);
  }
  Index headOf(Index row) { return keyHead * groupSize + e.quotient(row, length); }
  Value greater(Value left, Value right) { return e.pick(arith::CmpFPredicate::OGT, left, right); }
  /// What is subtracted from scores: their maximum, or 0 where all are excluded.
  Value baseOf(Value maximum) {
    Value isNone = e.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, maximum, least);
    return e.create<arith::SelectOp>(isNone, e.number(number, 0), maximum);
  }
  Value exponential(Value score, Value base) {
    return e.create<math::ExpOp>(e.create<arith::SubFOp>(score, base));
  }

  BlockEmitter &e;
  AttentionTileOp op;
  cpu::TileSizes sizes;
  const Operands &operands;
  Type number;
  int64_t depth, width;
  Index length, keyHeads, keys, groupSize, rowCount;
  Value least;
  Buffer queries, keyBlock, values, probabilities; ///< in shared memory
  Index batch{e, {}}, keyHead{e, {}}, firstRow{e, {}};
  bool failedRegion = false;
};

} // namespace

AttentionEmitter::AttentionEmitter(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                                   const Operands &operands)
    : e(emitter), op(op), sizes(sizes), operands(operands), number(operands.out.element),
      depth(*operands.query.sizes[3].constant()), width(*operands.value.sizes[3].constant()),
      length(operands.query.sizes[2]), keyHeads(operands.key.sizes[1]), keys(operands.key.sizes[2]),
      groupSize(emitter.quotient(operands.query.sizes[1], max(keyHeads, emitter.index(1)))),
      rowCount(groupSize * length), least(e.number(number, -std::numeric_limits<double>::infinity())),
      queries(e.shared(number, {sizes.rows, depth})),
      keyBlock(e.shared(number, {kKeys, depth}, /*padding=*/1)), values(e.shared(number, {kKeys, width})),
      probabilities(e.shared(number, {sizes.rows, kKeys})) {
  Index blocks = max(ceilDiv(rowCount, sizes.rows), e.index(1)), matrix = e.quotient(e.block, blocks);
  batch = e.quotient(matrix, keyHeads);
  keyHead = e.remainder(matrix, keyHeads);
  firstRow = e.remainder(e.block, blocks) * sizes.rows;
}

/// Whether the score region leaves out all of these keys for all rows of the tile; null if that never is
/// known.
Value AttentionEmitter::isEmpty(Index first, Index count) {
  if (op.getScore().empty() || op.getWeights()) // of all keys probabilities are written
    return {};
  Index last = min(firstRow + sizes.rows, rowCount) - 1, lowQuery = firstRow, highQuery = last;
  if (!groupSize.is(1)) {
    Value isOne = headOf(firstRow).compare(arith::CmpIPredicate::eq, headOf(last));
    lowQuery = e.select(isOne, e.remainder(firstRow, length), e.index(0));
    highQuery = e.select(isOne, e.remainder(last, length), length - 1);
  }
  SmallVector<cpu::Interval> arguments{{},
                                       {batch, batch},
                                       {headOf(firstRow), headOf(last)},
                                       {lowQuery, highQuery},
                                       {first, first + count - 1}};
  for (auto [capture, argument] :
       llvm::zip(operands.captures, op.getScore().getArguments().drop_front(kFirstCapture))) {
    bool isOne = llvm::all_of(capture.sizes, [](Index size) { return size.is(1); });
    if (!isOne || argument.getType().isInteger(1)) {
      arguments.push_back({});
      continue;
    }
    Value element = e.loadScalar(capture, capture.offset);
    arguments.push_back({element, element});
  }
  return cpu::buildTileVerdict(e.builder, e.location, op.getScore().front(), arguments).isEmpty;
}

/// Blocks of the keys that count, in order.
void AttentionEmitter::walk(llvm::function_ref<Values(Index, Index, ValueRange)> body, Values &carried) {
  carried = e.loop(e.index(0), keys, e.index(kKeys), carried, [&](Index first, ValueRange before) -> Values {
    Index count = min(e.index(kKeys), keys - first);
    auto compute = [&]() -> Values {
      auto startOf = [&](const Buffer &buffer) {
        return buffer.offset + batch * buffer.strides[0] + keyHead * buffer.strides[1] +
               first * buffer.strides[2];
      };
      e.bring(operands.key, startOf(operands.key), count, e.index(depth), keyBlock);
      e.bring(operands.value, startOf(operands.value), count, e.index(width), values);
      e.barrier();
      Values next = body(first, count, before);
      e.barrier();
      return next;
    };
    Value empty = isEmpty(first, count);
    if (!empty)
      return compute();
    return e.ifElse(
        empty, ValueRange(carried).getTypes(), [&]() -> Values { return Values(before); }, compute);
  });
}

/// What the region makes of a scaled product; minus infinity of what it excludes, and behind the last key.
Value AttentionEmitter::scoreOf(Value product, int64_t r, Index key) {
  Value score = e.create<arith::MulFOp>(product, e.number(number, op.getScale().convertToDouble()));
  Value isKept = key.compare(arith::CmpIPredicate::ult, keys);
  if (!op.getScore().empty()) {
    Index row = rowOf(r), head = headOf(row), query = e.remainder(row, length), there = min(key, keys - 1);
    auto results = e.region(op.getScore().front(), {score, batch, head, query, there}, operands.captures,
                            {batch, head, query, there});
    failedRegion |= failed(results);
    if (succeeded(results)) {
      score = (*results)[0];
      isKept = e.both(isKept, (*results)[1]);
    }
  }
  return e.create<arith::SelectOp>(isKept, score, least);
}

/// This thread's key's scores, a row each.
AttentionEmitter::Values AttentionEmitter::scoresOf(Index first) {
  Values products(rowsOfWarp(), e.number(number, 0));
  products = e.loop(e.index(0), e.index(depth), e.index(1), products, [&](Index k, ValueRange sums) {
    Value key = e.loadScalar(keyBlock, e.lane * keyBlock.strides[0] + k);
    Values next;
    for (auto [r, sum] : llvm::enumerate(sums))
      next.push_back(e.multiplyAdd(e.loadScalar(queries, rowInTile(r) * queries.strides[0] + k), key, sum));
    return next;
  });
  for (auto [r, product] : llvm::enumerate(products))
    product = scoreOf(product, r, first + e.lane);
  return products;
}

/// What a block of keys makes of maxima and sums.
AttentionEmitter::Values AttentionEmitter::addBlock(Index first, Index count, ValueRange carried) {
  Values next(carried), scores = scoresOf(first);
  auto add = [&](Value left, Value right) { return e.create<arith::AddFOp>(left, right); };
  auto choose = [&](Value left, Value right) { return greater(left, right); };
  for (auto [r, score] : llvm::enumerate(scores)) {
    Value before = carried[maximumAt(r)], maximum = greater(e.reduceWarp(score, choose), before);
    Value base = baseOf(maximum), shrink = exponential(before, base), probability = exponential(score, base);
    next[maximumAt(r)] = maximum;
    next[sumAt(r)] = e.multiplyAdd(carried[sumAt(r)], shrink, e.reduceWarp(probability, add));
    for (int64_t c = 0; c < columnsOfThread(); ++c)
      next[columnAt(r, c)] = e.create<arith::MulFOp>(carried[columnAt(r, c)], shrink);
    e.storeScalar(probability, probabilities, rowInTile(r) * kKeys + e.lane);
  }
  e.warpBarrier();
  return e.loop(e.index(0), count, e.index(1), next, [&](Index j, ValueRange before) {
    Values sums(before), row;
    for (int64_t c = 0; c < columnsOfThread(); ++c) {
      // Columns that are not there have the sums of the last one.
      Index column = min(e.lane + c * kKeys, e.index(width - 1));
      row.push_back(e.loadScalar(values, j * values.strides[0] + column));
    }
    for (int64_t r = 0; r < rowsOfWarp(); ++r) {
      Value probability = e.loadScalar(probabilities, rowInTile(r) * kKeys + j);
      for (int64_t c = 0; c < columnsOfThread(); ++c)
        sums[columnAt(r, c)] = e.multiplyAdd(probability, row[c], before[columnAt(r, c)]);
    }
    return sums;
  });
}

/// A row's sums over the sum of its exponentials; what that is of no keys `empty_rows` says.
void AttentionEmitter::storeResult(int64_t r, ValueRange carried) {
  Value hasNoKeys = keys.compare(arith::CmpIPredicate::eq, 0);
  cpu::RowFactor factor = cpu::rowFactor(e, op.getEmptyRows(), carried[sumAt(r)], hasNoKeys);
  Index row = rowOf(r);
  const Buffer &out = operands.out;
  Index start =
      out.offset + batch * out.strides[0] + keyHead * groupSize * out.strides[1] + row * out.strides[2];
  e.ifThen(isRowThere(r), [&] {
    for (int64_t c = 0; c < columnsOfThread(); ++c) {
      Index column = e.lane + c * kKeys;
      e.ifThen(column.compare(arith::CmpIPredicate::ult, width), [&] {
        Value product = e.create<arith::MulFOp>(carried[columnAt(r, c)], factor.factor);
        Value result = e.create<arith::SelectOp>(factor.isZero, e.number(number, 0), product);
        e.storeNumber(result, out, start + column);
      });
    }
  });
}

/// The probabilities of a block of keys, when maxima and sums are known.
void AttentionEmitter::storeWeights(Index first, ValueRange carried) {
  Index key = first + e.lane;
  const Buffer &weights = *operands.weights;
  for (auto [r, score] : llvm::enumerate(scoresOf(first))) {
    Value hasNoKeys = e.create<arith::ConstantIntOp>(0, 1);
    cpu::RowFactor factor = cpu::rowFactor(e, op.getEmptyRows(), carried[sumAt(r)], hasNoKeys);
    Value probability =
        e.create<arith::MulFOp>(exponential(score, baseOf(carried[maximumAt(r)])), factor.factor);
    Value result = e.create<arith::SelectOp>(factor.isZero, e.number(number, 0), probability);
    Index row = rowOf(r);
    Index at = weights.offset + batch * weights.strides[0] + headOf(row) * weights.strides[1] +
               e.remainder(row, length) * weights.strides[2] + key;
    e.ifThen(e.both(isRowThere(r), key.compare(arith::CmpIPredicate::ult, keys)),
             [&] { e.storeNumber(result, weights, at); });
  }
}

LogicalResult AttentionEmitter::emit() {
  const Buffer &query = operands.query;
  Index start = query.offset + batch * query.strides[0] + keyHead * groupSize * query.strides[1] +
                firstRow * query.strides[2];
  e.bring(query, start, rowCount - firstRow, e.index(depth), queries);
  Values carried;
  for (int64_t r = 0; r < rowsOfWarp(); ++r) {
    carried.push_back(least);
    carried.append(1 + columnsOfThread(), e.number(number, 0));
  }
  walk([&](Index first, Index count, ValueRange before) { return addBlock(first, count, before); }, carried);
  for (int64_t r = 0; r < rowsOfWarp(); ++r)
    storeResult(r, carried);
  if (operands.weights) {
    auto store = [&](Index first, Index, ValueRange before) {
      storeWeights(first, before);
      return Values(before);
    };
    walk(store, carried);
  }
  return failure(failedRegion);
}

static LogicalResult checkAttention(BlockEmitter &e, AttentionTileOp op, cpu::TileSizes sizes) {
  auto query = cast<MemRefType>(op.getQuery().getType()), key = cast<MemRefType>(op.getKey().getType()),
       value = cast<MemRefType>(op.getValue().getType()), out = cast<MemRefType>(op.getOut().getType());
  Type element = out.getElementType();
  if (!element.isF32() && !element.isF64())
    return op.emitOpError("expects f32 or f64, got ") << element;
  if (op.getPanels() || op.getStatistics() || !op.getMaps().empty() || key.getRank() != 4)
    return op.emitOpError("expects keys as they are, in one part, and no maps");
  for (MemRefType type : {query, key, value, out})
    if (type.getRank() != 4 || e.computed(type.getElementType()) != element)
      return op.emitOpError("expects operands of rank 4 that are computed in ")
             << element << ", got " << type;
  if (sizes.rows <= 0 || sizes.rows % e.warps() != 0)
    return op.emitOpError("expects a schedule of rows that are a multiple of ")
           << e.warps() << ", got " << sizes.rows;
  int64_t depth = query.getShape()[3], width = value.getShape()[3],
          bytes = element.getIntOrFloatBitWidth() / 8;
  bool isKnown = !ShapedType::isDynamic(depth) && !ShapedType::isDynamic(width);
  if (!isKnown || bytes * (sizes.rows * (depth + kKeys) + kKeys * (depth + 1 + width)) >
                      cta::CtaDialect::kMostSharedBytes - 4 * 128)
    return op.emitError()
           << "node \"" << getNodeName(op)
           << "\" (attention): kernels for GPUs expect heads of a known width that fit into the memory "
              "of a block, got "
           << query << " and " << value << " [weft-0502]";
  return success();
}

LogicalResult weft::nvgpu::emitAttention(AttentionTileOp op, cpu::TileSizes sizes) {
  BlockEmitter emitter(op, kAttentionThreads);
  if (failed(checkAttention(emitter, op, sizes)))
    return failure();
  SmallVector<Value> found{op.getQuery(), op.getKey(), op.getValue(), op.getOut()};
  llvm::append_range(found, op.getCaptures());
  if (op.getWeights())
    found.push_back(op.getWeights());
  FailureOr<SmallVector<Buffer>> buffers = emitter.allRowMajor(found);
  if (failed(buffers))
    return failure();
  Operands operands{(*buffers)[0], (*buffers)[1], (*buffers)[2], (*buffers)[3], {}, {}};
  if (op.getWeights())
    operands.weights = buffers->pop_back_val();
  operands.captures.append(buffers->begin() + 4, buffers->end());
  return AttentionEmitter(emitter, op, sizes, operands).emit();
}
