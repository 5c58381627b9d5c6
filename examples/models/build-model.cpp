// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a model in C++ from its sizes and a file of weights, and compiles it.
#include "compiler/Driver/Compiler.h"
#include "examples/models/Models.h"
#include "frontend/Builder/NpzWeights.h"
#include "frontend/Builder/SeededWeights.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

using namespace weft;
namespace cl = llvm::cl;

namespace {
cl::OptionCategory category("Options");
cl::opt<std::string> modelName(cl::Positional, cl::Required, cl::cat(category),
                               cl::desc("transformer|pre_norm|bert|gpt2"));
cl::opt<std::string> output("o", cl::Required, cl::cat(category), cl::value_desc("file"),
                            cl::desc("What to write: .weft, .o, or .mlir, which `weft compile` takes"));
cl::opt<std::string> weightsFile("weights", cl::cat(category), cl::value_desc("file.npz"),
                                 cl::desc("The weights, by the names of test/models"));
cl::opt<uint64_t> seed("seed", cl::cat(category), cl::init(0),
                       cl::desc("Of random weights, where none are given"));
cl::opt<std::string> saveWeights("save-weights", cl::cat(category), cl::value_desc("file.npz"),
                                 cl::desc("Where to write the random weights"));
cl::opt<std::string> cpu("cpu", cl::cat(category), cl::init("native"),
                         cl::desc("The processor to make code for"));

build::ModelConfig config;
template <typename T> cl::opt<T, true> flag(llvm::StringRef name, T &value, const char *text) {
  return cl::opt<T, true>(name, cl::location(value), cl::init(value), cl::cat(category), cl::desc(text));
}
auto layers = flag("layers", config.layers, "Layers of each stack");
auto width = flag("width", config.width, "Channels of the model");
auto heads = flag("heads", config.heads, "Heads of attention");
auto hidden = flag("hidden", config.hidden, "Channels of the feed-forward blocks");
auto vocabulary = flag("vocabulary", config.vocabulary, "Tokens of the source, or of the only text");
auto targetVocabulary = flag("target-vocabulary", config.targetVocabulary, "Tokens of what is written");
auto longest = flag("longest", config.longest, "Positions");
auto cache = flag("cache", config.cache, "Keys and values of earlier tokens are inputs (gpt2)");

int fail(const llvm::Twine &message, Outcome outcome) {
  llvm::errs() << "build-model: error: " << message << "\n";
  return int(outcome);
}

/// What is wrong with the sizes; empty if nothing is.
std::string checkSizes() {
  for (auto [name, size] : {std::pair("layers", config.layers), std::pair("width", config.width),
                            std::pair("heads", config.heads), std::pair("hidden", config.hidden),
                            std::pair("vocabulary", config.vocabulary), std::pair("longest", config.longest)})
    if (size <= 0)
      return "--" + std::string(name) + " must be given, and positive";
  if (config.targetVocabulary <= 0 && (modelName == "transformer" || modelName == "pre_norm"))
    return "--target-vocabulary must be given, and positive";
  return config.width % config.heads == 0 ? "" : "--width must be a multiple of --heads";
}
} // namespace

/// Builds, compiles and writes the model; the exit code.
static int run(build::Build build) {
  CompileOptions options;
  options.input = modelName;
  options.output = output;
  options.printsIR = llvm::sys::path::extension(output) == ".mlir";
  std::optional<Machine> machine = findMachine(cpu);
  if (!machine)
    return fail("there is no CPU '" + cpu + "'; there are: " + listMachines(), Outcome::BadCommandLine);
  options.machines = {*machine};

  Compiler compiler(options, llvm::errs());
  GraphBuilder graph(&compiler.getContext(), modelName);
  SeededWeights random(seed);
  std::unique_ptr<Weights> stored;
  if (!weightsFile.empty()) {
    auto opened = NpzWeights::open(weightsFile);
    if (!opened)
      return fail(llvm::toString(opened.takeError()), Outcome::BadModel);
    stored = std::move(*opened);
  }
  build(graph, stored ? *stored : random, config);
  auto module = graph.finish();
  if (!module)
    return int(Outcome::BadModel);
  if (!saveWeights.empty())
    if (llvm::Error error = random.save(saveWeights))
      return fail(llvm::toString(std::move(error)), Outcome::System);
  if (!options.printsIR && !compiler.lower(*module, Level::Target))
    return int(compiler.outcome());
  return compiler.write(*module) ? 0 : int(compiler.outcome());
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Builds a model in C++ and compiles it.\n");
  auto build = llvm::StringSwitch<build::Build>(modelName)
                   .Case("transformer", build::buildTransformer)
                   .Case("pre_norm", build::buildPreNorm)
                   .Case("bert", build::buildBert)
                   .Case("gpt2", build::buildGpt2)
                   .Default(nullptr);
  if (!build)
    return fail("there is no model \"" + modelName + "\"; expects transformer, pre_norm, bert or gpt2",
                Outcome::BadCommandLine);
  if (std::string wrong = checkSizes(); !wrong.empty())
    return fail(wrong, Outcome::BadCommandLine);
  llvm::StringRef extension = llvm::sys::path::extension(output);
  if (extension != ".weft" && extension != ".o" && extension != ".mlir")
    return fail("does not know what to write to '" + output + "'; expects .weft, .o or .mlir",
                Outcome::BadCommandLine);
  if (!weightsFile.empty() && !saveWeights.empty())
    return fail("--save-weights writes random weights, but --weights gives others", Outcome::BadCommandLine);
  return run(build);
}
