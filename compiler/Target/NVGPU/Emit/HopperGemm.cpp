// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of f16 and bf16 for sm_90a: one warpgroup has tiles of the operands copied, as far ahead as
// shared memory goes, and two multiply them, each half of a block's rows. Blocks go on from tile to tile.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"
#include "compiler/Target/NVGPU/Emit/HopperBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// Warpgroups that multiply, rows of a block, and the depth of a stage.
constexpr int64_t kConsumers = 2, kRows = kConsumers * kGroupRows, kDepth = 64;

class HopperGemm : public GemmBlock {
public:
  HopperGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands, int64_t columns);

  LogicalResult emitBlock();

private:
  Values makeSums() override { return {}; }
  Values addDepth(Index, ValueRange) override { return {}; }
  void storeSums(ValueRange sums) override;
  Value makeMap(const Buffer &buffer, int64_t rows);
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
  Type element;        ///< f16 or bf16
  const bool isStaged; ///< results go through shared memory, unless they are f32
  Value lhsMap, rhsMap, outMap;
  Buffer left, right, staging; ///< in shared memory
  Buffer full, empty;          ///< barriers of each stage: it is there, and it has been multiplied
  Index row;                   ///< this thread's first row among its warpgroup's
  Index tiles;
};

} // namespace

/// What fits beside the block that results go through.
static int64_t countStages(int64_t columns) {
  int64_t stage = (kRows + columns) * kDepth * kElementBytes, staging = kRows * kLineBytes;
  constexpr int64_t kBarriers = 1024; // and what goes before tiles that are aligned
  return (cta::CtaDialect::kMostSharedBytesOfHopper - staging - kBarriers) / stage;
}

HopperGemm::HopperGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands, int64_t columns)
    : GemmBlock(emitter, op, {kRows, columns}, operands, kDepth), block(emitter), columns(columns),
      stages(countStages(columns)),
      element(operands.lhs.element.isF16() ? operands.lhs.element : emitter.builder.getBF16Type()),
      isStaged(operands.out.element.getIntOrFloatBitWidth() == 16), lhsMap(makeMap(operands.lhs, kRows)),
      rhsMap(makeMap(operands.rhs, kDepth)), outMap(isStaged ? makeMap(operands.out, kGroupRows) : Value()),
      left(block.tiles(operands.lhs.element, stages * kRows * kDepth)),
      right(block.tiles(operands.rhs.element, stages * kDepth * columns)),
      staging(isStaged ? block.tiles(operands.out.element, kRows * kLine) : operands.out),
      full(block.barriers(stages)), empty(block.barriers(stages)),
      row(emitter.warp % 4 * 16 + emitter.lane / 4),
      tiles(ceilDiv(rowCount, kRows) * ceilDiv(columnCount, columns)) {
  if (op.getParts())
    tiles = tiles * operands.out.sizes.front();
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

/// One thread has everything copied.
void HopperGemm::produce() {
  Values start{e.index(0), parity(true)}; // all stages are empty
  e.loop(e.block, tiles, block.gridSize(), start, [&](Index tile, ValueRange place) {
    decodeTile(tile);
    return e.loop(depthBegin, depthEnd, e.index(kDepth), place, [&](Index k, ValueRange place) {
      Index stage = e.index(place[0]);
      block.wait(empty, stage, place[1]);
      block.arrive(full, stage, (kRows + columns) * kDepth * kElementBytes);
      block.load(lhsMap, {firstRow, k}, left, stage * (kRows * kDepth), full, stage);
      for (int64_t c = 0; c < columns; c += kLine)
        block.load(rhsMap, {k, firstColumn + c}, right, stage * (kDepth * columns) + kDepth * c, full, stage);
      return next(place);
    });
  });
}

/// Begins to multiply what is in a stage. lhs lies by rows of the depth, as products take it; rhs by rows of
/// 64 columns, a block of `kDepth` of them behind the other, which is transposed.
HopperGemm::Values HopperGemm::multiply(Index stage, Value keeps, ValueRange sums) {
  Values next = block.begin(sums);
  Value a = block.descriptor(left, stage * (kRows * kDepth) + (block.group - 1) * (kGroupRows * kDepth));
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
    e.ifThen(block.isFirstOfGroup(), [&] { block.arrive(empty, e.index(stage)); });
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
  e.loop(e.block, tiles, block.gridSize(), start, [&](Index tile, ValueRange place) {
    decodeTile(tile);
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
  block.init(empty, kConsumers);
  e.barrier();
  block.divideWork(kOfProducer, [&] { produce(); }, kOfConsumer, [&] { consume(); });
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

LogicalResult weft::nvgpu::emitHopperGemm(GemmTileOp op, cpu::TileSizes sizes, int64_t columns) {
  if (!llvm::is_contained({0, 64, 128, 256}, columns))
    return op.emitOpError("expects a schedule of 64, 128 or 256 hopper_columns, got ") << columns;
  BlockEmitter emitter(op, kHopperThreads);
  FailureOr<GemmOperands> operands = findGemmOperands(emitter, op);
  if (failed(operands))
    return failure();
  // Wide tiles read less, narrow ones are more.
  bool isWide = *operands->out.sizes.back().constant() > 1024;
  if (columns == 0)
    columns = sizes.columns < 128 ? kLine : isWide ? 256 : 128;
  return HopperGemm(emitter, op, *operands, columns).emitBlock();
}
