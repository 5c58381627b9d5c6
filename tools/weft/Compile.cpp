// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft compile: a model to an artifact, or to any level of IR.
#include "compiler/Artifact/EmitPTX.h"
#include "compiler/Driver/Compiler.h"
#include "compiler/Driver/Levels.h"
#include "tools/weft/Verbs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include <cstdio>

using namespace weft;

static std::vector<FlagSpec> getFlags() {
  std::vector<FlagSpec> flags = {
      {"-o", "OUT",
       "what to write, by its extension: none an executable, .weft a payload, .so, .o, .mlir, .ll, .s, .ptx"},
      {"--to", "LEVEL", "stop at a level and write its IR: " + listLevels()},
      {"--sm", "N",
       "the GPUs that kernels are for, with --target=cuda: " + listGPUs() +
           " (default: 80 and 90a in an artifact, 80 in .ptx)"},
      {"--runtime", "DIR",
       "the build or installation of the runtime that an executable or a .so begins with (default: weft's "
       "own, which is for x86-64)"},
      {"--report", "FILE",
       "also write what the steps hold of the model, the arena over time and weights by layer: a page "
       "(.html) or "
       "data (.json)"},
      {"--quiet", "", "no summary"},
      {"--help", "", "this text"},
  };
  std::vector<FlagSpec> model = getModelFlags();
  flags.insert(flags.end(), model.begin(), model.end());
  return flags;
}

static int printHelp() {
  std::string levels;
  for (const LevelInfo &level : getLevels())
    levels +=
        "  " + level.name.str() + std::string(10 - level.name.size(), ' ') + level.sentence.str() + "\n";
  printf("Compiles a model (.onnx, or IR as .mlir) to native code.\n\nusage: weft compile MODEL [-o OUT] "
         "[flags]\n\n%s\nLevels:\n%s",
         describeFlags(getFlags()).c_str(), levels.c_str());
  return finishOutput("weft compile");
}

/// The executable that a model compiles to unless told otherwise: its name without extension, here.
static std::string getDefaultOutput(const std::string &input) {
  std::string stem = llvm::sys::path::stem(input).str();
  return stem == llvm::sys::path::filename(input) ? stem + ".weft" : stem;
}

/// Whether there can be a report, which is of an artifact; prints one line if not.
static bool checkReport(const CompileOptions &options, llvm::StringRef outputExtension) {
  llvm::StringRef extension = llvm::sys::path::extension(options.report);
  std::string why;
  if (extension != ".html" && extension != ".json")
    why = "is neither a .html nor a .json file";
  else if (options.printsIR || llvm::is_contained({".mlir", ".ll", ".s"}, outputExtension))
    why = "is of an artifact; the output is IR or assembly";
  else if (options.from == Level::Target)
    why = "needs IR of an earlier level than target";
  if (!why.empty())
    usageError("compile", "'--report=" + options.report + "' " + why);
  return why.empty();
}

/// What kernels are made for, if they are; prints one line if that does not fit.
static bool readGPUs(const Flags &flags, llvm::StringRef extension, CompileOptions &options) {
  bool isForGPU = options.target == Target::CUDA, isPTX = extension == ".ptx";
  std::string why;
  if (isPTX && !isForGPU)
    why = "'" + options.output + "' is for --target=cuda";
  else if (flags.has("--sm") && options.target == Target::CPU)
    why = "'--sm' is for --target=cuda and --target=emulator";
  else if (isForGPU && (extension == ".ll" || extension == ".s"))
    why = "'--target=cuda' writes artifacts, .ptx and .mlir, not '" + options.output + "'";
  if (isPTX)
    options.gpus = {getGPUs().front()};
  if (flags.has("--sm") && !findGPU(flags.get("--sm"), options.gpus))
    why = "there is no GPU 'sm_" + flags.get("--sm") + "'; '--sm' takes " + listGPUs();
  if (!why.empty())
    usageError("compile", why);
  return why.empty();
}

int weft::runCompileVerb(const std::vector<std::string> &arguments) {
  std::optional<Flags> flags = Flags::parse("compile", getFlags(), arguments);
  if (!flags)
    return 2;
  if (flags->has("--help"))
    return printHelp();
  if (flags->positional.size() != 1)
    return usageError("compile", flags->positional.empty() ? "no model given" : "more than one model given");
  CompileOptions options;
  options.input = flags->positional.front();
  if (!readModelFlags("compile", *flags, options))
    return 2;
  if (flags->has("--to")) {
    const LevelInfo *level = findLevel(flags->get("--to"));
    if (!level)
      return usageError("compile",
                        "there is no level '" + flags->get("--to") + "'; there are: " + listLevels());
    if (level->level < options.from)
      return usageError("compile", "'--to=" + flags->get("--to") +
                                       "' comes before '--from=" + flags->get("--from") + "'");
    options.to = level->level;
    options.printsIR = true;
  }
  options.output = flags->get("-o", options.printsIR ? "" : getDefaultOutput(options.input));
  llvm::StringRef extension = llvm::sys::path::extension(options.output);
  static const llvm::StringSet<> known = {"", ".weft", ".so", ".o", ".mlir", ".ll", ".s", ".ptx"};
  bool isDevice = llvm::StringRef(options.output).starts_with("/dev/");
  if (!known.contains(extension) && !isDevice)
    return usageError("compile", "does not know what to write to '" + options.output + "'; expects " +
                                     "no extension, .weft, .so, .o, .mlir, .ll, .s or .ptx");
  if (options.printsIR && !options.output.empty() && extension != ".mlir" && !isDevice)
    return usageError("compile", "'--to' writes IR; name the output .mlir");
  if (!readGPUs(*flags, extension, options))
    return 2;
  if (options.machines.size() > 1 &&
      (options.printsIR || llvm::is_contained({".mlir", ".ll", ".s"}, extension)))
    return usageError("compile", "'--portable' makes an artifact; IR and assembly are for one CPU");
  options.report = flags->get("--report");
  if (!options.report.empty() && !checkReport(options, extension))
    return 2;
  bool hasCarrier = !options.printsIR && (extension == ".so" || extension.empty());
  if (flags->has("--runtime") && !hasCarrier)
    return usageError("compile", "'--runtime' is for an executable or a .so");
  if (hasCarrier && !options.machines.front().isX86() && !flags->has("--runtime"))
    return usageError("compile", "'" + options.output + "' begins with the runtime, which is to be for " +
                                     options.machines.front().name.str() +
                                     ": say where it is with '--runtime', or write a .weft or a .o");
  options.carrierDirectory = findCarrierDirectory(extension == ".so", flags->get("--runtime"));
  Outcome outcome = Compiler(options, llvm::errs()).compile(flags->has("--quiet") ? nullptr : &llvm::errs());
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    llvm::errs() << "weft compile: error: standard output cannot be written: "
                 << llvm::outs().error().message() << "\n";
    llvm::outs().clear_error();
    return int(Outcome::System);
  }
  return int(outcome);
}
