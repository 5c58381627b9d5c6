// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a model's compiled code, its plan of buffers or a graph pass gives wrong numbers: the compiler beside
// the evaluator, node by node (docs/verify.md).
#ifndef WEFT_TOOLS_WEFT_VERIFY_VERIFY_H
#define WEFT_TOOLS_WEFT_VERIFY_VERIFY_H

#include "compiler/Driver/Options.h"
#include "runtime/src/launcher/Options.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace weft::verify {

struct VerifyOptions {
  CompileOptions compile;  ///< what to compile, from import or graph level; `output` is not used
  runtime::RunOptions run; ///< the inputs, and on how many threads to run
  uint64_t seed = 0;       ///< of the inputs, where none are given
};

/// What one comparison said.
struct Finding {
  std::string subject;    ///< a node with its operation, or a pass
  double ratio = 0;       ///< the greatest error, as a multiple of its bound
  std::string difference; ///< what is wrong; empty if nothing is
};

struct VerifyReport {
  std::vector<std::string> madeInputs; ///< "x: 2 x 3 x f32", where they were made here
  std::vector<Finding> kernels;        ///< each operation of the graph level, in order
  std::vector<Finding> outputs;   ///< each output, without taps and with them: one planned wrongly differs
  std::vector<Finding> passes;    ///< each graph pass that changed something, in order
  std::vector<std::string> notes; ///< where NaN and infinities come from
};

/// Fills the report. Errors, such as a model that cannot be compiled, are printed and are the outcome; what
/// differs is in the report, and the outcome is Mismatch.
Outcome verifyModel(const VerifyOptions &options, VerifyReport &report, llvm::raw_ostream &errors);

} // namespace weft::verify

#endif // WEFT_TOOLS_WEFT_VERIFY_VERIFY_H
