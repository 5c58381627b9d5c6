// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of f16 and bf16 by tensor cores, with scores and sums of f32 (Dao, FlashAttention-2, arXiv
// 2307.08691): a warp has 16 rows of queries. Fragments of its scores become fragments of probabilities where
// they are, in registers; while a block of keys and values is multiplied, the next one is copied. Of a tile
// of 16 rows all warps have the same ones and share out the keys of each block, and put together what they
// have in the end.
#include "compiler/Target/NVGPU/Emit/FragmentAttention.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// Rows and depth of a product (cta.mma).
constexpr int64_t kRows = 16, kPieceDepth = 16;
/// Elements behind each line in shared memory, so that the eight lines of a matrix begin in different banks.
constexpr int64_t kPadding = 8;
/// Blocks of keys that are in shared memory at once, if they are copied while others are multiplied.
constexpr int64_t kStages = 2;
/// The widest heads whose queries stay in registers, and of which a block has many keys.
constexpr int64_t kNarrow = 128, kManyKeys = 64, kFewKeys = 32;
class TensorAttention : public FragmentAttention {
public:
  TensorAttention(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                  const AttentionOperands &operands);

private:
  /// What is carried from block to block; and the sums of this thread's columns, by pieces.
  struct Sums {
    Softmax softmax;
    Values columns;
    Values all() const;
  };
  Sums sumsOf(ValueRange values) const;

  void emitWork() override;
  void bringQueries();
  void loadQueries(int64_t pending);
  Sums walkCopied(const Sums &start);
  Sums walkBrought(const Sums &start);
  void beginCopies(Index first, Index stage, Value isNeeded);
  Sums addBlock(Index first, Index stage, const Sums &before);
  Values queryFragments();
  Values productsOf(Index stage);
  Value rescale(Value columns, ArrayRef<Value> factors);
  void addValues(Index stage, ValueRange probabilities, Values &columns);
  void storeRows(const Sums &sums);
  void storePair(Value low, Value high, Index at);
  void storeSharedOut(const Sums &sums);
  void putTogether(const Buffer &maxima, const Buffer &totals, const Buffer &columns);

  int64_t piecesOfKeys() const { return keysOfWarp / kColumns; }
  int64_t piecesOfColumns() const { return width / kColumns; }
  Index place(const Buffer &buffer, Index stage, Index line, int64_t column) {
    return stage * buffer.strides[0] + line * buffer.strides[1] + column;
  }

  const bool areKeysShared; ///< out among the warps, which have the same rows
  const int64_t keysOfBlock, keysOfWarp;
  const bool isCopied;           ///< keys and values are, while others are multiplied
  Index warpRow, warpKey;        ///< where this warp's rows and keys begin, in the tile and in a block
  Buffer queries;                ///< in shared memory, [row, depth]
  Buffer keyBlocks, valueBlocks; ///< [stage, key, depth or column]
  Values queryPieces;            ///< of narrow heads
};

} // namespace

TensorAttention::TensorAttention(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                                 const AttentionOperands &operands)
    : FragmentAttention(emitter, op, sizes, operands), areKeysShared(sizes.rows == kRows),
      keysOfBlock(std::max(depth, width) > kNarrow ? kFewKeys : kManyKeys),
      keysOfWarp(areKeysShared ? keysOfBlock / emitter.warps() : keysOfBlock),
      isCopied(e.hasAlignedRows(operands.key) && e.hasAlignedRows(operands.value)),
      warpRow(areKeysShared ? e.index(0) : e.warp * kRows),
      warpKey(areKeysShared ? e.warp * keysOfWarp : e.index(0)),
      queries(emitter.shared(operands.query.element, {sizes.rows, depth}, kPadding)),
      keyBlocks(emitter.shared(operands.key.element, {isCopied ? kStages : 1, keysOfBlock, depth}, kPadding)),
      valueBlocks(
          emitter.shared(operands.value.element, {isCopied ? kStages : 1, keysOfBlock, width}, kPadding)) {
  for (int64_t half = 0; half < kHalves; ++half)
    rows.push_back(rowAt(warpRow + emitter.lane / 4 + half * 8));
}

TensorAttention::Values TensorAttention::Sums::all() const {
  Values values(softmax.maxima);
  llvm::append_range(values, softmax.sums);
  llvm::append_range(values, columns);
  return values;
}

TensorAttention::Sums TensorAttention::sumsOf(ValueRange values) const {
  return {{Values(values.take_front(kHalves)), Values(values.slice(kHalves, kHalves)), {}},
          Values(values.drop_front(2 * kHalves))};
}

