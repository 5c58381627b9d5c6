// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only sm_90a has, as calls of the emulator.
#include "compiler/Target/NVGPU/EmulatorLowering.h"
#include "compiler/Target/NVGPU/KernelWords.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

FailureOr<SmallVector<Value>> EmulatorLowering::lowerBarrier(Operation *op) {
  using Result = FailureOr<SmallVector<Value>>;
  auto callAt = [&](EmulatorCall which, Value barriers, Value at, Value last) -> Result {
    FailureOr<SmallVector<Value>> place = placeIn(op, barriers, at);
    if (failed(place))
      return failure();
    call(which, {(*place)[0], (*place)[1], (*place)[2], last, text(op)});
    return SmallVector<Value>();
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](cta::GroupBarrierOp) -> Result {
        call(EmulatorCall::GroupBarrier, text(op));
        return SmallVector<Value>();
      })
      .Case([&](cta::ClusterBarrierOp) -> Result {
        call(EmulatorCall::ClusterBarrier, text(op));
        return SmallVector<Value>();
      })
      .Case([&](cta::MbarrierInitOp init) {
        return callAt(EmulatorCall::MbarrierInit, init.getBarriers(), init.getAt(),
                      word(int64_t(init.getArrivals())));
      })
      .Case([&](cta::MbarrierArriveOp arrive) {
        if (arrive.getBlock())
          return callAt(EmulatorCall::MbarrierArriveOfBlock, arrive.getBarriers(), arrive.getAt(),
                        toI64(builder, location, arrive.getBlock()));
        return callAt(EmulatorCall::MbarrierArrive, arrive.getBarriers(), arrive.getAt(),
                      word(int64_t(arrive.getBytes())));
      })
      .Case([&](cta::MbarrierWaitOp wait) {
        return callAt(EmulatorCall::MbarrierWait, wait.getBarriers(), wait.getAt(), wait.getParity());
      });
}

/// An array of i64, the innermost dim's first.
Value EmulatorLowering::positionOnStack(ValueRange position) {
  Type type = LLVM::LLVMArrayType::get(builder.getI64Type(), position.size());
  Value memory = roomOnStack(type);
  for (auto [i, place] : llvm::enumerate(llvm::reverse(position))) {
    Value at = LLVM::GEPOp::create(builder, location, pointer, builder.getI64Type(), memory,
                                   ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(builder, location, toI64(builder, location, place), at);
  }
  return memory;
}

/// Maps are numbers by now, which accessors of maps do not take.
FailureOr<SmallVector<Value>> EmulatorLowering::lowerTile(Operation *op) {
  using Result = FailureOr<SmallVector<Value>>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](cta::LoadTileOp load) -> Result {
        FailureOr<SmallVector<Value>> to = placeIn(op, load.getTo(), load.getPlace());
        FailureOr<SmallVector<Value>> barrier = placeIn(op, load.getBarriers(), load.getAt());
        if (failed(to) || failed(barrier))
          return failure();
        call(load.getToCluster() ? EmulatorCall::LoadTileToCluster : EmulatorCall::LoadTile,
             {load.getMapMutable().get(), positionOnStack(load.getPosition()), (*to)[0], (*to)[1], (*to)[2],
              (*barrier)[0], text(op)});
        return SmallVector<Value>();
      })
      .Case([&](cta::StoreTileOp store) -> Result {
        FailureOr<SmallVector<Value>> from = placeIn(op, store.getFrom(), store.getPlace());
        if (failed(from))
          return failure();
        call(EmulatorCall::StoreTile, {store.getMapMutable().get(), positionOnStack(store.getPosition()),
                                       (*from)[0], (*from)[1], (*from)[2], text(op)});
        return SmallVector<Value>();
      })
      .Case([&](cta::FenceAsyncOp) {
        call(EmulatorCall::FenceAsync, {});
        return SmallVector<Value>();
      })
      .Case([&](cta::CommitStoresOp) {
        call(EmulatorCall::CommitStores, {});
        return SmallVector<Value>();
      })
      .Case([&](cta::WaitStoresOp wait) {
        call(EmulatorCall::WaitStores, word(int64_t(wait.getPending())));
        return SmallVector<Value>();
      });
}

