// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `weft generate` does once it has its arguments.

#ifndef WEFT_RUNTIME_DECODING_GENERATECOMMAND_H
#define WEFT_RUNTIME_DECODING_GENERATECOMMAND_H

#include "CommandLine.h"

#include <functional>
#include <string>
#include <vector>

namespace weft::decoding {

std::vector<FlagText> generateFlags();

/// Loads the model, or returns the exit code after saying on standard error why not.
using LoadModel = std::function<int(WeftModel *&outModel)>;

/// Continues each prompt, or each line of standard input if there are none; prints the continuations, one a
/// line. `flags` are generateFlags(), as `--name=value` or `--name`; what is wrong with them is said before
/// the model is loaded. `program` and `path` are for messages. Returns the exit code.
int generateCommand(const std::string &program, const std::string &path,
                    const std::vector<std::string> &flags, const std::vector<std::string> &prompts,
                    const LoadModel &load);

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_GENERATECOMMAND_H
