// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a run, from --inputs and --input.

#ifndef WEFT_RUNTIME_LAUNCHER_INPUTS_H
#define WEFT_RUNTIME_LAUNCHER_INPUTS_H

#include "../TensorRef.h"
#include "Options.h"

namespace weft::runtime {

/// What a model wants: `type` is for messages, such as "batch x 512 x f32".
struct InputDescription {
  std::string name, type;
};

/// Fills one tensor per description, in their order, for each run: one for each file, or one in all. An
/// unknown, repeated or missing input is an error. The tensors' types are for the model to check.
WEFT_MUST_USE WeftStatus collectInputs(const RunOptions &options, const std::vector<InputDescription> &wanted,
                                       std::vector<std::vector<TensorRef>> &outRuns);

} // namespace weft::runtime

#endif // WEFT_RUNTIME_LAUNCHER_INPUTS_H
