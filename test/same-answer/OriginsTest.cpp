// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where elements come from is where the evaluator takes them from.
#include "compiler/Graph/Attention/Origins.h"
#include "mlir/Parser/Parser.h"
#include "test/same-answer/SameAnswer.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::graph;

namespace {
struct Moves {
  const char *name;
  const char *body; ///< makes %y, a tensor<?>, of %x, a tensor<3x4x5xf32>
  const char *type; ///< of %y
};
} // namespace

class OriginsTest : public ::testing::TestWithParam<Moves> {};

TEST_P(OriginsTest, AreWhereElementsComeFrom) {
  auto context = test::makeContext();
  std::string type = GetParam().type;
  std::string text = "func.func @main(%x: tensor<3x4x5xf32>) -> " + type + " {\n" + GetParam().body +
                     "\nreturn %y : " + type + "\n}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context.get());
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  // Each element is its place.
  std::vector<double> places(60);
  std::iota(places.begin(), places.end(), 0);
  Tensor x = Tensor::fromFloats(Float32Type::get(context.get()), {3, 4, 5}, places);
  auto results = evaluateFunction(function, {x});
  ASSERT_TRUE(succeeded(results));
  Value y = function.front().getTerminator()->getOperand(0);
  EXPECT_EQ(findMoveSource(y), function.getArgument(0));
  OriginFinder finder(function.getArgument(0));
  auto origins = finder.find(y);
  ASSERT_TRUE(origins);
  ASSERT_EQ(int64_t(origins->size()), results->front().getNumElements());
  for (auto [place, origin] : llvm::enumerate(*origins))
    EXPECT_EQ(origin < 0 ? finder.getNumber(origin) : origin, results->front().getFloat(place)) << place;
}

