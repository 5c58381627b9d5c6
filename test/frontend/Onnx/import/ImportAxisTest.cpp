// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of Pad, of what looks along one axis (ArgMax, ArgMin, CumSum, Hardmax), and of blocks of images.
#include "ImportTest.h"

using namespace weft::onnx;

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

TEST(ImportPad, WithAttributes) {
  TestGraph graph(10), plain(2);
  graph.input("x", {"m", "n"});
  graph.node("Pad", {"x"}, {"y"}, {list("pads", {0, 1, 0, 2}), attr("value", 1.5)}).output("y");
  expectIR(graph, {"dense<1.500000e+00> : tensor<f32>", "dense<[0, 1, 0, 2]>",
                   "weft.pad constant %arg0 pads %1 fill %0 {axes = array<i64: 0, 1>}",
                   "-> tensor<?x?xf32, #weft.dims<\"m\", \"n\" + 3>>"});
  plain.input("x", {"m", "n"});
  plain.node("Pad", {"x"}, {"y"}, {list("pads", {0, 1, 0, 2}), attr("mode", "reflect")}).output("y");
  expectIR(plain, {"weft.pad reflect %arg0 pads %0 {axes = array<i64: 0, 1>}"});
}

TEST(ImportPad, WithInputs) {
  for (int64_t opset : {11, 13, 18, 19, 21}) {
    TestGraph graph(opset);
    graph.input("x", {"m", "n"}).input("p", {"4"}, ::onnx::TensorProto::INT64).input("v", {});
    graph.node("Pad", {"x", "p", "v"}, {"y"}).output("y");
    expectIR(graph, {"weft.pad constant %arg0 pads %arg1 fill %arg2 {axes = array<i64: 0, 1>}"});
  }
}

TEST(ImportPad, WithAxes) {
  TestGraph graph(18);
  graph.input("x", {"m", "n", "k"}).ints("p", {1, 2, 3, 4}).ints("a", {-1, 0});
  graph.node("Pad", {"x", "p", "", "a"}, {"y"}, {attr("mode", "edge")}).output("y");
  expectIR(graph, {"weft.pad edge %arg0 pads %", "{axes = array<i64: 2, 0>}",
                   "#weft.dims<\"m\" + 6, \"n\", \"k\" + 4>"});
}

TEST(ImportPad, WithAFillOfOneElement) {
  TestGraph graph(17);
  graph.input("x", {"n"}).ints("p", {1, 2}).input("v", {"1"});
  graph.node("Pad", {"x", "p", "v"}, {"y"}).output("y");
  expectIR(graph, {"weft.reshape %arg1", "-> tensor<f32>", "weft.pad constant %arg0"});
}

TEST(ImportPad, ThatIsWrong) {
  auto pad = [](std::vector<int64_t> pads, const char *mode) {
    TestGraph graph(18);
    graph.input("x", {"2", "3"}).ints("p", pads).node("Pad", {"x", "p"}, {"y"}, {attr("mode", mode)});
    return graph.output("y");
  };
  expectImportError(pad({0, 0, 0, 0}, "mirror"), DiagnosticId::NodeAttributeRange, "Pad_0",
                    {"\"mode\"", "mirror"});
  expectImportError(pad({0, 0}, "constant"), DiagnosticId::OperandType, "Pad_0", {"pad-c1"});
  expectImportError(pad({2, 0, 0, 0}, "reflect"), DiagnosticId::OperandType, "Pad_0", {"pad-c2"});
  TestGraph axes(18);
  axes.input("x", {"2", "3"})
      .ints("p", {1, 1})
      .ints("a", {2})
      .node("Pad", {"x", "p", "", "a"}, {"y"})
      .output("y");
  expectImportError(axes, DiagnosticId::NodeAttributeRange, "Pad_0", {"an axis within rank 2"});
}

//===----------------------------------------------------------------------===//
// ArgMax, ArgMin, CumSum, Hardmax
//===----------------------------------------------------------------------===//

