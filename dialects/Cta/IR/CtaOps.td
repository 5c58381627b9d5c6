// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the cta dialect that all GPUs have.
#ifndef CTA_OPS_TD
#define CTA_OPS_TD

include "Cta/IR/CtaOpBase.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

// Numbers that threads of a warp hand each other.
def Cta_Number : AnyTypeOf<[I1, I8, I16, I32, I64, Index, F16, BF16, F32, F64], "a number">;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Cta_KernelOp : Cta_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove, Symbol]> {
  let summary = "what each thread of a block does";
  let description = [{
    The first argument is the number of tiles of the step, the others are its operands: contiguous buffers and scalars. A
    block has `threads` threads and does `tiles` tiles, so that a step of n tiles takes ceildiv(n, tiles) blocks.

    Constraints:
    - kernel-c1: the first argument is an index, the others are memrefs in the device's memory or scalars; there is no result.
    - kernel-c2: threads are whole warps, at most 1024.
    - kernel-c3: tiles is positive.
    - kernel-c4: what the block shares is at most 166912 bytes, or 232448 with `gpu`.
    - kernel-c5: `gpu` is "sm_90a".
    - kernel-c6: `piece` is a power of two.
    - kernel-c7: a cluster has 2, 4 or 8 blocks, of a persistent kernel with `gpu`.
    - kernel-c8: what works on all blocks of a cluster is in a kernel that has clusters.
    - kernel-c9: `blocks_per_processor` is positive, and so many blocks have at most 2048 threads.

    Threads take no more registers than lets a processor have `blocks_per_processor` blocks at a time, or one.

    With `gpu` the kernel is for those GPUs only; `hopper` of another names the kernel that sm_90a runs in its place. The blocks
    of a `persistent` kernel go on to other tiles, cta.grid_size further on: no more of them are launched than run at once.
    Each `cluster` blocks, from a multiple of that on, run at a time, and may copy tiles to each other and arrive at each other's
    barriers. Whole clusters are launched.

    With `warp_vectors` the body is a warp's: what is no vector is the same in all of its threads, and vectors have a lane for
    each. weft-distribute-lanes makes it a thread's. Of a vector with several lanes for each thread `piece` of them, or what
    divides that and their count, lie side by side; the next thread has those behind them.

    Made by weft-emit-cta-kernels. Removed by the lowerings.

    Example:
    ```mlir
    cta.kernel @double(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {threads = 32 : i64, tiles = 1 : i64} {
      %block = cta.block_id
      %thread = cta.thread_id
      %c32 = arith.constant 32 : index
      %first = arith.muli %block, %c32 : index
      %i = arith.addi %first, %thread : index
      %e = memref.load %x[%i] : memref<?xf32>
      %d = arith.addf %e, %e : f32
      memref.store %d, %y[%i] : memref<?xf32>
      cta.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs, I64Attr:$threads, I64Attr:$tiles, UnitAttr:$warp_vectors,
                       OptionalAttr<I64Attr>:$piece, OptionalAttr<I64Attr>:$blocks_per_processor, UnitAttr:$persistent, OptionalAttr<I64Attr>:$cluster,
                       OptionalAttr<StrAttr>:$gpu, OptionalAttr<FlatSymbolRefAttr>:$hopper);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// What the block shares: where each cta.shared lies, in their order, and behind the last one all bytes.
    ::llvm::SmallVector<int64_t> getSharedOffsets();
    int64_t getBlocksAtOnce() { return getBlocksPerProcessor().value_or(1); }
    /// Blocks of a cluster; 1 where each is its own.
    int64_t getClusterBlocks() { return getCluster().value_or(1); }
  }];
}

def Cta_AddressOp : Cta_Op<"address", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel, as launches name it";
  let description = [{
    In a program. The function that the emulator calls; null for a device, which finds the kernel by its name.

    Constraints:
    - address-c1: the kernel exists.

    Example:
    ```mlir
    %f = cta.address @double : !llvm.ptr
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel);
  let results = (outs LLVM_AnyPointer:$result);
  let assemblyFormat = "$kernel attr-dict `:` type($result)";
}

def Cta_ReturnOp : Cta_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "ends a kernel";
  let assemblyFormat = "attr-dict";
}

