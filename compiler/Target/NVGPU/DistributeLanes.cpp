// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-distribute-lanes: the lanes of a vector become the threads of a warp.
#include "compiler/Target/NVGPU/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace weft::nvgpu {
#define GEN_PASS_DEF_DISTRIBUTELANES
#include "compiler/Target/NVGPU/Passes.h.inc"
} // namespace weft::nvgpu

using namespace mlir;
using namespace weft;

namespace {

constexpr int64_t kLanes = cta::CtaDialect::kWarpThreads;

bool isMemory(Operation *op) {
  return isa<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp>(
      op);
}

/// An operand of an operation that is typed as a vector, and is a number by now: its accessor, which promises
/// a vector, would assert.
Value numberIn(OpOperand &operand) { return operand.get(); }

/// Where a buffer begins, whatever casts lie between.
Value rootOf(Value memref) {
  while (auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>())
    memref = cast.getSource();
  return memref;
}

/// Rewrites one kernel in place. Types change first, of all values at once; from then on operations on
/// numbers are right, and those of the vector dialect are replaced one by one.
class Distribution {
public:
  explicit Distribution(cta::KernelOp kernel) : kernel(kernel), builder(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult check(Operation *op, TypeRange types);
  void makeNumbers(Value value);
  void makeLane();
  LogicalResult rewrite(Operation *op);
  void rewriteMemory(Operation *op);
  void rewriteConstant(arith::ConstantOp op);
  void storeAsFirst(Operation *store, Value memref);
  Value load(Location location, Value memref, Value index);
  Value loadIf(Location location, Value mask, Value memref, Value index, Value otherwise);
  Value reduce(vector::ReductionOp op);
  Value shuffle(cta::ShuffleKind kind, Location location, Value value, Value lane);
  Value add(Location location, Value index, Value offset) {
    return builder.createOrFold<arith::AddIOp>(location, index, offset);
  }
  /// The threads of the warp meet, before and behind a store, if the kernel reads what it writes: some may
  /// not have read yet what was there, and all are to see what is there now.
  void meetIfRead(Location location, Value memref) {
    if (read.contains(rootOf(memref)))
      cta::WarpBarrierOp::create(builder, location);
  }

  cta::KernelOp kernel;
  OpBuilder builder;
  Value lane;                 ///< of this thread, an index
  Value isFirst;              ///< whether it is the warp's first thread
  llvm::DenseSet<Value> read; ///< the buffers that the kernel reads
};

LogicalResult Distribution::check(Operation *op, TypeRange types) {
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector || (vector.getRank() == 1 && !vector.isScalable() && kLanes % vector.getDimSize(0) == 0))
      continue;
    return op->emitError() << "expects vectors whose lanes divide " << kLanes << ", got " << vector;
  }
  bool needsAll = isMemory(op) || isa<vector::ReductionOp>(op);
  for (Type type : needsAll ? TypeRange(op->getOperandTypes()) : TypeRange())
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.getDimSize(0) != kLanes)
      return op->emitError() << "expects vectors of " << kLanes << " lanes, got " << vector;
  return success();
}

void Distribution::makeNumbers(Value value) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    value.setType(vector.getElementType());
}

void Distribution::makeLane() {
  Location location = kernel.getLoc();
  builder.setInsertionPointToStart(&kernel.getBody().front());
  Value thread = cta::ThreadIdOp::create(builder, location, builder.getIndexType());
  Value lanes = arith::ConstantIndexOp::create(builder, location, kLanes);
  lane = arith::RemUIOp::create(builder, location, thread, lanes);
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  isFirst = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, lane, zero);
}

void Distribution::rewriteConstant(arith::ConstantOp op) {
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue()))
    op.setValueAttr(cast<TypedAttr>(dense.getSplatValue<Attribute>()));
}

