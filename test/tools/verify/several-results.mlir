// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of an operation with several results each is compared, and named by its number.
// RUN: weft verify %s --from=graph --all | FileCheck %s

// CHECK: kernels  2 operations compared, worst ratio {{.*}} at result {{[01]}} of node "heads" (weft.attention); 0 differ
// CHECK-NEXT: result 0 of node "heads" (weft.attention)
// CHECK-NEXT: result 1 of node "heads" (weft.attention)
// CHECK-NEXT: plan     2 outputs have the same bits
!q = tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
!k = tensor<2x2x?x8xf32, #weft.dims<2, 2, "m", 8>>
func.func @main(%q: !q {weft.name = "q"}, %k: !k {weft.name = "k"})
    -> (!q {weft.name = "y"}, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">> {weft.name = "weights"}) {
  %y, %weights = weft.attention %q, %k, %k scale(0.5) empty_rows(nan)
    : (!q, !k, !k) -> !q, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">> loc("heads")
  return %y, %weights : !q, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "m">>
}
