// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-lower-steps-to-launches says of each step what multiplies in its kernel (WeftProductUnit): profiles compare with that.
// RUN: weft-opt --weft-lower-steps-to-launches=machine=x86-64-v4 %s | FileCheck %s

// CHECK: weft.steps = ["threads", {{.*}}#weft.dim<0>, 0, "tf32", {{.*}}#weft.dim<0>, 1, "half", {{.*}}#weft.dim<0>, 2, "bytes", {{.*}}#weft.dim<0>, 3]
func.func @main(%x: memref<4xf32> {weft.dims = #weft.dims<4>, weft.element = f32, weft.name = "x", weft.role = "input"},
                %y: memref<4xf32> {weft.dims = #weft.dims<4>, weft.element = f32, weft.name = "y", weft.role = "output"})
    attributes {weft.arena_bytes = #weft.dim<0>, weft.symbols = []} {
  %n = arith.constant 1 : index
  weft.step @threads[%n] ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  weft.step @tf32[%n] ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  weft.step @half[%n] ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  weft.step @bytes[%n] ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
cta.kernel @threads(%tiles: index, %x: memref<4xf32>, %y: memref<4xf32>) attributes {threads = 32 : i64, tiles = 1 : i64} {
  cta.return
}
cta.kernel @tf32(%tiles: index, %x: memref<4xf32>, %y: memref<4xf32>) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %a = arith.constant dense<0> : vector<4xi32>
  %b = arith.constant dense<0> : vector<2xi32>
  %c = arith.constant dense<0.0> : vector<4xf32>
  %d = cta.mma %a, %b, %c of tf32 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  cta.return
}
cta.kernel @half(%tiles: index, %x: memref<4xf32>, %y: memref<4xf32>) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %a = arith.constant dense<0> : vector<4xi32>
  %b = arith.constant dense<0> : vector<2xi32>
  %c = arith.constant dense<0.0> : vector<4xf32>
  %d = cta.mma %a, %b, %c of bf16 : vector<4xi32>, vector<2xi32>, vector<4xf32> -> vector<4xf32>
  cta.return
}
cta.kernel @bytes(%tiles: index, %x: memref<4xf32>, %y: memref<4xf32>) attributes {threads = 32 : i64, tiles = 1 : i64} {
  %a = arith.constant dense<0> : vector<4xi32>
  %b = arith.constant dense<0> : vector<2xi32>
  %c = arith.constant dense<0> : vector<4xi32>
  %d = cta.mma %a, %b, %c of i8 : vector<4xi32>, vector<2xi32>, vector<4xi32> -> vector<4xi32>
  cta.return
}
