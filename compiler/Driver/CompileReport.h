// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `weft compile --report` tells of a compile: as data for programs (.json), and as a page for people
// (.html).
#ifndef WEFT_COMPILER_DRIVER_COMPILEREPORT_H
#define WEFT_COMPILER_DRIVER_COMPILEREPORT_H

#include "compiler/Artifact/OutputFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace weft {

/// The members of the data are in docs/report.md.
class CompileReport {
public:
  /// Opens the file, so that one that cannot be written is an error before the work.
  llvm::Error open(llvm::StringRef path);

  /// Members of the data that only the driver knows: names, sizes, times.
  llvm::json::Object facts;

  /// A softmax that is part of no fused attention, and the remark that says why.
  void addDeclined(llvm::StringRef node, llvm::StringRef remark);
  /// Reads the steps, the buffers and the weights of every entry point of a module of the buffer level. Dims
  /// lie between the bounds of `dimOptions`, as --dim writes them.
  void addPrograms(mlir::ModuleOp module, llvm::ArrayRef<std::string> dimOptions);

  /// Writes the report in the form that the path's ending says.
  llvm::Error save();

private:
  bool isPage = false;
  std::optional<OutputFile> file;
  llvm::json::Array declined, programs;
};

} // namespace weft

#endif // WEFT_COMPILER_DRIVER_COMPILEREPORT_H
