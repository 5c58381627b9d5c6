// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the NVIDIA GPU target, in the order in which the pipeline runs them.
#ifndef WEFT_COMPILER_TARGET_NVGPU_PASSES_TD
#define WEFT_COMPILER_TARGET_NVGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def EmitCtaKernels : Pass<"weft-emit-cta-kernels", "::mlir::ModuleOp"> {
  let summary = "Writes what a block of threads does of each kernel";
  let description = [{
    Every `weft.kernel` becomes a `cta.kernel` of the same name, whose first argument is the number of tiles. There are two
    kinds:

    - Of a kernel whose rows or elements do not need each other, a warp does a tile, and a block as many tiles as it has
      warps. The code is that of the CPU's emitters for vectors of 32 lanes; weft-distribute-lanes makes a lane of it each
      thread's.
    - Of matrix products and attention a block does a tile.

    Products of f16 and bf16 matrices of whole pieces of 16 bytes have a kernel for sm_90a, too: with `gpus` of sm_90a in place
    of the one for others, with `all` beside it, and then that one names it (`hopper`).

    A kernel that no emitter writes is an error that names the node.
  }];
  let options = [Option<"gpus", "gpus", "std::string", /*default=*/"\"sm_80\"",
                        "What kernels are for: sm_80 (and later ones), sm_90a, or all of them">];
  let dependentDialects = ["::weft::cta::CtaDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def DistributeLanes : Pass<"weft-distribute-lanes", "::weft::cta::KernelOp"> {
  let summary = "Makes each lane of a vector a thread's number";
  let description = [{
    A vector of 32 lanes becomes a number of each thread of a warp; one of fewer lanes repeats: thread t has lane t modulo
    their number, and of several times as many lanes a thread has a short vector: lane i is element i / 32 of thread i % 32. Loads and stores of vectors become each thread's own, masks become branches, and what takes lanes to other
    places (the halves that a sum of all lanes is made of) becomes cta.shuffle, so sums have the order that vectors of as many
    lanes have on a CPU. What is no vector is the same in all threads of a warp; its stores are the first thread's. Before and
    behind a store to memory that the kernel reads, too, is a barrier of the warp.
  }];
  let dependentDialects = ["::weft::cta::CtaDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerStepsToLaunches : Pass<"weft-lower-steps-to-launches", "::mlir::ModuleOp"> {
  let summary = "Turns each program into the function that launches its kernels";
  let description = [{
    Program number i becomes `weft_entry_<i>(frame, thread, threads)`, as weft-lower-steps makes it, but for a step: it is a call
    of the callback `launch` with a WeftLaunch (runtime/include/weft/abi.h), for this thread's share of the blocks. The
    kernel's arguments are words of 64 bits: the number of tiles, a pointer and the dynamic sizes of each buffer, and
    scalars.
  }];
  let options = [Option<"machine", "machine", "std::string", /*default=*/"\"x86-64-v3\"", "The name of the machine that launches">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect"];
}

def LowerCtaToNVVM : Pass<"weft-lower-cta-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Turns kernels into functions of the nvvm dialect, of which PTX is made";
  let description = [{
    A `cta.kernel` becomes a kernel of the module `@device` with one argument, the address of words in the device's memory
    (WeftGpuWord, runtime/include/weft/abi.h): where failures are reported, the step, and the arguments, of which buffers are
    pointers and their dynamic sizes. Blocks behind the last tile return at once. What a block shares is dynamic shared
    memory. Nothing comes of libdevice: math is arithmetic already (weft-approximate-math).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::vector::VectorDialect"];
}

def LowerCtaToEmulator : Pass<"weft-lower-cta-to-emulator", "::mlir::ModuleOp"> {
  let summary = "Turns kernels into functions that the runtime's emulator calls for each thread";
  let description = [{
    A `cta.kernel` becomes a function of a WeftGpuThread and the kernel's arguments. Blocks behind the last tile return at
    once. What threads do together becomes a call of
    the emulator's callbacks, each with a text that says which operation of which kernel it is. Every access to shared memory
    is reported before it happens, so that the emulator sees races and places outside.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // WEFT_COMPILER_TARGET_NVGPU_PASSES_TD
