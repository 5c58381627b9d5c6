// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-deduplicate-kernels: kernels that differ in name and location alone become the first of them; any other difference keeps
// both.
// RUN: weft-opt --weft-deduplicate-kernels %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: weft.step @exp[
// CHECK: weft.step @exp[
// CHECK: weft.step @log[
// CHECK: weft.step @sized[
// CHECK: weft.step @scheduled[
func.func @main(%n: index, %x: tensor<?xf32>, %fixed: tensor<4xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<4xf32>, tensor<?xf32>) attributes {weft.symbols = ["n"]} {
  %e = tensor.empty(%n) {weft.dims = #weft.dims<"n">} : tensor<?xf32>
  %f = tensor.empty() {weft.dims = #weft.dims<4>} : tensor<4xf32>
  %a = weft.step @exp[%n] ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  %b = weft.step @twin[%n] ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  %c = weft.step @log[%n] ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  %d = weft.step @sized[%n] ins(%fixed : tensor<4xf32>) outs(%f : tensor<4xf32>) -> (tensor<4xf32>)
  %g = weft.step @scheduled[%n] ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  return %a, %b, %c, %d, %g : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<4xf32>, tensor<?xf32>
}

#same = affine_map<(i) -> (i)>

// CHECK-NOT: weft.kernel @twin
// CHECK: weft.kernel @exp
weft.kernel @exp(%tile: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {schedule = {columns = 64 : i64, rows = 1 : i64}} {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32 loc("first")
    linalg.yield %0 : f32
  }
  weft.yield
}
weft.kernel @twin(%tile: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {schedule = {columns = 64 : i64, rows = 1 : i64}} {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%other: f32, %name: f32):
    %0 = math.exp %other : f32 loc("second")
    linalg.yield %0 : f32
  }
  weft.yield
}
// CHECK-NOT: weft.kernel @twin
// CHECK: weft.kernel @log
weft.kernel @log(%tile: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {schedule = {columns = 64 : i64, rows = 1 : i64}} {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.log %in : f32
    linalg.yield %0 : f32
  }
  weft.yield
}
// CHECK: weft.kernel @sized
weft.kernel @sized(%tile: index, %x: memref<4xf32>, %y: memref<4xf32>) attributes {schedule = {columns = 64 : i64, rows = 1 : i64}} {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  }
  weft.yield
}
// CHECK: weft.kernel @scheduled
weft.kernel @scheduled(%tile: index, %x: memref<?xf32>, %y: memref<?xf32>) attributes {schedule = {columns = 32 : i64, rows = 1 : i64}} {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  }
  weft.yield
}
