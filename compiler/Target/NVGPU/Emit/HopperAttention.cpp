// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of f16 and bf16 for sm_90a (Shah et al., FlashAttention-3, arXiv 2407.08608): one warpgroup has
// queries, keys and values copied, two have 64 rows of queries each. While the exponentials of a block's
// scores are computed, the product of the probabilities before and their values is under way. Blocks go on
// from tile to tile.
#include "compiler/Target/NVGPU/Emit/FragmentAttention.h"
#include "compiler/Target/NVGPU/Emit/HopperBlock.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// Warpgroups that multiply, rows of a tile, and blocks of keys that are in shared memory at once.
constexpr int64_t kConsumers = 2, kRows = kConsumers * kGroupRows, kStages = 2;
/// Keys of a block, of heads up to so many columns and of wider ones.
constexpr int64_t kNarrow = 128, kManyKeys = 128, kFewKeys = 48;

class HopperAttention : public FragmentAttention {
public:
  HopperAttention(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                  const AttentionOperands &operands);

private:
  /// Barriers of what is copied: it is there, and it has been multiplied.
  struct Ring {
    Buffer full, empty;
  };
  /// What is carried from block to block: which one of all it is, the softmax, the words of the
  /// probabilities, and the sums of columns.
  struct State {
    Value turn;
    Softmax softmax;
    Values words, columns;
    Values all() const;
  };
  State stateOf(ValueRange values) const;

  void emitWork() override;
  Value makeMap(const Buffer &buffer, Index heads, Index headStride, Index lines, int64_t linesOfBox);
  void decodeTile(Index tile);
  std::pair<Index, Index> findBlocks();
  void produce();
  void load(Value map, Index line, const Buffer &to, Index place, int64_t lines, int64_t width,
            const Ring &ring, Index stage);
  void consume();
  Values consumeKeys(State state, Index first, Index end);
  Values multiplyKeys(Index turn);
  Values multiplyValues(Index turn, const State &state);
  State addBlock(Index number, Index end, const State &before);
  State addWhole(Index number, const State &before);
  Values productsOf(Index turn);
  Values shrunk(ValueRange columns, const Softmax &softmax);
  void release(const Buffer &empty, Index stage) {
    e.ifThen(block.isFirstOfGroup(), [&] { block.arrive(empty, stage); });
  }
  void storeRows(const Softmax &softmax, ValueRange columns);

  Index stageOf(Index turn) { return turn % kStages; }
  Value parityOf(Index turn) {
    return e.create<arith::IndexCastUIOp>(e.builder.getI32Type(), turn / kStages % 2);
  }
  Value flipped(Value parity) { return e.create<arith::XOrIOp>(parity, number32(1)); }
  Value number32(int64_t value) { return e.create<arith::ConstantIntOp>(e.builder.getI32Type(), value); }
  static int64_t linesOf(int64_t width) { return llvm::divideCeil(width, kLine); }

  HopperBlock block;
  const int64_t keysOfBlock;
  const bool isOverlapped; ///< exponentials and products are; of wide heads there are no registers for it
  Value queryMap, keyMap, valueMap, outMap;
  Buffer queries;              ///< in shared memory, by 64 of the depth; results, too
  Buffer keyTiles, valueTiles; ///< [stage, 64 of the depth or columns, key, one of those]
  Ring queryRing, keyRing, valueRing;
  Index rowBlocks, matrices;
};

} // namespace

