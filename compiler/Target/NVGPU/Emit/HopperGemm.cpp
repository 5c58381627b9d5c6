// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of f16 and bf16 for sm_90a: one warpgroup has tiles of the operands copied, as far ahead as
// shared memory goes, and two multiply them, each half of a block's rows. Blocks go on from tile to tile.
#include "compiler/Target/NVGPU/Emit/GemmBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// Rows of a warpgroup's sums and of a block's, the depth of a stage and of one product, and columns of a
/// line of 128 bytes.
constexpr int64_t kGroupRows = 64, kConsumers = 2, kRows = kConsumers * kGroupRows, kDepth = 64,
                  kPieceDepth = 16, kLine = cta::TensorMapOp::kLineElements;
constexpr int64_t kElementBytes = 2, kLineBytes = kLine * kElementBytes;
/// Shared memory begins at multiples of what the swizzle repeats after.
constexpr int64_t kTileAlignment = 1024;

class HopperGemm : public GemmBlock {
public:
  HopperGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands, int64_t columns);

  LogicalResult emit();

private:
  Values makeSums() override { return {}; }
  Values addDepth(Index, ValueRange) override { return {}; }
  void storeSums(ValueRange sums) override;
  Value makeMap(const Buffer &buffer, int64_t rows);
  void initBarriers();
  void produce();
  void consume();
  Values consumeTile(Values stage);
  Values multiply(Index stage, Value keeps, ValueRange sums);
  Value descriptor(const Buffer &tiles, Index place, int64_t leadingBytes);
  void storeColumns(ValueRange sums, int64_t first);
  Value isFirstOfGroup() { return e.both(isFirstWarp, e.create<cta::ElectOp>(e.builder.getI1Type())); }

  /// A place in the ring of stages: which one it is, and the parity of its phase.
  Values next(ValueRange place);
  Index gridSize() { return e.index(e.create<cta::GridSizeOp>(e.builder.getIndexType())); }
  Value bit(bool value) { return e.create<arith::ConstantIntOp>(value, 1); }
  Value parity(bool value) { return e.create<arith::ConstantIntOp>(e.builder.getI32Type(), value); }
  void wait(const Buffer &barriers, Index stage, Value parity) {
    cta::MbarrierWaitOp::create(e.builder, e.location, barriers.flat, stage, parity);
  }
  void arrive(const Buffer &barriers, Index stage, int64_t bytes = 0) {
    cta::MbarrierArriveOp::create(e.builder, e.location, barriers.flat, stage, bytes);
  }

  const int64_t columns, stages;
  Type element; ///< f16 or bf16
  Value lhsMap, rhsMap, outMap;
  Buffer left, right, staging; ///< in shared memory
  Buffer full, empty;          ///< barriers of each stage: it is there, and it has been multiplied
  Index group;                 ///< this thread's warpgroup
  Value isFirstWarp;           ///< of its warpgroup
  Index row;                   ///< this thread's first row among its warpgroup's
  Index tiles;
};

Buffer alignedShared(BlockEmitter &e, Type element, int64_t elements) {
  Buffer buffer = e.shared(element, {elements});
  cast<cta::SharedOp>(buffer.flat.getDefiningOp()).setAlignment(kTileAlignment);
  return buffer;
}

} // namespace

/// What fits beside the block that results go through.
static int64_t countStages(int64_t columns) {
  int64_t stage = (kRows + columns) * kDepth * kElementBytes, staging = kRows * kLineBytes;
  return (cta::CtaDialect::kMostSharedBytesOfHopper - staging - kTileAlignment) / stage;
}

