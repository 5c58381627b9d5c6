// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-recognize-state: which arguments get weft.capacity, and why the others do not.
// RUN: weft-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(weft-recognize-state{capacity=32}))' | \
// RUN:   FileCheck %s

#past = #weft.dims<"b", "past", 4>
#new = #weft.dims<"b", "n", 4>
#all = #weft.dims<"b", "past" + "n", 4>

// Keys and values, which are one length: what else reads what they become does not matter.
// CHECK-LABEL: func.func @two(
// CHECK-SAME: %{{.*}}: tensor<?x?x4xf32, #weft.dims<"b", "past", 4>> {weft.capacity = 32 : i64, weft.name = "k"},
// CHECK-SAME: %{{.*}}: tensor<?x?x4xf32, #weft.dims<"b", "past", 4>> {weft.capacity = 32 : i64, weft.name = "v"},
// CHECK-SAME: %{{.*}}: tensor<?x?x4xf32, #weft.dims<"b", "n", 4>> {weft.name = "x"})
func.func @two(%k: tensor<?x?x4xf32, #past> {weft.name = "k"}, %v: tensor<?x?x4xf32, #past> {weft.name = "v"},
               %x: tensor<?x?x4xf32, #new> {weft.name = "x"}) -> (tensor<?x?x4xf32, #all>, tensor<?x?x4xf32, #all>, tensor<?x?x4xf32, #all>) {
  %y = weft.exp %x : (tensor<?x?x4xf32, #new>) -> tensor<?x?x4xf32, #new>
  %0 = weft.concat %k, %y {axis = 1 : i64} : (tensor<?x?x4xf32, #past>, tensor<?x?x4xf32, #new>) -> tensor<?x?x4xf32, #all>
  %1 = weft.concat %v, %y {axis = 1 : i64} : (tensor<?x?x4xf32, #past>, tensor<?x?x4xf32, #new>) -> tensor<?x?x4xf32, #all>
  %2 = weft.add %0, %1 : (tensor<?x?x4xf32, #all>, tensor<?x?x4xf32, #all>) -> tensor<?x?x4xf32, #all>
  return %0, %2, %1 : tensor<?x?x4xf32, #all>, tensor<?x?x4xf32, #all>, tensor<?x?x4xf32, #all>
}

// -----

// No concatenation is returned: nothing to say of any input in particular.
// expected-warning @below {{no input is one that a run appends to and returns; there is nothing to keep [weft-0206]}}
func.func @none(%k: tensor<?x4xf32, #weft.dims<"past", 4>>, %x: tensor<1x4xf32>) -> tensor<?x4xf32, #weft.dims<"past" + 1, 4>> {
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?x4xf32, #weft.dims<"past", 4>>, tensor<1x4xf32>) -> tensor<?x4xf32, #weft.dims<"past" + 1, 4>>
  %1 = weft.exp %0 : (tensor<?x4xf32, #weft.dims<"past" + 1, 4>>) -> tensor<?x4xf32, #weft.dims<"past" + 1, 4>>
  return %1 : tensor<?x4xf32, #weft.dims<"past" + 1, 4>>
}

// -----

// A declaration has nothing to keep, and nothing is said of it.
func.func private @declaration(%k: tensor<4xf32>)

// -----

// expected-warning @below {{input "k" is not kept by the session: something else reads it, too [weft-0207]}}
// expected-warning @below {{[weft-0206]}}
func.func @other_reader(%k: tensor<?x4xf32, #weft.dims<"past", 4>> {weft.name = "k"})
    -> (tensor<?x4xf32, #weft.dims<"past" + 1, 4>>, tensor<?x4xf32, #weft.dims<"past", 4>>) {
  %x = weft.constant dense<1.0> : tensor<1x4xf32>
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?x4xf32, #weft.dims<"past", 4>>, tensor<1x4xf32>) -> tensor<?x4xf32, #weft.dims<"past" + 1, 4>>
  %1 = weft.exp %k : (tensor<?x4xf32, #weft.dims<"past", 4>>) -> tensor<?x4xf32, #weft.dims<"past", 4>>
  return %0, %1 : tensor<?x4xf32, #weft.dims<"past" + 1, 4>>, tensor<?x4xf32, #weft.dims<"past", 4>>
}

// -----

// The concatenation itself may be that other reader.
// expected-warning @below {{input "k" is not kept by the session: something else reads it, too [weft-0207]}}
// expected-warning @below {{[weft-0206]}}
func.func @twice_in_one(%k: tensor<?xf32, #weft.dims<"past">> {weft.name = "k"}) -> tensor<?xf32, #weft.dims<2 * "past">> {
  %0 = weft.concat %k, %k {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"past">>, tensor<?xf32, #weft.dims<"past">>) -> tensor<?xf32, #weft.dims<2 * "past">>
  return %0 : tensor<?xf32, #weft.dims<2 * "past">>
}

// -----

// An input is called by its number where it has no name.
// expected-warning @below {{input "0" is not kept by the session: it is not what the concatenation begins with [weft-0207]}}
// expected-warning @below {{[weft-0206]}}
func.func @prepends(%k: tensor<?x4xf32, #weft.dims<"past", 4>>, %x: tensor<1x4xf32>) -> tensor<?x4xf32, #weft.dims<"past" + 1, 4>> {
  %y = weft.exp %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %0 = weft.concat %y, %k {axis = 0 : i64} : (tensor<1x4xf32>, tensor<?x4xf32, #weft.dims<"past", 4>>) -> tensor<?x4xf32, #weft.dims<"past" + 1, 4>>
  return %0 : tensor<?x4xf32, #weft.dims<"past" + 1, 4>>
}

// -----

// What is appended to an input is none of them, and nothing is said of it.
// CHECK-LABEL: func.func @appends_an_input(
// CHECK-SAME: {weft.capacity = 32 : i64, weft.name = "k"}, %{{.*}}: tensor<1x4xf32> {weft.name = "x"})
func.func @appends_an_input(%k: tensor<?x4xf32, #weft.dims<"past", 4>> {weft.name = "k"}, %x: tensor<1x4xf32> {weft.name = "x"}) -> tensor<?x4xf32, #weft.dims<"past" + 1, 4>> {
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?x4xf32, #weft.dims<"past", 4>>, tensor<1x4xf32>) -> tensor<?x4xf32, #weft.dims<"past" + 1, 4>>
  return %0 : tensor<?x4xf32, #weft.dims<"past" + 1, 4>>
}

// -----

// expected-warning @below {{input "k" is not kept by the session: the concatenation is more than one output [weft-0207]}}
// expected-warning @below {{[weft-0206]}}
func.func @returned_twice(%k: tensor<?xf32, #weft.dims<"past">> {weft.name = "k"}) -> (tensor<?xf32, #weft.dims<"past" + 1>>, tensor<?xf32, #weft.dims<"past" + 1>>) {
  %x = weft.constant dense<1.0> : tensor<1xf32>
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"past">>, tensor<1xf32>) -> tensor<?xf32, #weft.dims<"past" + 1>>
  return %0, %0 : tensor<?xf32, #weft.dims<"past" + 1>>, tensor<?xf32, #weft.dims<"past" + 1>>
}

// -----

// expected-warning @below {{input "k" is not kept by the session: its length is not a dim of its own; it may be fixed [weft-0207]}}
// expected-warning @below {{[weft-0206]}}
func.func @formula(%k: tensor<?xf32, #weft.dims<2 * "past">> {weft.name = "k"}) -> tensor<?xf32, #weft.dims<2 * "past" + 1>> {
  %x = weft.constant dense<1.0> : tensor<1xf32>
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?xf32, #weft.dims<2 * "past">>, tensor<1xf32>) -> tensor<?xf32, #weft.dims<2 * "past" + 1>>
  return %0 : tensor<?xf32, #weft.dims<2 * "past" + 1>>
}

// -----

// expected-warning @below {{input "k" is not kept by the session: another of its dims depends on its length [weft-0207]}}
// expected-warning @below {{[weft-0206]}}
func.func @square(%k: tensor<?x?xf32, #weft.dims<"past", "past" + 1>> {weft.name = "k"}) -> tensor<?x?xf32, #weft.dims<2 * "past", "past" + 1>> {
  %x = weft.constant dense<1.0> : tensor<1x1xf32>
  %e = weft.expand %x : (tensor<1x1xf32>) -> tensor<?x?xf32, #weft.dims<"past", "past" + 1>>
  %0 = weft.concat %k, %e {axis = 0 : i64}
    : (tensor<?x?xf32, #weft.dims<"past", "past" + 1>>, tensor<?x?xf32, #weft.dims<"past", "past" + 1>>) -> tensor<?x?xf32, #weft.dims<2 * "past", "past" + 1>>
  return %0 : tensor<?x?xf32, #weft.dims<2 * "past", "past" + 1>>
}

// -----

// The batch of both is nobody's but theirs. The first that is declined stays an input, and gives it to the second.
// CHECK-LABEL: func.func @keeps_one(
// CHECK-SAME: {weft.name = "k"},
// CHECK-SAME: {weft.capacity = 32 : i64, weft.name = "v"})
// expected-warning @below {{input "k" is not kept by the session: no other input gives one of its dims a size [weft-0207]}}
func.func @keeps_one(%k: tensor<?x?xf32, #weft.dims<"b", "past">> {weft.name = "k"}, %v: tensor<?x?xf32, #weft.dims<"b", "past">> {weft.name = "v"})
    -> (tensor<?x?xf32, #weft.dims<"b", "past" + 1>>, tensor<?x?xf32, #weft.dims<"b", "past" + 1>>) {
  %x = weft.constant dense<1.0> : tensor<1x1xf32>
  %e = weft.expand %x : (tensor<1x1xf32>) -> tensor<?x1xf32, #weft.dims<"b", 1>>
  %0 = weft.concat %k, %e {axis = 1 : i64} : (tensor<?x?xf32, #weft.dims<"b", "past">>, tensor<?x1xf32, #weft.dims<"b", 1>>) -> tensor<?x?xf32, #weft.dims<"b", "past" + 1>>
  %1 = weft.concat %v, %e {axis = 1 : i64} : (tensor<?x?xf32, #weft.dims<"b", "past">>, tensor<?x1xf32, #weft.dims<"b", 1>>) -> tensor<?x?xf32, #weft.dims<"b", "past" + 1>>
  return %0, %1 : tensor<?x?xf32, #weft.dims<"b", "past" + 1>>, tensor<?x?xf32, #weft.dims<"b", "past" + 1>>
}

// -----

// "b" is only part of the dim of an ordinary input: nothing can be told from it.
// expected-warning @below {{input "k" is not kept by the session: no other input gives one of its dims a size [weft-0207]}}
// expected-warning @below {{[weft-0206]}}
func.func @part_of_a_dim(%k: tensor<?x?xf32, #weft.dims<"b", "past">> {weft.name = "k"}, %y: tensor<?xf32, #weft.dims<"b" + 1>> {weft.name = "y"})
    -> (tensor<?x?xf32, #weft.dims<"b", "past" + 1>>, tensor<?xf32, #weft.dims<"b" + 1>>) {
  %x = weft.constant dense<1.0> : tensor<1x1xf32>
  %e = weft.expand %x : (tensor<1x1xf32>) -> tensor<?x1xf32, #weft.dims<"b", 1>>
  %0 = weft.concat %k, %e {axis = 1 : i64} : (tensor<?x?xf32, #weft.dims<"b", "past">>, tensor<?x1xf32, #weft.dims<"b", 1>>) -> tensor<?x?xf32, #weft.dims<"b", "past" + 1>>
  %1 = weft.exp %y : (tensor<?xf32, #weft.dims<"b" + 1>>) -> tensor<?xf32, #weft.dims<"b" + 1>>
  return %0, %1 : tensor<?x?xf32, #weft.dims<"b", "past" + 1>>, tensor<?xf32, #weft.dims<"b" + 1>>
}

// -----

// The cascade: nobody gives "c" a size, so "second" is declined. Only then is "n", its length, that of an input, and "first" may stay.
// CHECK-LABEL: func.func @cascade(
// CHECK-SAME: {weft.name = "second"},
// CHECK-SAME: {weft.capacity = 32 : i64, weft.name = "first"})
// expected-warning @below {{input "second" is not kept by the session: no other input gives one of its dims a size [weft-0207]}}
func.func @cascade(%second: tensor<?x?xf32, #weft.dims<"c", "n">> {weft.name = "second"}, %first: tensor<?x?xf32, #weft.dims<"n", "m">> {weft.name = "first"})
    -> (tensor<?x?xf32, #weft.dims<"n", "m" + 1>>, tensor<?x?xf32, #weft.dims<"c", "n" + 1>>) {
  %x = weft.constant dense<1.0> : tensor<1x1xf32>
  %n = weft.expand %x : (tensor<1x1xf32>) -> tensor<?x1xf32, #weft.dims<"n", 1>>
  %c = weft.expand %x : (tensor<1x1xf32>) -> tensor<?x1xf32, #weft.dims<"c", 1>>
  %0 = weft.concat %first, %n {axis = 1 : i64} : (tensor<?x?xf32, #weft.dims<"n", "m">>, tensor<?x1xf32, #weft.dims<"n", 1>>) -> tensor<?x?xf32, #weft.dims<"n", "m" + 1>>
  %1 = weft.concat %second, %c {axis = 1 : i64} : (tensor<?x?xf32, #weft.dims<"c", "n">>, tensor<?x1xf32, #weft.dims<"c", 1>>) -> tensor<?x?xf32, #weft.dims<"c", "n" + 1>>
  return %0, %1 : tensor<?x?xf32, #weft.dims<"n", "m" + 1>>, tensor<?x?xf32, #weft.dims<"c", "n" + 1>>
}

// -----

// It could not but be empty: what is appended is as long as it is.
// expected-warning @below {{input "k" is not kept by the session: how much is appended to it depends on its length, unless bounds (--dim) rule that out [weft-0207]}}
// expected-warning @below {{[weft-0206]}}
func.func @doubles(%k: tensor<?xf32, #weft.dims<"n">> {weft.name = "k"}, %x: tensor<?xf32, #weft.dims<"n">> {weft.name = "x"}) -> tensor<?xf32, #weft.dims<2 * "n">> {
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"n">>, tensor<?xf32, #weft.dims<"n">>) -> tensor<?xf32, #weft.dims<2 * "n">>
  return %0 : tensor<?xf32, #weft.dims<2 * "n">>
}

// -----

// After a run they would no longer be as long as each other.
// CHECK-LABEL: func.func @drift(
// CHECK-SAME: {weft.capacity = 32 : i64, weft.name = "k"}, %{{.*}}: {{.*}} {weft.name = "v"})
// expected-warning @below {{input "v" is not kept by the session: another input of its length grows by another number of positions [weft-0207]}}
func.func @drift(%k: tensor<?xf32, #weft.dims<"past">> {weft.name = "k"}, %v: tensor<?xf32, #weft.dims<"past">> {weft.name = "v"})
    -> (tensor<?xf32, #weft.dims<"past" + 1>>, tensor<?xf32, #weft.dims<"past" + 2>>) {
  %x = weft.constant dense<1.0> : tensor<1xf32>
  %y = weft.constant dense<1.0> : tensor<2xf32>
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"past">>, tensor<1xf32>) -> tensor<?xf32, #weft.dims<"past" + 1>>
  %1 = weft.concat %v, %y {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"past">>, tensor<2xf32>) -> tensor<?xf32, #weft.dims<"past" + 2>>
  return %0, %1 : tensor<?xf32, #weft.dims<"past" + 1>>, tensor<?xf32, #weft.dims<"past" + 2>>
}

// -----

// Nothing is said of what has no known dims, which is not of the graph level.
// expected-warning @below {{[weft-0206]}}
func.func @unknown(%k: tensor<*xf32> {weft.name = "k"}, %x: tensor<*xf32>) -> tensor<*xf32> {
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}
