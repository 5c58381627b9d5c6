// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-form-steps on arguments with weft.capacity: what is appended goes into the argument's own tensor, which has room for it.
// RUN: weft-opt --weft-form-steps --cse %s -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=KERNEL < %t

#k = #weft.dims<"b", 2, "past", 8>
#n = #weft.dims<"b", 2, "n", 8>
#a = #weft.dims<"b", 2, "past" + "n", 8>
#q = #weft.dims<"b", 4, "n", 8>

// The argument and the result have the capacity along the axis; the dims beside them say what is there before and after a run.
// Each part that is appended goes behind the one before it.
// CHECK-LABEL: func.func @append(
// CHECK-SAME: %[[B:.*]]: index, %[[PAST:.*]]: index, %[[N:.*]]: index,
// CHECK-SAME: %[[K:.*]]: tensor<?x32x3xf32> {weft.dims = #weft.dims<"b", "past", 3>, weft.element = f32, weft.name = "k",
// CHECK-SAME: weft.state = {axis = 1 : i64, capacity = 32 : i64, next = #weft.dim<"n" + "past" + 2>}}
// CHECK-SAME: -> (tensor<?x2x3xf32> {weft.dims = #weft.dims<"b", 2, 3>, weft.element = f32, weft.name = "y"},
// CHECK-SAME: tensor<?x32x3xf32> {weft.dims = #weft.dims<"b", "n" + "past" + 2, 3>, weft.element = f32, weft.name = "next", weft.state})
// CHECK-DAG: %[[DONE:.*]] = arith.muli %{{.*}}, %[[PAST]] : index
// CHECK-DAG: %[[DONE_NEXT:.*]] = arith.addi %[[DONE]], %{{.*}} : index
// CHECK: %[[Y:.*]] = weft.view %{{.*}} to tensor<?x2x3xf32>
// CHECK: %[[ONE:.*]] = weft.step @append_[[FIRST:[0-9]+]][%{{.*}}] ins(%{{.*}}, %[[DONE]] : tensor<?x6xf32>, index) outs(%[[K]] : tensor<?x32x3xf32>)
// CHECK-SAME: work(<0> flops, <48 * "b"> bytes)
// CHECK: %[[TWO:.*]] = weft.step @append_{{.*}} ins(%{{.*}}, %[[DONE_NEXT]] : tensor<?x?xf32>, index) outs(%[[ONE]] : tensor<?x32x3xf32>)
// CHECK-SAME: work(<0> flops, <24 * "b" * "n"> bytes)
// CHECK-NEXT: return %[[Y]], %[[TWO]]
// A row of the tensor is the capacity long: 32 x 3.
// KERNEL-LABEL: weft.kernel @append_{{.*}}memref<?x6xf32>
// KERNEL-SAME: %[[AT:[a-z0-9]+]]: index, %[[STATE:[a-z0-9]+]]: memref<?x32x3xf32>)
// KERNEL: %[[INTO:.*]] = memref.reinterpret_cast %[[STATE]] to offset: [%[[AT]]], sizes: [%{{.*}}, 6], strides: [96, 1]
// KERNEL: linalg.generic {{.*}} outs(%[[INTO]] :
func.func @append(%k: tensor<?x?x3xf32, #weft.dims<"b", "past", 3>> {weft.name = "k", weft.capacity = 32 : i64},
                  %x: tensor<?x2x3xf32, #weft.dims<"b", 2, 3>> {weft.name = "x"}, %z: tensor<?x?x3xf32, #weft.dims<"b", "n", 3>> {weft.name = "z"})
    -> (tensor<?x2x3xf32, #weft.dims<"b", 2, 3>> {weft.name = "y"}, tensor<?x?x3xf32, #weft.dims<"b", "past" + "n" + 2, 3>> {weft.name = "next"}) {
  %y = weft.exp %x : (tensor<?x2x3xf32, #weft.dims<"b", 2, 3>>) -> tensor<?x2x3xf32, #weft.dims<"b", 2, 3>>
  %next = weft.concat %k, %x, %z {axis = 1 : i64}
    : (tensor<?x?x3xf32, #weft.dims<"b", "past", 3>>, tensor<?x2x3xf32, #weft.dims<"b", 2, 3>>, tensor<?x?x3xf32, #weft.dims<"b", "n", 3>>)
    -> tensor<?x?x3xf32, #weft.dims<"b", "past" + "n" + 2, 3>>
  return %y, %next : tensor<?x2x3xf32, #weft.dims<"b", 2, 3>>, tensor<?x?x3xf32, #weft.dims<"b", "past" + "n" + 2, 3>>
}

// Attention of f32 reads keys and values where they are, and so do the panels; the batch and the length are more inputs of both.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[B:.*]]: index, %[[N:.*]]: index, %[[PAST:.*]]: index,
// CHECK-SAME: %[[K:[a-z0-9]+]]: tensor<?x2x32x8xf32> {{[^)]*}}weft.name = "k",
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<?x2x32x8xf32> {{[^)]*}}weft.name = "v",
// CHECK: %[[LENGTH:.*]] = arith.addi %[[N]], %[[PAST]] : index
// CHECK: %[[KEYS:.*]] = weft.step @append_{{.*}} outs(%[[K]] :
// CHECK: %[[VALUES:.*]] = weft.step @append_{{.*}} outs(%[[V]] :
// CHECK: %[[PANELS:.*]] = weft.step @panel_key{{.*}} ins(%[[KEYS]], %[[B]], %[[LENGTH]] : tensor<?x2x32x8xf32>, index, index)
// CHECK-NOT: weft.step @copy_state
// CHECK: %[[Y:.*]] = weft.step @attention_{{.*}} ins(%{{.*}}, %[[KEYS]], %[[VALUES]], %[[PANELS]], %[[B]], %[[LENGTH]] :
// CHECK-SAME: work(<128 * "b" * "n" * "n" + 128 * "b" * "n" * "past"> flops, <384 * "b" * "n" + 128 * "b" * "past"> bytes)
// CHECK: return %[[Y]], %[[KEYS]], %[[VALUES]]
// KERNEL-LABEL: weft.kernel @panel_key(
// KERNEL-SAME: %[[K:[a-z0-9]+]]: memref<?x2x32x8xf32>, %[[B:[a-z0-9]+]]: index, %[[LENGTH:[a-z0-9]+]]: index, %{{.*}}: memref<?x2x?x8x64xf32>)
// KERNEL: %[[HELD:.*]] = memref.reinterpret_cast %[[K]] to offset: [0], sizes: [%[[B]], 2, %[[LENGTH]], 8], strides: [512, 256, 8, 1]
// KERNEL: weft.panel_tile %[[HELD]],
// KERNEL-LABEL: weft.kernel @attention_
// KERNEL-SAME: %[[K:[a-z0-9]+]]: memref<?x2x32x8xf32>, %[[V:[a-z0-9]+]]: memref<?x2x32x8xf32>, %[[P:[a-z0-9]+]]: memref<?x2x?x8x64xf32>, %{{.*}}: index, %[[LENGTH:[a-z0-9]+]]: index,
// KERNEL: %[[KEYS:.*]] = memref.reinterpret_cast %[[K]] to offset: [0], sizes: [%{{.*}}, 2, %[[LENGTH]], 8], strides: [512, 256, 8, 1]
// KERNEL: %[[VALUES:.*]] = memref.reinterpret_cast %[[V]] to offset: [0], sizes: [%{{.*}}, 2, %[[LENGTH]], 8], strides: [512, 256, 8, 1]
// KERNEL: weft.attention_tile ins(%{{.*}}, %[[KEYS]], %[[VALUES]] : {{.*}}) panels(%[[P]] :
func.func @attention(%q: tensor<?x4x?x8xf32, #q> {weft.name = "q"}, %x: tensor<?x2x?x8xf32, #n> {weft.name = "x"},
                     %k: tensor<?x2x?x8xf32, #k> {weft.name = "k", weft.capacity = 32 : i64}, %v: tensor<?x2x?x8xf32, #k> {weft.name = "v", weft.capacity = 32 : i64})
    -> (tensor<?x4x?x8xf32, #q> {weft.name = "y"}, tensor<?x2x?x8xf32, #a> {weft.name = "nk"}, tensor<?x2x?x8xf32, #a> {weft.name = "nv"}) {
  %nk = weft.concat %k, %x {axis = 2 : i64} : (tensor<?x2x?x8xf32, #k>, tensor<?x2x?x8xf32, #n>) -> tensor<?x2x?x8xf32, #a>
  %nv = weft.concat %v, %x {axis = 2 : i64} : (tensor<?x2x?x8xf32, #k>, tensor<?x2x?x8xf32, #n>) -> tensor<?x2x?x8xf32, #a>
  %y = weft.attention %q, %nk, %nv scale(0.5) empty_rows(nan)
    : (tensor<?x4x?x8xf32, #q>, tensor<?x2x?x8xf32, #a>, tensor<?x2x?x8xf32, #a>) -> tensor<?x4x?x8xf32, #q>
  return %y, %nk, %nv : tensor<?x4x?x8xf32, #q>, tensor<?x2x?x8xf32, #a>, tensor<?x2x?x8xf32, #a>
}

// What cannot read it there reads a copy of what is there; the state itself is returned.
// CHECK-LABEL: func.func @other_reader(
// CHECK-SAME: %[[K:[a-z0-9]+]]: tensor<32x3xf32> {{[^)]*}}weft.name = "k",
// CHECK: %[[NEXT:.*]] = weft.step @append_{{.*}} outs(%[[K]] : tensor<32x3xf32>)
// CHECK: %[[ROW:.*]] = weft.view %[[NEXT]][] : tensor<32x3xf32> to tensor<1x96xf32>
// CHECK: %[[COPY:.*]] = weft.step @copy_state[%{{.*}}] ins(%[[ROW]], %[[LENGTH:.*]] : tensor<1x96xf32>, index) outs(%{{.*}} : tensor<1x?xf32>)
// CHECK-SAME: work(<0> flops, <24 * "n" + 24 * "past"> bytes)
// CHECK: %[[READ:.*]] = weft.view %[[COPY]][%[[LENGTH]]]
// CHECK: weft.step @exp_{{.*}} ins(%[[READ]] :
// CHECK: return %[[NEXT]],
// KERNEL-LABEL: weft.kernel @copy_state(
// KERNEL-SAME: %[[FROM:[a-z0-9]+]]: memref<1x96xf32>, %[[LENGTH:[a-z0-9]+]]: index, %[[TO:[a-z0-9]+]]: memref<1x?xf32>)
// KERNEL: %[[HELD:.*]] = memref.reinterpret_cast %[[FROM]] to offset: [0], sizes: [1, %[[LENGTH]]], strides: [96, 1]
// KERNEL: linalg.generic {{.*}} ins(%[[HELD]] : {{.*}}) outs(%[[TO]] :
func.func @other_reader(%x: tensor<?x3xf32, #weft.dims<"n", 3>> {weft.name = "x"}, %k: tensor<?x3xf32, #weft.dims<"past", 3>> {weft.name = "k", weft.capacity = 32 : i64})
    -> (tensor<?x3xf32, #weft.dims<"past" + "n", 3>> {weft.name = "next"}, tensor<?x3xf32, #weft.dims<"past" + "n", 3>> {weft.name = "y"}) {
  %next = weft.concat %k, %x {axis = 0 : i64}
    : (tensor<?x3xf32, #weft.dims<"past", 3>>, tensor<?x3xf32, #weft.dims<"n", 3>>) -> tensor<?x3xf32, #weft.dims<"past" + "n", 3>>
  %y = weft.exp %next : (tensor<?x3xf32, #weft.dims<"past" + "n", 3>>) -> tensor<?x3xf32, #weft.dims<"past" + "n", 3>>
  return %next, %y : tensor<?x3xf32, #weft.dims<"past" + "n", 3>>, tensor<?x3xf32, #weft.dims<"past" + "n", 3>>
}

// Attention of f16 computes in f32, so it reads a copy; one for keys and values.
// CHECK-LABEL: func.func @half(
// CHECK: %[[NEXT:.*]] = weft.step @append_
// CHECK: %[[ROWS:.*]] = weft.view %[[NEXT]]{{.*}} to tensor<?x256xf16>
// CHECK: %[[COPY:.*]] = weft.step @copy_state_{{.*}} ins(%[[ROWS]],
// CHECK-NOT: weft.step @copy_state
// CHECK: %[[KEYS:.*]] = weft.view %[[COPY]]{{.*}} to tensor<?x2x?x8xf16>
// CHECK: weft.step @attention_{{.*}} ins(%{{.*}}, %[[KEYS]], %{{.*}}, %{{.*}} : tensor<?x4x?x8xf32>, tensor<?x2x?x8xf16>, tensor<?x2x?x8xf32>, tensor<?x2x?x8x64xf32>)
// CHECK: return %{{.*}}, %[[NEXT]]
func.func @half(%q: tensor<?x4x?x8xf16, #q> {weft.name = "q"}, %x: tensor<?x2x?x8xf16, #n> {weft.name = "x"},
                     %k: tensor<?x2x?x8xf16, #k> {weft.name = "k", weft.capacity = 32 : i64})
    -> (tensor<?x4x?x8xf16, #q> {weft.name = "y"}, tensor<?x2x?x8xf16, #a> {weft.name = "nk"}) {
  %nk = weft.concat %k, %x {axis = 2 : i64} : (tensor<?x2x?x8xf16, #k>, tensor<?x2x?x8xf16, #n>) -> tensor<?x2x?x8xf16, #a>
  %y = weft.attention %q, %nk, %nk scale(0.5) empty_rows(nan)
    : (tensor<?x4x?x8xf16, #q>, tensor<?x2x?x8xf16, #a>, tensor<?x2x?x8xf16, #a>) -> tensor<?x4x?x8xf16, #q>
  return %y, %nk : tensor<?x4x?x8xf16, #q>, tensor<?x2x?x8xf16, #a>
}
