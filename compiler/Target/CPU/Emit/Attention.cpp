// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: for a block of queries, scores of a block of keys at a time, with a running maximum and sum for
// each query, so that no matrix of scores reaches memory.
#include "compiler/Target/CPU/Emit/Attention/AttentionEmitter.h"
#include "compiler/Target/CPU/Emit/Lanes.h"
#include "compiler/Target/CPU/Emit/Product.h"
#include "compiler/Target/CPU/Emit/Rows.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// Keys come in panels, or as they are: then each panel is made when its turn comes, unless panels come, too.
static int64_t panelWidthOf(AttentionTileOp op) {
  constexpr int64_t kOwnWidth = 64;
  auto key = cast<MemRefType>((op.getPanels() ? op.getPanels() : op.getKey()).getType());
  return key.getRank() == 5 ? key.getShape().back() : kOwnWidth;
}

/// Keys of one block of the size make whole panels of at most as many.
static int64_t panelKeysOf(AttentionTileOp op) {
  int64_t keys = panelWidthOf(op), size = op.getBlockSize();
  if (!op.getBlocks())
    return keys;
  for (keys = std::min(keys, size); size % keys != 0;)
    --keys;
  return keys;
}

/// Quads of values have to be made first, for which fewer rows do not pay.
constexpr int64_t kManyRows = 16;

AttentionEmitter::AttentionEmitter(Emitter &emitter, AttentionTileOp op, TileSizes sizes,
                                   AttentionBuffers &buffers)
    : e(emitter), op(op), sizes(sizes), buffers(buffers), number(buffers.out.element), lanes(e.lanes(number)),
      scorePitch(sizes.columns + lanes), // rows that lie powers of two apart share sets of the cache
      scale(op.getScale().convertToDouble()), heads(buffers.query.sizes[1]), length(buffers.query.sizes[2]),
      depth(buffers.query.sizes[3]), keyHeads(buffers.blocks ? heads : buffers.value.sizes[1]),
      keys(buffers.blocks ? buffers.blocks->sizes[1] * op.getBlockSize() : buffers.value.sizes[2]),
      width(buffers.value.sizes[3]), queryPitch(buffers.query.strides[2]), keyPitch(buffers.key.strides[2]),
      valuePitch(buffers.value.strides[2]), outPitch(buffers.out.strides[buffers.out.rank() - 2]),
      panelWidth(panelWidthOf(op)), panelKeys(panelKeysOf(op)),
      groupSize(buffers.blocks ? e.index(1) : heads / max(keyHeads, e.index(1))),
      rowCount(groupSize * length), endKey(keys), scores(scratch(sizes.rows * scorePitch)),
      blockMaxima(scratch(sizes.rows * lanes)), sums(scratch(sizes.rows * lanes)),
      maxima(scratch(sizes.rows)), bases(scratch(sizes.rows)), scales(scratch(sizes.rows)) {
  constexpr int64_t kFew = AttentionTileOp::kRowsWithoutPanels;
  bool hasFewRows = rowCount.constant().value_or(kFew + 1) <= kFew;
  if (buffers.key.rank() == 4 && !buffers.panels && !hasFewRows)
    panel = scratch(*buffers.key.sizes[3].constant() * panelWidth);
  if (depth.constant() && !queryPitch.is(*depth.constant()))
    queryCopy = scratch(sizes.rows * *depth.constant());
  if (fillsQuads(width, lanes) && sizes.rows >= kManyRows)
    quads = scratch(quadElements(*width.constant(), sizes.columns, lanes));
}

Value AttentionEmitter::greater(Value left, Value right) {
  return e.pick(arith::CmpFPredicate::OGT, left, right);
}

