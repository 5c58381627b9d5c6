// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of f64, alone and in an epilogue.
// RUN: %python %S/../compare.py %s --rtol=1e-12 --atol=1e-13 m=3,n=5 m=1,n=1 m=17,n=33 m=0,n=3 m=129,n=7
// RUN: %python %S/../compare.py %s --special=all --rtol=1e-12 --atol=1e-13 m=33,n=1
func.func @main(%x: tensor<?x?xf64, #weft.dims<"m", "n">> {weft.name = "x"},
                %w: tensor<?x?xf64, #weft.dims<"n", "n">> {weft.name = "w"})
  -> (tensor<?x?xf64> {weft.name = "tanh"},
      tensor<?x?xf64> {weft.name = "erf"},
      tensor<?x?xf64> {weft.name = "gelu_erf"},
      tensor<?x?xf64> {weft.name = "gelu_tanh"},
      tensor<?x?xf64> {weft.name = "product_tanh"},
      tensor<?x?xf64> {weft.name = "product_gelu"}) {
  %tanh = weft.tanh %x : (tensor<?x?xf64, #weft.dims<"m", "n">>) -> tensor<?x?xf64>
  %erf = weft.erf %x : (tensor<?x?xf64, #weft.dims<"m", "n">>) -> tensor<?x?xf64>
  %gelu_erf = weft.gelu %x {form = 0 : i32} : (tensor<?x?xf64, #weft.dims<"m", "n">>) -> tensor<?x?xf64>
  %gelu_tanh = weft.gelu %x {form = 1 : i32} : (tensor<?x?xf64, #weft.dims<"m", "n">>) -> tensor<?x?xf64>
  %t0 = weft.neg %x : (tensor<?x?xf64, #weft.dims<"m", "n">>) -> tensor<?x?xf64>
  %t1 = weft.matmul %t0, %w : (tensor<?x?xf64>, tensor<?x?xf64, #weft.dims<"n", "n">>) -> tensor<?x?xf64>
  %product_tanh = weft.tanh %t1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
  %t2 = weft.abs %x : (tensor<?x?xf64, #weft.dims<"m", "n">>) -> tensor<?x?xf64>
  %t3 = weft.matmul %t2, %w : (tensor<?x?xf64>, tensor<?x?xf64, #weft.dims<"n", "n">>) -> tensor<?x?xf64>
  %product_gelu = weft.gelu %t3 {form = 0 : i32} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %tanh, %erf, %gelu_erf, %gelu_tanh, %product_tanh, %product_gelu
    : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
