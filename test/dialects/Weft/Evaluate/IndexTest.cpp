// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: the gathers, the scatters and top_k.
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

//===----------------------------------------------------------------------===//
// gather_elements, gather_nd
//===----------------------------------------------------------------------===//

TEST_F(IndexTest, GatherElements) {
  Tensor data = tensor("3x2xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(
      run("weft.gather_elements", "{axis = 0 : i64}", {data, tensor("2x2xi64", {0, 2, -1, -3})}, "2x2xf32"),
      "2x2xf32", {1, 6, 5, 2});
  // Of fewer rows than data has.
  expectTensor(run("weft.gather_elements", "{axis = 1 : i64}", {data, tensor("2x3xi32", {1, 0, -1, 0, 0, 1})},
                   "2x3xf32"),
               "2x3xf32", {2, 1, 2, 3, 3, 4});
  expectTensor(run("weft.gather_elements", "{axis = 0 : i64}",
                   {tensor("2xi1", {0, 1}), tensor("3xi64", {1, 1, 0})}, "3xi1"),
               "3xi1", {1, 1, 0});
  expectTensor(run("weft.gather_elements", "{axis = 1 : i64}", {data, tensor("3x0xi64", {})}, "3x0xf32"),
               "3x0xf32", {});
}

TEST_F(IndexTest, GatherElementsOutOfRange) {
  expectError(run("weft.gather_elements", "{axis = 1 : i64}",
                  {tensor("2x2xf32", {1, 2, 3, 4}), tensor("1x2xi64", {0, 2})}, "1x2xf32"),
              "index 2 at [0, 1] of the indices is out of range for axis 1 of size 2");
  // Too many rows, which shows only in this run.
  expectError(
      runFunction("func.func @f(%x: tensor<?xf32>, %i: tensor<*xi64>) -> tensor<*xf32> {"
                  " %0 = weft.gather_elements %x, %i {axis = 1 : i64} : (tensor<?xf32>, tensor<*xi64>) "
                  "-> tensor<*xf32> return %0 : tensor<*xf32> }",
                  {tensor("2xf32", {1, 2}), tensor("2xi64", {0, 0})}),
      "gather-elements-c1: expects indices of data's rank");
}

TEST_F(IndexTest, GatherND) {
  Tensor data = tensor("2x3x2xf32", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const std::string plain = "{batch_dims = 0 : i64}", batch = "{batch_dims = 1 : i64}";
  expectTensor(run("weft.gather_nd", plain, {data, tensor("2x2xi64", {0, 2, -1, -3})}, "2x2xf32"), "2x2xf32",
               {4, 5, 6, 7});
  expectTensor(run("weft.gather_nd", plain, {data, tensor("3xi32", {1, 1, -1})}, "f32"), "f32", {9});
  expectTensor(run("weft.gather_nd", batch, {data, tensor("2x1xi64", {1, -1})}, "2x2xf32"), "2x2xf32",
               {2, 3, 10, 11});
  expectTensor(run("weft.gather_nd", batch, {data, tensor("2x1x2xi64", {1, 0, -1, 1})}, "2x1xf32"), "2x1xf32",
               {2, 11});
  // No indices at all mean all of data.
  expectTensor(run("weft.gather_nd", plain, {tensor("2xf32", {1, 2}), tensor("2x0xi64", {})}, "2x2xf32"),
               "2x2xf32", {1, 2, 1, 2});
  expectTensor(run("weft.gather_nd", plain, {data, tensor("0x2xi64", {})}, "0x2xf32"), "0x2xf32", {});
}

TEST_F(IndexTest, GatherNDOutOfRange) {
  expectError(run("weft.gather_nd", "{batch_dims = 0 : i64}",
                  {tensor("2x3xf32", {1, 2, 3, 4, 5, 6}), tensor("2x2xi64", {0, 0, 1, -4})}, "2xf32"),
              "index -4 at [1, 1] of the indices is out of range for axis 1 of size 3");
}

//===----------------------------------------------------------------------===//
// scatter_nd, scatter_elements
//===----------------------------------------------------------------------===//

TEST_F(IndexTest, ScatterND) {
  Tensor data = tensor("3x2xf32", {1, 2, 3, 4, 5, 6});
  Tensor rows = tensor("3x1xi64", {0, -1, 0}), updates = tensor("3x2xf32", {10, 20, 30, 40, 50, 60});
  auto scatter = [&](std::string kind) {
    return run("weft.scatter_nd " + kind, "", {data, rows, updates}, "3x2xf32");
  };
  expectTensor(scatter("replace"), "3x2xf32", {50, 60, 3, 4, 30, 40}); // the last one wins
  expectTensor(scatter("add"), "3x2xf32", {61, 82, 3, 4, 35, 46});
  expectTensor(scatter("mul"), "3x2xf32", {500, 2400, 3, 4, 150, 240});
  expectTensor(scatter("max"), "3x2xf32", {50, 60, 3, 4, 30, 40});
  expectTensor(scatter("min"), "3x2xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(run("weft.scatter_nd replace", "",
                   {data, tensor("2x2xi32", {0, 1, 2, -2}), tensor("2xf32", {7, kNan})}, "3x2xf32"),
               "3x2xf32", {1, 7, 3, 4, kNan, 6});
  expectTensor(
      run("weft.scatter_nd add", "", {data, tensor("0x1xi64", {}), tensor("0x2xf32", {})}, "3x2xf32"),
      "3x2xf32", {1, 2, 3, 4, 5, 6});
  expectError(
      run("weft.scatter_nd add", "", {data, tensor("1x1xi64", {3}), tensor("1x2xf32", {1, 1})}, "3x2xf32"),
      "index 3 at [0, 0] of the indices is out of range for axis 0 of size 3");
}

