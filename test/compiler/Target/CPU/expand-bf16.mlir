// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-expand-bf16 | FileCheck %s

// By way of f32, whose upper half is rounded.
// CHECK-LABEL: @from_integer
// CHECK: arith.sitofp %{{.*}} : vector<8xi16> to vector<8xf32>
// CHECK: arith.shrui
// CHECK: arith.trunci
// CHECK-NOT: arith.truncf
func.func @from_integer(%x: vector<8xi16>) -> vector<8xbf16> {
  %0 = arith.sitofp %x : vector<8xi16> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// CHECK-LABEL: @to_integer
// CHECK: arith.shli
// CHECK: arith.fptoui %{{.*}} : f32 to i32
func.func @to_integer(%x: bf16) -> i32 {
  %0 = arith.fptoui %x : bf16 to i32
  return %0 : i32
}

// A single one that is picked is moved as bits; vectors stay.
// CHECK-LABEL: @select
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i16
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xbf16>
func.func @select(%c: i1, %x: bf16, %y: bf16, %m: vector<8xi1>, %v: vector<8xbf16>, %w: vector<8xbf16>) -> (bf16, vector<8xbf16>) {
  %0 = arith.select %c, %x, %y : bf16
  %1 = arith.select %m, %v, %w : vector<8xi1>, vector<8xbf16>
  return %0, %1 : bf16, vector<8xbf16>
}

// What is not of bf16 stays.
// CHECK-LABEL: @others
// CHECK: arith.sitofp %{{.*}} : i16 to f16
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @others(%x: i16, %y: f32) -> (f16, f16) {
  %0 = arith.sitofp %x : i16 to f16
  %1 = arith.truncf %y : f32 to f16
  return %0, %1 : f16, f16
}
