// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops: how often they run, what they carry on and what they leave behind.
#include "EvaluateFixture.h"

using namespace weft;

namespace {
struct LoopTest : EvaluateTest {
  /// A function of these arguments that holds a loop and returns one of its results.
  static std::string returning(const std::string &value, const std::string &type,
                               const std::string &arguments, const std::string &loop) {
    return "func.func @f(" + arguments + ") -> " + type + " {\n" + loop + "\n  return " + value + " : " +
           type + "\n}\n";
  }
};
} // namespace

TEST_F(LoopTest, StatesAndWhatIsLeftBehind) {
  std::string arguments = R"(%s: tensor<f32>, %x: tensor<?xf32, #weft.dims<"n">>)";
  std::string sums = R"(
  %r:3 = weft.loop count(#weft.dim<"n">) states(%s : tensor<f32>) captures(%x : tensor<?xf32, #weft.dims<"n">>) {
  ^bb0(%i: tensor<i64>, %t: tensor<f32>, %all: tensor<?xf32, #weft.dims<"n">>):
    %e = weft.gather %all, %i {axis = 0 : i64} : (tensor<?xf32, #weft.dims<"n">>, tensor<i64>) -> tensor<f32>
    %u = weft.add %t, %e : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weft.yield %u, %t, %i : tensor<f32>, tensor<f32>, tensor<i64>
  } -> (tensor<f32>, tensor<?xf32, #weft.dims<"n">>, tensor<?xi64, #weft.dims<"n">>))";
  std::string sum = returning("%r#0", "tensor<f32>", arguments, sums),
              before = returning("%r#1", R"(tensor<?xf32, #weft.dims<"n">>)", arguments, sums),
              numbers = returning("%r#2", R"(tensor<?xi64, #weft.dims<"n">>)", arguments, sums);
  Tensor ten = tensor("f32", {10}), x = tensor("3xf32", {1, 2, 4}), none = tensor("0xf32", {});
  expectTensor(runFunction(sum, {ten, x}), "f32", {17});
  expectTensor(runFunction(before, {ten, x}), "3xf32", {10, 11, 13});
  expectIntegers(runFunction(numbers, {ten, x}), "3xi64", {0, 1, 2});
  expectTensor(runFunction(sum, {ten, none}), "f32", {10});
  expectTensor(runFunction(before, {ten, none}), "0xf32", {});
}

TEST_F(LoopTest, TripsAsData) {
  std::string arguments = R"(%trips: tensor<?xi64, #weft.dims<"n">>, %x: tensor<2xf32>)", loop = R"(
  %r:2 = weft.loop trips(%trips : tensor<?xi64, #weft.dims<"n">>) states(%x : tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %t: tensor<2xf32>):
    %u = weft.add %t, %t : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    weft.yield %u, %t : tensor<2xf32>, tensor<2xf32>
  } -> (tensor<2xf32>, tensor<?x2xf32>))";
  std::string last = returning("%r#0", "tensor<2xf32>", arguments, loop),
              all = returning("%r#1", "tensor<?x2xf32>", arguments, loop);
  Tensor x = tensor("2xf32", {1, 2});
  expectTensor(runFunction(last, {integers("1xi64", {3}), x}), "2xf32", {8, 16});
  expectTensor(runFunction(all, {integers("1xi64", {3}), x}), "3x2xf32", {1, 2, 2, 4, 4, 8});
  // Less than none are none.
  expectTensor(runFunction(last, {integers("1xi64", {-4}), x}), "2xf32", {1, 2});
  expectTensor(runFunction(all, {integers("1xi64", {-4}), x}), "0x2xf32", {});
  expectError(runFunction(last, {integers("2xi64", {1, 1}), x}),
              "loop-c2: expects trips of one element, got shape [2]");
}

TEST_F(LoopTest, StatesThatSwapAndALoopInALoop) {
  std::string arguments = "%x: tensor<2xf32>, %y: tensor<2xf32>", loop = R"(
  %r:3 = weft.loop count(#weft.dim<3>) states(%x, %y : tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>):
    %ten = weft.constant dense<10> : tensor<i64>
    %tens = weft.mul %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %q = weft.loop count(#weft.dim<2>) captures(%tens : tensor<i64>) {
    ^bb0(%j: tensor<i64>, %k: tensor<i64>):
      %l = weft.add %j, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
      weft.yield %l : tensor<i64>
    } -> (tensor<2xi64>)
    weft.yield %b, %a, %q : tensor<2xf32>, tensor<2xf32>, tensor<2xi64>
  } -> (tensor<2xf32>, tensor<2xf32>, tensor<3x2xi64>))";
  Tensor x = tensor("2xf32", {1, 2}), y = tensor("2xf32", {3, 4});
  expectTensor(runFunction(returning("%r#0", "tensor<2xf32>", arguments, loop), {x, y}), "2xf32", {3, 4});
  expectTensor(runFunction(returning("%r#1", "tensor<2xf32>", arguments, loop), {x, y}), "2xf32", {1, 2});
  expectIntegers(runFunction(returning("%r#2", "tensor<3x2xi64>", arguments, loop), {x, y}), "3x2xi64",
                 {0, 1, 10, 11, 20, 21});
}

TEST_F(LoopTest, AStateKeepsItsShape) {
  std::string loop = returning(
      "%r", "tensor<?xf32>", R"(%x: tensor<?xf32, #weft.dims<"n">>, %y: tensor<?xf32, #weft.dims<"m">>)", R"(
  %r = weft.loop count(#weft.dim<1>) states(%x : tensor<?xf32, #weft.dims<"n">>) captures(%y : tensor<?xf32, #weft.dims<"m">>) {
  ^bb0(%i: tensor<i64>, %t: tensor<?xf32, #weft.dims<"n">>, %z: tensor<?xf32, #weft.dims<"m">>):
    weft.yield %z : tensor<?xf32, #weft.dims<"m">>
  } -> (tensor<?xf32>))");
  Tensor x = tensor("2xf32", {1, 2});
  expectTensor(runFunction(loop, {x, tensor("2xf32", {3, 4})}), "2xf32", {3, 4});
  expectError(runFunction(loop, {x, tensor("3xf32", {3, 4, 5})}),
              "loop-c3: state 0 was of shape [2], and became one of [3]");
}

/// Iteration i leaves i elements behind.
TEST_F(LoopTest, WhatIsLeftBehindHasOneShape) {
  std::string loop = returning("%r", "tensor<*xf32>", "%x: tensor<4xf32>, %trips: tensor<i32>", R"(
  %r = weft.loop trips(%trips : tensor<i32>) captures(%x : tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %all: tensor<4xf32>):
    %zero = weft.constant dense<0> : tensor<1xi64>
    %end = weft.unsqueeze %i {axes = array<i64: 0>} : (tensor<i64>) -> tensor<1xi64>
    %u = weft.slice %all starts %zero ends %end {axes = array<i64: 0>} : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>
    weft.yield %u : tensor<*xf32>
  } -> (tensor<*xf32>))");
  Tensor x = tensor("4xf32", {1, 2, 3, 4});
  expectTensor(runFunction(loop, {x, integers("i32", {1})}), "1x0xf32", {});
  expectError(runFunction(loop, {x, integers("i32", {2})}), "iterations leave tensors of shapes [1] and [0]");
  expectError(runFunction(loop, {x, integers("i32", {0})}),
              "has no iterations, and result 0 does not say its shape");
}
