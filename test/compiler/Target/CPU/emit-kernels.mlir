// RUN: weft-opt %s -weft-emit-kernels=vector-bits=512 -canonicalize -cse -split-input-file | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: weft-opt %s -weft-emit-kernels=vector-bits=256 -canonicalize -cse -split-input-file | FileCheck %s --check-prefixes=CHECK,AVX2
// What the numbers come out as is tested by CPUKernelTest; this is about the code: which registers, which cases.

// A static matrix of 8 rows and one whole panel: one register tile, no branches, no masks. There is nothing to cut.
// CHECK-LABEL: func.func private @whole_panel
// CHECK-NOT: weft.pieces
// CHECK-NOT: mask
// CHECK-NOT: scf.if
// CHECK-NOT: scf.index_switch
// AVX512: scf.for {{.*}} -> (vector<16xf32>,
// AVX512-COUNT-24: vector.fma {{.*}} : vector<16xf32>
// AVX512-NOT: vector.fma
// AVX512-COUNT-24: vector.store
// CHECK: return
weft.kernel @whole_panel(%t: index, %a: memref<8x64xf32>, %b: memref<1x64x48xf32>, %c: memref<8x48xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<8x64xf32>, memref<1x64x48xf32>) outs(%c : memref<8x48xf32>) {packed}
  weft.yield
}

// -----

// 9 rows are 5 and 4, and the 6 columns that there are take one vector: rhs is packed, so only what is written is masked.
// CHECK-LABEL: func.func private @tail
// AVX512: scf.index_switch
// AVX512: case 4
// AVX512-COUNT-4: vector.fma
// AVX512-NOT: vector.fma
// AVX512-COUNT-4: vector.maskedstore
// AVX512: case 5
// AVX512-COUNT-5: vector.fma
// AVX512-NOT: vector.fma
// AVX512-COUNT-5: vector.maskedstore
// CHECK-NOT: vector.maskedload
// CHECK: return
weft.kernel @tail(%t: index, %a: memref<9x64xf32>, %b: memref<1x64x48xf32>, %c: memref<9x6xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<9x64xf32>, memref<1x64x48xf32>) outs(%c : memref<9x6xf32>) {packed}
  weft.yield
}

// -----

// Any number of rows: a case for each size of register tile. A tile can be cut, between two of them.
// CHECK-LABEL: func.func private @dynamic_rows
// CHECK-SAME: memref<?x48xf32>, %{{.*}}: index, %{{.*}}: index) attributes {weft.pieces}
// AVX512: case 8
// AVX2: case 6
// AVX2-NOT: case 7
// CHECK: return
weft.kernel @dynamic_rows(%t: index, %a: memref<?x64xf32>, %b: memref<1x64x48xf32>, %c: memref<?x48xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<?x64xf32>, memref<1x64x48xf32>) outs(%c : memref<?x48xf32>) {packed}
  weft.yield
}

// -----

// A summed dim that may be longer than 1024 is done in blocks, with an epilogue after the last.
// CHECK-LABEL: func.func private @long_sum
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1024
// CHECK: vector.fma
// CHECK: scf.if
// CHECK: math.exp %{{.*}} : vector<
// CHECK: return
weft.kernel @long_sum(%t: index, %a: memref<8x?xf32>, %b: memref<?x48xf32>, %c: memref<8x48xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 48 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<8x?xf32>, memref<?x48xf32>) outs(%c : memref<8x48xf32>) epilogue {
  ^bb0(%sum: f32):
    %e = math.exp %sum : f32
    weft.yield %e : f32
  }
  weft.yield
}

// -----

// The epilogue of all rows comes after the sums of all of them, never between groups of rows.
// CHECK-LABEL: func.func private @epilogue_after_sums
// CHECK: scf.if
// CHECK: %[[GROUPS:.*]] = arith.divui
// CHECK: scf.for %{{.*}} = %c0 to %[[GROUPS]] step
// CHECK-NOT: math.exp
// CHECK: memref.prefetch %{{.*}}, read, locality<3>, data : memref<3072xf32>
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data : memref<3072xf32>
// CHECK: vector.fma
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step
// CHECK: math.exp
// CHECK: return
weft.kernel @epilogue_after_sums(%t: index, %a: memref<16x64xf32>, %b: memref<1x64x48xf32>, %c: memref<16x48xf32>)
    attributes {schedule = {rows = 16 : i64, columns = 48 : i64}} {
  weft.gemm_tile ins(%a, %b : memref<16x64xf32>, memref<1x64x48xf32>) outs(%c : memref<16x48xf32>) epilogue {
  ^bb0(%sum: f32):
    %e = math.exp %sum : f32
    weft.yield %e : f32
  } {packed}
  weft.yield
}

