// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-cta-to-emulator: kernels as functions that the emulator runs, a call for each thread.
#include "compiler/Target/NVGPU/EmulatorLowering.h"
#include "compiler/Target/NVGPU/HopperToNVVM.h"
#include "compiler/Target/NVGPU/KernelWords.h"
#include "compiler/Target/NVGPU/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace weft::nvgpu {
#define GEN_PASS_DEF_LOWERCTATOEMULATOR
#include "compiler/Target/NVGPU/Passes.h.inc"
} // namespace weft::nvgpu

using namespace mlir;
using namespace weft;
using weft::nvgpu::EmulatorCall;
using weft::nvgpu::EmulatorLowering;
using weft::nvgpu::ThreadField;

/// The kernel's body in a function of a thread and words.
void EmulatorLowering::makeFunction() {
  auto function = func::FuncOp::create(builder, location, kernel.getSymName(),
                                       builder.getFunctionType({pointer, pointer}, {}));
  function.setPrivate();
  Region &body = function.getBody();
  body.takeBody(kernel.getBody());
  Block &entry = body.front();
  unsigned count = entry.getNumArguments();
  thread = entry.addArgument(pointer, location);
  Value arguments = entry.addArgument(pointer, location);
  builder.setInsertionPointToStart(&entry);
  FrameReader reader(builder, location, arguments);
  int64_t next = 0;
  Value tiles;
  for (unsigned i = 0; i < count; ++i) {
    Type type = entry.getArgument(i).getType();
    SmallVector<Value> words;
    for (int64_t w = 0; w < nvgpu::countWords(type); ++w)
      words.push_back(reader.load(arguments, next++, builder.getI64Type()));
    Value value = nvgpu::unpackWords(builder, location, type, words);
    if (!tiles) // the first
      tiles = value;
    entry.getArgument(i).replaceAllUsesWith(value);
  }
  entry.eraseArguments(0, count);
  nvgpu::leaveBehindLastTile(builder, location, index(ThreadField::Block), tiles, kernel);
  func::ReturnOp::create(builder, location);
  symbols.remove(kernel);
  symbols.insert(function);
}

Value EmulatorLowering::field(ThreadField which, Type type) {
  return FrameReader(builder, location, thread).load(thread, int64_t(which), type);
}

Value EmulatorLowering::call(EmulatorCall which, ValueRange operands, Type result) {
  SmallVector<Value> all{field(ThreadField::Emulator, pointer)};
  all.front() = FrameReader(builder, location, all.front()).load(all.front(), int64_t(which), pointer);
  all.push_back(thread);
  llvm::append_range(all, operands);
  Type returned = result ? result : LLVM::LLVMVoidType::get(builder.getContext());
  SmallVector<Type> types(ValueRange(all).drop_front().getTypes());
  auto called = LLVM::CallOp::create(builder, location, LLVM::LLVMFunctionType::get(returned, types), all);
  return result ? called.getResult() : Value();
}

/// What reports call an operation: its name, and its node's where the model has one. Its own text says that
/// threads are at the same.
Value EmulatorLowering::text(Operation *op) {
  std::string node = getNodeName(op->getLoc());
  std::string content = op->getName().getStringRef().str() + (node.empty() ? "" : " of \"" + node + "\"");
  OpBuilder top = OpBuilder::atBlockBegin(cast<ModuleOp>(symbols.getOp()).getBody());
  LLVM::GlobalOp global = createText(top, location, "weft_text_" + Twine(texts++), content);
  symbols.insert(global);
  return LLVM::AddressOfOp::create(builder, location, global);
}

