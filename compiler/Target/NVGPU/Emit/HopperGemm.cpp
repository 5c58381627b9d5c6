// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of f16 and bf16 for sm_90a: one warpgroup has tiles of the operands copied, as far ahead as
// shared memory goes, and two multiply them, each half of a block's rows. Blocks go on from tile to tile. Two
// blocks of a cluster have tiles one below the other, or beside each other, and each brings half of what both
// read (docs/adr/0028-clusters.md).
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"
#include "compiler/Target/NVGPU/Emit/HopperBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// Warpgroups that multiply, rows of a block, and the depth of a stage.
constexpr int64_t kGemmConsumers = 2, kGemmRows = kGemmConsumers * kGroupRows, kDepth = 64;

class HopperGemm : public GemmBlock {
public:
  HopperGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands, int64_t columns,
             int64_t blocks);

  LogicalResult emitBlock();

private:
  Values makeSums() override { return {}; }
  Values addDepth(Index, ValueRange) override { return {}; }
  void storeSums(ValueRange sums) override;
  Value makeMap(const Buffer &buffer, int64_t rows);
  void formCluster();
  Values overTiles(ValueRange start, llvm::function_ref<Values(ValueRange place)> body);
  void loadLeft(Index k, Index stage, bool isShared);
  void loadRight(Index k, Index stage, bool isShared);
  void load(Index k, Index stage);
  void produce();
  void consume();
  Values consumeTile(ValueRange place);
  Values multiply(Index stage, Value keeps, ValueRange sums);
  void storeColumns(ValueRange sums, int64_t first);
  Values pairOf(ValueRange sums, int64_t piece, int64_t half, Index column);
  void storeNumbers(ValueRange sums);

  /// A place in the ring of stages: which one it is, and the parity of its phase.
  Values next(ValueRange place);
  Value parity(bool value) { return e.create<arith::ConstantIntOp>(e.builder.getI32Type(), value); }

  HopperBlock block;
  const int64_t columns, stages;
  const int64_t blocks; ///< of a cluster: 1 or 2
  Index rank;           ///< of this one
  Value isTall;         ///< whether its tiles are one below the other; null if there is one block
  Type element;         ///< f16 or bf16
  const bool isStaged;  ///< results go through shared memory, unless they are f32
  Value lhsMap, rhsMap, outMap;
  Buffer left, right, staging; ///< in shared memory
  Buffer full, empty;          ///< barriers of each stage: it is there, and it has been multiplied
  Index row;                   ///< this thread's first row among its warpgroup's
  Index tiles{e, {}};          ///< of all blocks together, a cluster's as one
};

} // namespace

/// What fits beside the block that results go through.
static int64_t countStages(int64_t columns) {
  int64_t stage = (kGemmRows + columns) * kDepth * kElementBytes, staging = kGemmRows * kLineBytes;
  constexpr int64_t kBarriers = 1024; // and what goes before tiles that are aligned
  return (cta::CtaDialect::kMostSharedBytesOfHopper - staging - kBarriers) / stage;
}

HopperGemm::HopperGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands, int64_t columns,
                       int64_t blocks)
    : GemmBlock(emitter, op, {kGemmRows, columns}, operands, kDepth), block(emitter), columns(columns),
      stages(countStages(columns)), blocks(blocks), rank(emitter.block % blocks),
      element(operands.lhs.element.isF16() ? operands.lhs.element : emitter.builder.getBF16Type()),
      isStaged(operands.out.element.getIntOrFloatBitWidth() == 16),
      lhsMap(makeMap(operands.lhs, kGemmRows / blocks)), rhsMap(makeMap(operands.rhs, kDepth)),
      outMap(isStaged ? makeMap(operands.out, kGroupRows) : Value()),
      left(block.tiles(operands.lhs.element, stages * kGemmRows * kDepth)),
      right(block.tiles(operands.rhs.element, stages * kDepth * columns)),
      staging(isStaged ? block.tiles(operands.out.element, kGemmRows * kLine) : operands.out),
      full(block.barriers(stages)), empty(block.barriers(stages)),
      row(emitter.warp % 4 * 16 + emitter.lane / 4) {
  if (blocks > 1)
    formCluster();
  tiles = tilesOfMatrix();
  if (op.getParts())
    tiles = tiles * operands.out.sizes.front();
}