HopperAttention::HopperAttention(BlockEmitter &emitter, AttentionTileOp op, cpu::TileSizes sizes,
                                 const AttentionOperands &operands)
    : FragmentAttention(emitter, op, sizes, operands), block(emitter),
      keysOfBlock(std::max(depth, width) > kNarrow ? kFewKeys : kManyKeys),
      isOverlapped(std::max(depth, width) <= kNarrow),
      queryMap(makeMap(operands.query, keyHeads, groupSize * operands.query.strides[1], rowCount, kRows)),
      keyMap(makeMap(operands.key, keyHeads, operands.key.strides[1], keys, keysOfBlock)),
      valueMap(makeMap(operands.value, keyHeads, operands.value.strides[1], keys, keysOfBlock)),
      outMap(makeMap(operands.out, keyHeads, groupSize * operands.out.strides[1], rowCount, kGroupRows)),
      queries(block.tiles(operands.query.element, linesOf(std::max(depth, width)) * kRows * kLine)),
      keyTiles(block.tiles(operands.key.element, kStages * linesOf(depth) * keysOfBlock * kLine)),
      valueTiles(block.tiles(operands.value.element, kStages * linesOf(width) * keysOfBlock * kLine)),
      queryRing{block.barriers(1), block.barriers(1)},
      keyRing{block.barriers(kStages), block.barriers(kStages)},
      valueRing{block.barriers(kStages), block.barriers(kStages)}, rowBlocks(ceilDiv(rowCount, kRows)),
      matrices(operands.query.sizes[0] * keyHeads) {}

HopperAttention::Values HopperAttention::State::all() const {
  Values values{turn};
  for (ArrayRef<Value> part :
       {ArrayRef(softmax.maxima), ArrayRef(softmax.sums), ArrayRef(words), ArrayRef(columns)})
    llvm::append_range(values, part);
  return values;
}

HopperAttention::State HopperAttention::stateOf(ValueRange values) const {
  size_t words = isOverlapped ? keysOfBlock / 4 : 0;
  auto part = [&](size_t first, size_t count) { return Values(values.slice(first, count)); };
  return {values[0],
          {part(1, kHalves), part(1 + kHalves, kHalves), {}},
          part(1 + 2 * kHalves, words),
          part(1 + 2 * kHalves + words, width / 2)};
}

/// Matrices of a batch and heads, of which tiles of so many lines, and of 64 columns, are copied. A map has
/// no size of 0; where there is nothing nothing is copied.
Value HopperAttention::makeMap(const Buffer &buffer, Index heads, Index headStride, Index lines,
                               int64_t linesOfBox) {
  Index one = e.index(1);
  return block.map(buffer, buffer.offset,
                   {max(buffer.sizes[0], one), max(heads, one), max(lines, one), buffer.sizes[3]},
                   {buffer.strides[0], headStride, buffer.strides[2]}, {1, 1, linesOfBox, kLine});
}

/// The last rows of all heads come first.
void HopperAttention::decodeTile(Index tile) {
  Index matrix = e.remainder(tile, matrices);
  firstRow = (rowBlocks - 1 - e.quotient(tile, matrices)) * kRows;
  keyHead = e.remainder(matrix, keyHeads);
  batch = e.quotient(matrix, keyHeads);
}

/// The first block of keys that counts and the end of those that do. Some between them may not.
std::pair<Index, Index> HopperAttention::findBlocks() {
  Index count = ceilDiv(keys, keysOfBlock), first = e.index(0);
  auto isOut = [&](Index number) {
    Index start = number * keysOfBlock;
    return isEmpty(start, min(e.index(keysOfBlock), keys - start));
  };
  if (!isOut(first))
    return {first, count};
  auto walk = [&](Index from, llvm::function_ref<Value(Index at)> goesOn, int64_t step) {
    auto before = [&](OpBuilder &, Location, ValueRange at) {
      scf::ConditionOp::create(e.builder, e.location, goesOn(e.index(at[0])), at);
    };
    auto after = [&](OpBuilder &, Location, ValueRange at) {
      scf::YieldOp::create(e.builder, e.location, ValueRange{e.index(at[0]) + step});
    };
    Type type = e.builder.getIndexType();
    return e.index(
        scf::WhileOp::create(e.builder, e.location, TypeRange(type), ValueRange{Value(from)}, before, after)
            .getResult(0));
  };
  first = walk(
      first, [&](Index at) { return e.both(at.compare(arith::CmpIPredicate::ult, count), isOut(at)); }, 1);
  Index end = walk(
      count, [&](Index at) { return e.both(first.compare(arith::CmpIPredicate::ult, at), isOut(at - 1)); },
      -1);
  return {first, end};
}

