// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-distribute-lanes: the lanes of a vector become the threads of a warp. Of a vector that is as long as
// several warps a thread has an element of each: lane i is element i / 32 of thread i % 32, so that threads
// side by side touch what lies side by side.
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

/// What a thread has of a vector: a number, or a short vector.
Type partOf(VectorType vector) {
  Type element = vector.getElementType();
  int64_t each = vector.getDimSize(0) / kLanes;
  return each > 1 ? Type(VectorType::get({each}, element)) : element;
}

/// How many elements that is.
int64_t countOf(Type part) {
  auto vector = dyn_cast<VectorType>(part);
  return vector ? vector.getDimSize(0) : 1;
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
  void makeParts(Value value);
  void makeLane();
  LogicalResult rewrite(Operation *op);
  LogicalResult rewriteSlice(vector::ExtractStridedSliceOp slice);
  void rewriteMemory(Operation *op);
  void rewriteConstant(arith::ConstantOp op);
  void storeAsFirst(Operation *store, Value memref);
  /// An element of a thread's part; and the part of elements that are made one after the other.
  Value element(Location location, Value part, int64_t number);
  Value part(Location location, Type type, llvm::function_ref<Value(int64_t number)> element);
  Value laneOf(Location location, int64_t number);
  void store(Location location, Value memref, Value at, Value part, Value mask);
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
    bool isLine = vector && vector.getRank() == 1 && !vector.isScalable();
    if (!vector || (isLine && (kLanes % vector.getDimSize(0) == 0 || vector.getDimSize(0) % kLanes == 0)))
      continue;
    return op->emitError() << "expects vectors whose lanes divide " << kLanes
                           << " or are several times that, got " << vector;
  }
  bool needsAll = isMemory(op) || isa<vector::ReductionOp>(op);
  for (Type type : needsAll ? TypeRange(op->getOperandTypes()) : TypeRange())
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.getDimSize(0) % kLanes)
      return op->emitError() << "expects vectors of " << kLanes << " lanes or several times that, got "
                             << vector;
  return success();
}

void Distribution::makeParts(Value value) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    value.setType(partOf(vector));
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
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return;
  Attribute element = dense.getSplatValue<Attribute>();
  auto part = dyn_cast<VectorType>(partOf(cast<VectorType>(dense.getType())));
  op.setValueAttr(part ? TypedAttr(DenseElementsAttr::get(part, element)) : cast<TypedAttr>(element));
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

Value Distribution::element(Location location, Value part, int64_t number) {
  return isa<VectorType>(part.getType()) ? Value(vector::ExtractOp::create(builder, location, part, number))
                                         : part;
}

Value Distribution::part(Location location, Type type, llvm::function_ref<Value(int64_t number)> element) {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < countOf(type); ++i)
    elements.push_back(element(i));
  return isa<VectorType>(type) ? Value(vector::FromElementsOp::create(builder, location, type, elements))
                               : elements.front();
}

/// The lane that is element `number` of this thread's part.
Value Distribution::laneOf(Location location, int64_t number) {
  Value first = arith::ConstantIndexOp::create(builder, location, number * kLanes);
  return number == 0 ? lane : Value(arith::AddIOp::create(builder, location, lane, first));
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
  Value part = numberIn(op.getVectorMutable()), value = element(location, part, 0);
  for (int64_t i = 1; i < countOf(part.getType()); ++i)
    value = vector::makeArithReduction(builder, location, op.getKind(), value, element(location, part, i));
  for (int64_t distance = kLanes / 2; distance > 0; distance /= 2) {
    Value by = arith::ConstantIntOp::create(builder, location, builder.getI32Type(), distance);
    Value other = shuffle(cta::ShuffleKind::Xor, location, value, by);
    value = vector::makeArithReduction(builder, location, op.getKind(), value, other);
  }
  return value;
}

