// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling on the fly, and the cache of what was compiled.
#include "tools/weft/LoadModel.h"
#include "compiler/Driver/Compiler.h"
#include "runtime/src/launcher/RunCommand.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cstdio>

using namespace weft;

bool weft::isModelFile(llvm::StringRef path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  return extension == ".onnx" || extension == ".mlir";
}

std::vector<FlagSpec> weft::getLoadFlags() {
  std::vector<FlagSpec> flags = getModelFlags();
  flags.push_back({"--cache-dir", "DIR", "keep the compiled model here and use it again"});
  return flags;
}

bool weft::readLoadFlags(const std::string &verb, const Flags &flags, const std::vector<FlagSpec> &specs,
                         CompileOptions &options) {
  if (isModelFile(options.input))
    return readModelFlags(verb, flags, options);
  for (const FlagSpec &spec : specs)
    if (flags.has(spec.name)) {
      usageError(verb,
                 "'" + spec.name + "' is for a model, .onnx or .mlir; '" + options.input + "' is compiled");
      return false;
    }
  return true;
}

static int loadArtifact(const std::string &verb, const std::string &path, WeftModel *&outModel) {
  WeftStatus error = weft_model_load(path.c_str(), &outModel);
  return error ? runtime::reportError("weft " + verb, error, stderr) : 0;
}

static int reportSystemError(const std::string &verb, const std::string &what, std::error_code error) {
  fprintf(stderr, "weft %s: error: cannot make %s: %s\n", verb.c_str(), what.c_str(),
          error.message().c_str());
  return int(Outcome::System);
}

static int compileAndLoad(const std::string &verb, const CompileOptions &options, WeftModel *&outModel) {
  Outcome outcome = Compiler(options, llvm::errs()).compile(/*summary=*/nullptr);
  return outcome == Outcome::Success ? loadArtifact(verb, options.output, outModel) : int(outcome);
}

/// The name of a cached artifact: what it depends on, hashed. The model counts as it is imported, since its
/// weights may lie in other files: the IR states hashes of them all. Nothing if the model cannot be read;
/// compiling it says why.
static std::optional<std::string> getCacheName(const CompileOptions &options) {
  Compiler reader(options, llvm::nulls());
  mlir::OwningOpRef<mlir::ModuleOp> model = reader.load();
  if (!model)
    return std::nullopt;
  std::string key;
  llvm::raw_string_ostream stream(key);
  for (const Machine &machine : options.machines)
    stream << machine.name << " ";
  stream << options.isMachineGiven << " ABI " << WEFT_ABI_VERSION << " " WEFT_VERSION " " << int(options.from)
         << " " << int(options.target) << " " << options.graph.stateCapacity << " "
         << options.graph.weightStorage << " " << options.graph.precision << " "
         << options.graph.requireFusion;
  for (const std::string &dim : options.graph.dims)
    stream << " " << dim;
  stream << " " << options.schedule;
  if (!options.scheduleTable.empty())
    if (auto table = llvm::MemoryBuffer::getFile(options.scheduleTable))
      stream << " " << (*table)->getBuffer();
  model->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  return llvm::sys::path::stem(options.input).str() + "-" +
         llvm::utohexstr(llvm::xxh3_64bits(llvm::StringRef(key))) + ".weft";
}

static int loadCached(const std::string &verb, CompileOptions options, const std::string &cache,
                      WeftModel *&outModel) {
  if (std::error_code error = llvm::sys::fs::create_directories(cache))
    return reportSystemError(verb, "the folder '" + cache + "'", error);
  llvm::SmallString<256> path(cache);
  if (std::optional<std::string> name = getCacheName(options)) {
    llvm::sys::path::append(path, *name);
    // What the compiler is to tell besides, it tells only when it compiles.
    bool isSilent = options.dumpDirectory.empty() && !options.graph.explainFusion && !options.timing;
    if (isSilent && llvm::sys::fs::exists(path))
      return loadArtifact(verb, path.str().str(), outModel);
  }
  options.output = path.str().str();
  return compileAndLoad(verb, options, outModel);
}

int weft::loadModel(const std::string &verb, CompileOptions options, const std::string &cache,
                    WeftModel *&outModel) {
  if (!isModelFile(options.input))
    return loadArtifact(verb, options.input, outModel);
  if (!cache.empty())
    return loadCached(verb, std::move(options), cache, outModel);
  int fd;
  llvm::SmallString<256> path;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("weft", "weft", fd, path))
    return reportSystemError(verb, "a temporary file", error);
  llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(fd);
  (void)llvm::sys::fs::closeFile(file); // nothing was written
  options.output = path.str().str();
  int code = compileAndLoad(verb, options, outModel);
  (void)llvm::sys::fs::remove(path); // it is loaded, or of no use; what stays is of no harm
  return code;
}
