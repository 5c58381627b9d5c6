// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile level needs every dim; a type without them is an error of the model, wherever it stands.
// RUN: not weft-opt --weft-form-steps %s 2>&1 | FileCheck %s
func.func @main(%x: tensor<?x3xf32, #weft.dims<"m", 3>> {weft.name = "x"}) -> (tensor<?x3xf32> {weft.name = "y"}) {
  // CHECK: node "/Relu" (weft.relu): expects tensors of known dims, got ? x 3 x f32
  %0 = weft.relu %x : (tensor<?x3xf32, #weft.dims<"m", 3>>) -> tensor<?x3xf32> loc("/Relu")
  // CHECK: node "/Exp" (weft.exp): expects tensors of known dims, got ? x 3 x f32
  %1 = weft.exp %0 : (tensor<?x3xf32>) -> tensor<?x3xf32> loc("/Exp")
  return %1 : tensor<?x3xf32>
}
