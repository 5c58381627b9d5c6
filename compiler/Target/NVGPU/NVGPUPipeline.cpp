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
static void addKernels(OpPassManager &pm) {
  pm.addPass(nvgpu::createEmitCtaKernels());
  pm.addNestedPass<cta::KernelOp>(nvgpu::createDistributeLanes());
  // The same polynomials as on CPUs.
  cpu::ApproximateMathOptions math;
  math.avx512 = false;
  pm.addPass(cpu::createApproximateMath(math));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
}

void weft::buildEmulatorPipeline(OpPassManager &pm, const Machine &machine) {
  addKernels(pm);
  // Launches ask kernels for their threads and tiles, so they come before those are functions.
  nvgpu::LowerStepsToLaunchesOptions launches;
  launches.machine = machine.name.str();
  pm.addPass(nvgpu::createLowerStepsToLaunches(launches));
  pm.addPass(nvgpu::createLowerCtaToEmulator());
  addLoweringToLLVM(pm, machine.isX86());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(cpu::createVerifyTarget());
}

namespace {
struct EmulatorPipelineOptions : PassPipelineOptions<EmulatorPipelineOptions> {
  Option<std::string> machine{*this, "machine", llvm::cl::desc("The machine that the emulator runs on"),
                              llvm::cl::init("x86-64-v3")};
};
} // namespace

void weft::registerNVGPUPasses() {
  nvgpu::registerNVGPUPasses();
  PassPipelineRegistration<EmulatorPipelineOptions>(
      "weft-emulator", "Buffer level to target level, for the emulator of GPUs",
      [](OpPassManager &pm, const EmulatorPipelineOptions &options) {
        if (std::optional<Machine> machine = findMachine(options.machine))
          buildEmulatorPipeline(pm, *machine);
        else
          llvm::errs() << "error: no machine '" << options.machine << "'; there are: " << listMachines() << "\n";
      });
}
