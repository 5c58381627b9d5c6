// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An index out of range ends the run with exit code 1 and the node's name, on any number of threads.
// RUN: weft compile --quiet %s -o %t.weft
// RUN: weft run %t.weft --input t=3x5xf32=1 --input i=4xi64=0,2,-3,-1
// RUN: not weft run %t.weft --input t=3x5xf32=1 --input i=4xi64=0,1,2,3 --threads=8 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not weft run %t.weft --input t=3x5xf32=1 --input i=4xi64=-4,0,0,0 --threads=1 2>&1 | FileCheck %s --check-prefix=LOW
// RUN: not weft run %t.weft --input t=3x5xf32=1 --input i=1xi64=-9223372036854775808 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: not weft run %t.weft --input t=0x5xf32=1 --input i=1xi64=0 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not weft run %t.weft --input t=3x0xf32=1 --input i=1xi64=3 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: weft run %t.weft --input t=0x5xf32=1 --input i=0xi64=0
// HIGH: error: node "/embed/Gather": index 3 is out of range [-3, 3)
// LOW: error: node "/embed/Gather": index -4 is out of range [-3, 3)
// LEAST: error: node "/embed/Gather": index -9223372036854775808 is out of range [-3, 3)
// EMPTY: error: node "/embed/Gather": index 0 is out of range
// NARROW: error: node "/embed/Gather": index 3 is out of range
func.func @main(%t: tensor<?x?xf32, #weft.dims<"m", "k">> {weft.name = "t"}, %i: tensor<?xi64, #weft.dims<"n">> {weft.name = "i"})
  -> (tensor<?x?xf32> {weft.name = "y"}) {
  %0 = weft.gather %t, %i {axis = 0 : i64}
    : (tensor<?x?xf32, #weft.dims<"m", "k">>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x?xf32> loc("/embed/Gather")
  %1 = weft.exp %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
