// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dims under an ellipsis that turn out to be 1.
// RUN: %python %S/../compare.py %s --element=f32 a=3,b=3,i=5,n=7,j=4 a=1,b=4,i=5,n=7,j=4 a=4,b=1,i=1,n=3,j=17 a=1,b=0,i=2,n=3,j=2
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"a", "i", "n">> {weft.name = "x"},
                %y: tensor<?x?x?xTYPE, #weft.dims<"b", "n", "j">> {weft.name = "y"},
                %z: tensor<?x?xTYPE, #weft.dims<"b", "i">> {weft.name = "z"})
  -> (tensor<?x?x?xTYPE> {weft.name = "product"},
      tensor<?x?xTYPE> {weft.name = "summed"},
      tensor<?x?xTYPE> {weft.name = "three"}) {
  %product = weft.einsum "...ij,...jk->...ik" %x, %y : (tensor<?x?x?xTYPE, #weft.dims<"a", "i", "n">>, tensor<?x?x?xTYPE, #weft.dims<"b", "n", "j">>) -> tensor<?x?x?xTYPE>
  %summed = weft.einsum "...ij,...jk->ik" %x, %y : (tensor<?x?x?xTYPE, #weft.dims<"a", "i", "n">>, tensor<?x?x?xTYPE, #weft.dims<"b", "n", "j">>) -> tensor<?x?xTYPE>
  %three = weft.einsum "...ij,...jk,...i->...k" %x, %y, %z : (tensor<?x?x?xTYPE, #weft.dims<"a", "i", "n">>, tensor<?x?x?xTYPE, #weft.dims<"b", "n", "j">>, tensor<?x?xTYPE, #weft.dims<"b", "i">>) -> tensor<?x?xTYPE>
  return %product, %summed, %three : tensor<?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>
}