/// Begins to copy the tile's queries, if they can be; that is a group of copies, then.
void TensorAttention::bringQueries() {
  const Buffer &query = operands.query;
  Index count = rowCount - firstRow;
  if (!isCopied || !e.hasAlignedRows(query))
    return e.bring(query, queryStart(), count, e.index(depth), queries);
  e.copyMatrix(query, queryStart(), count, e.index(depth), queries, e.index(0));
  e.commitCopies();
}

/// When the queries are there, and groups of copies that began after them may be on their way.
void TensorAttention::loadQueries(int64_t pending) {
  if (isCopied)
    e.waitForCopies(pending);
  e.barrier();
  if (depth <= kNarrow)
    queryPieces = queryFragments();
}

/// This warp's queries, a fragment for each piece of the depth.
TensorAttention::Values TensorAttention::queryFragments() {
  Values fragments;
  for (int64_t k = 0; k < depth; k += kPieceDepth)
    fragments.push_back(e.loadMatrices(queries, warpRow * queries.strides[0] + k, /*transposed=*/false));
  return fragments;
}

/// This warp's queries by its keys of a block, by pieces of 8 keys. A line of keys is a column of what is
/// multiplied, so that fragments need no transposition; those of 16 keys are loaded at once.
TensorAttention::Values TensorAttention::productsOf(Index stage) {
  auto type = VectorType::get({4}, number);
  Values fragments = depth > kNarrow ? queryFragments() : queryPieces;
  Values products(piecesOfKeys(), e.create<arith::ConstantOp>(DenseElementsAttr::get(type, 0.0f)));
  for (auto [k, query] : llvm::enumerate(fragments))
    for (int64_t j = 0; j < piecesOfKeys(); j += 2) {
      Index at = place(keyBlocks, stage, warpKey + j * kColumns, k * kPieceDepth);
      Value both = e.loadMatrices(keyBlocks, at, /*transposed=*/false);
      for (int64_t upper : {0, 1}) {
        Value key = e.create<vector::ShuffleOp>(both, both, ArrayRef<int64_t>{upper, upper + 2});
        Value &sum = products[j + upper];
        sum = e.create<cta::MmaOp>(type, query, key, sum, TypeAttr::get(element));
      }
    }
  return products;
}

/// A piece of sums, each row by its factor.
Value TensorAttention::rescale(Value columns, ArrayRef<Value> factors) {
  Value spread = e.create<vector::FromElementsOp>(columns.getType(),
                                                  ValueRange{factors[0], factors[0], factors[1], factors[1]});
  return multiply(columns, spread);
}

/// Adds the products of this warp's probabilities and values.
void TensorAttention::addValues(Index stage, ValueRange probabilities, Values &columns) {
  constexpr size_t kNumbers = 2 * kHalves * kPair; // of 16 keys
  for (int64_t j = 0; j < piecesOfKeys(); j += 2) {
    auto type = VectorType::get({4}, e.builder.getI32Type());
    Value rowsOfKeys =
        e.create<vector::FromElementsOp>(type, fragmentOf(probabilities.slice(j / 2 * kNumbers, kNumbers)));
    for (int64_t c = 0; c < piecesOfColumns(); c += 2) {
      Index at = place(valueBlocks, stage, warpKey + j * kColumns, c * kColumns);
      Value both = e.loadMatrices(valueBlocks, at, /*transposed=*/true);
      for (int64_t right : {0, 1}) {
        Value piece = e.create<vector::ExtractStridedSliceOp>(both, right * 2, 2, 1);
        Value &sum = columns[c + right];
        sum = e.create<cta::MmaOp>(sum.getType(), rowsOfKeys, piece, sum, TypeAttr::get(element));
      }
    }
  }
}

/// What a block of keys makes of maxima and sums.
TensorAttention::Sums TensorAttention::addBlock(Index first, Index stage, const Sums &before) {
  Values products;
  for (Value piece : productsOf(stage))
    for (int64_t i = 0; i < kHalves * kPair; ++i)
      products.push_back(e.create<vector::ExtractOp>(piece, i));
  Values scores = scoresOf(products, first + warpKey, first, keysOfBlock);
  Sums next{update(scores, before.softmax), before.columns};
  for (Value &columns : next.columns)
    columns = rescale(columns, next.softmax.shrink);
  addValues(stage, scores, next.columns);
  return next;
}

/// Begins to copy the keys from `first` on, and their values, where they are needed. It is a group of copies
/// even where they are not.
void TensorAttention::beginCopies(Index first, Index stage, Value isNeeded) {
  e.ifThen(isNeeded, [&] {
    Index count = endKey - first;
    auto copy = [&](const Buffer &from, const Buffer &to) {
      e.copyMatrix(from, keyStart(from, first), count, to.sizes.back(), to, stage * to.strides[0]);
    };
    copy(operands.key, keyBlocks);
    copy(operands.value, valueBlocks);
  });
  e.commitCopies();
}

