// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs passes and pipelines on .mlir files: MlirOptMain with our dialects and passes.
#include "compiler/Driver/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  weft::registerDialects(registry);
  weft::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Weft's optimizer driver\n", registry));
}
