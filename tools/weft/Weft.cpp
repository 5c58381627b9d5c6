// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weft tool: one program, verbs.
#include "runtime/src/launcher/RunCommand.h"
#include "tools/weft/Flags.h"
#include "tools/weft/Verbs.h"
#include <cstdio>

using namespace weft;

namespace {
struct Verb {
  const char *name, *sentence;
  int (*run)(const std::vector<std::string> &arguments);
};
} // namespace

static const Verb kVerbs[] = {
    {"compile", "compile a model to an executable, a library, or any level of IR", runCompileVerb},
    {"check", "say everything in a model that Weft cannot compile, by node", runCheckVerb},
    {"run", "run a model or an artifact", runRunVerb},
    {"bench", "time a model or an artifact, kernel by kernel", runBenchVerb},
    {"tune", "time schedules for a model's matrix products, and keep the best", runTuneVerb},
    {"generate", "continue texts with a decoder-only model", runGenerateVerb},
    {"anonymize", "write a model without names and weights, for a bug report", runAnonymizeVerb},
    {"verify", "name the node or the pass that makes a compiled model's numbers wrong", runVerifyVerb},
    {"inspect", "show an artifact's signature, memory formula and steps", runInspectVerb},
};

static int printHelp(FILE *out) {
  fprintf(out, "Weft compiles Transformers to native code.\n\nusage: weft VERB ...\n\n");
  for (const Verb &verb : kVerbs)
    fprintf(out, "  %-10s %s\n", verb.name, verb.sentence);
  fprintf(out, "\n`weft VERB --help` explains each. Exit codes: 0 fine, 1 the model or the data is at fault, "
               "2 the command\n"
               "line, 3 results differ, 4 the system, 70 a bug in Weft.\n");
  return out == stdout ? finishOutput("weft") : 0;
}

int weft::runWeft(std::vector<std::string> arguments) {
  runtime::prepareStandardStreams();
  if (arguments.empty()) {
    printHelp(stderr);
    return 2;
  }
  std::string name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help")
    return printHelp(stdout);
  if (name == "--version") {
    printf("weft %s\n", WEFT_VERSION);
    return finishOutput("weft");
  }
  arguments.erase(arguments.begin());
  for (const Verb &verb : kVerbs)
    if (name == verb.name)
      return verb.run(arguments);
  fprintf(stderr, "weft: error: there is no verb '%s'; see weft --help\n", name.c_str());
  return 2;
}
