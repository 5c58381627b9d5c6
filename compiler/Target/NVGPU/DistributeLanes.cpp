// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-distribute-lanes: the lanes of a vector become the threads of a warp. Of a vector that is as long as
// several warps a thread has as many lanes as there are warps, in pieces: lane i is in piece i / (32 p) of
// thread i / p % 32, of p lanes side by side, which it loads and stores at once where they begin at multiples
// of their size. Threads side by side touch what lies side by side.
#include "compiler/Target/CPU/Emit/Emitter.h"
#include "compiler/Target/NVGPU/Multiples.h"
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

uint64_t bytesOf(Type vector) {
  auto type = cast<VectorType>(vector);
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
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
  explicit Distribution(cta::KernelOp kernel)
      : kernel(kernel), warp(cpu::Features::ofWarp(kLanes, int64_t(kernel.getPiece().value_or(1)))),
        builder(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult check(Operation *op, TypeRange types);
  void makeParts(Value value);
  void makeLane();
  LogicalResult rewrite(Operation *op);
  LogicalResult rewriteSlice(vector::ExtractStridedSliceOp slice);
  LogicalResult rewriteHalves(vector::DeinterleaveOp halves);
  void rewriteMemory(Operation *op);
  void rewriteConstant(arith::ConstantOp op);
  void storeAsFirst(Operation *store, Value memref);
  /// An element of a thread's part; and the part of elements that are made one after the other.
  Value element(Location location, Value part, int64_t number);
  Value elements(Location location, Value part, int64_t first, int64_t count);
  Value part(Location location, Type type, llvm::function_ref<Value(int64_t number)> element);
  /// How many of a thread's elements are side by side, if it has so many.
  int64_t pieceOf(int64_t count) const { return warp.pieceOf(count * kLanes); }
  /// How many of a piece an access moves at once.
  int64_t elementsAtOnce(Operation *access) const;
  Value laneOf(Location location, int64_t number, int64_t count);
  Value load(Operation *op, Value memref, Value at, Value mask, Value otherwise);
  void store(Operation *op, Value memref, Value at, Value part, Value mask);
  Value loadIf(Location location, Value mask, llvm::function_ref<Value(OpBuilder &)> load, Value otherwise);
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
  const cpu::Features warp; ///< as the kernel was emitted for
  OpBuilder builder;
  Value lane;                                  ///< of this thread, an index
  Value isFirst;                               ///< whether it is the warp's first thread
  llvm::DenseSet<Value> read;                  ///< the buffers that the kernel reads
  llvm::DenseMap<Operation *, int64_t> atOnce; ///< of each load and store, as elementsAtOnce says
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

/// The lane that is element `number` of this thread's part, of so many elements.
Value Distribution::laneOf(Location location, int64_t number, int64_t count) {
  int64_t piece = pieceOf(count);
  auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, location, value); };
  Value first = lane;
  if (piece > 1)
    first = arith::MulIOp::create(builder, location, lane, index(piece));
  int64_t further = number / piece * piece * kLanes + number % piece;
  return further == 0 ? first : Value(arith::AddIOp::create(builder, location, first, index(further)));
}

int64_t Distribution::elementsAtOnce(Operation *access) const {
  using Access = std::tuple<VectorType, Value, Value>;
  auto [vector, at, mask] = llvm::TypeSwitch<Operation *, Access>(access)
                                .Case<vector::LoadOp, vector::StoreOp>([](auto op) {
                                  return Access(op.getVectorType(), op.getIndices().front(), Value());
                                })
                                .Case<vector::MaskedLoadOp, vector::MaskedStoreOp>([](auto op) {
                                  return Access(op.getVectorType(), op.getIndices().front(), op.getMask());
                                })
                                .Default(Access());
  if (!vector)
    return 1;
  int64_t count = std::min<int64_t>(pieceOf(vector.getDimSize(0) / kLanes),
                                    nvgpu::kAccessBytes * 8 / vector.getElementTypeBitWidth());
  while (!nvgpu::isMultiple(at, count) || (mask && !nvgpu::isByPieces(mask, count)))
    count /= 2;
  return count;
}

Value Distribution::loadIf(Location location, Value mask, llvm::function_ref<Value(OpBuilder &)> load,
                           Value otherwise) {
  auto yes = [&](OpBuilder &inner, Location) { scf::YieldOp::create(inner, location, load(inner)); };
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

/// So many of a part's elements, from one on, as one value.
Value Distribution::elements(Location location, Value whole, int64_t first, int64_t count) {
  if (count == 1)
    return element(location, whole, first);
  auto type = VectorType::get({count}, getElementTypeOrSelf(whole.getType()));
  return part(location, type, [&](int64_t i) { return element(location, whole, first + i); });
}

/// Each thread's elements, from `at` on; with a mask those that it has, and others where it has none.
Value Distribution::load(Operation *op, Value memref, Value at, Value mask, Value otherwise) {
  Location location = op->getLoc();
  Type type = op->getResult(0).getType();
  int64_t count = countOf(type), each = atOnce.lookup(op);
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < count; i += each) {
    Value place = add(location, at, laneOf(location, i, count));
    auto load = [&](OpBuilder &inner) -> Value {
      if (each == 1)
        return memref::LoadOp::create(inner, location, memref, place);
      auto vector = VectorType::get({each}, getElementTypeOrSelf(type));
      return vector::LoadOp::create(inner, location, vector, memref, place, /*nontemporal=*/false,
                                    llvm::MaybeAlign(bytesOf(vector)));
    };
    Value value =
        mask ? loadIf(location, element(location, mask, i), load, elements(location, otherwise, i, each))
             : load(builder);
    for (int64_t k = 0; k < each; ++k)
      loaded.push_back(element(location, value, k));
  }
  return part(location, type, [&](int64_t i) { return loaded[i]; });
}

