// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that one compilation may be told, as values.
#ifndef WEFT_COMPILER_DRIVER_OPTIONS_H
#define WEFT_COMPILER_DRIVER_OPTIONS_H

#include "compiler/Artifact/EmitPTX.h"
#include "compiler/Graph/GraphPipeline.h"
#include "compiler/Machine/Machine.h"
#include <functional>
#include <string>
#include <vector>

namespace weft {

/// The levels of IR, in order; Levels.cpp says what each is.
enum class Level { Import, Graph, Tile, Buffer, Target };

/// What steps run on: CPUs, NVIDIA GPUs, or the emulator of those.
enum class Target { CPU, CUDA, Emulator };

struct CompileOptions {
  Target target = Target::CPU;
  std::vector<GPU> gpus; ///< that kernels are made for, the least first, if `target` is not CPU
  std::string input;     ///< an ONNX model, or IR as .mlir
  std::string output;    ///< by its extension: none, .weft, .so, .o, .mlir, .ll, .s, .ptx; empty prints IR
  Level from = Level::Import; ///< the level that .mlir input is of
  Level to = Level::Target;   ///< the level to stop after, if `printsIR`
  bool printsIR = false;      ///< --to was given: the output is IR, not an artifact
  /// What code may be made for, the least demanding first. Several: code for each that the model gains from,
  /// from which the runtime picks. One: the least demanding whose code is as good, unless it was asked for.
  std::vector<Machine> machines;
  bool isMachineGiven = false; ///< --mcpu names it
  GraphOptions graph;
  std::string scheduleTable;               ///< a file of schedules (ScheduleTable.h), if set
  std::string schedule;                    ///< of every product that can have it, if set
  bool marksProducts = false;              ///< steps say which product they are of
  bool constantInitializers = false;       ///< initializers that are also inputs are constants
  std::vector<std::string> inputConstants; ///< inputs that become constants, as "NAME=VALUE"
  std::string report;           ///< where to write a report (CompileReport.h), if set: .html or .json
  std::string dumpDirectory;    ///< where to write the IR of every level, if set
  std::string reproducer;       ///< where a crash leaves the IR and the pass that it crashed in, if set
  bool timing = false;          ///< report the time of every pass
  bool verifyEachPass = false;  ///< verify the IR after each pass, not only at the end of each level
  std::string carrierDirectory; ///< where the launcher and the runtime's shared library are
  /// Called with the passes of each level before they run, if set: instrumentation is added here.
  std::function<void(mlir::PassManager &passes, Level level)> instrument;
};

/// How a compilation ended; the value is the tool's exit code.
enum class Outcome { Success = 0, BadModel = 1, BadCommandLine = 2, Mismatch = 3, System = 4, Internal = 70 };

} // namespace weft

#endif // WEFT_COMPILER_DRIVER_OPTIONS_H
