// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft run and weft bench: an artifact, or a model that is compiled first; or the model in the evaluator.
#include "compiler/Driver/Compiler.h"
#include "runtime/src/launcher/RunCommand.h"
#include "tools/weft/Evaluate.h"
#include "tools/weft/LoadModel.h"
#include <cstdio>

using namespace weft;

static std::vector<FlagSpec> getFlags() {
  std::vector<FlagSpec> flags = getLoadFlags();
  flags.push_back(
      {"--evaluate", "", "compute in the evaluator, slowly and exactly, instead of compiled code"});
  return flags;
}

/// A verb that runs models, and what its help says.
namespace {
struct RunVerb {
  std::string name, sentence;
  std::string program() const { return "weft " + name; }
};
} // namespace

static int printHelp(const RunVerb &verb) {
  printf("%s\n\nusage: %s MODEL [flags]\n\n%s%s", verb.sentence.c_str(), verb.program().c_str(),
         describeFlags(getFlags()).c_str(), runtime::runOptionsHelp().c_str());
  return finishOutput(verb.program());
}

static int evaluate(const RunVerb &verb, const CompileOptions &options,
                    const std::vector<std::string> &arguments) {
  runtime::RunOptions run;
  if (WeftStatus error = runtime::parseRunOptions(arguments, run))
    return runtime::reportError(verb.program(), error, stderr);
  if (run.benchRuns || run.profileRuns || run.guardArena || run.signature || run.version || run.isa)
    return usageError(verb.name,
                      "'--evaluate' runs no compiled code; leave out --bench, --profile, --report, "
                      "--guard-arena, --isa, --signature, --version");
  if (options.machines.size() > 1 || options.target != Target::CPU)
    return usageError(verb.name, "'--evaluate' runs no compiled code; leave out --portable and --target");
  if (run.inputsFiles.size() > 1 || options.graph.stateCapacity > 0)
    return usageError(verb.name,
                      "'--evaluate' keeps no state; leave out --kv-capacity, and all --inputs but one");
  Compiler compiler(options, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.load();
  if (!module)
    return int(compiler.outcome());
  std::vector<std::vector<runtime::TensorRef>> runs;
  if (WeftStatus error = runtime::collectInputs(run, describeInputs(*module), runs))
    return runtime::reportError(verb.program(), error, stderr);
  std::optional<std::vector<runtime::NamedTensor>> outputs = evaluateModel(*module, runs.front());
  if (!outputs)
    return int(Outcome::BadModel);
  if (WeftStatus error = runtime::finishOutputs(run, *outputs, stdout, stderr))
    return runtime::reportError(verb.program(), error, stderr);
  return 0;
}

static int run(const RunVerb &verb, const std::vector<std::string> &arguments) {
  std::vector<FlagSpec> specs = getFlags();
  specs.push_back({"--help", "", ""}); // described among the runtime's
  std::optional<Flags> flags = Flags::parse(verb.name, specs, arguments, runtime::runFlagLength);
  if (!flags)
    return 2;
  if (flags->has("--help"))
    return printHelp(verb);
  if (flags->positional.size() != 1)
    return usageError(verb.name, flags->positional.empty() ? "no model given" : "more than one model given");
  CompileOptions options;
  options.input = flags->positional.front();
  if (!readLoadFlags(verb.name, *flags, getFlags(), options))
    return 2;
  if (flags->has("--evaluate") && verb.name == "bench")
    return usageError(verb.name, "'--evaluate' runs no compiled code, which is what is timed");
  if (flags->has("--evaluate"))
    return evaluate(verb, options, flags->foreign);
  WeftModel *model;
  if (int code = loadModel(verb.name, options, flags->get("--cache-dir"), model))
    return code;
  int code = runtime::runCommand(model, verb.program(), flags->foreign, stdout, stderr);
  weft_model_release(model);
  return code;
}

int weft::runRunVerb(const std::vector<std::string> &arguments) {
  return run({"run", "Runs an artifact, or a model (.onnx, .mlir), which is compiled first."}, arguments);
}

int weft::runBenchVerb(const std::vector<std::string> &arguments) {
  std::vector<std::string> withTimes;
  for (const char *flag : {"--bench=50", "--profile=20"}) {
    llvm::StringRef name = llvm::StringRef(flag).split('=').first;
    auto isGiven = [&](llvm::StringRef argument) { return argument.split('=').first == name; };
    if (llvm::none_of(arguments, isGiven))
      withTimes.push_back(flag);
  }
  withTimes.insert(withTimes.end(), arguments.begin(), arguments.end());
  return run({"bench",
              "Times an artifact, or a model (.onnx, .mlir), which is compiled first: whole runs, and each\n"
              "kernel's share and speed; weft run with --bench and --profile."},
             withTimes);
}
