// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which schedules are tried, and artifacts with them.
#include "compiler/Driver/Compiler.h"
#include "compiler/Driver/Levels.h"
#include "tools/weft/tune/Trials.h"

using namespace mlir;
using namespace weft;
using namespace weft::tune;

/// The first is the compiler's own choice.
static std::vector<Schedule> getSchedules(Target target) {
  std::vector<Schedule> schedules = {{}};
  if (target == Target::CPU) {
    for (int64_t rows : {16, 32, 48, 64, 96, 128, 192, 256})
      schedules.push_back({rows});
    return schedules;
  }
  constexpr struct {
    int64_t rows, columns, hopperColumns, hopperCluster;
  } kTiles[] = {
      {64, 64, 64, 1}, {64, 128, 128, 1}, {128, 64, 128, 2}, {128, 128, 256, 1}, {128, 128, 256, 2}};
  for (auto [rows, columns, hopperColumns, hopperCluster] : kTiles)
    for (int64_t parts : {1, 2, 4, 8})
      schedules.push_back({rows, columns, hopperColumns, hopperCluster, parts});
  for (int64_t columns : {8, 16, 32}) // of few rows
    schedules.push_back({0, columns});
  return schedules;
}

/// Which product each step is of, in the order that a run has them.
static std::vector<std::optional<ProductStep>> describeSteps(ModuleOp module) {
  std::vector<std::optional<ProductStep>> steps;
  module.walk([&](StepOp step) {
    std::optional<ProductStep> &described = steps.emplace_back();
    auto product = step->getAttrOfType<DictionaryAttr>(names::kProduct);
    if (!product)
      return;
    auto size = [&](StringRef name) { return product.getAs<IntegerAttr>(name).getInt(); };
    described = ProductStep{
        getNodeName(step),
        {product.getAs<StringAttr>("type").str(), ShapedType::kDynamic, size("columns"), size("depth")},
        product.contains("tried")};
  });
  return steps;
}

std::optional<TrialSet> tune::compileTrials(const CompileOptions &options, StringRef folder,
                                            StringRef extension, Outcome &outcome) {
  TrialSet set{getScheduledMachines(options).front(), {}};
  for (const Schedule &schedule : getSchedules(options.target)) {
    CompileOptions own = options;
    own.schedule = schedule.toString();
    own.marksProducts = true;
    Trial trial{schedule, ("trial-" + Twine(set.trials.size()) + extension).str(), {}};
    own.output = pathIn(folder, trial.artifact);
    Compiler compiler(own, llvm::errs());
    OwningOpRef<ModuleOp> module = compiler.load();
    if (!module || !compiler.lower(*module, Level::Buffer)) {
      outcome = compiler.outcome();
      return std::nullopt;
    }
    trial.steps = describeSteps(*module);
    bool isOther = llvm::any_of(trial.steps, [](const auto &step) { return step && step->isTried; });
    if (!set.trials.empty() && !isOther)
      continue;
    if (!compiler.lower(*module, Level::Buffer, Level::Target) || !compiler.write({*module})) {
      outcome = compiler.outcome();
      return std::nullopt;
    }
    set.trials.push_back(std::move(trial));
  }
  outcome = Outcome::Success;
  return set;
}
