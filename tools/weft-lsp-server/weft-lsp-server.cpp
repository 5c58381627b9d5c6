// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The language server for editors: MLIR's, with our dialect.
#include "compiler/Driver/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  weft::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