/// Each thread's elements, from `at` on; with a mask those that it has.
void Distribution::store(Location location, Value memref, Value at, Value part, Value mask) {
  SmallVector<Value> places;
  for (int64_t i = 0; i < countOf(part.getType()); ++i)
    places.push_back(add(location, at, laneOf(location, i)));
  meetIfRead(location, memref);
  for (auto [i, place] : llvm::enumerate(places)) {
    Value value = element(location, part, int64_t(i));
    OpBuilder::InsertionGuard guard(builder);
    if (mask) {
      Value isThere = element(location, mask, int64_t(i));
      auto branch = scf::IfOp::create(builder, location, isThere, /*withElseRegion=*/false);
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    memref::StoreOp::create(builder, location, value, memref, place);
  }
  meetIfRead(location, memref);
}

/// Loads and stores: each thread its own.
void Distribution::rewriteMemory(Operation *op) {
  Location location = op->getLoc();
  auto replace = [&](llvm::function_ref<Value(int64_t number)> element) {
    op->getResult(0).replaceAllUsesWith(part(location, op->getResult(0).getType(), element));
    op->erase();
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::LoadOp load) {
        replace([&](int64_t i) -> Value {
          Value at = add(location, load.getIndices().front(), laneOf(location, i));
          return memref::LoadOp::create(builder, location, load.getBase(), at);
        });
      })
      .Case([&](vector::MaskedLoadOp load) {
        Value mask = numberIn(load.getMaskMutable()), otherwise = numberIn(load.getPassThruMutable());
        replace([&](int64_t i) {
          Value at = add(location, load.getIndices().front(), laneOf(location, i));
          return loadIf(location, element(location, mask, i), load.getBase(), at,
                        element(location, otherwise, i));
        });
      })
      .Case([&](vector::GatherOp gather) {
        Value offsets = numberIn(gather.getIndicesMutable()), mask = numberIn(gather.getMaskMutable()),
              otherwise = numberIn(gather.getPassThruMutable());
        replace([&](int64_t i) {
          Value offset = element(location, offsets, i);
          if (!offset.getType().isIndex())
            offset = arith::IndexCastOp::create(builder, location, builder.getIndexType(), offset);
          Value at = add(location, gather.getOffsets().front(), offset);
          return loadIf(location, element(location, mask, i), gather.getBase(), at,
                        element(location, otherwise, i));
        });
      })
      .Case([&](vector::StoreOp stored) {
        store(location, stored.getBase(), stored.getIndices().front(),
              numberIn(stored.getValueToStoreMutable()), Value());
        op->erase();
      })
      .Case([&](vector::MaskedStoreOp stored) {
        store(location, stored.getBase(), stored.getIndices().front(),
              numberIn(stored.getValueToStoreMutable()), numberIn(stored.getMaskMutable()));
        op->erase();
      });
}

/// Lanes from one on: whole elements of all threads, or of one element what other threads have.
LogicalResult Distribution::rewriteSlice(vector::ExtractStridedSliceOp slice) {
  Location location = slice.getLoc();
  int64_t first = cast<IntegerAttr>(slice.getOffsets()[0]).getInt(),
          size = cast<IntegerAttr>(slice.getSizes()[0]).getInt();
  Value source = numberIn(slice.getSourceMutable()), result;
  if (size % kLanes == 0 && first % kLanes == 0) {
    Type type = slice->getResult(0).getType();
    result = part(location, type, [&](int64_t i) { return element(location, source, first / kLanes + i); });
  } else if (kLanes % size == 0 && first / kLanes == (first + size - 1) / kLanes) {
    Value lanes = arith::ConstantIndexOp::create(builder, location, size),
          start = arith::ConstantIndexOp::create(builder, location, first % kLanes);
    Value place = arith::RemUIOp::create(builder, location, lane, lanes);
    result = shuffle(cta::ShuffleKind::From, location, element(location, source, first / kLanes),
                     add(location, place, start));
  } else {
    return slice.emitError("expects lanes of whole warps, or of one");
  }
  slice->getResult(0).replaceAllUsesWith(result);
  slice.erase();
  return success();
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
  auto below = [&](Value count) {
    return part(location, op->getResult(0).getType(), [&](int64_t i) -> Value {
      return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, laneOf(location, i), count);
    });
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::BroadcastOp broadcast) {
        Value number = numberIn(broadcast.getSourceMutable());
        return replace(part(location, op->getResult(0).getType(), [&](int64_t) { return number; }));
      })
      .Case([&](vector::StepOp) {
        return replace(
            part(location, op->getResult(0).getType(), [&](int64_t i) { return laneOf(location, i); }));
      })
      .Case([&](vector::CreateMaskOp mask) { return replace(below(mask.getOperands().front())); })
      .Case(
          [&](vector::ConstantMaskOp mask) { return replace(below(index(mask.getMaskDimSizes().front()))); })
      .Case([&](vector::FMAOp fma) {
        return replace(math::FmaOp::create(builder, location, numberIn(fma.getLhsMutable()),
                                           numberIn(fma.getRhsMutable()), numberIn(fma.getAccMutable())));
      })
      .Case([&](vector::ExtractOp extract) {
        if (extract.getStaticPosition().size() != 1 || !extract.getDynamicPosition().empty())
          return LogicalResult(op->emitError("expects a lane of a known number"));
        int64_t from = extract.getStaticPosition().front();
        Value among = element(location, numberIn(extract.getSourceMutable()), from / kLanes);
        return replace(fromLane(among, index(from % kLanes)));
      })
      .Case([&](vector::ExtractStridedSliceOp slice) { return rewriteSlice(slice); })
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
    llvm::for_each(op->getResults(), [&](Value value) { makeParts(value); });
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), [&](Value value) { makeParts(value); });
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
