// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of levels: the one place that knows their order.
#ifndef WEFT_COMPILER_DRIVER_LEVELS_H
#define WEFT_COMPILER_DRIVER_LEVELS_H

#include "compiler/Driver/Options.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"

namespace weft {

struct LevelInfo {
  Level level;
  llvm::StringRef name;     ///< of the folder, the pipeline, --from and --to, the tests
  llvm::StringRef sentence; ///< what the IR is
  /// Adds the passes that make this level from the one before it; null for the first. Only those of the last
  /// ask for the one machine that code is for.
  void (*build)(mlir::OpPassManager &pm, const CompileOptions &options, const Machine &machine);
  /// The pass that checks that a module is of this level; null for the first.
  std::unique_ptr<mlir::Pass> (*createVerifier)();
};

/// All levels, in order.
llvm::ArrayRef<LevelInfo> getLevels();
/// The level of that name, if there is one.
const LevelInfo *findLevel(llvm::StringRef name);
/// Whose schedules a model is compiled with: those of GPUs, the newest first, or of the CPU if that is one.
std::vector<std::string> getScheduledMachines(const CompileOptions &options);
/// "import, graph, ...".
std::string listLevels();

} // namespace weft

#endif // WEFT_COMPILER_DRIVER_LEVELS_H
