// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of a compiled model, shared with `weft run`.

#ifndef WEFT_RUNTIME_LAUNCHER_OPTIONS_H
#define WEFT_RUNTIME_LAUNCHER_OPTIONS_H

#include "weft/runtime.h"

#include <optional>
#include <string>
#include <vector>

namespace weft::runtime {

struct RunOptions {
  bool help = false, version = false, signature = false;
  std::vector<std::string> inputsFiles; ///< --inputs, one for each run
  std::vector<std::string> inputs;      ///< --input, each "NAME=..."
  std::string outputsFile;              ///< --outputs
  std::string expectFile;               ///< --expect
  double relativeTolerance = 1e-4, absoluteTolerance = 1e-4;
  size_t threads = 0;           ///< 0: one for each processor
  std::optional<WeftIsa> isa;   ///< nothing: the best there is
  std::optional<size_t> device; ///< nothing: the first, of a model for GPUs
  std::optional<size_t> benchRuns, profileRuns;
  std::string reportFile; ///< --report; what is profiled, then
  bool guardArena = false;
};

/// Reads the arguments behind the program's name. An unknown or repeated flag, or a missing or malformed
/// value, is a WEFT_STATUS_BAD_ARGUMENT.
WEFT_MUST_USE WeftStatus parseRunOptions(const std::vector<std::string> &arguments, RunOptions &outOptions);

/// How many arguments a flag takes up, itself included, if `next` is behind it; 0 if it is no flag of a run.
/// For a program that has flags of its own among these.
size_t runFlagLength(const std::string &argument, const std::string &next);

/// The lines that explain every flag, for --help.
std::string runOptionsHelp();

} // namespace weft::runtime

#endif // WEFT_RUNTIME_LAUNCHER_OPTIONS_H
