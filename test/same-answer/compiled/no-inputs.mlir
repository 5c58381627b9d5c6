// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model without inputs: everything is constant.
// RUN: %python %S/../compare.py %s none=0
// RUN: weft run %s | FileCheck %s
// CHECK: sum
// CHECK: 4
func.func @main() -> (tensor<2xf32> {weft.name = "sum"}) {
  %a = weft.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %b = weft.constant dense<1.0> : tensor<f32>
  %sum = weft.add %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %sum : tensor<2xf32>
}