void AttentionEmitter::decodeTile(Index tile) {
  Index blocks = max(ceilDiv(rowCount, sizes.rows), e.index(1));
  Index each = evenPart(rowCount, blocks, 1), matrices = buffers.query.sizes[0] * keyHeads;
  if (buffers.statistics) {
    part = tile / (matrices * blocks);
    tile = tile % (matrices * blocks);
    Index size = evenPart(keys, buffers.statistics->sizes[0], panelWidth);
    firstKey = min(part * size, keys);
    endKey = min(firstKey + size, keys);
  }
  Index matrix = tile / blocks;
  batch = matrix / keyHeads;
  keyHead = matrix % keyHeads;
  firstRow = (tile % blocks) * each;
  bool isEven = rowCount.constant() && each.constant() && *each.constant() > 0 &&
                *rowCount.constant() % *each.constant() == 0;
  rows = isEven ? each : min(each, rowCount - firstRow);
  // The query heads of one key head lie side by side, so that their rows are the rows of one matrix.
  auto startOf = [&](const Buffer &buffer, Index head, size_t first = 0) {
    return buffer.offset + batch * buffer.strides[first] + head * buffer.strides[first + 1];
  };
  Index head = keyHead * groupSize;
  outRow = part * (matrices * rowCount) + (batch * heads + head) * length + firstRow;
  Index storedHead =
      buffers.blocks ? keyHead / max(heads / max(buffers.value.sizes[1], e.index(1)), e.index(1)) : keyHead;
  queryStart = startOf(buffers.query, head) + firstRow * queryPitch;
  keyStart = startOf(buffers.key, storedHead);
  panelStart = startOf(buffers.panelsOfKeys(), storedHead);
  valueStart = startOf(buffers.value, storedHead);
  if (buffers.statistics)
    outStart = part * buffers.out.strides[0] + startOf(buffers.out, head, 1) + firstRow * outPitch;
  else
    outStart = startOf(buffers.out, head) + firstRow * outPitch;
}

/// Rows that are far apart share sets of the cache, and are read again for every panel of keys.
void AttentionEmitter::emitQueryCopy() {
  overRows([&](Index row) {
    e.overColumns(depth, lanes, [&](Index column, Value mask) {
      e.store(e.load(buffers.query, queryStart + row * queryPitch + column, lanes, mask), *queryCopy,
              row * depth + column, mask);
    });
  });
  buffers.query = *queryCopy;
  queryStart = e.index(0);
  queryPitch = depth;
}

LogicalResult AttentionEmitter::emit(Index tile) {
  decodeTile(tile);
  prepareVerdicts();
  if (queryCopy)
    emitQueryCopy();
  emitStart();
  emitWalk();
  overRows([&](Index row) { emitResult(row); });
  return failure(failedRegion);
}

/// Blocks of the keys that count. Where others all have one score, it counts only if nothing much greater
/// does: their turn comes last.
void AttentionEmitter::emitWalk() {
  std::pair<Index, Index> bounds = emitBounds();
  Index first = bounds.first, end = bounds.second;
  Index count = end - first, blocks = max(ceilDiv(count, sizes.columns / panelKeys * panelKeys), e.index(1));
  Index each = max(evenPart(count, blocks, panelKeys), e.index(1));
  auto walk = [&](Index from, Index to, Index step, llvm::function_ref<void(KeyRange)> body) {
    e.loop(from, to, step, [&](Index start) { body({start, min(step, to - start)}); });
  };
  if (!canBeConstant)
    return walk(first, end, each, [&](KeyRange block) { emitBlock(block); });
  e.loop(e.index(0), e.index(3), e.index(1), [&](Index turn) {
    Value isMain = turn.compare(arith::CmpIPredicate::eq, 0);
    Value isBefore = turn.compare(arith::CmpIPredicate::eq, 1);
    Index from = e.select(isMain, first, e.select(isBefore, firstKey, end));
    Index to = e.select(isMain, end, e.select(isBefore, first, endKey));
    walk(from, to, e.select(isMain, each, e.index(panelKeys)), [&](KeyRange block) {
      Value isNeeded = e.create<arith::OrIOp>(isMain, emitIsNeeded(block));
      e.ifThen(isNeeded, [&] { emitBlock(block); });
    });
  });
}

