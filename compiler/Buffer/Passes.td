// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the buffer level, in the order in which the pipeline runs them.
#ifndef WEFT_COMPILER_BUFFER_PASSES_TD
#define WEFT_COMPILER_BUFFER_PASSES_TD

include "mlir/Pass/PassBase.td"

def Bufferize : Pass<"weft-bufferize", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor of a program a buffer";
  let description = [{
    A program's arguments become: symbols, inputs, outputs, weights (all memrefs but the symbols; `weft.role` tells them
    apart). Each step output that begins as `tensor.empty` gets a buffer of its own: the output argument if it is what the
    program returns, else a `memref.alloc`. Constants become views of the weights, in the order of their first use, which
    the module's `weft.weights` lists; a view becomes `memref.reinterpret_cast`.

    Upstream's one-shot-bufferize is not used: a program is straight-line and its steps are destination-style, so a
    buffer for each output is the whole of the decision, and it must not copy.
  }];
  let dependentDialects = ["::weft::WeftDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def GroupSteps : Pass<"weft-group-steps", "::mlir::ModuleOp"> {
  let summary = "Finds steps that need nothing of each other";
  let description = [{
    A step that neither reads what the steps before it write, nor writes what they read or write, is marked
    `weft.beside`: no barrier has to stand between. Such steps follow one another, as the products for queries, keys and
    values do. A target shares out all their tiles at once, so that threads for which a single step has too few tiles
    have work.
  }];
  let statistics = [Statistic<"besides", "steps-beside", "Number of steps that need not wait for the one before">];
  let dependentDialects = ["::weft::WeftDialect"];
}

def PlanArena : Pass<"weft-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Places every buffer of a program in one arena";
  let description = [{
    Buffers whose lifetimes do not meet share a slot; the steps of a group (`weft.beside`) are one moment. A slot is as
    large as the largest of its buffers, rounded up to 64 bytes; the arena is the sum of the slots: a max/+ formula over
    the symbols, in the program's `weft.arena_bytes`. Each `memref.alloc` becomes a `memref.view` of the arena, a new last
    argument.

    A buffer goes into the free slot that it fills best: one of its size, else one that is larger, else one that grows.
  }];
  let statistics = [Statistic<"slots", "arena-slots", "Number of slots">,
                    Statistic<"buffers", "arena-buffers", "Number of buffers placed">];
  let dependentDialects = ["::weft::WeftDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def VerifyBuffer : Pass<"weft-verify-buffer", "::mlir::ModuleOp"> {
  let summary = "Checks that the module is of the buffer level";
  let description = [{
    No tensor type and no allocation; every program has an arena and says its size. Arguments are symbols and buffers with roles,
    and steps have their kernels.
  }];
}

#endif // WEFT_COMPILER_BUFFER_PASSES_TD
