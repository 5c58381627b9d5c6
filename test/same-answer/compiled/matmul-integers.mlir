// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of integers wrap, in narrow types too.
// RUN: %python %S/../compare.py %s --element=i8 m=7,k=5,n=47,b=3,d=1 m=1,k=1,n=1,b=1,d=1 m=8,k=64,n=49,b=1,d=2 m=129,k=3,n=97,b=2,d=2 m=0,k=3,n=5,b=2,d=2 m=3,k=0,n=5,b=2,d=1 m=3,k=4,n=0,b=1,d=2 m=3,k=1025,n=50,b=1,d=1
// RUN: %python %S/../compare.py %s --element=i16 m=7,k=5,n=47,b=3,d=1 m=9,k=1030,n=50,b=1,d=2
// RUN: %python %S/../compare.py %s --element=i32 m=7,k=5,n=47,b=3,d=1 m=9,k=1030,n=50,b=1,d=2
// RUN: %python %S/../compare.py %s --element=i64 m=7,k=5,n=47,b=3,d=1 m=1,k=1,n=1,b=1,d=1 m=8,k=64,n=49,b=1,d=2 m=129,k=3,n=97,b=2,d=2 m=0,k=3,n=5,b=2,d=2 m=3,k=0,n=5,b=2,d=1 m=3,k=4,n=0,b=1,d=2 m=3,k=1025,n=50,b=1,d=1
// RUN: %python %S/../compare.py %s --element=ui8 m=7,k=5,n=47,b=3,d=1 m=9,k=1030,n=50,b=1,d=2
// RUN: %python %S/../compare.py %s --element=ui64 m=7,k=5,n=47,b=3,d=1 m=9,k=1030,n=50,b=1,d=2
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"m", "k">> {weft.name = "x"},
                %w: tensor<?x?xTYPE, #weft.dims<"k", "n">> {weft.name = "w"},
                %a: tensor<?x?x?xTYPE, #weft.dims<"b", "m", "k">> {weft.name = "a"},
                %c: tensor<?x?x?xTYPE, #weft.dims<"d", "k", "n">> {weft.name = "c"},
                %bias: tensor<?xTYPE, #weft.dims<"n">> {weft.name = "bias"},
                %fixed: tensor<?x2xTYPE, #weft.dims<"m", 2>> {weft.name = "fixed"})
  -> (tensor<?x?xTYPE> {weft.name = "product"},
      tensor<?x?x?xTYPE> {weft.name = "batch"},
      tensor<?x?xTYPE> {weft.name = "epilogue"},
      tensor<?x?xTYPE> {weft.name = "packed"}) {
  %product = weft.matmul %x, %w : (tensor<?x?xTYPE, #weft.dims<"m", "k">>, tensor<?x?xTYPE, #weft.dims<"k", "n">>) -> tensor<?x?xTYPE>
  %batch = weft.matmul %a, %c : (tensor<?x?x?xTYPE, #weft.dims<"b", "m", "k">>, tensor<?x?x?xTYPE, #weft.dims<"d", "k", "n">>) -> tensor<?x?x?xTYPE>
  %t0 = weft.matmul %x, %w : (tensor<?x?xTYPE, #weft.dims<"m", "k">>, tensor<?x?xTYPE, #weft.dims<"k", "n">>) -> tensor<?x?xTYPE>
  %t1 = weft.add %t0, %bias : (tensor<?x?xTYPE>, tensor<?xTYPE, #weft.dims<"n">>) -> tensor<?x?xTYPE>
  %epilogue = weft.max %t1, %bias : (tensor<?x?xTYPE>, tensor<?xTYPE, #weft.dims<"n">>) -> tensor<?x?xTYPE>
  %c2 = weft.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xTYPE>
  %packed = weft.matmul %fixed, %c2 : (tensor<?x2xTYPE, #weft.dims<"m", 2>>, tensor<2x3xTYPE>) -> tensor<?x?xTYPE>
  return %product, %batch, %epilogue, %packed
    : tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