TEST(ImportAxis, ArgMaxAndArgMin) {
  TestGraph max(11), min(13);
  max.input("x", {"m", "n"}).node("ArgMax", {"x"}, {"y"}).output("y");
  expectIR(max, {"weft.arg_reduce max %arg0 {axis = 0 : i64, keepdims}", "-> tensor<1x?xi64"});
  min.input("x", {"m", "n"});
  min.node("ArgMin", {"x"}, {"y"}, {attr("axis", -1), attr("keepdims", 0), attr("select_last_index", 1)})
      .output("y");
  expectIR(min, {"weft.arg_reduce min %arg0 {axis = 1 : i64, last}", "-> tensor<?xi64, #weft.dims<\"m\">>"});
  TestGraph axis;
  axis.input("x", {"m", "n"}).node("ArgMax", {"x"}, {"y"}, {attr("axis", 2)}).output("y");
  expectImportError(axis, DiagnosticId::NodeAttributeRange, "ArgMax_0", {"an axis within rank 2, got 2"});
}

TEST(ImportAxis, CumSum) {
  TestGraph graph, given, computed, two;
  graph.input("x", {"m", "n"}).ints("a", {-1}, std::vector<int64_t>{});
  graph.node("CumSum", {"x", "a"}, {"y"}, {attr("exclusive", 1), attr("reverse", 1)}).output("y");
  expectIR(graph, {"weft.cumulative sum %arg0 {axis = 1 : i64, exclusive, reverse}"});
  given.input("x", {"m", "n"}).input("a", {}, ::onnx::TensorProto::INT64);
  given.node("CumSum", {"x", "a"}, {"y"}).output("y");
  expectIR(given, {"weft.reshape %arg0", "weft.cumulative sum", "{axis = 1 : i64}", "weft.reshape"});
  computed.input("x", {"m", "n"}).input("a", {"k"}, ::onnx::TensorProto::INT64);
  computed.node("CumSum", {"x", "a"}, {"y"}).output("y");
  expectImportError(computed, DiagnosticId::InputNotConstant, "CumSum_0",
                    {"a list of known length, got k x i64"});
  two.input("x", {"m", "n"}).ints("a", {0, 1}).node("CumSum", {"x", "a"}, {"y"}).output("y");
  expectImportError(two, DiagnosticId::OperandType, "CumSum_0", {"one number, got 2"});
}

TEST(ImportAxis, Pools) {
  TestGraph maximum(22), average(22), norm(22), wrong(22), places(22);
  auto twoByOne = list("kernel_shape", {2, 1});
  maximum.input("x", {"n", "4", "h", "w"}).node("MaxPool", {"x"}, {"y"}, {twoByOne}).output("y");
  expectIR(maximum, {"weft.transpose %arg0", "weft.pad constant", "weft.windows", "weft.reduce max",
                     "#weft.dims<\"n\", 4, \"h\" - 1, \"w\">"});
  average.input("x", {"n", "4", "h", "w"}).node("AveragePool", {"x"}, {"y"}, {twoByOne}).output("y");
  expectIR(average, {"weft.windows", "weft.reduce sum", "dense<2.000000e+00>", "weft.div"});
  norm.input("x", {"n", "4", "h", "w"}).node("LpPool", {"x"}, {"y"}, {twoByOne, attr("p", 1)}).output("y");
  expectIR(norm, {"weft.abs %arg0", "weft.windows", "weft.reduce sum"});
  wrong.input("x", {"n", "4", "h"}).node("MaxPool", {"x"}, {"y"}, {twoByOne}).output("y");
  expectImportError(wrong, DiagnosticId::NodeAttributeRange, "MaxPool_0", {"\"kernel_shape\" of 1 sizes"});
  places.input("x", {"n", "4", "h", "w"}).node("MaxPool", {"x"}, {"y", "i"}, {twoByOne}).output("i");
  expectIR(places, {"weft.windows", "weft.windows", "weft.reduce max", "weft.reduce min"});
}