/// One below the other they share columns of rhs, which are the greater part of what a tile reads. Where
/// there is nothing below, they share rows of lhs; of many rows one tile more is little.
void HopperGemm::formCluster() {
  constexpr int64_t kMany = 8;
  Index tiles = ceilDiv(rowCount, kGemmRows);
  isTall = e.builder.createOrFold<arith::OrIOp>(e.location, (tiles % 2).compare(arith::CmpIPredicate::eq, 0),
                                                tiles.compare(arith::CmpIPredicate::uge, kMany));
  Index two = e.index(blocks), one = e.index(1), zero = e.index(0);
  auto choose = [&](Index tall, Index wide) {
    std::optional<int64_t> known = getConstantIntValue(isTall);
    return known ? (*known ? tall : wide) : e.select(isTall, tall, wide);
  };
  cluster = {choose(two, one), choose(one, two), choose(rank, zero), choose(zero, rank)};
}

/// A matrix, of which tiles of so many rows and of a line are copied.
Value HopperGemm::makeMap(const Buffer &buffer, int64_t rows) {
  return block.map(buffer, buffer.offset, buffer.sizes, buffer.strides[0], {rows, kLine});
}

HopperGemm::Values HopperGemm::next(ValueRange place) {
  Index following = e.index(place[0]) + 1;
  Value isLast = following.compare(arith::CmpIPredicate::eq, stages);
  Value flipped = e.create<arith::XOrIOp>(place[1], parity(true));
  return {e.select(isLast, e.index(0), following), e.create<arith::SelectOp>(isLast, flipped, place[1])};
}

/// The tiles of this block, or of its cluster, one after another.
HopperGemm::Values HopperGemm::overTiles(ValueRange start,
                                         llvm::function_ref<Values(ValueRange place)> body) {
  return e.loop(e.block / blocks, tiles, block.gridSize() / blocks, start, [&](Index tile, ValueRange place) {
    decodeTile(tile);
    return body(place);
  });
}

/// Rows of lhs; of what is shared each block brings its part to all.
void HopperGemm::loadLeft(Index k, Index stage, bool isShared) {
  const int64_t rows = kGemmRows / blocks;
  for (int64_t i = 0; i < (isShared ? 1 : blocks); ++i) {
    Index first = (isShared ? rank : e.index(i)) * rows;
    block.load(lhsMap, {firstRow + first, k}, left, stage * (kGemmRows * kDepth) + first * kDepth, full,
               stage, isShared);
  }
}

/// The same of lines of columns of rhs.
void HopperGemm::loadRight(Index k, Index stage, bool isShared) {
  const int64_t mine = isShared ? columns / blocks : columns;
  for (int64_t c = 0; c < mine; c += kLine) {
    Index first = (isShared ? rank * mine : e.index(0)) + c;
    block.load(rhsMap, {k, firstColumn + first}, right, stage * (kDepth * columns) + first * kDepth, full,
               stage, isShared);
  }
}

void HopperGemm::load(Index k, Index stage) {
  auto bring = [&](bool sharesLeft, bool sharesRight) {
    loadLeft(k, stage, sharesLeft);
    loadRight(k, stage, sharesRight);
  };
  if (!isTall)
    return bring(false, false);
  if (std::optional<int64_t> known = getConstantIntValue(isTall))
    return bring(/*sharesLeft=*/!*known, /*sharesRight=*/*known);
  e.ifElse(isTall, [&] { bring(false, true); }, [&] { bring(true, false); });
}

/// One thread has everything copied.
void HopperGemm::produce() {
  Values start{e.index(0), parity(true)}; // all stages are empty
  overTiles(start, [&](ValueRange place) {
    return e.loop(depthBegin, depthEnd, e.index(kDepth), place, [&](Index k, ValueRange place) {
      Index stage = e.index(place[0]);
      block.wait(empty, stage, place[1]);
      block.arrive(full, stage, (kGemmRows + columns) * kDepth * kElementBytes);
      load(k, stage);
      return next(place);
    });
  });
}

