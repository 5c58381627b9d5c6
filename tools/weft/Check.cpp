// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft check: everything that stands in the way of compiling a model, at once.
#include "compiler/Driver/Compiler.h"
#include "tools/weft/Verbs.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdio>

using namespace weft;

int weft::runCheckVerb(const std::vector<std::string> &arguments) {
  std::vector<FlagSpec> specs = getModelFlags();
  llvm::erase_if(specs, [](const FlagSpec &spec) { return spec.name == "--portable"; }); // says nothing here
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
  Compiler compiler(options, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.load();
  // The tile level is the last that a model can fail at: there each operation finds its kernel, or does not.
  if (!module || !compiler.lower(*module, std::max(options.from, Level::Tile)))
    return int(compiler.outcome());
  printf("%s: everything in it can be compiled\n", options.input.c_str());
  return finishOutput("weft check");
}
