// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the CPU target, in the order in which the pipeline runs them.
#ifndef WEFT_COMPILER_TARGET_CPU_PASSES_TD
#define WEFT_COMPILER_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitKernels : Pass<"weft-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Writes the code of one tile of each kernel";
  let description = [{
    Every `weft.kernel` becomes a private `func.func` of the same name and arguments, whose body computes the tile that the first
    argument numbers, in scf, arith, memref, vector and math. Its one operation of work decides which emitter writes it;
    `schedule` says what a tile is:

    - `weft.gemm_tile {rows, columns}`: `rows` rows of one panel of `columns` columns of one matrix of the batch;
      tile = (batch * panels + panel) * rowBlocks + rowBlock.
    - `weft.softmax_tile`, `weft.layer_norm_tile`, `weft.reduce_tile`, `weft.gather_tile {rows}`: `rows` rows.
    - `linalg.generic {rows, columns}`: of rank 1 `columns` elements; of a higher rank `rows` runs of the last dim.

    All sizes may be dynamic, and zero. What is left over at the end of a row is done under masks. Buffers are contiguous, or a
    `memref.reinterpret_cast` of one that is; bools are bytes.
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"512", "Width of a register: 512 or 256">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ApproximateMath : Pass<"weft-approximate-math"> {
  let summary = "Replaces math operations by arithmetic, so that none calls a library";
  let description = [{
    f32 (relative error in units of 2^-24 in docs/numerics.md): exp, log, tanh, erf, sin, cos and the like become polynomials,
    powf goes through f64. f64: exp, log and powf; another function of f64 is an error. What the processor does itself
    (sqrt, fma, abs, rounding) stays.
  }];
  let options = [Option<"avx512", "avx512", "bool", /*default=*/"true",
                        "Whether f32 exp may use the scalef instruction of AVX-512">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

#endif // WEFT_COMPILER_TARGET_CPU_PASSES_TD