HopperGemm::HopperGemm(BlockEmitter &emitter, GemmTileOp op, const GemmOperands &operands, int64_t columns)
    : GemmBlock(emitter, op, {kRows, columns}, operands, kDepth), columns(columns),
      stages(countStages(columns)),
      element(operands.out.element.isF16() ? operands.out.element : emitter.builder.getBF16Type()),
      lhsMap(makeMap(operands.lhs, kRows)), rhsMap(makeMap(operands.rhs, kDepth)),
      outMap(makeMap(operands.out, kGroupRows)),
      left(alignedShared(emitter, operands.lhs.element, stages * kRows * kDepth)),
      right(alignedShared(emitter, operands.rhs.element, stages * kDepth * columns)),
      staging(alignedShared(emitter, operands.out.element, kRows * kLine)),
      full(emitter.shared(emitter.builder.getI64Type(), {stages})),
      empty(emitter.shared(emitter.builder.getI64Type(), {stages})), group(emitter.index(0)),
      row(emitter.warp % 4 * 16 + emitter.lane / 4),
      tiles(ceilDiv(rowCount, kRows) * ceilDiv(columnCount, columns)) {
  // All threads of a warp get it from one, so that it is known to be the same for all.
  Type i32 = e.builder.getI32Type();
  Value zero = e.create<arith::ConstantIntOp>(i32, 0);
  Value warp = e.create<arith::IndexCastUIOp>(i32, e.warp);
  warp = e.create<cta::ShuffleOp>(i32, cta::ShuffleKind::From, warp, zero);
  Index uniform = e.index(e.create<arith::IndexCastUIOp>(e.builder.getIndexType(), warp));
  group = uniform / 4;
  isFirstWarp = (uniform % 4).compare(arith::CmpIPredicate::eq, 0);
}

/// A matrix, of which tiles of so many rows and of a line are copied.
Value HopperGemm::makeMap(const Buffer &buffer, int64_t rows) {
  return e.create<cta::TensorMapOp>(cta::TensorMapType::get(e.builder.getContext()), buffer.flat,
                                    buffer.offset, ValueRange{buffer.sizes[0], buffer.sizes[1]},
                                    ValueRange{buffer.strides[0]}, ArrayRef<int64_t>{rows, kLine});
}

HopperGemm::Values HopperGemm::next(ValueRange place) {
  Index following = e.index(place[0]) + 1;
  Value isLast = following.compare(arith::CmpIPredicate::eq, stages);
  Value flipped = e.create<arith::XOrIOp>(place[1], parity(true));
  return {e.select(isLast, e.index(0), following), e.create<arith::SelectOp>(isLast, flipped, place[1])};
}

void HopperGemm::initBarriers() {
  e.ifThen(e.thread.compare(arith::CmpIPredicate::eq, 0), [&] {
    for (int64_t stage = 0; stage < stages; ++stage) {
      cta::MbarrierInitOp::create(e.builder, e.location, full.flat, e.index(stage), 1);
      cta::MbarrierInitOp::create(e.builder, e.location, empty.flat, e.index(stage), kConsumers);
    }
  });
  e.barrier();
}

/// One thread has everything copied.
void HopperGemm::produce() {
  auto load = [&](Value map, Index first, Index column, const Buffer &to, Index place, Index stage) {
    cta::LoadTileOp::create(e.builder, e.location, map, ValueRange{first, column}, to.flat, place, full.flat,
                            stage);
  };
  Values start{e.index(0), parity(true)}; // all stages are empty
  e.loop(e.block, tiles, gridSize(), start, [&](Index tile, ValueRange place) {
    decodeTile(tile);
    return e.loop(e.index(0), depth, e.index(kDepth), place, [&](Index k, ValueRange place) {
      Index stage = e.index(place[0]);
      wait(empty, stage, place[1]);
      arrive(full, stage, (kRows + columns) * kDepth * kElementBytes);
      load(lhsMap, firstRow, k, left, stage * (kRows * kDepth), stage);
      for (int64_t c = 0; c < columns; c += kLine)
        load(rhsMap, k, firstColumn + c, right, stage * (kDepth * columns) + kDepth * c, stage);
      return next(place);
    });
  });
}

/// PTX's matrix descriptor: with a swizzle of 128 bytes, blocks of 8 lines one behind the other.
Value HopperGemm::descriptor(const Buffer &tiles, Index place, int64_t leadingBytes) {
  constexpr int64_t kUnit = 16, kBlockBytes = 8 * kLineBytes;
  Value address = e.create<cta::SharedAddressOp>(e.builder.getI64Type(), tiles.flat, Value(place));
  Type i64 = e.builder.getI64Type();
  auto number = [&](int64_t value) { return e.create<arith::ConstantIntOp>(i64, value); };
  Value units = e.create<arith::AndIOp>(e.create<arith::ShRUIOp>(address, number(4)), number(0x3FFF));
  int64_t layout = leadingBytes / kUnit << 16 | kBlockBytes / kUnit << 32 | int64_t(1) << 62;
  return e.create<arith::OrIOp>(units, number(layout));
}

