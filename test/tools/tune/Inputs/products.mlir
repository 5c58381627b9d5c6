// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two products of rows whose number is not known, and one that no schedule is for.
#x = #weft.dims<"m", 64>
#y = #weft.dims<"m", 96>
#p = #weft.dims<"m", "m">
func.func @main(%x: tensor<?x64xf32, #x> {weft.name = "x"}, %w: tensor<64x96xf32> {weft.name = "w"}, %v: tensor<96x64xf32> {weft.name = "v"})
    -> (tensor<?x?xf32, #p> {weft.name = "y"}) {
  %0 = weft.matmul %x, %w : (tensor<?x64xf32, #x>, tensor<64x96xf32>) -> tensor<?x96xf32, #y> loc("up")
  %1 = weft.matmul %0, %v : (tensor<?x96xf32, #y>, tensor<96x64xf32>) -> tensor<?x64xf32, #x> loc("down")
  %2 = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x64xf32, #x>) -> tensor<64x?xf32, #weft.dims<64, "m">>
  %3 = weft.matmul %1, %2 : (tensor<?x64xf32, #x>, tensor<64x?xf32, #weft.dims<64, "m">>) -> tensor<?x?xf32, #p> loc("scores")
  return %3 : tensor<?x?xf32, #p>
}
