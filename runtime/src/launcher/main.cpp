// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that `weft compile` puts in front of a payload: it runs the model behind itself.

#include "RunCommand.h"

using namespace weft::runtime;

int main(int argc, char **argv) {
  prepareStandardStreams();
  std::string program = argc > 0 ? argv[0] : "model";
  program.erase(0, program.rfind('/') + 1);
  WeftModel *model;
  if (WeftStatus error = weft_model_load_self(&model))
    return reportError(program, error, stderr);
  int code =
      runCommand(model, program, std::vector<std::string>(argv + (argc > 0), argv + argc), stdout, stderr);
  weft_model_release(model);
  return code;
}
