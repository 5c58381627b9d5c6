// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft tune: times schedules for a model's products, and keeps the best in a table.
#include "compiler/Artifact/OutputFile.h"
#include "compiler/Driver/Compiler.h"
#include "runtime/src/launcher/RunCommand.h"
#include "tools/weft/Verbs.h"
#include "tools/weft/tune/Trials.h"
#include "weft/runtime.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdio>

using namespace weft;
using namespace weft::tune;

static const char *const kVerb = "tune";

static std::vector<FlagSpec> getFlags() {
  std::vector<FlagSpec> flags = {
      {"-o", "TABLE",
       "the table of schedules to write; what it has for other products stays (default: "
       "MODEL.schedules.json)"},
      {"--sm", "N", "the GPU to tune for, with --target=cuda: " + listGPUs() + " (default: 90a)"},
      {"--artifacts", "DIR",
       "only write executables to a folder, to be run where the device is, each with its inputs and "
       "--report=ARTIFACT.json"},
      {"--reports", "DIR",
       "choose by the reports of such runs, ARTIFACT.json or several ARTIFACT.*.json, in that folder"},
  };
  for (const FlagSpec &spec : getModelFlags())
    if (!llvm::is_contained({"--portable", "--dump-levels", "--timing", "--schedule"}, spec.name))
      flags.push_back(spec);
  return flags;
}

static int printHelp() {
  printf("Times schedules for the matrix products of a model, and keeps the best in a table for\n"
         "weft compile --schedule-table=TABLE.\n\nusage: weft tune MODEL -o TABLE [flags]\n\n%s%s",
         describeFlags(getFlags()).c_str(), runtime::runOptionsHelp().c_str());
  return finishOutput("weft tune");
}

static int fail(llvm::Error error, Outcome outcome = Outcome::System) {
  fprintf(stderr, "weft tune: error: %s\n", llvm::toString(std::move(error)).c_str());
  return int(outcome);
}

/// Runs each artifact several times, in turns, there and back, so that all see what else the machine does.
/// Reports lie beside them. Returns an exit code.
static int runTrials(const TrialSet &set, llvm::StringRef folder, const std::vector<std::string> &arguments,
                     std::vector<std::vector<std::string>> &reports) {
  constexpr size_t kRounds = 4;
  FILE *nowhere = fopen("/dev/null", "w");
  if (!nowhere)
    return fail(llvm::createStringError("/dev/null cannot be written"));
  llvm::scope_exit close([&] { fclose(nowhere); });
  reports.resize(set.trials.size());
  for (size_t round = 0; round < kRounds; ++round)
    for (size_t turn = 0; turn < set.trials.size(); ++turn) {
      size_t i = round % 2 == 0 ? turn : set.trials.size() - 1 - turn;
      const Trial &trial = set.trials[i];
      WeftModel *model;
      if (WeftStatus error = weft_model_load(pathIn(folder, trial.artifact).c_str(), &model))
        return runtime::reportError("weft tune", error, stderr);
      reports[i].push_back(pathIn(folder, trial.artifact + "." + llvm::Twine(round) + ".json"));
      std::vector<std::string> own = arguments;
      own.push_back("--report=" + reports[i].back());
      int code = runtime::runCommand(model, "weft tune", own, nowhere, stderr);
      weft_model_release(model);
      if (code)
        return code;
    }
  return 0;
}

/// Reports that were made elsewhere.
static llvm::Expected<std::vector<std::vector<std::string>>> findReports(const TrialSet &set,
                                                                         llvm::StringRef folder) {
  std::vector<std::vector<std::string>> reports(set.trials.size());
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end; file != end && !error;
       file.increment(error))
    for (auto [trial, found] : llvm::zip_equal(set.trials, reports))
      if (llvm::StringRef name = llvm::sys::path::filename(file->path());
          name.starts_with(trial.artifact + ".") && name.ends_with(".json"))
        found.push_back(file->path());
  for (auto [trial, found] : llvm::zip_equal(set.trials, reports))
    if (found.empty())
      return llvm::createStringError(folder + ": there is no report of " + trial.artifact + ", " +
                                     trial.artifact + ".json");
  return reports;
}

static void printChoices(llvm::ArrayRef<Choice> choices) {
  printf("product                                     ms     best  schedule\n");
  for (const Choice &choice : choices) {
    const Product &product = choice.product;
    std::string name =
        llvm::formatv("{0}, {1} x {2} x {3}", product.type, product.rows, product.depth, product.columns);
    std::string schedule = choice.best.toString();
    printf("%-36s %10.3f %8.3f  %s\n", name.c_str(), choice.seconds * 1e3, choice.bestSeconds * 1e3,
           schedule.empty() ? "as it is" : schedule.c_str());
  }
}

namespace {
/// The table that is extended: what it has, and where the new one goes.
struct Table {
  std::vector<ScheduleEntry> entries;
  OutputFile file;
};
} // namespace

/// Opens it before the work; a file that is there has to be a table.
static llvm::Expected<Table> openTable(const std::string &path) {
  std::vector<ScheduleEntry> entries;
  if (llvm::sys::fs::exists(path)) {
    auto text = llvm::MemoryBuffer::getFile(path);
    if (!text)
      return llvm::createStringError(path + ": cannot be read: " + text.getError().message());
    llvm::Expected<std::vector<ScheduleEntry>> known = parseSchedules((*text)->getBuffer());
    if (!known)
      return llvm::createStringError(path +
                                     ": is no table of schedules: " + llvm::toString(known.takeError()));
    entries = std::move(*known);
  }
  llvm::Expected<OutputFile> file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  return Table{std::move(entries), std::move(*file)};
}

