// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs of the weft tool, one file each. Every one gets its arguments and returns the exit code.
#ifndef WEFT_TOOLS_WEFT_VERBS_H
#define WEFT_TOOLS_WEFT_VERBS_H

#include "compiler/Driver/Options.h"
#include "tools/weft/Flags.h"
#include "llvm/ADT/StringRef.h"

namespace weft {

/// All that `weft` does with the words behind its name. Returns the exit code.
int runWeft(std::vector<std::string> arguments);

int runCompileVerb(const std::vector<std::string> &arguments);
int runCheckVerb(const std::vector<std::string> &arguments);
int runRunVerb(const std::vector<std::string> &arguments);
int runBenchVerb(const std::vector<std::string> &arguments);
int runGenerateVerb(const std::vector<std::string> &arguments);
int runAnonymizeVerb(const std::vector<std::string> &arguments);
int runVerifyVerb(const std::vector<std::string> &arguments);
int runTuneVerb(const std::vector<std::string> &arguments);
int runInspectVerb(const std::vector<std::string> &arguments);

/// The flags that say how a model is compiled, which compile, check and run share.
std::vector<FlagSpec> getModelFlags();
/// Reads them. Returns false and prints one line if a value is wrong.
bool readModelFlags(const std::string &verb, const Flags &flags, CompileOptions &options);

/// "80, 86, ...": what --sm takes.
std::string listGPUs();
/// Makes that GPU the only one, or returns false if there is none of the name.
bool findGPU(llvm::StringRef sm, std::vector<GPU> &gpus);

/// The folder that holds the launcher or the runtime's shared library: in `runtime`, a build or an
/// installation, or where that is empty, in this program's.
std::string findCarrierDirectory(bool sharedLibrary, llvm::StringRef runtime);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_VERBS_H