/// What a row begins with that has a sink: its maximum, as products are, and a vector of its sum. That is in
/// one of the parts only.
std::pair<Value, Value> AttentionEmitter::emitSink(Index row) {
  Index at = broadcastPlace(*buffers.sink, {batch, headOf(row), queryOf(row), e.index(0)});
  Value sink = e.loadScalar(*buffers.sink, at);
  if (isScoreKept())
    sink = e.create<arith::DivFOp>(sink, e.number(number, scale));
  Value vector = e.splat(sink, lanes);
  Index lanesOfPart = e.select(part.compare(arith::CmpIPredicate::eq, 0), e.index(1), e.index(0));
  Value exponential = e.create<arith::SelectOp>(
      e.mask(lanesOfPart, lanes), exponentialOf(vector, baseOf(vector)), e.splat(e.number(number, 0), lanes));
  return {sink, exponential};
}

/// Nothing has been seen yet but sinks, and nothing is summed.
void AttentionEmitter::emitStart() {
  Value zeros = e.splat(e.number(number, 0), lanes);
  overRows([&](Index row) {
    auto [maximum, sum] = buffers.sink ? emitSink(row) : std::pair(least(), zeros);
    e.storeScalar(maximum, maxima, row);
    e.store(sum, sums, row * lanes);
    e.overColumns(width, lanes, [&](Index column, Value mask) {
      e.store(zeros, buffers.out, outStart + row * outPitch + column, mask);
    });
  });
}

/// The keys of a block: their scores, what these make of the running maxima and sums, their values.
void AttentionEmitter::emitBlock(KeyRange block) {
  overRows([&](Index row) { e.store(e.splat(least(), lanes), blockMaxima, row * lanes); });
  emitPanels(block);
  overRows([&](Index row) { emitMaxima(row); });
  e.loop(e.index(0), rows, e.index(lanes), [&](Index row) { emitScales(row); });
  overRows([&](Index row) { emitExponentials(row, block); });
  emitSums(block);
}

/// Where the first of some keys of one panel lies in its head.
Index AttentionEmitter::rowOf(KeyRange keys) {
  if (!buffers.blocks)
    return keys.start;
  const Buffer &blocks = *buffers.blocks;
  Index block = keys.start / op.getBlockSize();
  Value first = e.loadScalar(blocks, blocks.offset + keyHead * blocks.strides[0] + block * blocks.strides[1]);
  return e.index(e.create<arith::IndexCastOp>(e.builder.getIndexType(), first)) +
         keys.start % op.getBlockSize();
}

/// The values of a block of the walk, by their probabilities.
void AttentionEmitter::emitSums(KeyRange block) {
  if (!buffers.blocks)
    return emitSums(block, e.index(0));
  e.loop(e.index(0), block.count, e.index(panelKeys), [&](Index column) {
    emitSums({block.start + column, min(e.index(panelKeys), block.count - column)}, column);
    // What was summed before has shrunk for good.
    e.loop(e.index(0), rows, e.index(lanes),
           [&](Index row) { e.store(e.splat(e.number(number, 1), lanes), scales, row); });
  });
}

/// The values of keys that lie next to each other, by the probabilities from a column on.
void AttentionEmitter::emitSums(KeyRange block, Index column) {
  Matrix probabilities{scores, column, e.index(scorePitch)};
  Matrix value{buffers.value, valueStart + rowOf(block) * valuePitch, valuePitch};
  Matrix out{buffers.out, outStart, outPitch};
  auto scale = [&](Index row) { return e.loadScalar(scales, row); };
  auto sum = [&] { emitProduct(e, {probabilities, value, out, rows, width, block.count, scale}); };
  auto sumQuads = [&] {
    int64_t columns = *width.constant();
    emitQuads(e, value, *quads, columns, block.count);
    emitQuadProduct(e, {probabilities, out, *quads, rows, block.count, columns, scale});
  };
  if (quads)
    e.ifElse(rows.compare(arith::CmpIPredicate::uge, kManyRows), sumQuads, sum);
  else
    sum();
}

