// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags that say how a model is compiled.
#include "compiler/Driver/Levels.h"
#include "compiler/Graph/DimOption.h"
#include "compiler/Tile/ScheduleTable.h"
#include "tools/weft/Verbs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weft;

std::vector<FlagSpec> weft::getModelFlags() {
  return {
      {"--mcpu", "CPU", "the CPU to make code for: " + listMachines() + " (default: native)"},
      {"--target", "TARGET",
       "what steps run on: cpu (default); cuda, which is an NVIDIA GPU, and the default where --device names "
       "one; or emulator, which runs kernels for "
       "GPUs on the CPU, thread by thread"},
      {"--portable", "",
       "make code for every kind of x86-64 CPU that the model gains from; the best that a CPU can run is "
       "picked there"},
      {"--dim", "NAME=N",
       "fix a dynamic dim, such as batch=4, bound it: seq=1..512, or make it of others: total=past+length",
       true},
      {"--kv-capacity", "N",
       "inputs that a run only appends to and returns, such as a decoder's keys and values, stay in the "
       "session, "
       "with room for N positions"},
      {"--weights", "TYPE",
       "store weights of matrix products as f32 (default), bf16, int8 or int4, which takes memory and, where "
       "weights are what is waited for, time (docs/numerics.md says how far off results are); ternary stores "
       "those that hold three numbers only, -s, 0 and s, in 2 bits, and loses nothing"},
      {"--precision", "TYPE",
       "compute products with weights in f32 (default), bf16, int8 or int4: weights are rounded when the "
       "model is compiled, and each row that they are multiplied with when it is there; or, for GPUs, all "
       "products of f32 in tf32 (docs/numerics.md)"},
      {"--schedule-table", "FILE",
       "the tiles of matrix products that weft tune found to be best, where the table has them"},
      {"--schedule", "SIZES",
       "the tiles of all matrix products that can be so: rows=N,columns=N,... (docs/schedules.md)"},
      {"--constant-initializers", "", "initializers that are also inputs are constants"},
      {"--set", "NAME=VALUE",
       "make a constant of an input, such as the one that says which branch of a merged decoder is taken; "
       "several elements are VALUE,VALUE,...",
       true},
      {"--explain-fusion", "", "say what each attention sees, and why a softmax is part of none"},
      {"--require-fusion", "N", "fail unless N attentions are fused, or all"},
      {"--from", "LEVEL", "the input is IR of this level: " + listLevels()},
      {"--dump-levels", "DIR", "write the IR of every level to a folder"},
      {"--reproducer", "FILE", "where a crash leaves its IR and pass"},
      {"--timing", "", "print the time of every pass"},
      {"--verify-each", "", "verify the IR after every pass"},
  };
}

static bool readFusion(const std::string &verb, const Flags &flags, CompileOptions &options) {
  options.graph.explainFusion = flags.has("--explain-fusion");
  options.graph.requireFusion = flags.get("--require-fusion");
  unsigned count;
  if (flags.has("--require-fusion") && options.graph.requireFusion != "all" &&
      llvm::StringRef(options.graph.requireFusion).getAsInteger(10, count)) {
    usageError(verb, "'--require-fusion=" + options.graph.requireFusion + "' is neither a number nor all");
    return false;
  }
  return true;
}

/// As passes name types of numbers.
static std::string shortTypeName(const std::string &type) {
  return type == "int8" ? "i8" : type == "int4" ? "i4" : type == "ternary" ? "i2" : type;
}

static bool readWeights(const std::string &verb, const Flags &flags, CompileOptions &options) {
  std::string type = flags.get("--weights", "f32");
  if (!llvm::is_contained({"f32", "bf16", "int8", "int4", "ternary"}, llvm::StringRef(type))) {
    usageError(verb, "'--weights=" + type + "' is not f32, bf16, int8, int4 or ternary");
    return false;
  }
  options.graph.weightStorage = shortTypeName(type);
  return true;
}

static bool readPrecision(const std::string &verb, const Flags &flags, CompileOptions &options) {
  std::string type = flags.get("--precision", "f32");
  if (!llvm::is_contained({"f32", "tf32", "bf16", "int8", "int4"}, llvm::StringRef(type))) {
    usageError(verb, "'--precision=" + type + "' is not f32, tf32, bf16, int8 or int4");
    return false;
  }
  if (type != "f32" && flags.has("--weights")) {
    usageError(verb, "'--precision=" + type + "' says how weights are stored; '--weights' is for f32");
    return false;
  }
  options.graph.precision = shortTypeName(type);
  return true;
}

