// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft run and weft bench: an artifact, or a model that is compiled first; or the model in the evaluator.
#include "compiler/Driver/Compiler.h"
#include "runtime/src/launcher/RunCommand.h"
#include "tools/weft/Evaluate.h"
#include "tools/weft/Verbs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cstdio>

using namespace weft;

static std::vector<FlagSpec> getFlags() {
  std::vector<FlagSpec> flags = getModelFlags();
  flags.push_back(
      {"--evaluate", "", "compute in the evaluator, slowly and exactly, instead of compiled code"});
  flags.push_back({"--cache-dir", "DIR", "keep the compiled model here and use it again"});
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

static bool isModelFile(llvm::StringRef path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  return extension == ".onnx" || extension == ".mlir";
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
  if (options.machines.size() > 1)
    return usageError(verb.name, "'--evaluate' runs no compiled code; leave out --portable");
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

static int runArtifact(const RunVerb &verb, const std::string &path,
                       const std::vector<std::string> &arguments, bool removeWhenLoaded) {
  WeftModel *model;
  WeftStatus error = weft_model_load(path.c_str(), &model);
  if (removeWhenLoaded)
    (void)llvm::sys::fs::remove(path); // of no use any more, and of no harm
  if (error)
    return runtime::reportError(verb.program(), error, stderr);
  int code = runtime::runCommand(model, verb.program(), arguments, stdout, stderr);
  weft_model_release(model);
  return code;
}

/// The name of a cached artifact: what it depends on, hashed. Nothing if the model cannot be read; compiling
/// it says why.
static std::optional<std::string> getCacheName(const CompileOptions &options) {
  auto model = llvm::MemoryBuffer::getFile(options.input, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!model)
    return std::nullopt;
  std::string key;
  for (const Machine &machine : options.machines)
    key += machine.name.str() + " ";
  key += "ABI " + std::to_string(WEFT_ABI_VERSION) + " " WEFT_VERSION " " +
         std::to_string(int(options.from)) + (options.constantInitializers ? " constant" : "") + " " +
         std::to_string(options.graph.stateCapacity) + " " + options.graph.weightStorage + " " +
         options.graph.precision;
  for (const std::string &dim : options.graph.dims)
    key += " " + dim;
  uint64_t hash = llvm::xxh3_64bits((*model)->getBuffer()) * 31 + llvm::xxh3_64bits(llvm::StringRef(key));
  return llvm::sys::path::stem(options.input).str() + "-" + llvm::utohexstr(hash) + ".weft";
}

static int compileAndRun(const RunVerb &verb, CompileOptions options, const std::string &cache,
                         const std::vector<std::string> &arguments) {
  llvm::SmallString<256> path(cache);
  if (!cache.empty()) {
    if (std::error_code error = llvm::sys::fs::create_directories(cache)) {
      fprintf(stderr, "%s: error: cannot make the folder '%s': %s\n", verb.program().c_str(), cache.c_str(),
              error.message().c_str());
      return int(Outcome::System);
    }
    if (std::optional<std::string> name = getCacheName(options)) {
      llvm::sys::path::append(path, *name);
      if (llvm::sys::fs::exists(path))
        return runArtifact(verb, path.str().str(), arguments, /*removeWhenLoaded=*/false);
    }
  } else {
    int fd;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("weft", "weft", fd, path)) {
      fprintf(stderr, "%s: error: cannot make a temporary file: %s\n", verb.program().c_str(),
              error.message().c_str());
      return int(Outcome::System);
    }
    llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(fd);
    (void)llvm::sys::fs::closeFile(file); // nothing was written
  }
  options.output = path.str().str();
  Outcome outcome = Compiler(options, llvm::errs()).compile(/*summary=*/nullptr);
  if (outcome == Outcome::Success)
    return runArtifact(verb, options.output, arguments, /*removeWhenLoaded=*/cache.empty());
  if (cache.empty())
    (void)llvm::sys::fs::remove(path); // of no use any more, and of no harm
  return int(outcome);
}

/// What says how to compile is of no use for what is compiled already.
static bool checkArtifactFlags(const RunVerb &verb, const Flags &flags) {
  for (const FlagSpec &spec : getFlags())
    if (flags.has(spec.name)) {
      usageError(verb.name, "'" + spec.name + "' is for a model, .onnx or .mlir; '" +
                                flags.positional.front() + "' is compiled");
      return false;
    }
  return true;
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
  if (!isModelFile(options.input))
    return checkArtifactFlags(verb, *flags)
               ? runArtifact(verb, options.input, flags->foreign, /*removeWhenLoaded=*/false)
               : 2;
  if (!readModelFlags(verb.name, *flags, options))
    return 2;
  if (flags->has("--evaluate") && verb.name == "bench")
    return usageError(verb.name, "'--evaluate' runs no compiled code, which is what is timed");
  if (flags->has("--evaluate"))
    return evaluate(verb, options, flags->foreign);
  return compileAndRun(verb, options, flags->get("--cache-dir"), flags->foreign);
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