/// Begins to multiply what is in a stage. lhs lies by rows of the depth, as products take it; rhs by rows of
/// 64 columns, a block of `kDepth` of them behind the other, which is transposed.
HopperGemm::Values HopperGemm::multiply(Index stage, Value keeps, ValueRange sums) {
  SmallVector<Type> types(sums.getTypes());
  auto begun = cta::BeginProductsOp::create(e.builder, e.location, types, sums);
  Values next(begun.getResults());
  Index rows = stage * (kRows * kDepth) + (group - 1) * (kGroupRows * kDepth);
  Value a = descriptor(left, rows, /*leadingBytes=*/16);
  Value b = descriptor(right, stage * (kDepth * columns), kDepth * kLineBytes);
  Type i64 = e.builder.getI64Type();
  auto advance = [&](Value descriptor, int64_t bytes) -> Value {
    return e.create<arith::AddIOp>(descriptor, e.create<arith::ConstantIntOp>(i64, bytes / 16));
  };
  for (int64_t k = 0; k < kDepth; k += kPieceDepth) {
    Value left = advance(a, k * kElementBytes), right = advance(b, k * kLineBytes);
    auto product =
        cta::WgmmaOp::create(e.builder, e.location, types, left, right, next, k == 0 ? keeps : bit(true),
                             TypeAttr::get(element), e.builder.getUnitAttr());
    next = Values(product.getResults());
  }
  cta::CommitProductsOp::create(e.builder, e.location);
  return next;
}

/// The sums of a tile, and where the ring goes on. A stage is empty when the product after its own has begun
/// and its own has ended.
HopperGemm::Values HopperGemm::consumeTile(Values place) {
  SmallVector<Type> types(columns / 2, cta::PendingType::get(e.builder.getContext()));
  auto none = cta::NoSumsOp::create(e.builder, e.location, types);
  Values carried(place);
  carried.push_back(e.index(0)); // the stage before
  llvm::append_range(carried, none.getResults());
  constexpr size_t kPlace = 2, kFirstSum = 3;
  auto waitForAllBut = [&](int64_t pending, ValueRange sums, TypeRange types) {
    return cta::WaitProductsOp::create(e.builder, e.location, types, pending, sums).getResults();
  };
  auto release = [&](Value stage) { e.ifThen(isFirstOfGroup(), [&] { arrive(empty, e.index(stage)); }); };
  carried = e.loop(e.index(0), depth, e.index(kDepth), carried, [&](Index k, ValueRange before) {
    Value isLater = k.compare(arith::CmpIPredicate::ne, 0);
    wait(full, e.index(before[0]), before[1]);
    Values sums = multiply(e.index(before[0]), isLater, before.drop_front(kFirstSum));
    ValueRange waited = waitForAllBut(1, sums, types);
    e.ifThen(isLater, [&] { release(before[kPlace]); });
    Values after = next(before.take_front(kPlace));
    after.push_back(before[0]);
    llvm::append_range(after, waited);
    return after;
  });
  SmallVector<Type> numbers(columns / 2, number);
  Values result(ArrayRef(carried).take_front(kPlace));
  llvm::append_range(result, waitForAllBut(0, ArrayRef(carried).drop_front(kFirstSum), numbers));
  release(carried[kPlace]);
  return result;
}

void HopperGemm::consume() {
  Values start{e.index(0), parity(false)};
  e.loop(e.block, tiles, gridSize(), start, [&](Index tile, ValueRange place) {
    decodeTile(tile);
    Values after = consumeTile(Values(place));
    storeSums(ArrayRef(after).drop_front(2));
    return Values(ArrayRef(after).take_front(2));
  });
  e.ifThen(isFirstOfGroup(), [&] { cta::WaitStoresOp::create(e.builder, e.location, 0); });
}