/// Has lines of all columns copied, 64 of those at a time.
void HopperAttention::load(Value map, Index line, const Buffer &to, Index place, int64_t lines, int64_t width,
                           const Ring &ring, Index stage) {
  block.arrive(ring.full, stage, linesOf(width) * lines * kLineBytes);
  for (int64_t part = 0; part < linesOf(width); ++part)
    block.load(map, {batch, keyHead, line, e.index(part * kLine)}, to, place + part * lines * kLine,
               ring.full, stage);
}

/// One thread has everything copied.
void HopperAttention::produce() {
  Values start{e.index(0), number32(1)}; // blocks of keys so far, and the parity of the queries that are done
  e.loop(e.block, rowBlocks * matrices, block.gridSize(), start, [&](Index tile, ValueRange before) {
    decodeTile(tile);
    auto [first, end] = findBlocks();
    block.wait(queryRing.empty, e.index(0), before[1]);
    load(queryMap, firstRow, queries, e.index(0), kRows, depth, queryRing, e.index(0));
    Values turns = e.loop(first, end, e.index(1), before[0], [&](Index number, ValueRange turns) -> Values {
      Index turn = e.index(turns[0]), stage = stageOf(turn);
      Value parity = flipped(parityOf(turn));
      auto loadNext = [&](Value map, const Buffer &to, int64_t width, const Ring &ring) {
        block.wait(ring.empty, stage, parity);
        load(map, number * keysOfBlock, to, stage * (linesOf(width) * keysOfBlock * kLine), keysOfBlock,
             width, ring, stage);
      };
      loadNext(keyMap, keyTiles, depth, keyRing);
      loadNext(valueMap, valueTiles, width, valueRing);
      return {turn + 1};
    });
    return Values{turns[0], flipped(before[1])};
  });
}

/// Begins to multiply this warpgroup's queries and a block of keys.
HopperAttention::Values HopperAttention::multiplyKeys(Index turn) {
  constexpr int64_t kStepsOfLine = kLine / kPieceDepth;
  Values sums = block.begin(block.noSums(keysOfBlock));
  Value query = block.descriptor(queries, (block.group - 1) * (kGroupRows * kLine));
  Value key = block.descriptor(keyTiles, stageOf(turn) * (linesOf(depth) * keysOfBlock * kLine));
  for (int64_t step = 0; step < depth / kPieceDepth; ++step) {
    int64_t line = step / kStepsOfLine, bytes = step % kStepsOfLine * kPieceDepth * kElementBytes;
    sums = block.multiply(block.advance(query, line * kRows * kLineBytes + bytes),
                          block.advance(key, line * keysOfBlock * kLineBytes + bytes), sums,
                          block.bit(step != 0), element, /*transposed=*/false);
  }
  block.commit();
  return sums;
}

/// Begins to add the product of the probabilities and their values.
HopperAttention::Values HopperAttention::multiplyValues(Index turn, const State &state) {
  Index stage = stageOf(turn);
  block.wait(valueRing.full, stage, parityOf(turn));
  Values sums = block.begin(state.columns);
  Value value =
      block.descriptor(valueTiles, stage * (linesOf(width) * keysOfBlock * kLine), keysOfBlock * kLineBytes);
  for (int64_t k = 0; k < keysOfBlock; k += kPieceDepth)
    sums = block.multiplyFragment(ArrayRef(state.words).slice(k / 4, 4), block.advance(value, k * kLineBytes),
                                  sums, element);
  block.commit();
  return sums;
}

