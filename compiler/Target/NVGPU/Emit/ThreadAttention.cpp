// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of f32 and f64: scores of a block of queries against a block of keys are in registers, with a
// running maximum and sum for each query. Each warp has some of the queries: of scores a thread has a key's,
// of sums some columns.
#include "compiler/Target/NVGPU/Emit/AttentionBlock.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// Keys of a block: one for each thread of a warp.
constexpr int64_t kKeys = cta::CtaDialect::kWarpThreads;

/// How much of the depth, and of the values' columns, lies in shared memory at a time.
struct Parts {
  int64_t depth, columns;
};

class ThreadAttention : public AttentionBlock {
public:
  ThreadAttention(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                  const AttentionOperands &operands, Parts parts)
      : AttentionBlock(emitter, op, sizes, operands), parts(parts), depth(operands.query.sizes[3]),
        width(operands.value.sizes[3]), queries(e.shared(number, {sizes.rows, parts.depth})),
        keyBlock(e.shared(number, {kKeys, parts.depth}, /*padding=*/1)),
        values(e.shared(number, {kKeys, parts.columns})),
        probabilities(e.shared(number, {sizes.rows, kKeys})) {
    for (int64_t r = 0; r < rowsOfWarp(); ++r)
      rows.push_back(rowAt(rowInTile(r)));
  }

private:
  void emitWork() override;
  Values addColumns(Index firstColumn);
  void walk(llvm::function_ref<Values(Index first, Index count, ValueRange carried)> body, Values &carried);
  void bringQueries(Index k) {
    e.bring(operands.query, queryStart() + k, rowCount - firstRow, depth - k, queries);
  }
  void bringKeys(Index first, Index count, Index k) {
    e.bring(operands.key, keyStart(operands.key, first) + k, count, depth - k, keyBlock);
  }
  Values productsOf(Index first, Index count);
  Values addProducts(ValueRange products);
  Values scoresOf(Index first, Index count);
  Values addBlock(Index first, Index count, Index firstColumn, ValueRange carried);
  void storeResult(int64_t r, Index firstColumn, ValueRange carried);
  void storeWeights(Index first, Index count, ValueRange carried);

  int64_t rowsOfWarp() const { return sizes.rows / e.warps(); }
  int64_t columnsOfThread() const { return llvm::divideCeil(parts.columns, kKeys); }
  bool hasWholeDepth() const { return depth.is(parts.depth); }
  // What is carried from block to block: of each row its maximum, its sum, and its sums of columns.
  size_t maximumAt(int64_t r) const { return r * (2 + columnsOfThread()); }
  size_t sumAt(int64_t r) const { return maximumAt(r) + 1; }
  size_t columnAt(int64_t r, int64_t c) const { return sumAt(r) + 1 + c; }

  Index rowInTile(int64_t r) { return e.warp * rowsOfWarp() + r; }
  Value exponential(Value score, Value base) {
    return e.create<math::ExpOp>(e.create<arith::SubFOp>(score, base));
  }

  const Parts parts;
  const Index depth, width;                        ///< of a query or key, and of a value
  Buffer queries, keyBlock, values, probabilities; ///< in shared memory
  SmallVector<Row> rows;                           ///< of the warp
};

} // namespace

