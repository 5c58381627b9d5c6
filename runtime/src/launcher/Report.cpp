// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON by hand: it is written only, and the runtime stands alone.

#include "Report.h"
#include "../Cpu.h"
#include "../Error.h"
#include "../Session.h"
#include "ReportPage.h"

namespace weft::runtime {

namespace {

bool endsWith(const std::string &text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A string of JSON. '<' is escaped so that no name can end the script that a page holds it in.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == '<') {
      char escape[8];
      snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string numberText(double number) {
  char text[32];
  snprintf(text, sizeof(text), "%.9g", number);
  return text;
}

/// "name": value, ...
class Members {
public:
  Members &add(std::string_view name, const std::string &value) {
    text += concat(text.empty() ? "" : ", ", quoted(name), ": ", value);
    return *this;
  }
  Members &add(std::string_view name, double number) { return add(name, numberText(number)); }
  std::string object() const { return "{" + text + "}"; }

private:
  std::string text;
};

template <typename Items, typename ToText> std::string listOf(const Items &items, ToText toText) {
  std::string text;
  for (const auto &item : items)
    text += (text.empty() ? "" : ", ") + toText(item);
  return "[" + text + "]";
}

std::string stepText(const Profile::Step &step) {
  return Members()
      .add("kernel", quoted(step.kernel))
      .add("node", quoted(step.node))
      .add("seconds", step.seconds)
      .add("flops", step.flops)
      .add("bytes", step.bytes)
      .add("most_flops_per_second", step.mostFlops)
      .object();
}

/// One line of JSON, without a '<'.
std::string reportText(const std::string &name, const WeftModel &model, WeftSession &session,
                       const Profile &profile, const std::vector<double> &runSeconds) {
  const char *device = weft_session_device(&session);
  return Members()
             .add("model", quoted(name))
             .add("producer", quoted(weft_model_producer(&model)))
             .add("isa", quoted(levelName(weft_session_isa(&session))))
             .add("device", device ? quoted(device) : "null")
             .add("threads", static_cast<double>(weft_session_threads(&session)))
             .add("code_bytes", static_cast<double>(session.code.bytes))
             .add("weights_bytes", static_cast<double>(weft_model_weights_bytes(&model)))
             .add("arena_bytes", static_cast<double>(weft_session_arena_bytes(&session)))
             .add("machine_flops_per_second", profile.machineSpeed().flops())
             .add("machine_bytes_per_second", profile.machineSpeed().bytes())
             .add("run_seconds", listOf(runSeconds, numberText))
             .add("steps", listOf(profile.steps(), stepText))
             .object() +
         "\n";
}

/// A file's name without its folder and ending.
std::string stemOf(const std::string &path) {
  size_t start = path.rfind('/') + 1; // 0 if there is none
  return path.substr(start, path.rfind('.') - start);
}

/// The path, if it says in which form a report is wanted.
std::string checked(const std::string &path) {
  if (!endsWith(path, ".html") && !endsWith(path, ".json"))
    raiseBadArgument(path, ": a report is written to a .html or a .json file");
  return path;
}

} // namespace

Report::Report(const std::string &path) : path(checked(path)), file(path) {}

void Report::save(const WeftModel &model, WeftSession &session, const Profile &profile,
                  const std::vector<double> &runSeconds) {
  std::string text = reportText(stemOf(path), model, session, profile, runSeconds);
  file.write(endsWith(path, ".json") ? text : concat(reportPageBeforeData, text, reportPageBehindData));
  file.commit();
}

} // namespace weft::runtime
