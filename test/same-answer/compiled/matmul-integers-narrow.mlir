// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of integers of 8 and 16 bits wrap.
// RUN: %python %S/../compare.py %s --element=i8 m=7,k=5,n=47 m=1,k=1,n=1 m=8,k=64,n=49 m=129,k=3,n=97 m=0,k=3,n=5 m=3,k=0,n=5 m=3,k=4,n=0 m=9,k=1030,n=50
// RUN: %python %S/../compare.py %s --element=ui16 m=7,k=5,n=47 m=1,k=1,n=1 m=8,k=64,n=49 m=129,k=3,n=97 m=0,k=3,n=5 m=3,k=0,n=5 m=3,k=4,n=0 m=9,k=1030,n=50
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"m", "k">> {weft.name = "x"},
                %w: tensor<?x?xTYPE, #weft.dims<"k", "n">> {weft.name = "w"},
                %bias: tensor<?xTYPE, #weft.dims<"n">> {weft.name = "bias"},
                %fixed: tensor<?x2xTYPE, #weft.dims<"m", 2>> {weft.name = "fixed"})
  -> (tensor<?x?xTYPE> {weft.name = "product"},
      tensor<?x?xTYPE> {weft.name = "epilogue"},
      tensor<?x?xTYPE> {weft.name = "packed"}) {
  %product = weft.matmul %x, %w : (tensor<?x?xTYPE, #weft.dims<"m", "k">>, tensor<?x?xTYPE, #weft.dims<"k", "n">>) -> tensor<?x?xTYPE>
  %t0 = weft.abs %x : (tensor<?x?xTYPE, #weft.dims<"m", "k">>) -> tensor<?x?xTYPE>
  %t1 = weft.matmul %t0, %w : (tensor<?x?xTYPE>, tensor<?x?xTYPE, #weft.dims<"k", "n">>) -> tensor<?x?xTYPE>
  %t2 = weft.add %t1, %bias : (tensor<?x?xTYPE>, tensor<?xTYPE, #weft.dims<"n">>) -> tensor<?x?xTYPE>
  %epilogue = weft.max %t2, %bias : (tensor<?x?xTYPE>, tensor<?xTYPE, #weft.dims<"n">>) -> tensor<?x?xTYPE>
  %c3 = weft.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xTYPE>
  %packed = weft.matmul %fixed, %c3 : (tensor<?x2xTYPE, #weft.dims<"m", 2>>, tensor<2x3xTYPE>) -> tensor<?x?xTYPE>
  return %product, %epilogue, %packed
    : tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
