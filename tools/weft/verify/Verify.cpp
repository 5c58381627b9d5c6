// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of things: compile, with taps and without, run both, compare.
#include "tools/weft/verify/Verify.h"
#include "runtime/src/Tensor.h"
#include "tools/weft/Evaluate.h"
#include "tools/weft/verify/Compare.h"
#include "tools/weft/verify/Stages.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace weft;
using namespace weft::verify;

namespace {
struct ReleaseModel {
  void operator()(WeftModel *model) const { weft_model_release(model); }
};
struct ReleaseSession {
  void operator()(WeftSession *session) const { weft_session_release(session); }
};

class Verification {
public:
  Verification(const VerifyOptions &options, llvm::StringRef artifact, VerifyReport &report,
               llvm::raw_ostream &errors)
      : run(options.run), seed(options.seed), artifact(artifact.str()), report(report), errors(errors),
        from(options.compile.from), compiler(prepare(options.compile), errors) {}

  Outcome verify();

private:
  CompileOptions prepare(CompileOptions options);
  bool makeInputs(func::FuncOp entry);
  std::optional<SmallVector<Tensor>> runCompiled(ModuleOp graph);
  void compareOutputs(func::FuncOp entry, ArrayRef<Tensor> plain, ArrayRef<Tensor> tapped);
  bool check(WeftStatus status);

  runtime::RunOptions run;
  uint64_t seed;
  std::string artifact; ///< where the compiled model is while it runs
  VerifyReport &report;
  llvm::raw_ostream &errors;
  Level from;
  Compiler compiler;
  std::vector<Snapshot> snapshots; // They go before the compiler's context.
  std::vector<runtime::TensorRef> inputs;
  SmallVector<Tensor> inputValues;
  Outcome outcome = Outcome::Success;
};
} // namespace

CompileOptions Verification::prepare(CompileOptions options) {
  options.output = artifact;
  options.instrument = [this, given = options.instrument](PassManager &passes, Level level) {
    if (level == Level::Graph)
      recordSnapshots(passes, snapshots);
    if (given)
      given(passes, level);
  };
  return options;
}

/// Prints an error of the runtime, which becomes the outcome.
bool Verification::check(WeftStatus status) {
  if (!status)
    return true;
  errors << "weft verify: error: " << weft_status_message(status) << "\n";
  outcome = Outcome(weft_status_code(status));
  weft_status_release(status);
  return false;
}

bool Verification::makeInputs(func::FuncOp entry) {
  std::vector<runtime::InputDescription> wanted = describeInputs(entry->getParentOfType<ModuleOp>());
  if (run.inputsFiles.empty() && run.inputs.empty()) {
    FailureOr<std::vector<runtime::TensorRef>> made = makeRandomInputs(entry, seed);
    if (failed(made)) {
      outcome = Outcome::BadModel;
      return false;
    }
    inputs = std::move(*made);
    for (auto [description, tensor] : llvm::zip(wanted, inputs))
      report.madeInputs.push_back(description.name + ": " + runtime::typeText(tensor.get()));
  } else {
    std::vector<std::vector<runtime::TensorRef>> runs;
    if (!check(runtime::collectInputs(run, wanted, runs)))
      return false;
    inputs = std::move(runs.front());
  }
  for (const runtime::TensorRef &input : inputs)
    inputValues.push_back(toEvaluatorTensor(entry.getContext(), input.get()));
  return true;
}

/// Compiles a module of the graph level, and runs it.
std::optional<SmallVector<Tensor>> Verification::runCompiled(ModuleOp graph) {
  if (!compiler.lower(graph, Level::Graph, Level::Target) || !compiler.write(graph)) {
    outcome = compiler.outcome();
    return std::nullopt;
  }
  WeftModel *model;
  if (!check(weft_model_load(artifact.c_str(), &model)))
    return std::nullopt;
  std::unique_ptr<WeftModel, ReleaseModel> modelOwner(model);
  WeftSession *session;
  if (!check(weft_session_create(model, run.threads, &session)))
    return std::nullopt;
  std::unique_ptr<WeftSession, ReleaseSession> sessionOwner(session);
  std::vector<WeftTensor *> pointers, results(weft_model_output_count(model));
  for (const runtime::TensorRef &input : inputs)
    pointers.push_back(input.get());
  if (!check(weft_session_run(session, pointers.data(), results.data())))
    return std::nullopt;
  SmallVector<Tensor> outputs;
  for (WeftTensor *result : results) {
    outputs.push_back(toEvaluatorTensor(graph.getContext(), result));
    weft_tensor_release(result);
  }
  return outputs;
}

/// The same kernels on other buffers must give the same bits.
void Verification::compareOutputs(func::FuncOp entry, ArrayRef<Tensor> plain, ArrayRef<Tensor> tapped) {
  for (auto [i, output] : llvm::enumerate(plain)) {
    Finding finding{getOutputName(entry, i), 0, ""};
    if (output.getBytes() != tapped[i].getBytes()) {
      Comparison comparison = compareTensors(output, tapped[i], {});
      finding.ratio = comparison.ratio;
      finding.difference =
          comparison.difference.empty() ? "a zero or NaN has other bits" : comparison.difference;
    }
    report.outputs.push_back(std::move(finding));
  }
}

Outcome Verification::verify() {
  OwningOpRef<ModuleOp> graph = compiler.load();
  if (!graph || (from < Level::Graph && !compiler.lower(*graph, Level::Graph)))
    return compiler.outcome();
  func::FuncOp entry = getEntry(*graph);
  if (!entry) {
    graph->emitError("has no entry point");
    return Outcome::BadModel;
  }
  if (!makeInputs(entry))
    return outcome;

  OwningOpRef<ModuleOp> plain = graph->clone(), tapped = graph->clone();
  addTaps(getEntry(*tapped));
  std::optional<SmallVector<Tensor>> outputs = runCompiled(*plain);
  std::optional<SmallVector<Tensor>> taps = outputs ? runCompiled(*tapped) : std::nullopt;
  if (!taps)
    return outcome;
  compareOutputs(entry, *outputs, *taps);
  ArrayRef<Tensor> tapValues = ArrayRef(*taps).drop_front(outputs->size());

  func::FuncOp model = snapshots.empty() ? entry : getEntry(*snapshots.front().module);
  if (failed(compareKernels(entry, inputValues, tapValues, report.kernels)) ||
      failed(comparePasses(snapshots, inputValues, report.passes)) ||
      failed(findNonFinite(model, inputValues, report.notes)))
    return Outcome::BadModel;
  auto differs = [](const Finding &finding) { return !finding.difference.empty(); };
  bool isFine = llvm::none_of(report.kernels, differs) && llvm::none_of(report.outputs, differs) &&
                llvm::none_of(report.passes, differs);
  return isFine ? Outcome::Success : Outcome::Mismatch;
}

Outcome verify::verifyModel(const VerifyOptions &options, VerifyReport &report, llvm::raw_ostream &errors) {
  SmallString<256> path;
  int fd;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("weft", "weft", fd, path)) {
    errors << "weft verify: error: cannot make a temporary file: " << error.message() << "\n";
    return Outcome::System;
  }
  llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(fd);
  (void)llvm::sys::fs::closeFile(file); // nothing was written
  Outcome outcome = Verification(options, path, report, errors).verify();
  (void)llvm::sys::fs::remove(path); // of no use any more, and of no harm
  return outcome;
}
