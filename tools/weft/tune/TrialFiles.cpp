// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// trials.json, which says what the artifacts in a folder are, where they run on another machine.
#include "compiler/Artifact/OutputFile.h"
#include "tools/weft/tune/Trials.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace weft;
using namespace weft::tune;
namespace json = llvm::json;

llvm::Expected<json::Value> tune::readJSON(StringRef path) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return llvm::createStringError(path + ": cannot be read: " + text.getError().message());
  llvm::Expected<json::Value> value = json::parse((*text)->getBuffer());
  if (!value)
    return llvm::createStringError(path + ": " + llvm::toString(value.takeError()));
  return value;
}

std::string tune::pathIn(StringRef folder, const Twine &name) {
  SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

static constexpr llvm::StringLiteral kFile = "trials.json";

static json::Value toJSON(const std::optional<ProductStep> &step) {
  if (!step)
    return nullptr;
  return json::Object{{"node", json::fixUTF8(step->node)},
                      {"type", step->product.type},
                      {"columns", step->product.columns},
                      {"depth", step->product.depth},
                      {"tried", step->isTried}};
}

llvm::Error tune::writeTrials(const TrialSet &set, StringRef folder) {
  json::Array trials;
  for (const Trial &trial : set.trials) {
    json::Array steps;
    for (const auto &step : trial.steps)
      steps.push_back(toJSON(step));
    trials.push_back(json::Object{
        {"schedule", trial.schedule.toString()}, {"artifact", trial.artifact}, {"steps", std::move(steps)}});
  }
  auto out = OutputFile::create(pathIn(folder, kFile));
  if (!out)
    return out.takeError();
  json::Value all = json::Object{{"machine", set.machine}, {"trials", std::move(trials)}};
  out->write(StringRef(llvm::formatv("{0}\n", all).str()));
  return out->commit();
}

namespace weft::tune {

static bool fromJSON(const json::Value &value, ProductStep &step, json::Path path) {
  step.product.rows = ShapedType::kDynamic;
  json::ObjectMapper map(value, path);
  return map && map.map("node", step.node) && map.map("type", step.product.type) &&
         map.map("columns", step.product.columns) && map.map("depth", step.product.depth) &&
         map.map("tried", step.isTried);
}

static bool fromJSON(const json::Value &value, Trial &trial, json::Path path) {
  std::string schedule;
  json::ObjectMapper map(value, path);
  if (!map || !map.map("schedule", schedule) || !map.map("artifact", trial.artifact) ||
      !map.map("steps", trial.steps))
    return false;
  std::optional<Schedule> parsed = Schedule::parse(schedule);
  if (!parsed) {
    path.field("schedule").report("expected a schedule");
    return false;
  }
  trial.schedule = *parsed;
  return true;
}

} // namespace weft::tune

llvm::Expected<TrialSet> tune::readTrials(StringRef folder) {
  std::string path = pathIn(folder, kFile);
  llvm::Expected<json::Value> value = readJSON(path);
  if (!value)
    return value.takeError();
  TrialSet set;
  json::Path::Root root;
  json::ObjectMapper map(*value, root);
  if (!map || !map.map("machine", set.machine) || !map.map("trials", set.trials))
    return llvm::createStringError(path + ": " + llvm::toString(root.getError()));
  if (set.trials.empty())
    return llvm::createStringError(path + ": has no trials");
  return set;
}
