// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What score regions say, in words.
// RUN: weft-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(func.func(weft-describe-attention{explain=true}))'

func.func @all(%x: tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>> {
  // expected-remark @below {{attention: all keys}}
  %y = weft.attention %x, %x, %x scale(1.0) empty_rows(nan) : (tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
  return %y : tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
}

// -----

// Excluded, and filled in; a window and a softcap.
func.func @causal(%x: tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>> {
  // expected-remark @below {{attention: causal}}
  %y = weft.attention %x, %x, %x scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %s, %keep : f32, i1
  } : (tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
  // expected-remark @below {{attention: causal, window 5, softcap}}
  %z = weft.attention %y, %y, %y scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %true = arith.constant true
    %least = arith.constant -3.0e+38 : f32
    %two = arith.constant 2.0 : f32
    %five = arith.constant 5 : i64
    %tanh = math.tanh %s : f32
    %capped = arith.mulf %tanh, %two : f32
    %row = arith.index_cast %i : index to i64
    %column = arith.index_cast %j : index to i64
    %distance = arith.subi %row, %column : i64
    %later = arith.cmpi sgt, %column, %row : i64
    %far = arith.cmpi sge, %distance, %five : i64
    %closed = arith.ori %later, %far : i1
    %filled = arith.select %closed, %least, %capped : f32
    weft.yield %filled, %true : f32, i1
  } : (tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
  return %z : tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
}

// -----

// Behind a past: the query's place is a size more than its number. A mask is added; a bias is of no one input.
func.func @past(%q: tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, %k: tensor<2x4x?x8xf32, #weft.dims<2, 4, "n" + "past", 8>>, %m: tensor<2x?xi1, #weft.dims<2, "n" + "past">> {weft.name = "attention_mask"}, %bias: tensor<1x4x1x?xf32, #weft.dims<1, 4, 1, "n" + "past">>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>> {
  %past = weft.dims <"past"> : tensor<1xi64>
  %mask = weft.reshape %m : (tensor<2x?xi1, #weft.dims<2, "n" + "past">>) -> tensor<2x1x1x?xi1, #weft.dims<2, 1, 1, "n" + "past">>
  // expected-remark @below {{attention: causal, bias by head and key, mask by batch and key (attention_mask)}}
  %y = weft.attention %q, %k, %k scale(1.0) empty_rows(nan) captures(%past, %mask, %bias : tensor<1xi64>, tensor<2x1x1x?xi1, #weft.dims<2, 1, 1, "n" + "past">>, tensor<1x4x1x?xf32, #weft.dims<1, 4, 1, "n" + "past">>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %p: i64, %open: i1, %bia: f32):
    %true = arith.constant true
    %zero = arith.constant 0.0 : f32
    %least = arith.constant -3.0e+38 : f32
    %row = arith.index_cast %i : index to i64
    %column = arith.index_cast %j : index to i64
    %place = arith.addi %row, %p : i64
    %before = arith.cmpi sle, %column, %place : i64
    %both = arith.andi %before, %open : i1
    %mask_of = arith.select %both, %zero, %least : f32
    %biased = arith.addf %s, %bia : f32
    %sum = arith.addf %biased, %mask_of : f32
    weft.yield %sum, %true : f32, i1
  } : (tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n" + "past", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n" + "past", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
  return %y : tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
}

// -----

// A window to both sides; 1 less a mask of numbers times what closes; a bound that always holds says nothing.
func.func @both_sides(%x: tensor<2x4x16x8xf32>, %m: tensor<2x1x1x16xf32> {weft.name = "mask"}) -> tensor<2x4x16x8xf32> {
  // expected-remark @below {{attention: keys from i - 4 to i + 3, mask by batch and key (mask)}}
  %y = weft.attention %x, %x, %x scale(1.0) empty_rows(nan) captures(%m : tensor<2x1x1x16xf32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %open: f32):
    %one = arith.constant 1.0 : f32
    %closing = arith.constant -1.0e+04 : f32
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %end = arith.addi %i, %c3 : index
    %start = arith.addi %j, %c4 : index
    %left = arith.cmpi sle, %i, %start : index
    %right = arith.cmpi sle, %j, %end : index
    %always = arith.cmpi sge, %j, %c0 : index
    %window = arith.andi %left, %right : i1
    %keep = arith.andi %window, %always : i1
    %closed = arith.subf %one, %open : f32
    %added = arith.mulf %closed, %closing : f32
    %sum = arith.addf %s, %added : f32
    weft.yield %sum, %keep : f32, i1
  } : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %y : tensor<2x4x16x8xf32>
}

// -----

// A size, as exporters write it and as one operation; what a graph computes of places is a bias.
func.func @sizes(%x: tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>> {
  // expected-remark @below {{attention: keys from i - 4 to i + 4}}
  %y = weft.attention %x, %x, %x scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c0 = arith.constant 0 : i64
    %c4 = arith.constant 4 : i64
    %row = arith.index_cast %i : index to i64
    %column = arith.index_cast %j : index to i64
    %distance = arith.subi %row, %column : i64
    %isNegative = arith.cmpi slt, %distance, %c0 : i64
    %negative = arith.subi %c0, %distance : i64
    %size = arith.select %isNegative, %negative, %distance : i64
    %keep = arith.cmpi sle, %size, %c4 : i64
    weft.yield %s, %keep : f32, i1
  } : (tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
  // expected-remark @below {{attention: keys from i - 3 to i + 3, bias by distance}}
  %z = weft.attention %y, %y, %y scale(1.0) empty_rows(nan) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c4 = arith.constant 4.0 : f32
    %slope = arith.constant 0.5 : f32
    %row = arith.index_cast %i : index to i32
    %column = arith.index_cast %j : index to i32
    %difference = arith.subi %row, %column : i32
    %distance = arith.sitofp %difference : i32 to f32
    %size = math.absf %distance : f32
    %keep = arith.cmpf olt, %size, %c4 : f32
    %bias = arith.mulf %distance, %slope : f32
    %sum = arith.addf %s, %bias : f32
    weft.yield %sum, %keep : f32, i1
  } : (tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>, tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>) -> tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
  return %z : tensor<2x4x?x8xf32, #weft.dims<2, 4, "n", 8>>
}

// -----

// What is not recognised is not named.
func.func @others(%x: tensor<2x4x16x8xf32>, %m: tensor<1x1x16x16xi32>) -> tensor<2x4x16x8xf32> {
  // expected-remark @below {{attention: other conditions of places, mask by query and key, other conditions}}
  %y = weft.attention %x, %x, %x scale(1.0) empty_rows(nan) captures(%m : tensor<1x1x16x16xi32>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %kind: i32):
    %two = arith.constant 2 : i32
    %self = arith.cmpi eq, %i, %j : index
    %near = arith.cmpi slt, %i, %j : index
    %alike = arith.cmpi eq, %kind, %two : i32
    %either = arith.ori %near, %alike : i1
    %keep = arith.andi %self, %either : i1
    weft.yield %s, %keep : f32, i1
  } : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %y : tensor<2x4x16x8xf32>
}

// -----

// Places in a list of blocks are no positions: what is kept is said of the list.
func.func @blocks(%q: tensor<2x4x16x8xf32>, %k: tensor<2x2x96x8xf32>) -> tensor<2x4x16x8xf32> {
  // expected-remark @below {{attention: 3 blocks of 32 keys}}
  %y = weft.attention %q, %k, %k scale(1.0) empty_rows(nan) {blocks = dense<[[0, 32, 0], [0, 64, 32], [1, 2, 3], [64, 0, 0]]> : tensor<4x3xi64>, block_size = 32 : i64}
    : (tensor<2x4x16x8xf32>, tensor<2x2x96x8xf32>, tensor<2x2x96x8xf32>) -> tensor<2x4x16x8xf32>
  return %y : tensor<2x4x16x8xf32>
}

// -----

func.func @sinks(%q: tensor<2x4x16x8xf32>, %s: tensor<4x1x1xf32>) -> (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) {
  // expected-remark @below {{attention: all keys, a sink}}
  %y = weft.attention %q, %q, %q scale(1.0) empty_rows(nan) sink(%s : tensor<4x1x1xf32>)
    : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  // expected-remark @below {{attention: causal, a sink}}
  %z = weft.attention %q, %q, %q scale(1.0) empty_rows(nan) sink(%s : tensor<4x1x1xf32>) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    weft.yield %x, %keep : f32, i1
  } : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  return %y, %z : tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>
}