/// What is the same in all threads is stored, or reported, by one of them.
void Distribution::storeAsFirst(Operation *store, Value memref) {
  builder.setInsertionPoint(store);
  if (memref)
    meetIfRead(store->getLoc(), memref);
  auto branch = scf::IfOp::create(builder, store->getLoc(), isFirst, /*withElseRegion=*/false);
  store->moveBefore(branch.thenBlock()->getTerminator());
  builder.setInsertionPointAfter(branch);
  if (memref)
    return meetIfRead(store->getLoc(), memref);
  auto failure = cast<FailOp>(store);
  builder.setInsertionPoint(failure);
  cta::FailOp::create(builder, failure.getLoc(), failure.getValue(), failure.getBound());
  failure.erase();
}

Value Distribution::load(Location location, Value memref, Value index) {
  return memref::LoadOp::create(builder, location, memref, index);
}

Value Distribution::loadIf(Location location, Value mask, Value memref, Value index, Value otherwise) {
  auto yes = [&](OpBuilder &inner, Location) {
    scf::YieldOp::create(inner, location, Value(memref::LoadOp::create(inner, location, memref, index)));
  };
  auto no = [&](OpBuilder &inner, Location) { scf::YieldOp::create(inner, location, otherwise); };
  return scf::IfOp::create(builder, location, mask, yes, no).getResult(0);
}

Value Distribution::shuffle(cta::ShuffleKind kind, Location location, Value value, Value lane) {
  if (lane.getType().isIndex())
    lane = arith::IndexCastOp::create(builder, location, builder.getI32Type(), lane);
  return cta::ShuffleOp::create(builder, location, value.getType(), kind, value, lane);
}

/// All lanes as one value, which every thread gets.
Value Distribution::reduce(vector::ReductionOp op) {
  Location location = op.getLoc();
  Value value = numberIn(op.getVectorMutable());
  for (int64_t distance = kLanes / 2; distance > 0; distance /= 2) {
    Value by = arith::ConstantIntOp::create(builder, location, builder.getI32Type(), distance);
    Value other = shuffle(cta::ShuffleKind::Xor, location, value, by);
    value = vector::makeArithReduction(builder, location, op.getKind(), value, other);
  }
  return value;
}

/// Loads and stores: each thread its own.
void Distribution::rewriteMemory(Operation *op) {
  Location location = op->getLoc();
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::LoadOp load) {
        replace(this->load(location, load.getBase(), add(location, load.getIndices().front(), lane)));
      })
      .Case([&](vector::MaskedLoadOp load) {
        Value at = add(location, load.getIndices().front(), lane);
        replace(loadIf(location, numberIn(load.getMaskMutable()), load.getBase(), at,
                       numberIn(load.getPassThruMutable())));
      })
      .Case([&](vector::GatherOp gather) {
        Value offset = numberIn(gather.getIndicesMutable());
        if (!offset.getType().isIndex())
          offset = arith::IndexCastOp::create(builder, location, builder.getIndexType(), offset);
        Value at = add(location, gather.getOffsets().front(), offset);
        replace(loadIf(location, numberIn(gather.getMaskMutable()), gather.getBase(), at,
                       numberIn(gather.getPassThruMutable())));
      })
      .Case([&](vector::StoreOp store) {
        Value at = add(location, store.getIndices().front(), lane);
        meetIfRead(location, store.getBase());
        memref::StoreOp::create(builder, location, numberIn(store.getValueToStoreMutable()), store.getBase(),
                                at);
        meetIfRead(location, store.getBase());
        op->erase();
      })
      .Case([&](vector::MaskedStoreOp store) {
        Value at = add(location, store.getIndices().front(), lane);
        meetIfRead(location, store.getBase());
        scf::IfOp::create(builder, location, numberIn(store.getMaskMutable()),
                          [&](OpBuilder &inner, Location) {
                            memref::StoreOp::create(inner, location, numberIn(store.getValueToStoreMutable()),
                                                    store.getBase(), at);
                            scf::YieldOp::create(inner, location);
                          });
        meetIfRead(location, store.getBase());
        op->erase();
      });
}

