// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is best for each product, by reports of runs.
#include "tools/weft/tune/Trials.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <map>

using namespace weft;
using namespace weft::tune;

namespace {

/// What one run says of a product.
struct Measured {
  double seconds = 0;
  bool isTried = false;
};

/// A product in an order, as a key.
using Key = std::tuple<std::string, int64_t, int64_t, int64_t>;
Key keyOf(const Product &product) { return {product.type, product.rows, product.columns, product.depth}; }

struct StepReport {
  std::string node;
  double seconds = 0, flops = 0;
};

bool fromJSON(const llvm::json::Value &value, StepReport &step, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("node", step.node) && map.map("seconds", step.seconds) &&
         map.map("flops", step.flops);
}

} // namespace

static llvm::Expected<std::vector<StepReport>> readReport(llvm::StringRef path) {
  llvm::Expected<llvm::json::Value> value = readJSON(path);
  if (!value)
    return value.takeError();
  std::vector<StepReport> steps;
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(*value, root);
  if (!map || !map.map("steps", steps))
    return llvm::createStringError(path + ": no report: " + llvm::toString(root.getError()));
  return steps;
}

/// The products of one run. Steps of a node are those for numbers of rows of which one ran, and what adds up
/// parts; from the operations of the one that ran follows how many rows there were.
static llvm::Expected<std::map<Key, Measured>> measure(const Trial &trial, llvm::StringRef path) {
  llvm::Expected<std::vector<StepReport>> report = readReport(path);
  if (!report)
    return report.takeError();
  if (report->size() != trial.steps.size())
    return llvm::createStringError(path + ": is of another artifact than " + trial.artifact);
  struct Work : Measured {
    Product product;
    double flops = 0;
  };
  std::map<std::pair<std::string, Key>, Work> works;
  for (auto [ran, step] : llvm::zip_equal(*report, trial.steps)) {
    if (!step)
      continue;
    if (ran.node != step->node)
      return llvm::createStringError(path + ": is of another artifact than " + trial.artifact);
    Work &work = works[{step->node, keyOf(step->product)}];
    work.product = step->product;
    work.flops += ran.flops;
    work.seconds += ran.seconds;
    work.isTried |= step->isTried;
  }
  std::map<Key, Measured> measured;
  for (auto &[key, work] : works) {
    Product &product = work.product;
    double flopsOfRow = 2.0 * double(product.columns) * double(product.depth);
    product.rows = std::lround(work.flops / flopsOfRow);
    if (product.rows == 0)
      continue;
    Measured &all = measured[keyOf(product)];
    all.seconds += work.seconds;
    all.isTried |= work.isTried;
  }
  return measured;
}

llvm::Expected<std::vector<Choice>> tune::chooseSchedules(const TrialSet &set,
                                                          llvm::ArrayRef<std::vector<std::string>> reports) {
  constexpr double kLeastGain = 0.03; // machines' speeds move by as much
  const bool isForGPU = llvm::StringRef(set.machine).starts_with("sm_");
  std::map<Key, Choice> choices;
  for (auto [trial, paths] : llvm::zip_equal(set.trials, reports)) {
    std::map<Key, double> seconds; // of the run that was disturbed the least
    for (const std::string &path : paths) {
      llvm::Expected<std::map<Key, Measured>> measured = measure(trial, path);
      if (!measured)
        return measured.takeError();
      for (auto &[key, each] : *measured)
        if (each.isTried || &trial == &set.trials.front()) {
          auto [best, isFirst] = seconds.try_emplace(key, each.seconds);
          best->second = std::min(best->second, each.seconds);
        }
    }
    for (const auto &[key, least] : seconds) {
      auto [type, rows, columns, depth] = key;
      Product product{type, rows, columns, depth};
      if (&trial == &set.trials.front()) {
        choices[key] = {product, least, least, {}};
        continue;
      }
      // One for few rows says nothing about many.
      auto found = choices.find(key);
      if (found == choices.end() || !whyNot(trial.schedule, product, isForGPU).empty())
        continue;
      Choice &choice = found->second;
      if (least < std::min(choice.bestSeconds, choice.seconds * (1 - kLeastGain))) {
        choice.bestSeconds = least;
        choice.best = trial.schedule;
      }
    }
  }
  std::vector<Choice> result;
  result.reserve(choices.size());
  for (auto &[key, choice] : choices)
    result.push_back(choice);
  llvm::sort(result, [](const Choice &a, const Choice &b) { return a.seconds > b.seconds; });
  return result;
}

std::vector<ScheduleEntry> tune::mergeChoices(std::vector<ScheduleEntry> table, llvm::StringRef machine,
                                              llvm::ArrayRef<Choice> choices) {
  for (const Choice &choice : choices) {
    if (choice.best == Schedule())
      continue;
    llvm::erase_if(table, [&](const ScheduleEntry &entry) {
      return entry.machine == machine && keyOf(entry.product) == keyOf(choice.product);
    });
    table.push_back({machine.str(), choice.product, choice.best});
  }
  return table;
}
