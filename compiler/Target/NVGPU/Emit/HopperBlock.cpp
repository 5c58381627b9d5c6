// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles, barriers and products of warpgroups.
#include "compiler/Target/NVGPU/Emit/HopperBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

/// All threads of a warp get its number from one, so that it is known to be the same for all.
HopperBlock::HopperBlock(BlockEmitter &emitter) : group(emitter.index(0)), e(emitter) {
  Type i32 = e.builder.getI32Type();
  Value zero = e.create<arith::ConstantIntOp>(i32, 0);
  Value warp = e.create<arith::IndexCastUIOp>(i32, e.warp);
  warp = e.create<cta::ShuffleOp>(i32, cta::ShuffleKind::From, warp, zero);
  Index uniform = e.index(e.create<arith::IndexCastUIOp>(e.builder.getIndexType(), warp));
  constexpr int64_t kWarpsOfGroup = cta::CtaDialect::kGroupThreads / cta::CtaDialect::kWarpThreads;
  group = uniform / kWarpsOfGroup;
  isFirstWarp = (uniform % kWarpsOfGroup).compare(arith::CmpIPredicate::eq, 0);
}

void HopperBlock::divideWork(int64_t registersToCopy, llvm::function_ref<void()> copy,
                             int64_t registersToMultiply, llvm::function_ref<void()> multiply) {
  auto setRegisters = [&](int64_t count, bool more) {
    cta::SetRegistersOp::create(e.builder, e.location, count, more);
  };
  e.ifElse(
      group.compare(arith::CmpIPredicate::eq, 0),
      [&] {
        setRegisters(registersToCopy, /*more=*/false);
        e.ifThen(isFirstWarp, [&] { e.ifThen(elect(), copy); });
      },
      [&] {
        setRegisters(registersToMultiply, /*more=*/true);
        multiply();
      });
}

/// Where the swizzle begins anew.
Buffer HopperBlock::tiles(Type element, int64_t elements) {
  constexpr int64_t kAlignment = 1024;
  Buffer buffer = e.shared(element, {elements});
  cast<cta::SharedOp>(buffer.flat.getDefiningOp()).setAlignment(kAlignment);
  return buffer;
}

void HopperBlock::init(const Buffer &barriers, int64_t arrivals) {
  e.ifThen(e.thread.compare(arith::CmpIPredicate::eq, 0), [&] {
    for (int64_t i = 0; i < *barriers.sizes[0].constant(); ++i)
      cta::MbarrierInitOp::create(e.builder, e.location, barriers.flat, e.index(i), arrivals);
  });
}

static SmallVector<Value> valuesOf(ArrayRef<Index> numbers) { return SmallVector<Value>(numbers); }

Value HopperBlock::map(const Buffer &buffer, Index offset, ArrayRef<Index> sizes, ArrayRef<Index> strides,
                       ArrayRef<int64_t> box) {
  return e.create<cta::TensorMapOp>(cta::TensorMapType::get(e.builder.getContext()), buffer.flat, offset,
                                    valuesOf(sizes), valuesOf(strides), box);
}

void HopperBlock::load(Value map, ArrayRef<Index> position, const Buffer &to, Index place,
                       const Buffer &barriers, Index which, bool toCluster) {
  cta::LoadTileOp::create(e.builder, e.location, map, valuesOf(position), to.flat, place, barriers.flat,
                          which, toCluster);
}

void HopperBlock::store(const Buffer &from, Index place, Value map, ArrayRef<Index> position) {
  cta::StoreTileOp::create(e.builder, e.location, from.flat, place, map, valuesOf(position));
  cta::CommitStoresOp::create(e.builder, e.location);
}

void HopperBlock::storePair(ValueRange pair, const Buffer &to, Index start, Index line, Index lineModulo8,
                            int64_t piece, Index columnOfPiece) {
  constexpr int64_t kPieceElements = 8;
  Value swizzled = e.create<arith::XOrIOp>(e.index(piece), lineModulo8);
  Value both = e.create<vector::FromElementsOp>(VectorType::get({2}, to.element), pair);
  Index at = start + line * kLine + e.index(swizzled) * kPieceElements + columnOfPiece;
  e.storeWhole(both, to, at);
}

Value HopperBlock::descriptor(const Buffer &tiles, Index place, int64_t leadingBytes) {
  constexpr int64_t kUnit = 16, kBlockBytes = 8 * kLineBytes, kSwizzle128 = 1;
  Type i64 = e.builder.getI64Type();
  Value address = e.create<cta::SharedAddressOp>(i64, tiles.flat, Value(place));
  auto number = [&](int64_t value) { return e.create<arith::ConstantIntOp>(i64, value); };
  Value units = e.create<arith::AndIOp>(e.create<arith::ShRUIOp>(address, number(4)), number(0x3FFF));
  int64_t layout = leadingBytes / kUnit << 16 | kBlockBytes / kUnit << 32 | kSwizzle128 << 62;
  return e.create<arith::OrIOp>(units, number(layout));
}

Value HopperBlock::advance(Value descriptor, int64_t bytes) {
  return e.create<arith::AddIOp>(descriptor,
                                 e.create<arith::ConstantIntOp>(e.builder.getI64Type(), bytes / 16));
}

static SmallVector<Type> pendingTypes(BlockEmitter &e, size_t count) {
  return SmallVector<Type>(count, cta::PendingType::get(e.builder.getContext()));
}

HopperBlock::Values HopperBlock::noSums(int64_t columns) {
  return Values(cta::NoSumsOp::create(e.builder, e.location, pendingTypes(e, columns / 2)).getResults());
}

HopperBlock::Values HopperBlock::begin(ValueRange sums) {
  auto types = pendingTypes(e, sums.size());
  return Values(cta::BeginProductsOp::create(e.builder, e.location, types, sums).getResults());
}

HopperBlock::Values HopperBlock::multiply(Value a, Value b, ValueRange sums, Value keeps, Type element,
                                          bool transposed) {
  auto product =
      cta::WgmmaOp::create(e.builder, e.location, pendingTypes(e, sums.size()), a, b, sums, keeps,
                           TypeAttr::get(element), transposed ? e.builder.getUnitAttr() : UnitAttr());
  return Values(product.getResults());
}

HopperBlock::Values HopperBlock::multiplyFragment(ValueRange words, Value b, ValueRange sums, Type element) {
  auto product = cta::WgmmaFragmentOp::create(e.builder, e.location, pendingTypes(e, sums.size()), words[0],
                                              words[1], words[2], words[3], b, sums, TypeAttr::get(element),
                                              e.builder.getUnitAttr());
  return Values(product.getResults());
}

HopperBlock::Values HopperBlock::waitForProducts(int64_t pending, ValueRange sums, bool ended) {
  SmallVector<Type> types = pendingTypes(e, sums.size());
  if (ended)
    types.assign(sums.size(), e.builder.getF32Type());
  return Values(cta::WaitProductsOp::create(e.builder, e.location, types, pending, sums).getResults());
}
