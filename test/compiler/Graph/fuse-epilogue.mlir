// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: weft-opt %s -weft-fuse-epilogue | FileCheck %s

!x = tensor<?x?x8xf32, #weft.dims<"b", "l", 8>>
!y = tensor<?x?x4xf32, #weft.dims<"b", "l", 4>>
!w = tensor<8x4xf32>

// Bias, activation, a number, a residual: one matmul, where the last of them was.
// CHECK-LABEL: @chain
// CHECK-SAME: %[[X:[a-z0-9]+]]: {{.*}}, %[[W:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[R:[a-z0-9]+]]: tensor
// CHECK: %[[RELU:.*]] = weft.relu %[[R]]
// CHECK-NEXT: %[[Z:.*]] = weft.matmul %[[X]], %[[W]] captures(%[[B]], %[[RELU]] : tensor<4xf32>, {{.*}}) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32, %[[RESIDUAL:.*]]: f32):
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[SUM]], %[[BIAS]] : f32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C:.*]] = arith.maximumf %[[A]], %[[ZERO]] : f32
// CHECK-NEXT: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[C]], %[[HALF]] : f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[RESIDUAL]], %[[M]] : f32
// CHECK-NEXT: weft.yield %[[S]] : f32
// CHECK-NEXT: } :
// CHECK-NEXT: return %[[Z]]
func.func @chain(%x: !x, %w: !w, %b: tensor<4xf32>, %r: !y) -> !y {
  %half = weft.constant dense<0.5> : tensor<f32>
  %m = weft.matmul %x, %w : (!x, !w) -> !y
  %a = weft.add %m, %b : (!y, tensor<4xf32>) -> !y
  %c = weft.relu %a : (!y) -> !y
  %s = weft.mul %c, %half : (!y, tensor<f32>) -> !y
  %later = weft.relu %r : (!y) -> !y
  %z = weft.add %later, %s : (!y, !y) -> !y
  return %z : !y
}

