// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a layer is made of: a product with an epilogue, causal attention whose probabilities are a result, a norm.
func.func @main(%x: tensor<?x50xf32, #weft.dims<"n", 50>> {weft.name = "x"}, %w: tensor<50x90xf32> {weft.name = "w"},
                %scale: tensor<90xf32> {weft.name = "scale"},
                %q: tensor<1x2x?x24xf32, #weft.dims<1, 2, "n", 24>> {weft.name = "q"},
                %k: tensor<1x2x?x24xf32, #weft.dims<1, 2, "n", 24>> {weft.name = "k"},
                %v: tensor<1x2x?x40xf32, #weft.dims<1, 2, "n", 40>> {weft.name = "v"})
    -> (tensor<?x90xf32, #weft.dims<"n", 90>> {weft.name = "norm"},
        tensor<1x2x?x40xf32, #weft.dims<1, 2, "n", 40>> {weft.name = "attention"},
        tensor<1x2x?x?xf32, #weft.dims<1, 2, "n", "n">> {weft.name = "weights"}) {
  %0 = weft.matmul %x, %w : (tensor<?x50xf32, #weft.dims<"n", 50>>, tensor<50x90xf32>) -> tensor<?x90xf32, #weft.dims<"n", 90>>
  %1 = weft.relu %0 : (tensor<?x90xf32, #weft.dims<"n", 90>>) -> tensor<?x90xf32, #weft.dims<"n", 90>>
  %2 = weft.rms_norm %1, %scale {axis = 1 : i64, epsilon = 1.000000e-05 : f32} : (tensor<?x90xf32, #weft.dims<"n", 90>>, tensor<90xf32>) -> tensor<?x90xf32, #weft.dims<"n", 90>>
  %3, %4 = weft.attention %q, %k, %v scale(0.2) empty_rows(zero) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  } : (tensor<1x2x?x24xf32, #weft.dims<1, 2, "n", 24>>, tensor<1x2x?x24xf32, #weft.dims<1, 2, "n", 24>>,
       tensor<1x2x?x40xf32, #weft.dims<1, 2, "n", 40>>) -> tensor<1x2x?x40xf32, #weft.dims<1, 2, "n", 40>>, tensor<1x2x?x?xf32, #weft.dims<1, 2, "n", "n">>
  return %2, %3, %4 : tensor<?x90xf32, #weft.dims<"n", 90>>, tensor<1x2x?x40xf32, #weft.dims<1, 2, "n", 40>>, tensor<1x2x?x?xf32, #weft.dims<1, 2, "n", "n">>
}
