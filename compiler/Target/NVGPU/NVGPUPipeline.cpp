// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer level to target level, for NVIDIA GPUs and their emulator: the order, and why.
#include "compiler/Target/NVGPU/NVGPUPipeline.h"
#include "compiler/Target/CPU/CPUPipeline.h"
#include "compiler/Target/CPU/Passes.h"
#include "compiler/Target/NVGPU/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace weft;

/// Down to kernels whose operations are those of the cta dialect, and of scalars.
static void addKernels(OpPassManager &pm, StringRef gpus) {
  nvgpu::EmitCtaKernelsOptions kernels;
  kernels.gpus = gpus.str();
  pm.addPass(nvgpu::createEmitCtaKernels(kernels));
  pm.addNestedPass<cta::KernelOp>(nvgpu::createDistributeLanes());
}

/// What both lowerings begin with.
static void addScalarCode(OpPassManager &pm, const Machine &machine) {
  // The same polynomials as on CPUs.
  cpu::ApproximateMathOptions math;
  math.avx512 = false;
  pm.addPass(cpu::createApproximateMath(math));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  // Launches ask kernels for their threads and tiles, so they come before those are functions.
  nvgpu::LowerStepsToLaunchesOptions launches;
  launches.machine = machine.name.str();
  pm.addPass(nvgpu::createLowerStepsToLaunches(launches));
}

static void addDeviceCode(OpPassManager &pm, const Machine &machine) {
  addScalarCode(pm, machine);
  pm.addPass(nvgpu::createLowerCtaToNVVM());
  addLoweringToLLVM(pm.nest<ModuleOp>(), /*isX86=*/false, /*convertsBF16=*/true);
  addLoweringToLLVM(pm, machine.isX86());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(cpu::createVerifyTarget());
}

static void addEmulatorCode(OpPassManager &pm, const Machine &machine) {
  addScalarCode(pm, machine);
  pm.addPass(nvgpu::createLowerCtaToEmulator());
  addLoweringToLLVM(pm, machine.isX86());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(cpu::createVerifyTarget());
}

void weft::buildNVGPUPipeline(OpPassManager &pm, const Machine &machine, StringRef gpus) {
  addKernels(pm, gpus);
  addDeviceCode(pm, machine);
}

void weft::buildEmulatorPipeline(OpPassManager &pm, const Machine &machine, StringRef gpus) {
  addKernels(pm, gpus);
  addEmulatorCode(pm, machine);
}

namespace {
struct HostOptions : PassPipelineOptions<HostOptions> {
  Option<std::string> machine{*this, "machine", llvm::cl::desc("The CPU that launches kernels"),
                              llvm::cl::init("x86-64-v3")};
  Option<std::string> gpus{*this, "gpus", llvm::cl::desc("What kernels are for: sm_80, sm_90a or all"),
                           llvm::cl::init("sm_80")};
};
} // namespace

using BuildPipeline = void (*)(OpPassManager &, const Machine &, StringRef);

static void registerPipeline(StringRef name, StringRef text, BuildPipeline build) {
  PassPipelineRegistration<HostOptions>(name, text, [build](OpPassManager &pm, const HostOptions &options) {
    if (std::optional<Machine> machine = findMachine(options.machine))
      build(pm, *machine, options.gpus);
    else
      llvm::errs() << "error: no machine '" << options.machine << "'; there are: " << listMachines() << "\n";
  });
}

static void buildCtaToEmulator(OpPassManager &pm, const Machine &machine, StringRef) {
  addEmulatorCode(pm, machine);
}

void weft::registerNVGPUPasses() {
  nvgpu::registerNVGPUPasses();
  registerPipeline("weft-nvgpu", "Buffer level to target level, for GPUs", buildNVGPUPipeline);
  registerPipeline("weft-cta-to-emulator", "Kernels of the cta dialect to target level, for the emulator",
                   buildCtaToEmulator);
  registerPipeline("weft-emulator", "Buffer level to target level, for the emulator of GPUs",
                   buildEmulatorPipeline);
}