// A value that is used twice may be, if both uses are inside; bools pass through, as captures too.
// CHECK-LABEL: @inside
// CHECK: weft.matmul {{.*}} captures(%arg2 : tensor<?x1x1xi1, {{.*}}>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[MASK:.*]]: i1):
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[SUM]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[N]]
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.0
// CHECK-NEXT: %[[ONE2:.*]] = arith.constant 1.0
// CHECK-NEXT: %[[P:.*]] = arith.addf %[[ONE2]], %[[E]]
// CHECK-NEXT: %[[SIG:.*]] = arith.divf %[[ONE]], %[[P]]
// CHECK-NEXT: %[[SILU:.*]] = arith.mulf %[[SUM]], %[[SIG]]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: %[[G:.*]] = arith.cmpf ogt, %[[SILU]], %[[ZERO]]
// CHECK-NEXT: %[[K:.*]] = arith.andi %[[G]], %[[MASK]]
// CHECK-NEXT: %[[R:.*]] = arith.select %[[K]], %[[SILU]], %[[ZERO]]
// CHECK-NEXT: weft.yield %[[R]]
// CHECK: return
func.func @inside(%x: !x, %w: !w, %mask: tensor<?x1x1xi1, #weft.dims<"b", 1, 1>>) -> !y {
  %zero = weft.constant dense<0.0> : tensor<f32>
  %m = weft.matmul %x, %w : (!x, !w) -> !y
  %s = weft.sigmoid %m : (!y) -> !y
  %t = weft.mul %m, %s : (!y, !y) -> !y
  %g = weft.compare gt %t, %zero : (!y, tensor<f32>) -> tensor<?x?x4xi1, #weft.dims<"b", "l", 4>>
  %k = weft.and %g, %mask : (tensor<?x?x4xi1, #weft.dims<"b", "l", 4>>, tensor<?x1x1xi1, #weft.dims<"b", 1, 1>>) -> tensor<?x?x4xi1, #weft.dims<"b", "l", 4>>
  %r = weft.where %k, %t, %zero : (tensor<?x?x4xi1, #weft.dims<"b", "l", 4>>, !y, tensor<f32>) -> !y
  return %r : !y
}

// The group ends before a value that others read: here, the sum with the bias.
// CHECK-LABEL: @stops_at_output
// CHECK: %[[A:.*]] = weft.matmul {{.*}} captures(%arg2 : tensor<4xf32>) epilogue
// CHECK: %[[R:.*]] = weft.relu %[[A]]
// CHECK: return %[[A]], %[[R]]
func.func @stops_at_output(%x: !x, %w: !w, %b: tensor<4xf32>) -> (!y, !y) {
  %m = weft.matmul %x, %w : (!x, !w) -> !y
  %a = weft.add %m, %b : (!y, tensor<4xf32>) -> !y
  %c = weft.relu %a : (!y) -> !y
  return %a, %c : !y, !y
}

// The second matmul's product is captured by the first, which then stands after it.
// CHECK-LABEL: @two_matmuls
// CHECK: %[[N:.*]] = weft.matmul %arg0, %arg2 :
// CHECK: weft.matmul %arg0, %arg1 captures(%[[N]] :
func.func @two_matmuls(%x: !x, %w: !w, %v: !w) -> !y {
  %m = weft.matmul %x, %w : (!x, !w) -> !y
  %n = weft.matmul %x, %v : (!x, !w) -> !y
  %a = weft.add %m, %n : (!y, !y) -> !y
  return %a : !y
}

// Declined: a residual that depends on the product through a softmax; it cannot be there before the product is.
// CHECK-LABEL: @depends_on_itself
// CHECK-NOT: epilogue
func.func @depends_on_itself(%x: !x, %w: !w) -> !y {
  %m = weft.matmul %x, %w : (!x, !w) -> !y
  %s = weft.softmax %m {axis = 2 : i64} : (!y) -> !y
  %a = weft.add %m, %s : (!y, !y) -> !y
  return %a : !y
}

// Declined: operands that may enlarge the product, by a symbol or by a dim of their own.
// CHECK-LABEL: @enlarges
// CHECK-NOT: epilogue
func.func @enlarges(%x: !x, %w: !w, %r: tensor<?x4xf32, #weft.dims<"k", 4>>, %s: tensor<2x1x1x4xf32>)
    -> (tensor<?x?x4xf32, #weft.dims<"b", broadcast("k", "l"), 4>>, tensor<2x?x?x4xf32, #weft.dims<2, "b", "l", 4>>) {
  %m = weft.matmul %x, %w : (!x, !w) -> !y
  %a = weft.add %m, %r : (!y, tensor<?x4xf32, #weft.dims<"k", 4>>) -> tensor<?x?x4xf32, #weft.dims<"b", broadcast("k", "l"), 4>>
  %n = weft.matmul %x, %w : (!x, !w) -> !y
  %b = weft.add %n, %s : (!y, tensor<2x1x1x4xf32>) -> tensor<2x?x?x4xf32, #weft.dims<2, "b", "l", 4>>
  return %a, %b : tensor<?x?x4xf32, #weft.dims<"b", broadcast("k", "l"), 4>>, tensor<2x?x?x4xf32, #weft.dims<2, "b", "l", 4>>
}

// Declined: k may be 4 or 1; which, only a run says.
// CHECK-LABEL: @may_broadcast
// CHECK-NOT: epilogue
func.func @may_broadcast(%x: !x, %w: !w, %k: tensor<?xf32, #weft.dims<"k">>) -> !y {
  %m = weft.matmul %x, %w : (!x, !w) -> !y
  %a = weft.add %m, %k : (!y, tensor<?xf32, #weft.dims<"k">>) -> !y
  return %a : !y
}

// Declined: a result of another element type, which a matmul of floats does not have. Unsigned captures are signless scalars.
// CHECK-LABEL: @types
// CHECK-NOT: epilogue
// CHECK: weft.cast
// CHECK: weft.matmul %arg0, %arg1 captures(%arg2 : tensor<4xui8>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BYTE:.*]]: i8):
// CHECK-NEXT:   %[[WIDE:.*]] = arith.uitofp %[[BYTE]] : i8 to f32
func.func @types(%x: !x, %w: !w, %u: tensor<4xui8>) -> (tensor<?x?x4xf16, #weft.dims<"b", "l", 4>>, !y) {
  %m = weft.matmul %x, %w : (!x, !w) -> !y
  %h = weft.cast %m to f16 : (!y) -> tensor<?x?x4xf16, #weft.dims<"b", "l", 4>>
  %n = weft.matmul %x, %w : (!x, !w) -> !y
  %p = weft.pow %n, %u : (!y, tensor<4xui8>) -> !y
  return %h, %p : tensor<?x?x4xf16, #weft.dims<"b", "l", 4>>, !y
}

// What follows a product that has an epilogue continues it; a capture that both read is one.
// CHECK-LABEL: @continued
// CHECK: weft.matmul %arg0, %arg1 captures(%arg2, %arg3 : tensor<4xf32>, tensor<3x4xf32>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[S:.*]]: f32, %[[T:.*]]: f32):
// CHECK-NEXT:   %[[FLOAT:.*]] = arith.sitofp %[[SUM]] : i32 to f32
// CHECK-NEXT:   %[[SCALED:.*]] = arith.mulf %[[FLOAT]], %[[S]] : f32
// CHECK-NEXT:   %[[ADDED:.*]] = arith.addf %[[SCALED]], %[[T]] : f32
// CHECK-NEXT:   %[[LESS:.*]] = arith.subf %[[ADDED]], %[[S]] : f32
// CHECK-NEXT:   weft.yield %[[LESS]] : f32
// CHECK-NEXT: } {packed_columns = 4 : i64}
func.func @continued(%x: tensor<3x64xui8>, %w: tensor<1x16x48x4xi8>, %s: tensor<4xf32>, %t: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %m = weft.matmul %x, %w captures(%s : tensor<4xf32>) epilogue {
  ^bb0(%sum: i32, %c: f32):
    %0 = arith.sitofp %sum : i32 to f32
    %1 = arith.mulf %0, %c : f32
    weft.yield %1 : f32
  } {packed_columns = 4 : i64} : (tensor<3x64xui8>, tensor<1x16x48x4xi8>) -> tensor<3x4xf32>
  %a = weft.add %m, %t : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %b = weft.sub %a, %s : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %b : tensor<3x4xf32>
}

// What was said of the product's tiles stays.
// CHECK-LABEL: @scheduled
// CHECK: weft.matmul {{.*}} epilogue
// CHECK: } {weft.schedule = {rows = 5 : i64}}
func.func @scheduled(%x: !x, %w: !w, %b: tensor<4xf32>) -> !y {
  %m = weft.matmul %x, %w {weft.schedule = {rows = 5 : i64}} : (!x, !w) -> !y
  %a = weft.add %m, %b : (!y, tensor<4xf32>) -> !y
  return %a : !y
}

// Products of bytes give bytes, if that is what becomes of them; other bytes are read in place of the numbers that are made of them.
// CHECK-LABEL: @bytes
// CHECK: %[[Y:.*]] = weft.matmul %arg0, %arg1 captures(%arg2 : tensor<3x48xui8>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[BYTE:.*]]: i8):
// CHECK-NEXT:   %[[WIDE:.*]] = arith.uitofp %[[BYTE]] : i8 to f32
// CHECK-NEXT:   %[[FLOAT:.*]] = arith.sitofp %[[SUM]] : i32 to f32
// CHECK-NEXT:   %[[ADDED:.*]] = arith.addf %[[FLOAT]], %[[WIDE]] : f32
// CHECK:        %[[CLAMPED:.*]] = arith.minnumf
// CHECK-NEXT:   %[[RESULT:.*]] = arith.fptoui %[[CLAMPED]] : f32 to i8
// CHECK-NEXT:   weft.yield %[[RESULT]] : i8
// CHECK-NEXT: } {packed_columns = 48 : i64} : {{.*}} -> tensor<3x48xui8>
// CHECK-NEXT: return %[[Y]]
func.func @bytes(%x: tensor<3x64xui8>, %w: tensor<1x16x48x4xi8>, %skip: tensor<3x48xui8>) -> tensor<3x48xui8> {
  %m = weft.matmul %x, %w epilogue {
  ^bb0(%sum: i32):
    weft.yield %sum : i32
  } {packed_columns = 48 : i64} : (tensor<3x64xui8>, tensor<1x16x48x4xi8>) -> tensor<3x48xi32>
  %f = weft.cast %m to f32 : (tensor<3x48xi32>) -> tensor<3x48xf32>
  %s = weft.cast %skip to f32 : (tensor<3x48xui8>) -> tensor<3x48xf32>
  %a = weft.add %f, %s : (tensor<3x48xf32>, tensor<3x48xf32>) -> tensor<3x48xf32>
  %r = weft.round %a : (tensor<3x48xf32>) -> tensor<3x48xf32>
  %b = weft.cast %r to ui8 : (tensor<3x48xf32>) -> tensor<3x48xui8>
  return %b : tensor<3x48xui8>
}
