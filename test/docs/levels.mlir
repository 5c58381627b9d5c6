// The model of docs/levels.md and what it says of each level, line by line. Whoever changes one changes the other.
// RUN: weft compile %s --to=import | weft-opt | FileCheck %s --check-prefix=IMPORT
// RUN: weft compile %s --to=graph --mcpu=x86-64-v4 | weft-opt | FileCheck %s --check-prefix=GRAPH
// RUN: weft compile %s --to=tile --mcpu=x86-64-v4 | weft-opt | FileCheck %s --check-prefix=TILE
// RUN: weft compile %s --to=buffer --mcpu=x86-64-v4 | weft-opt | FileCheck %s --check-prefix=BUFFER
// RUN: weft compile %s --to=target --mcpu=x86-64-v4 | weft-opt | FileCheck %s --check-prefix=TARGET

func.func @main(%x: tensor<?x64xf32, #weft.dims<"n", 64>> {weft.name = "x"})
    -> (tensor<?x8xf32, #weft.dims<"n", 8>> {weft.name = "y"}) {
  %w = weft.constant dense<0.5> : tensor<64x8xf32>
  %b = weft.constant dense<1.0> : tensor<8xf32>
  %product = weft.matmul %x, %w : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %sum = weft.add %product, %b : (tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %y = weft.softmax %sum {axis = 1 : i64} : (tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  return %y : tensor<?x8xf32, #weft.dims<"n", 8>>
}

// IMPORT: func.func @main(%arg0: tensor<?x64xf32, #weft.dims<"n", 64>> {weft.name = "x"})
// IMPORT: %2 = weft.matmul %arg0, %0 : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
// IMPORT: %3 = weft.add %2, %1 :
// IMPORT: %4 = weft.softmax %3 {axis = 1 : i64}

// GRAPH: %0 = weft.constant weight<"", 0, 12288, 18113274391653854329> : tensor<1x64x48xf32>
// GRAPH-NEXT: %1 = weft.matmul %arg0, %0 epilogue {
// GRAPH-NEXT: ^bb0(%arg1: f32):
// GRAPH-NEXT: %cst = arith.constant 1.000000e+00 : f32
// GRAPH-NEXT: %3 = arith.addf %arg1, %cst : f32
// GRAPH-NEXT: weft.yield %3 : f32
// GRAPH-NEXT: } {packed_columns = 8 : i64} :
// GRAPH-NEXT: %2 = weft.softmax %1 {axis = 1 : i64}

// TILE: func.func @main(%arg0: index, %arg1: tensor<?x64xf32> {weft.dims = #weft.dims<"n", 64>, weft.element = f32, weft.name = "x"})
// TILE-SAME: attributes {weft.symbols = ["n"]}
// TILE: %9 = tensor.empty(%arg0) {weft.dims = #weft.dims<"n", 8>} : tensor<?x8xf32>
// TILE-NEXT: %10 = weft.step @matmul[%3] ins(%arg1, %8 : tensor<?x64xf32>, tensor<1x64x48xf32>) outs(%9 : tensor<?x8xf32>) -> (tensor<?x8xf32>) work(<1024 * "n"> flops, <288 * "n" + 12288> bytes)
// TILE-NEXT: %11 = weft.step @softmax[%7] ins(%10 : tensor<?x8xf32>) outs(%9 : tensor<?x8xf32>) -> (tensor<?x8xf32>) work(<0> flops, <64 * "n"> bytes)
// TILE: weft.kernel @softmax(%arg0: index, %arg1: memref<?x8xf32>, %arg2: memref<?x8xf32>) attributes {schedule = {rows = 64 : i64}} {
// TILE-NEXT: weft.softmax_tile %arg1, %arg2 : (memref<?x8xf32>, memref<?x8xf32>) -> ()
// TILE-NEXT: weft.yield

// BUFFER: %arg3: memref<?xi8> {weft.role = "weights"}, %arg4: memref<?xi8> {weft.role = "arena"})
// BUFFER-SAME: weft.arena_bytes = #weft.dim<64 * floordiv("n" + 1, 2)>
// BUFFER: %view = memref.view %arg3[%c0][] : memref<?xi8> to memref<1x64x48xf32>
// BUFFER-NEXT: %view_1 = memref.view %arg4[%c0_0][%arg0] {weft.bytes = #weft.dim<64 * floordiv("n" + 1, 2)>, weft.offset = #weft.dim<0>} : memref<?xi8> to memref<?x8xf32>
// BUFFER-NEXT: weft.step @matmul[%3] ins(%arg1, %view : memref<?x64xf32>, memref<1x64x48xf32>) outs(%view_1 : memref<?x8xf32>)
// BUFFER: weft.step @softmax[%7] ins(%view_1 : memref<?x8xf32>) outs(%reinterpret_cast : memref<?x8xf32>)

// TARGET: llvm.func @weft_entry_0(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64)
// TARGET: llvm.call @matmul(
// TARGET: [[STATUS:%.*]] = llvm.call %{{.*}}(%{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i64) -> i32
// TARGET-NEXT: [[FAILED:%.*]] = llvm.icmp "ne" [[STATUS]], %{{.*}} : i32
// TARGET-NEXT: llvm.cond_br [[FAILED]],
// TARGET: llvm.call @softmax(
// TARGET: llvm.func @matmul({{.*}} attributes {sym_visibility = "private"}
