// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-bufferize: arguments with roles, a buffer for each step output, constants in the weights, outputs written in place.
// RUN: weft-opt --weft-bufferize %s | FileCheck %s

// Constants lie in the order of their first use, 64 bytes apart, each once.
// CHECK: module attributes {weft.weights = [dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>, #weft.weight<"model.onnx", 128, 260, 7>, dense<3> : tensor<1xi8>]}

// Symbols, inputs, outputs, weights: in this order, told apart by their roles.
// CHECK-LABEL: func.func @roles(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<?xf32> {weft.name = "x", weft.role = "input"},
// CHECK-SAME: %[[Y:.*]]: memref<?xf32> {weft.name = "y", weft.role = "output"}, %{{.*}}: memref<?xi8> {weft.role = "weights"})
// CHECK-SAME: attributes {weft.symbols = ["n"]}
// CHECK-NOT: memref.alloc
// CHECK: %[[OUT:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%[[N]]], strides: [1]
// CHECK: weft.step @exp[%[[N]]] ins(%[[X]] : memref<?xf32>) outs(%[[OUT]] : memref<?xf32>){{$}}
// CHECK: return{{$}}
func.func @roles(%n: index, %x: tensor<?xf32> {weft.name = "x"}) -> (tensor<?xf32> {weft.name = "y"}) attributes {weft.symbols = ["n"]} {
  %e = tensor.empty(%n) {weft.dims = #weft.dims<"n">} : tensor<?xf32>
  %y = weft.step @exp[%n] ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  return %y : tensor<?xf32>
}

// What is not returned is allocated, with its dims; two steps on one tensor.empty get a buffer each.
// CHECK-LABEL: func.func @between(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<?xf32> {{.*}}, %[[Y:.*]]: memref<?xf32> {{.*}}"output"}
// CHECK: %[[A:.*]] = memref.alloc(%[[N]]) {weft.dims = #weft.dims<"n">} : memref<?xf32>
// CHECK: weft.step @exp[%[[N]]] ins(%[[X]] {{.*}}) outs(%[[A]] {{.*}})
// CHECK: %[[B:.*]] = memref.alloc(%[[N]]) {weft.dims = #weft.dims<"n">} : memref<?xf32>
// CHECK: weft.step @exp[%[[N]]] ins(%[[A]] {{.*}}) outs(%[[B]] {{.*}})
// CHECK: %[[OUT:.*]] = memref.reinterpret_cast %[[Y]]
// CHECK: weft.step @exp[%[[N]]] ins(%[[B]] {{.*}}) outs(%[[OUT]] {{.*}})
func.func @between(%n: index, %x: tensor<?xf32>) -> tensor<?xf32> attributes {weft.symbols = ["n"]} {
  %e = tensor.empty(%n) {weft.dims = #weft.dims<"n">} : tensor<?xf32>
  %a = weft.step @exp[%n] ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  %b = weft.step @exp[%n] ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  %y = weft.step @exp[%n] ins(%b : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  return %y : tensor<?xf32>
}

// A chain of steps on one tensor writes one buffer; behind a view it is still the output's.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<?xf32> {{.*}}, %[[Y:.*]]: memref<?x1xf32> {{.*}}"output"}
// CHECK-NOT: memref.alloc
// CHECK: %[[FLAT:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%[[N]]], strides: [1] : memref<?x1xf32> to memref<?xf32>
// CHECK: weft.step @part[%[[N]]] ins(%[[X]], %{{.*}} : memref<?xf32>, index) outs(%[[FLAT]] {{.*}})
// CHECK: weft.step @part[%[[N]]] ins(%[[X]], %{{.*}} : memref<?xf32>, index) outs(%[[FLAT]] {{.*}})
func.func @chain(%n: index, %x: tensor<?xf32>) -> tensor<?x1xf32> attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) {weft.dims = #weft.dims<"n">} : tensor<?xf32>
  %a = weft.step @part[%n] ins(%x, %c0 : tensor<?xf32>, index) outs(%e : tensor<?xf32>) -> (tensor<?xf32>)
  %b = weft.step @part[%n] ins(%x, %n : tensor<?xf32>, index) outs(%a : tensor<?xf32>) -> (tensor<?xf32>)
  %y = weft.view %b[%n] : tensor<?xf32> to tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// A view keeps the data where it is.
// CHECK-LABEL: func.func @view(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<?x2x3xf32>
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[N]], 6], strides: [6, 1] : memref<?x2x3xf32> to memref<?x6xf32>
// CHECK: weft.step @rows[%[[N]]] ins(%[[V]] : memref<?x6xf32>)
func.func @view(%n: index, %x: tensor<?x2x3xf32>) -> tensor<?x6xf32> attributes {weft.symbols = ["n"]} {
  %v = weft.view %x[%n] : tensor<?x2x3xf32> to tensor<?x6xf32>
  %e = tensor.empty(%n) {weft.dims = #weft.dims<"n", 6>} : tensor<?x6xf32>
  %y = weft.step @rows[%n] ins(%v : tensor<?x6xf32>) outs(%e : tensor<?x6xf32>) -> (tensor<?x6xf32>)
  return %y : tensor<?x6xf32>
}

// CHECK-LABEL: func.func @constants(
// CHECK-SAME: %[[Y:.*]]: memref<65xf32> {weft.role = "output"}, %[[WEIGHTS:.*]]: memref<?xi8> {weft.role = "weights"})
// CHECK-DAG: %[[AT0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[AT64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[AT384:.*]] = arith.constant 384 : index
// CHECK-DAG: memref.view %[[WEIGHTS]][%[[AT0]]][] : memref<?xi8> to memref<3xf32>
// CHECK-DAG: memref.view %[[WEIGHTS]][%[[AT64]]][] : memref<?xi8> to memref<65xf32>
// CHECK-DAG: memref.view %[[WEIGHTS]][%[[AT384]]][] : memref<?xi8> to memref<1xi8>
func.func @constants() -> tensor<65xf32> attributes {weft.symbols = []} {
  %c1 = arith.constant 1 : index
  %a = weft.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = weft.constant weight<"model.onnx", 128, 260, 7> : tensor<65xf32>
  %again = weft.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %c = weft.constant dense<3> : tensor<1xi8>
  %e = tensor.empty() {weft.dims = #weft.dims<65>} : tensor<65xf32>
  %y = weft.step @many[%c1] ins(%a, %b, %again, %c : tensor<3xf32>, tensor<65xf32>, tensor<3xf32>, tensor<1xi8>)
    outs(%e : tensor<65xf32>) -> (tensor<65xf32>)
  return %y : tensor<65xf32>
}

// A state is one buffer, before the run and after it: it has no output, and the steps that append to it write it where it is.
// CHECK-LABEL: func.func @state(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<4xf32> {weft.name = "x", weft.role = "input"},
// CHECK-SAME: %[[K:.*]]: memref<32xf32> {weft.dims = #weft.dims<"n">, weft.name = "k", weft.role = "state", weft.state = {axis = 0 : i64, capacity = 32 : i64, next = #weft.dim<"n" + 8>}},
// CHECK-SAME: %[[Y:.*]]: memref<32xf32> {weft.name = "y", weft.role = "output"}, %{{.*}}: memref<?xi8> {weft.role = "weights"})
// CHECK-NOT: memref.alloc
// CHECK: weft.step @append[%[[N]]] ins(%[[X]], %[[N]] : memref<4xf32>, index) outs(%[[K]] : memref<32xf32>) work(<0> flops, <32> bytes)
// CHECK: weft.step @append[%[[N]]] ins(%[[X]], %{{.*}} : memref<4xf32>, index) outs(%[[K]] : memref<32xf32>){{$}}
// CHECK: weft.step @sum[%[[N]]] ins(%[[K]] : memref<32xf32>) outs(%[[Y]] : memref<32xf32>){{$}}
// CHECK: return{{$}}
func.func @state(%n: index, %x: tensor<4xf32> {weft.name = "x"},
                 %k: tensor<32xf32> {weft.name = "k", weft.dims = #weft.dims<"n">, weft.state = {axis = 0 : i64, capacity = 32 : i64, next = #weft.dim<"n" + 8>}})
    -> (tensor<32xf32> {weft.name = "next", weft.state}, tensor<32xf32> {weft.name = "y"}) attributes {weft.symbols = ["n"]} {
  %c4 = arith.constant 4 : index
  %more = arith.addi %n, %c4 : index
  %a = weft.step @append[%n] ins(%x, %n : tensor<4xf32>, index) outs(%k : tensor<32xf32>) -> (tensor<32xf32>) work(<0> flops, <32> bytes)
  %b = weft.step @append[%n] ins(%x, %more : tensor<4xf32>, index) outs(%a : tensor<32xf32>) -> (tensor<32xf32>)
  %e = tensor.empty() {weft.dims = #weft.dims<32>} : tensor<32xf32>
  %y = weft.step @sum[%n] ins(%b : tensor<32xf32>) outs(%e : tensor<32xf32>) -> (tensor<32xf32>)
  return %b, %y : tensor<32xf32>, tensor<32xf32>
}

// What a loop carries is one buffer, which is there before the loop, in it and behind it: that of the step it begins with, or one of its own, also
// where two begin as the same tensor.empty. What is made in a body is allocated there.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[N:.*]]: index, %[[X:.*]]: memref<4xf32> {weft.role = "input"}, %[[Y:.*]]: memref<4xf32> {weft.role = "output"},
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[STATE:.*]] = memref.alloc() {weft.dims = #weft.dims<4>} : memref<4xf32>
// CHECK: weft.step @copy[%[[N]]] ins(%[[X]] : memref<4xf32>) outs(%[[STATE]] : memref<4xf32>)
// CHECK: %[[ALL:.*]] = memref.alloc(%[[N]]) {weft.dims = #weft.dims<"n">} : memref<?xf32>
// CHECK: %[[OTHER:.*]] = memref.alloc(%[[N]]) {weft.dims = #weft.dims<"n">} : memref<?xf32>
// CHECK: scf.for %[[I:.*]] = %[[ZERO]] to %[[N]] step %{{.*}} {
// CHECK: %[[WEIGHT:.*]] = memref.view %{{.*}} : memref<?xi8> to memref<3xf32>
// CHECK: %[[NEXT:.*]] = memref.alloc() {weft.dims = #weft.dims<4>} : memref<4xf32>
// CHECK: weft.step @exp[%[[I]]] ins(%[[STATE]], %[[WEIGHT]] : memref<4xf32>, memref<3xf32>) outs(%[[NEXT]] : memref<4xf32>)
// CHECK: weft.step @part[%[[N]]] ins(%[[NEXT]], %[[I]] : memref<4xf32>, index) outs(%[[ALL]] : memref<?xf32>)
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[STATE]] {{.*}} to memref<2x2xf32>
// CHECK: %[[INNER:.*]] = memref.alloc() {weft.dims = #weft.dims<4>} : memref<4xf32>
// CHECK: scf.for %[[J:.*]] = %[[ZERO]] to %[[I]] step %{{.*}} {
// CHECK-NEXT: weft.step @more[%[[J]]] ins(%[[VIEW]] : memref<2x2xf32>) outs(%[[INNER]] : memref<4xf32>)
// CHECK-NEXT: }
// CHECK: weft.step @part[%[[N]]] ins(%[[INNER]], %[[I]] : memref<4xf32>, index) outs(%[[OTHER]] : memref<?xf32>)
// CHECK: weft.step @copy[%[[N]]] ins(%[[NEXT]] : memref<4xf32>) outs(%[[STATE]] : memref<4xf32>)
// CHECK-NEXT: }
// CHECK: weft.step @last[%[[N]]] ins(%[[STATE]], %[[ALL]], %[[OTHER]] : memref<4xf32>, memref<?xf32>, memref<?xf32>) outs(%[[Y]] : memref<4xf32>)
// CHECK-NEXT: return{{$}}
func.func @loop(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> attributes {weft.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() {weft.dims = #weft.dims<4>} : tensor<4xf32>
  %room = tensor.empty(%n) {weft.dims = #weft.dims<"n">} : tensor<?xf32>
  %begin = weft.step @copy[%n] ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>)
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %begin, %all = %room, %other = %room) -> (tensor<4xf32>, tensor<?xf32>, tensor<?xf32>) {
    %w = weft.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %next = weft.step @exp[%i] ins(%s, %w : tensor<4xf32>, tensor<3xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>)
    %a = weft.step @part[%n] ins(%next, %i : tensor<4xf32>, index) outs(%all : tensor<?xf32>) -> (tensor<?xf32>)
    %v = weft.view %s[] : tensor<4xf32> to tensor<2x2xf32>
    %q = scf.for %j = %c0 to %i step %c1 iter_args(%t = %e) -> (tensor<4xf32>) {
      %u = weft.step @more[%j] ins(%v : tensor<2x2xf32>) outs(%t : tensor<4xf32>) -> (tensor<4xf32>)
      scf.yield %u : tensor<4xf32>
    }
    %b = weft.step @part[%n] ins(%q, %i : tensor<4xf32>, index) outs(%other : tensor<?xf32>) -> (tensor<?xf32>)
    %back = weft.step @copy[%n] ins(%next : tensor<4xf32>) outs(%s : tensor<4xf32>) -> (tensor<4xf32>)
    scf.yield %back, %a, %b : tensor<4xf32>, tensor<?xf32>, tensor<?xf32>
  }
  %y = weft.step @last[%n] ins(%r#0, %r#1, %r#2 : tensor<4xf32>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>)
  return %y : tensor<4xf32>
}
