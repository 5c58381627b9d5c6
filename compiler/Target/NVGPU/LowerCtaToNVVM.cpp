// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-cta-to-nvvm: kernels as functions of the nvvm dialect.
#include "compiler/Target/EntryBuilder.h"
#include "compiler/Target/NVGPU/HopperToNVVM.h"
#include "compiler/Target/NVGPU/KernelWords.h"
#include "compiler/Target/NVGPU/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace weft::nvgpu {
#define GEN_PASS_DEF_LOWERCTATONVVM
#include "compiler/Target/NVGPU/Passes.h.inc"
} // namespace weft::nvgpu

using namespace mlir;
using namespace weft;

namespace {

/// Places among a launch's words (WeftGpuWord).
enum LaunchWord { kFailureWord, kStepWord, kFirstArgumentWord };
/// The device's memory, in which buffers lie.
constexpr unsigned kGlobalSpace = 1;
constexpr StringLiteral kSharedSymbol = "weft_shared";

class KernelLowering {
public:
  KernelLowering(cta::KernelOp kernel, ModuleOp device)
      : kernel(kernel), device(device), builder(kernel.getContext()), location(kernel.getLoc()) {}

  void run();

private:
  LLVM::LLVMFuncOp makeFunction();
  Value readWord(int64_t number, Type type);
  void unpackArguments(Block &entry);
  void lower(Operation *op);
  void lowerShared(cta::SharedOp op, int64_t offset);
  void lowerFail(cta::FailOp op);
  Value shuffle(cta::ShuffleOp op);
  Value multiply(cta::MmaOp op);
  Value roundToTF32(Value word);
  Value pack(cta::PackOp op);
  void lowerCopy(cta::CopyOp op);
  Value loadMatrices(cta::LoadMatricesOp op);
  Value fromStruct(Value fields, Type vector);
  Value shuffleBits(Value bits, Value lane, NVVM::ShflKind kind);
  Value constant(int64_t value, Type type) {
    return LLVM::ConstantOp::create(builder, location, builder.getIntegerAttr(type, value));
  }
  Value intrinsic(StringRef name, Type result, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(builder, location, result, builder.getStringAttr(name), operands)
        .getResult(0);
  }
  Value asIndex(Value number) {
    return arith::IndexCastUIOp::create(builder, location, builder.getIndexType(), number);
  }
  LLVM::LLVMPointerType pointer(unsigned space) {
    return LLVM::LLVMPointerType::get(builder.getContext(), space);
  }

  cta::KernelOp kernel;
  ModuleOp device;
  OpBuilder builder;
  Location location;
  Value words; ///< the launch's (WeftGpuWord), in the device's memory
  Value maps;  ///< where its tensor maps are, behind the words
};

Value KernelLowering::readWord(int64_t number, Type type) {
  Value address = LLVM::GEPOp::create(builder, location, words.getType(), builder.getI64Type(), words,
                                      ArrayRef<LLVM::GEPArg>{int32_t(number)});
  auto load = LLVM::LoadOp::create(builder, location, type, address);
  load.setInvariant(true); // by a kernel: it comes through the cache for what is only read
  return load;
}

/// The kernel's body in a function whose argument is the address of the words.
LLVM::LLVMFuncOp KernelLowering::makeFunction() {
  builder.setInsertionPointToEnd(device.getBody());
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), {pointer(kGlobalSpace)});
  auto function = LLVM::LLVMFuncOp::create(builder, location, kernel.getSymName(), type);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({int32_t(kernel.getThreads())}));
  // Left to itself ptxas spills, to have more blocks on a processor.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(int32_t(kernel.getBlocksAtOnce())));
  if (auto blocks = kernel.getCluster())
    function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                      builder.getDenseI32ArrayAttr({int32_t(*blocks)}));
  if (kernel.getGpu())
    function->setAttr(names::kGPU, kernel.getGpuAttr());
  if (kernel.getHopper())
    function->setAttr(names::kHopper, kernel.getHopperAttr());
  function.getBody().takeBody(kernel.getBody());
  unpackArguments(function.getBody().front());
  return function;
}

