// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the cta dialect.
#ifndef CTA_OPS_TD
#define CTA_OPS_TD

include "Cta/IR/CtaDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

class Cta_Op<string opMnemonic, list<Trait> traits = []> : Op<Cta_Dialect, opMnemonic, traits>;

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
                       OptionalAttr<I64Attr>:$piece, UnitAttr:$persistent, OptionalAttr<I64Attr>:$cluster,
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

class Cta_BarrierOp_<string opMnemonic, string text> : Cta_Op<opMnemonic> {
  let summary = text;
  let assemblyFormat = "attr-dict";
}
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

//===----------------------------------------------------------------------===//
// Hopper: barriers that count, tiles that are copied by a unit of their own, products of warpgroups
//===----------------------------------------------------------------------===//

// Operations of kernels for sm_90a.
class Cta_HopperOp<string opMnemonic, list<Trait> traits = []> : Cta_Op<opMnemonic, traits>;

def Cta_ElectOp : Cta_HopperOp<"elect", [NoMemoryEffect]> {
  let summary = "whether this is the one thread of its warp that is to go on";
  let description = "All threads of the warp take part; it is the same one each time. (PTX: elect.sync.)";
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def Cta_SetRegistersOp : Cta_HopperOp<"set_registers"> {
  let summary = "how many registers each thread of the warpgroup has from here on";
  let description = [{
    `more` says that they are more than before. (PTX: setmaxnreg.)

    Constraints:
    - set-registers-c1: a multiple of 8 from 24 to 256.

    Example:
    ```mlir
    cta.set_registers 40
    cta.set_registers 232 more
    ```
  }];
  let arguments = (ins I64Attr:$registers, UnitAttr:$more);
  let assemblyFormat = "$registers (`more` $more^)? attr-dict";
  let hasVerifier = 1;
}

def Cta_GroupBarrierOp : Cta_BarrierOp_<"group_barrier", "waits for all threads of the warpgroup"> {
  let description = [{
    That is 128 threads, from a multiple of that on. What any of them wrote before, all of them see behind it. (PTX: bar.sync 1 +
    warpgroup, 128.)
  }];
}

def Cta_ClusterBarrierOp : Cta_BarrierOp_<"cluster_barrier", "waits for all threads of all blocks of the cluster"> {
  let description = [{
    Behind it other blocks may use the barriers that were made before. A block does not end before others have done so: one comes
    last, too. (PTX: barrier.cluster.arrive.release, barrier.cluster.wait.acquire.)
  }];
}

def Cta_FenceAsyncOp : Cta_HopperOp<"fence_async"> {
  let summary = "makes what this thread wrote to shared memory visible to the units that copy and multiply tiles";
  let description = "Of other threads' writes that their own fences do. (PTX: fence.proxy.async.shared::cta.)";
  let assemblyFormat = "attr-dict";
}

class Cta_MbarrierOp<string opMnemonic, list<Trait> traits = []> : Cta_HopperOp<opMnemonic, traits> {
  let hasVerifier = 1;
}
def Cta_MbarrierInitOp : Cta_MbarrierOp<"mbarrier_init"> {
  let summary = "makes a barrier of 64 bits in shared memory: one of as many arrivals";
  let description = [{
    A phase of it ends with the last arrival and the last byte that is expected; then the next one begins. One thread makes it;
    behind a cta.barrier others may use it. (PTX: mbarrier.init.)

    Constraints:
    - mbarrier-c1: the memory is shared, of one dimension, of i64.

    Example:
    ```mlir
    cta.mbarrier_init %m[%k], 2 : memref<4xi64, 3>
    cta.barrier
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$barriers, Index:$at, I64Attr:$arrivals);
  let assemblyFormat = "$barriers `[` $at `]` `,` $arrivals attr-dict `:` type($barriers)";
}
def Cta_MbarrierArriveOp : Cta_MbarrierOp<"mbarrier_arrive"> {
  let summary = "arrives at a barrier, and goes on; it expects so many bytes more of tiles that are copied";
  let description = [{
    What the thread did before is done for those who wait for the phase. With `block` it is the barrier at the same place of that
    block of the cluster, which may be this one. (PTX: mbarrier.arrive, mbarrier.arrive.expect_tx, mapa.)

    Constraints:
    - mbarrier-c2: what arrives at the barrier of a block of the cluster expects no bytes.

    Example:
    ```mlir
    cta.mbarrier_arrive %m[%k] expecting 8192 : memref<4xi64, 3>
    cta.mbarrier_arrive %m[%k] of block %j : memref<4xi64, 3>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$barriers, Index:$at, Optional<Index>:$block, DefaultValuedAttr<I64Attr, "0">:$bytes);
  let assemblyFormat = [{
    $barriers `[` $at `]` (`of` `block` $block^)? (`expecting` $bytes^)? attr-dict `:` type($barriers)
  }];
}
def Cta_MbarrierWaitOp : Cta_MbarrierOp<"mbarrier_wait"> {
  let summary = "waits until the phase of that parity has ended";
  let description = [{
    The first phase has parity 0; the phase before it, of parity 1, has ended. What is copied to shared memory before the phase
    ends the thread sees then. (PTX: mbarrier.try_wait.parity, in a loop.)

    Example:
    ```mlir
    cta.mbarrier_wait %m[%k], %parity : memref<4xi64, 3>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$barriers, Index:$at, I32:$parity);
  let assemblyFormat = "$barriers `[` $at `]` `,` $parity attr-dict `:` type($barriers)";
}

def Cta_TensorMapOp : Cta_HopperOp<"tensor_map", [Pure, AttrSizedOperandSegments]> {
  let summary = "says how a tensor lies in the device's memory";
  let description = [{
    Elements of 16 bits from `x[at]` on; those of the last dim lie side by side, and of the other dims `strides` apart. A tile of
    it is a `box`: the last dim's has 64 elements, which are 128 bytes. The launch makes the map, so that what it is said of is
    arithmetic of the kernel's arguments. (Driver: cuTensorMapEncodeTiled, with swizzling of 128 bytes.)

    Constraints:
    - tensor-map-c1: 2 to 5 dims; a size and a box of each, and a stride of each but the last.
    - tensor-map-c2: a box has 64 elements of the last dim, and 1 to 256 of each other.
    - tensor-map-c3: the memory is the device's, of one dimension, of elements of 16 bits.

    Example:
    ```mlir
    %t = cta.tensor_map %x[%j] sizes(%n, %n) strides(%n) box [64, 64] : memref<?xf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$memory, Index:$at, Variadic<Index>:$sizes, Variadic<Index>:$strides, DenseI64ArrayAttr:$box);
  let results = (outs Cta_TensorMapType:$result);
  let assemblyFormat = [{
    $memory `[` $at `]` `sizes` `(` $sizes `)` `strides` `(` $strides `)` `box` $box attr-dict `:` type($memory)
  }];
  let extraClassDeclaration = [{
    /// Elements of a box's last dim.
    static constexpr int64_t kLineElements = 64;
  }];
  let hasVerifier = 1;
}
def Cta_LoadTileOp : Cta_HopperOp<"load_tile", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins to copy a tile of a tensor to shared memory";
  let description = [{
    The tile begins at the position, and is 0 where it lies outside. It goes to `place`, a multiple of 1024 bytes, line by line of
    128 bytes, whose pieces of 16 bytes are swizzled: piece p of line l is piece p xor (l modulo 8). When it is there its bytes count
    for the barrier. One thread begins it. With `to_cluster` each block of the cluster gets it, at the same place, and its bytes
    count for the barrier at the same place there. (PTX: cp.async.bulk.tensor, with .multicast::cluster.)

    Constraints:
    - tile-c1: the memory is shared, of one dimension, of elements of 16 bits.
    - tile-c2: as many places as the map has dims.

    Example:
    ```mlir
    cta.load_tile %t[%j, %j] to %s[%i] signals %m[%k] : memref<4096xf16, 3>, memref<4xi64, 3>
    cta.load_tile %t[%j, %j] to %s[%i] signals %m[%k] to_cluster : memref<4096xf16, 3>, memref<4xi64, 3>
    ```
  }];
  let arguments = (ins Cta_TensorMapType:$map, Variadic<Index>:$position, AnyStaticShapeMemRef:$to, Index:$place,
                       AnyStaticShapeMemRef:$barriers, Index:$at, UnitAttr:$to_cluster);
  let assemblyFormat = [{
    $map `[` $position `]` `to` $to `[` $place `]` `signals` $barriers `[` $at `]` (`to_cluster` $to_cluster^)? attr-dict
    `:` type($to) `,` type($barriers)
  }];
  let hasVerifier = 1;
}
def Cta_StoreTileOp : Cta_HopperOp<"store_tile", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begins to copy a tile from shared memory to a tensor";
  let description = [{
    As it lies there after cta.load_tile. What lies outside of the tensor is left out. One thread begins it, behind a barrier for
    those who wrote the tile, and behind their fences (cta.fence_async). (PTX: cp.async.bulk.tensor.)

    Constraints:
    - tile-c1: the memory is shared, of one dimension, of elements of 16 bits.
    - tile-c2: as many places as the map has dims.

    Example:
    ```mlir
    cta.store_tile %s[%i] to %t[%j, %j] : memref<4096xf16, 3>
    cta.commit_stores
    cta.wait_stores 0
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$from, Index:$place, Cta_TensorMapType:$map, Variadic<Index>:$position);
  let assemblyFormat = "$from `[` $place `]` `to` $map `[` $position `]` attr-dict `:` type($from)";
  let hasVerifier = 1;
}
def Cta_CommitStoresOp : Cta_HopperOp<"commit_stores"> {
  let summary = "makes a group of the tiles that this thread has begun to store since the last group";
  let description = "(PTX: cp.async.bulk.commit_group.)";
  let assemblyFormat = "attr-dict";
}
def Cta_WaitStoresOp : Cta_HopperOp<"wait_stores"> {
  let summary = "waits until this thread's groups of stores, but for the latest ones, have been read";
  let description = [{
    Then their shared memory may be written again. A thread waits for all before it ends. (PTX: cp.async.bulk.wait_group.read.)

    Constraints:
    - wait-stores-c1: pending is not negative.
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Cta_SharedAddressOp : Cta_HopperOp<"shared_address", [Pure]> {
  let summary = "where an element lies in shared memory, in bytes";
  let description = [{
    As descriptors of matrices want it.

    Example:
    ```mlir
    %d = cta.shared_address %s[%i] : memref<4096xf16, 3>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$memory, Index:$at);
  let results = (outs I64:$result);
  let assemblyFormat = "$memory `[` $at `]` attr-dict `:` type($memory)";
}

def Cta_NoSumsOp : Cta_HopperOp<"no_sums", [Pure]> {
  let summary = "what sums are before anything is added: nothing that counts";
  let results = (outs Variadic<Cta_PendingType>:$sums);
  let assemblyFormat = "attr-dict `:` type($sums)";
}
def Cta_BeginProductsOp : Cta_HopperOp<"begin_products"> {
  let summary = "comes before the products that a warpgroup is to add to sums";
  let description = [{
    What threads have of the sums, and of fragments that are to be multiplied, is in its place then. (PTX: wgmma.fence.)

    Constraints:
    - begin-products-c1: there are as many results as sums.
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Cta_PendingType, F32]>>:$sums);
  let results = (outs Variadic<Cta_PendingType>:$results);
  let assemblyFormat = "$sums attr-dict `:` type($sums) `->` type($results)";
  let hasVerifier = 1;
}
def Cta_WgmmaOp : Cta_HopperOp<"wgmma", [AllTypesMatch<["sums", "results"]>]> {
  let summary = "begins to add the product of two matrices in shared memory to a warpgroup's sums";
  let description = [{
    Of a, 64 x 16, and b, 16 x n, of f16 or bf16, which descriptors of PTX's wgmma say the places of: a by rows, b by columns, or by
    rows if it is `transposed`. Without `keeps` sums are 0 before. Of the 64 rows warp w of the warpgroup has 16 from 16 w on; a
    thread has of each 8 columns four sums, as cta.mma has them. All threads of the warpgroup take part. Nobody reads the sums
    before cta.wait_products, or writes what is multiplied. (PTX: wgmma.mma_async.m64nNk16.)

    Constraints:
    - wgmma-c1: n is a multiple of 8, up to 256, and a thread has n / 2 sums.
    - wgmma-c2: elements are f16 or bf16.

    Example:
    ```mlir
    %s0:4 = cta.no_sums : !cta.pending, !cta.pending, !cta.pending, !cta.pending
    %s1:4 = cta.begin_products %s0#0, %s0#1, %s0#2, %s0#3 : !cta.pending, !cta.pending, !cta.pending, !cta.pending -> !cta.pending, !cta.pending, !cta.pending, !cta.pending
    %s2:4 = cta.wgmma %d, %d, %s1#0, %s1#1, %s1#2, %s1#3 if %is_there of f16 : !cta.pending, !cta.pending, !cta.pending, !cta.pending
    cta.commit_products
    %s3:4 = cta.wait_products 0, %s2#0, %s2#1, %s2#2, %s2#3 : !cta.pending, !cta.pending, !cta.pending, !cta.pending -> f32, f32, f32, f32
    ```
  }];
  let arguments = (ins I64:$a, I64:$b, Variadic<Cta_PendingType>:$sums, I1:$keeps, TypeAttr:$element, UnitAttr:$transposed);
  let results = (outs Variadic<Cta_PendingType>:$results);
  let assemblyFormat = "$a `,` $b `,` $sums `if` $keeps `of` $element (`transposed` $transposed^)? attr-dict `:` type($sums)";
  let extraClassDeclaration = "int64_t getColumns() { return 2 * int64_t(getSums().size()); }";
  let hasVerifier = 1;
}
def Cta_WgmmaFragmentOp : Cta_HopperOp<"wgmma_fragment", [AllTypesMatch<["sums", "results"]>]> {
  let summary = "the same where threads have a: four words each, as cta.mma has them";
  let description = [{
    Each of the warpgroup's warps has 16 of the 64 rows. The words stay what they are before cta.wait_products.

    Constraints:
    - wgmma-c1: n is a multiple of 8, up to 256, and a thread has n / 2 sums.
    - wgmma-c2: elements are f16 or bf16.

    Example:
    ```mlir
    %s4:4 = cta.wgmma_fragment %w, %w, %w, %w, %d, %s1#0, %s1#1, %s1#2, %s1#3 of f16 transposed : !cta.pending, !cta.pending, !cta.pending, !cta.pending
    ```
  }];
  let arguments = (ins I32:$a0, I32:$a1, I32:$a2, I32:$a3, I64:$b, Variadic<Cta_PendingType>:$sums, TypeAttr:$element,
                       UnitAttr:$transposed);
  let results = (outs Variadic<Cta_PendingType>:$results);
  let assemblyFormat = [{
    $a0 `,` $a1 `,` $a2 `,` $a3 `,` $b `,` $sums `of` $element (`transposed` $transposed^)? attr-dict `:` type($sums)
  }];
  let extraClassDeclaration = "int64_t getColumns() { return 2 * int64_t(getSums().size()); }";
  let hasVerifier = 1;
}
def Cta_CommitProductsOp : Cta_HopperOp<"commit_products"> {
  let summary = "makes a group of the products that the warpgroup has begun since the last group";
  let description = "(PTX: wgmma.commit_group.)";
  let assemblyFormat = "attr-dict";
}
def Cta_WaitProductsOp : Cta_HopperOp<"wait_products"> {
  let summary = "waits for the warpgroup's groups of products, but for the latest ones";
  let description = [{
    Sums of groups that have ended may be read. (PTX: wgmma.wait_group.)

    Constraints:
    - wait-products-c1: there are as many results as sums, all pending or all f32.
    - wait-products-c2: of f32 they are sums of a product that is not in the last `pending` groups, which are in this block.
  }];
  let arguments = (ins I64Attr:$pending, Variadic<Cta_PendingType>:$sums);
  let results = (outs Variadic<AnyTypeOf<[Cta_PendingType, F32]>>:$results);
  let assemblyFormat = "$pending `,` $sums attr-dict `:` type($sums) `->` type($results)";
  let hasVerifier = 1;
}

def Cta_FailOp : Cta_Op<"fail"> {
  let summary = "reports an error in the data of the running step";
  let description = "An index `value` outside [-bound, bound). The run ends behind the step; the first report of a run wins.";
  let arguments = (ins I64:$value, I64:$bound);
  let assemblyFormat = "$value `,` $bound attr-dict";
}

#endif // CTA_OPS_TD
