// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scatter_nd of elements, of slices and of everything; the indices are few, so that they repeat.
// RUN: %python %S/../compare.py %s --element=f32 --indices=-3:2 m=4,n=5,k=7,i=6,j=2 m=3,n=3,k=3,i=1,j=1 m=17,n=33,k=65,i=13,j=31 m=3,n=4,k=5,i=0,j=2 m=3,n=4,k=1031,i=2,j=0
// RUN: %python %S/../compare.py %s --element=i8 --indices=-3:2 m=4,n=5,k=7,i=6,j=2 m=17,n=33,k=65,i=29,j=2
// RUN: %python %S/../compare.py %s --element=ui16 --indices=-3:2 m=4,n=5,k=7,i=6,j=2
// RUN: %python %S/../compare.py %s --element=f16 --rtol=2e-3 --atol=2e-3 --indices=-3:2 m=4,n=5,k=7,i=6,j=2
// RUN: %python %S/../compare.py %s --element=f64 --indices=-3:2 m=4,n=5,k=7,i=6,j=2
// RUN: %python %S/../compare.py %s --element=f32 --special=not-finite --indices=-3:2 m=4,n=5,k=37,i=6,j=2
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %one: tensor<?x?x1xi64, #weft.dims<"i", "j", 1>> {weft.name = "one"},
                %two: tensor<?x2xi32, #weft.dims<"i", 2>> {weft.name = "two"},
                %three: tensor<?x?x3xi64, #weft.dims<"i", "j", 3>> {weft.name = "three"},
                %tuple: tensor<1xi64> {weft.name = "tuple"},
                %none: tensor<?x0xi64, #weft.dims<"j", 0>> {weft.name = "none"},
                %rows: tensor<?x?x?x?xTYPE, #weft.dims<"i", "j", "n", "k">> {weft.name = "rows"},
                %slices: tensor<?x?xTYPE, #weft.dims<"i", "k">> {weft.name = "slices"},
                %elements: tensor<?x?xTYPE, #weft.dims<"i", "j">> {weft.name = "elements"},
                %row: tensor<?x?xTYPE, #weft.dims<"n", "k">> {weft.name = "row"},
                %copies: tensor<?x?x?x?xTYPE, #weft.dims<"j", "m", "n", "k">> {weft.name = "copies"},
                %fixed: tensor<3x40xTYPE> {weft.name = "fixed"},
                %fixed_rows: tensor<2x40xTYPE> {weft.name = "fixed_rows"},
                %fixed_at: tensor<2x1xi64> {weft.name = "fixed_at"})
  -> (tensor<?x?x?xTYPE> {weft.name = "replace_rows"},
     tensor<?x?x?xTYPE> {weft.name = "add_slices"},
     tensor<?x?x?xTYPE> {weft.name = "max_elements"},
     tensor<?x?x?xTYPE> {weft.name = "mul_row"},
     tensor<?x?x?xTYPE> {weft.name = "min_everything"},
     tensor<3x40xTYPE> {weft.name = "static"},
     tensor<?x?x?xTYPE> {weft.name = "replace_elements"}) {
  %replace_rows = weft.scatter_nd replace %x, %one, %rows : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x1xi64, #weft.dims<"i", "j", 1>>, tensor<?x?x?x?xTYPE, #weft.dims<"i", "j", "n", "k">>) -> tensor<?x?x?xTYPE>
  %add_slices = weft.scatter_nd add %x, %two, %slices : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x2xi32, #weft.dims<"i", 2>>, tensor<?x?xTYPE, #weft.dims<"i", "k">>) -> tensor<?x?x?xTYPE>
  %max_elements = weft.scatter_nd max %x, %three, %elements : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x3xi64, #weft.dims<"i", "j", 3>>, tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?x?x?xTYPE>
  %mul_row = weft.scatter_nd mul %x, %tuple, %row : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<1xi64>, tensor<?x?xTYPE, #weft.dims<"n", "k">>) -> tensor<?x?x?xTYPE>
  %min_everything = weft.scatter_nd min %x, %none, %copies : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x0xi64, #weft.dims<"j", 0>>, tensor<?x?x?x?xTYPE, #weft.dims<"j", "m", "n", "k">>) -> tensor<?x?x?xTYPE>
  %static = weft.scatter_nd add %fixed, %fixed_at, %fixed_rows : (tensor<3x40xTYPE>, tensor<2x1xi64>, tensor<2x40xTYPE>) -> tensor<3x40xTYPE>
  %replace_elements = weft.scatter_nd replace %x, %three, %elements : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x3xi64, #weft.dims<"i", "j", 3>>, tensor<?x?xTYPE, #weft.dims<"i", "j">>) -> tensor<?x?x?xTYPE>
  return %replace_rows, %add_slices, %max_elements, %mul_row, %min_everything, %static, %replace_elements : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<3x40xTYPE>, tensor<?x?x?xTYPE>
}
