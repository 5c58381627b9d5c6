// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-form-steps on attentions with masks that are tensors: a map of where they are one number, once for all that read the mask,
// of bools and floats; none of a bias, which differs by head, of numbers for each query, of integers, or for a few queries.
// RUN: weft-opt --weft-form-steps %s -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t
!q = tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
!k = tensor<2x4x?x8xf32, #weft.dims<2, 4, "m", 8>>
!three = tensor<2x4x3x8xf32, #weft.dims<2, 4, 3, 8>>
!mask = tensor<2x1x?x?xi1, #weft.dims<2, 1, "n", "m">>
!bias = tensor<4x?x?xf32, #weft.dims<4, "n", "m">>
!row = tensor<?xf32, #weft.dims<"m">>
!column = tensor<?x1xf32, #weft.dims<"n", 1>>
!ids = tensor<2x1x1x?xi8, #weft.dims<2, 1, 1, "m">>

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[MASK:[a-z0-9]+]]: tensor<2x1x?x?xi8> {{.*}}, %[[BIAS:[a-z0-9]+]]: tensor<4x?x?xf32> {{.*}}, %[[ROW:[a-z0-9]+]]: tensor<?xf32> {{.*}}, %[[COLUMN:[a-z0-9]+]]: tensor<?x1xf32> {{.*}}, %[[IDS:[a-z0-9]+]]: tensor<2x1x1x?xi8>
// CHECK: %[[EMPTY:.*]] = tensor.empty({{.*}}) {weft.dims = #weft.dims<2, 1, floordiv("n" + 15, 16), floordiv("m" + 63, 64)>} : tensor<2x1x?x?xf32>
// CHECK: %[[MAP:.*]] = weft.step @uniform_mask[%{{.*}}] ins(%[[MASK]] : tensor<2x1x?x?xi8>) outs(%[[EMPTY]] : tensor<2x1x?x?xf32>)
// CHECK: %[[VIEW:.*]] = weft.view %[[ROW]][%{{.*}}] : tensor<?xf32> to tensor<1x1x1x?xf32>
// CHECK: %[[ROWS:.*]] = weft.step @uniform_mask_{{.*}} ins(%[[VIEW]] : tensor<1x1x1x?xf32>)
// CHECK: weft.step @attention{{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[MASK]], %[[BIAS]], %[[ROW]], %[[COLUMN]], %[[IDS]], %[[MAP]], %[[ROWS]], %{{.*}} :
// CHECK-NOT: @uniform_mask
// CHECK: weft.step @attention{{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[MASK]], %[[MAP]], %{{.*}} :
// CHECK-NOT: @uniform_mask
// CHECK: return

// KERNEL: weft.uniform_tile %{{.*}}, %{{.*}} : (memref<2x1x?x?xi8>, memref<2x1x?x?xf32>) -> ()
// KERNEL: weft.attention_tile {{.*}} maps [0, 2](%{{.*}}, %{{.*}} : memref<2x1x?x?xf32>, memref<1x1x1x?xf32>)
// KERNEL: weft.attention_tile {{.*}} maps [0](%{{.*}} : memref<2x1x?x?xf32>)
// KERNEL: weft.attention_tile
// KERNEL-NOT: maps
// KERNEL: weft.yield
func.func @main(%q: !q {weft.name = "q"}, %k: !k {weft.name = "k"}, %three: !three {weft.name = "three"}, %mask: !mask {weft.name = "mask"},
                %bias: !bias {weft.name = "bias"}, %row: !row {weft.name = "row"}, %column: !column {weft.name = "column"},
                %ids: !ids {weft.name = "ids"}) -> (!q {weft.name = "y"}, !q {weft.name = "z"}, !three {weft.name = "few"}) {
  %y = weft.attention %q, %k, %k scale(0.5) empty_rows(zero)
      captures(%mask, %bias, %row, %column, %ids : !mask, !bias, !row, !column, !ids) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %m: i1, %c: f32, %r: f32, %d: f32, %id: i8):
    %zero = arith.constant 0 : i8
    %is = arith.cmpi ne, %id, %zero : i8
    %keep = arith.andi %m, %is : i1
    %0 = arith.addf %s, %c : f32
    %1 = arith.addf %0, %r : f32
    %2 = arith.addf %1, %d : f32
    weft.yield %2, %keep : f32, i1
  } : (!q, !k, !k) -> !q
  %z = weft.attention %y, %k, %k scale(0.5) empty_rows(zero) captures(%mask : !mask) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %m: i1):
    weft.yield %s, %m : f32, i1
  } : (!q, !k, !k) -> !q
  %few = weft.attention %three, %k, %k scale(0.5) empty_rows(zero) captures(%row : !row) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %r: f32):
    %true = arith.constant true
    %0 = arith.addf %s, %r : f32
    weft.yield %0, %true : f32, i1
  } : (!three, !k, !k) -> !three
  return %y, %z, %few : !q, !q, !three
}
