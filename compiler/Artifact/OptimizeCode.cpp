// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which passes, in which order.
#include "compiler/Artifact/OptimizeCode.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"

/// The one lane that a masked store of integers shorter than 32 bits writes, if that is known.
static std::optional<unsigned> findSingleLane(llvm::IntrinsicInst &store) {
  auto *mask = llvm::dyn_cast<llvm::Constant>(store.getArgOperand(store.arg_size() - 1));
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(store.getArgOperand(0)->getType());
  if (!mask || !type || !type->getElementType()->isIntegerTy() || type->getScalarSizeInBits() >= 32)
    return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    llvm::Constant *isWritten = mask->getAggregateElement(i);
    if (!isWritten || (!isWritten->isNullValue() && lane))
      return std::nullopt;
    if (!isWritten->isNullValue())
      lane = i;
  }
  return lane;
}

/// Masked stores of one lane as stores of an element. LLVM 22 stores the 32 bits of what was truncated to it
/// (X86ISelLowering, reduceMaskedStoreToScalarStore), over what lies behind.
static void storeSingleLanes(llvm::Function &function) {
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
      auto *store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store)
        continue;
      std::optional<unsigned> lane = findSingleLane(*store);
      if (!lane)
        continue;
      llvm::IRBuilder<> builder(store);
      llvm::Value *element = builder.CreateExtractElement(store->getArgOperand(0), *lane);
      llvm::Value *place = builder.CreateConstGEP1_32(element->getType(), store->getArgOperand(1), *lane);
      builder.CreateAlignedStore(element, place, llvm::Align(1));
      store->eraseFromParent();
    }
}

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
  for (llvm::Function &function : module)
    storeSingleLanes(function);
}
