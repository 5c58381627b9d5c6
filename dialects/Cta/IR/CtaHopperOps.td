// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that sm_90a has: barriers that count, clusters, tiles that are copied by a unit of their own, products of
// warpgroups.
#ifndef CTA_HOPPER_OPS_TD
#define CTA_HOPPER_OPS_TD

include "Cta/IR/CtaOpBase.td"

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

#endif // CTA_HOPPER_OPS_TD
