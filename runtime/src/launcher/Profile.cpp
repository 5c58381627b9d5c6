// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the steps of each kernel.

#include "Profile.h"
#include "../Error.h"
#include "../Session.h"

#include <algorithm>
#include <map>
#include <set>

namespace weft::runtime {

namespace {

struct KernelWork {
  std::string kernel;
  size_t steps = 0;
  double seconds = 0, flops = 0, bytes = 0;
  double leastSeconds = 0; ///< that its operations take at the machine's speed; 0 if that is not known
};

/// A rate and what part of the machine's it is, by which the work takes so many seconds at least, where that
/// is known, in columns; blank where there is no work of the kind.
std::string rateText(double work, double seconds, double leastSeconds) {
  if (work <= 0 || seconds <= 0)
    return std::string(18, ' ');
  char text[40];
  if (leastSeconds > 0)
    snprintf(text, sizeof(text), "%10.1f%6.0f %%", work / seconds * 1e-9, leastSeconds / seconds * 100);
  else
    snprintf(text, sizeof(text), "%10.1f%8s", work / seconds * 1e-9, "");
  return text;
}

std::string lineText(const KernelWork &work, double total, const MachineSpeed &machine) {
  char text[120];
  snprintf(text, sizeof(text), "%-24.24s%7zu%11.3f%7.1f %%", work.kernel.c_str(), work.steps,
           work.seconds * 1e3, total > 0 ? work.seconds / total * 100 : 0.0);
  double leastOfBytes = machine.bytes() > 0 ? work.bytes / machine.bytes() : 0;
  std::string line = text + rateText(work.flops, work.seconds, work.leastSeconds) +
                     rateText(work.bytes, work.seconds, leastOfBytes);
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

} // namespace

Profile::Profile(const WeftModel &model, WeftSession &session)
    : model(model), session(session), machine(*session.executor, weft_session_isa(&session)),
      seconds(weft_model_step_count(&model)) {
  check(weft_session_profile(&session, 1));
}

void Profile::addRun() {
  for (size_t i = 0; i < seconds.size(); ++i)
    seconds[i].push_back(weft_session_step_work(&session, i).seconds);
}

std::vector<Profile::Step> Profile::steps() const {
  std::vector<Step> steps;
  steps.reserve(seconds.size());
  for (size_t i = 0; i < seconds.size(); ++i) {
    WeftStepWork work = weft_session_step_work(&session, i);
    steps.push_back({weft_model_step_kernel(&model, i), weft_model_step_node(&model, i), medianOf(seconds[i]),
                     static_cast<double>(work.flops), static_cast<double>(work.bytes),
                     work.most_flops_per_second > 0 ? work.most_flops_per_second : machine.flops()});
  }
  return steps;
}

std::string Profile::report() const {
  std::map<std::string, KernelWork> kernels;
  KernelWork all{"all"};
  for (const Step &step : steps())
    for (KernelWork *work : {&kernels[step.kernel], &all}) {
      work->kernel = work == &all ? "all" : step.kernel;
      work->steps += 1;
      work->seconds += step.seconds;
      work->flops += step.flops;
      work->bytes += step.bytes;
      work->leastSeconds += step.mostFlops > 0 ? step.flops / step.mostFlops : 0;
    }
  std::vector<KernelWork> order;
  order.reserve(kernels.size());
  for (auto &[name, work] : kernels)
    order.push_back(work);
  std::sort(order.begin(), order.end(),
            [](const KernelWork &a, const KernelWork &b) { return a.seconds > b.seconds; });
  std::string text =
      "kernel                    steps         ms    share   GFLOP/s of peak      GB/s of memory\n";
  for (const KernelWork &work : order)
    text += lineText(work, all.seconds, machine);
  text += lineText(all, all.seconds, machine);
  return text + roofText() + conflictText();
}

std::string Profile::roofText() const {
  char roof[300];
  if (const char *device = weft_session_device(&session))
    snprintf(roof, sizeof(roof),
             "%s, beside the runs: %.1f GB/s read and written by copies; peaks of GFLOP/s are those of dense "
             "products of a kernel's type at the highest clock\n",
             device, machine.bytes() * 1e-9);
  else
    snprintf(roof, sizeof(roof),
             "machine, beside the runs: %.1f GFLOP/s of f32 multiply-adds, %.1f GB/s read from memory, %zu "
             "threads\n",
             machine.flops() * 1e-9, machine.bytes() * 1e-9, weft_session_threads(&session));
  return roof;
}

/// Kernels whose operations wait at banks of shared memory, each once: steps of a kernel differ in nodes
/// alone.
std::string Profile::conflictText() const {
  std::set<std::string> told;
  std::string text;
  for (size_t i = 0; i < seconds.size(); ++i) {
    std::string conflicts = weft_session_bank_conflicts(&session, i),
                kernel = weft_model_step_kernel(&model, i);
    if (!conflicts.empty() && told.insert(kernel).second)
      text += "banks, kernel " + kernel + "\n" + conflicts;
  }
  return text;
}

} // namespace weft::runtime