/// Sums go through memory.
SmallVector<Value> EmulatorLowering::multiply(ValueRange sums, llvm::function_ref<void(Value)> multiplyInto) {
  Type number = builder.getF32Type();
  Value memory = roomOnStack(LLVM::LLVMArrayType::get(number, sums.size()));
  auto at = [&](size_t i) {
    return LLVM::GEPOp::create(builder, location, pointer, number, memory,
                               ArrayRef<LLVM::GEPArg>{int32_t(i)});
  };
  for (auto [i, sum] : llvm::enumerate(sums))
    LLVM::StoreOp::create(builder, location, sum, at(i));
  multiplyInto(memory);
  SmallVector<Value> results;
  for (size_t i = 0; i < sums.size(); ++i)
    results.push_back(LLVM::LoadOp::create(builder, location, number, at(i)));
  return results;
}

FailureOr<SmallVector<Value>> EmulatorLowering::lowerProduct(Operation *op) {
  using Result = FailureOr<SmallVector<Value>>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](cta::NoSumsOp) {
        // Who reads them gets no number.
        auto nan = builder.getF32FloatAttr(std::numeric_limits<float>::quiet_NaN());
        return SmallVector<Value>(op->getNumResults(), LLVM::ConstantOp::create(builder, location, nan));
      })
      .Case([&](cta::BeginProductsOp begin) {
        call(EmulatorCall::BeginProducts, {});
        return SmallVector<Value>(begin.getSums());
      })
      .Case([&](cta::WgmmaOp product) {
        return multiply(product.getSums(), [&](Value memory) {
          Value keeps = arith::ExtUIOp::create(builder, location, builder.getI32Type(), product.getKeeps());
          call(EmulatorCall::Wgmma,
               {product.getA(), product.getB(), memory, word(product.getColumns()), keeps,
                constant(product.getElement().isBF16()), constant(product.getTransposed()), text(op)});
        });
      })
      .Case([&](cta::WgmmaFragmentOp product) {
        return multiply(product.getSums(), [&](Value memory) {
          auto type = VectorType::get({4}, builder.getI32Type());
          Value words = vector::FromElementsOp::create(
              builder, location, type,
              ValueRange{product.getA0(), product.getA1(), product.getA2(), product.getA3()});
          call(EmulatorCall::WgmmaFragment,
               {onStack(words), product.getB(), memory, word(product.getColumns()),
                constant(product.getElement().isBF16()), constant(product.getTransposed()), text(op)});
        });
      })
      .Case([&](cta::CommitProductsOp) {
        call(EmulatorCall::CommitProducts, {});
        return SmallVector<Value>();
      })
      .Case([&](cta::WaitProductsOp wait) {
        call(EmulatorCall::WaitProducts, {word(int64_t(wait.getPending())), text(op)});
        return SmallVector<Value>(wait.getSums());
      })
      .Case([&](cta::SharedAddressOp address) -> Result {
        FailureOr<SmallVector<Value>> place = placeIn(op, address.getMemory(), address.getAt());
        if (failed(place))
          return failure();
        return SmallVector<Value>{place->front()};
      });
}

LogicalResult EmulatorLowering::lowerHopper(Operation *op) {
  using Result = FailureOr<SmallVector<Value>>;
  Result values =
      llvm::TypeSwitch<Operation *, Result>(op)
          .Case<cta::GroupBarrierOp, cta::ClusterBarrierOp, cta::MbarrierInitOp, cta::MbarrierArriveOp,
                cta::MbarrierWaitOp>([&](Operation *barrier) { return lowerBarrier(barrier); })
          .Case<cta::LoadTileOp, cta::StoreTileOp, cta::FenceAsyncOp, cta::CommitStoresOp, cta::WaitStoresOp>(
              [&](Operation *tile) { return lowerTile(tile); })
          .Case([&](cta::TensorMapOp) { return SmallVector<Value>{word(maps++)}; })
          .Case([&](cta::GridSizeOp) { return SmallVector<Value>{index(ThreadField::Grid)}; })
          .Case([&](cta::ElectOp) {
            Value lane =
                arith::AndIOp::create(builder, location, field(ThreadField::Thread, builder.getI64Type()),
                                      word(cta::CtaDialect::kWarpThreads - 1));
            return SmallVector<Value>{
                arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, lane, word(0))};
          })
          .Case([&](cta::SetRegistersOp) { return SmallVector<Value>(); })
          .Default([&](Operation *product) { return lowerProduct(product); });
  if (failed(values))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *values))
    result.replaceAllUsesWith(value);
  op->erase();
  return success();
}
