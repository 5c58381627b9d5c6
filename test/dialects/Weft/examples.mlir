// Every operation of the dialect, and every example of its description, word for word (tools/generate-docs --check
// compares): each parses, verifies, and reads back as it was printed.
// RUN: weft-opt %s -o %t.once
// RUN: weft-opt %t.once -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s < %t.once

// CHECK-LABEL: func.func @constant
func.func @constant() {
  // CHECK-NEXT: weft.constant dense<{{.*}}> : tensor<f32>
  // CHECK-NEXT: weft.constant weight<"model.onnx", 512, 1024, 12345> : tensor<16x16xf32>
  %eps = weft.constant dense<1.0e-5> : tensor<f32>
  %w = weft.constant weight<"model.onnx", 512, 1024, 12345> : tensor<16x16xf32>
  return
}

// CHECK-LABEL: func.func @dims
func.func @dims() {
  // CHECK-NEXT: weft.dims <"batch", 2 * "seq"> : tensor<2xi64>
  %n = weft.dims <"batch", 2 * "seq"> : tensor<2xi64>
  return
}

// CHECK-LABEL: func.func @shape
func.func @shape(%x: tensor<?x8xf32, #weft.dims<"n", 8>>) {
  // CHECK-NEXT: weft.shape %{{.*}} {end = 2 : i64, start = 0 : i64}
  %s = weft.shape %x {start = 0 : i64, end = 2 : i64} : (tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<2xi64>
  return
}

// CHECK-LABEL: func.func @reshape
func.func @reshape(%x: tensor<?x64xf32, #weft.dims<"n", 64>>, %shape: tensor<2xi64>) {
  // CHECK-NEXT: weft.reshape %{{.*}} : (tensor<?x64xf32, #weft.dims<"n", 64>>) -> tensor<?x8x8xf32, #weft.dims<"n", 8, 8>>
  // CHECK-NEXT: weft.reshape %{{.*}}, %{{.*}} {allow_zero}
  %y = weft.reshape %x : (tensor<?x64xf32, #weft.dims<"n", 64>>) -> tensor<?x8x8xf32, #weft.dims<"n", 8, 8>>
  %z = weft.reshape %x, %shape {allow_zero} : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: func.func @squeeze_unsqueeze
func.func @squeeze_unsqueeze(%x: tensor<1x8xf32>) {
  // CHECK-NEXT: weft.squeeze %{{.*}} {axes = array<i64: 0>}
  // CHECK-NEXT: weft.unsqueeze %{{.*}} {axes = array<i64: 2>}
  %s = weft.squeeze %x {axes = array<i64: 0>} : (tensor<1x8xf32>) -> tensor<8xf32>
  %u = weft.unsqueeze %x {axes = array<i64: 2>} : (tensor<1x8xf32>) -> tensor<1x8x1xf32>
  return
}

// CHECK-LABEL: func.func @transpose
func.func @transpose(%x: tensor<4x8xf32>) {
  // CHECK-NEXT: weft.transpose %{{.*}} {permutation = array<i64: 1, 0>}
  %y = weft.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @concat
func.func @concat(%past: tensor<?x8xf32, #weft.dims<"past", 8>>, %new: tensor<?x8xf32, #weft.dims<"n", 8>>) {
  // CHECK-NEXT: weft.concat %{{.*}}, %{{.*}} {axis = 0 : i64} {{.*}} -> tensor<?x8xf32, #weft.dims<"n" + "past", 8>>
  %y = weft.concat %past, %new {axis = 0 : i64}
    : (tensor<?x8xf32, #weft.dims<"past", 8>>, tensor<?x8xf32, #weft.dims<"n", 8>>) -> tensor<?x8xf32, #weft.dims<"past" + "n", 8>>
  return
}

// CHECK-LABEL: func.func @slice
func.func @slice(%x: tensor<4x?xf32, #weft.dims<4, "n" + "past">>, %i: tensor<1xi64>) {
  // CHECK-NEXT: weft.slice %{{.*}} {offsets = #weft.dims<0, "past">, strides = array<i64: 1, 1>}
  // CHECK-NEXT: weft.slice %{{.*}} starts %{{.*}} ends %{{.*}} steps %{{.*}} {axes = array<i64: 0>}
  %y = weft.slice %x {offsets = #weft.dims<0, "past">, strides = array<i64: 1, 1>}
    : (tensor<4x?xf32, #weft.dims<4, "n" + "past">>) -> tensor<4x?xf32, #weft.dims<4, "n">>
  %z = weft.slice %x starts %i ends %i steps %i {axes = array<i64: 0>}
    : (tensor<4x?xf32, #weft.dims<4, "n" + "past">>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: func.func @toeplitz
func.func @toeplitz(%d: tensor<8x9xf32>) {
  // CHECK-NEXT: weft.toeplitz %{{.*}} : (tensor<8x9xf32>) -> tensor<8x4x6xf32>
  %m = weft.toeplitz %d : (tensor<8x9xf32>) -> tensor<8x4x6xf32>
  return
}

// CHECK-LABEL: func.func @expand_tile_trilu
func.func @expand_tile_trilu(%x: tensor<1x8xf32>, %m: tensor<8x8xf32>) {
  // CHECK-NEXT: weft.expand
  // CHECK-NEXT: weft.tile
  // CHECK-NEXT: weft.trilu %{{.*}} {diagonal = 1 : i64, upper}
  %e = weft.expand %x : (tensor<1x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %t = weft.tile %x : (tensor<1x8xf32>) -> tensor<2x24xf32>
  %u = weft.trilu %m {upper, diagonal = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// CHECK-LABEL: func.func @range
func.func @range(%a: tensor<i64>) {
  // CHECK-NEXT: weft.range {first = #weft.dim<1>, step = 1 : i64}
  // CHECK-NEXT: weft.range %{{.*}} to %{{.*}} by %{{.*}} :
  %i = weft.range {first = #weft.dim<1>, step = 1 : i64} : () -> tensor<?xi64, #weft.dims<"n">>
  %j = weft.range %a to %a by %a : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return
}

// CHECK-LABEL: func.func @add
func.func @add(%x: tensor<?x8xf32, #weft.dims<"n", 8>>, %bias: tensor<8xf32>) {
  // CHECK-NEXT: weft.add %{{.*}}, %{{.*}} : (tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<8xf32>)
  %y = weft.add %x, %bias : (tensor<?x8xf32, #weft.dims<"n", 8>>, tensor<8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  return
}

// Two unequal symbols broadcast at run time: 1 against n.
// CHECK-LABEL: func.func @binary
func.func @binary(%a: tensor<?xf32, #weft.dims<"a">>, %b: tensor<?xf32, #weft.dims<"b">>, %n: tensor<?xi64, #weft.dims<"b">>) {
  // CHECK-NEXT: weft.sub {{.*}} -> tensor<?xf32, #weft.dims<broadcast("a", "b")>>
  // CHECK-NEXT: weft.mul
  // CHECK-NEXT: weft.div
  // CHECK-NEXT: weft.pow
  // CHECK-NEXT: weft.min
  // CHECK-NEXT: weft.max
  // CHECK-NEXT: weft.rem
  %0 = weft.sub %a, %b : (tensor<?xf32, #weft.dims<"a">>, tensor<?xf32, #weft.dims<"b">>) -> tensor<?xf32, #weft.dims<broadcast("a", "b")>>
  %1 = weft.mul %b, %b : (tensor<?xf32, #weft.dims<"b">>, tensor<?xf32, #weft.dims<"b">>) -> tensor<?xf32, #weft.dims<"b">>
  %2 = weft.div %b, %b : (tensor<?xf32, #weft.dims<"b">>, tensor<?xf32, #weft.dims<"b">>) -> tensor<?xf32, #weft.dims<"b">>
  %3 = weft.pow %b, %n : (tensor<?xf32, #weft.dims<"b">>, tensor<?xi64, #weft.dims<"b">>) -> tensor<?xf32, #weft.dims<"b">>
  %4 = weft.min %n, %n : (tensor<?xi64, #weft.dims<"b">>, tensor<?xi64, #weft.dims<"b">>) -> tensor<?xi64, #weft.dims<"b">>
  %5 = weft.max %n, %n : (tensor<?xi64, #weft.dims<"b">>, tensor<?xi64, #weft.dims<"b">>) -> tensor<?xi64, #weft.dims<"b">>
  %6 = weft.rem %n, %n : (tensor<?xi64, #weft.dims<"b">>, tensor<?xi64, #weft.dims<"b">>) -> tensor<?xi64, #weft.dims<"b">>
  return
}

// CHECK-LABEL: func.func @bits
func.func @bits(%x: tensor<4xui8>, %y: tensor<4xui8>) {
  // CHECK-NEXT: weft.bit_and
  // CHECK-NEXT: weft.bit_or
  // CHECK-NEXT: weft.bit_xor
  // CHECK-NEXT: weft.shift_left
  // CHECK-NEXT: weft.shift_right
  %0 = weft.bit_and %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = weft.bit_or %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %2 = weft.bit_xor %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %3 = weft.shift_left %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %4 = weft.shift_right %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return
}

// CHECK-LABEL: func.func @bools
func.func @bools(%ids: tensor<4xi64>, %pad: tensor<i64>, %p: tensor<4xi1>, %x: tensor<4xf32>) {
  // CHECK-NEXT: weft.compare eq %{{.*}}, %{{.*}} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  // CHECK-NEXT: weft.and
  // CHECK-NEXT: weft.or
  // CHECK-NEXT: weft.not
  // CHECK-NEXT: weft.where
  // CHECK-NEXT: weft.cast %{{.*}} to f32
  %keep = weft.compare eq %ids, %pad : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %a = weft.and %keep, %p : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %o = weft.or %keep, %p : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %n = weft.not %p : (tensor<4xi1>) -> tensor<4xi1>
  %w = weft.where %p, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = weft.cast %p to f32 : (tensor<4xi1>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @compact
func.func @compact(%x: tensor<4xf32>, %q: tensor<4xf8E8M0FNU>) {
  // CHECK-NEXT: weft.cast %{{.*}} to f8E4M3FN : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  // CHECK-NEXT: weft.bitcast %{{.*}} to ui8 : (tensor<4xf8E8M0FNU>) -> tensor<4xui8>
  // CHECK-NEXT: weft.bitcast %{{.*}} to i32 : (tensor<4xf32>) -> tensor<4xi32>
  // CHECK-NEXT: weft.constant dense<[-8, 7]> : tensor<2xi4>
  %c = weft.cast %x to f8E4M3FN : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %b = weft.bitcast %q to ui8 : (tensor<4xf8E8M0FNU>) -> tensor<4xui8>
  %bits = weft.bitcast %x to i32 : (tensor<4xf32>) -> tensor<4xi32>
  %w = weft.constant dense<[-8, 7]> : tensor<2xi4>
  return
}

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<4xf32>) {
  // CHECK-NEXT: weft.neg
  // CHECK-NEXT: weft.abs
  // CHECK-NEXT: weft.sqrt
  // CHECK-NEXT: weft.exp
  // CHECK-NEXT: weft.log
  // CHECK-NEXT: weft.erf
  // CHECK-NEXT: weft.tanh
  // CHECK-NEXT: weft.sigmoid
  // CHECK-NEXT: weft.reciprocal
  // CHECK-NEXT: weft.relu
  // CHECK-NEXT: weft.gelu %{{.*}} {form = 1 : i32}
  // CHECK-NEXT: weft.sin
  // CHECK-NEXT: weft.cos
  // CHECK-NEXT: weft.atan
  // CHECK-NEXT: weft.floor
  // CHECK-NEXT: weft.ceil
  // CHECK-NEXT: weft.round
  %0 = weft.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = weft.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = weft.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = weft.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %4 = weft.log %x : (tensor<4xf32>) -> tensor<4xf32>
  %5 = weft.erf %x : (tensor<4xf32>) -> tensor<4xf32>
  %6 = weft.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %7 = weft.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  %8 = weft.reciprocal %x : (tensor<4xf32>) -> tensor<4xf32>
  %9 = weft.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %10 = weft.gelu %x {form = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %11 = weft.sin %x : (tensor<4xf32>) -> tensor<4xf32>
  %12 = weft.cos %x : (tensor<4xf32>) -> tensor<4xf32>
  %13 = weft.atan %x : (tensor<4xf32>) -> tensor<4xf32>
  %14 = weft.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  %15 = weft.ceil %x : (tensor<4xf32>) -> tensor<4xf32>
  %16 = weft.round %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @matmul
func.func @matmul(%x: tensor<?x64xf32, #weft.dims<"n", 64>>, %w: tensor<64x8xf32>, %bias: tensor<8xf32>) {
  // CHECK-NEXT: weft.matmul %{{.*}}, %{{.*}} : (
  // CHECK-NEXT: weft.matmul %{{.*}}, %{{.*}} captures(%{{.*}} : tensor<8xf32>) epilogue {
  // CHECK: weft.yield %{{.*}} : f32
  // CHECK-NEXT: } : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %y = weft.matmul %x, %w : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  %z = weft.matmul %x, %w captures(%bias : tensor<8xf32>) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %s = arith.addf %sum, %b : f32
    weft.yield %s : f32
  } : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<64x8xf32>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  return
}

// CHECK-LABEL: func.func @routed_matmul
func.func @routed_matmul(%x: tensor<?x64xf32, #weft.dims<"n", 64>>, %w: tensor<8x64x32xf32>, %experts: tensor<?xi64, #weft.dims<"n">>) {
  // CHECK-NEXT: weft.routed_matmul %{{.*}}, %{{.*}}, %{{.*}} : (
  %y = weft.routed_matmul %x, %w, %experts
    : (tensor<?x64xf32, #weft.dims<"n", 64>>, tensor<8x64x32xf32>, tensor<?xi64, #weft.dims<"n">>)
    -> tensor<?x32xf32, #weft.dims<"n", 32>>
  return
}

// CHECK-LABEL: func.func @conv
func.func @conv(%x: tensor<1x8x?xf32, #weft.dims<1, 8, "n">>, %f: tensor<16x8x1xf32>) {
  // CHECK-NEXT: weft.conv %{{.*}}, %{{.*}} {dilations = array<i64: 1>, groups = 1 : i64
  %y = weft.conv %x, %f {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 1 : i64}
    : (tensor<1x8x?xf32, #weft.dims<1, 8, "n">>, tensor<16x8x1xf32>) -> tensor<1x16x?xf32, #weft.dims<1, 16, "n">>
  return
}

// CHECK-LABEL: func.func @depthwise_conv
func.func @depthwise_conv(%x: tensor<1x18x8xf32>, %f: tensor<3x8xf32>) {
  // CHECK-NEXT: weft.depthwise_conv %{{.*}}, %{{.*}} {dilations = array<i64: 1>, strides = array<i64: 1>}
  %y = weft.depthwise_conv %x, %f {strides = array<i64: 1>, dilations = array<i64: 1>}
    : (tensor<1x18x8xf32>, tensor<3x8xf32>) -> tensor<1x16x8xf32>
  return
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x17x8xf32>) {
  // CHECK-NEXT: weft.windows %{{.*}} {dilations = array<i64: 1>, kernel = array<i64: 3>
  %y = weft.windows %x {kernel = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>}
    : (tensor<1x17x8xf32>) -> tensor<1x8x3x8xf32>
  return
}

// CHECK-LABEL: func.func @einsum
func.func @einsum(%q: tensor<2x5x4x8xf32>, %k: tensor<2x7x4x8xf32>) {
  // CHECK-NEXT: weft.einsum "bihd,bjhd->bhij" %{{.*}}, %{{.*}} : (
  %s = weft.einsum "bihd,bjhd->bhij" %q, %k : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>) -> tensor<2x4x5x7xf32>
  return
}

// CHECK-LABEL: func.func @arg_reduce
func.func @arg_reduce(%x: tensor<4x8xf32>) {
  // CHECK-NEXT: weft.arg_reduce max %{{.*}} {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xi64>
  %i = weft.arg_reduce max %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xi64>
  return
}

// CHECK-LABEL: func.func @cumulative_sum
func.func @cumulative_sum(%x: tensor<4x8xi64>) {
  // CHECK-NEXT: weft.cumulative sum %{{.*}} {axis = 1 : i64, exclusive}
  %y = weft.cumulative sum %x {axis = 1 : i64, exclusive} : (tensor<4x8xi64>) -> tensor<4x8xi64>
  return
}

// CHECK-LABEL: func.func @pad
func.func @pad(%x: tensor<4x8xf32>, %n: tensor<4xi64>, %fill: tensor<f32>) {
  // CHECK-NEXT: weft.pad constant %{{.*}} {after = #weft.dims<0, 2>, before = #weft.dims<0, 1>}
  // CHECK-NEXT: weft.pad constant %{{.*}} pads %{{.*}} fill %{{.*}} {axes = array<i64: 1, 0>}
  %y = weft.pad constant %x {before = #weft.dims<0, 1>, after = #weft.dims<0, 2>} : (tensor<4x8xf32>) -> tensor<4x11xf32>
  %z = weft.pad constant %x pads %n fill %fill {axes = array<i64: 1, 0>} : (tensor<4x8xf32>, tensor<4xi64>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<4x8xf32>) {
  // CHECK-NEXT: weft.reduce mean %{{.*}} {axes = array<i64: 1>, keepdims}
  %m = weft.reduce mean %x {axes = array<i64: 1>, keepdims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return
}

// CHECK-LABEL: func.func @softmax
func.func @softmax(%s: tensor<4x8xf32>) {
  // CHECK-NEXT: weft.softmax %{{.*}} {axis = 1 : i64}
  %p = weft.softmax %s {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @log_softmax
func.func @log_softmax(%s: tensor<4x8xf32>) {
  // CHECK-NEXT: weft.log_softmax %{{.*}} {axis = 1 : i64}
  %p = weft.log_softmax %s {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @rms_norm
func.func @rms_norm(%x: tensor<4x8xf32>, %g: tensor<8xf32>) {
  // CHECK-NEXT: weft.rms_norm %{{.*}}, %{{.*}} {axis = 1 : i64, epsilon = {{.*}} : f32}
  %y = weft.rms_norm %x, %g {axis = 1 : i64, epsilon = 1.0e-6 : f32} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @quantize_rows
func.func @quantize_rows(%x: tensor<?x100xf32, #weft.dims<"n", 100>>) {
  // CHECK-NEXT: %{{.*}}, %{{.*}}, %{{.*}} = weft.quantize_rows %{{.*}} : (tensor<?x100xf32, {{.*}}>) -> (tensor<?x128xui8, {{.*}}>, tensor<?x1xf32, {{.*}}>, tensor<?x1xi32, {{.*}}>)
  %bytes, %scale, %zero = weft.quantize_rows %x : (tensor<?x100xf32, #weft.dims<"n", 100>>)
    -> (tensor<?x128xui8, #weft.dims<"n", 128>>, tensor<?x1xf32, #weft.dims<"n", 1>>, tensor<?x1xi32, #weft.dims<"n", 1>>)
  return
}

// CHECK-LABEL: func.func @dequantize
func.func @dequantize(%q: tensor<8x64xui8>, %scales: tensor<8x4xf32>, %zeros: tensor<8x4xf32>) {
  // CHECK-NEXT: weft.dequantize %{{.*}}, %{{.*}}, %{{.*}} {bits = 4 : i64, group = 32 : i64, length = 100 : i64} : (tensor<8x64xui8>,
  %w = weft.dequantize %q, %scales, %zeros {bits = 4, group = 32, length = 100}
    : (tensor<8x64xui8>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x100xf32>
  return
}

// CHECK-LABEL: func.func @layer_norm
func.func @layer_norm(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) {
  // CHECK-NEXT: weft.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64, epsilon = {{.*}} : f32}
  %y = weft.layer_norm %x, %g, %b {axis = 1 : i64, epsilon = 1.0e-5 : f32}
    : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @gather
func.func @gather(%table: tensor<100x8xf32>, %ids: tensor<?xi64, #weft.dims<"n">>) {
  // CHECK-NEXT: weft.gather %{{.*}}, %{{.*}} {axis = 0 : i64}
  %e = weft.gather %table, %ids {axis = 0 : i64} : (tensor<100x8xf32>, tensor<?xi64, #weft.dims<"n">>) -> tensor<?x8xf32, #weft.dims<"n", 8>>
  return
}

// CHECK-LABEL: func.func @gather_elements
func.func @gather_elements(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>) {
  // CHECK-NEXT: weft.gather_elements %{{.*}}, %{{.*}} {axis = 1 : i64}
  %y = weft.gather_elements %x, %i {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func.func @gather_nd
func.func @gather_nd(%x: tensor<4x8x5xf32>, %i: tensor<?x2xi64, #weft.dims<"n", 2>>) {
  // CHECK-NEXT: weft.gather_nd %{{.*}}, %{{.*}} {batch_dims = 0 : i64}
  %y = weft.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<4x8x5xf32>, tensor<?x2xi64, #weft.dims<"n", 2>>) -> tensor<?x5xf32, #weft.dims<"n", 5>>
  return
}

// CHECK-LABEL: func.func @scatter_nd
func.func @scatter_nd(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>, %u: tensor<3x8xf32>) {
  // CHECK-NEXT: weft.scatter_nd replace %{{.*}}, %{{.*}}, %{{.*}} :
  %y = weft.scatter_nd replace %x, %i, %u : (tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @scatter_elements
func.func @scatter_elements(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x2xf32>) {
  // CHECK-NEXT: weft.scatter_elements add %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64}
  %y = weft.scatter_elements add %x, %i, %u {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @top_k
func.func @top_k(%x: tensor<4x8xf32>, %k: tensor<1xi64>) {
  // CHECK-NEXT: weft.top_k %{{.*}} {axis = 1 : i64, largest} :
  // CHECK-NEXT: weft.top_k %{{.*}}, %{{.*}} {axis = 0 : i64} :
  %i = weft.top_k %x {axis = 1 : i64, largest} : (tensor<4x8xf32>) -> tensor<4x3xi64>
  %j = weft.top_k %x, %k {axis = 0 : i64} : (tensor<4x8xf32>, tensor<1xi64>) -> tensor<?x8xi64>
  return
}

// CHECK-LABEL: func.func @attends
func.func @attends(%q: tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>, %k: tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>,
                   %v: tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>, %bias: tensor<4x1x1xf32>) {
  // CHECK-NEXT: weft.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.250000e-01) empty_rows(zero) score {
  // CHECK: } : ({{.*}}) -> tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>
  %y = weft.attention %q, %k, %v scale(0.125) empty_rows(zero) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  } : (tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>, tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>,
       tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>) -> tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>
  // CHECK: %{{.*}}, %{{.*}} = weft.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.000000e+00) empty_rows(nan_to_zero) captures(%{{.*}} : tensor<4x1x1xf32>) score {
  // CHECK: } : ({{.*}}) -> tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "n">>
  %z, %weights = weft.attention %q, %k, %v scale(1.0) empty_rows(nan_to_zero) captures(%bias : tensor<4x1x1xf32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f32):
    %keep = arith.constant true
    %sum = arith.addf %s, %add : f32
    weft.yield %sum, %keep : f32, i1
  } : (tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>, tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>,
       tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>)
    -> tensor<2x4x?x64xf32, #weft.dims<2, 4, "n", 64>>, tensor<2x4x?x?xf32, #weft.dims<2, 4, "n", "n">>
  return
}

// CHECK-LABEL: func.func @keeps_a_state
func.func @keeps_a_state(%q: tensor<2x?x8x64xf32, #weft.dims<2, "n", 8, 64>>, %k: tensor<2x?x4x64xf32, #weft.dims<2, "n", 4, 64>>,
                         %v: tensor<2x?x4x32xf32, #weft.dims<2, "n", 4, 32>>, %past: tensor<2x4x64x32xf32>,
                         %g: tensor<2x?x4x1xf32, #weft.dims<2, "n", 4, 1>>) {
  // CHECK-NEXT: weft.linear_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} decay(%{{.*}} : tensor<2x?x4x1xf32, #weft.dims<2, "n", 4, 1>>)
  // CHECK-SAME: -> (tensor<2x?x8x32xf32, #weft.dims<2, "n", 8, 32>>, tensor<2x4x64x32xf32>)
  %y, %s = weft.linear_attention %q, %k, %v, %past decay(%g : tensor<2x?x4x1xf32, #weft.dims<2, "n", 4, 1>>)
    : (tensor<2x?x8x64xf32, #weft.dims<2, "n", 8, 64>>, tensor<2x?x4x64xf32, #weft.dims<2, "n", 4, 64>>,
       tensor<2x?x4x32xf32, #weft.dims<2, "n", 4, 32>>, tensor<2x4x64x32xf32>)
    -> (tensor<2x?x8x32xf32, #weft.dims<2, "n", 8, 32>>, tensor<2x4x64x32xf32>)
  return
}

// CHECK-LABEL: func.func @loop
func.func @loop(%zero: tensor<f32>, %x: tensor<?xf32, #weft.dims<"n">>, %trips: tensor<1xi32>) {
  // CHECK-NEXT: %{{.*}}:2 = weft.loop count(<"n">) states(%{{.*}} : tensor<f32>) captures(%{{.*}} : tensor<?xf32, #weft.dims<"n">>) {
  // CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>, %[[S:.*]]: tensor<f32>, %[[ALL:.*]]: tensor<?xf32, #weft.dims<"n">>):
  // CHECK-NEXT: %[[E:.*]] = weft.gather %[[ALL]], %[[I]] {axis = 0 : i64}
  // CHECK-NEXT: %[[T:.*]] = weft.add %[[S]], %[[E]]
  // CHECK-NEXT: weft.yield %[[T]], %[[T]] : tensor<f32>, tensor<f32>
  // CHECK-NEXT: } -> (tensor<f32>, tensor<?xf32, #weft.dims<"n">>)
  %sum, %sums = weft.loop count(#weft.dim<"n">) states(%zero : tensor<f32>) captures(%x : tensor<?xf32, #weft.dims<"n">>) {
  ^bb0(%i: tensor<i64>, %s: tensor<f32>, %all: tensor<?xf32, #weft.dims<"n">>):
    %e = weft.gather %all, %i {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"n">>, tensor<i64>) -> tensor<f32>
    %t = weft.add %s, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weft.yield %t, %t : tensor<f32>, tensor<f32>
  } -> (tensor<f32>, tensor<?xf32, #weft.dims<"n">>)
  // Only a run knows how many trips these are; there are neither states nor captures.
  // CHECK-NEXT: %{{.*}} = weft.loop trips(%{{.*}} : tensor<1xi32>) {
  // CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i64>):
  // CHECK-NEXT: weft.yield %[[I]] : tensor<i64>
  // CHECK-NEXT: } {note = "kept"} -> (tensor<*xi64>)
  %numbers = weft.loop trips(%trips : tensor<1xi32>) {
  ^bb0(%i: tensor<i64>):
    weft.yield %i : tensor<i64>
  } {note = "kept"} -> (tensor<*xi64>)
  return
}

// CHECK-LABEL: weft.kernel @relu(
// CHECK-SAME: attributes {schedule = {columns = 8192 : i64, rows = 128 : i64}}
weft.kernel @relu(%tile: index, %in: memref<?x64xf32>, %out: memref<?x64xf32>) attributes {schedule = {rows = 128 : i64, columns = 8192 : i64}} {
  weft.yield
}

// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<?x64xf32>, %e: tensor<?x64xf32>, %grid: index) -> tensor<?x64xf32> {
  // CHECK-NEXT: weft.step @relu[%{{.*}}] ins(%{{.*}} : tensor<?x64xf32>) outs(%{{.*}} : tensor<?x64xf32>) -> (tensor<?x64xf32>)
  %r = weft.step @relu [%grid] ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> (tensor<?x64xf32>)
  return %r : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @view
func.func @view(%x: tensor<?x8x8xf32>, %n: index) {
  // CHECK-NEXT: weft.view %{{.*}}[%{{.*}}] : tensor<?x8x8xf32> to tensor<?x64xf32>
  %v = weft.view %x [%n] : tensor<?x8x8xf32> to tensor<?x64xf32>
  return
}

// CHECK-LABEL: weft.kernel @linear_attention(
weft.kernel @linear_attention(%tile: index, %q: memref<2x?x4x8xf32>, %k: memref<2x?x2x8xf32>, %v: memref<2x?x2x5xf32>,
                              %past: memref<2x2x8x5xf32>, %g: memref<2x?x2x1xf32>, %b: memref<2x?x1x1xf32>,
                              %y: memref<2x?x4x5xf32>, %s: memref<2x2x8x5xf32>) attributes {schedule = {columns = 64 : i64}} {
  // CHECK-NEXT: weft.linear_attention_tile ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : memref<2x?x4x8xf32>, memref<2x?x2x8xf32>, memref<2x?x2x5xf32>, memref<2x2x8x5xf32>)
  // CHECK-SAME: decay(%{{.*}} : memref<2x?x2x1xf32>) rate(%{{.*}} : memref<2x?x1x1xf32>) outs(%{{.*}}, %{{.*}} : memref<2x?x4x5xf32>, memref<2x2x8x5xf32>)
  weft.linear_attention_tile ins(%q, %k, %v, %past : memref<2x?x4x8xf32>, memref<2x?x2x8xf32>, memref<2x?x2x5xf32>, memref<2x2x8x5xf32>)
    decay(%g : memref<2x?x2x1xf32>) rate(%b : memref<2x?x1x1xf32>) outs(%y, %s : memref<2x?x4x5xf32>, memref<2x2x8x5xf32>)
  weft.yield
}

// CHECK-LABEL: weft.kernel @attention_with_panels(
weft.kernel @attention_with_panels(%tile: index, %q: memref<2x4x?x8xf32>, %k: memref<2x4x?x8xf32>, %v: memref<2x4x?x5xf32>,
                                   %p: memref<2x4x?x8x64xf32>, %y: memref<2x4x?x5xf32>)
    attributes {schedule = {rows = 64 : i64, columns = 256 : i64}} {
  // CHECK-NEXT: weft.attention_tile ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<2x4x?x8xf32>, memref<2x4x?x8xf32>, memref<2x4x?x5xf32>)
  // CHECK-SAME: panels(%{{.*}} : memref<2x4x?x8x64xf32>) outs(%{{.*}} : memref<2x4x?x5xf32>) scale(2.500000e-01) empty_rows(nan)
  weft.attention_tile ins(%q, %k, %v : memref<2x4x?x8xf32>, memref<2x4x?x8xf32>, memref<2x4x?x5xf32>)
    panels(%p : memref<2x4x?x8x64xf32>) outs(%y : memref<2x4x?x5xf32>) scale(0.25) empty_rows(nan)
  weft.yield
}

// CHECK-LABEL: weft.kernel @attention(
weft.kernel @attention(%tile: index, %q: memref<2x4x?x8xf32>, %k: memref<2x2x?x8x64xf32>, %v: memref<2x2x?x5xf32>,
                       %bias: memref<4x?x?xf32>, %map: memref<1x1x?x?xf32>, %y: memref<2x4x?x5xf32>) attributes {schedule = {rows = 64 : i64, columns = 256 : i64}} {
  // CHECK-NEXT: weft.attention_tile ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<2x4x?x8xf32>, memref<2x2x?x8x64xf32>, memref<2x2x?x5xf32>)
  // CHECK-SAME: captures(%{{.*}} : memref<4x?x?xf32>) maps [0](%{{.*}} : memref<1x1x?x?xf32>) outs(%{{.*}} : memref<2x4x?x5xf32>) scale(2.500000e-01) empty_rows(zero) score {
  weft.attention_tile ins(%q, %k, %v : memref<2x4x?x8xf32>, memref<2x2x?x8x64xf32>, memref<2x2x?x5xf32>)
    captures(%bias : memref<4x?x?xf32>) maps [0](%map : memref<1x1x?x?xf32>) outs(%y : memref<2x4x?x5xf32>) scale(0.25)
    empty_rows(zero) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f32):
    %keep = arith.cmpi sle, %j, %i : index
    %sum = arith.addf %s, %add : f32
    weft.yield %sum, %keep : f32, i1
  }
  weft.yield
}

// CHECK-LABEL: weft.kernel @tiles(
weft.kernel @tiles(%tile: index, %x: memref<?x64xf32>, %w: memref<1x64x48xf32>, %v: memref<64x48xf32>, %c: memref<48xf32>, %p: memref<3x?x48xf32>, %g: memref<64xf32>, %y: memref<?x48xf32>,
                   %z: memref<?x64xf32>, %r: memref<?xf32>, %data: memref<?x64x8xf32>, %i: memref<?xi64>,
                   %bytes: memref<?x64xi8>, %zero: memref<?x1xi32>, %scale: memref<?x1xf32>, %out: memref<?x?x8xf32>, %ints: memref<?x?x8xi32>, %best: memref<?x8xi64>, %index: i64) attributes {schedule = {rows = 8 : i64, columns = 48 : i64}} {
  // CHECK-NEXT: weft.gemm_tile ins(%{{.*}}, %{{.*}} : memref<?x64xf32>, memref<1x64x48xf32>) outs(%{{.*}} : memref<?x48xf32>) {packed}
  // CHECK-NEXT: weft.gemm_tile ins(%{{.*}}, %{{.*}} : memref<?x64xf32>, memref<64x48xf32>) outs(%{{.*}} : memref<3x?x48xf32>) {parts}
  // CHECK-NEXT: weft.gemm_tile ins(%{{.*}}, %{{.*}} : memref<?x64xf32>, memref<1x64x48xf32>) experts(%{{.*}} : memref<?xi64>) outs(%{{.*}} : memref<?x48xf32>)
  // CHECK-NEXT: weft.add_parts_tile ins(%{{.*}} : memref<3x?x48xf32>) captures(%{{.*}} : memref<48xf32>) outs(%{{.*}} : memref<?x48xf32>) epilogue
  // CHECK:      weft.softmax_tile %{{.*}}, %{{.*}} {log}
  // CHECK-NEXT: weft.layer_norm_tile
  // CHECK-NEXT: weft.rms_norm_tile
  // CHECK-NEXT: weft.quantize_rows_tile %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
  // CHECK-NEXT: weft.reduce_tile %{{.*}}, %{{.*}} {kind = 2 : i32}
  // CHECK-NEXT: weft.gather_tile
  // CHECK-NEXT: weft.arg_reduce_tile %{{.*}}, %{{.*}} {is_unsigned, kind = 3 : i32, last}
  // CHECK-NEXT: weft.scan_tile %{{.*}}, %{{.*}} {exclusive, kind = 0 : i32, reverse}
  // CHECK-NEXT: weft.fail %{{.*}}, %{{.*}}
  weft.gemm_tile ins(%x, %w : memref<?x64xf32>, memref<1x64x48xf32>) outs(%y : memref<?x48xf32>) {packed}
  weft.gemm_tile ins(%x, %v : memref<?x64xf32>, memref<64x48xf32>) outs(%p : memref<3x?x48xf32>) {parts}
  weft.gemm_tile ins(%x, %w : memref<?x64xf32>, memref<1x64x48xf32>) experts(%i : memref<?xi64>) outs(%y : memref<?x48xf32>)
  weft.add_parts_tile ins(%p : memref<3x?x48xf32>) captures(%c : memref<48xf32>) outs(%y : memref<?x48xf32>) epilogue {
  ^bb0(%sum: f32, %bias: f32):
    %0 = arith.addf %sum, %bias : f32
    weft.yield %0 : f32
  }
  weft.softmax_tile %x, %z {log} : (memref<?x64xf32>, memref<?x64xf32>) -> ()
  weft.layer_norm_tile %x, %g, %z {epsilon = 1.0e-5 : f32} : (memref<?x64xf32>, memref<64xf32>, memref<?x64xf32>) -> ()
  weft.rms_norm_tile %x, %g, %z {epsilon = 1.0e-6 : f32} : (memref<?x64xf32>, memref<64xf32>, memref<?x64xf32>) -> ()
  weft.quantize_rows_tile %x, %bytes, %scale, %zero : (memref<?x64xf32>, memref<?x64xi8>, memref<?x1xf32>, memref<?x1xi32>) -> ()
  weft.reduce_tile %x, %r {kind = 2 : i32} : (memref<?x64xf32>, memref<?xf32>) -> ()
  weft.gather_tile %data, %i, %out : (memref<?x64x8xf32>, memref<?xi64>, memref<?x?x8xf32>) -> ()
  weft.arg_reduce_tile %ints, %best {kind = 3 : i32, last, is_unsigned} : (memref<?x?x8xi32>, memref<?x8xi64>) -> ()
  weft.scan_tile %out, %out {exclusive, kind = 0 : i32, reverse} : (memref<?x?x8xf32>, memref<?x?x8xf32>) -> ()
  weft.fail %index, %index
  weft.yield
}

// CHECK-LABEL: weft.kernel @places(
weft.kernel @places(%tile: index, %data: memref<?xf32>, %places: memref<?xi64>, %updates: memref<?x8xf32>, %out: memref<?x8xf32>,
                    %x: memref<?x64x1xf32>, %best: memref<?x3x1xi64>, %i: index, %n: index, %zero: f32)
    attributes {schedule = {rows = 8 : i64, columns = 8 : i64}} {
  // CHECK-NEXT: %[[PLACE:.*]] = weft.check_index %{{.*}}, %{{.*}}
  // CHECK: weft.read %{{.*}}[%{{.*}}] else %{{.*}} : memref<?xf32>
  // CHECK-NEXT: weft.scatter_tile %{{.*}}, %{{.*}}, %{{.*}} {kind = 1 : i32}
  // CHECK-NEXT: weft.top_k_tile %{{.*}}, %{{.*}} {largest}
  %p = weft.check_index %i, %n
  %place = arith.constant 0 : index
  %e = weft.read %data[%place] else %zero : memref<?xf32>
  weft.scatter_tile %places, %updates, %out {kind = 1 : i32} : (memref<?xi64>, memref<?x8xf32>, memref<?x8xf32>) -> ()
  weft.top_k_tile %x, %best {largest} : (memref<?x64x1xf32>, memref<?x3x1xi64>) -> ()
  weft.yield
}

// CHECK-LABEL: weft.kernel @parts(
weft.kernel @parts(%tile: index, %keys: memref<2x4x?x8xf16>, %panels: memref<2x4x?x8x64xf32>, %parts: memref<?x6x5xf32>,
                   %statistics: memref<?x6x2xf32>, %out: memref<6x5xf32>, %mask: memref<2x1x?x?xi8>,
                   %map: memref<2x1x?x?xf32>) attributes {schedule = {rows = 8 : i64}} {
  // CHECK-NEXT: weft.panel_tile %{{.*}}, %{{.*}} : (memref<2x4x?x8xf16>, memref<2x4x?x8x64xf32>)
  // CHECK-NEXT: weft.merge_attention_tile %{{.*}}, %{{.*}}, %{{.*}} {empty_rows = 1 : i32}
  weft.panel_tile %keys, %panels : (memref<2x4x?x8xf16>, memref<2x4x?x8x64xf32>) -> ()
  // CHECK-NEXT: weft.uniform_tile %{{.*}}, %{{.*}} : (memref<2x1x?x?xi8>, memref<2x1x?x?xf32>)
  weft.merge_attention_tile %parts, %statistics, %out {empty_rows = 1 : i32} : (memref<?x6x5xf32>, memref<?x6x2xf32>, memref<6x5xf32>) -> ()
  weft.uniform_tile %mask, %map : (memref<2x1x?x?xi8>, memref<2x1x?x?xf32>) -> ()
  weft.yield
}