// -----

// Steps keep calling the kernel by its name.
// CHECK-LABEL: func.func @steps
// CHECK: weft.step @add[
func.func @steps(%grid: index, %a: memref<64x96xf32>, %c: memref<64x96xf32>, %s: f32) {
  weft.step @add[%grid] ins(%a, %s : memref<64x96xf32>, f32) outs(%c : memref<64x96xf32>)
  return
}

// Whole vectors and an argument that is a scalar: nothing is masked.
// CHECK-LABEL: func.func private @add
// CHECK-SAME: %[[S:[a-z0-9]+]]: f32
// CHECK-NOT: mask
// CHECK: vector.broadcast %[[S]]
// AVX512: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
// AVX2: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-NOT: mask
// CHECK: return
weft.kernel @add(%t: index, %a: memref<64x96xf32>, %s: f32, %c: memref<64x96xf32>)
    attributes {schedule = {rows = 8 : i64, columns = 96 : i64}} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]} ins(%a : memref<64x96xf32>) outs(%c : memref<64x96xf32>) {
  ^bb0(%x: f32, %z: f32):
    %y = arith.addf %x, %s : f32
    linalg.yield %y : f32
  }
  weft.yield
}

// -----

// A sum of a row takes four registers at a time.
// CHECK-LABEL: func.func private @sum
// AVX512: arith.addf %{{.*}}, %{{.*}} : vector<64xf32>
// AVX2: arith.addf %{{.*}}, %{{.*}} : vector<32xf32>
weft.kernel @sum(%t: index, %a: memref<?x?xf32>, %out: memref<?xf32>) attributes {schedule = {rows = 4 : i64}} {
  weft.reduce_tile %a, %out {kind = 0 : i32} : (memref<?x?xf32>, memref<?xf32>) -> ()
  weft.yield
}

// -----

// An index out of range is reported, and its row left alone.
// CHECK-LABEL: func.func private @gather
// CHECK: %[[VALID:.*]] = arith.cmpi ult
// CHECK: scf.if %[[VALID]]
// CHECK: } else {
// CHECK: weft.fail
weft.kernel @gather(%t: index, %a: memref<1x?x64xf32>, %i: memref<?xi64>, %out: memref<1x?x64xf32>)
    attributes {schedule = {rows = 4 : i64}} {
  weft.gather_tile %a, %i, %out : (memref<1x?x64xf32>, memref<?xi64>, memref<1x?x64xf32>) -> ()
  weft.yield
}

// -----

// Every tile walks all places; what is outside is skipped.
// CHECK-LABEL: func.func private @scatter
// CHECK: scf.for %[[I:.*]] =
// CHECK: memref.load %arg1[%[[I]]]
// CHECK: %[[VALID:.*]] = arith.cmpi ult
// CHECK: scf.if %[[VALID]]
// AVX512: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
// AVX2: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
weft.kernel @scatter(%t: index, %p: memref<?xi64>, %u: memref<?x64xf32>, %out: memref<?x64xf32>)
    attributes {schedule = {columns = 32 : i64}} {
  weft.scatter_tile %p, %u, %out {kind = 1 : i32} : (memref<?xi64>, memref<?x64xf32>, memref<?x64xf32>) -> ()
  weft.yield
}

// -----

// A heap in the result; floats are compared by keys that are integers.
// CHECK-LABEL: func.func private @top_k
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: scf.while
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i32
weft.kernel @top_k(%t: index, %a: memref<?x?x1xf32>, %out: memref<?x5x1xi64>) attributes {schedule = {rows = 4 : i64}} {
  weft.top_k_tile %a, %out {largest} : (memref<?x?x1xf32>, memref<?x5x1xi64>) -> ()
  weft.yield
}

// -----

// What attention sums may be 0 where it would be no normal number.
// CHECK-LABEL: func.func private @attention
// CHECK: math.exp2 %{{.*}} fastmath<afn>
// CHECK-NOT: math.exp2 %{{[a-z0-9_]*}} :
// CHECK: return
weft.kernel @attention(%t: index, %q: memref<1x1x64x8xf32>, %k: memref<1x1x1x8x64xf32>, %v: memref<1x1x64x16xf32>, %out: memref<1x1x64x16xf32>)
    attributes {schedule = {rows = 16 : i64, columns = 64 : i64}} {
  weft.attention_tile ins(%q, %k, %v : memref<1x1x64x8xf32>, memref<1x1x1x8x64xf32>, memref<1x1x64x16xf32>) outs(%out : memref<1x1x64x16xf32>) scale(1.0) empty_rows(nan)
  weft.yield
}
