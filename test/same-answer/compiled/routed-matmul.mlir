// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows with one of several matrices each: any number of rows for each, none, all for one; of known sizes and of
// symbols; experts of both index types, some counted from the end. Products that a graph has as copies of matrices, too.
// RUN: %python %S/../compare.py %s --element=f32 --indices=-3:2 s=5,e=3,n=7,k=9 s=1,e=3,n=1,k=1 s=64,e=4,n=130,k=67 s=33,e=3,n=25,k=300 s=0,e=3,n=7,k=9 s=6,e=3,n=0,k=9 s=6,e=3,n=5,k=0
// RUN: %python %S/../compare.py %s --element=f64 --rtol=1e-9 --atol=1e-9 --indices=-3:2 s=33,e=5,n=13,k=35
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 --indices=-3:2 s=33,e=5,n=13,k=35
func.func @main(%x: tensor<?x?xTYPE, #weft.dims<"s", "k">> {weft.name = "x"},
                %w: tensor<?x?x?xTYPE, #weft.dims<"e", "k", "n">> {weft.name = "w"},
                %i: tensor<?xi64, #weft.dims<"s">> {weft.name = "i"},
                %j: tensor<?xi32, #weft.dims<"s">> {weft.name = "j"},
                %known: tensor<?x100xTYPE, #weft.dims<"s", 100>> {weft.name = "known"},
                %fixed: tensor<3x100x50xTYPE> {weft.name = "fixed"})
  -> (tensor<?x?xTYPE, #weft.dims<"s", "n">> {weft.name = "symbols"},
      tensor<?x50xTYPE, #weft.dims<"s", 50>> {weft.name = "sizes"},
      tensor<?x1x50xTYPE, #weft.dims<"s", 1, 50>> {weft.name = "copies"}) {
  %symbols = weft.routed_matmul %x, %w, %i
    : (tensor<?x?xTYPE, #weft.dims<"s", "k">>, tensor<?x?x?xTYPE, #weft.dims<"e", "k", "n">>, tensor<?xi64, #weft.dims<"s">>) -> tensor<?x?xTYPE, #weft.dims<"s", "n">>
  %sizes = weft.routed_matmul %known, %fixed, %j
    : (tensor<?x100xTYPE, #weft.dims<"s", 100>>, tensor<3x100x50xTYPE>, tensor<?xi32, #weft.dims<"s">>) -> tensor<?x50xTYPE, #weft.dims<"s", 50>>
  %g = weft.gather %fixed, %i {axis = 0 : i64} : (tensor<3x100x50xTYPE>, tensor<?xi64, #weft.dims<"s">>) -> tensor<?x100x50xTYPE, #weft.dims<"s", 100, 50>>
  %row = weft.unsqueeze %known {axes = array<i64: 1>} : (tensor<?x100xTYPE, #weft.dims<"s", 100>>) -> tensor<?x1x100xTYPE, #weft.dims<"s", 1, 100>>
  %copies = weft.matmul %row, %g
    : (tensor<?x1x100xTYPE, #weft.dims<"s", 1, 100>>, tensor<?x100x50xTYPE, #weft.dims<"s", 100, 50>>) -> tensor<?x1x50xTYPE, #weft.dims<"s", 1, 50>>
  return %symbols, %sizes, %copies : tensor<?x?xTYPE, #weft.dims<"s", "n">>, tensor<?x50xTYPE, #weft.dims<"s", 50>>, tensor<?x1x50xTYPE, #weft.dims<"s", 1, 50>>
}