INSTANTIATE_TEST_SUITE_P(
    Moves, OriginsTest,
    ::testing::Values(
        Moves{"Transpose",
              "%y = weft.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x5xf32>) -> "
              "tensor<5x3x4xf32>",
              "tensor<5x3x4xf32>"},
        Moves{"Reshape", "%y = weft.reshape %x : (tensor<3x4x5xf32>) -> tensor<6x10xf32>",
              "tensor<6x10xf32>"},
        Moves{"Slice",
              "%y = weft.slice %x {offsets = #weft.dims<0, 3, 1>, strides = array<i64: 2, -1, 3>} : "
              "(tensor<3x4x5xf32>) -> tensor<2x4x2xf32>",
              "tensor<2x4x2xf32>"},
        Moves{"Expand",
              "%r = weft.reshape %x : (tensor<3x4x5xf32>) -> tensor<3x1x20xf32>\n"
              "%y = weft.expand %r : (tensor<3x1x20xf32>) -> tensor<2x3x4x20xf32>",
              "tensor<2x3x4x20xf32>"},
        Moves{"Pad",
              "%f = weft.constant dense<-2.5> : tensor<f32>\n"
              "%y = weft.pad constant %x fill %f {before = #weft.dims<1, -1, 0>, after = #weft.dims<-2, 2, "
              "-1>} : "
              "(tensor<3x4x5xf32>, tensor<f32>) -> tensor<2x5x4xf32>",
              "tensor<2x5x4xf32>"},
        Moves{"PadByZero",
              "%y = weft.pad constant %x {before = #weft.dims<0, 0, 2>, after = #weft.dims<0, 0, 1>} : "
              "(tensor<3x4x5xf32>) -> tensor<3x4x8xf32>",
              "tensor<3x4x8xf32>"},
        Moves{"Concat",
              "%c = weft.constant dense<0xFF800000> : tensor<3x2x5xf32>\n"
              "%y = weft.concat %x, %c, %x {axis = 1 : i64} : (tensor<3x4x5xf32>, tensor<3x2x5xf32>, "
              "tensor<3x4x5xf32>) -> tensor<3x10x5xf32>",
              "tensor<3x10x5xf32>"},
        Moves{"Gather",
              "%i = weft.constant dense<[[3, -1], [0, 3]]> : tensor<2x2xi64>\n"
              "%y = weft.gather %x, %i {axis = 1 : i64} : (tensor<3x4x5xf32>, tensor<2x2xi64>) -> "
              "tensor<3x2x2x5xf32>",
              "tensor<3x2x2x5xf32>"},
        Moves{"Scatter",
              "%i = weft.constant dense<[[[0, 1], [2, -1]]]> : tensor<1x2x2xi64>\n"
              "%u = weft.slice %x {offsets = #weft.dims<1, 2, 0>, strides = array<i64: 1, 1, 1>} : "
              "(tensor<3x4x5xf32>) -> tensor<1x2x5xf32>\n"
              "%y = weft.scatter_nd replace %x, %i, %u : (tensor<3x4x5xf32>, tensor<1x2x2xi64>, "
              "tensor<1x2x5xf32>) -> tensor<3x4x5xf32>",
              "tensor<3x4x5xf32>"},
        Moves{"ScatterByAJoinedTable",
              "%a = weft.constant dense<[[0], [2]]> : tensor<2x1xi64>\n"
              "%b = weft.constant dense<3> : tensor<1x1xi64>\n"
              "%e = weft.expand %b : (tensor<1x1xi64>) -> tensor<2x1xi64>\n"
              "%i = weft.concat %a, %e {axis = 1 : i64} : (tensor<2x1xi64>, tensor<2x1xi64>) -> "
              "tensor<2x2xi64>\n"
              "%u = weft.constant dense<-1.0> : tensor<2x5xf32>\n"
              "%y = weft.scatter_nd replace %x, %i, %u : (tensor<3x4x5xf32>, tensor<2x2xi64>, "
              "tensor<2x5xf32>) -> "
              "tensor<3x4x5xf32>",
              "tensor<3x4x5xf32>"},
        Moves{"GatherByAComputedTable",
              "%r = weft.range {first = #weft.dim<0>, step = 1 : i64} : () -> tensor<4xi64>\n"
              "%c = weft.constant dense<[[1], [0]]> : tensor<2x1xi64>\n"
              "%s = weft.mul %r, %c : (tensor<4xi64>, tensor<2x1xi64>) -> tensor<2x4xi64>\n"
              "%y = weft.gather %x, %s {axis = 1 : i64} : (tensor<3x4x5xf32>, tensor<2x4xi64>) -> "
              "tensor<3x2x4x5xf32>",
              "tensor<3x2x4x5xf32>"},
        Moves{"Where",
              "%c = weft.constant dense<[[true], [false], [true], [true]]> : tensor<4x1xi1>\n"
              "%f = weft.constant dense<0.5> : tensor<f32>\n"
              "%y = weft.where %c, %x, %f : (tensor<4x1xi1>, tensor<3x4x5xf32>, tensor<f32>) -> "
              "tensor<3x4x5xf32>",
              "tensor<3x4x5xf32>"},
        Moves{"ProductWithOnes",
              "%r = weft.reshape %x : (tensor<3x4x5xf32>) -> tensor<3x1x20xf32>\n"
              "%o = weft.constant dense<1.0> : tensor<3x2x1xf32>\n"
              "%y = weft.matmul %o, %r : (tensor<3x2x1xf32>, tensor<3x1x20xf32>) -> tensor<3x2x20xf32>",
              "tensor<3x2x20xf32>"},
        Moves{"AcrossRows", // each row is one place further to the right
              "%p = weft.pad constant %x {before = #weft.dims<0, 0, 0>, after = #weft.dims<0, 0, 5>} : "
              "(tensor<3x4x5xf32>) -> tensor<3x4x10xf32>\n"
              "%f = weft.reshape %p : (tensor<3x4x10xf32>) -> tensor<3x40xf32>\n"
              "%s = weft.slice %f {offsets = #weft.dims<0, 0>, strides = array<i64: 1, 1>} : "
              "(tensor<3x40xf32>) -> "
              "tensor<3x36xf32>\n"
              "%y = weft.reshape %s : (tensor<3x36xf32>) -> tensor<3x4x9xf32>",
              "tensor<3x4x9xf32>"}),
    [](const auto &info) { return info.param.name; });

/// Tensors that data moves, or numbers change, are followed no further.
TEST(OriginsTest, EndWhereNumbersChange) {
  auto context = test::makeContext();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @main(%x: tensor<4xf32>, %i: tensor<2xi64>) -> (tensor<2xf32>, tensor<6xf32>) {\n"
      "%g = weft.gather %x, %i {axis = 0 : i64} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>\n"
      "%n = weft.neg %x : (tensor<4xf32>) -> tensor<4xf32>\n"
      "%c = weft.concat %g, %n {axis = 0 : i64} : (tensor<2xf32>, tensor<4xf32>) -> tensor<6xf32>\n"
      "return %g, %c : tensor<2xf32>, tensor<6xf32>\n}",
      context.get());
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  Value gathered = function.front().getTerminator()->getOperand(0);
  Value joined = function.front().getTerminator()->getOperand(1);
  EXPECT_EQ(findMoveSource(gathered), gathered);
  EXPECT_EQ(findMoveSource(joined), Value()); // of two
  EXPECT_EQ(OriginFinder(function.getArgument(0)).find(joined), nullptr);
}