class Cta_IdOp<string opMnemonic, string text> : Cta_Op<opMnemonic, [Pure]> {
  let summary = text;
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
def Cta_ThreadIdOp : Cta_IdOp<"thread_id", "the number of this thread in its block, from 0"> {
  let description = "Threads 32 i to 32 i + 31 are warp i.";
}
def Cta_BlockIdOp : Cta_IdOp<"block_id", "the number of this block, from 0">;
def Cta_GridSizeOp : Cta_IdOp<"grid_size", "how many blocks there are">;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Cta_SharedOp : Cta_Op<"shared", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory that the threads of the block share";
  let description = [{
    It holds anything at first. Each begins at a multiple of 128 bytes, or of `alignment`, which is more.

    Constraints:
    - shared-c1: a memref of static shape, contiguous, in memory space 3.
    - shared-c2: the alignment is a power of two of 128 at least.

    Example:
    ```mlir
    %s = cta.shared : memref<64x64xf32, 3>
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$alignment);
  let results = (outs AnyStaticShapeMemRef:$memory);
  let assemblyFormat = "(`align` $alignment^)? attr-dict `:` type($memory)";
  let hasVerifier = 1;
}

def Cta_CopyOp : Cta_Op<"copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins to copy 16 bytes of the device's memory to shared memory";
  let description = [{
    Elements `from[at...]` to `to[place...]`, 16 bytes of each, or zeros if they are not there, and then nothing is read. Both
    places are multiples of 16 bytes. The thread goes on; the copy is done when it has waited for it (cta.wait_copies), and
    other threads see it when they have met after that. Until then nobody touches the bytes it goes to. (PTX: cp.async.cg.)

    Constraints:
    - copy-c1: both have one dimension, are contiguous and of the same numbers of 8, 16 or 32 bits; `to` is shared.

    Example:
    ```mlir
    cta.copy %x[%i] to %s[%j] if %is_there : memref<?xf16> to memref<512xf16, 3>
    cta.commit_copies
    cta.wait_copies 0
    cta.barrier
    ```
  }];
  let arguments = (ins AnyMemRef:$from, Index:$at, AnyStaticShapeMemRef:$to, Index:$place, I1:$is_there);
  let assemblyFormat = "$from `[` $at `]` `to` $to `[` $place `]` `if` $is_there attr-dict `:` type($from) `to` type($to)";
  let hasVerifier = 1;
}

def Cta_CommitCopiesOp : Cta_Op<"commit_copies"> {
  let summary = "makes a group of the copies that this thread has begun since the last group";
  let description = "It may have none. (PTX: cp.async.commit_group.)";
  let assemblyFormat = "attr-dict";
}

def Cta_WaitCopiesOp : Cta_Op<"wait_copies"> {
  let summary = "waits for this thread's groups of copies, but for the latest ones";
  let description = [{
    At most `pending` groups are not done behind it. A thread waits for all before it ends. (PTX: cp.async.wait_group.)

    Constraints:
    - wait-copies-c1: pending is not negative.
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Threads together
//===----------------------------------------------------------------------===//

def Cta_BarrierOp : Cta_BarrierOp_<"barrier", "waits for all threads of the block"> {
  let description = "What any of them wrote before, all of them see behind it. (PTX: bar.sync 0.)";
}
def Cta_WarpBarrierOp : Cta_BarrierOp_<"warp_barrier", "waits for all threads of the warp"> {
  let description = "What any of them wrote before, all of them see behind it. (PTX: bar.warp.sync.)";
}

def Cta_ShuffleKind : I32EnumAttr<"ShuffleKind", "whose value a thread gets", [
    I32EnumAttrCase<"Xor", 0, "xor">, I32EnumAttrCase<"From", 1, "from">]> {
  let cppNamespace = "::weft::cta";
}
def Cta_ShuffleOp : Cta_Op<"shuffle", [NoMemoryEffect, AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of another thread of the warp";
  let description = [{
    Of the one whose lane is this thread's xor `lane`, or of lane `lane`, modulo 32. All threads of a warp take part.
    (PTX: shfl.sync.)

    Example:
    ```mlir
    %o = cta.shuffle xor %v, %lane : f32
    ```
  }];
  let arguments = (ins Cta_ShuffleKind:$kind, Cta_Number:$value, I32:$lane);
  let results = (outs Cta_Number:$result);
  let assemblyFormat = "$kind $value `,` $lane attr-dict `:` type($value)";
}

def Cta_Exp2Op : Cta_Op<"exp2", [Pure]> {
  let summary = "2 to the power of a number, by the unit that has functions in hardware";
  let description = [{
    Off by 2 units in the last place at most; what would be less than 2^-126 is 0. (PTX: ex2.approx.ftz.f32.)

    Example:
    ```mlir
    %y = cta.exp2 %v
    ```
  }];
  let arguments = (ins F32:$exponent);
  let results = (outs F32:$result);
  let assemblyFormat = "$exponent attr-dict";
}

def Cta_PackOp : Cta_Op<"pack", [Pure]> {
  let summary = "two numbers, rounded to 16 bits each, as a word";
  let description = [{
    To the nearest, of two that are as near to the even one; `low` is in the lower half. (PTX: cvt.rn.f16x2.f32,
    cvt.rn.bf16x2.f32.)

    Constraints:
    - pack-c1: elements are f16 or bf16.

    Example:
    ```mlir
    %w = cta.pack %v, %y of bf16
    ```
  }];
  let arguments = (ins F32:$low, F32:$high, TypeAttr:$element);
  let results = (outs I32:$result);
  let assemblyFormat = "$low `,` $high `of` $element attr-dict";
  let hasVerifier = 1;
}

def Cta_Dot4Op : Cta_Op<"dot4", [Pure]> {
  let summary = "adds the products of four bytes and four others";
  let description = [{
    `result = c + a[0] * b[0] + ... + a[3] * b[3]`, where a and b are words of four bytes, the first in the lowest bits: those of
    a without signs, those of b with. The sum wraps. (PTX: dp4a.u32.s32.)

    Example:
    ```mlir
    %sum = cta.dot4 %w, %w, %lane
    ```
  }];
  let arguments = (ins I32:$a, I32:$b, I32:$c);
  let results = (outs I32:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict";
}

def Cta_MmaOp : Cta_Op<"mma", [NoMemoryEffect]> {
  let summary = "adds the product of two matrices that the threads of a warp hold, by tensor cores";
  let description = [{
    `result = c + a * b`, where a is 16 x 16, b 16 x 8 and c 16 x 8. Each thread has 8 elements of a and 4 of b, two in a word,
    and 4 sums, as the fragments of mma.m16n8k16 in PTX have them. With `g = lane / 4` and `t = lane % 4` a word of a holds
    two neighbours of a row, (g, 2t), (g + 8, 2t), (g, 2t + 8), (g + 8, 2t + 8); one of b two neighbours of a column, (2t, g),
    (2t + 8, g); and the sums are (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1). All threads of a warp take part.

    Of tf32 a is 16 x 8, and b 8 x 8: a word holds the f32 at (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4) of a and at (t, g),
    (t + 4, g) of b, as in mma.m16n8k8, and it is rounded to tf32, to nearest, halfway away from zero.

    Of bytes, i8, a is 16 x 32, without signs, and b 32 x 8, with signs. A word holds four neighbours, (g, 4t), (g + 8, 4t), (g,
    4t + 16), (g + 8, 4t + 16) of a and (4t, g), (4t + 16, g) of b, as in mma.m16n8k32, and sums are i32, which wrap.

    Constraints:
    - mma-c1: elements are f16, bf16 or tf32, of sums of f32, or i8, of sums of i32.

    Example:
    ```mlir
    %d = cta.mma %a, %b, %c of bf16 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
    %t = cta.mma %a, %b, %c of tf32 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
    %e = cta.mma %a, %b, %f of i8 : vector<4xi32>, vector<2xi32>, vector<4xi32> -> vector<4xi32>
    ```
  }];
  let arguments = (ins VectorOfLengthAndType<[4], [I32]>:$a, VectorOfLengthAndType<[2], [I32]>:$b,
                       VectorOfLengthAndType<[4], [F32, I32]>:$c, TypeAttr:$element);
  let results = (outs VectorOfLengthAndType<[4], [F32, I32]>:$result);
  let assemblyFormat = "$a `,` $b `,` $c `of` $element attr-dict `:` type($a) `,` type($b) `,` type($c) `->` type($result)";
  let hasVerifier = 1;
}

def Cta_LoadMatricesOp : Cta_Op<"load_matrices", [MemoryEffects<[MemRead]>]> {
  let summary = "loads four matrices of 8 x 8 elements of 16 bits out of shared memory, spread over the threads of a warp";
  let description = [{
    Row r of matrix m is the 8 elements, or 16 bytes, from where thread 8 m + r says. Of each matrix a thread gets a word, two neighbours of
    a row: with `g = lane / 4` and `t = lane % 4` they are (g, 2t) and (g, 2t + 1), or, if it is `transposed`, (2t, g) and (2t +
    1, g). These are the fragments that cta.mma takes. All threads of a warp take part. (PTX: ldmatrix.x4.)

    Constraints:
    - load-matrices-c1: the memory has one dimension of elements of 16 bits, or of 8 or 32 if not transposed, is contiguous and
      shared.

    Example:
    ```mlir
    %a = cta.load_matrices %s[%i] : memref<512xf16, 3> -> vector<4xi32>
    %b = cta.load_matrices transposed %s[%i] : memref<512xf16, 3> -> vector<4xi32>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$from, Index:$at, UnitAttr:$transposed);
  let results = (outs VectorOfLengthAndType<[4], [I32]>:$result);
  let assemblyFormat = "(`transposed` $transposed^)? $from `[` $at `]` attr-dict `:` type($from) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$from, "::mlir::Value":$at, "bool":$transposed)>];
  let hasVerifier = 1;
}

def Cta_FailOp : Cta_Op<"fail"> {
  let summary = "reports an error in the data of the running step";
  let description = "An index `value` outside [-bound, bound). The run ends behind the step; the first report of a run wins.";
  let arguments = (ins I64:$value, I64:$bound);
  let assemblyFormat = "$value `,` $bound attr-dict";
}

#endif // CTA_OPS_TD
