// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-form-steps refuses weft.capacity, which a person may have written, on an argument that is not only appended to.
// RUN: weft-opt --weft-form-steps --split-input-file --verify-diagnostics %s

#k = #weft.dims<"past", 4>
#a = #weft.dims<"past" + 1, 4>

// expected-error @below {{argument 1 with weft.capacity: expects one that a weft.concat begins with, which is a result, and no other use [weft-0306]}}
func.func @no_concat(%x: tensor<1x4xf32>, %k: tensor<?x4xf32, #k> {weft.capacity = 8 : i64}) -> tensor<?x4xf32, #k> {
  %0 = weft.exp %k : (tensor<?x4xf32, #k>) -> tensor<?x4xf32, #k>
  return %0 : tensor<?x4xf32, #k>
}

// -----

#k = #weft.dims<"past", 4>
#a = #weft.dims<"past" + 1, 4>

// expected-error @below {{argument 0 with weft.capacity: expects one that a weft.concat begins with, which is a result, and no other use [weft-0306]}}
func.func @unused(%k: tensor<?x4xf32, #k> {weft.capacity = 8 : i64}, %x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = weft.exp %x : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// -----

#k = #weft.dims<"past", 4>
#a = #weft.dims<"past" + 1, 4>

// expected-error @below {{argument 0 with weft.capacity: expects one that a weft.concat begins with, which is a result, and no other use [weft-0306]}}
func.func @other_use(%k: tensor<?x4xf32, #k> {weft.capacity = 8 : i64}, %x: tensor<1x4xf32>) -> (tensor<?x4xf32, #a>, tensor<?x4xf32, #k>) {
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?x4xf32, #k>, tensor<1x4xf32>) -> tensor<?x4xf32, #a>
  %1 = weft.exp %k : (tensor<?x4xf32, #k>) -> tensor<?x4xf32, #k>
  return %0, %1 : tensor<?x4xf32, #a>, tensor<?x4xf32, #k>
}

// -----

#k = #weft.dims<"past", 4>
#a = #weft.dims<"past" + 1, 4>

// expected-error @below {{argument 0 with weft.capacity: expects one that a weft.concat begins with, which is a result, and no other use [weft-0306]}}
func.func @second(%k: tensor<?x4xf32, #k> {weft.capacity = 8 : i64}, %x: tensor<1x4xf32>) -> tensor<?x4xf32, #a> {
  %0 = weft.concat %x, %k {axis = 0 : i64} : (tensor<1x4xf32>, tensor<?x4xf32, #k>) -> tensor<?x4xf32, #a>
  return %0 : tensor<?x4xf32, #a>
}

// -----

#k = #weft.dims<"past", 4>
#a = #weft.dims<"past" + 1, 4>

// expected-error @below {{argument 0 with weft.capacity: expects one that a weft.concat begins with, which is a result, and no other use [weft-0306]}}
func.func @not_returned(%k: tensor<?x4xf32, #k> {weft.capacity = 8 : i64}, %x: tensor<1x4xf32>) -> tensor<?x4xf32, #a> {
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?x4xf32, #k>, tensor<1x4xf32>) -> tensor<?x4xf32, #a>
  %1 = weft.exp %0 : (tensor<?x4xf32, #a>) -> tensor<?x4xf32, #a>
  return %1 : tensor<?x4xf32, #a>
}

// -----

#k = #weft.dims<"past", 4>
#a = #weft.dims<"past" + 1, 4>

// expected-error @below {{argument 0 with weft.capacity: expects one that a weft.concat begins with, which is a result, and no other use [weft-0306]}}
func.func @returned_twice(%k: tensor<?x4xf32, #k> {weft.capacity = 8 : i64}, %x: tensor<1x4xf32>) -> (tensor<?x4xf32, #a>, tensor<?x4xf32, #a>) {
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?x4xf32, #k>, tensor<1x4xf32>) -> tensor<?x4xf32, #a>
  return %0, %0 : tensor<?x4xf32, #a>, tensor<?x4xf32, #a>
}

// -----

#k = #weft.dims<"past", 4>
#a = #weft.dims<"past" + 1, 4>

// expected-error @below {{argument 0: expects weft.capacity to be a number of positions, got 0 : i64 [weft-0306]}}
func.func @no_room(%k: tensor<?x4xf32, #k> {weft.capacity = 0 : i64}, %x: tensor<1x4xf32>) -> tensor<?x4xf32, #a> {
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?x4xf32, #k>, tensor<1x4xf32>) -> tensor<?x4xf32, #a>
  return %0 : tensor<?x4xf32, #a>
}

// -----

#k = #weft.dims<"past", 4>
#a = #weft.dims<"past" + 1, 4>

// expected-error @below {{argument 0: expects weft.capacity to be a number of positions, got "x" [weft-0306]}}
func.func @no_number(%k: tensor<?x4xf32, #k> {weft.capacity = "x"}, %x: tensor<1x4xf32>) -> tensor<?x4xf32, #a> {
  %0 = weft.concat %k, %x {axis = 0 : i64} : (tensor<?x4xf32, #k>, tensor<1x4xf32>) -> tensor<?x4xf32, #a>
  return %0 : tensor<?x4xf32, #a>
}
