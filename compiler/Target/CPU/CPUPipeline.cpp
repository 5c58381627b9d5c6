// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU target's passes in order, and why in this order.
#include "compiler/Target/CPU/CPUPipeline.h"
#include "compiler/Target/CPU/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace weft;

void weft::addLoweringToLLVM(OpPassManager &pm, bool isX86, bool convertsBF16) {
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass()); // the pass above makes affine.apply
  cpu::ExpandBF16Options bf16;
  bf16.fromF32 = !convertsBF16;
  pm.addPass(cpu::createExpandBF16(bf16));
  pm.addPass(arith::createArithExpandOpsPass()); // floordiv, ceildiv
  ConvertVectorToLLVMPassOptions vector;
  vector.x86Vector = isX86;
  pm.addPass(createConvertVectorToLLVMPass(vector));
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass()); // the padding of vector transfers is ub.poison
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void weft::buildCPUPipeline(OpPassManager &pm, const Machine &machine) {
  cpu::EmitKernelsOptions emit;
  emit.vectorBits = machine.vectorBits;
  emit.vnni = machine.hasVNNI();
  emit.bf16 = machine.hasBF16();
  emit.amx = machine.hasAMX();
  emit.dotprod = machine.hasDotProducts();
  pm.addPass(cpu::createEmitKernels(emit));
  cpu::ApproximateMathOptions math;
  math.avx512 = machine.hasAVX512();
  pm.addPass(cpu::createApproximateMath(math));
  // Kernels are code now; what they share is computed once, outside their loops.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  cpu::LowerStepsOptions steps;
  steps.machine = machine.name.str();
  pm.addPass(cpu::createLowerSteps(steps));
  addLoweringToLLVM(pm, machine.isX86());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(cpu::createVerifyTarget());
}

namespace {
struct CPUPipelineOptions : PassPipelineOptions<CPUPipelineOptions> {
  Option<std::string> machine{*this, "machine", llvm::cl::desc("The machine to make code for"),
                              llvm::cl::init("x86-64-v3")};
};
} // namespace

void weft::registerCPUPasses() {
  cpu::registerCPUPasses();
  PassPipelineRegistration<CPUPipelineOptions>("weft-cpu", "Buffer level to target level, for CPUs",
                                               [](OpPassManager &pm, const CPUPipelineOptions &options) {
                                                 if (std::optional<Machine> machine =
                                                         findMachine(options.machine))
                                                   buildCPUPipeline(pm, *machine);
                                                 else
                                                   llvm::errs() << "error: no machine '" << options.machine
                                                                << "'; there are: " << listMachines() << "\n";
                                               });
}