/// Products of the queries and a block of keys, a panel at a time, and scores of them.
void AttentionEmitter::emitPanels(KeyRange block) {
  e.loop(e.index(0), block.count, e.index(panelKeys), [&](Index column) {
    KeyRange panel{block.start + column, min(e.index(panelKeys), block.count - column)};
    if (buffers.key.rank() != 4)
      return emitPanelProducts(panel, column);
    e.ifElse(
        rowCount.compare(arith::CmpIPredicate::ule, AttentionTileOp::kRowsWithoutPanels),
        [&] { emitFewProducts(panel, column); }, [&] { emitPanelProducts(panel, column); });
  });
}

void AttentionEmitter::emitPanelProducts(KeyRange panel, Index column) {
  Index columns = ceilDiv(panel.count, lanes) * lanes;
  std::pair<const Buffer *, Index> keys = emitPanel(panel);
  Matrix query{buffers.query, queryStart, queryPitch}, key{*keys.first, keys.second, e.index(panelWidth)};
  Matrix products{scores, column, e.index(scorePitch)};
  Value isFull = emitIsFull(panel), isFinal = emitAreProductsScores(panel, isFull);
  auto finish = [&](Index row, ArrayRef<Emitter::Values> vectors) {
    e.ifThen(isFinal, [&] { emitProductMaxima(row, vectors); });
  };
  emitProduct(
      e, {query, key, products, rows, columns, depth, {}, /*hasWholeVectors=*/true, productFactor(), finish});
  e.ifElse(isFinal, [] {}, [&] { emitScores(panel, column, isFull, /*areFinalLeftOut=*/true); });
}

/// Products along the depth, of keys as they lie: few rows do not pay for another order. A vector of products
/// is the sums of as many vectors; the last key stands for those behind it.
void AttentionEmitter::emitFewProducts(KeyRange panel, Index column) {
  Value zero = e.splat(e.number(number, 0), lanes);
  Index first = rowOf(panel), last = first + panel.count - 1;
  e.loop(e.index(0), panel.count, e.index(lanes), [&](Index offset) {
    SmallVector<Index> keyRows;
    for (int64_t i = 0; i < lanes; ++i)
      keyRows.push_back(keyStart + min(first + offset + i, last) * keyPitch);
    overRows([&](Index row) {
      auto multiply = [&](Index at, Value mask, ValueRange sums) {
        Value left = e.loadNumbers(buffers.query, queryStart + row * queryPitch + at, lanes, mask);
        Emitter::Values next;
        for (auto [keyRow, sum] : llvm::zip_equal(keyRows, sums))
          next.push_back(
              e.create<vector::FMAOp>(left, e.loadNumbers(buffers.key, keyRow + at, lanes, mask), sum));
        return next;
      };
      Emitter::Values sums = e.overColumns(depth, lanes, Emitter::Values(lanes, zero), multiply);
      Value products = addLanes(e, sums, lanes, lanes).front();
      if (Value factor = productFactor())
        products = e.create<arith::MulFOp>(products, e.splat(factor, lanes));
      e.store(products, scores, scoreAt(row, column + offset));
    });
  });
  emitScores(panel, column, emitIsFull(panel), /*areFinalLeftOut=*/false);
}

/// A panel's buffer, and where it is in there.
std::pair<const Buffer *, Index> AttentionEmitter::emitPanel(KeyRange keyRange) {
  if (!panel)
    return {&buffers.panelsOfKeys(),
            panelStart + keyRange.start / panelWidth * buffers.panelsOfKeys().strides[2]};
  emitPanelOf(e, buffers.key, *panel, panelWidth,
              {keyStart + rowOf(keyRange) * keyPitch, keyRange.count, depth, keyPitch, e.index(0)});
  return {&*panel, e.index(0)};
}