/// A memref of shared memory, `offset` bytes from where that begins.
void EmulatorLowering::lowerShared(cta::SharedOp op, int64_t offset) {
  auto type = cast<MemRefType>(op.getType());
  Value base = field(ThreadField::Shared, pointer);
  Value address = LLVM::GEPOp::create(builder, location, pointer, builder.getI8Type(), base,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  Type space = LLVM::LLVMPointerType::get(builder.getContext(), cta::CtaDialect::kShared);
  Value cast = LLVM::AddrSpaceCastOp::create(builder, location, space, address);
  SmallVector<Value> sizes = llvm::map_to_vector(type.getShape(), [&](int64_t size) { return word(size); });
  op.replaceAllUsesWith(
      makeMemRef(builder, location, LLVMTypeConverter(builder.getContext()), type, cast, sizes));
  op.erase();
}

void EmulatorLowering::lowerShuffle(cta::ShuffleOp op) {
  Value lane = op.getLane();
  if (op.getKind() == cta::ShuffleKind::Xor) {
    Value self = arith::TruncIOp::create(builder, location, builder.getI32Type(),
                                         field(ThreadField::Thread, builder.getI64Type()));
    lane = arith::XOrIOp::create(builder, location, lane, self);
  }
  Value word = nvgpu::packWords(builder, location, op.getValue()).front();
  Value moved = call(EmulatorCall::Shuffle, {word, lane, text(op)}, builder.getI64Type());
  op.replaceAllUsesWith(nvgpu::unpackWords(builder, location, op.getType(), moved));
  op.erase();
}

/// A place on the stack; taken at the entry, since a loop would take more each time.
Value EmulatorLowering::roomOnStack(Type type) {
  OpBuilder entry(thread.getContext());
  entry.setInsertionPointToStart(cast<BlockArgument>(thread).getOwner());
  Value one = LLVM::ConstantOp::create(entry, location, entry.getI64IntegerAttr(1));
  return LLVM::AllocaOp::create(entry, location, pointer, type, one);
}

/// A place on the stack that holds the vector.
Value EmulatorLowering::onStack(Value vector) {
  Value memory = roomOnStack(vector.getType());
  LLVM::StoreOp::create(builder, location, vector, memory);
  return memory;
}

void EmulatorLowering::lowerMma(cta::MmaOp op) {
  Value sums = onStack(op.getC());
  using nvgpu::MatrixElement;
  Type element = op.getElement();
  MatrixElement which = element.isF16()    ? MatrixElement::F16
                        : element.isBF16() ? MatrixElement::BF16
                        : element.isTF32() ? MatrixElement::TF32
                                           : MatrixElement::Bytes;
  Value elements = LLVM::ConstantOp::create(builder, location, builder.getI32IntegerAttr(int32_t(which)));
  call(EmulatorCall::Multiply, {onStack(op.getA()), onStack(op.getB()), sums, elements, text(op)});
  op.replaceAllUsesWith(LLVM::LoadOp::create(builder, location, op.getType(), sums).getResult());
  op.erase();
}

Value EmulatorLowering::dot4(cta::Dot4Op op) {
  Type bytes = VectorType::get({4}, builder.getI8Type()), numbers = VectorType::get({4}, op.getType());
  auto bytesOf = [&](Value word) -> Value { return LLVM::BitcastOp::create(builder, location, bytes, word); };
  Value left = arith::ExtUIOp::create(builder, location, numbers, bytesOf(op.getA()));
  Value right = arith::ExtSIOp::create(builder, location, numbers, bytesOf(op.getB()));
  Value products = arith::MulIOp::create(builder, location, left, right);
  return vector::ReductionOp::create(builder, location, vector::CombiningKind::ADD, products, op.getC());
}

Value EmulatorLowering::pack(cta::PackOp op) {
  auto bitsOf = [&](Value number) -> Value {
    Value rounded = arith::TruncFOp::create(builder, location, op.getElement(), number);
    Value bits = arith::BitcastOp::create(builder, location, builder.getI16Type(), rounded);
    return arith::ExtUIOp::create(builder, location, builder.getI32Type(), bits);
  };
  Value half = LLVM::ConstantOp::create(builder, location, builder.getI32IntegerAttr(16));
  Value upper = arith::ShLIOp::create(builder, location, bitsOf(op.getHigh()), half);
  return arith::OrIOp::create(builder, location, bitsOf(op.getLow()), upper);
}

/// Where an element of shared memory is in what the block shares, in bytes, and where its buffer begins and
/// ends there.
FailureOr<SmallVector<Value>> EmulatorLowering::placeIn(Operation *op, Value memref, ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  auto found = sharedOffsets.find(memref.getDefiningOp());
  if (found == sharedOffsets.end())
    return op->emitError("expects shared memory as cta.shared gives it");
  int64_t elementBytes = getElementBytes(type.getElementType());
  Value place = arith::ConstantIndexOp::create(builder, location, 0);
  for (auto [index, size] : llvm::zip_equal(indices, type.getShape())) {
    place = arith::MulIOp::create(builder, location, place,
                                  arith::ConstantIndexOp::create(builder, location, size));
    place = arith::AddIOp::create(builder, location, place, index);
  }
  Value bytes = arith::ConstantIndexOp::create(builder, location, elementBytes);
  Value offset = toI64(builder, location, arith::MulIOp::create(builder, location, place, bytes));
  offset = arith::AddIOp::create(builder, location, offset, word(found->second));
  return SmallVector<Value>{offset, word(found->second),
                            word(found->second + type.getNumElements() * elementBytes)};
}

/// Reports an access to shared memory before it happens.
LogicalResult EmulatorLowering::lowerAccess(Operation *op, Value memref, ValueRange indices, Type element,
                                            bool isWrite) {
  auto type = cast<MemRefType>(memref.getType());
  if (!cta::isShared(type))
    return success();
  FailureOr<SmallVector<Value>> place = placeIn(op, memref, indices);
  if (failed(place))
    return failure();
  auto vector = dyn_cast<VectorType>(element);
  int64_t bytes = getElementBytes(type.getElementType()) * (vector ? vector.getNumElements() : 1);
  Value write = LLVM::ConstantOp::create(builder, location, builder.getI32IntegerAttr(isWrite));
  call(EmulatorCall::Access, {(*place)[0], word(bytes), (*place)[1], (*place)[2], write, text(op)});
  return success();
}

/// The same of several elements, and where that says what it begins at a multiple of, to the device's memory.
LogicalResult EmulatorLowering::lowerAccess(Operation *op, Value memref, ValueRange indices,
                                            VectorType vector, std::optional<uint64_t> alignment,
                                            bool isWrite) {
  if (cta::isShared(cast<MemRefType>(memref.getType())) || !alignment)
    return lowerAccess(op, memref, indices, Type(vector), isWrite);
  Value address = nvgpu::addressOf(builder, location, memref, indices.front());
  address = LLVM::IntToPtrOp::create(builder, location, pointer, address);
  call(EmulatorCall::WideAccess, {address, word(int64_t(*alignment)), text(op)});
  return success();
}

LogicalResult EmulatorLowering::lowerCopy(cta::CopyOp op) {
  FailureOr<SmallVector<Value>> place = placeIn(op, op.getTo(), op.getPlace());
  if (failed(place))
    return failure();
  Value from = nvgpu::addressOf(builder, location, op.getFrom(), op.getAt());
  Value none = word(0);
  from = arith::SelectOp::create(builder, location, op.getIsThere(), from, none);
  from = LLVM::IntToPtrOp::create(builder, location, pointer, from);
  call(EmulatorCall::Copy, {from, (*place)[0], (*place)[1], (*place)[2], text(op)});
  op.erase();
  return success();
}

LogicalResult EmulatorLowering::lowerLoadMatrices(cta::LoadMatricesOp op) {
  FailureOr<SmallVector<Value>> place = placeIn(op, op.getFrom(), op.getAt());
  if (failed(place))
    return failure();
  Value words = roomOnStack(op.getType());
  Value isTransposed =
      LLVM::ConstantOp::create(builder, location, builder.getI32IntegerAttr(op.getTransposed()));
  call(EmulatorCall::LoadMatrices, {(*place)[0], (*place)[1], (*place)[2], isTransposed, words, text(op)});
  op.replaceAllUsesWith(LLVM::LoadOp::create(builder, location, op.getType(), words).getResult());
  op.erase();
  return success();
}

LogicalResult EmulatorLowering::lower(Operation *op) {
  location = op->getLoc();
  builder.setInsertionPoint(op);
  if (nvgpu::isHopper(op))
    return lowerHopper(op);
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  };
  auto callAndErase = [&](EmulatorCall which, ValueRange operands) {
    call(which, operands);
    op->erase();
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](cta::ThreadIdOp) { return replace(index(ThreadField::Thread)); })
      .Case([&](cta::BlockIdOp) { return replace(index(ThreadField::Block)); })
      .Case([&](cta::BarrierOp) { return callAndErase(EmulatorCall::Barrier, text(op)); })
      .Case([&](cta::WarpBarrierOp) { return callAndErase(EmulatorCall::WarpBarrier, text(op)); })
      .Case([&](cta::FailOp fail) {
        return callAndErase(EmulatorCall::Fail, {fail.getValue(), fail.getBound()});
      })
      .Case([&](cta::ShuffleOp shuffle) {
        lowerShuffle(shuffle);
        return success();
      })
      .Case([&](cta::MmaOp mma) {
        lowerMma(mma);
        return success();
      })
      .Case([&](cta::Dot4Op dot) { return replace(dot4(dot)); })
      .Case([&](cta::PackOp pair) { return replace(pack(pair)); })
      .Case([&](cta::CopyOp copy) { return lowerCopy(copy); })
      .Case([&](cta::CommitCopiesOp) { return callAndErase(EmulatorCall::CommitCopies, {}); })
      .Case([&](cta::WaitCopiesOp wait) {
        return callAndErase(EmulatorCall::WaitCopies, word(int64_t(wait.getPending())));
      })
      .Case([&](cta::LoadMatricesOp load) { return lowerLoadMatrices(load); })
      .Case([&](cta::Exp2Op exp2) {
        return replace(call(EmulatorCall::Exp2, exp2.getExponent(), exp2.getType()));
      })
      .Case([&](cta::ReturnOp) {
        func::ReturnOp::create(builder, location);
        op->erase();
        return success();
      })
      .Default([&](Operation *other) { return lowerMemory(other); });
}