LogicalResult Distribution::rewrite(Operation *op) {
  Location location = op->getLoc();
  builder.setInsertionPoint(op);
  if (isMemory(op)) {
    rewriteMemory(op);
    return success();
  }
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  };
  auto fromLane = [&](Value value, Value from) {
    return shuffle(cta::ShuffleKind::From, location, value, from);
  };
  auto index = [&](int64_t number) { return arith::ConstantIndexOp::create(builder, location, number); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::BroadcastOp broadcast) { return replace(numberIn(broadcast.getSourceMutable())); })
      .Case([&](vector::StepOp) { return replace(lane); })
      .Case([&](vector::CreateMaskOp mask) {
        return replace(arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, lane,
                                             mask.getOperands().front()));
      })
      .Case([&](vector::ConstantMaskOp mask) {
        return replace(arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, lane,
                                             index(mask.getMaskDimSizes().front())));
      })
      .Case([&](vector::FMAOp fma) {
        return replace(math::FmaOp::create(builder, location, numberIn(fma.getLhsMutable()),
                                           numberIn(fma.getRhsMutable()), numberIn(fma.getAccMutable())));
      })
      .Case([&](vector::ExtractOp extract) {
        if (extract.getStaticPosition().size() != 1 || !extract.getDynamicPosition().empty())
          return LogicalResult(op->emitError("expects a lane of a known number"));
        return replace(
            fromLane(numberIn(extract.getSourceMutable()), index(extract.getStaticPosition().front())));
      })
      .Case([&](vector::ExtractStridedSliceOp slice) {
        int64_t first = cast<IntegerAttr>(slice.getOffsets()[0]).getInt(),
                size = cast<IntegerAttr>(slice.getSizes()[0]).getInt();
        Value place = arith::RemUIOp::create(builder, location, lane, index(size));
        return replace(fromLane(numberIn(slice.getSourceMutable()), add(location, place, index(first))));
      })
      .Case([&](vector::ReductionOp reduction) {
        if (reduction.getAcc() || isa<FloatType>(reduction.getType()))
          return LogicalResult(op->emitError("expects a reduction of integers alone"));
        return replace(reduce(reduction));
      })
      .Default([](Operation *other) -> LogicalResult {
        return other->emitError() << other->getName() << " has no form for the threads of a warp";
      });
}

LogicalResult Distribution::run() {
  SmallVector<Operation *> vectors, uniform;
  LogicalResult result = success();
  kernel.walk([&](Operation *op) {
    if (failed(check(op, op->getResultTypes())) || failed(check(op, op->getOperandTypes())))
      result = failure();
    auto dense = isa<arith::ConstantOp>(op)
                     ? dyn_cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue())
                     : DenseElementsAttr();
    if (dense && !dense.isSplat())
      result = op->emitError("expects constants that are the same in all lanes");
    if (isa<vector::VectorDialect>(op->getDialect()))
      vectors.push_back(op);
    if (isa<memref::StoreOp, FailOp>(op))
      uniform.push_back(op);
    if (auto load = dyn_cast<memref::LoadOp>(op))
      read.insert(rootOf(load.getMemref()));
    if (isa<vector::LoadOp, vector::MaskedLoadOp, vector::GatherOp>(op))
      read.insert(rootOf(op->getOperand(0)));
  });
  if (failed(result))
    return failure();
  kernel.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), [&](Value value) { makeNumbers(value); });
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), [&](Value value) { makeNumbers(value); });
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      rewriteConstant(constant);
  });
  makeLane();
  for (Operation *op : uniform) {
    auto store = dyn_cast<memref::StoreOp>(op);
    storeAsFirst(op, store ? Value(store.getMemref()) : Value());
  }
  for (Operation *op : vectors)
    if (failed(rewrite(op)))
      result = failure();
  return result;
}

struct DistributeLanes : nvgpu::impl::DistributeLanesBase<DistributeLanes> {
  void runOnOperation() override {
    if (!getOperation().getWarpVectors())
      return;
    if (failed(Distribution(getOperation()).run()))
      return signalPassFailure();
    getOperation().setWarpVectors(false);
  }
};

} // namespace