/// Begins to multiply what is in a stage. lhs lies by rows of the depth, as products take it; rhs by rows of
/// 64 columns, a block of `kDepth` of them behind the other, which is transposed.
HopperGemm::Values HopperGemm::multiply(Index stage, Value keeps, ValueRange sums) {
  Values next = block.begin(sums);
  Value a = block.descriptor(left, stage * (kGemmRows * kDepth) + (block.group - 1) * (kGroupRows * kDepth));
  Value b = block.descriptor(right, stage * (kDepth * columns), kDepth * kLineBytes);
  for (int64_t k = 0; k < kDepth; k += kPieceDepth)
    next = block.multiply(block.advance(a, k * kElementBytes), block.advance(b, k * kLineBytes), next,
                          k == 0 ? keeps : block.bit(true), element, /*transposed=*/true);
  block.commit();
  return next;
}

/// The sums of a tile, and where the ring goes on. A stage is empty when the product after its own has begun
/// and its own has ended.
HopperGemm::Values HopperGemm::consumeTile(ValueRange place) {
  Values carried(place);
  carried.push_back(e.index(0)); // the stage before
  llvm::append_range(carried, block.noSums(columns));
  constexpr size_t kPlace = 2, kFirstSum = 3;
  auto release = [&](Value stage) {
    e.ifThen(block.isFirstOfGroup(), [&] {
      if (blocks == 1)
        return block.arrive(empty, e.index(stage));
      for (int64_t i = 0; i < blocks; ++i) // who brings to this block has to know
        block.arriveOfBlock(empty, e.index(stage), e.index(i));
    });
  };
  carried = e.loop(depthBegin, depthEnd, e.index(kDepth), carried, [&](Index k, ValueRange before) {
    Value isLater = k.compare(arith::CmpIPredicate::ne, depthBegin);
    block.wait(full, e.index(before[0]), before[1]);
    Values sums = multiply(e.index(before[0]), isLater, before.drop_front(kFirstSum));
    sums = block.waitForProducts(1, sums, /*ended=*/false);
    e.ifThen(isLater, [&] { release(before[kPlace]); });
    Values after = next(before.take_front(kPlace));
    after.push_back(before[0]);
    llvm::append_range(after, sums);
    return after;
  });
  Values result(ArrayRef(carried).take_front(kPlace));
  llvm::append_range(result,
                     block.waitForProducts(0, ArrayRef(carried).drop_front(kFirstSum), /*ended=*/true));
  release(carried[kPlace]);
  return result;
}

void HopperGemm::consume() {
  Values start{e.index(0), parity(false)};
  overTiles(start, [&](ValueRange place) {
    Values after = consumeTile(place);
    storeSums(ArrayRef(after).drop_front(2));
    return Values(ArrayRef(after).take_front(2));
  });
  if (isStaged)
    e.ifThen(block.isFirstOfGroup(), [&] { block.waitForStores(); });
}

/// A line of columns after the other goes through shared memory.
void HopperGemm::storeSums(ValueRange sums) {
  if (!isStaged)
    return storeNumbers(sums);
  for (int64_t first = 0; first < columns; first += kLine)
    storeColumns(sums.slice(first / 2, kLine / 2), first);
}

/// 64 columns from `first` on: each thread's pairs of neighbours, to where a tile has them.
void HopperGemm::storeColumns(ValueRange sums, int64_t first) {
  constexpr int64_t kPiece = 8;
  Index start = (block.group - 1) * (kGroupRows * kLine), rowOfGroup = (block.group - 1) * kGroupRows;
  e.ifThen(block.isFirstOfGroup(), [&] { block.waitForStores(); });
  block.groupBarrier();
  for (int64_t piece = 0; piece < kLine / kPiece; ++piece)
    for (int64_t half : {0, 1}) {
      Index column = e.lane % 4 * 2;
      Values pair = pairOf(sums, piece, half, column + (first + piece * kPiece));
      block.storePair(pair, staging, start, row + half * 8, e.lane / 4, piece, column);
    }
  block.fenceAsync();
  block.groupBarrier();
  e.ifThen(block.isFirstOfGroup(),
           [&] { block.store(staging, start, outMap, {firstRow + rowOfGroup, firstColumn + first}); });
}

