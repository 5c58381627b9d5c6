// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes that quantized models compute in i32.
// RUN: weft-opt %s -weft-recognize-byte-products | FileCheck %s
// One thread: one pass sees all functions, and each has weights of its own.
// RUN: weft-opt %s -weft-recognize-byte-products -mlir-disable-threading | FileCheck %s

// Columns of 1 + 4 and 2 - 5, less the zero points 1 and 2.
// CHECK-LABEL: @unsigned
// CHECK-DAG: %[[W:.*]] = weft.constant {{.*}} : tensor<1x16x48x4xi8>
// CHECK-DAG: %[[SUMS:.*]] = weft.constant dense<[3, -7]> : tensor<2xi32>
// CHECK-DAG: %[[ROWS:.*]] = weft.pad constant %{{.*}} {after = #weft.dims<0, 62>, before = #weft.dims<0, 0>} : (tensor<?x2xui8, {{.*}}>) -> tensor<?x64xui8
// CHECK: %[[Y:.*]] = weft.matmul %[[ROWS]], %[[W]] captures(%{{.*}}, %[[SUMS]] : tensor<i32>, tensor<2xi32>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[ZERO:.*]]: i32, %[[COLUMN:.*]]: i32):
// CHECK-NEXT:   %[[MORE:.*]] = arith.muli %[[ZERO]], %[[COLUMN]] : i32
// CHECK-NEXT:   %[[LESS:.*]] = arith.subi %[[SUM]], %[[MORE]] : i32
// CHECK-NEXT:   weft.yield %[[LESS]] : i32
// CHECK-NEXT: } {packed_columns = 2 : i64}
// CHECK-NEXT: weft.cast %[[Y]] to f32
func.func @unsigned(%x: tensor<?x2xui8, #weft.dims<"n", 2>>, %zero: tensor<ui8>) -> tensor<?x2xf32, #weft.dims<"n", 2>> {
  %w = weft.constant dense<[[1, 2], [4, -5]]> : tensor<2x2xi8>
  %zeros = weft.constant dense<[1, 2]> : tensor<2xi8>
  %a = weft.cast %x to i32 : (tensor<?x2xui8, #weft.dims<"n", 2>>) -> tensor<?x2xi32, #weft.dims<"n", 2>>
  %z = weft.cast %zero to i32 : (tensor<ui8>) -> tensor<i32>
  %l = weft.sub %a, %z : (tensor<?x2xi32, #weft.dims<"n", 2>>, tensor<i32>) -> tensor<?x2xi32, #weft.dims<"n", 2>>
  %b = weft.cast %w to i32 : (tensor<2x2xi8>) -> tensor<2x2xi32>
  %v = weft.cast %zeros to i32 : (tensor<2xi8>) -> tensor<2xi32>
  %r = weft.sub %b, %v : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  %s = weft.matmul %l, %r : (tensor<?x2xi32, #weft.dims<"n", 2>>, tensor<2x2xi32>) -> tensor<?x2xi32, #weft.dims<"n", 2>>
  %f = weft.cast %s to f32 : (tensor<?x2xi32, #weft.dims<"n", 2>>) -> tensor<?x2xf32, #weft.dims<"n", 2>>
  return %f : tensor<?x2xf32, #weft.dims<"n", 2>>
}

// Signed rows without a zero point are unsigned ones with 128.
// CHECK-LABEL: @signed
// CHECK: %[[WRAPPED:.*]] = weft.cast %arg0 to ui8
// CHECK: %[[ROWS:.*]] = weft.add %[[WRAPPED]], %{{.*}} : (tensor<3x64xui8>, tensor<ui8>)
// CHECK: %[[ZERO:.*]] = weft.constant dense<128> : tensor<i32>
// CHECK: weft.matmul %[[ROWS]], %{{.*}} captures(%[[ZERO]], %{{.*}} : tensor<i32>, tensor<1xi32>)
func.func @signed(%x: tensor<3x64xi8>) -> tensor<3x1xf32> {
  %w = weft.constant dense<200> : tensor<64x1xui8>
  %zeros = weft.constant dense<128> : tensor<i32>
  %l = weft.cast %x to i32 : (tensor<3x64xi8>) -> tensor<3x64xi32>
  %b = weft.cast %w to i32 : (tensor<64x1xui8>) -> tensor<64x1xi32>
  %r = weft.sub %b, %zeros : (tensor<64x1xi32>, tensor<i32>) -> tensor<64x1xi32>
  %s = weft.matmul %l, %r : (tensor<3x64xi32>, tensor<64x1xi32>) -> tensor<3x1xi32>
  %f = weft.cast %s to f32 : (tensor<3x1xi32>) -> tensor<3x1xf32>
  return %f : tensor<3x1xf32>
}

// Zero points of rows are captures as they are; of lhs's columns, and
// weights that are not constant leave the product as it is.
// CHECK-LABEL: @rows
// CHECK: weft.matmul %arg0, %{{.*}} captures(%arg1, %{{.*}} : tensor<3x1xi32>, tensor<1xi32>)
// CHECK-LABEL: @again
// CHECK: weft.matmul %arg0, %{{.*}} epilogue
// CHECK-LABEL: @left
// CHECK-COUNT-2: weft.matmul %{{.*}}, %{{.*}} : (tensor<3x64xi32>, tensor<64x1xi32>) -> tensor<3x1xi32>
func.func @rows(%x: tensor<3x64xui8>, %zeros: tensor<3x1xi32>) -> tensor<3x1xf32> {
  %w = weft.constant dense<20> : tensor<64x1xui8>
  %a = weft.cast %x to i32 : (tensor<3x64xui8>) -> tensor<3x64xi32>
  %l = weft.sub %a, %zeros : (tensor<3x64xi32>, tensor<3x1xi32>) -> tensor<3x64xi32>
  %r = weft.cast %w to i32 : (tensor<64x1xui8>) -> tensor<64x1xi32>
  %s = weft.matmul %l, %r : (tensor<3x64xi32>, tensor<64x1xi32>) -> tensor<3x1xi32>
  %f = weft.cast %s to f32 : (tensor<3x1xi32>) -> tensor<3x1xf32>
  return %f : tensor<3x1xf32>
}
func.func @again(%x: tensor<3x64xui8>) -> tensor<3x1xf32> {
  %w = weft.constant dense<20> : tensor<64x1xui8>
  %a = weft.cast %x to i32 : (tensor<3x64xui8>) -> tensor<3x64xi32>
  %r = weft.cast %w to i32 : (tensor<64x1xui8>) -> tensor<64x1xi32>
  %s = weft.matmul %a, %r : (tensor<3x64xi32>, tensor<64x1xi32>) -> tensor<3x1xi32>
  %f = weft.cast %s to f32 : (tensor<3x1xi32>) -> tensor<3x1xf32>
  return %f : tensor<3x1xf32>
}
func.func @left(%x: tensor<3x64xui8>, %zeros: tensor<64xi32>, %v: tensor<64x1xi8>)
    -> (tensor<3x1xf32>, tensor<3x1xf32>) {
  %w = weft.constant dense<20> : tensor<64x1xui8>
  %a = weft.cast %x to i32 : (tensor<3x64xui8>) -> tensor<3x64xi32>
  %l = weft.sub %a, %zeros : (tensor<3x64xi32>, tensor<64xi32>) -> tensor<3x64xi32>
  %r = weft.cast %w to i32 : (tensor<64x1xui8>) -> tensor<64x1xi32>
  %s = weft.matmul %l, %r : (tensor<3x64xi32>, tensor<64x1xi32>) -> tensor<3x1xi32>
  %f = weft.cast %s to f32 : (tensor<3x1xi32>) -> tensor<3x1xf32>
  %m = weft.cast %v to i32 : (tensor<64x1xi8>) -> tensor<64x1xi32>
  %n = weft.matmul %a, %m : (tensor<3x64xi32>, tensor<64x1xi32>) -> tensor<3x1xi32>
  %o = weft.cast %n to f32 : (tensor<3x1xi32>) -> tensor<3x1xf32>
  return %f, %o : tensor<3x1xf32>, tensor<3x1xf32>
}

// Numbers that less their zero points fit no signed byte, such as 200, are less 128 in the quads; what is left is added for
// each row's sum. Of signed ones it is the zero point alone.
// CHECK-LABEL: @far
// CHECK-DAG: %[[SUMS:.*]] = weft.constant dense<12800> : tensor<1xi32>
// CHECK-DAG: %[[REST:.*]] = weft.constant dense<128> : tensor<1xi32>
// CHECK-DAG: %[[WIDE:.*]] = weft.cast %arg0 to i32
// CHECK-DAG: %[[ROWS:.*]] = weft.reduce sum %[[WIDE]] {axes = array<i64: 1>, keepdims} : (tensor<3x64xi32>) -> tensor<3x1xi32>
// CHECK: weft.matmul %arg0, %{{.*}} captures(%[[ROWS]], %[[REST]], %arg1, %[[SUMS]] : tensor<3x1xi32>, tensor<1xi32>, tensor<i32>, tensor<1xi32>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[R:.*]]: i32, %[[MORE:.*]]: i32, %[[Z:.*]]: i32, %[[C:.*]]: i32):
// CHECK-NEXT:   %[[ADDEND:.*]] = arith.muli %[[R]], %[[MORE]]
// CHECK-NEXT:   %[[WHOLE:.*]] = arith.addi %[[SUM]], %[[ADDEND]]
// CHECK-NEXT:   %[[OFZERO:.*]] = arith.muli %[[Z]], %[[C]]
// CHECK-NEXT:   arith.subi %[[WHOLE]], %[[OFZERO]]
// CHECK-LABEL: @far_signed
// CHECK-DAG: weft.constant dense<-100> : tensor<1xi32>
// CHECK: weft.matmul %arg0, %{{.*}} captures(
func.func @far(%x: tensor<3x64xui8>, %zero: tensor<i32>) -> tensor<3x1xf32> {
  %w = weft.constant dense<200> : tensor<64x1xui8>
  %a = weft.cast %x to i32 : (tensor<3x64xui8>) -> tensor<3x64xi32>
  %l = weft.sub %a, %zero : (tensor<3x64xi32>, tensor<i32>) -> tensor<3x64xi32>
  %r = weft.cast %w to i32 : (tensor<64x1xui8>) -> tensor<64x1xi32>
  %s = weft.matmul %l, %r : (tensor<3x64xi32>, tensor<64x1xi32>) -> tensor<3x1xi32>
  %f = weft.cast %s to f32 : (tensor<3x1xi32>) -> tensor<3x1xf32>
  return %f : tensor<3x1xf32>
}
func.func @far_signed(%x: tensor<3x64xui8>) -> tensor<3x1xf32> {
  %w = weft.constant dense<-120> : tensor<64x1xi8>
  %zeros = weft.constant dense<100> : tensor<1xi8>
  %a = weft.cast %x to i32 : (tensor<3x64xui8>) -> tensor<3x64xi32>
  %b = weft.cast %w to i32 : (tensor<64x1xi8>) -> tensor<64x1xi32>
  %z = weft.cast %zeros to i32 : (tensor<1xi8>) -> tensor<1xi32>
  %r = weft.sub %b, %z : (tensor<64x1xi32>, tensor<1xi32>) -> tensor<64x1xi32>
  %s = weft.matmul %a, %r : (tensor<3x64xi32>, tensor<64x1xi32>) -> tensor<3x1xi32>
  %f = weft.cast %s to f32 : (tensor<3x1xi32>) -> tensor<3x1xf32>
  return %f : tensor<3x1xf32>
}

// Both sides as floats: their scales come last in the epilogue. A transposed weight has those of its columns in rows.
// CHECK-LABEL: @floats
// CHECK-DAG: %[[SUMS:.*]] = weft.constant dense<[64, -192]> : tensor<2xi32>
// CHECK-DAG: %[[ZERO:.*]] = weft.cast %{{.*}} to i32 : (tensor<f32>) -> tensor<i32>
// CHECK-DAG: %[[ROW:.*]] = weft.reshape %{{.*}} : (tensor<2x1xf32>) -> tensor<2xf32>
// CHECK: weft.matmul %arg0, %{{.*}} captures(%[[ZERO]], %[[SUMS]], %arg2, %[[ROW]] : tensor<i32>, tensor<2xi32>, tensor<f32>, tensor<2xf32>) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[Z:.*]]: i32, %[[C:.*]]: i32, %[[S:.*]]: f32, %[[T:.*]]: f32):
// CHECK:        %[[FLOAT:.*]] = arith.sitofp %{{.*}} : i32 to f32
// CHECK-NEXT:   %[[ONE:.*]] = arith.mulf %[[FLOAT]], %[[S]] : f32
// CHECK-NEXT:   %[[BOTH:.*]] = arith.mulf %[[ONE]], %[[T]] : f32
// CHECK-NEXT:   weft.yield %[[BOTH]] : f32
func.func @floats(%x: tensor<3x64xui8>, %zero: tensor<ui8>, %scale: tensor<f32>) -> tensor<3x2xf32> {
  %w = weft.constant dense<2> : tensor<2x64xui8>
  %zeros = weft.constant dense<[[1.0], [5.0]]> : tensor<2x1xf32>
  %scales = weft.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %a = weft.cast %x to f32 : (tensor<3x64xui8>) -> tensor<3x64xf32>
  %z = weft.cast %zero to f32 : (tensor<ui8>) -> tensor<f32>
  %l = weft.sub %a, %z : (tensor<3x64xf32>, tensor<f32>) -> tensor<3x64xf32>
  %m = weft.mul %l, %scale : (tensor<3x64xf32>, tensor<f32>) -> tensor<3x64xf32>
  %b = weft.cast %w to f32 : (tensor<2x64xui8>) -> tensor<2x64xf32>
  %r = weft.sub %b, %zeros : (tensor<2x64xf32>, tensor<2x1xf32>) -> tensor<2x64xf32>
  %n = weft.mul %r, %scales : (tensor<2x64xf32>, tensor<2x1xf32>) -> tensor<2x64xf32>
  %t = weft.transpose %n {permutation = array<i64: 1, 0>} : (tensor<2x64xf32>) -> tensor<64x2xf32>
  %y = weft.matmul %m, %t : (tensor<3x64xf32>, tensor<64x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Scales of a weight's rows, zero points that are no bytes, and scales of lhs's columns are no part of a sum.
// CHECK-LABEL: @other_floats
// CHECK-COUNT-6: weft.matmul %{{.*}}, %{{.*}} : (tensor<3x64xf32>, tensor<64x2xf32>) -> tensor<3x2xf32>
func.func @other_floats(%x: tensor<3x64xui8>, %scales: tensor<64x1xf32>, %columns: tensor<64xf32>, %any: tensor<f32>)
    -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = weft.constant dense<2> : tensor<64x2xui8>
  %half = weft.constant dense<0.5> : tensor<f32>
  %a = weft.cast %x to f32 : (tensor<3x64xui8>) -> tensor<3x64xf32>
  %b = weft.cast %w to f32 : (tensor<64x2xui8>) -> tensor<64x2xf32>
  %n = weft.mul %b, %scales : (tensor<64x2xf32>, tensor<64x1xf32>) -> tensor<64x2xf32>
  %y = weft.matmul %a, %n : (tensor<3x64xf32>, tensor<64x2xf32>) -> tensor<3x2xf32>
  %r = weft.sub %b, %half : (tensor<64x2xf32>, tensor<f32>) -> tensor<64x2xf32>
  %v = weft.matmul %a, %r : (tensor<3x64xf32>, tensor<64x2xf32>) -> tensor<3x2xf32>
  %c = weft.mul %a, %columns : (tensor<3x64xf32>, tensor<64xf32>) -> tensor<3x64xf32>
  %u = weft.matmul %c, %b : (tensor<3x64xf32>, tensor<64x2xf32>) -> tensor<3x2xf32>
  %d = weft.sub %a, %half : (tensor<3x64xf32>, tensor<f32>) -> tensor<3x64xf32>
  %e = weft.matmul %d, %b : (tensor<3x64xf32>, tensor<64x2xf32>) -> tensor<3x2xf32>
  %f = weft.sub %a, %any : (tensor<3x64xf32>, tensor<f32>) -> tensor<3x64xf32>
  %far = weft.constant dense<256.0> : tensor<f32>
  %h = weft.sub %a, %far : (tensor<3x64xf32>, tensor<f32>) -> tensor<3x64xf32>
  %i = weft.matmul %h, %b : (tensor<3x64xf32>, tensor<64x2xf32>) -> tensor<3x2xf32>
  %g = weft.matmul %f, %b : (tensor<3x64xf32>, tensor<64x2xf32>) -> tensor<3x2xf32>
  return %y, %v, %u, %e, %g, %i : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}

// Convolutions are products of windows of bytes, with the zero point around, by the filter as a matrix.
// CHECK-LABEL: @conv
// CHECK-DAG: %[[FILTER:.*]] = weft.constant {{.*}} : tensor<1x16x48x4xi8>
// CHECK-DAG: %[[SUMS:.*]] = weft.constant dense<[8, -24]> : tensor<2xi32>
// CHECK-DAG: %[[LAST:.*]] = weft.transpose %arg0 {permutation = array<i64: 0, 2, 1>} : (tensor<1x2x?xui8
// CHECK-DAG: %[[PADDED:.*]] = weft.pad constant %[[LAST]] fill %arg1 {after = #weft.dims<0, 1, 0>, {{.*}}before = #weft.dims<0, 1, 0>
// CHECK-DAG: %[[WINDOWS:.*]] = weft.windows %[[PADDED]] {dilations = array<i64: 1>, kernel = array<i64: 2>, strides = array<i64: 1>} : {{.*}}ui8
// CHECK: weft.matmul %{{.*}}, %[[FILTER]] captures(%{{.*}}, %[[SUMS]] : tensor<i32>, tensor<2xi32>) epilogue
// CHECK: } {packed_columns = 2 : i64} : {{.*}} -> tensor<1x?x2xi32
func.func @conv(%x: tensor<1x2x?xui8, #weft.dims<1, 2, "n">>, %zero: tensor<ui8>) -> tensor<1x2x?xi32, #weft.dims<1, 2, "n + 1">> {
  %w = weft.constant dense<[[[1, 2], [3, 6]], [[-1, -2], [-3, -6]]]> : tensor<2x2x2xi8>
  %zeros = weft.constant dense<[[[1]], [[3]]]> : tensor<2x1x1xi8>
  %a = weft.cast %x to i32 : (tensor<1x2x?xui8, #weft.dims<1, 2, "n">>) -> tensor<1x2x?xi32, #weft.dims<1, 2, "n">>
  %z = weft.cast %zero to i32 : (tensor<ui8>) -> tensor<i32>
  %l = weft.sub %a, %z : (tensor<1x2x?xi32, #weft.dims<1, 2, "n">>, tensor<i32>) -> tensor<1x2x?xi32, #weft.dims<1, 2, "n">>
  %b = weft.cast %w to i32 : (tensor<2x2x2xi8>) -> tensor<2x2x2xi32>
  %v = weft.cast %zeros to i32 : (tensor<2x1x1xi8>) -> tensor<2x1x1xi32>
  %r = weft.sub %b, %v : (tensor<2x2x2xi32>, tensor<2x1x1xi32>) -> tensor<2x2x2xi32>
  %s = weft.conv %l, %r {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x2x?xi32, #weft.dims<1, 2, "n">>, tensor<2x2x2xi32>) -> tensor<1x2x?xi32, #weft.dims<1, 2, "n + 1">>
  return %s : tensor<1x2x?xi32, #weft.dims<1, 2, "n + 1">>
}

// Of floats with scales of outputs; those of groups, and zero points that no byte holds, stay as they are.
// CHECK-LABEL: @conv_floats
// CHECK: weft.matmul %{{.*}} captures(%{{.*}}, %{{.*}} : tensor<f32>, tensor<2xf32>) epilogue
// CHECK-COUNT-2: weft.conv
func.func @conv_floats(%x: tensor<1x2x9xui8>, %scale: tensor<f32>, %scales: tensor<2x1x1xf32>)
    -> (tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>) {
  %w = weft.constant dense<3> : tensor<2x2x2xi8>
  %g = weft.constant dense<3> : tensor<2x1x2xi8>
  %half = weft.constant dense<0.5> : tensor<f32>
  %a = weft.cast %x to f32 : (tensor<1x2x9xui8>) -> tensor<1x2x9xf32>
  %l = weft.mul %a, %scale : (tensor<1x2x9xf32>, tensor<f32>) -> tensor<1x2x9xf32>
  %b = weft.cast %w to f32 : (tensor<2x2x2xi8>) -> tensor<2x2x2xf32>
  %r = weft.mul %b, %scales : (tensor<2x2x2xf32>, tensor<2x1x1xf32>) -> tensor<2x2x2xf32>
  %s = weft.conv %l, %r {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x2x9xf32>, tensor<2x2x2xf32>) -> tensor<1x2x8xf32>
  %c = weft.cast %g to f32 : (tensor<2x1x2xi8>) -> tensor<2x1x2xf32>
  %t = weft.conv %l, %c {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64}
    : (tensor<1x2x9xf32>, tensor<2x1x2xf32>) -> tensor<1x2x8xf32>
  %d = weft.sub %a, %half : (tensor<1x2x9xf32>, tensor<f32>) -> tensor<1x2x9xf32>
  %u = weft.conv %d, %r {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x2x9xf32>, tensor<2x2x2xf32>) -> tensor<1x2x8xf32>
  return %s, %t, %u : tensor<1x2x8xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>
}
