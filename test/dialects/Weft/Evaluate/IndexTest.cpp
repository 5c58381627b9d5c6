// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: gather.
#include "EvaluateFixture.h"

using namespace weft;
using IndexTest = EvaluateTest;

TEST_F(IndexTest, Gather) {
  Tensor data = tensor("3x2xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(run("weft.gather", "{axis = 0 : i64}", {data, tensor("2x2xi64", {0, 2, -1, -3})}, "2x2x2xf32"),
               "2x2x2xf32", {1, 2, 5, 6, 5, 6, 1, 2});
  expectTensor(run("weft.gather", "{axis = 1 : i64}", {data, tensor("3xi32", {1, 0, -1})}, "3x3xf32"),
               "3x3xf32", {2, 1, 2, 4, 3, 4, 6, 5, 6});
  expectTensor(run("weft.gather", "{axis = 0 : i64}", {data, tensor("i64", {1})}, "2xf32"), "2xf32", {3, 4});
  expectTensor(
      run("weft.gather", "{axis = 0 : i64}", {tensor("3xi1", {0, 1, 0}), tensor("1xi64", {-2})}, "1xi1"),
      "1xi1", {1});
  expectTensor(run("weft.gather", "{axis = 0 : i64}", {data, tensor("0xi64", {})}, "0x2xf32"), "0x2xf32", {});
}

TEST_F(IndexTest, GatherOutOfRange) {
  Tensor data = tensor("3x2xf32", {1, 2, 3, 4, 5, 6});
  expectError(run("weft.gather", "{axis = 0 : i64}", {data, tensor("1x2xi64", {0, 3})}, "1x2x2xf32"),
              "index 3 at [0, 1] of the indices is out of range for axis 0 of size 3");
  expectError(run("weft.gather", "{axis = 1 : i64}", {data, tensor("i32", {-3})}, "3xf32"),
              "index -3 at [] of the indices is out of range for axis 1 of size 2");
  // Also where there is nothing to copy.
  expectError(
      run("weft.gather", "{axis = 0 : i64}", {tensor("3x0xf32", {}), tensor("1xi64", {5})}, "1x0xf32"),
      "out of range");
}