void Distribution::store(Operation *op, Value memref, Value at, Value part, Value mask) {
  Location location = op->getLoc();
  int64_t count = countOf(part.getType()), each = atOnce.lookup(op);
  SmallVector<Value> places;
  for (int64_t i = 0; i < count; i += each)
    places.push_back(add(location, at, laneOf(location, i, count)));
  meetIfRead(location, memref);
  for (int64_t i = 0; i < count; i += each) {
    Value value = elements(location, part, i, each);
    OpBuilder::InsertionGuard guard(builder);
    if (mask) {
      Value isThere = element(location, mask, i);
      auto branch = scf::IfOp::create(builder, location, isThere, /*withElseRegion=*/false);
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    if (each == 1) {
      memref::StoreOp::create(builder, location, value, memref, places[i / each]);
    } else {
      auto store = vector::StoreOp::create(builder, location, value, memref, places[i / each]);
      store.setAlignment(bytesOf(value.getType()));
    }
  }
  meetIfRead(location, memref);
}

/// Loads and stores: each thread its own.
void Distribution::rewriteMemory(Operation *op) {
  Location location = op->getLoc();
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::LoadOp op) {
        replace(load(op, op.getBase(), op.getIndices().front(), Value(), Value()));
      })
      .Case([&](vector::MaskedLoadOp op) {
        replace(load(op, op.getBase(), op.getIndices().front(), numberIn(op.getMaskMutable()),
                     numberIn(op.getPassThruMutable())));
      })
      .Case([&](vector::GatherOp gather) {
        Value offsets = numberIn(gather.getIndicesMutable()), mask = numberIn(gather.getMaskMutable()),
              otherwise = numberIn(gather.getPassThruMutable());
        replace(part(location, op->getResult(0).getType(), [&](int64_t i) {
          Value offset = element(location, offsets, i);
          if (!offset.getType().isIndex())
            offset = arith::IndexCastOp::create(builder, location, builder.getIndexType(), offset);
          Value at = add(location, gather.getOffsets().front(), offset);
          auto load = [&](OpBuilder &inner) -> Value {
            return memref::LoadOp::create(inner, location, gather.getBase(), at);
          };
          return loadIf(location, element(location, mask, i), load, element(location, otherwise, i));
        }));
      })
      .Case([&](vector::StoreOp op) {
        store(op, op.getBase(), op.getIndices().front(), numberIn(op.getValueToStoreMutable()), Value());
        op->erase();
      })
      .Case([&](vector::MaskedStoreOp op) {
        store(op, op.getBase(), op.getIndices().front(), numberIn(op.getValueToStoreMutable()),
              numberIn(op.getMaskMutable()));
        op->erase();
      });
}

/// Lanes from one on: whole pieces of all threads, or of one element what other threads have.
LogicalResult Distribution::rewriteSlice(vector::ExtractStridedSliceOp slice) {
  Location location = slice.getLoc();
  int64_t first = cast<IntegerAttr>(slice.getOffsets()[0]).getInt(),
          size = cast<IntegerAttr>(slice.getSizes()[0]).getInt();
  Value source = numberIn(slice.getSourceMutable()), result;
  int64_t piece = pieceOf(countOf(source.getType()));
  if (size % kLanes == 0 && pieceOf(size / kLanes) == piece && first % (kLanes * piece) == 0) {
    Type type = slice->getResult(0).getType();
    result = part(location, type, [&](int64_t i) { return element(location, source, first / kLanes + i); });
  } else if (piece == 1 && kLanes % size == 0 && first / kLanes == (first + size - 1) / kLanes) {
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

/// Every other lane is every other element of a piece.
LogicalResult Distribution::rewriteHalves(vector::DeinterleaveOp halves) {
  Value source = numberIn(halves.getSourceMutable());
  int64_t count = countOf(source.getType()), piece = pieceOf(count);
  if (piece == 1 || pieceOf(count / 2) != piece / 2)
    return halves.emitError("expects pieces of several lanes, and half as long ones of the results");
  for (Value result : halves->getResults()) {
    int64_t odd = cast<OpResult>(result).getResultNumber();
    result.replaceAllUsesWith(part(halves.getLoc(), result.getType(),
                                   [&](int64_t i) { return element(halves.getLoc(), source, 2 * i + odd); }));
  }
  halves.erase();
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
    Type type = op->getResult(0).getType();
    return part(location, type, [&](int64_t i) -> Value {
      return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt,
                                   laneOf(location, i, countOf(type)), count);
    });
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::BroadcastOp broadcast) {
        Value number = numberIn(broadcast.getSourceMutable());
        return replace(part(location, op->getResult(0).getType(), [&](int64_t) { return number; }));
      })
      .Case([&](vector::StepOp) {
        Type type = op->getResult(0).getType();
        return replace(part(location, type, [&](int64_t i) { return laneOf(location, i, countOf(type)); }));
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
        Value source = numberIn(extract.getSourceMutable());
        int64_t from = extract.getStaticPosition().front(), piece = pieceOf(countOf(source.getType()));
        Value among = element(location, source, from / (kLanes * piece) * piece + from % piece);
        return replace(fromLane(among, index(from % (kLanes * piece) / piece)));
      })
      .Case([&](vector::DeinterleaveOp halves) { return rewriteHalves(halves); })
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
    if (isMemory(op))
      atOnce[op] = elementsAtOnce(op);
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
