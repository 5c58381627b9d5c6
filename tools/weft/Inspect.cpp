// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft inspect: what an artifact says of itself. Nothing of it is run.
#include "runtime/src/launcher/RunCommand.h"
#include "tools/weft/Verbs.h"
#include <cstdio>

using namespace weft;

int weft::runInspectVerb(const std::vector<std::string> &arguments) {
  std::vector<FlagSpec> specs = {{"--help", "", "this text"}};
  std::optional<Flags> flags = Flags::parse("inspect", specs, arguments);
  if (!flags)
    return 2;
  if (flags->has("--help")) {
    printf("Shows an artifact's signature, needs, memory formula and steps.\n\nusage: weft inspect "
           "ARTIFACT\n\n%s",
           describeFlags(specs).c_str());
    return finishOutput("weft inspect");
  }
  if (flags->positional.size() != 1)
    return usageError("inspect",
                      flags->positional.empty() ? "no artifact given" : "more than one artifact given");
  WeftModel *model;
  if (WeftStatus error = weft_model_load(flags->positional.front().c_str(), &model))
    return runtime::reportError("weft inspect", error, stderr);
  int code = runtime::runCommand(model, "weft inspect", {"--signature"}, stdout, stderr);
  weft_model_release(model);
  return code;
}