/// Accesses to memory that is shared are reported.
LogicalResult EmulatorLowering::lowerMemory(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::LoadOp load) {
        return lowerAccess(op, load.getMemref(), load.getIndices(), load.getType(), /*isWrite=*/false);
      })
      .Case([&](memref::StoreOp store) {
        return lowerAccess(op, store.getMemref(), store.getIndices(), store.getValue().getType(),
                           /*isWrite=*/true);
      })
      .Case([&](vector::LoadOp load) {
        return lowerAccess(op, load.getBase(), load.getIndices(), load.getVectorType(), load.getAlignment(),
                           /*isWrite=*/false);
      })
      .Case([&](vector::StoreOp store) {
        return lowerAccess(op, store.getBase(), store.getIndices(), store.getVectorType(),
                           store.getAlignment(), /*isWrite=*/true);
      })
      .Default([](Operation *) { return success(); });
}

LogicalResult EmulatorLowering::run() {
  SmallVector<cta::SharedOp> shared;
  SmallVector<int64_t> offsets = kernel.getSharedOffsets();
  kernel.walk([&](cta::SharedOp op) {
    sharedOffsets[op] = offsets[shared.size()];
    shared.push_back(op);
  });
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  ops.pop_back(); // the kernel itself
  makeFunction();
  for (Operation *op : ops)
    if (!isa<cta::SharedOp>(op) && failed(lower(op)))
      return failure();
  nvgpu::takeNumbersForSums(*thread.getParentRegion());
  for (auto [op, offset] : llvm::zip(shared, offsets)) {
    location = op.getLoc();
    builder.setInsertionPoint(op);
    lowerShared(op, offset);
  }
  kernel.erase();
  return success();
}

/// A kernel that has become a function, as a pointer.
static void lowerAddress(cta::AddressOp op) {
  OpBuilder builder(op);
  auto type = builder.getFunctionType({op.getType(), op.getType()}, {});
  Value function = func::ConstantOp::create(builder, op.getLoc(), type, op.getKernel());
  op.replaceAllUsesWith(
      UnrealizedConversionCastOp::create(builder, op.getLoc(), op.getType(), function).getResult(0));
  op.erase();
}

namespace {
struct LowerCtaToEmulator : nvgpu::impl::LowerCtaToEmulatorBase<LowerCtaToEmulator> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    unsigned texts = 0;
    for (cta::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<cta::KernelOp>()))
      if (failed(EmulatorLowering(kernel, symbols, texts).run()))
        return signalPassFailure();
    getOperation().walk([](cta::AddressOp op) { lowerAddress(op); });
  }
};

} // namespace
