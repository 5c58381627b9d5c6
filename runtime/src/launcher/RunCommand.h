// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model as its command line says: what a compiled executable does, and `weft run`.

#ifndef WEFT_RUNTIME_LAUNCHER_RUNCOMMAND_H
#define WEFT_RUNTIME_LAUNCHER_RUNCOMMAND_H

#include "../TensorRef.h"
#include "Options.h"

#include <cstdio>

namespace weft::runtime {

/// Call first in main(): a closed pipe or a full disk becomes an error instead of a signal, and a file that
/// we open never takes the place of a closed standard stream.
void prepareStandardStreams();

/// Parses the arguments behind the program's name, runs, prints to `out`, reports errors on `err` as
/// "PROGRAM: error: ...". Returns the exit code, a WeftStatusCode.
int runCommand(WeftModel *model, const std::string &program, const std::vector<std::string> &arguments,
               std::FILE *out, std::FILE *err);

/// The end of a run: compares, saves or prints outputs, as the options say. Mismatches are printed to `err`
/// and give WEFT_STATUS_MISMATCH.
WEFT_MUST_USE WeftStatus finishOutputs(const RunOptions &options, const std::vector<NamedTensor> &outputs,
                                       std::FILE *out, std::FILE *err);

/// Prints and releases an error; returns its exit code.
int reportError(const std::string &program, WeftStatus error, std::FILE *err);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_LAUNCHER_RUNCOMMAND_H
