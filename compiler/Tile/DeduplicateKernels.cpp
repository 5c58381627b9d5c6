// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-deduplicate-kernels: kernels that differ only in name become one.
#include "compiler/Tile/Passes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace weft::tile {
#define GEN_PASS_DEF_DEDUPLICATEKERNELS
#include "compiler/Tile/Passes.h.inc"
} // namespace weft::tile

using namespace mlir;
using namespace weft;

namespace {

/// Everything about a kernel but its name and locations, as text.
std::string describe(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kernel.getFunctionType() << kernel.getSchedule();
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope();
  for (Operation &op : kernel.getBody().front())
    op.print(stream, flags);
  return text;
}

struct DeduplicateKernels : tile::impl::DeduplicateKernelsBase<DeduplicateKernels> {
  void runOnOperation() override {
    llvm::StringMap<StringAttr> first;
    llvm::DenseMap<StringAttr, StringAttr> replacement;
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>())) {
      auto [known, isNew] = first.try_emplace(describe(kernel), kernel.getSymNameAttr());
      if (isNew)
        continue;
      replacement[kernel.getSymNameAttr()] = known->second;
      kernel.erase();
      ++removed;
    }
    getOperation().walk([&](StepOp step) {
      if (StringAttr kernel = replacement.lookup(step.getKernelAttr().getAttr()))
        step.setKernelAttr(FlatSymbolRefAttr::get(kernel));
    });
  }
};

} // namespace