/// What block number `number` makes of the one before: its scores, and the values of that one. A wait for the
/// keys that come next keeps the exponentials before the wait for the values' product: ptxas moves code
/// between waits, but not over a loop.
HopperAttention::State HopperAttention::addBlock(Index number, Index end, const State &before) {
  Index last = e.index(before.turn), turn = last + 1;
  block.wait(keyRing.full, stageOf(turn), parityOf(turn));
  Values products = multiplyKeys(turn), columns = multiplyValues(last, before);
  products = block.waitForProducts(1, products, /*ended=*/true);
  release(keyRing.empty, stageOf(turn));
  Index first = number * keysOfBlock;
  Values scores = scoresOf(products, first, first, keysOfBlock);
  State next{turn, update(scores, before.softmax), {}, {}};
  Value isLast = (number + 1).compare(arith::CmpIPredicate::uge, end);
  Index coming = e.select(isLast, turn, turn + 1);
  block.wait(keyRing.full, stageOf(coming), parityOf(coming));
  columns = block.waitForProducts(0, columns, /*ended=*/true);
  release(valueRing.empty, stageOf(last));
  next.columns = shrunk(columns, next.softmax);
  next.words = fragmentOf(scores);
  return next;
}

/// Sums of before, as if they had been made with the new maxima.
HopperAttention::Values HopperAttention::shrunk(ValueRange columns, const Softmax &softmax) {
  Values next;
  for (auto [i, sum] : llvm::enumerate(columns))
    next.push_back(multiply(sum, softmax.shrink[i / kPair % kHalves]));
  return next;
}

/// A block's products when they are there.
HopperAttention::Values HopperAttention::productsOf(Index turn) {
  block.wait(keyRing.full, stageOf(turn), parityOf(turn));
  Values products = block.waitForProducts(0, multiplyKeys(turn), /*ended=*/true);
  release(keyRing.empty, stageOf(turn));
  return products;
}

/// What a block makes of the ones before, all of it.
HopperAttention::State HopperAttention::addWhole(Index number, const State &before) {
  Index turn = e.index(before.turn), first = number * keysOfBlock;
  Values scores = scoresOf(productsOf(turn), first, first, keysOfBlock);
  State next{turn + 1, update(scores, before.softmax), fragmentOf(scores), {}};
  next.columns = shrunk(before.columns, next.softmax);
  next.columns = block.waitForProducts(0, multiplyValues(turn, next), /*ended=*/true);
  next.words.clear();
  release(valueRing.empty, stageOf(turn));
  return next;
}

/// What all blocks of keys of a tile make of what it begins with.
HopperAttention::Values HopperAttention::consumeKeys(State state, Index first, Index end) {
  Index turn = e.index(state.turn);
  if (!isOverlapped)
    return e.loop(first, end, e.index(1), state.all(),
                  [&](Index number, ValueRange before) { return addWhole(number, stateOf(before)).all(); });
  Index firstKey = first * keysOfBlock;
  Values scores = scoresOf(productsOf(turn), firstKey, firstKey, keysOfBlock);
  state.softmax = update(scores, state.softmax);
  state.words = fragmentOf(scores);
  state = stateOf(e.loop(first + 1, end, e.index(1), state.all(), [&](Index number, ValueRange before) {
    return addBlock(number, end, stateOf(before)).all();
  }));
  Index last = e.index(state.turn);
  state.columns = block.waitForProducts(0, multiplyValues(last, state), /*ended=*/true);
  release(valueRing.empty, stageOf(last));
  state.turn = last + 1;
  state.words.clear();
  return state.all();
}

