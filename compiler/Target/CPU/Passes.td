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
      tile = (batch * rowBlocks + rowBlock) * panels + panel. With experts one panel of one matrix, for all rows that are
      routed to it, `rows` of them at a time; tile = panel * matrices + matrix.
    - `weft.softmax_tile`, `weft.layer_norm_tile`, `weft.rms_norm_tile`, `weft.quantize_rows_tile`, `weft.reduce_tile`,
      `weft.gather_tile {rows}`:
      `rows` rows.
    - `weft.arg_reduce_tile`, `weft.scan_tile {rows, columns}` on [outer, axis, inner]: `rows` of outer and `columns` of inner;
      tile = rowBlock * columnBlocks + columnBlock.
    - `weft.top_k_tile {rows}` on [outer, axis, inner]: `rows` of the outer * inner rows along the axis.
    - `weft.linear_attention_tile {columns}`: `columns` columns of one head's values;
      tile = (batch * heads + head) * columnBlocks + columnBlock.
    - `weft.scatter_tile {columns}`: `columns` columns of all rows.
    - `linalg.generic {rows, columns}`: of rank 1 `columns` elements; of a higher rank `rows` runs of the last dim.

    All sizes may be dynamic, and zero. What is left over at the end of a row is done under masks. Buffers are contiguous, or a
    `memref.reinterpret_cast` of one that is; bools are bytes.
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"512", "Width of a register: 512, 256 or, for AArch64, 128">,
                 Option<"vnni", "vnni", "bool", /*default=*/"false", "Whether there is AVX-512 VNNI">,
                 Option<"bf16", "bf16", "bool", /*default=*/"false", "Whether there is AVX-512 BF16">,
                 Option<"amx", "amx", "bool", /*default=*/"false", "Whether there is AMX for bytes and bf16">,
                 Option<"dotprod", "dotprod", "bool", /*default=*/"false", "Whether there are AArch64's dot products of bytes">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

def ApproximateMath : Pass<"weft-approximate-math"> {
  let summary = "Replaces math operations by arithmetic, so that none calls a library";
  let description = [{
    exp and log of f32 and f64 are within 2 units in the last place, subnormal numbers included; powf of f32 goes through f64 and
    is as exact, of f64 its relative error is below 2e-13. tanh and erf of f64, atan of both, and sin and cos of both up to 2^40, are
    within 4 units; beyond 2^40 sin and cos are NaN. Other functions of f32 become MLIR's polynomials: tanh and erf have
    relative errors of 2.6e-7 and 2.3e-7. Another function of f64 is an error. What the processor does itself (sqrt, fma,
    abs, rounding) stays.
  }];
  let options = [Option<"avx512", "avx512", "bool", /*default=*/"true",
                        "Whether f32 exp and exp2 may use the scalef and reduce instructions of AVX-512">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerSteps : Pass<"weft-lower-steps", "::mlir::ModuleOp"> {
  let summary = "Turns each program into the function that every thread of a run walks";
  let description = [{
    Program number i becomes `weft_entry_<i>(frame, thread, threads)`, as abi.h says: symbols, inputs, outputs, arena and weights
    come out of the frame; a step is a loop over the thread's share of its grid, tiles `grid * thread / threads` up to
    `grid * (thread + 1) / threads`, and then a barrier, after which a run that failed ends. `weft.fail` becomes a call of
    the callback, for which its kernel is passed the frame and the step's number.

    The signature, the arena's formula and the steps' names stay on the function as attributes, of which the artifact's metadata
    is made; the machine's name goes to the module.
  }];
  let options = [Option<"machine", "machine", "std::string", /*default=*/"\"x86-64-v3\"", "The machine's name">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect"];
}

def ExpandBF16 : Pass<"weft-expand-bf16"> {
  let summary = "Turns conversions of bf16 into arithmetic, so that none calls a library";
  let description = [{
    To and from f32 by shifts and rounding of the bits, to nearest even; to and from integers by way of f32. A single one that is picked by a condition is picked as bits. No canonicalizer may
    run between this and the lowering to the llvm dialect: it would put the two halves of such a conversion together again.
  }];
  let options = [Option<"fromF32", "from-f32", "bool", /*default=*/"true", "To and from f32, too, for which GPUs have instructions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def VerifyTarget : Pass<"weft-verify-target", "::mlir::ModuleOp"> {
  let summary = "Checks that the module is of the target level";
  let description = [{
    Nothing but the llvm dialect, no undefined function, and no operation that code generation makes a call of the C library
    of: generated code calls nothing but the table of callbacks.
  }];
}

#endif // WEFT_COMPILER_TARGET_CPU_PASSES_TD
