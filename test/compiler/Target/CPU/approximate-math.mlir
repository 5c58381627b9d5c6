// RUN: weft-opt %s -weft-approximate-math=avx512=true -split-input-file -verify-diagnostics | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: weft-opt %s -weft-approximate-math=avx512=false -split-input-file -verify-diagnostics | FileCheck %s --check-prefixes=CHECK,AVX2
// How exact the results are is tested by CPUKernelTest.

// CHECK-LABEL: @exp
// CHECK-NOT: math.exp
// AVX512: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// AVX2-NOT: scalef
// CHECK: return
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// CHECK-LABEL: @exp_of_8
// CHECK-NOT: scalef
// CHECK-NOT: math.exp
// CHECK: return
func.func @exp_of_8(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: @nothing_is_left
// CHECK-NOT: math.{{log|tanh|erf|powf|sin|cos|exp|atan}}
// CHECK: return
func.func @nothing_is_left(%x: vector<16xf32>, %s: f32, %d: f64) -> (vector<16xf32>, f32, f64) {
  %0 = math.tanh %x : vector<16xf32>
  %1 = math.erf %0 : vector<16xf32>
  %2 = math.powf %1, %x : vector<16xf32>
  %3 = math.sin %2 : vector<16xf32>
  %cosine = math.cos %3 : vector<16xf32>
  %4 = math.atan %cosine : vector<16xf32>
  %5 = math.log %s : f32
  %6 = math.powf %d, %d : f64
  %7 = math.exp %6 : f64
  %8 = math.tanh %7 : f64
  %9 = math.erf %8 : f64
  %10 = math.sin %9 : f64
  %cosine64 = math.cos %10 : f64
  %11 = math.atan %cosine64 : f64
  return %4, %5, %11 : vector<16xf32>, f32, f64
}

// What the processor does stays.
// CHECK-LABEL: @native
// CHECK: math.sqrt
// CHECK: math.fma
// CHECK: math.floor
// CHECK: math.ceil
// CHECK: math.roundeven
func.func @native(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sqrt %x : vector<16xf32>
  %1 = math.fma %0, %x, %x : vector<16xf32>
  %2 = math.floor %1 : vector<16xf32>
  %3 = math.ceil %2 : vector<16xf32>
  %4 = math.roundeven %3 : vector<16xf32>
  return %4 : vector<16xf32>
}

// A square is a product.
// CHECK-LABEL: @square
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: return
func.func @square(%x: vector<16xf32>) -> vector<16xf32> {
  %two = arith.constant dense<2.0> : vector<16xf32>
  %0 = math.powf %x, %two : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

func.func @double(%x: vector<8xf64>) -> vector<8xf64> {
  // expected-error@+1 {{math.cbrt on 'vector<8xf64>' has no form without a call of libm; expects f32, or of f64 exp, exp2, log, powf, tanh, erf, sin, cos or atan}}
  %0 = math.cbrt %x : vector<8xf64>
  return %0 : vector<8xf64>
}