/// A line of columns after the other goes through shared memory.
void HopperGemm::storeSums(ValueRange sums) {
  for (int64_t first = 0; first < columns; first += kLine)
    storeColumns(sums.slice(first / 2, kLine / 2), first);
}

/// 64 columns from `first` on: each thread's pairs of neighbours, to where a tile has them.
void HopperGemm::storeColumns(ValueRange sums, int64_t first) {
  constexpr int64_t kPiece = 8;
  auto groupBarrier = [&] { cta::GroupBarrierOp::create(e.builder, e.location); };
  Index start = (group - 1) * (kGroupRows * kLine), rowOfGroup = (group - 1) * kGroupRows;
  e.ifThen(isFirstOfGroup(), [&] { cta::WaitStoresOp::create(e.builder, e.location, 0); });
  groupBarrier();
  for (int64_t piece = 0; piece < kLine / kPiece; ++piece)
    for (int64_t half : {0, 1}) {
      Values pair;
      Index line = row + half * 8, column = e.lane % 4 * 2;
      for (int64_t i : {0, 1})
        pair.push_back(epilogueOf(sums[piece * 4 + half * 2 + i], rowOfGroup + line,
                                  column + (first + piece * kPiece + i)));
      Value swizzled = e.create<arith::XOrIOp>(e.index(piece), e.lane / 4); // a line's number modulo 8
      Value both = e.create<vector::FromElementsOp>(VectorType::get({2}, operands.out.element), pair);
      Index at = start + line * kLine + e.index(swizzled) * kPiece + column;
      auto store = vector::StoreOp::create(e.builder, e.location, both, staging.flat, ValueRange{Value(at)});
      store.setAlignment(2 * kElementBytes);
    }
  cta::FenceAsyncOp::create(e.builder, e.location);
  groupBarrier();
  e.ifThen(isFirstOfGroup(), [&] {
    cta::StoreTileOp::create(e.builder, e.location, staging.flat, start, outMap,
                             ValueRange{firstRow + rowOfGroup, firstColumn + first});
    cta::CommitStoresOp::create(e.builder, e.location);
  });
}

LogicalResult HopperGemm::emit() {
  // Of 65536 registers, which 384 threads begin with 168 of each.
  constexpr int64_t kOfProducer = 40, kOfConsumer = 232;
  auto setRegisters = [&](int64_t count, bool more) {
    cta::SetRegistersOp::create(e.builder, e.location, count, more);
  };
  initBarriers();
  e.ifElse(
      group.compare(arith::CmpIPredicate::eq, 0),
      [&] {
        setRegisters(kOfProducer, /*more=*/false);
        e.ifThen(isFirstWarp,
                 [&] { e.ifThen(e.create<cta::ElectOp>(e.builder.getI1Type()), [&] { produce(); }); });
      },
      [&] {
        setRegisters(kOfConsumer, /*more=*/true);
        consume();
      });
  return result();
}

bool weft::nvgpu::hasHopperGemm(GemmTileOp op) {
  auto lhs = cast<MemRefType>(op.getLhs().getType()), rhs = cast<MemRefType>(op.getRhs().getType()),
       out = cast<MemRefType>(op.getOut().getType());
  auto isWhole = [](MemRefType type) {
    return type.getRank() == 2 && type.getLayout().isIdentity() &&
           !ShapedType::isDynamic(type.getShape()[1]) && type.getShape()[1] % 8 == 0;
  };
  // Few columns leave most of a tile unused.
  return usesTensorCores(op) && isWhole(lhs) && isWhole(rhs) && isWhole(out) && out.getShape()[1] >= kLine &&
         lhs.getShape()[1] >= kPieceDepth;
}

LogicalResult weft::nvgpu::emitHopperGemm(GemmTileOp op) {
  BlockEmitter emitter(op, kHopperGemmThreads);
  FailureOr<GemmOperands> operands = findGemmOperands(emitter, op);
  if (failed(operands))
    return failure();
  // Wide tiles read less, narrow ones are more.
  int64_t columns = *operands->out.sizes[1].constant() > 1024 ? 256 : 128;
  return HopperGemm(emitter, op, *operands, columns).emit();
}