/// Two neighbours of 8 columns, from `column` of the tile on.
HopperGemm::Values HopperGemm::pairOf(ValueRange sums, int64_t piece, int64_t half, Index column) {
  Index line = (block.group - 1) * kGroupRows + row + half * 8;
  return {epilogueOf(sums[piece * 4 + half * 2], line, column),
          epilogueOf(sums[piece * 4 + half * 2 + 1], line, column + 1)};
}

/// The pairs of four threads are the 32 bytes that memory is written by.
void HopperGemm::storeNumbers(ValueRange sums) {
  constexpr int64_t kPiece = 8;
  for (int64_t piece = 0; piece < columns / kPiece; ++piece)
    for (int64_t half : {0, 1}) {
      Index line = (block.group - 1) * kGroupRows + row + half * 8, column = e.lane % 4 * 2 + piece * kPiece;
      Value isThere = e.both((firstRow + line).compare(arith::CmpIPredicate::ult, rowCount),
                             (firstColumn + column).compare(arith::CmpIPredicate::ult, columnCount));
      e.ifThen(isThere, [&] {
        const Buffer &out = operands.out;
        Value both = e.create<vector::FromElementsOp>(VectorType::get({2}, out.element),
                                                      pairOf(sums, piece, half, column));
        Index at = outStart + line * out.strides[out.rank() - 2] + column;
        e.storeWhole(both, out, at);
      });
    }
}

LogicalResult HopperGemm::emitBlock() {
  // Of 65536 registers, which 384 threads begin with 168 of each.
  constexpr int64_t kOfProducer = 40, kOfConsumer = 232;
  block.init(full, 1);
  block.init(empty, kGemmConsumers * blocks);
  auto meet = [&] { blocks > 1 ? block.clusterBarrier() : e.barrier(); };
  meet();
  block.divideWork(kOfProducer, [&] { produce(); }, kOfConsumer, [&] { consume(); });
  if (blocks > 1)
    meet(); // others may still bring something, or arrive
  return result();
}

bool weft::nvgpu::hasHopperGemm(GemmTileOp op) {
  auto lhs = cast<MemRefType>(op.getLhs().getType()), rhs = cast<MemRefType>(op.getRhs().getType()),
       out = cast<MemRefType>(op.getOut().getType());
  auto isWhole = [](MemRefType type, int64_t rank = 2) {
    int64_t columns = type.getShape().back();
    return type.getRank() == rank && type.getLayout().isIdentity() && !ShapedType::isDynamic(columns) &&
           columns % 8 == 0;
  };
  // Few columns leave most of a tile unused.
  return isHalfGemm(op) && isWhole(lhs) && isWhole(rhs) && isWhole(out, op.getParts() ? 3 : 2) &&
         out.getShape().back() >= kLine && lhs.getShape()[1] >= kPieceDepth;
}

LogicalResult weft::nvgpu::emitHopperGemm(GemmTileOp op, cpu::TileSizes sizes, HopperSchedule schedule) {
  auto [columns, blocks] = schedule;
  if (!llvm::is_contained({0, 64, 128, 256}, columns))
    return op.emitOpError("expects a schedule of 64, 128 or 256 hopper_columns, got ") << columns;
  if (!llvm::is_contained({0, 1, 2}, blocks))
    return op.emitOpError("expects a schedule of a hopper_cluster of 1 or 2, got ") << blocks;
  BlockEmitter emitter(op, kHopperThreads);
  FailureOr<GemmOperands> operands = findGemmOperands(emitter, op);
  if (failed(operands))
    return failure();
  // Wide tiles read less, narrow ones are more.
  bool isWide = *operands->out.sizes.back().constant() > 1024;
  if (columns == 0)
    columns = sizes.columns < 128 ? kLine : isWide ? 256 : 128;
  if (columns == kLine) // which cannot be halved
    blocks = 1;
  else if (blocks == 0)
    blocks = sizes.columns < 128 ? 1 : 2;
  if (blocks > 1)
    op->getParentOfType<cta::KernelOp>().setCluster(blocks);
  return HopperGemm(emitter, op, *operands, columns, blocks).emitBlock();
}
