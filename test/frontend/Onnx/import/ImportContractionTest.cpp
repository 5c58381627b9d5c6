// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of MatMul, Gemm and Conv.
#include "ImportTest.h"

using namespace weft::onnx;

TEST(ImportContraction, MatMul) {
  TestGraph graph;
  graph.input("x", {"b", "n", "64"}).input("w", {"64", "8"}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  expectIR(graph, {"weft.matmul %arg0, %arg1", "-> tensor<?x?x8xf32, #weft.dims<\"b\", \"n\", 8>>"});
}

TEST(ImportContraction, MatMulOfShapesThatDoNotFit) {
  TestGraph graph;
  graph.input("x", {"n", "64"}).input("w", {"32", "8"}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  expectImportError(graph, DiagnosticId::OperandType, "MatMul_0", {"matmul-c2", "64", "32", "n x 64 x f32"});
}

TEST(ImportContraction, Gemm) {
  TestGraph graph;
  graph.input("a", {"k", "n"}).input("b", {"8", "k"}).input("c", {"8"});
  graph.node("Gemm", {"a", "b", "c"}, {"y"},
             {attr("alpha", 0.5), attr("beta", 2.0), attr("transA", 1), attr("transB", 1)});
  graph.output("y");
  expectIR(graph, {"%0 = weft.transpose %arg0 {permutation = array<i64: 1, 0>}",
                   "%1 = weft.transpose %arg1 {permutation = array<i64: 1, 0>}", "%2 = weft.matmul %0, %1",
                   "dense<5.000000e-01>", "weft.mul %2, %3", "dense<2.000000e+00>", "%6 = weft.mul %arg2, %5",
                   "%7 = weft.add %4, %6", "return %7"});
}

TEST(ImportContraction, GemmInItsPlainForms) {
  TestGraph plain(13), unread(9);
  plain.input("a", {"n", "4"}).input("b", {"4", "8"}).node("Gemm", {"a", "b"}, {"y"}).output("y");
  expectIR(plain, {"%0 = weft.matmul %arg0, %arg1", "return %0"});
  unread.input("a", {"n", "4"}).input("b", {"4", "8"}).input("c", {"8"});
  unread.node("Gemm", {"a", "b", "c"}, {"y"}, {attr("beta", 0.0)}).output("y");
  expectIR(unread, {"%0 = weft.matmul %arg0, %arg1", "return %0"});
}

TEST(ImportContraction, GemmThatDoesNotFit) {
  TestGraph batched, addend, missing(9);
  batched.input("a", {"2", "n", "4"}).input("b", {"4", "8"}).node("Gemm", {"a", "b"}, {"y"}).output("y");
  expectImportError(batched, DiagnosticId::OperandType, "Gemm_0", {"matrices"});
  addend.input("a", {"1", "4"}).input("b", {"4", "8"}).input("c", {"3", "8"});
  addend.node("Gemm", {"a", "b", "c"}, {"y"}).output("y");
  expectImportError(addend, DiagnosticId::OperandType, "Gemm_0", {"3 x 8 x f32"});
  missing.input("a", {"n", "4"}).input("b", {"4", "8"}).node("Gemm", {"a", "b"}, {"y"}).output("y");
  expectImportError(missing, DiagnosticId::NodeArity, "Gemm_0", {"3 inputs, got 2"});
}

TEST(ImportContraction, Conv) {
  TestGraph graph;
  graph.input("x", {"b", "8", "n"}).input("w", {"16", "4", "3"}).input("bias", {"16"});
  graph.node("Conv", {"x", "w", "bias"}, {"y"},
             {list("kernel_shape", {3}), list("strides", {2}), list("pads", {1, 1}), list("dilations", {1}),
              attr("group", 2)});
  graph.output("y");
  expectIR(graph, {"weft.conv %arg0, %arg1, %arg2", "dilations = array<i64: 1>", "groups = 2",
                   "pads = array<i64: 1, 1>", "strides = array<i64: 2>", "16"});
}

TEST(ImportContraction, ConvOfTwoDimsByDefault) {
  TestGraph graph;
  graph.input("x", {"1", "3", "8", "8"})
      .input("w", {"4", "3", "3", "3"})
      .node("Conv", {"x", "w"}, {"y"})
      .output("y");
  expectIR(graph, {"dilations = array<i64: 1, 1>", "groups = 1", "pads = array<i64: 0, 0, 0, 0>",
                   "strides = array<i64: 1, 1>", "-> tensor<1x4x6x6xf32>"});
}

TEST(ImportContraction, ConvWithAutoPad) {
  struct Row {
    const char *mode, *size;
    int64_t stride;
    const char *pads;
  };
  // Kernel 4: stride 1 needs 3 elements of padding whatever the size; stride 2 of 7 needs 3, of 8 needs 2.
  const Row rows[] = {{"SAME_UPPER", "n", 1, "1, 2"},
                      {"SAME_LOWER", "n", 1, "2, 1"},
                      {"SAME_UPPER", "7", 2, "1, 2"},
                      {"SAME_LOWER", "8", 2, "1, 1"},
                      {"VALID", "n", 2, "0, 0"}};
  for (const Row &row : rows) {
    TestGraph graph;
    graph.input("x", {"1", "3", row.size}).input("w", {"4", "3", "4"});
    graph.node("Conv", {"x", "w"}, {"y"}, {attr("auto_pad", row.mode), list("strides", {row.stride})});
    graph.output("y");
    expectIR(graph, {std::string("pads = array<i64: ") + row.pads + ">"});
  }
}

TEST(ImportContraction, ConvWithAutoPadOfUnknownSize) {
  TestGraph graph, unknown;
  graph.input("x", {"1", "3", "n"}).input("w", {"4", "3", "4"});
  graph.node("Conv", {"x", "w"}, {"y"}, {attr("auto_pad", "SAME_UPPER"), list("strides", {2})}).output("y");
  // What is missing is computed: twice the number of results, and the rest of the kernel.
  expectIR(graph, {"weft.shape %arg0 {end = 3 : i64, start = 2 : i64}", "weft.div", "weft.mul", "weft.sub",
                   "weft.max", "weft.concat", "weft.pad constant %arg0 pads %", "{axes = array<i64: 2>}",
                   "weft.conv", "pads = array<i64: 0, 0>"});
  unknown.input("x", {"1", "3", "n"}).input("w", {"4", "3", "k"});
  unknown.node("Conv", {"x", "w"}, {"y"}, {attr("auto_pad", "SAME_LOWER")}).output("y");
  expectImportError(unknown, DiagnosticId::RankUnknown, "Conv_0", {"filter of known size"});
}

TEST(ImportContraction, ConvThatIsWrong) {
  auto conv = [](std::vector<AttributeProto> attributes) {
    TestGraph graph;
    graph.input("x", {"1", "3", "n"}).input("w", {"4", "3", "4"}).node("Conv", {"x", "w"}, {"y"}, attributes);
    return graph.output("y");
  };
  expectImportError(conv({attr("auto_pad", "SAME")}), DiagnosticId::NodeAttributeRange, "Conv_0", {"SAME"});
  expectImportError(conv({list("kernel_shape", {3})}), DiagnosticId::NodeAttributeRange, "Conv_0",
                    {"kernel_shape"});
  expectImportError(conv({list("strides", {1, 1})}), DiagnosticId::NodeAttributeRange, "Conv_0",
                    {"1 strides"});
  expectImportError(conv({list("strides", {0})}), DiagnosticId::OperandType, "Conv_0", {"conv-c2"});
  expectImportError(conv({attr("group", 2)}), DiagnosticId::OperandType, "Conv_0", {"conv-c3"});
}

/// Of 16 elements by a stride of 8, each remainder has two; half of a stride is padding at both ends.
TEST(ImportContraction, ConvTranspose) {
  TestGraph graph;
  graph.input("x", {"b", "4", "n"}).input("w", {"4", "3", "16"});
  graph.node("ConvTranspose", {"x", "w"}, {"y"}, {list("strides", {8}), list("pads", {4, 4})}).output("y");
  expectIR(graph, {"weft.slice", "weft.conv", "pads = array<i64: 1, 1>", "strides = array<i64: 1>",
                   "weft.transpose", "weft.slice"});
}

TEST(ImportContraction, ConvTransposeThatIsWrong) {
  auto conv = [](const std::vector<std::string> &filter, std::vector<AttributeProto> attributes) {
    TestGraph graph;
    graph.input("x", {"1", "4", "n"}).input("w", filter);
    return graph.node("ConvTranspose", {"x", "w"}, {"y"}, attributes).output("y");
  };
  const std::string node = "ConvTranspose_0";
  expectImportError(conv({"4", "3", "k"}, {}), DiagnosticId::RankUnknown, node, {"kernel is of known size"});
  expectImportError(conv({"4", "3", "2"}, {list("kernel_shape", {2, 2})}), DiagnosticId::NodeAttributeRange,
                    node, {"kernel_shape"});
  expectImportError(conv({"4", "3", "2"}, {attr("group", 3)}), DiagnosticId::NodeAttributeRange, node,
                    {"\"group\"", "got 3"});
  expectImportError(conv({"4", "3", "2"}, {list("pads", {1})}), DiagnosticId::NodeAttributeRange, node,
                    {"\"pads\"", "2 entries, got 1"});
  expectImportError(conv({"4", "3", "2"}, {list("strides", {0})}), DiagnosticId::NodeAttributeRange, node,
                    {"positive strides"});
  expectImportError(conv({"4", "3", "2"}, {list("pads", {-1, 0})}), DiagnosticId::NodeAttributeRange, node,
                    {"no negative size", "-1"});
}

TEST(ImportContraction, Einsum) {
  TestGraph graph, wrong;
  graph.input("q", {"b", "i", "4", "8"}).input("k", {"b", "j", "4", "8"});
  graph.node("Einsum", {"q", "k"}, {"y"}, {attr("equation", "bihd, bjhd -> bhij")}).output("y");
  expectIR(graph, {"weft.einsum \"bihd, bjhd -> bhij\" %arg0, %arg1",
                   "-> tensor<?x4x?x?xf32, #weft.dims<\"b\", 4, \"i\", \"j\">>"});
  wrong.input("x", {"2", "3"}).node("Einsum", {"x"}, {"y"}, {attr("equation", "ijk->i")}).output("y");
  expectImportError(wrong, DiagnosticId::OperandType, "Einsum_0", {"einsum-c1", "ijk"});
}
