// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the tile level, in the order in which the pipeline runs them.
#ifndef WEFT_COMPILER_TILE_PASSES_TD
#define WEFT_COMPILER_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseSchedules : Pass<"weft-choose-schedules", "::mlir::ModuleOp"> {
  let summary = "Gives products the schedules that were measured to be best for them";
  let description = [{
    A matrix product of rows and one matrix of known size gets `weft.schedules`: what tables have for a product of its size on one of the
    `machines`, of which the first counts most. `table` is a file of schedules in JSON, as `weft tune` writes them, and counts more than
    the one that comes with the compiler (compiler/Tile/Schedules.json). Of a number of rows that is known at run time only it gets all that
    there are, each for `of_rows` rows. A product with a `weft.schedule` of its own is left as it is.

    `schedule` is one that every product gets which can have it, in place of tables. With `marks`, for `weft tune`, each product is told
    apart in `weft.product`, which its steps keep.

    `weft.matmul %x, %w : (tensor<?x768xf32, ...>, tensor<768x3072xf32>)` =>
    `weft.matmul %x, %w {weft.schedules = [{of_rows = 128, rows = 64, columns = 64} ]}`
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"\"cpu\"", "What steps run on: cpu or gpu">,
                 ListOption<"machines", "machines", "std::string", "Names of CPUs or GPUs, the one that counts most first">,
                 Option<"table", "table", "std::string", /*default=*/"\"\"", "A file of schedules">,
                 Option<"schedule", "schedule", "std::string", /*default=*/"\"\"", "A schedule for every product">,
                 Option<"marks", "marks", "bool", /*default=*/"false", "Whether products are told apart in their steps">];
}

def FormSteps : Pass<"weft-form-steps", "::mlir::ModuleOp"> {
  let summary = "Turns each graph operation into steps and kernels";
  let description = [{
    Every function of weft operations becomes a program: its dim symbols are its first arguments (named by
    `weft.symbols`), its tensors lose their encodings, views become `weft.view`, and everything else becomes `weft.step`s over
    grids that follow from the dims and the kernels' schedules. A `weft.schedule` dictionary on an operation overrides the
    sizes that would be chosen, so that a test can write them by hand; so does what `weft-choose-schedules` found in a table.

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