/// Chooses, and writes what the table has then.
static int finish(const TrialSet &set, llvm::ArrayRef<std::vector<std::string>> reports, Table &table) {
  llvm::Expected<std::vector<Choice>> choices = chooseSchedules(set, reports);
  if (!choices)
    return fail(choices.takeError(), Outcome::BadModel);
  table.file.write(
      llvm::StringRef(printSchedules(mergeChoices(std::move(table.entries), set.machine, *choices))));
  if (llvm::Error error = table.file.commit())
    return fail(std::move(error));
  printChoices(*choices);
  return finishOutput("weft tune");
}

/// What says that something cannot be together; empty if all is well.
static std::string checkFlags(const Flags &flags, const CompileOptions &options,
                              const runtime::RunOptions &run) {
  if (flags.has("--artifacts") && (flags.has("--reports") || flags.has("-o") || !flags.foreign.empty()))
    return "'--artifacts' only compiles; leave out -o, --reports and flags of runs";
  if (flags.has("--reports") && !flags.foreign.empty())
    return "'--reports' runs nothing; leave out '" + flags.foreign.front() + "'";
  bool isOther = run.benchRuns || !run.reportFile.empty() || !run.outputsFile.empty() ||
                 !run.expectFile.empty() || run.signature || run.version || run.guardArena;
  if (isOther)
    return "it only times; leave out --bench, --report, --outputs, --expect, --signature, --version, "
           "--guard-arena";
  if (options.target == Target::Emulator)
    return "the emulator of GPUs says nothing about time";
  return flags.has("--sm") && options.target != Target::CUDA ? "'--sm' is for --target=cuda" : "";
}

/// Tunes in one go, in a folder of its own.
static int tuneHere(const CompileOptions &options, std::vector<std::string> arguments, bool isProfiled,
                    Table &table) {
  llvm::SmallString<256> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("weft-tune", folder))
    return fail(llvm::createStringError(error, "a temporary folder cannot be made: " + error.message()));
  llvm::scope_exit remove([&] { (void)llvm::sys::fs::remove_directories(folder); });
  Outcome outcome;
  std::optional<TrialSet> set = compileTrials(options, folder, ".weft", outcome);
  if (!set)
    return int(outcome);
  if (!isProfiled)
    arguments.push_back("--profile=10");
  std::vector<std::vector<std::string>> reports;
  if (int code = runTrials(*set, folder, arguments, reports))
    return code;
  return finish(*set, reports, table);
}

/// Only compiles.
static int writeArtifacts(CompileOptions options, const std::string &folder) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail(llvm::createStringError(error, folder + ": cannot be made: " + error.message()));
  options.carrierDirectory = findCarrierDirectory(/*sharedLibrary=*/false, "");
  Outcome outcome;
  std::optional<TrialSet> set = compileTrials(options, folder, "", outcome);
  if (!set)
    return int(outcome);
  if (llvm::Error error = writeTrials(*set, folder))
    return fail(std::move(error));
  printf("%s: %zu executables; run each with its inputs and --report=ARTIFACT.json, and then weft tune "
         "--reports=%s\n",
         folder.c_str(), set->trials.size(), folder.c_str());
  return finishOutput("weft tune");
}

/// Only chooses, by runs elsewhere.
static int tuneByReports(const std::string &folder, Table &table) {
  llvm::Expected<TrialSet> set = readTrials(folder);
  if (!set)
    return fail(set.takeError(), Outcome::BadModel);
  auto reports = findReports(*set, folder);
  return reports ? finish(*set, *reports, table) : fail(reports.takeError(), Outcome::BadModel);
}

int weft::runTuneVerb(const std::vector<std::string> &arguments) {
  std::vector<FlagSpec> specs = getFlags();
  specs.push_back({"--help", "", ""}); // described among the runtime's
  std::optional<Flags> flags = Flags::parse(kVerb, specs, arguments, runtime::runFlagLength);
  if (!flags)
    return 2;
  if (flags->has("--help"))
    return printHelp();
  if (flags->positional.size() != 1)
    return usageError(kVerb, flags->positional.empty() ? "no model given" : "more than one model given");
  CompileOptions options;
  options.input = flags->positional.front();
  if (!readModelFlags(kVerb, *flags, options))
    return 2;
  if (options.from >= Level::Tile)
    return usageError(kVerb, "schedules are chosen before the tile level; '--from' is import or graph");
  runtime::RunOptions run;
  if (WeftStatus error = runtime::parseRunOptions(flags->foreign, run))
    return runtime::reportError("weft tune", error, stderr);
  std::string problem = checkFlags(*flags, options, run);
  if (problem.empty() && options.target == Target::CUDA && !findGPU(flags->get("--sm", "90a"), options.gpus))
    problem = "there is no GPU 'sm_" + flags->get("--sm") + "'; '--sm' takes " + listGPUs();
  if (!problem.empty())
    return usageError(kVerb, problem);
  if (flags->has("--artifacts"))
    return writeArtifacts(options, flags->get("--artifacts"));
  std::string output = flags->get("-o", llvm::sys::path::stem(options.input).str() + ".schedules.json");
  llvm::Expected<Table> table = openTable(output);
  if (!table)
    return fail(table.takeError());
  if (flags->has("--reports"))
    return tuneByReports(flags->get("--reports"), *table);
  return tuneHere(options, flags->foreign, run.profileRuns.has_value(), *table);
}
