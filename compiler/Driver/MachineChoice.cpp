// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what products are computed in.
#include "compiler/Driver/MachineChoice.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

/// What a module's products are computed in, as isUsed names it.
static llvm::SetVector<StringRef> precisionsOf(ModuleOp module) {
  llvm::SetVector<StringRef> precisions;
  precisions.insert("f32");
  module.walk([&](GemmTileOp op) {
    auto lhs = cast<MemRefType>(op.getLhs().getType()), rhs = cast<MemRefType>(op.getRhs().getType());
    bool areTogether = op.getPacked() && rhs.getRank() == 4; // several of the depth
    bool isFloat = cast<MemRefType>(op.getOut().getType()).getElementType().isF32();
    if (areTogether && isFloat && lhs.getElementType().isInteger(8))
      precisions.insert("i8");
    if (areTogether && lhs.getElementType().isInteger(16) && rhs.getElementType() == lhs.getElementType())
      precisions.insert("bf16");
  });
  return precisions;
}

std::vector<Machine> weft::chooseMachines(const CompileOptions &options, ModuleOp module) {
  if (options.isMachineGiven)
    return options.machines;
  if (options.target == Target::CUDA) // The host only launches: any will do.
    return {*llvm::find_if(getMachines(), [&](const Machine &machine) {
      return machine.isX86() == options.machines.front().isX86();
    })};
  llvm::SetVector<StringRef> precisions = precisionsOf(module);
  std::vector<Machine> machines;
  if (options.machines.size() == 1) {
    for (StringRef precision : precisions)
      if (Machine machine = leastFor(options.machines.front(), precision);
          machines.empty() || machine.level > machines.front().level)
        machines = {machine};
    return machines;
  }
  for (const Machine &machine : options.machines)
    if (llvm::any_of(precisions, [&](StringRef precision) { return isUsed(machine, precision); }))
      machines.push_back(machine);
  return machines;
}
