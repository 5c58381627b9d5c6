// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft check: everything that stands in the way of compiling a model, at once.
#include "compiler/Driver/Compiler.h"
#include "tools/weft/Verbs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cstdio>

using namespace weft;

/// All that was found, for programs.
static void printProblems(const CompileOptions &options, const Compiler &compiler) {
  llvm::json::Array problems;
  for (const Problem &problem : compiler.problems())
    problems.push_back(llvm::json::Object{{"severity", problem.isError ? "error" : "warning"},
                                          {"id", problem.id()},
                                          {"node", llvm::json::fixUTF8(problem.node)},
                                          {"message", llvm::json::fixUTF8(problem.text)}});
  llvm::json::Object report{{"model", llvm::json::fixUTF8(options.input)},
                            {"compiles", compiler.outcome() == Outcome::Success},
                            {"problems", std::move(problems)}};
  llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(report))) << "\n";
  llvm::outs().flush();
}

int weft::runCheckVerb(const std::vector<std::string> &arguments) {
  std::vector<FlagSpec> specs = getModelFlags();
  // Levels are checked up to the graph's, so these say nothing here.
  llvm::erase_if(specs, [](const FlagSpec &spec) {
    return llvm::is_contained({"--portable", "--schedule", "--schedule-table", "--target"}, spec.name);
  });
  specs.push_back({"--json", "", "say it as data, on standard output"});
  specs.push_back({"--help", "", "this text"});
  std::optional<Flags> flags = Flags::parse("check", specs, arguments);
  if (!flags)
    return 2;
  if (flags->has("--help")) {
    printf("Says everything in a model that Weft cannot compile. Nothing is compiled.\n\nusage: weft check "
           "MODEL [flags]\n\n%s",
           describeFlags(specs).c_str());
    return finishOutput("weft check");
  }
  if (flags->positional.size() != 1)
    return usageError("check", flags->positional.empty() ? "no model given" : "more than one model given");
  CompileOptions options;
  options.input = flags->positional.front();
  if (!readModelFlags("check", *flags, options))
    return 2;
  bool isJson = flags->has("--json");
  Compiler compiler(options, isJson ? llvm::nulls() : llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.load();
  // The tile level is the last that a model can fail at: there each operation finds its kernel, or does not.
  bool compiles = module && compiler.lower(*module, std::max(options.from, Level::Tile));
  if (isJson)
    printProblems(options, compiler);
  if (!compiles)
    return int(compiler.outcome());
  if (isJson)
    return finishOutput("weft check");
  printf("%s: everything in it can be compiled\n", options.input.c_str());
  return finishOutput("weft check");
}