/// Makes of the arguments what the words say.
void KernelLowering::unpackArguments(Block &entry) {
  unsigned count = entry.getNumArguments();
  words = entry.addArgument(pointer(kGlobalSpace), location);
  builder.setInsertionPointToStart(&entry);
  int64_t number = kFirstArgumentWord;
  Value tiles;
  for (BlockArgument argument : entry.getArguments().take_front(count)) {
    SmallVector<Value> mine;
    for (int64_t i = 0; i < nvgpu::countWords(argument.getType()); ++i) {
      bool isAddress = i == 0 && isa<MemRefType>(argument.getType());
      mine.push_back(readWord(number++, isAddress ? Type(pointer(kGlobalSpace)) : builder.getI64Type()));
    }
    Value value = nvgpu::unpackWords(builder, location, argument.getType(), mine);
    if (!tiles) // the first
      tiles = value;
    argument.replaceAllUsesWith(value);
  }
  maps = LLVM::PtrToIntOp::create(builder, location, builder.getI64Type(), words);
  int64_t bytes = llvm::alignTo(number, nvgpu::kMapWords) * sizeof(int64_t);
  maps = arith::AddIOp::create(builder, location, maps, constant(bytes, builder.getI64Type()));
  entry.eraseArguments(0, count);
  Value block = asIndex(NVVM::BlockIdXOp::create(builder, location, builder.getI32Type()));
  nvgpu::leaveBehindLastTile(builder, location, block, tiles, kernel);
  LLVM::ReturnOp::create(builder, location, ValueRange());
}

/// A memref of the block's dynamic shared memory, `offset` bytes from where that begins.
void KernelLowering::lowerShared(cta::SharedOp op, int64_t offset) {
  auto type = cast<MemRefType>(op.getType());
  Type space = pointer(cta::CtaDialect::kShared);
  Value base = LLVM::AddressOfOp::create(builder, location, space, kSharedSymbol);
  Value address = LLVM::GEPOp::create(builder, location, space, builder.getI8Type(), base,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  SmallVector<Value> sizes = llvm::map_to_vector(
      type.getShape(), [&](int64_t size) { return constant(size, builder.getI64Type()); });
  op.replaceAllUsesWith(
      makeMemRef(builder, location, LLVMTypeConverter(builder.getContext()), type, address, sizes));
  op.erase();
}

/// The first to set the mark says what it found (WeftGpuFailure).
void KernelLowering::lowerFail(cta::FailOp op) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Value failure = readWord(kFailureWord, pointer(kGlobalSpace));
  Value zero = constant(0, i32), one = constant(1, i32);
  Value exchanged =
      LLVM::AtomicCmpXchgOp::create(builder, location, failure, zero, one, LLVM::AtomicOrdering::monotonic,
                                    LLVM::AtomicOrdering::monotonic);
  Value isFirst = LLVM::ExtractValueOp::create(builder, location, exchanged, ArrayRef<int64_t>{1});
  auto branch = scf::IfOp::create(builder, location, isFirst, /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  auto store = [&](Type unit, int32_t place, Value value) {
    Value address = LLVM::GEPOp::create(builder, location, failure.getType(), unit, failure,
                                        ArrayRef<LLVM::GEPArg>{place});
    LLVM::StoreOp::create(builder, location, value, address);
  };
  Value step = readWord(kStepWord, i64);
  store(i32, 1, arith::TruncIOp::create(builder, location, i32, step));
  store(i64, 1, op.getValue());
  store(i64, 2, op.getBound());
  op.erase();
}

Value KernelLowering::shuffleBits(Value bits, Value lane, NVVM::ShflKind kind) {
  constexpr int64_t kAll = -1, kLastLane = cta::CtaDialect::kWarpThreads - 1;
  Type i32 = builder.getI32Type();
  return NVVM::ShflOp::create(builder, location, i32, constant(kAll, i32), bits, lane,
                              constant(kLastLane, i32), kind, UnitAttr());
}

/// 32 bits at a time.
Value KernelLowering::shuffle(cta::ShuffleOp op) {
  NVVM::ShflKind kind = op.getKind() == cta::ShuffleKind::Xor ? NVVM::ShflKind::bfly : NVVM::ShflKind::idx;
  Type type = op.getType(), i32 = builder.getI32Type(), i64 = builder.getI64Type();
  constexpr int64_t kHalf = 32;
  Value word = nvgpu::packWords(builder, location, op.getValue()).front();
  Value low = shuffleBits(arith::TruncIOp::create(builder, location, i32, word), op.getLane(), kind);
  Value moved = arith::ExtUIOp::create(builder, location, i64, low);
  if (type.isIndex() || type.getIntOrFloatBitWidth() > kHalf) {
    Value half = constant(kHalf, i64), upper = arith::ShRUIOp::create(builder, location, word, half);
    Value high = shuffleBits(arith::TruncIOp::create(builder, location, i32, upper), op.getLane(), kind);
    Value shifted =
        arith::ShLIOp::create(builder, location, arith::ExtUIOp::create(builder, location, i64, high), half);
    moved = arith::OrIOp::create(builder, location, moved, shifted);
  }
  return nvgpu::unpackWords(builder, location, type, moved);
}

/// The bits of an f32 as those of its tf32.
Value KernelLowering::roundToTF32(Value word) {
  Value number = LLVM::BitcastOp::create(builder, location, builder.getF32Type(), word);
  return intrinsic("llvm.nvvm.f2tf32.rna", builder.getI32Type(), number);
}

/// mma.m16n8k16, of tf32 mma.m16n8k8, of bytes mma.m16n8k32. Words of bf16 and bytes are words there, those
/// of f16 vectors.
Value KernelLowering::multiply(cta::MmaOp op) {
  Type element = op.getElement(), sum = op.getResult().getType().getElementType();
  auto elementsOf = [&](Value vector) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < cast<VectorType>(vector.getType()).getDimSize(0); ++i)
      elements.push_back(vector::ExtractOp::create(builder, location, vector, i));
    return elements;
  };
  auto wordsOf = [&](Value vector) {
    SmallVector<Value> words = elementsOf(vector);
    for (Value &word : words)
      if (element.isF16())
        word = LLVM::BitcastOp::create(builder, location, VectorType::get({2}, element), word);
      else if (element.isTF32())
        word = roundToTF32(word);
    return words;
  };
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), {sum, sum, sum, sum});
  auto build = [&](int64_t depth, NVVM::MMATypes left, NVVM::MMATypes right,
                   std::optional<NVVM::MMAIntOverflow> overflow) -> Value {
    return NVVM::MmaOp::create(builder, location, type, wordsOf(op.getA()), wordsOf(op.getB()),
                               elementsOf(op.getC()), ArrayRef<int64_t>{16, 8, depth}, std::nullopt, overflow,
                               std::array{left, right},
                               std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  };
  if (element.isInteger(8))
    return fromStruct(build(32, NVVM::MMATypes::u8, NVVM::MMATypes::s8, NVVM::MMAIntOverflow::wrapped),
                      op.getType());
  if (element.isTF32())
    return fromStruct(build(8, NVVM::MMATypes::tf32, NVVM::MMATypes::tf32, std::nullopt), op.getType());
  NVVM::MMATypes kind = element.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  return fromStruct(build(16, kind, kind, std::nullopt), op.getType());
}