TEST_F(IndexTest, ScatterOfOtherTypes) {
  Tensor at = tensor("3x1xi64", {1, 1, 0});
  auto scatter = [&](std::string kind, const Tensor &data, const Tensor &updates, std::string type) {
    return run("weft.scatter_nd " + kind, "", {data, at, updates}, type);
  };
  expectIntegers(scatter("add", integers("2xi8", {100, 100}), integers("3xi8", {20, 20, 27}), "2xi8"), "2xi8",
                 {127, -116}); // wraps
  expectIntegers(scatter("max", integers("2xui8", {1, 200}), integers("3xui8", {100, 3, 255}), "2xui8"),
                 "2xui8", {255, 200});
  expectTensor(scatter("replace", tensor("2xi1", {0, 1}), tensor("3xi1", {1, 0, 1}), "2xi1"), "2xi1", {1, 0});
  // Rounded once: 2048 + 1 + 1 is 2050 in f16, though 2048 + 1 is 2048.
  expectTensor(scatter("add", tensor("2xf16", {0, 2048}), tensor("3xf16", {1, 1, 5}), "2xf16"), "2xf16",
               {5, 2050});
  expectTensor(scatter("max", tensor("2xf32", {0, 1}), tensor("3xf32", {kNan, 9, -1}), "2xf32"), "2xf32",
               {0, kNan});
}

TEST_F(IndexTest, ScatterElements) {
  Tensor data = tensor("2x3xf32", {1, 2, 3, 4, 5, 6});
  expectTensor(run("weft.scatter_elements replace", "{axis = 1 : i64}",
                   {data, tensor("2x2xi64", {0, -1, 1, 1}), tensor("2x2xf32", {10, 20, 30, 40})}, "2x3xf32"),
               "2x3xf32", {10, 2, 20, 4, 40, 6});
  expectTensor(run("weft.scatter_elements add", "{axis = 0 : i64}",
                   {data, tensor("3x1xi32", {1, 1, 0}), tensor("3x1xf32", {10, 20, 30})}, "2x3xf32"),
               "2x3xf32", {31, 2, 3, 34, 5, 6});
  expectError(run("weft.scatter_elements add", "{axis = 1 : i64}",
                  {data, tensor("1x1xi64", {-4}), tensor("1x1xf32", {1})}, "2x3xf32"),
              "index -4 at [0, 0] of the indices is out of range for axis 1 of size 3");
}

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

TEST_F(IndexTest, TopK) {
  Tensor row = tensor("6xf32", {2, kNan, -1, 2, kInfinity, kNan});
  expectTensor(run("weft.top_k", "{axis = 0 : i64, largest}", {row}, "6xi64"), "6xi64", {1, 5, 4, 0, 3, 2});
  expectTensor(run("weft.top_k", "{axis = 0 : i64}", {row}, "6xi64"), "6xi64", {2, 0, 3, 4, 1, 5});
  Tensor zeros = tensor("3xf32", {-0.0, 0.0, -0.0}); // equal
  expectTensor(run("weft.top_k", "{axis = 0 : i64, largest}", {zeros}, "2xi64"), "2xi64", {0, 1});
  Tensor matrix = integers("2x3xui8", {1, 200, 3, 255, 0, 4});
  expectTensor(run("weft.top_k", "{axis = 1 : i64, largest}", {matrix}, "2x2xi64"), "2x2xi64", {1, 2, 0, 2});
  expectTensor(run("weft.top_k", "{axis = 0 : i64}", {matrix}, "1x3xi64"), "1x3xi64", {0, 1, 0});
  expectTensor(run("weft.top_k", "{axis = 1 : i64}", {matrix}, "2x0xi64"), "2x0xi64", {});
  expectTensor(run("weft.top_k", "{axis = 0 : i64}", {integers("3xi64", {INT64_MAX, INT64_MIN, 0})}, "2xi64"),
               "2xi64", {1, 2});
}

TEST_F(IndexTest, TopKOfDataK) {
  auto run = [&](int64_t k) {
    return runFunction(
        "func.func @f(%x: tensor<3xf32>, %k: tensor<1xi64>) -> tensor<?xi64> {"
        " %0 = weft.top_k %x, %k {axis = 0 : i64, largest} : (tensor<3xf32>, tensor<1xi64>) -> "
        "tensor<?xi64> return %0 : tensor<?xi64> }",
        {tensor("3xf32", {1, 3, 2}), tensor("1xi64", {double(k)})});
  };
  expectTensor(run(2), "2xi64", {1, 2});
  expectError(run(4), "top-k-c2: expects k to be from 0 to the axis's size 3, got 4");
  expectError(run(-1), "top-k-c2: expects k to be from 0 to the axis's size 3, got -1");
}
