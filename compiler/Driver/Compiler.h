// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One compilation: a model in, an artifact or IR out.
#ifndef WEFT_COMPILER_DRIVER_COMPILER_H
#define WEFT_COMPILER_DRIVER_COMPILER_H

#include "compiler/Artifact/EmitObject.h"
#include "compiler/Driver/CompileReport.h"
#include "compiler/Driver/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

namespace weft {

/// A diagnostic, for programs.
struct Problem {
  bool isError;
  std::string node; ///< the name of the node at fault; perhaps empty
  std::string text; ///< the line that people read; an id is at its end, if it has one

  /// "weft-0180", or empty.
  llvm::StringRef id() const;
};

/// Compiles one model. Diagnostics go to `errors`, a line each.
class Compiler {
public:
  Compiler(CompileOptions options, llvm::raw_ostream &errors);

  /// Reads the input: ONNX goes through the importer, .mlir is parsed as IR of `options.from`. Returns null
  /// on error.
  mlir::OwningOpRef<mlir::ModuleOp> load();
  /// Runs the levels after `options.from`, up to `last`.
  bool lower(mlir::ModuleOp module, Level last) { return lower(module, options.from, last); }
  /// The same for a module of another level than the input's.
  bool lower(mlir::ModuleOp module, Level from, Level last);
  /// Writes a module of the last level as the output's extension says; or the modules of several machines,
  /// made of one, as one artifact.
  bool write(llvm::ArrayRef<mlir::ModuleOp> modules);
  /// All of it: load, lower, write, and a summary on `summary` if it is not null.
  Outcome compile(llvm::raw_ostream *summary);

  /// How the last of these ended.
  Outcome outcome() const { return result; }
  /// Errors and warnings so far.
  llvm::ArrayRef<Problem> problems() const { return found; }
  mlir::MLIRContext &getContext() { return context; }

private:
  mlir::OwningOpRef<mlir::ModuleOp> loadIR();
  mlir::OwningOpRef<mlir::ModuleOp> importModel();
  bool lowerTo(mlir::ModuleOp module, Level level, const Machine &machine);
  bool lowerForMachines(mlir::ModuleOp module, std::vector<mlir::OwningOpRef<mlir::ModuleOp>> &copies);
  bool dump(mlir::ModuleOp module, const llvm::Twine &name);
  std::optional<Machine> machineOf(mlir::ModuleOp module);
  std::optional<Code> makeCode(mlir::ModuleOp module);
  std::optional<std::vector<DeviceCode>> makeDeviceCodes(mlir::ModuleOp module);
  bool writeArtifactFile(llvm::ArrayRef<mlir::ModuleOp> modules, llvm::StringRef extension);
  bool writeText(mlir::ModuleOp module, llvm::StringRef extension);
  void report(mlir::Diagnostic &diagnostic);
  void report(Problem problem);
  void printSummary(mlir::ModuleOp module, llvm::raw_ostream &out);
  void countOperations(mlir::ModuleOp module);
  bool saveReport();
  bool checkReport(llvm::Error error);
  bool fail(Outcome outcome);
  /// The same, but for System where a diagnostic says that the system is at fault.
  bool failUnlessSystem(Outcome outcome) { return fail(systemFailed ? Outcome::System : outcome); }

  struct Facts {
    size_t operations = 0, attentions = 0, steps = 0, kernels = 0;
    int64_t codeBytes = 0, weightBytes = 0;
    std::string arena;
    llvm::SmallVector<llvm::StringRef> machines;                   ///< that code was made for
    llvm::SmallVector<std::pair<llvm::StringRef, double>> seconds; ///< by level
  };

  CompileOptions options;
  llvm::raw_ostream &errors;
  mlir::MLIRContext context;
  Outcome result = Outcome::Success;
  bool systemFailed = false; ///< a diagnostic with the system's id was reported
  Facts facts;
  std::vector<Problem> found;
  bool explains = false; ///< remarks are printed; a report has them anyhow
  CompileReport compileReport;
};

} // namespace weft

#endif // WEFT_COMPILER_DRIVER_COMPILER_H