/// Blocks of the keys that count, in order. One barrier each: behind it all threads have what was copied, and
/// are done with the stage that is written next.
TensorAttention::Sums TensorAttention::walkCopied(const Sums &start) {
  auto isNeeded = [&](Index first) {
    Value isThere = first.compare(arith::CmpIPredicate::ult, endKey);
    Value empty = isEmpty(first, min(e.index(keysOfBlock), endKey - first));
    Value yes = e.create<arith::ConstantIntOp>(1, 1);
    return empty ? e.both(isThere, e.create<arith::XOrIOp>(empty, yes)) : isThere;
  };
  Values carried = start.all();
  carried.push_back(isNeeded(firstKey));
  beginCopies(firstKey, e.index(0), carried.back());
  loadQueries(/*pending=*/1);
  carried = e.loop(firstKey, endKey, e.index(keysOfBlock), carried, [&](Index first, ValueRange before) {
    Index stage = (first - firstKey) / keysOfBlock % kStages;
    e.waitForCopies(0);
    e.barrier();
    Index following = first + keysOfBlock;
    Value isNext = isNeeded(following);
    beginCopies(following, e.index(kStages - 1) - stage, isNext);
    ValueRange sums = before.drop_back();
    Values next = e.ifElse(
        before.back(), sums.getTypes(), [&] { return addBlock(first, stage, sumsOf(sums)).all(); },
        [&] { return Values(sums); });
    next.push_back(isNext);
    return next;
  });
  e.waitForCopies(0);
  return sumsOf(ValueRange(carried).drop_back());
}

/// The same of keys that cannot be copied 16 bytes at a time.
TensorAttention::Sums TensorAttention::walkBrought(const Sums &start) {
  auto block = [](Buffer stages) {
    stages.sizes.erase(stages.sizes.begin());
    stages.strides.erase(stages.strides.begin());
    return stages;
  };
  loadQueries(/*pending=*/0);
  Values carried = e.loop(
      firstKey, endKey, e.index(keysOfBlock), start.all(), [&](Index first, ValueRange before) -> Values {
        Index count = min(e.index(keysOfBlock), endKey - first);
        auto compute = [&] {
          e.bring(operands.key, keyStart(operands.key, first), count, e.index(depth), block(keyBlocks));
          e.bring(operands.value, keyStart(operands.value, first), count, e.index(width), block(valueBlocks));
          e.barrier();
          Values next = addBlock(first, e.index(0), sumsOf(before)).all();
          e.barrier();
          return next;
        };
        Value empty = isEmpty(first, count);
        return empty ? e.ifElse(
                           empty, before.getTypes(), [&] { return Values(before); }, compute)
                     : compute();
      });
  return sumsOf(carried);
}

/// Two neighbours of a row of the result.
void TensorAttention::storePair(Value low, Value high, Index at) {
  const Buffer &out = operands.out;
  if (!e.hasAlignedRows(out)) {
    e.storeNumber(low, out, at);
    return e.storeNumber(high, out, at + 1);
  }
  Value word = e.create<vector::FromElementsOp>(VectorType::get({1}, e.builder.getI32Type()),
                                                e.packPair(low, high, element));
  Value both = e.create<vector::BitCastOp>(VectorType::get({kPair}, out.element), word);
  e.storeWhole(both, out, at);
}

/// This warp's rows over the sums of their exponentials.
void TensorAttention::storeRows(const Sums &sums) {
  for (int64_t half = 0; half < kHalves; ++half) {
    Value sum = totalOf(sums.softmax.sums[half]);
    cpu::RowFactor factor = factorOf(sum);
    const Row &row = rows[half];
    Index start = outStart(row) + pair;
    e.ifThen(row.isThere, [&] {
      for (auto [c, columns] : llvm::enumerate(sums.columns)) {
        Values result;
        for (int64_t i = 0; i < kPair; ++i)
          result.push_back(apply(factor, e.create<vector::ExtractOp>(columns, half * kPair + i)));
        storePair(result[0], result[1], start + c * kColumns);
      }
    });
  }
}

