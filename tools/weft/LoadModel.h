// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A verb's MODEL, which is an artifact, or is compiled to one first.
#ifndef WEFT_TOOLS_WEFT_LOADMODEL_H
#define WEFT_TOOLS_WEFT_LOADMODEL_H

#include "tools/weft/Verbs.h"
#include "weft/runtime.h"

namespace weft {

/// Whether a file is compiled before it runs: .onnx, .mlir.
bool isModelFile(llvm::StringRef path);

/// The flags of a model file: how it is compiled, and --cache-dir.
std::vector<FlagSpec> getLoadFlags();

/// Reads them for `options.input`. Returns false and prints one line if a value is wrong, or if they are
/// given for an artifact, which is compiled already. `specs` are all flags that a model file may have.
bool readLoadFlags(const std::string &verb, const Flags &flags, const std::vector<FlagSpec> &specs,
                   CompileOptions &options);

/// Loads `options.input`. An artifact that a model is compiled to is kept in the folder `cache`, and used
/// again, or nowhere if that is empty. Returns the exit code, after saying why it is not 0.
int loadModel(const std::string &verb, CompileOptions options, const std::string &cache,
              WeftModel *&outModel);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_LOADMODEL_H