/// Divides a row by its sum. That is 0 if no key was kept; where there are no keys at all the result is 0.
void AttentionEmitter::emitResult(Index row) {
  auto add = [&](Value left, Value right) { return e.create<arith::AddFOp>(left, right); };
  Value sum = reduceLanes(e, e.load(sums, row * lanes, lanes), {e.number(number, 0), add});
  if (buffers.statistics)
    return emitStatistics(row, sum);
  RowFactor factor = rowFactor(e, op.getEmptyRows(), sum, keys.compare(arith::CmpIPredicate::eq, 0));
  Index start = outStart + row * outPitch;
  e.overColumns(width, lanes, [&](Index column, Value mask) {
    Value y = e.load(buffers.out, start + column, lanes, mask);
    e.store(factor.apply(e, y), buffers.out, start + column, mask);
  });
  if (buffers.weights)
    emitWeights(row, factor);
}

/// What weft.merge_attention_tile needs of a part. Where there are no keys at all it is as if there were one,
/// with a value of 0.
void AttentionEmitter::emitStatistics(Index row, Value sum) {
  Value hasNone = keys.compare(arith::CmpIPredicate::eq, 0);
  Index at = buffers.statistics->offset + (outRow + row) * 2;
  Value greatest = e.loadScalar(maxima, row);
  if (isScoreKept())
    greatest = e.create<arith::MulFOp>(greatest, e.number(number, scale));
  Value maximum = e.create<arith::SelectOp>(hasNone, e.number(number, 0), greatest);
  e.storeScalar(maximum, *buffers.statistics, at);
  e.storeScalar(e.create<arith::SelectOp>(hasNone, e.number(number, 1), sum), *buffers.statistics, at + 1);
}

/// Each map has to be of a capture, of which floats are compared in their own type, and others are bools.
static LogicalResult checkMaps(AttentionTileOp op) {
  if (op.getMaps().size() != op.getMapped().size())
    return op.emitOpError("expects the number of a capture for each map");
  auto arguments = op.getScore().getArguments();
  for (auto [map, number] : llvm::zip_equal(op.getMaps(), op.getMapped())) {
    if (number < 0 || number >= int64_t(op.getCaptures().size()))
      return op.emitOpError("expects maps of captures, got one of number ") << number;
    auto type = cast<MemRefType>(map.getType());
    Type argument = arguments[arguments.size() - op.getCaptures().size() + number].getType();
    Type expected = argument.isInteger(1) ? Type(Float32Type::get(op.getContext())) : argument;
    if (type.getRank() != 4 || type.getElementType() != expected || !isa<FloatType>(expected))
      return op.emitOpError("expects maps of rank 4 of bools and floats, got ") << type << " of " << argument;
  }
  if (!op.getMaps().empty() && panelWidthOf(op) != UniformTileOp::kColumns)
    return op.emitOpError("expects maps with panels of ") << UniformTileOp::kColumns << " keys";
  return success();
}

