// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather_nd of elements, of slices, of everything; with batch dims and without.
// RUN: %python %S/../compare.py %s --element=f32 --indices=-3:2 m=4,n=5,k=7,i=6,j=2 m=3,n=3,k=3,i=1,j=1 m=17,n=33,k=65,i=13,j=31 m=3,n=4,k=5,i=0,j=2 m=3,n=4,k=5,i=2,j=0
// RUN: %python %S/../compare.py %s --element=i8 --indices=-3:2 m=4,n=5,k=7,i=6,j=2 m=17,n=33,k=65,i=29,j=2
// RUN: %python %S/../compare.py %s --element=i1 --indices=-3:2 m=4,n=5,k=7,i=6,j=2
// RUN: %python %S/../compare.py %s --element=f16 --indices=-3:2 m=4,n=5,k=7,i=6,j=2
// RUN: %python %S/../compare.py %s --element=ui32 --indices=-3:2 m=4,n=5,k=7,i=6,j=2
// RUN: %python %S/../compare.py %s --element=i64 --indices=-3:2 m=4,n=5,k=7,i=6,j=2
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %one: tensor<?x?x1xi64, #weft.dims<"i", "j", 1>> {weft.name = "one"},
                %two: tensor<?x2xi32, #weft.dims<"i", 2>> {weft.name = "two"},
                %three: tensor<?x?x3xi64, #weft.dims<"i", "j", 3>> {weft.name = "three"},
                %tuple: tensor<3xi64> {weft.name = "tuple"},
                %none: tensor<?x0xi64, #weft.dims<"j", 0>> {weft.name = "none"},
                %each: tensor<?x1xi64, #weft.dims<"m", 1>> {weft.name = "each"},
                %pairs: tensor<?x?x2xi64, #weft.dims<"m", "j", 2>> {weft.name = "pairs"},
                %deep: tensor<?x?x?x1xi64, #weft.dims<"m", "n", "i", 1>> {weft.name = "deep"})
  -> (tensor<?x?x?x?xTYPE> {weft.name = "rows"},
     tensor<?x?xTYPE> {weft.name = "slices"},
     tensor<?x?xTYPE> {weft.name = "elements"},
     tensor<TYPE> {weft.name = "element"},
     tensor<?x?x?x?xTYPE> {weft.name = "copies"},
     tensor<?x?xTYPE> {weft.name = "batch_rows"},
     tensor<?x?xTYPE> {weft.name = "batch_elements"},
     tensor<?x?x?xTYPE> {weft.name = "batches"}) {
  %rows = weft.gather_nd %x, %one {batch_dims = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x1xi64, #weft.dims<"i", "j", 1>>) -> tensor<?x?x?x?xTYPE>
  %slices = weft.gather_nd %x, %two {batch_dims = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x2xi32, #weft.dims<"i", 2>>) -> tensor<?x?xTYPE>
  %elements = weft.gather_nd %x, %three {batch_dims = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x3xi64, #weft.dims<"i", "j", 3>>) -> tensor<?x?xTYPE>
  %element = weft.gather_nd %x, %tuple {batch_dims = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<3xi64>) -> tensor<TYPE>
  %copies = weft.gather_nd %x, %none {batch_dims = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x0xi64, #weft.dims<"j", 0>>) -> tensor<?x?x?x?xTYPE>
  %batch_rows = weft.gather_nd %x, %each {batch_dims = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x1xi64, #weft.dims<"m", 1>>) -> tensor<?x?xTYPE>
  %batch_elements = weft.gather_nd %x, %pairs {batch_dims = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x2xi64, #weft.dims<"m", "j", 2>>) -> tensor<?x?xTYPE>
  %batches = weft.gather_nd %x, %deep {batch_dims = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?x1xi64, #weft.dims<"m", "n", "i", 1>>) -> tensor<?x?x?xTYPE>
  return %rows, %slices, %elements, %element, %copies, %batch_rows, %batch_elements, %batches : tensor<?x?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<TYPE>, tensor<?x?x?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?x?xTYPE>
}