static bool readCapacity(const std::string &verb, const Flags &flags, CompileOptions &options) {
  constexpr int64_t kMost = int64_t(1) << 32;
  int64_t &capacity = options.graph.stateCapacity;
  if (!flags.has("--kv-capacity"))
    return true;
  if (llvm::StringRef(flags.get("--kv-capacity")).getAsInteger(10, capacity) || capacity <= 0 ||
      capacity > kMost) {
    usageError(verb, "'--kv-capacity=" + flags.get("--kv-capacity") +
                         "' is not a number of positions, 1 to " + std::to_string(kMost));
    return false;
  }
  return true;
}

static bool readDims(const std::string &verb, const Flags &flags, CompileOptions &options) {
  llvm::StringSet<> names;
  for (const std::string &text : flags.getAll("--dim")) {
    std::optional<DimOption> option = parseDimOption(text);
    if (!option) {
      usageError(verb, "'--dim=" + text + "' is not NAME=N with a size N, NAME=LOW..HIGH, nor NAME=FORMULA");
      return false;
    }
    if (!names.insert(option->name).second) {
      usageError(verb, "'--dim' gives \"" + option->name.str() + "\" twice");
      return false;
    }
    options.graph.dims.push_back(text);
  }
  return true;
}

static bool readScheduleFlags(const std::string &verb, const Flags &flags, CompileOptions &options) {
  options.scheduleTable = flags.get("--schedule-table");
  options.schedule = flags.get("--schedule");
  std::string problem;
  for (const char *flag : {"--schedule", "--schedule-table"})
    if (flags.has(flag) && options.from >= Level::Tile)
      problem = std::string("'") + flag + "' is for a model whose IR is not of tile level yet";
  if (flags.has("--schedule") && flags.has("--schedule-table"))
    problem = "'--schedule' is for all products; leave out --schedule-table";
  if (flags.has("--schedule") && !Schedule::parse(options.schedule))
    problem = "'--schedule=" + options.schedule +
              "' is not NAME=N,... with rows, columns, hopper_columns, hopper_cluster and parts as names";
  if (!problem.empty())
    usageError(verb, problem);
  return problem.empty();
}

static bool readInputConstants(const std::string &verb, const Flags &flags, bool isIR,
                               CompileOptions &options) {
  options.inputConstants = flags.getAll("--set");
  llvm::StringSet<> names;
  for (llvm::StringRef text : options.inputConstants) {
    llvm::StringRef name = text.split('=').first;
    std::string problem;
    if (isIR)
      problem = "'--set' is for an ONNX model; '" + options.input + "' is IR";
    else if (name.empty() || !text.contains('='))
      problem = "'--set=" + text.str() + "' is not NAME=VALUE";
    else if (!names.insert(name).second)
      problem = "'--set' gives \"" + name.str() + "\" twice";
    if (problem.empty())
      continue;
    usageError(verb, problem);
    return false;
  }
  return true;
}

static bool readMachines(const std::string &verb, const Flags &flags, CompileOptions &options) {
  if (flags.has("--portable")) {
    if (flags.has("--mcpu")) {
      usageError(verb, "'--portable' is for every x86-64 CPU; leave out --mcpu");
      return false;
    }
    for (const Machine &machine : getMachines())
      if (machine.isX86())
        options.machines.push_back(machine);
    return true;
  }
  std::string cpu = flags.get("--mcpu", "native");
  std::optional<Machine> machine = findMachine(cpu);
  if (!machine) {
    usageError(verb, cpu == "native"
                         ? "this CPU lacks AVX2 and FMA, which Weft's code needs; name another with --mcpu"
                         : "there is no CPU '" + cpu + "'; there are: " + listMachines());
    return false;
  }
  options.machines = {*machine};
  options.isMachineGiven = cpu != "native";
  return true;
}

