// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules that a model's products are tried with, and what came of it.
#ifndef WEFT_TOOLS_WEFT_TUNE_TRIALS_H
#define WEFT_TOOLS_WEFT_TUNE_TRIALS_H

#include "compiler/Driver/Options.h"
#include "compiler/Tile/ScheduleTable.h"

namespace weft::tune {

/// The product that a step belongs to; its rows are known when it has run.
struct ProductStep {
  std::string node;
  Product product;
  bool isTried = false; ///< it has the trial's schedule
};

/// A schedule on all products at once that can have it: an artifact.
struct Trial {
  Schedule schedule;    ///< nothing: as the compiler chooses
  std::string artifact; ///< its file's name
  std::vector<std::optional<ProductStep>> steps;
};

/// All trials of a model, and for which machine.
struct TrialSet {
  std::string machine;
  std::vector<Trial> trials; ///< the first as the compiler chooses
};

/// The path of what a folder of trials has of that name.
std::string pathIn(llvm::StringRef folder, const llvm::Twine &name);
/// Compiles every trial that changes a product into a file in `folder`, whose name ends with `extension`.
/// Returns nothing after an error, which was reported.
std::optional<TrialSet> compileTrials(const CompileOptions &options, llvm::StringRef folder,
                                      llvm::StringRef extension, Outcome &outcome);
/// A file of JSON; an error names it.
llvm::Expected<llvm::json::Value> readJSON(llvm::StringRef path);
/// What a folder of them says.
llvm::Expected<TrialSet> readTrials(llvm::StringRef folder);
llvm::Error writeTrials(const TrialSet &set, llvm::StringRef folder);

/// A product's best schedule.
struct Choice {
  Product product;
  double seconds;     ///< of all its steps in a run, as the compiler chooses
  double bestSeconds; ///< with the schedule
  Schedule best;      ///< nothing where none is better
};

/// Of each product that ran, the most expensive first. `reports` has for each trial the reports of its runs,
/// JSON of `--report`; schedules that gain less than a few percent are not worth an entry.
llvm::Expected<std::vector<Choice>> chooseSchedules(const TrialSet &set,
                                                    llvm::ArrayRef<std::vector<std::string>> reports);
/// A table with the choices in place of what it had for the same products.
std::vector<ScheduleEntry> mergeChoices(std::vector<ScheduleEntry> table, llvm::StringRef machine,
                                        llvm::ArrayRef<Choice> choices);

} // namespace weft::tune

#endif // WEFT_TOOLS_WEFT_TUNE_TRIALS_H
