// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the Normalization operators.
#include "ImportTest.h"

using namespace weft::onnx;
using ::onnx::TensorProto;

TEST(ImportNorm, LayerNormalization) {
  TestGraph graph, both;
  graph.input("x", {"n", "8"}).input("g", {"8"}).input("b", {"8"});
  graph.node("LayerNormalization", {"x", "g", "b"}, {"y", "mean", "deviation"}, {attr("epsilon", 0.5)})
      .output("y");
  expectIR(graph, {"weft.layer_norm %arg0, %arg1, %arg2 {axis = 1 : i64, epsilon = 5.000000e-01 : f32}"});
  both.input("x", {"n", "4", "8"}).input("g", {"4", "8"});
  both.node("LayerNormalization", {"x", "g"}, {"y"}, {attr("axis", -2)}).output("y");
  expectIR(both, {"weft.layer_norm %arg0, %arg1 {axis = 1 : i64, epsilon = 9.99999974E-6 : f32}"});
}

TEST(ImportNorm, LayerNormalizationWithoutScale) {
  TestGraph known, unknown;
  known.input("x", {"n", "8"}).node("LayerNormalization", {"x", "", ""}, {"y"}).output("y");
  expectIR(known, {"weft.constant dense<1.000000e+00> : tensor<8xf32>", "weft.layer_norm %arg0, %0 {"});
  unknown.input("x", {"n", "d"}).node("LayerNormalization", {"x"}, {"y"}).output("y");
  expectIR(unknown, {"weft.constant dense<1.000000e+00> : tensor<f32>", "weft.layer_norm %arg0, %0 {"});
}

TEST(ImportNorm, LayerNormalizationThatIsNotSupported) {
  TestGraph stash, old(16);
  stash.input("x", {"n", "8"}).input("g", {"8"});
  stash.node("LayerNormalization", {"x", "g"}, {"y"}, {attr("stash_type", 10)}).output("y");
  expectImportError(stash, DiagnosticId::NodeAttributeRange, "LayerNormalization_0",
                    {"stash_type", "got 10"});
  old.input("x", {"n", "8"}).input("g", {"8"}).node("LayerNormalization", {"x", "g"}, {"y"}).output("y");
  expectImportError(old, DiagnosticId::OpVersion, "LayerNormalization_0",
                    {"opset 17 or newer, got opset 16"});
}

TEST(ImportNorm, LayerNormalizationWithMeanAndDeviation) {
  TestGraph graph, half;
  graph.input("x", {"n", "4", "8"}).input("g", {"8"});
  graph.node("LayerNormalization", {"x", "g"}, {"y", "m", "d"}, {attr("axis", 1)})
      .output("y")
      .output("m")
      .output("d");
  expectIR(graph,
           {"weft.reduce mean", "axes = array<i64: 1, 2>, keepdims", "weft.sub", "weft.mul", "weft.reduce",
            "weft.add", "weft.sqrt", "weft.reciprocal", "weft.layer_norm %arg0, %arg1", "tensor<?x1x1xf32"});
  half.input("x", {"n", "8"}, TensorProto::FLOAT16).input("g", {"8"}, TensorProto::FLOAT16);
  half.node("LayerNormalization", {"x", "g"}, {"", "", "d"}).output("d");
  expectIR(half, {"weft.cast %arg0 to f32", "weft.reciprocal", "-> tensor<?x1xf32"});
}

TEST(ImportNorm, RMSNormalization) {
  TestGraph graph(23), mixed(23), wrong(23);
  graph.input("x", {"n", "8"}).input("g", {"8"}).node("RMSNormalization", {"x", "g"}, {"y"}).output("y");
  expectIR(graph, {"weft.rms_norm %arg0, %arg1 {axis = 1 : i64, epsilon = 9.99999974E-6 : f32}"});
  mixed.input("x", {"n", "8"}, TensorProto::FLOAT16).input("g", {"8"});
  mixed.node("RMSNormalization", {"x", "g"}, {"y"}).output("y");
  expectIR(mixed, {"dense<1.000000e+00> : tensor<f16>", "weft.rms_norm %arg0, %0", "weft.cast %1 to f32",
                   "weft.mul %2, %arg1"});
  wrong.input("x", {"n", "8"}).input("g", {"8"});
  wrong.node("RMSNormalization", {"x", "g"}, {"y"}, {attr("stash_type", 10)}).output("y");
  expectImportError(wrong, DiagnosticId::NodeAttributeRange, "RMSNormalization_0", {"stash_type", "got 10"});
}