/// Blocks of the keys that count, in order.
void ThreadAttention::walk(llvm::function_ref<Values(Index, Index, ValueRange)> body, Values &carried) {
  carried = e.loop(firstKey, endKey, e.index(kKeys), carried, [&](Index first, ValueRange before) -> Values {
    Index count = min(e.index(kKeys), endKey - first);
    auto compute = [&]() -> Values {
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

/// This thread's key's products with queries, a row each. Behind them all have what was brought before.
ThreadAttention::Values ThreadAttention::productsOf(Index first, Index count) {
  Values products(rowsOfWarp(), e.number(number, 0));
  if (hasWholeDepth()) {
    bringKeys(first, count, e.index(0));
    e.barrier();
    return addProducts(products);
  }
  products = e.loop(e.index(0), depth, e.index(parts.depth), products, [&](Index k, ValueRange sums) {
    bringQueries(k);
    bringKeys(first, count, k);
    e.barrier();
    Values next = addProducts(sums);
    e.barrier();
    return next;
  });
  e.barrier(); // there may be no depth
  return products;
}

/// The products with those of what is in shared memory.
ThreadAttention::Values ThreadAttention::addProducts(ValueRange products) {
  return e.loop(e.index(0), e.index(parts.depth), e.index(1), products, [&](Index k, ValueRange sums) {
    Value key = e.loadScalar(keyBlock, e.lane * keyBlock.strides[0] + k);
    Values next;
    for (auto [r, sum] : llvm::enumerate(sums))
      next.push_back(e.multiplyAdd(e.loadScalar(queries, rowInTile(r) * queries.strides[0] + k), key, sum));
    return next;
  });
}

/// This thread's key's scores, a row each.
ThreadAttention::Values ThreadAttention::scoresOf(Index first, Index count) {
  Values products = productsOf(first, count);
  Value scale = e.number(number, op.getScale().convertToDouble());
  for (auto [row, product] : llvm::zip_equal(rows, products))
    product = applyRegion(e.create<arith::MulFOp>(product, scale), row, first + e.lane);
  return products;
}

/// What a block of keys makes of maxima and sums.
ThreadAttention::Values ThreadAttention::addBlock(Index first, Index count, Index firstColumn,
                                                  ValueRange carried) {
  Index columns = width - firstColumn;
  e.bring(operands.value, keyStart(operands.value, first) + firstColumn, count, columns, values);
  Values next(carried), scores = scoresOf(first, count);
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
      Index column = min(e.lane + c * kKeys, e.index(parts.columns - 1));
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
void ThreadAttention::storeResult(int64_t r, Index firstColumn, ValueRange carried) {
  cpu::RowFactor factor = factorOf(carried[sumAt(r)]);
  Index start = outStart(rows[r]);
  e.ifThen(rows[r].isThere, [&] {
    for (int64_t c = 0; c < columnsOfThread(); ++c) {
      Index inPart = e.lane + c * kKeys, column = firstColumn + inPart;
      Value isThere = column.compare(arith::CmpIPredicate::ult, width);
      if (parts.columns % kKeys)
        isThere = e.both(isThere, inPart.compare(arith::CmpIPredicate::ult, parts.columns));
      e.ifThen(column.compare(arith::CmpIPredicate::ult, width),
               [&] { e.storeNumber(apply(factor, carried[columnAt(r, c)]), operands.out, start + column); });
    }
    if (operands.statistics)
      e.ifThen(e.lane.compare(arith::CmpIPredicate::eq, 0),
               [&] { storeStatistics(rows[r], carried[maximumAt(r)], carried[sumAt(r)]); });
  });
}

/// The probabilities of a block of keys, when maxima and sums are known.
void ThreadAttention::storeWeights(Index first, Index count, ValueRange carried) {
  Index key = first + e.lane;
  for (auto [r, score] : llvm::enumerate(scoresOf(first, count))) {
    Value hasNoKeys = e.create<arith::ConstantIntOp>(0, 1);
    cpu::RowFactor factor = cpu::rowFactor(e, op.getEmptyRows(), carried[sumAt(r)], hasNoKeys);
    Value probability = apply(factor, exponential(score, baseOf(carried[maximumAt(r)])));
    Index at = weightsStart(rows[r]) + key;
    e.ifThen(e.both(rows[r].isThere, key.compare(arith::CmpIPredicate::ult, keys)),
             [&] { e.storeNumber(probability, *operands.weights, at); });
  }
}

/// Results in so many columns as are summed at once, from one on; and what is carried then.
ThreadAttention::Values ThreadAttention::addColumns(Index firstColumn) {
  Values carried;
  for (int64_t r = 0; r < rowsOfWarp(); ++r) {
    Start start = startOf(rows[r], e.create<arith::ConstantIntOp>(1, 1));
    carried.append({start.maximum, start.sum});
    carried.append(columnsOfThread(), e.number(number, 0));
  }
  walk([&](Index first, Index count,
           ValueRange before) { return addBlock(first, count, firstColumn, before); },
       carried);
  for (int64_t r = 0; r < rowsOfWarp(); ++r)
    storeResult(r, firstColumn, carried);
  return carried;
}

/// All columns at once, or some after others, each with scores of their own. Where there are none, rows still
/// have maxima and sums.
void ThreadAttention::emitWork() {
  if (hasWholeDepth())
    bringQueries(e.index(0));
  Values carried = addColumns(e.index(0));
  if (!width.is(parts.columns))
    e.loop(e.index(parts.columns), width, e.index(parts.columns), [&](Index column) { addColumns(column); });
  if (operands.weights) {
    auto store = [&](Index first, Index count, ValueRange before) {
      storeWeights(first, count, before);
      return Values(before);
    };
    walk(store, carried);
  }
}

static int64_t bytesOf(cpu::TileSizes sizes, Type element, Parts parts) {
  int64_t elements = sizes.rows * (parts.depth + kKeys) + kKeys * (parts.depth + 1 + parts.columns);
  return elements * element.getIntOrFloatBitWidth() / 8;
}

/// All of a head if its width is known and it fits into a block's memory, otherwise parts of it, whose sums
/// fit into registers.
static Parts chooseParts(cpu::TileSizes sizes, const AttentionOperands &operands) {
  constexpr int64_t kMostBytes = cta::CtaDialect::kMostSharedBytes - 4 * 128, kPartDepth = 64,
                    kPartColumns = 256, kPartColumnsOfF64 = 64;
  std::optional<int64_t> depth = operands.query.sizes[3].constant(),
                         width = operands.value.sizes[3].constant();
  bool isWhole = depth && width && bytesOf(sizes, operands.out.element, {*depth, *width}) <= kMostBytes;
  return isWhole ? Parts{*depth, *width}
                 : Parts{kPartDepth, operands.out.element.isF64() ? kPartColumnsOfF64 : kPartColumns};
}

static LogicalResult checkThreadAttention(BlockEmitter &e, AttentionTileOp op, cpu::TileSizes sizes,
                                          const AttentionOperands &operands) {
  Type element = operands.out.element;
  if (!element.isF32() && !element.isF64())
    return op.emitOpError("expects f32 or f64, got ") << element;
  for (const Buffer *buffer : {&operands.query, &operands.key, &operands.value})
    if (e.computed(buffer->element) != element)
      return op.emitOpError("expects operands that are computed in ")
             << element << ", got " << buffer->element;
  if (sizes.rows <= 0 || sizes.rows % e.warps() != 0)
    return op.emitOpError("expects a schedule of rows that are a multiple of ")
           << e.warps() << ", got " << sizes.rows;
  return success();
}

LogicalResult weft::nvgpu::emitThreadAttention(BlockEmitter &emitter, AttentionTileOp op,
                                               cpu::TileSizes sizes, const AttentionOperands &operands) {
  if (failed(checkThreadAttention(emitter, op, sizes, operands)))
    return failure();
  return ThreadAttention(emitter, op, sizes, operands, chooseParts(sizes, operands)).emit();
}
