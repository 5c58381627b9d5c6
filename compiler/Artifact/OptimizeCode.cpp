// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which passes, in which order.
#include "compiler/Artifact/OptimizeCode.h"
#include "llvm/Passes/PassBuilder.h"

void weft::optimizeCode(llvm::Module &module, llvm::TargetMachine &target) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  // A fixed pipeline text of ours; it always parses.
  llvm::cantFail(builder.parsePassPipeline(
      passes,
      "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,dce)"));
  passes.run(module, modules);
}