/// The instruction's first operand becomes the upper half.
Value KernelLowering::pack(cta::PackOp op) {
  StringRef name = op.getElement().isBF16() ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn";
  Value pair = intrinsic(name, VectorType::get({2}, op.getElement()), {op.getHigh(), op.getLow()});
  return LLVM::BitcastOp::create(builder, location, op.getType(), pair);
}

void KernelLowering::lowerCopy(cta::CopyOp op) {
  constexpr int32_t kBytes = 16;
  Value from = nvgpu::addressOf(builder, location, op.getFrom(), op.getAt());
  from = LLVM::IntToPtrOp::create(builder, location, pointer(kGlobalSpace), from);
  Value to = nvgpu::addressOf(builder, location, op.getTo(), op.getPlace());
  to = LLVM::IntToPtrOp::create(builder, location, pointer(cta::CtaDialect::kShared), to);
  // What is not there has no bytes, and zeros are written.
  Type i32 = builder.getI32Type();
  Value bytes =
      arith::SelectOp::create(builder, location, op.getIsThere(), constant(kBytes, i32), constant(0, i32));
  NVVM::CpAsyncOp::create(builder, location, to, from, kBytes, NVVM::LoadCacheModifierKind::CG, bytes);
  op.erase();
}

Value KernelLowering::loadMatrices(cta::LoadMatricesOp op) {
  Value from = nvgpu::addressOf(builder, location, op.getFrom(), op.getAt());
  from = LLVM::IntToPtrOp::create(builder, location, pointer(cta::CtaDialect::kShared), from);
  Type i32 = builder.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i32, i32, i32, i32});
  MLIRContext *context = builder.getContext();
  auto layout = op.getTransposed() ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  Value words =
      NVVM::LdMatrixOp::create(builder, location, type, from, /*num=*/4, layout,
                               NVVM::LdStMatrixShapeAttr::get(context, 8, 8), NVVM::LdStMatrixEltType::B16);
  return fromStruct(words, op.getType());
}

