// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the tile level, in the order in which the pipeline runs them.
#ifndef WEFT_COMPILER_TILE_PASSES_TD
#define WEFT_COMPILER_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormSteps : Pass<"weft-form-steps", "::mlir::ModuleOp"> {
  let summary = "Turns each graph operation into steps and kernels";
  let description = [{
    Every function of weft operations becomes a program: its dim symbols are its first arguments (named by
    `weft.symbols`), its tensors lose their encodings, views become `weft.view`, and everything else becomes `weft.step`s over
    grids that follow from the dims and the kernels' schedules. A `weft.schedule` dictionary on an operation overrides the
    sizes that would be chosen, so that a test can write them by hand.

    Transposes, slices and reshapes are made when a step asks for their result. One that can read strides, such as the queries and
    keys of attention, reads where their input lies; attention also writes what a transpose would make of its result. Otherwise
    a slice, or a transpose that keeps rows whole, is one copy of where its input lies, and every other transpose one of its input.

    For GPUs tiles are smaller, since there are more that work at once, and attention reads keys and masks as they
    are; if the number of its queries is known at run time only there is a step for few and one for many, of which one has no tiles.

    `weft.relu %x : tensor<?x64xf32, dims<"n", 64>>` =>
    `weft.step @relu [ceildiv(n * 64, 8192)] ins(%x) outs(%empty)`
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"\"cpu\"", "What steps run on: cpu or gpu">];
  let dependentDialects = ["::weft::WeftDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"];
}

def DeduplicateKernels : Pass<"weft-deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "Keeps one of kernels that are alike";
  let description = [{
    Kernels that differ only in name and location become one, so that code and compile time grow with the kinds of layers, not
    with their number.
  }];
  let statistics = [Statistic<"removed", "kernels-removed", "Number of kernels that had a twin">];
}

def VerifyTile : Pass<"weft-verify-tile", "::mlir::ModuleOp"> {
  let summary = "Checks that the module is of the tile level";
  let description = [{
    No graph operation but constants, no encoded tensor type, every step with its kernel, and every kernel with one operation of
    work, at its end. Symbols are arguments, outputs of steps begin as `tensor.empty`, and each result has a step of its own.
  }];
}

#endif // WEFT_COMPILER_TILE_PASSES_TD
