// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what products are computed in.
#include "compiler/Driver/MachineChoice.h"
#include "compiler/Target/CPU/Emit/RowFormat.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

/// What a module's products are computed in, as isUsed names it.
static llvm::SetVector<StringRef> precisionsOf(ModuleOp module) {
  llvm::SetVector<StringRef> precisions;
  precisions.insert("f32");
  module.walk([&](GemmTileOp op) {
    cpu::RowFormat format = cpu::formatOf(op);
    if (cpu::isOfBytes(format))
      precisions.insert("i8");
    if (format == cpu::RowFormat::Pairs)
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
