// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From arguments to an exit code.

#include "RunCommand.h"
#include "../Cpu.h"
#include "../Elements.h"
#include "../Error.h"
#include "../Session.h"
#include "../Tensor.h"
#include "../TensorFiles.h"
#include "../cuda/Device.h"
#include "Compare.h"
#include "Inputs.h"
#include "Report.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <unistd.h>

namespace weft::runtime {

namespace {

constexpr int64_t printedElements = 8;

struct ReleaseSession {
  void operator()(WeftSession *session) const { weft_session_release(session); }
};
using SessionRef = std::unique_ptr<WeftSession, ReleaseSession>;

/// All or an error: what is printed may be what a script waits for.
void print(std::FILE *out, const std::string &text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fflush(out) != 0)
    raiseSystem("standard output cannot be written: ", systemMessage(errno));
}

std::string helpText(const std::string &program) {
  return "Runs a model that Weft compiled.\n\nusage: " + program + " [flags]\n\n" + runOptionsHelp() +
         "\nExit codes: 0 fine, 1 the model or the data is at fault, 2 the command line, 3 results differ "
         "from\n"
         "--expect, 4 the system (unreadable, unwritable, no memory), 70 a bug in Weft.\n";
}

std::string versionText(const WeftModel *model) {
  return concat("weft runtime ", WEFT_VERSION, ", ABI ", WEFT_ABI_VERSION, "\nmodel compiled by ",
                weft_model_producer(model), "\n");
}

/// " (causal, window 256)", behind a step's node.
std::string noteText(const WeftModel *model, size_t step) {
  std::string note = weft_model_step_note(model, step);
  return note.empty() ? note : concat(" (", note, ")");
}

std::string signatureText(const WeftModel *model) {
  std::string text;
  for (size_t i = 0; i < weft_model_input_count(model); ++i)
    text += concat("input   ", weft_model_input_name(model, i), ": ", weft_model_input_type(model, i), "\n");
  for (size_t i = 0; i < weft_model_output_count(model); ++i)
    text +=
        concat("output  ", weft_model_output_name(model, i), ": ", weft_model_output_type(model, i), "\n");
  for (size_t i = 0; i < weft_model_state_count(model); ++i)
    text += concat("state   ", weft_model_state_name(model, i), ": ", weft_model_state_type(model, i), "\n");
  text += concat("needs   ", levelName(weft_model_isa(model, 0)), "\n");
  for (size_t i = 0, codes = weft_model_code_count(model); i < codes; ++i)
    text += concat("code    ", weft_model_code_bytes(model, i), " bytes",
                   codes > 1 ? " for " + levelName(weft_model_isa(model, i)) : "", "\n");
  for (size_t i = 0; i < weft_model_gpu_count(model); ++i)
    text += concat("kernels ", weft_model_gpu_code_bytes(model, i), " bytes for ",
                   cuda::gpuName(weft_model_gpu(model, i)), "\n");
  text += concat("weights ", weft_model_weights_bytes(model), " bytes\narena   ",
                 weft_model_arena_formula(model), " bytes\n");
  for (size_t i = 0; i < weft_model_step_count(model); ++i)
    text += concat("step    ", i, " ", weft_model_step_kernel(model, i), ": ", weft_model_step_node(model, i),
                   noteText(model, i), "\n");
  return text;
}

class ModelRun {
public:
  ModelRun(WeftModel *model, const RunOptions &options) : model(model) {
    std::vector<InputDescription> wanted;
    wanted.reserve(weft_model_input_count(model));
    for (size_t i = 0; i < weft_model_input_count(model); ++i)
      wanted.push_back({weft_model_input_name(model, i), weft_model_input_type(model, i)});
    check(collectInputs(options, wanted, inputs));
    for (const std::vector<TensorRef> &tensors : inputs) {
      inputPointers.emplace_back();
      for (const TensorRef &tensor : tensors)
        inputPointers.back().push_back(tensor.get());
    }
    createSession(options);
  }

  /// Runs with all the inputs in turn; the outputs of the last.
  std::vector<NamedTensor> runAll() {
    for (size_t i = 0; i + 1 < inputs.size(); ++i)
      run(inputPointers[i]);
    lengthsBeforeLast = session->stateLengths();
    return run(inputPointers.back());
  }