/// What each warp has of the same rows goes to shared memory.
void TensorAttention::storeSharedOut(const Sums &sums) {
  Buffer maxima = e.shared(number, {e.warps(), kRows}), totals = e.shared(number, {e.warps(), kRows});
  constexpr int64_t kPadding = 8; // numbers, so that pairs of four rows are in different banks
  Buffer columns = e.shared(number, {e.warps(), kRows, width}, kPadding);
  for (int64_t half = 0; half < kHalves; ++half) {
    Value sum = totalOf(sums.softmax.sums[half]);
    Index row = e.warp * kRows + e.lane / 4 + half * 8;
    e.ifThen(pair.compare(arith::CmpIPredicate::eq, 0), [&] {
      e.storeScalar(sums.softmax.maxima[half], maxima, row);
      e.storeScalar(sum, totals, row);
    });
    for (auto [c, piece] : llvm::enumerate(sums.columns))
      e.storeWhole(e.create<vector::ExtractStridedSliceOp>(piece, half * kPair, kPair, 1), columns,
                   row * columns.strides[1] + pair + c * kColumns);
  }
  e.barrier();
  putTogether(maxima, totals, columns);
}

/// Sums of all warps, in order, as if all had subtracted the greatest maximum.
void TensorAttention::putTogether(const Buffer &maxima, const Buffer &totals, const Buffer &columns) {
  e.overThreads(kRows * width, [&](Index i) {
    Index rowInTile = i / width, column = i % width;
    Values found;
    Value maximum = least, total = e.number(number, 0), sum = total;
    for (int64_t warp = 0; warp < e.warps(); ++warp) {
      found.push_back(e.loadScalar(maxima, rowInTile + warp * kRows));
      maximum = greater(found.back(), maximum);
    }
    for (auto [warp, each] : llvm::enumerate(found)) {
      Value shrink = shrinkOf(each, maximum);
      total = e.multiplyAdd(shrink, e.loadScalar(totals, rowInTile + warp * kRows), total);
      Index at = (rowInTile + warp * kRows) * columns.strides[1] + column;
      sum = e.multiplyAdd(shrink, e.loadScalar(columns, at), sum);
    }
    Row row = rowAt(rowInTile);
    cpu::RowFactor result = factorOf(total);
    e.ifThen(row.isThere, [&] {
      e.storeNumber(apply(result, sum), operands.out, outStart(row) + column);
      if (operands.statistics)
        e.ifThen(column.compare(arith::CmpIPredicate::eq, 0),
                 [&] { storeStatistics(row, naturalScore(maximum), total); });
    });
  });
}

void TensorAttention::emitWork() {
  bringQueries();
  auto type = VectorType::get({4}, number);
  Value zeros = e.create<arith::ConstantOp>(DenseElementsAttr::get(type, 0.0f));
  Value hasSums = warpKey.compare(arith::CmpIPredicate::eq, 0);
  Sums start{begin(hasSums), Values(piecesOfColumns(), zeros)};
  Sums sums = isCopied ? walkCopied(start) : walkBrought(start);
  if (areKeysShared)
    storeSharedOut(sums);
  else
    storeRows(sums);
}

static LogicalResult checkTensorAttention(BlockEmitter &e, AttentionTileOp op, cpu::TileSizes sizes,
                                          const AttentionOperands &operands) {
  Type element = operands.query.element;
  for (const Buffer *buffer : {&operands.key, &operands.value})
    if (buffer->element != element)
      return op.emitOpError("expects keys and values of ") << element << ", got " << buffer->element;
  if (!e.computed(element).isF32() || !e.computed(operands.out.element).isF32())
    return op.emitOpError("expects elements of f16 or bf16, got ") << element;
  int64_t depth = operands.query.sizes[3].constant().value_or(0),
          width = operands.value.sizes[3].constant().value_or(0);
  if (!AttentionTileOp::isHalfWidth(depth) || !AttentionTileOp::isHalfWidth(width))
    return op.emitOpError("expects heads whose width is known, a multiple of 16, and at most ")
           << AttentionTileOp::kWidestHalf << ", got " << op.getQuery().getType() << " and "
           << op.getValue().getType();
  if (operands.weights)
    return op.emitOpError("expects that probabilities are not asked for");
  bool isWide = std::max(depth, width) > kNarrow;
  if (sizes.rows != e.warps() * kRows && (sizes.rows != kRows || isWide))
    return op.emitOpError("expects a schedule of ")
           << e.warps() * kRows << " rows, or of " << kRows << " where heads are no wider than " << kNarrow
           << ", got " << sizes.rows;
  if (operands.statistics && sizes.rows != kRows)
    return op.emitOpError("expects a schedule of ")
           << kRows << " rows for parts of the keys, got " << sizes.rows;
  return success();
}

LogicalResult weft::nvgpu::emitTensorAttention(BlockEmitter &emitter, AttentionTileOp op,
                                               cpu::TileSizes sizes, const AttentionOperands &operands) {
  if (failed(checkTensorAttention(emitter, op, sizes, operands)))
    return failure();
  return TensorAttention(emitter, op, sizes, operands).emit();
}
