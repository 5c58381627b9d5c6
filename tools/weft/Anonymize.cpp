// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft anonymize: a model to send with a bug report.
#include "frontend/Onnx/Anonymize.h"
#include "compiler/Artifact/OutputFile.h"
#include "compiler/Driver/Options.h"
#include "tools/weft/Verbs.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>

using namespace weft;

/// Writes both files, or says why not.
static bool write(llvm::StringRef path, llvm::StringRef weightsPath, const onnx::AnonymousModel &model) {
  auto report = [](llvm::Error error) {
    llvm::errs() << "weft anonymize: error: " << llvm::toString(std::move(error)) << "\n";
    return false;
  };
  llvm::Expected<OutputFile> file = OutputFile::create(path);
  if (!file)
    return report(file.takeError());
  file->write(llvm::StringRef(model.model));
  if (!model.weights.empty()) {
    llvm::Expected<OutputFile> weights = OutputFile::create(weightsPath);
    if (!weights)
      return report(weights.takeError());
    weights->write(llvm::StringRef(model.weights));
    llvm::Error error = file->close();
    if (!error)
      error = weights->commit();
    if (error)
      return report(std::move(error));
  }
  llvm::Error error = file->commit();
  return error ? report(std::move(error)) : true;
}

int weft::runAnonymizeVerb(const std::vector<std::string> &arguments) {
  const std::vector<FlagSpec> specs = {
      {"-o", "FILE", "the model to write; weights lie in FILE.data"},
      {"--node", "NAME", "keep only what this node, or the node that makes this value, is made of"},
      {"--seed", "N", "of the noise (1)"},
      {"--help", "", "this text"},
  };
  std::optional<Flags> flags = Flags::parse("anonymize", specs, arguments);
  if (!flags)
    return 2;
  if (flags->has("--help")) {
    printf("Writes a model to send with a bug report: names are numbers, weights are noise.\n\nusage: weft "
           "anonymize MODEL.onnx -o FILE.onnx [flags]\n\n%s",
           describeFlags(specs).c_str());
    return finishOutput("weft anonymize");
  }
  if (flags->positional.size() != 1)
    return usageError("anonymize",
                      flags->positional.empty() ? "no model given" : "more than one model given");
  std::string output = flags->get("-o");
  if (output.empty())
    return usageError("anonymize", "no -o FILE given");
  onnx::AnonymizeOptions options;
  options.node = flags->get("--node");
  if (llvm::StringRef(flags->get("--seed", "1")).getAsInteger(10, options.seed))
    return usageError("anonymize", "--seed expects a number, got " + flags->get("--seed"));
  llvm::StringRef input = flags->positional.front();
  onnx::Diagnostics diagnostics(llvm::sys::path::filename(input));
  std::string weightsPath = output + ".data";
  auto model = onnx::anonymizeModel(input, llvm::sys::path::filename(weightsPath), options, diagnostics);
  for (const onnx::Diagnostic &diagnostic : diagnostics.all())
    llvm::errs() << diagnostic.message << "\n";
  if (!model)
    return int(Outcome::BadModel);
  if (!write(output, weightsPath, *model))
    return int(Outcome::System);
  printf("%s: %zu nodes; of %zu tensors %zu are noise\n", output.c_str(), model->nodes, model->tensors,
         model->noisyTensors);
  return finishOutput("weft anonymize");
}