  /// The seconds of so many runs.
  std::vector<double> time(size_t runs) {
    warmUp(runs);
    std::vector<double> seconds(runs);
    for (double &taken : seconds) {
      rewind();
      auto start = std::chrono::steady_clock::now();
      run(inputPointers.back());
      taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return seconds;
  }

  std::string describeTimes(std::vector<double> seconds) const {
    std::sort(seconds.begin(), seconds.end());
    size_t runs = seconds.size(), behind95 = (runs * 95 + 99) / 100; // the least number that is 95 percent
    const char *device = weft_session_device(session.get());
    std::string where = device ? device : concat(weft_session_threads(session.get()), " threads");
    char text[300];
    snprintf(text, sizeof(text), "median %.4g ms, p95 %.4g ms, %zu runs, %s, arena %zu bytes\n",
             medianOf(seconds) * 1e3, seconds[behind95 - 1] * 1e3, runs, where.c_str(),
             weft_session_arena_bytes(session.get()));
    return text;
  }

  void profile(size_t runs, Profile &profile) {
    constexpr size_t runsPerMeasurement = 4;
    warmUp(runs);
    for (size_t i = 0; i < runs; ++i) {
      if (i % runsPerMeasurement == 0) {
        profile.measureMachine();
        runAgain(); // what the caches held is gone
      }
      runAgain();
      profile.addRun();
    }
  }

  WeftSession &getSession() { return *session; }

private:
  void createSession(const RunOptions &options) {
    WeftSession *created;
    if (options.device)
      check(weft_session_create_on_device(model, *options.device, &created));
    else if (options.isa)
      check(weft_session_create_for(model, *options.isa, options.threads, &created));
    else
      check(weft_session_create(model, options.threads, &created));
    session.reset(created);
    weft_session_guard_arena(created, options.guardArena);
  }

  void warmUp(size_t runs) {
    for (size_t i = 0; i < std::clamp<size_t>(runs / 10, 1, 10); ++i)
      runAgain();
  }

  /// So that the last run can be made again.
  void rewind() { session->rewind(lengthsBeforeLast); }

  void runAgain() {
    rewind();
    run(inputPointers.back());
  }

  std::vector<NamedTensor> run(const std::vector<WeftTensor *> &pointers) {
    std::vector<WeftTensor *> results(weft_model_output_count(model));
    check(weft_session_run(session.get(), pointers.data(), results.data()));
    std::vector<NamedTensor> outputs(results.size());
    for (size_t i = 0; i < results.size(); ++i)
      outputs[i] = {weft_model_output_name(model, i), TensorRef(results[i])};
    return outputs;
  }

  WeftModel *model;
  std::vector<std::vector<TensorRef>> inputs; ///< of each run
  std::vector<std::vector<WeftTensor *>> inputPointers;
  SessionRef session;
  std::vector<int64_t> lengthsBeforeLast; ///< of the session's states, before the last run
};

void runModel(WeftModel *model, const RunOptions &options, std::FILE *out, std::FILE *err) {
  if (!options.outputsFile.empty()) // Before the work, not after it.
    check(checkSavePath(options.outputsFile, weft_model_output_count(model)));
  std::optional<Report> report;
  if (!options.reportFile.empty())
    report.emplace(options.reportFile);
  ModelRun modelRun(model, options);
  std::vector<NamedTensor> outputs = modelRun.runAll();
  check(finishOutputs(options, outputs, out, err));
  std::vector<double> seconds;
  if (options.benchRuns) {
    seconds = modelRun.time(*options.benchRuns);
    print(out, modelRun.describeTimes(seconds));
  }
  if (!options.profileRuns)
    return;
  Profile profile(*model, modelRun.getSession());
  modelRun.profile(*options.profileRuns, profile);
  print(out, profile.report());
  if (report)
    report->save(*model, modelRun.getSession(), profile, seconds);
}

void compareOutputs(const RunOptions &options, const std::vector<NamedTensor> &outputs, std::FILE *out,
                    std::FILE *err) {
  std::vector<NamedTensor> expected;
  check(loadTensors(options.expectFile, expected));
  if (expected.size() == 1 && outputs.size() == 1 && expected[0].name.empty())
    expected[0].name = outputs[0].name; // A .npy says no name.
  Tolerances tolerances{options.relativeTolerance, options.absoluteTolerance};
  std::vector<std::string> differences = describeDifferences(outputs, expected, tolerances);
  for (const std::string &line : differences)
    std::fprintf(err, "%s\n", line.c_str());
  if (!differences.empty())
    raise(WEFT_STATUS_MISMATCH, differences.size(), " of ", outputs.size(), " outputs differ from ",
          options.expectFile);
  print(out, concat(outputs.size(), " outputs agree with ", options.expectFile, "\n"));
}

} // namespace

void prepareStandardStreams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Opened the wrong way round, so that using them still fails.
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

WeftStatus finishOutputs(const RunOptions &options, const std::vector<NamedTensor> &outputs, std::FILE *out,
                         std::FILE *err) {
  return guarded([&] {
    if (!options.outputsFile.empty())
      check(saveTensors(options.outputsFile, outputs));
    if (!options.expectFile.empty())
      compareOutputs(options, outputs, out, err);
    if (!options.outputsFile.empty() || !options.expectFile.empty() || options.benchRuns ||
        options.profileRuns)
      return;
    for (const NamedTensor &output : outputs) {
      WeftTensor *tensor = output.tensor.get();
      print(out,
            concat(output.name, ": ", typeText(tensor), " = ", previewText(tensor, printedElements), "\n"));
    }
  });
}

int reportError(const std::string &program, WeftStatus error, std::FILE *err) {
  std::fprintf(err, "%s: error: %s\n", program.c_str(), weft_status_message(error));
  int code = weft_status_code(error);
  weft_status_release(error);
  return code;
}

int runCommand(WeftModel *model, const std::string &program, const std::vector<std::string> &arguments,
               std::FILE *out, std::FILE *err) {
  WeftStatus status = guarded([&] {
    RunOptions options;
    check(parseRunOptions(arguments, options));
    if (options.help)
      print(out, helpText(program));
    else if (options.version)
      print(out, versionText(model));
    else if (options.signature)
      print(out, signatureText(model));
    else
      runModel(model, options, out, err);
  });
  return status ? reportError(program, status, err) : 0;
}

} // namespace weft::runtime
