// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concatenation along every axis, of dynamic widths, of empty parts, of a part several times, and of constants.
// RUN: %python %S/../compare.py %s --element=f32 m=3,n=5,k=7,p=2 m=1,n=1,k=1,p=1 m=0,n=3,k=4,p=2 m=17,n=48,k=65,p=0 m=2,n=0,k=3,p=9 m=3,n=4,k=0,p=2 m=8,n=128,k=33,p=31
// RUN: %python %S/../compare.py %s --element=i8 m=3,n=5,k=7,p=2
// RUN: %python %S/../compare.py %s --element=i16 m=3,n=5,k=7,p=2
// RUN: %python %S/../compare.py %s --element=i64 m=3,n=5,k=7,p=2
// RUN: %python %S/../compare.py %s --element=i1 m=3,n=5,k=7,p=2
func.func @main(%x: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">> {weft.name = "x"},
                %a0: tensor<?x?x?xTYPE, #weft.dims<"p", "n", "k">> {weft.name = "a0"},
                %a1: tensor<?x?x?xTYPE, #weft.dims<"m", "p", "k">> {weft.name = "a1"},
                %a2: tensor<?x?x?xTYPE, #weft.dims<"m", "n", "p">> {weft.name = "a2"},
                %r: tensor<?xTYPE, #weft.dims<"m">> {weft.name = "r"},
                %q: tensor<?xTYPE, #weft.dims<"p">> {weft.name = "q"},
                %c: tensor<?x3x?xTYPE, #weft.dims<"m", 3, "k">> {weft.name = "c"},
                %d: tensor<?x1x?xTYPE, #weft.dims<"m", 1, "k">> {weft.name = "d"})
  -> (tensor<?x?x?xTYPE> {weft.name = "axis0"},
     tensor<?x?x?xTYPE> {weft.name = "four0"},
     tensor<?x?x?xTYPE> {weft.name = "axis1"},
     tensor<?x?x?xTYPE> {weft.name = "four1"},
     tensor<?x?x?xTYPE> {weft.name = "axis2"},
     tensor<?x?x?xTYPE> {weft.name = "four2"},
     tensor<?xTYPE> {weft.name = "rank1"},
     tensor<?x?x?xTYPE> {weft.name = "static_parts"},
     tensor<?x4x?xTYPE> {weft.name = "static_axis"},
     tensor<?xTYPE> {weft.name = "one"},
     tensor<?xTYPE> {weft.name = "of_result"}) {
  %axis0 = weft.concat %x, %a0 {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"p", "n", "k">>) -> tensor<?x?x?xTYPE>
  %four0 = weft.concat %a0, %x, %x, %a0 {axis = 0 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"p", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"p", "n", "k">>) -> tensor<?x?x?xTYPE>
  %axis1 = weft.concat %x, %a1 {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "p", "k">>) -> tensor<?x?x?xTYPE>
  %four1 = weft.concat %a1, %x, %x, %a1 {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "p", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "p", "k">>) -> tensor<?x?x?xTYPE>
  %axis2 = weft.concat %x, %a2 {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "p">>) -> tensor<?x?x?xTYPE>
  %four2 = weft.concat %a2, %x, %x, %a2 {axis = 2 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "p">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x?x?xTYPE, #weft.dims<"m", "n", "p">>) -> tensor<?x?x?xTYPE>
  %rank1 = weft.concat %r, %q {axis = 0 : i64} : (tensor<?xTYPE, #weft.dims<"m">>, tensor<?xTYPE, #weft.dims<"p">>) -> tensor<?xTYPE>
  %static_parts = weft.concat %x, %c, %d {axis = 1 : i64} : (tensor<?x?x?xTYPE, #weft.dims<"m", "n", "k">>, tensor<?x3x?xTYPE, #weft.dims<"m", 3, "k">>, tensor<?x1x?xTYPE, #weft.dims<"m", 1, "k">>) -> tensor<?x?x?xTYPE>
  %static_axis = weft.concat %c, %d {axis = 1 : i64} : (tensor<?x3x?xTYPE, #weft.dims<"m", 3, "k">>, tensor<?x1x?xTYPE, #weft.dims<"m", 1, "k">>) -> tensor<?x4x?xTYPE>
  %one = weft.concat %q {axis = 0 : i64} : (tensor<?xTYPE, #weft.dims<"p">>) -> tensor<?xTYPE>
  %of_result = weft.concat %rank1, %rank1 {axis = 0 : i64} : (tensor<?xTYPE>, tensor<?xTYPE>) -> tensor<?xTYPE>
  return %axis0, %four0, %axis1, %four1, %axis2, %four2, %rank1, %static_parts, %static_axis, %one, %of_result : tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x?x?xTYPE>, tensor<?xTYPE>, tensor<?x?x?xTYPE>, tensor<?x4x?xTYPE>, tensor<?xTYPE>, tensor<?xTYPE>
}
