// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels in memory: emitted, lowered to LLVM, compiled, called.
#include "test/compiler/Target/CPU/KernelRunner.h"
#include "compiler/Target/CPU/Emit/Kernels.h"
#include "compiler/Target/CPU/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace weft::test;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

GuardedMemory::GuardedMemory(size_t bytes) {
  size_t page = sysconf(_SC_PAGESIZE), used = (bytes + page - 1) / page * page;
  pageBytes = used + page;
  pages = mmap(nullptr, pageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(static_cast<char *>(pages) + used, page, PROT_NONE);
  first = static_cast<char *>(pages) + used - bytes;
}

GuardedMemory::~GuardedMemory() { munmap(pages, pageBytes); }

int64_t ArrayBase::count() const {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

std::vector<int64_t> ArrayBase::descriptor() const {
  int64_t address = reinterpret_cast<int64_t>(begin());
  std::vector<int64_t> words{address, address, 0};
  words.insert(words.end(), shape.begin(), shape.end());
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  words.insert(words.end(), strides.begin(), strides.end());
  return words;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static constexpr const char *kFailFunction = "test_fail";
static KernelRunner *running = nullptr; // generated code has no other way to reach its runner

static void recordFailure(int64_t value, int64_t bound) { running->failures.push_back({value, bound}); }

/// Where tiles that can be cut are cut, in pieces.
static constexpr int64_t kCuts[] = {0, 3, 4, weft::cpu::kPieces};

/// Calls the kernel for a tile, or one after another for parts of it.
static void callKernel(OpBuilder &builder, func::FuncOp kernel, SmallVector<Value> arguments) {
  Location location = kernel.getLoc();
  if (!kernel->hasAttr(weft::names::kPieces)) {
    func::CallOp::create(builder, location, kernel, arguments);
    return;
  }
  for (size_t i = 1; i < std::size(kCuts); ++i) {
    SmallVector<Value> all = arguments;
    for (int64_t piece : {kCuts[i - 1], kCuts[i]})
      all.push_back(arith::ConstantIndexOp::create(builder, location, piece));
    func::CallOp::create(builder, location, kernel, all);
  }
}

/// Adds @run, which calls the kernel for every tile, and makes weft.fail a call of the test.
static void addDriver(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location location = module.getLoc();
  auto kernel = *module.getOps<func::FuncOp>().begin();
  auto fail = func::FuncOp::create(builder, location, kFailFunction,
                                   builder.getFunctionType({builder.getI64Type(), builder.getI64Type()}, {}));
  fail.setPrivate();
  module.walk([&](weft::FailOp op) {
    OpBuilder at(op);
    func::CallOp::create(at, op.getLoc(), fail, op->getOperands());
    op.erase();
  });
  ArrayRef<Type> types = kernel.getArgumentTypes();
  auto runType = builder.getFunctionType(types.drop_back(kernel->hasAttr(weft::names::kPieces) ? 2 : 0), {});
  auto run = func::FuncOp::create(builder, location, "run", runType);
  run->setAttr("llvm.emit_c_interface", builder.getUnitAttr());
  Block *entry = run.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  Value one = arith::ConstantIndexOp::create(builder, location, 1);
  scf::ForOp::create(builder, location, zero, entry->getArgument(0), one, ValueRange(),
                     [&](OpBuilder &body, Location, Value tile, ValueRange) {
                       SmallVector<Value> arguments(entry->getArguments());
                       arguments.front() = tile;
                       callKernel(body, kernel, arguments);
                       scf::YieldOp::create(body, location);
                     });
  func::ReturnOp::create(builder, location);
}

static LogicalResult lowerToLLVM(ModuleOp module, int64_t vectorBits) {
  PassManager emit(module.getContext());
  emit.addPass(weft::cpu::createEmitKernels({vectorBits}));
  if (failed(emit.run(module)))
    return failure();
  addDriver(module);
  PassManager lower(module.getContext());
  lower.addPass(createCanonicalizerPass());
  lower.addPass(createCSEPass());
  lower.addPass(weft::cpu::createApproximateMath({vectorBits == 512}));
  lower.addPass(createLoopInvariantCodeMotionPass());
  lower.addPass(createSCFToControlFlowPass());
  lower.addPass(memref::createExpandStridedMetadataPass());
  lower.addPass(createLowerAffinePass());
  lower.addPass(weft::cpu::createExpandBF16());
  lower.addPass(createConvertVectorToLLVMPass());
  lower.addPass(createFinalizeMemRefToLLVMConversionPass());
  lower.addPass(createArithToLLVMConversionPass());
  lower.addPass(createConvertMathToLLVMPass());
  lower.addPass(createConvertFuncToLLVMPass());
  lower.addPass(createConvertControlFlowToLLVMPass());
  lower.addPass(createUBToLLVMConversionPass());
  lower.addPass(createReconcileUnrealizedCastsPass());
  return lower.run(module);
}

static std::unique_ptr<llvm::TargetMachine> getMachine(int64_t vectorBits) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(llvm::sys::getProcessTriple())};
  builder.setCPU(vectorBits == 512 ? "x86-64-v4" : "x86-64-v3");
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  return llvm::cantFail(builder.createTargetMachine());
}

KernelRunner::~KernelRunner() = default;

KernelRunner::KernelRunner() {
  DialectRegistry registry;
  registry.insert<weft::WeftDialect, arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect,
                  LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context = std::make_unique<MLIRContext>(registry);
}

std::unique_ptr<KernelRunner> KernelRunner::compile(const std::string &kernel, int64_t vectorBits) {
  std::unique_ptr<KernelRunner> runner(new KernelRunner);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kernel, runner->context.get());
  if (!module || failed(lowerToLLVM(*module, vectorBits)))
    return nullptr;
  std::unique_ptr<llvm::TargetMachine> machine = getMachine(vectorBits);
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0, machine.get());
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  options.enableObjectDump = true;
  auto engine = ExecutionEngine::create(*module, options, getMachine(vectorBits));
  if (!engine) {
    llvm::errs() << llvm::toString(engine.takeError()) << "\n";
    return nullptr;
  }
  runner->engine = std::move(*engine);
  runner->engine->registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols;
    symbols[interner(kFailFunction)] = {llvm::orc::ExecutorAddr::fromPtr(&recordFailure),
                                        llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  return runner;
}

void KernelRunner::run(int64_t grid, const std::vector<const ArrayBase *> &arrays) {
  running = this;
  std::vector<std::vector<int64_t>> descriptors;
  for (const ArrayBase *array : arrays)
    descriptors.push_back(array->descriptor());
  std::vector<void *> pointers;
  for (std::vector<int64_t> &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  SmallVector<void *> arguments{&grid};
  for (void *&pointer : pointers)
    arguments.push_back(&pointer);
  llvm::cantFail(engine->invokePacked("_mlir_ciface_run", arguments));
}

bool weft::test::canRun(int64_t vectorBits) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return vectorBits == 512
             ? features.lookup("avx512vl") && features.lookup("avx512bw") && features.lookup("avx512dq")
             : features.lookup("avx2") && features.lookup("fma");
}