static LogicalResult checkAttention(Emitter &e, AttentionTileOp op, TileSizes sizes) {
  auto key = cast<MemRefType>(op.getKey().getType()), out = cast<MemRefType>(op.getOut().getType());
  Type element = out.getElementType();
  auto check = [&](Value matrix, int64_t rank) -> LogicalResult {
    auto type = matrix ? cast<MemRefType>(matrix.getType()) : MemRefType();
    if (!type || (type.getRank() == rank && type.getElementType() == element))
      return success();
    return op.emitOpError("expects ") << element << " of rank " << rank << ", got " << type;
  };
  if (!element.isF32() && !element.isF64())
    return op.emitOpError("expects f32 or f64, got ") << element;
  if (failed(check(op.getQuery(), 4)) || failed(check(op.getValue(), 4)) ||
      failed(check(op.getWeights(), 4)) || failed(check(op.getOut(), op.getStatistics() ? 5 : 4)) ||
      failed(check(op.getStatistics(), 3)))
    return failure();
  if (Value sink = op.getSink()) {
    auto type = cast<MemRefType>(sink.getType());
    if (type.getRank() > 4 || type.getElementType() != element)
      return op.emitOpError("expects a sink of ") << element << " and of rank 4 at most, got " << type;
  }
  if (op.getStatistics() && op.getWeights())
    return op.emitOpError("expects no weights of a part of the keys");
  for (Value capture : op.getCaptures())
    if (cast<MemRefType>(capture.getType()).getRank() > 4)
      return op.emitOpError("expects captures of rank 4 at most, got ") << capture.getType();
  if (failed(checkMaps(op)))
    return failure();
  auto panels = op.getPanels() ? cast<MemRefType>(op.getPanels().getType()) : MemRefType();
  auto isInPanels = [&](MemRefType type) { return type.getRank() == 5 && type.getElementType() == element; };
  bool isPlain = key.getRank() == 4 && e.computed(key.getElementType()) == element;
  MemRefType sized = panels ? panels : key;
  if (panels && (!isPlain || !isInPanels(panels)))
    return op.emitOpError("expects keys in panels, or of rank 4, got ") << key << ", and panels " << panels;
  if (!isPlain && !isInPanels(key))
    return op.emitOpError("expects keys in panels, or of rank 4, got ") << key;
  if (sized.isDynamicDim(sized.getRank() - 1))
    return op.emitOpError("expects keys in panels, or of rank 4 and a static width, got ") << sized;
  if (op.getBlocks()) {
    auto blocks = cast<MemRefType>(op.getBlocks().getType());
    if (blocks.getRank() != 2 || !blocks.getElementType().isInteger(64) || op.getBlockSize() <= 0 ||
        !isPlain || panels || op.getStatistics() || !op.getMaps().empty())
      return op.emitOpError("expects lists of blocks of keys that come as they are, all at once, got ")
             << blocks;
  }
  int64_t panel = panelWidthOf(op);
  constexpr int64_t kMostScores = 1 << 17, kMostColumns = 1 << 13; // on the stack, with quads of values
  if (sizes.columns > kMostColumns || (sizes.rows > 0 && sizes.columns > kMostScores / sizes.rows))
    return op.emitOpError("expects a schedule of at most ")
           << kMostColumns << " columns and " << kMostScores << " scores in a block";
  if (sizes.rows <= 0 || sizes.columns <= 0 || sizes.columns % panel != 0 || panel % e.lanes(element) != 0)
    return op.emitOpError("expects a schedule of rows, and of columns in panels of whole vectors");
  return success();
}

LogicalResult weft::cpu::emitAttention(Emitter &emitter, AttentionTileOp op, Index tile, TileSizes sizes) {
  Type element = cast<MemRefType>(op.getOut().getType()).getElementType();
  if (failed(checkAttention(emitter, op, sizes)))
    return failure();
  bool isFound = true;
  auto find = [&](Value operand) -> Buffer {
    FailureOr<Buffer> buffer = emitter.rowMajor(operand);
    isFound &= succeeded(buffer);
    return succeeded(buffer) ? *buffer : Buffer{{}, emitter.index(0), {}, {}, element};
  };
  auto findIfThere = [&](Value operand) -> std::optional<Buffer> {
    return operand ? std::optional(find(operand)) : std::nullopt;
  };
  AttentionBuffers buffers{find(op.getQuery()),
                           find(op.getKey()),
                           find(op.getValue()),
                           find(op.getOut()),
                           findIfThere(op.getPanels()),
                           findIfThere(op.getBlocks()),
                           findIfThere(op.getSink()),
                           findIfThere(op.getWeights()),
                           findIfThere(op.getStatistics()),
                           llvm::map_to_vector(op.getCaptures(), find),
                           llvm::map_to_vector(op.getMaps(), find)};
  if (!isFound)
    return failure();
  return AttentionEmitter(emitter, op, sizes, buffers).emit(tile);
}