void HopperAttention::consume() {
  Values start{e.index(0), number32(0)};
  e.loop(e.block, rowBlocks * matrices, block.gridSize(), start, [&](Index tile, ValueRange before) {
    decodeTile(tile);
    rows.clear();
    for (int64_t half = 0; half < kHalves; ++half)
      rows.push_back(rowAt((block.group - 1) * kGroupRows + (e.warp % 4 * 16 + e.lane / 4 + half * 8)));
    auto [first, end] = findBlocks();
    Index firstBlock = first, endBlock = end;
    block.wait(queryRing.full, e.index(0), before[1]);
    Value zero = e.number(number, 0), hasSums = e.create<arith::ConstantIntOp>(1, 1);
    State nothing{before[0], begin(hasSums), {}, Values(width / 2, zero)};
    Values none = nothing.all();
    Values found = e.ifElse(
        firstBlock.compare(arith::CmpIPredicate::ult, endBlock), ValueRange(none).getTypes(),
        [&] { return consumeKeys(nothing, firstBlock, endBlock); }, [&] { return none; });
    ArrayRef<Value> values(found);
    storeRows({{}, Values(values.slice(1 + kHalves, kHalves)), {}}, values.drop_front(1 + 2 * kHalves));
    return Values{found[0], flipped(before[1])};
  });
}

/// This warpgroup's rows go out by where its queries were.
void HopperAttention::storeRows(const Softmax &softmax, ValueRange columns) {
  constexpr int64_t kPiecesOfLine = kLine / kColumns;
  Index start = (block.group - 1) * (kGroupRows * kLine);
  SmallVector<cpu::RowFactor> factors;
  for (Value sum : softmax.sums)
    factors.push_back(factorOf(totalOf(sum)));
  for (int64_t piece = 0; piece < width / kColumns; ++piece)
    for (int64_t half = 0; half < kHalves; ++half) {
      Values elements;
      for (int64_t i = 0; i < kPair; ++i)
        elements.push_back(
            e.narrow(apply(factors[half], columns[piece * 4 + half * kPair + i]), operands.out.element));
      Index line = e.warp % 4 * 16 + e.lane / 4 + half * 8;
      block.storePair(elements, queries, start + piece / kPiecesOfLine * kRows * kLine, line, e.lane / 4,
                      piece % kPiecesOfLine, pair);
    }
  block.fenceAsync();
  block.groupBarrier();
  e.ifThen(block.isFirstOfGroup(), [&] {
    for (int64_t part = 0; part < linesOf(width); ++part)
      block.store(queries, start + part * kRows * kLine, outMap,
                  {batch, keyHead, firstRow + (block.group - 1) * kGroupRows, e.index(part * kLine)});
    block.waitForStores();
    block.arrive(queryRing.empty, e.index(0));
  });
}

void HopperAttention::emitWork() {
  // Of 65536 registers, which 384 threads begin with 168 of each.
  constexpr int64_t kOfProducer = 32, kOfConsumer = 240;
  for (const Ring *ring : {&queryRing, &keyRing, &valueRing}) {
    block.init(ring->full, 1);
    block.init(ring->empty, kConsumers);
  }
  e.barrier();
  block.divideWork(kOfProducer, [&] { produce(); }, kOfConsumer, [&] { consume(); });
}

bool weft::nvgpu::hasHopperAttention(AttentionTileOp op) {
  if (op.getWeights() || op.getStatistics())
    return false;
  Operation *before = op->getPrevNode();
  BlockEmitter emitter(op, kHopperThreads);
  FailureOr<SmallVector<Buffer>> found =
      emitter.allRowMajor({op.getQuery(), op.getKey(), op.getValue(), op.getOut()});
  auto fits = [&](const Buffer &buffer) {
    std::optional<int64_t> width = buffer.sizes.back().constant();
    return buffer.rank() == 4 && emitter.hasAlignedRows(buffer) && width &&
           AttentionTileOp::isHalfWidth(*width);
  };
  bool isPossible = succeeded(found) && llvm::all_of(*found, fits);
  while (op->getPrevNode() != before) // what was written to find out
    op->getPrevNode()->erase();
  return isPossible;
}

LogicalResult weft::nvgpu::emitHopperAttention(AttentionTileOp op) {
  BlockEmitter emitter(op, kHopperThreads);
  FailureOr<AttentionOperands> operands = findAttentionOperands(emitter, op);
  if (failed(operands))
    return failure();
  cpu::TileSizes sizes{};
  sizes.rows = kRows;
  return HopperAttention(emitter, op, sizes, *operands).emit();
}
