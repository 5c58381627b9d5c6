// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft verify: where compiled code and the evaluator part ways.
#include "tools/weft/verify/Verify.h"
#include "runtime/src/launcher/RunCommand.h"
#include "tools/weft/Verbs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdio>

using namespace weft;
using namespace weft::verify;

static std::vector<FlagSpec> getFlags() {
  std::vector<FlagSpec> flags;
  for (const FlagSpec &spec : getModelFlags()) // those that say what is compiled
    if (llvm::is_contained({"--mcpu", "--dim", "--constant-initializers", "--set", "--from"}, spec.name))
      flags.push_back(spec);
  flags.push_back({"--inputs", "FILE.npz", "read the inputs of these names from a file (numpy.savez)"});
  flags.push_back({"--input", "NAME=...", "one input: @FILE, or TYPE=VALUES as weft run takes it", true});
  flags.push_back({"--seed", "N", "of the inputs that are made where none are given (default: 0)"});
  flags.push_back({"--threads", "N", "run on N threads; 0, the default: one for each processor"});
  flags.push_back({"--all", "", "list every operation and pass, not only what differs"});
  flags.push_back({"--help", "", "this text"});
  return flags;
}

static int printHelp() {
  printf("Runs the compiler beside the evaluator and names the first node, or the first graph pass, that is "
         "wrong.\n"
         "Without inputs it makes some: floats in [-1, 1), other elements 0 or 1, dims of a small prime "
         "each.\n\n"
         "usage: weft verify MODEL [flags]\n\n%s\nExit codes: 0 fine, 3 something differs; the others as for "
         "weft "
         "run.\n",
         describeFlags(getFlags()).c_str());
  return finishOutput("weft verify");
}

/// Flags of a run, parsed as `weft run` parses them.
static bool readRunFlags(const Flags &flags, VerifyOptions &options) {
  std::vector<std::string> arguments;
  for (const char *name : {"--inputs", "--input", "--threads"})
    for (const std::string &value : flags.getAll(name))
      arguments.push_back(std::string(name) + "=" + value);
  if (WeftStatus error = runtime::parseRunOptions(arguments, options.run)) {
    runtime::reportError("weft verify", error, stderr);
    return false;
  }
  std::string seed = flags.get("--seed", "0");
  if (llvm::StringRef(seed).getAsInteger(10, options.seed)) {
    usageError("verify", "'--seed=" + seed + "' is not a number");
    return false;
  }
  if (options.compile.from > Level::Graph) {
    usageError("verify", "'--from' is import or graph: later levels cannot be evaluated");
    return false;
  }
  return true;
}

/// A line that sums up, then what differs: the first, or with `all` everything.
static void printFindings(const char *title, const char *what, const std::vector<Finding> &findings,
                          const char *joint, bool all) {
  const Finding *worst = nullptr, *first = nullptr;
  size_t differing = 0;
  for (const Finding &finding : findings) {
    bool differs = !finding.difference.empty();
    if (!worst || finding.ratio > worst->ratio)
      worst = &finding;
    if (differs && differing++ == 0)
      first = &finding;
  }
  printf("%-8s %zu %s compared", title, findings.size(), what);
  if (worst && worst->ratio > 0)
    printf(", worst ratio %.2g of the bound %s %s", worst->ratio, joint, worst->subject.c_str());
  printf("; %zu differ\n", differing);
  for (const Finding &finding : findings)
    if (all && finding.difference.empty())
      printf("  %-8.2g %s\n", finding.ratio, finding.subject.c_str());
    else if (all || &finding == first)
      printf("  differs: %s: %s\n", finding.subject.c_str(), finding.difference.c_str());
  if (!all && differing > 1)
    printf("  and %zu more, which --all lists\n", differing - 1);
}

static void printPlan(const std::vector<Finding> &outputs) {
  size_t differing = 0;
  for (const Finding &output : outputs)
    if (!output.difference.empty() && differing++ == 0)
      printf("plan     buffers are planned wrongly (weft-plan-arena): output \"%s\" changes when every value "
             "has a "
             "buffer of its own: %s\n",
             output.subject.c_str(), output.difference.c_str());
  if (differing == 0)
    printf("plan     %zu outputs have the same bits when every value has a buffer of its own\n",
           outputs.size());
}

static void printReport(const VerifyOptions &options, const VerifyReport &report, bool all) {
  for (size_t i = 0; i < report.madeInputs.size(); ++i)
    printf("%-8s %s%s\n", i == 0 ? "inputs" : "", report.madeInputs[i].c_str(),
           i == 0 ? (" (made, seed " + std::to_string(options.seed) + ")").c_str() : "");
  printFindings("kernels", "operations", report.kernels, "at", all);
  printPlan(report.outputs);
  if (options.compile.from == Level::Import)
    printFindings("passes", "graph passes", report.passes, "after", all);
  for (const std::string &note : report.notes)
    printf("note     %s\n", note.c_str());
}

int weft::runVerifyVerb(const std::vector<std::string> &arguments) {
  std::optional<Flags> flags = Flags::parse("verify", getFlags(), arguments);
  if (!flags)
    return 2;
  if (flags->has("--help"))
    return printHelp();
  if (flags->positional.size() != 1)
    return usageError("verify", flags->positional.empty() ? "no model given" : "more than one model given");
  VerifyOptions options;
  options.compile.input = flags->positional.front();
  if (!readModelFlags("verify", *flags, options.compile) || !readRunFlags(*flags, options))
    return 2;
  VerifyReport report;
  Outcome outcome = verifyModel(options, report, llvm::errs());
  if (outcome != Outcome::Success && outcome != Outcome::Mismatch)
    return int(outcome);
  printReport(options, report, flags->has("--all"));
  if (int failed = finishOutput("weft verify"))
    return failed;
  return int(outcome);
}