/// The fields of a struct as a vector.
Value KernelLowering::fromStruct(Value fields, Type vector) {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < cast<VectorType>(vector).getDimSize(0); ++i)
    elements.push_back(LLVM::ExtractValueOp::create(builder, location, fields, ArrayRef<int64_t>{i}));
  return vector::FromElementsOp::create(builder, location, vector, elements);
}

void KernelLowering::lower(Operation *op) {
  location = op->getLoc();
  builder.setInsertionPoint(op);
  Type i32 = builder.getI32Type();
  auto replace = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](cta::ThreadIdOp) { replace(asIndex(NVVM::ThreadIdXOp::create(builder, location, i32))); })
      .Case([&](cta::BlockIdOp) { replace(asIndex(NVVM::BlockIdXOp::create(builder, location, i32))); })
      .Case([&](cta::ShuffleOp shuffled) { replace(shuffle(shuffled)); })
      .Case([&](cta::MmaOp mma) { replace(multiply(mma)); })
      .Case([&](cta::Dot4Op dot) { replace(intrinsic("llvm.nvvm.idp4a.u.s", i32, dot->getOperands())); })
      .Case([&](cta::FailOp fail) { lowerFail(fail); })
      .Case([&](cta::Exp2Op exp2) {
        replace(intrinsic("llvm.nvvm.ex2.approx.ftz.f", exp2.getType(), exp2.getExponent()));
      })
      .Case([&](cta::PackOp pair) { replace(pack(pair)); })
      .Case([&](cta::LoadMatricesOp load) { replace(loadMatrices(load)); })
      .Case([&](cta::CopyOp copy) { lowerCopy(copy); })
      .Case([&](cta::CommitCopiesOp) {
        NVVM::CpAsyncCommitGroupOp::create(builder, location);
        op->erase();
      })
      .Case([&](cta::WaitCopiesOp wait) {
        NVVM::CpAsyncWaitGroupOp::create(builder, location, int32_t(wait.getPending()));
        op->erase();
      })
      .Case([&](cta::BarrierOp) {
        NVVM::Barrier0Op::create(builder, location);
        op->erase();
      })
      .Case([&](cta::WarpBarrierOp) {
        NVVM::SyncWarpOp::create(builder, location, constant(-1, i32));
        op->erase();
      })
      .Case([&](cta::ReturnOp) {
        LLVM::ReturnOp::create(builder, location, ValueRange());
        op->erase();
      });
}

void KernelLowering::run() {
  SmallVector<int64_t> offsets = kernel.getSharedOffsets();
  LLVM::LLVMFuncOp function = makeFunction();
  nvgpu::lowerHopper(function.getBody(), maps, kernel.getClusterBlocks());
  SmallVector<cta::SharedOp> shared;
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (auto memory = dyn_cast<cta::SharedOp>(op))
      shared.push_back(memory);
    else if (isa<cta::CtaDialect>(op->getDialect()))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    lower(op);
  for (auto [op, offset] : llvm::zip(shared, offsets)) {
    location = op.getLoc();
    builder.setInsertionPoint(op);
    lowerShared(op, offset);
  }
  kernel.erase();
}

struct LowerCtaToNVVM : nvgpu::impl::LowerCtaToNVVMBase<LowerCtaToNVVM> {
  void runOnOperation() override {
    getOperation().walk([](cta::AddressOp op) { // a device finds kernels by their names
      OpBuilder builder(op);
      op.replaceAllUsesWith(LLVM::ZeroOp::create(builder, op.getLoc(), op.getType()).getResult());
      op.erase();
    });
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    Location location = getOperation().getLoc();
    auto device = ModuleOp::create(builder, location, StringRef("device"));
    builder.setInsertionPointToEnd(device.getBody());
    constexpr uint64_t kAlignment = 1024; // of what TMA writes with its widest swizzle
    LLVM::GlobalOp::create(builder, location, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, kSharedSymbol, Attribute(),
                           kAlignment, cta::CtaDialect::kShared);
    for (cta::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<cta::KernelOp>()))
      KernelLowering(kernel, device).run();
  }
};

} // namespace
