// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device's module to LLVM IR, and that to PTX.
#include "compiler/Artifact/EmitPTX.h"
#include "compiler/Artifact/OptimizeCode.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/TargetSelect.h"
#include <atomic>

using namespace mlir;
using namespace weft;

static constexpr StringLiteral kTriple = "nvptx64-nvidia-cuda";
/// The version of PTX: what drivers since CUDA 12.0 know, and for Hopper, whose tensor maps lie in memory,
/// since CUDA 12.3.
static StringRef featuresOf(const GPU &gpu) { return gpu.isHopper() ? "+ptx83" : "+ptx80"; }

ArrayRef<GPU> weft::getGPUs() {
  static const GPU gpus[] = {{"sm_80", WEFT_GPU_SM_80},
                             {"sm_86", WEFT_GPU_SM_86},
                             {"sm_89", WEFT_GPU_SM_89},
                             {"sm_90", WEFT_GPU_SM_90},
                             {"sm_90a", WEFT_GPU_SM_90A}};
  return gpus;
}

std::vector<GPU> weft::getDefaultGPUs() { return {getGPUs().front(), getGPUs().back()}; }

static std::unique_ptr<llvm::TargetMachine> createTargetMachine(const GPU &gpu, std::string &error) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple(kTriple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, gpu.name, featuresOf(gpu), llvm::TargetOptions(), std::nullopt,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// The module that holds kernels.
static ModuleOp findDevice(ModuleOp module) {
  auto nested = module.getOps<ModuleOp>();
  return nested.empty() ? ModuleOp() : *nested.begin();
}

/// Takes out what others run: kernels for sm_90a, or there those in whose place they are, and whose names
/// they have then.
static void keepKernelsFor(const GPU &gpu, ModuleOp device) {
  bool isHopper = gpu.isHopper();
  SymbolTable symbols(device);
  for (auto function : llvm::make_early_inc_range(device.getOps<LLVM::LLVMFuncOp>())) {
    bool isForHopper = function->hasAttr(names::kGPU), isReplaced = function->hasAttr(names::kHopper);
    if (isHopper && isReplaced) {
      auto other = function->getAttrOfType<FlatSymbolRefAttr>(names::kHopper);
      StringAttr name = function.getSymNameAttr();
      symbols.erase(function);
      symbols.lookup<LLVM::LLVMFuncOp>(other.getValue()).setSymNameAttr(name);
    } else if (!isHopper && isForHopper) {
      symbols.erase(function);
    }
  }
}

/// Programmatic dependent launch, of sm_90a: the blocks of a kernel get their places while the one before it
/// still runs, and wait there until it has ended. All threads wait, and before all else, also those that have
/// nothing to do: that a kernel has ended then means that those before it have.
static void beginEarly(ModuleOp device) {
  for (auto function : device.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    // Not nvvm.griddepcontrol, whose intrinsics say that they touch no memory: loads could move before it.
    LLVM::InlineAsmOp::create(builder, function.getLoc(), /*res=*/TypeRange(), /*operands=*/ValueRange(),
                              "griddepcontrol.launch_dependents; griddepcontrol.wait;", "~{memory}",
                              /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                              LLVM::AsmDialectAttr(), ArrayAttr());
  }
}

namespace {
/// Kernels for one GPU, in a context of their own: threads may work on several of these at once.
struct DeviceModule {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  std::unique_ptr<llvm::TargetMachine> target;

  LogicalResult translate(ModuleOp device, const GPU &gpu);
  /// False if LLVM cannot write PTX.
  bool emit(llvm::raw_pwrite_stream &out);
};
} // namespace

LogicalResult DeviceModule::translate(ModuleOp all, const GPU &gpu) {
  OwningOpRef<ModuleOp> device = all.clone();
  keepKernelsFor(gpu, *device);
  if (gpu.isHopper())
    beginEarly(*device);
  code = translateModuleToLLVMIR(*device, context, "weft");
  std::string error;
  target = createTargetMachine(gpu, error);
  if (!code || !target)
    return all.emitError("cannot translate the kernels to LLVM IR") << (error.empty() ? "" : ": ") << error;
  code->setTargetTriple(llvm::Triple(kTriple));
  code->setDataLayout(target->createDataLayout());
  for (llvm::Function &function : *code)
    function.addFnAttr(llvm::Attribute::NoUnwind);
  return success();
}

bool DeviceModule::emit(llvm::raw_pwrite_stream &out) {
  optimizeCode(*code, *target);
  llvm::legacy::PassManager passes;
  if (target->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return false;
  passes.run(*code);
  return true;
}

FailureOr<std::vector<SmallString<0>>> weft::emitPTX(ModuleOp module, ArrayRef<GPU> gpus) {
  ModuleOp device = findDevice(module);
  if (!device)
    return module.emitError("has no kernels for a GPU; it is compiled for a CPU");
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  std::vector<DeviceModule> modules(gpus.size());
  for (auto [gpu, made] : llvm::zip_equal(gpus, modules))
    if (failed(made.translate(device, gpu)))
      return failure();
  std::vector<SmallString<0>> texts(gpus.size());
  std::atomic<bool> areWritten = true;
  llvm::parallelFor(0, gpus.size(), [&](size_t i) {
    llvm::raw_svector_ostream stream(texts[i]);
    if (!modules[i].emit(stream))
      areWritten = false;
  });
  if (!areWritten)
    return module.emitError("LLVM cannot write PTX");
  return texts;
}
