// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over leading, middle, trailing, all and no axes; of no elements too.
// RUN: %python %S/../compare.py %s --element=f32 --atol=1e-3 m=3,n=5,k=7 m=1,n=1,k=1 m=2,n=65,k=33 m=17,n=64,k=1 m=0,n=3,k=5 m=3,n=0,k=5 m=3,n=5,k=0 m=2,n=3,k=1030
// RUN: %python %S/../compare.py %s --element=f64 m=3,n=5,k=7 m=1,n=1,k=1 m=2,n=65,k=33 m=17,n=64,k=1 m=0,n=3,k=5 m=3,n=0,k=5 m=3,n=5,k=0 m=2,n=3,k=1030
// RUN: %python %S/../compare.py %s --element=f32 --special=not-finite m=3,n=5,k=7 m=2,n=65,k=33
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 m=3,n=5,k=7 m=2,n=65,k=33 m=17,n=64,k=1 m=0,n=3,k=5 m=3,n=5,k=0 m=2,n=3,k=1030
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %row: tensor<?xTYPE, #weft.dims<"n">> {weft.name = "row"},
                %s: tensor<TYPE> {weft.name = "s"},
                %fixed: tensor<3x?x40xTYPE, #weft.dims<3, "m", 40>> {weft.name = "fixed"})
  -> (tensor<?x?x?xTYPE> {weft.name = "sum_2"},
     tensor<?x?xTYPE> {weft.name = "sum_1"},
     tensor<?x?x?xTYPE> {weft.name = "sum_0"},
     tensor<?xTYPE> {weft.name = "sum_02"},
     tensor<?x?x?xTYPE> {weft.name = "sum_12"},
     tensor<TYPE> {weft.name = "sum_012"},
     tensor<?x?x?xTYPE> {weft.name = "sum_none"},
     tensor<TYPE> {weft.name = "sum_row"},
     tensor<TYPE> {weft.name = "sum_scalar"},
     tensor<?x?xTYPE> {weft.name = "sum_fixed"},
     tensor<?x?x?xTYPE> {weft.name = "mean_2"},
     tensor<?x?xTYPE> {weft.name = "mean_1"},
     tensor<?x?x?xTYPE> {weft.name = "mean_0"},
     tensor<?xTYPE> {weft.name = "mean_02"},
     tensor<?x?x?xTYPE> {weft.name = "mean_12"},
     tensor<TYPE> {weft.name = "mean_012"},
     tensor<?x?x?xTYPE> {weft.name = "mean_none"},
     tensor<TYPE> {weft.name = "mean_row"},
     tensor<TYPE> {weft.name = "mean_scalar"},
     tensor<?x?xTYPE> {weft.name = "mean_fixed"},
     tensor<?x?x?xTYPE> {weft.name = "max_2"},
     tensor<?x?xTYPE> {weft.name = "max_1"},
     tensor<?x?x?xTYPE> {weft.name = "max_0"},
     tensor<?xTYPE> {weft.name = "max_02"},
     tensor<?x?x?xTYPE> {weft.name = "max_12"},
     tensor<TYPE> {weft.name = "max_012"},
     tensor<?x?x?xTYPE> {weft.name = "max_none"},
     tensor<TYPE> {weft.name = "max_row"},
     tensor<TYPE> {weft.name = "max_scalar"},
     tensor<?x?xTYPE> {weft.name = "max_fixed"},
     tensor<?x?x?xTYPE> {weft.name = "min_2"},
     tensor<?x?xTYPE> {weft.name = "min_1"},
     tensor<?x?x?xTYPE> {weft.name = "min_0"},
     tensor<?xTYPE> {weft.name = "min_02"},
     tensor<?x?x?xTYPE> {weft.name = "min_12"},
     tensor<TYPE> {weft.name = "min_012"},
     tensor<?x?x?xTYPE> {weft.name = "min_none"},
     tensor<TYPE> {weft.name = "min_row"},
     tensor<TYPE> {weft.name = "min_scalar"},
     tensor<?x?xTYPE> {weft.name = "min_fixed"}) {
  %sum_2 = weft.reduce sum %x {axes = array<i64: 2>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %sum_1 = weft.reduce sum %x {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?xTYPE>
  %sum_0 = weft.reduce sum %x {axes = array<i64: 0>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %sum_02 = weft.reduce sum %x {axes = array<i64: 0, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?xTYPE>
  %sum_12 = weft.reduce sum %x {axes = array<i64: 1, 2>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %sum_012 = weft.reduce sum %x {axes = array<i64: 0, 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<TYPE>
  %sum_none = weft.reduce sum %x {axes = array<i64>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %sum_row = weft.reduce sum %row {axes = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"n">>) -> tensor<TYPE>
  %sum_scalar = weft.reduce sum %s {axes = array<i64>} : (tensor<TYPE>) -> tensor<TYPE>
  %sum_fixed = weft.reduce sum %fixed {axes = array<i64: 2>} : (tensor<3x?x40xTYPE, #weft.dims<3, "m", 40>>) -> tensor<?x?xTYPE>
  %mean_2 = weft.reduce mean %x {axes = array<i64: 2>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %mean_1 = weft.reduce mean %x {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?xTYPE>
  %mean_0 = weft.reduce mean %x {axes = array<i64: 0>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %mean_02 = weft.reduce mean %x {axes = array<i64: 0, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?xTYPE>
  %mean_12 = weft.reduce mean %x {axes = array<i64: 1, 2>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %mean_012 = weft.reduce mean %x {axes = array<i64: 0, 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<TYPE>
  %mean_none = weft.reduce mean %x {axes = array<i64>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %mean_row = weft.reduce mean %row {axes = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"n">>) -> tensor<TYPE>
  %mean_scalar = weft.reduce mean %s {axes = array<i64>} : (tensor<TYPE>) -> tensor<TYPE>
  %mean_fixed = weft.reduce mean %fixed {axes = array<i64: 2>} : (tensor<3x?x40xTYPE, #weft.dims<3, "m", 40>>) -> tensor<?x?xTYPE>
  %max_2 = weft.reduce max %x {axes = array<i64: 2>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %max_1 = weft.reduce max %x {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?xTYPE>
  %max_0 = weft.reduce max %x {axes = array<i64: 0>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %max_02 = weft.reduce max %x {axes = array<i64: 0, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?xTYPE>
  %max_12 = weft.reduce max %x {axes = array<i64: 1, 2>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %max_012 = weft.reduce max %x {axes = array<i64: 0, 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<TYPE>
  %max_none = weft.reduce max %x {axes = array<i64>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %max_row = weft.reduce max %row {axes = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"n">>) -> tensor<TYPE>
  %max_scalar = weft.reduce max %s {axes = array<i64>} : (tensor<TYPE>) -> tensor<TYPE>
  %max_fixed = weft.reduce max %fixed {axes = array<i64: 2>} : (tensor<3x?x40xTYPE, #weft.dims<3, "m", 40>>) -> tensor<?x?xTYPE>
  %min_2 = weft.reduce min %x {axes = array<i64: 2>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %min_1 = weft.reduce min %x {axes = array<i64: 1>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?xTYPE>
  %min_0 = weft.reduce min %x {axes = array<i64: 0>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %min_02 = weft.reduce min %x {axes = array<i64: 0, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?xTYPE>
  %min_12 = weft.reduce min %x {axes = array<i64: 1, 2>, keepdims} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %min_012 = weft.reduce min %x {axes = array<i64: 0, 1, 2>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<TYPE>
  %min_none = weft.reduce min %x {axes = array<i64>} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %min_row = weft.reduce min %row {axes = array<i64: 0>} : (tensor<?xTYPE, #weft.dims<"n">>) -> tensor<TYPE>
  %min_scalar = weft.reduce min %s {axes = array<i64>} : (tensor<TYPE>) -> tensor<TYPE>
  %min_fixed = weft.reduce min %fixed {axes = array<i64: 2>} : (tensor<3x?x40xTYPE, #weft.dims<3, "m", 40>>) -> tensor<?x?xTYPE>
  return %sum_2, %sum_1, %sum_0, %sum_02, %sum_12, %sum_012, %sum_none, %sum_row, %sum_scalar, %sum_fixed, %mean_2, %mean_1, %mean_0, %mean_02, %mean_12, %mean_012, %mean_none, %mean_row, %mean_scalar, %mean_fixed, %max_2, %max_1, %max_0, %max_02, %max_12, %max_012, %max_none, %max_row, %max_scalar, %max_fixed, %min_2, %min_1, %min_0, %min_02, %min_12, %min_012, %min_none, %min_row, %min_scalar, %min_fixed : tensor<?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>, tensor<TYPE>, tensor<?x?x?xTYPE>, tensor<TYPE>, tensor<TYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>, tensor<TYPE>, tensor<?x?x?xTYPE>, tensor<TYPE>, tensor<TYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>, tensor<TYPE>, tensor<?x?x?xTYPE>, tensor<TYPE>, tensor<TYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>, tensor<TYPE>, tensor<?x?x?xTYPE>, tensor<TYPE>, tensor<TYPE>, tensor<?x?xTYPE>
}
