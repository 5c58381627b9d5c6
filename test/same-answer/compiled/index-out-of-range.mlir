// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An index out of range ends the run, on any number of threads, with the node's name, the index and the bounds; nothing is
// read or written outside.
// RUN: weft compile --quiet %s -o %t.weft
// RUN: weft run %t.weft --input x=3x5xf32=1 --input i=2x5xi64=0,-1,-5,4,2,0,-1,-5,4,2 --input t=1x2xi64=-3,4 --input u=1xf32=2
// RUN: not weft run %t.weft --input x=3x5xf32=1 --input i=1x5xi64=0,5,0,0,0 --input t=1x2xi64=0,0 --input u=1xf32=2 --threads=8 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: not weft run %t.weft --input x=3x5xf32=1 --input i=1x5xi64=0,-9223372036854775808,0,0,0 --input t=1x2xi64=0,0 --input u=1xf32=2 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: not weft run %t.weft --input x=3x5xf32=1 --input i=1x5xi64=0 --input t=2x2xi64=0,4,0,-6 --input u=2xf32=2 --threads=1 2>&1 | FileCheck %s --check-prefix=TUPLES
// ELEMENTS: error: node "/GatherElements": index 5 is out of range [-5, 5)
// LEAST: error: node "/GatherElements": index -9223372036854775808 is out of range [-5, 5)
// TUPLES: error: node "/{{GatherND|ScatterND}}": index -6 is out of range [-5, 5)
func.func @main(%x: tensor<?x?xf32, #weft.dims<"m", "k">> {weft.name = "x"}, %i: tensor<?x?xi64, #weft.dims<"n", "k">> {weft.name = "i"},
                %t: tensor<?x2xi64, #weft.dims<"c", 2>> {weft.name = "t"}, %u: tensor<?xf32, #weft.dims<"c">> {weft.name = "u"})
  -> (tensor<?x?xf32> {weft.name = "elements"}, tensor<?xf32> {weft.name = "gathered"}, tensor<?x?xf32> {weft.name = "scattered"},
     tensor<?x?xf32> {weft.name = "added"}) {
  %0 = weft.gather_elements %x, %i {axis = 1 : i64}
    : (tensor<?x?xf32, #weft.dims<"m", "k">>, tensor<?x?xi64, #weft.dims<"n", "k">>) -> tensor<?x?xf32> loc("/GatherElements")
  %1 = weft.gather_nd %x, %t {batch_dims = 0 : i64} : (tensor<?x?xf32, #weft.dims<"m", "k">>, tensor<?x2xi64, #weft.dims<"c", 2>>) -> tensor<?xf32> loc("/GatherND")
  %2 = weft.scatter_nd replace %x, %t, %u : (tensor<?x?xf32, #weft.dims<"m", "k">>, tensor<?x2xi64, #weft.dims<"c", 2>>, tensor<?xf32, #weft.dims<"c">>) -> tensor<?x?xf32> loc("/ScatterND")
  %3 = weft.scatter_elements add %x, %i, %0 {axis = 1 : i64}
    : (tensor<?x?xf32, #weft.dims<"m", "k">>, tensor<?x?xi64, #weft.dims<"n", "k">>, tensor<?x?xf32>) -> tensor<?x?xf32> loc("/ScatterElements")
  return %0, %1, %2, %3 : tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
