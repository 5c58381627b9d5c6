// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole tiles of 8192 elements, one less and one more, and scalars.
// RUN: %python %S/../compare.py %s n=8191,m=16 n=8192,m=15 n=8193,m=17 n=16384,m=1 n=16385,m=0 n=0,m=1 n=1,m=511
func.func @main(%a: tensor<?xf32, #weft.dims<"n">> {weft.name = "a"},
                %b: tensor<?x512xf32, #weft.dims<"m", 512>> {weft.name = "b"},
                %c: tensor<?x511xf32, #weft.dims<"m", 511>> {weft.name = "c"},
                %d: tensor<?x513xf32, #weft.dims<"m", 513>> {weft.name = "d"},
                %s: tensor<f32> {weft.name = "s"})
  -> (tensor<?xf32> {weft.name = "flat"},
     tensor<?xf32> {weft.name = "scalar"},
     tensor<?x?xf32> {weft.name = "merged"},
     tensor<?x?xf32> {weft.name = "transposed"},
     tensor<?x?xf32> {weft.name = "softmax"},
     tensor<f32> {weft.name = "rank0"}) {
  %flat = weft.relu %a : (tensor<?xf32, #weft.dims<"n">>) -> tensor<?xf32>
  %scalar = weft.add %a, %s : (tensor<?xf32, #weft.dims<"n">>, tensor<f32>) -> tensor<?xf32>
  %merged = weft.relu %b : (tensor<?x512xf32, #weft.dims<"m", 512>>) -> tensor<?x?xf32>
  %transposed = weft.transpose %c {permutation = array<i64: 1, 0>} : (tensor<?x511xf32, #weft.dims<"m", 511>>) -> tensor<?x?xf32>
  %softmax = weft.softmax %d {axis = 1 : i64} : (tensor<?x513xf32, #weft.dims<"m", 513>>) -> tensor<?x?xf32>
  %rank0 = weft.add %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %flat, %scalar, %merged, %transposed, %softmax, %rank0 : tensor<?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<f32>
}
