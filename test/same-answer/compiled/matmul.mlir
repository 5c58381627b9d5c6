// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products, every dim under its own symbol; batch dims are equal, or 1 on either side at run time.
// RUN: %python %S/../compare.py %s --element=f32 m=1,k=1,n=1,b=1,d=1,h=1,g=1 m=7,k=5,n=47,b=3,d=1,h=1,g=3 m=6,k=33,n=48,b=1,d=3,h=3,g=1 m=8,k=64,n=49,b=2,d=2,h=2,g=1 m=13,k=17,n=97,b=1,d=1,h=2,g=2 m=4,k=3,n=2,b=2,d=1,h=1,g=2 m=0,k=3,n=5,b=2,d=2,h=1,g=1 m=3,k=0,n=5,b=2,d=1,h=1,g=1 m=3,k=4,n=0,b=1,d=2,h=1,g=1 m=3,k=4,n=5,b=0,d=1,h=1,g=1
// RUN: %python %S/../compare.py %s --element=f64 m=1,k=1,n=1,b=1,d=1,h=1,g=1 m=7,k=5,n=47,b=3,d=1,h=1,g=3 m=6,k=33,n=48,b=1,d=3,h=3,g=1 m=8,k=64,n=49,b=2,d=2,h=2,g=1 m=13,k=17,n=97,b=1,d=1,h=2,g=2 m=4,k=3,n=2,b=2,d=1,h=1,g=2 m=0,k=3,n=5,b=2,d=2,h=1,g=1 m=3,k=0,n=5,b=2,d=1,h=1,g=1 m=3,k=4,n=0,b=1,d=2,h=1,g=1 m=3,k=4,n=5,b=0,d=1,h=1,g=1
// RUN: %python %S/../compare.py %s --element=f32 --atol=1e-3 m=127,k=3,n=15,b=1,d=1,h=1,g=1 m=128,k=2,n=16,b=1,d=1,h=1,g=1 m=129,k=1,n=17,b=1,d=1,h=1,g=1 m=257,k=7,n=3,b=1,d=1,h=1,g=1 m=2,k=1023,n=31,b=1,d=1,h=1,g=1 m=1,k=1024,n=50,b=1,d=1,h=1,g=1 m=3,k=1025,n=48,b=1,d=1,h=1,g=1 m=5,k=2049,n=1,b=1,d=1,h=1,g=1
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"m", "k">> {weft.name = "x"},
                %w: tensor<?x?xTYPE, #weft.dims<"k", "n">> {weft.name = "w"},
                %a: tensor<?x?x?xTYPE, #weft.dims<"b", "m", "k">> {weft.name = "a"},
                %c: tensor<?x?x?xTYPE, #weft.dims<"d", "k", "n">> {weft.name = "c"},
                %a4: tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "m", "k">> {weft.name = "a4"},
                %c4: tensor<?x?x?x?xTYPE, #weft.dims<"d", "g", "k", "n">> {weft.name = "c4"},
                %u: tensor<?xTYPE, #weft.dims<"k">> {weft.name = "u"},
                %v: tensor<?xTYPE, #weft.dims<"k">> {weft.name = "v"})
  -> (tensor<?x?xTYPE> {weft.name = "matrices"},
     tensor<?x?x?xTYPE> {weft.name = "batch"},
     tensor<?x?x?xTYPE> {weft.name = "merged"},
     tensor<?x?x?xTYPE> {weft.name = "batch_of_rhs"},
     tensor<?x?x?x?xTYPE> {weft.name = "batch2"},
     tensor<?x?x?x?xTYPE> {weft.name = "ranks_differ"},
     tensor<?x?x?x?xTYPE> {weft.name = "ranks_differ2"},
     tensor<?xTYPE> {weft.name = "row"},
     tensor<?xTYPE> {weft.name = "column"},
     tensor<TYPE> {weft.name = "dot"},
     tensor<?x?x?xTYPE> {weft.name = "batched_row"},
     tensor<?x?x?xTYPE> {weft.name = "batched_column"}) {
  %matrices = weft.matmul %x, %w : (tensor<?x?xTYPE, #weft.dims<"m", "k">>, tensor<?x?xTYPE, #weft.dims<"k", "n">>) -> tensor<?x?xTYPE>
  %batch = weft.matmul %a, %c : (tensor<?x?x?xTYPE, #weft.dims<"b", "m", "k">>, tensor<?x?x?xTYPE, #weft.dims<"d", "k", "n">>) -> tensor<?x?x?xTYPE>
  %merged = weft.matmul %a, %w : (tensor<?x?x?xTYPE, #weft.dims<"b", "m", "k">>, tensor<?x?xTYPE, #weft.dims<"k", "n">>) -> tensor<?x?x?xTYPE>
  %batch_of_rhs = weft.matmul %x, %c : (tensor<?x?xTYPE, #weft.dims<"m", "k">>, tensor<?x?x?xTYPE, #weft.dims<"d", "k", "n">>) -> tensor<?x?x?xTYPE>
  %batch2 = weft.matmul %a4, %c4 : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "m", "k">>, tensor<?x?x?x?xTYPE, #weft.dims<"d", "g", "k", "n">>) -> tensor<?x?x?x?xTYPE>
  %ranks_differ = weft.matmul %a4, %c : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "m", "k">>, tensor<?x?x?xTYPE, #weft.dims<"d", "k", "n">>) -> tensor<?x?x?x?xTYPE>
  %ranks_differ2 = weft.matmul %a, %c4 : (tensor<?x?x?xTYPE, #weft.dims<"b", "m", "k">>, tensor<?x?x?x?xTYPE, #weft.dims<"d", "g", "k", "n">>) -> tensor<?x?x?x?xTYPE>
  %row = weft.matmul %u, %w : (tensor<?xTYPE, #weft.dims<"k">>, tensor<?x?xTYPE, #weft.dims<"k", "n">>) -> tensor<?xTYPE>
  %column = weft.matmul %x, %v : (tensor<?x?xTYPE, #weft.dims<"m", "k">>, tensor<?xTYPE, #weft.dims<"k">>) -> tensor<?xTYPE>
  %dot = weft.matmul %u, %v : (tensor<?xTYPE, #weft.dims<"k">>, tensor<?xTYPE, #weft.dims<"k">>) -> tensor<TYPE>
  %batched_row = weft.matmul %u, %c4 : (tensor<?xTYPE, #weft.dims<"k">>, tensor<?x?x?x?xTYPE, #weft.dims<"d", "g", "k", "n">>) -> tensor<?x?x?xTYPE>
  %batched_column = weft.matmul %a4, %v : (tensor<?x?x?x?xTYPE, #weft.dims<"b", "h", "m", "k">>, tensor<?xTYPE, #weft.dims<"k">>) -> tensor<?x?x?xTYPE>
  return %matrices, %batch, %merged, %batch_of_rhs, %batch2, %ranks_differ, %ranks_differ2, %row, %column, %dot, %batched_row, %batched_column : tensor<?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?x?x?xTYPE>, tensor<?xTYPE>, tensor<?xTYPE>, tensor<TYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>
}