TEST(ImportNorm, InstanceNormalization) {
  TestGraph graph, flat;
  graph.input("x", {"n", "4", "h", "w"}).input("s", {"4"}).input("b", {"4"});
  graph.node("InstanceNormalization", {"x", "s", "b"}, {"y"}, {attr("epsilon", 0.5)}).output("y");
  expectIR(graph, {"weft.layer_norm %arg0, %0 {axis = 2 : i64, epsilon = 5.000000e-01 : f32}",
                   "weft.unsqueeze %arg1 {axes = array<i64: 1, 2>}", "weft.mul",
                   "weft.unsqueeze %arg2 {axes = array<i64: 1, 2>}", "weft.add"});
  flat.input("x", {"n", "4"}).input("s", {"4"}).input("b", {"4"});
  flat.node("InstanceNormalization", {"x", "s", "b"}, {"y"}).output("y");
  expectImportError(flat, DiagnosticId::OperandType, "InstanceNormalization_0", {"at least 3 dims"});
}

TEST(ImportNorm, GroupNormalization) {
  TestGraph channels(21), groups(18), none(21), missing(21), uneven(21);
  channels.input("x", {"n", "4", "h"}).input("s", {"4"}).input("b", {"4"});
  channels.node("GroupNormalization", {"x", "s", "b"}, {"y"}, {attr("num_groups", 2)}).output("y");
  expectIR(channels,
           {"weft.div", "weft.concat", "weft.reshape %arg0", "{allow_zero}", "weft.layer_norm",
            "{axis = 2 : i64", "weft.shape %arg0", "weft.reshape",
            "weft.unsqueeze %arg1 {axes = array<i64: 1>}", "weft.mul", "weft.unsqueeze %arg2", "weft.add"});
  groups.input("x", {"n", "4", "h"}).input("s", {"2"}).input("b", {"2"});
  groups.node("GroupNormalization", {"x", "s", "b"}, {"y"}, {attr("num_groups", 2)}).output("y");
  expectIR(groups, {"weft.layer_norm", "weft.unsqueeze %arg1", "weft.mul", "weft.unsqueeze %arg2", "weft.add",
                    "weft.shape %arg0", "weft.reshape"});
  none.input("x", {"n", "4", "h"}).input("s", {"4"}).input("b", {"4"});
  none.node("GroupNormalization", {"x", "s", "b"}, {"y"}, {attr("num_groups", 0)}).output("y");
  expectImportError(none, DiagnosticId::NodeAttributeRange, "GroupNormalization_0", {"num_groups", "got 0"});
  uneven.input("x", {"n", "3", "h"}).input("s", {"3"}).input("b", {"3"});
  uneven.node("GroupNormalization", {"x", "s", "b"}, {"y"}, {attr("num_groups", 2)}).output("y");
  expectImportError(uneven, DiagnosticId::OperandType, "GroupNormalization_0", {"num_groups", "n x 3 x h"});
  missing.input("x", {"n", "4", "h"}).input("s", {"4"}).input("b", {"4"});
  missing.node("GroupNormalization", {"x", "s", "b"}, {"y"}).output("y");
  expectImportError(missing, DiagnosticId::NodeAttributeMissing, "GroupNormalization_0", {"num_groups"});
}

TEST(ImportNorm, LpNormalization) {
  TestGraph two(22), one(22), three(22);
  two.input("x", {"n", "8"}).node("LpNormalization", {"x"}, {"y"}).output("y");
  expectIR(two, {"weft.mul %arg0, %arg0", "weft.reduce", "weft.sqrt", "weft.compare eq", "weft.div",
                 "weft.where"});
  one.input("x", {"n", "8"})
      .node("LpNormalization", {"x"}, {"y"}, {attr("p", 1), attr("axis", 0)})
      .output("y");
  expectIR(one, {"weft.abs %arg0", "weft.reduce", "axes = array<i64: 0>", "weft.div", "weft.where"});
  three.input("x", {"n", "8"}).node("LpNormalization", {"x"}, {"y"}, {attr("p", 3)}).output("y");
  expectImportError(three, DiagnosticId::NodeAttributeRange, "LpNormalization_0", {"\"p\"", "got 3"});
}