TEST(ImportAxis, Hardmax) {
  TestGraph graph(13), old(11);
  graph.input("x", {"m", "n", "4"}).node("Hardmax", {"x"}, {"y"}, {attr("axis", 1)}).output("y");
  expectIR(graph, {"weft.arg_reduce max %arg0 {axis = 1 : i64, keepdims}", "weft.range", "weft.unsqueeze",
                   "weft.compare eq", "weft.cast"});
  old.input("x", {"m", "n", "4"}).node("Hardmax", {"x"}, {"y"}).output("y");
  expectIR(old, {"weft.reshape %arg0", "weft.arg_reduce max", "{axis = 1 : i64, keepdims}", "weft.cast",
                 "weft.reshape", "{allow_zero}"});
}

//===----------------------------------------------------------------------===//
// DepthToSpace, SpaceToDepth, EyeLike
//===----------------------------------------------------------------------===//

TEST(ImportBlocks, DepthToSpace) {
  for (const char *mode : {"DCR", "CRD"}) {
    TestGraph graph(13);
    graph.input("x", {"b", "12", "h", "w"});
    graph.node("DepthToSpace", {"x"}, {"y"}, {attr("blocksize", 2), attr("mode", mode)}).output("y");
    expectIR(graph, {"weft.reshape",
                     *mode == 'D' ? "permutation = array<i64: 0, 3, 4, 1, 5, 2>"
                                  : "permutation = array<i64: 0, 1, 4, 2, 5, 3>",
                     "weft.reshape"});
  }
}

TEST(ImportBlocks, SpaceToDepth) {
  TestGraph graph(13);
  graph.input("x", {"b", "3", "h", "w"});
  graph.node("SpaceToDepth", {"x"}, {"y"}, {attr("blocksize", 2)}).output("y");
  expectIR(graph, {"weft.reshape", "permutation = array<i64: 0, 3, 5, 1, 2, 4>", "weft.reshape"});
}

TEST(ImportBlocks, ThatAreWrong) {
  auto blocks = [](const char *opType, std::vector<std::string> dims,
                   std::vector<AttributeProto> attributes) {
    TestGraph graph(13);
    return graph.input("x", dims).node(opType, {"x"}, {"y"}, attributes).output("y");
  };
  expectImportError(blocks("DepthToSpace", {"1", "6", "2", "2"}, {attr("blocksize", 2)}),
                    DiagnosticId::OperandType, "DepthToSpace_0", {"dim 1", "multiple of 4"});
  expectImportError(blocks("DepthToSpace", {"1", "4", "2", "2"}, {attr("blocksize", 2), attr("mode", "X")}),
                    DiagnosticId::NodeAttributeRange, "DepthToSpace_0", {"\"mode\""});
  expectImportError(blocks("SpaceToDepth", {"1", "4", "2", "3"}, {attr("blocksize", 2)}),
                    DiagnosticId::OperandType, "SpaceToDepth_0", {"dim 3"});
  expectImportError(blocks("SpaceToDepth", {"1", "4", "2"}, {attr("blocksize", 2)}),
                    DiagnosticId::OperandType, "SpaceToDepth_0", {"rank 4"});
  expectImportError(blocks("SpaceToDepth", {"1", "4", "2", "2"}, {attr("blocksize", 0)}),
                    DiagnosticId::NodeAttributeRange, "SpaceToDepth_0", {"blocksize"});
}

TEST(ImportBlocks, EyeLike) {
  TestGraph graph(9), vector(9);
  graph.input("x", {"m", "n"});
  graph.node("EyeLike", {"x"}, {"y"}, {attr("k", 1), attr("dtype", int(::onnx::TensorProto::INT64))})
      .output("y");
  expectIR(graph, {"weft.range", "weft.add", "weft.unsqueeze", "weft.range", "weft.compare eq", "weft.cast"});
  vector.input("x", {"m"}).node("EyeLike", {"x"}, {"y"}).output("y");
  expectImportError(vector, DiagnosticId::OperandType, "EyeLike_0", {"a matrix"});
}
