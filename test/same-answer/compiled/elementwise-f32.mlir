// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that have kernels in f32 alone.
// RUN: %python %S/../compare.py %s m=3,n=5 m=1,n=48 m=97,n=129 m=0,n=3
// RUN: %python %S/../compare.py %s --special=all m=3,n=5 m=64,n=17
func.func @main(%a: tensor<?x?xf32, #weft.dims<"m", "n">> {weft.name = "a"})
  -> (tensor<?x?xf32> {weft.name = "erf"},
     tensor<?x?xf32> {weft.name = "tanh"},
     tensor<?x?xf32> {weft.name = "gelu_erf"},
     tensor<?x?xf32> {weft.name = "gelu_tanh"}) {
  %erf = weft.erf %a : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32>
  %tanh = weft.tanh %a : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32>
  %gelu_erf = weft.gelu %a {form = 0 : i32} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32>
  %gelu_tanh = weft.gelu %a {form = 1 : i32} : (tensor<?x?xf32, #weft.dims<"m", "n">>) -> tensor<?x?xf32>
  return %erf, %tanh, %gelu_erf, %gelu_tanh : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