static bool readTarget(const std::string &verb, const Flags &flags, CompileOptions &options) {
  bool hasDevice =
      llvm::any_of(flags.foreign, [](llvm::StringRef flag) { return flag.starts_with("--device"); });
  std::string target = flags.get("--target", hasDevice ? "cuda" : "cpu");
  std::string problem;
  if (target != "cpu" && target != "cuda" && target != "emulator")
    problem = "there is no target '" + target + "'; there are: cpu, cuda, emulator";
  if (target != "cpu" && flags.has("--portable"))
    problem = "'--portable' is for --target=cpu";
  std::string precision = flags.get("--precision", "f32");
  if (target == "cpu" && precision == "tf32")
    problem = "'--precision=tf32' is for GPUs";
  if (!problem.empty()) {
    usageError(verb, problem);
    return false;
  }
  if (target != "cpu")
    options.target = target == "cuda" ? Target::CUDA : Target::Emulator;
  if (options.target == Target::CUDA)
    options.gpus = getDefaultGPUs();
  return true;
}

bool weft::readModelFlags(const std::string &verb, const Flags &flags, CompileOptions &options) {
  if (!readTarget(verb, flags, options) || !readPrecision(verb, flags, options) ||
      !readMachines(verb, flags, options))
    return false;
  if (flags.has("--from")) {
    const LevelInfo *level = findLevel(flags.get("--from"));
    if (!level) {
      usageError(verb, "there is no level '" + flags.get("--from") + "'; there are: " + listLevels());
      return false;
    }
    options.from = level->level;
  }
  bool isIR = llvm::sys::path::extension(options.input) == ".mlir";
  if (options.from != Level::Import && !isIR) {
    usageError(verb, "'--from' is for IR; '" + options.input + "' is not a .mlir file");
    return false;
  }
  for (const char *flag : {"--mcpu", "--target"})
    if (flags.has(flag) && options.from == Level::Target) {
      usageError(verb, std::string("'") + flag + "' is for a model whose IR is not of target level yet");
      return false;
    }
  for (const char *flag : {"--dim", "--explain-fusion", "--kv-capacity", "--portable", "--precision",
                           "--require-fusion", "--weights"})
    if (flags.has(flag) && options.from >= Level::Graph) {
      usageError(verb, std::string("'") + flag + "' is for a model whose IR is not of graph level yet");
      return false;
    }
  options.constantInitializers = flags.has("--constant-initializers");
  options.dumpDirectory = flags.get("--dump-levels");
  options.reproducer = flags.get("--reproducer");
  options.timing = flags.has("--timing");
  options.verifyEachPass = flags.has("--verify-each");
  return readDims(verb, flags, options) && readInputConstants(verb, flags, isIR, options) &&
         readFusion(verb, flags, options) && readCapacity(verb, flags, options) &&
         readWeights(verb, flags, options) && readScheduleFlags(verb, flags, options);
}

std::string weft::listGPUs() {
  return llvm::join(llvm::map_range(getGPUs(), [](const GPU &gpu) { return gpu.name.drop_front(3); }), ", ");
}

bool weft::findGPU(llvm::StringRef sm, std::vector<GPU> &gpus) {
  for (const GPU &gpu : getGPUs())
    if (gpu.name.drop_front(3) == sm) {
      gpus = {gpu};
      return true;
    }
  return false;
}

std::string weft::findCarrierDirectory(bool sharedLibrary, llvm::StringRef runtime) {
  static const llvm::StringRef besideUs[] = {"", "../lib", "../libexec/weft", "../lib/x86_64-linux-gnu"};
  static const llvm::StringRef inRuntime[] = {
      "bin", "lib", "libexec/weft", "lib/aarch64-linux-gnu", "lib/x86_64-linux-gnu", ""};
  llvm::SmallString<256> root(runtime), self;
  if (runtime.empty()) {
    if (llvm::sys::fs::real_path("/proc/self/exe", self))
      return "";
    root = llvm::sys::path::parent_path(self);
  }
  llvm::StringRef file = sharedLibrary ? "libweft_runtime.so" : "weft-launcher";
  for (llvm::StringRef place : runtime.empty() ? llvm::ArrayRef(besideUs) : llvm::ArrayRef(inRuntime)) {
    llvm::SmallString<256> folder(root), path;
    llvm::sys::path::append(folder, place);
    path = folder;
    llvm::sys::path::append(path, file);
    if (llvm::sys::fs::exists(path))
      return folder.str().str();
  }
  return root.str().str();
}
