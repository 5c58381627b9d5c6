// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of flags: it parses the command line and prints the help.

#include "Options.h"
#include "../Cpu.h"
#include "../Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

namespace weft::runtime {

namespace {

enum class Takes { Nothing, Value, OptionalCount };

struct Flag {
  std::string_view name;
  Takes takes;
  bool mayRepeat;
  void (*set)(RunOptions &options, const std::string &flag, const std::string &value);
  const char *help;
};

template <typename Number>
Number parseNumber(const std::string &flag, const std::string &value, const char *wanted) {
  Number number;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    raiseBadArgument(flag, ": expected ", wanted, ", got \"", value, "\"");
  return number;
}

double parseTolerance(const std::string &flag, const std::string &value) {
  double tolerance = parseNumber<double>(flag, value, "a number");
  if (!(tolerance >= 0) || std::isinf(tolerance))
    raiseBadArgument(flag, ": expected a number of at least 0, got \"", value, "\"");
  return tolerance;
}

/// A GPU's number, or cuda:NUMBER.
size_t parseDevice(const std::string &flag, const std::string &value) {
  constexpr std::string_view kKind = "cuda:";
  return parseNumber<size_t>(flag, value.rfind(kKind, 0) == 0 ? value.substr(kKind.size()) : value,
                             "a GPU's number, as in 0 or cuda:0");
}

constexpr size_t kProfileRuns = 20;

size_t parseRuns(const std::string &flag, const std::string &value, size_t otherwise) {
  size_t runs = value.empty() ? otherwise : parseNumber<size_t>(flag, value, "a number of runs");
  if (runs == 0)
    raiseBadArgument(flag, ": expected at least 1 run, got 0");
  return runs;
}

using Text = const std::string &;

constexpr Flag flags[] = {
    {"--inputs", Takes::Value, true, [](RunOptions &o, Text, Text value) { o.inputsFiles.push_back(value); },
     "  --inputs FILE.npz     read the inputs of these names from a file (numpy.savez); given again, run "
     "once\n"
     "                        with each, in turn, keeping the model's state; the last run's outputs count\n"},
    {"--input", Takes::Value, true, [](RunOptions &o, Text, Text value) { o.inputs.push_back(value); },
     "  --input NAME=@FILE    read one input from a .npy or a .pb (ONNX TensorProto)\n"
     "  --input NAME=TYPE=V   or give it here, as in ids=2x128xi64=0 or x=4xf32=1,2,3,4: one value for all\n"
     "                        elements, or all of them; \"random\" or \"random:SEED\" draws floats from\n"
     "                        [-1, 1) and makes other elements 0 or 1\n"},
    {"--outputs", Takes::Value, false, [](RunOptions &o, Text, Text value) { o.outputsFile = value; },
     "  --outputs FILE.npz    write the outputs (.npy or .pb if there is one) instead of printing them\n"},
    {"--expect", Takes::Value, false, [](RunOptions &o, Text, Text value) { o.expectFile = value; },
     "  --expect FILE.npz     compare the outputs: exit 3 and say where they differ, NaN equals NaN,\n"
     "                        integers must be equal, floats within atol + rtol * |expected|\n"},
    {"--rtol", Takes::Value, false,
     [](RunOptions &o, Text flag, Text value) { o.relativeTolerance = parseTolerance(flag, value); },
     "  --rtol R              relative tolerance of --expect (1e-4)\n"},
    {"--atol", Takes::Value, false,
     [](RunOptions &o, Text flag, Text value) { o.absoluteTolerance = parseTolerance(flag, value); },
     "  --atol A              absolute tolerance of --expect (1e-4)\n"},
    {"--threads", Takes::Value, false,
     [](RunOptions &o, Text flag, Text value) {
       o.threads = parseNumber<size_t>(flag, value, "a number of threads");
     },
     "  --threads N           run on N threads; 0, the default: one for each processor\n"},
    {"--isa", Takes::Value, false, [](RunOptions &o, Text flag, Text value) { o.isa = findIsa(flag, value); },
     "  --isa NAME            run the code for these instructions, of a model that has several: avx2, "
     "avx512,\n"
     "                        vnni, bf16 or amx; on AArch64 neon or dotprod\n"},
    {"--device", Takes::Value, false,
     [](RunOptions &o, Text flag, Text value) { o.device = parseDevice(flag, value); },
     "  --device N            the NVIDIA GPU to run on, 0 or cuda:0 for the first one\n"},
    {"--bench", Takes::OptionalCount, false,
     [](RunOptions &o, Text flag, Text value) { o.benchRuns = parseRuns(flag, value, 50); },
     "  --bench [N]           time N runs (50) after warming up: median and 95th percentile\n"},
    {"--profile", Takes::OptionalCount, false,
     [](RunOptions &o, Text flag, Text value) { o.profileRuns = parseRuns(flag, value, kProfileRuns); },
     "  --profile [N]         time the steps of N runs (20): each kernel's share, its speed, and what part\n"
     "                        that is of what this machine does beside it\n"},
    {"--report", Takes::Value, false, [](RunOptions &o, Text, Text value) { o.reportFile = value; },
     "  --report FILE         write what --profile measures, step by step, as a page (.html) or data "
     "(.json)\n"},
    {"--guard-arena", Takes::Nothing, false, [](RunOptions &o, Text, Text) { o.guardArena = true; },
     "  --guard-arena         fill scratch memory with NaN and put unreadable pages around it (slow)\n"},
    {"--signature", Takes::Nothing, false, [](RunOptions &o, Text, Text) { o.signature = true; },
     "  --signature           print inputs, outputs, memory and steps, and end\n"},
    {"--version", Takes::Nothing, false, [](RunOptions &o, Text, Text) { o.version = true; },
     "  --version             print versions, and end\n"},
    {"--help", Takes::Nothing, false, [](RunOptions &o, Text, Text) { o.help = true; },
     "  --help                print this, and end\n"},
};

const Flag *lookUpFlag(std::string_view name) {
  for (const Flag &flag : flags)
    if (flag.name == name)
      return &flag;
  return nullptr;
}

const Flag &findFlag(const std::string &name) {
  if (const Flag *flag = lookUpFlag(name))
    return *flag;
  raiseBadArgument(name.rfind('-', 0) == 0 ? "unknown flag " : "unexpected argument ", name, "; see --help");
}

bool isCount(const std::string &text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool takesNext(const Flag &flag, const std::string &next) {
  return flag.takes == Takes::Value || (flag.takes == Takes::OptionalCount && isCount(next));
}

void checkTogether(const RunOptions &options, const std::set<std::string> &given) {
  for (const char *tolerance : {"--rtol", "--atol"})
    if (given.count(tolerance) && options.expectFile.empty())
      raiseBadArgument(tolerance, " is a tolerance of --expect, which is missing");
}

RunOptions parseArguments(const std::vector<std::string> &arguments) {
  RunOptions options;
  std::set<std::string> given;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    // "--flag=value" is "--flag value".
    size_t equals = argument.rfind("--", 0) == 0 ? argument.find('=') : std::string::npos;
    bool isJoined = equals != std::string::npos;
    const std::string name = argument.substr(0, equals);
    const Flag &flag = findFlag(name);
    if (!given.insert(name).second && !flag.mayRepeat)
      raiseBadArgument(name, " is given twice");
    std::string value = isJoined ? argument.substr(equals + 1) : "";
    if (isJoined && flag.takes == Takes::Nothing)
      raiseBadArgument(name, " takes no value, got \"", value, "\"");
    if (!isJoined && i + 1 < arguments.size() && takesNext(flag, arguments[i + 1]))
      value = arguments[++i];
    if (value.empty() && (isJoined || flag.takes == Takes::Value))
      raiseBadArgument(name, ": its value is missing");
    flag.set(options, name, value);
  }
  checkTogether(options, given);
  if (!options.reportFile.empty() && !options.profileRuns)
    options.profileRuns = kProfileRuns;
  return options;
}

} // namespace

WeftStatus parseRunOptions(const std::vector<std::string> &arguments, RunOptions &outOptions) {
  return guarded([&] { outOptions = parseArguments(arguments); });
}

size_t runFlagLength(const std::string &argument, const std::string &next) {
  size_t equals = argument.find('=');
  const Flag *flag = lookUpFlag(std::string_view(argument).substr(0, equals));
  if (!flag)
    return 0;
  return equals == std::string::npos && takesNext(*flag, next) ? 2 : 1;
}

std::string runOptionsHelp() {
  std::string help;
  for (const Flag &flag : flags)
    help += flag.help;
  return help;
}

} // namespace weft::runtime
