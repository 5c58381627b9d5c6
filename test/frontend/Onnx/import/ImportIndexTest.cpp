// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the Gather and Scatter operators, TopK and OneHot.
#include "ImportTest.h"

using namespace weft::onnx;
using ::onnx::TensorProto;

TEST(ImportIndex, GatherElements) {
  TestGraph graph, axis;
  graph.input("x", {"a", "8"}).input("i", {"a", "n"}, TensorProto::INT64);
  graph.node("GatherElements", {"x", "i"}, {"y"}).output("y");
  expectIR(graph, {"weft.gather_elements %arg0, %arg1 {axis = 0 : i64}", "dims<\"a\", \"n\">"});
  axis.input("x", {"a", "8"}).input("i", {"a", "n"}, TensorProto::INT32);
  axis.node("GatherElements", {"x", "i"}, {"y"}, {attr("axis", -1)}).output("y");
  expectIR(axis, {"{axis = 1 : i64}"});
}

TEST(ImportIndex, GatherElementsThatIsWrong) {
  TestGraph rank, axis;
  rank.input("x", {"a", "8"}).input("i", {"n"}, TensorProto::INT64);
  rank.node("GatherElements", {"x", "i"}, {"y"}).output("y");
  expectImportError(rank, DiagnosticId::OperandType, "GatherElements_0", {"gather-elements-c1"});
  axis.input("x", {"a", "8"}).input("i", {"a", "8"}, TensorProto::INT64);
  axis.node("GatherElements", {"x", "i"}, {"y"}, {attr("axis", 2)}).output("y");
  expectImportError(axis, DiagnosticId::NodeAttributeRange, "GatherElements_0", {"rank 2", "got 2"});
}

TEST(ImportIndex, GatherND) {
  TestGraph old(11), batch, negative, length;
  old.input("x", {"a", "8"}).input("i", {"n", "2"}, TensorProto::INT64);
  old.node("GatherND", {"x", "i"}, {"y"}).output("y");
  expectIR(old,
           {"weft.gather_nd %arg0, %arg1 {batch_dims = 0 : i64}", "-> tensor<?xf32, #weft.dims<\"n\">>"});
  batch.input("x", {"a", "8", "4"}).input("i", {"a", "1"}, TensorProto::INT64);
  batch.node("GatherND", {"x", "i"}, {"y"}, {attr("batch_dims", 1)}).output("y");
  expectIR(batch, {"{batch_dims = 1 : i64}", "-> tensor<?x4xf32, #weft.dims<\"a\", 4>>"});
  negative.input("x", {"a", "8"}).input("i", {"a", "1"}, TensorProto::INT64);
  negative.node("GatherND", {"x", "i"}, {"y"}, {attr("batch_dims", -1)}).output("y");
  expectImportError(negative, DiagnosticId::NodeAttributeRange, "GatherND_0", {"batch_dims", "got -1"});
  length.input("x", {"a", "8"}).input("i", {"a", "n"}, TensorProto::INT64);
  length.node("GatherND", {"x", "i"}, {"y"}).output("y");
  expectImportError(length, DiagnosticId::OperandType, "GatherND_0", {"gather-nd-c1"});
}

TEST(ImportIndex, GatherNDByTuplesWhoseLengthIsNotKnownYet) {
  TestGraph graph;
  graph.input("x", {"a", "8"}).input("i", {"", ""}, TensorProto::INT64).ints("to", {-1, 2});
  graph.node("Mul", {"i", "i"}, {"j"}).node("Reshape", {"j", "to"}, {"t"});
  graph.node("GatherND", {"x", "t"}, {"y"}).output("y");
  expectIR(graph, {"weft.gather_nd"});
}

TEST(ImportIndex, Scatter) {
  struct Row {
    int64_t opset;
    const char *reduction, *kind;
  };
  for (auto [opset, reduction, kind] :
       {Row{11, nullptr, "replace"}, Row{16, "none", "replace"}, Row{16, "add", "add"}, Row{17, "mul", "mul"},
        Row{18, "min", "min"}, Row{21, "max", "max"}}) {
    TestGraph nd(opset), elements(opset);
    std::vector<AttributeProto> attributes;
    if (reduction)
      attributes.push_back(attr("reduction", reduction));
    nd.input("x", {"a", "8"}).input("i", {"n", "1"}, TensorProto::INT64).input("u", {"n", "8"});
    nd.node("ScatterND", {"x", "i", "u"}, {"y"}, attributes).output("y");
    expectIR(nd, {std::string("weft.scatter_nd ") + kind + " %arg0, %arg1, %arg2", "dims<\"a\", 8>"});
    attributes.push_back(attr("axis", -1));
    elements.input("x", {"a", "8"}).input("i", {"a", "n"}, TensorProto::INT64).input("u", {"a", "n"});
    elements.node("ScatterElements", {"x", "i", "u"}, {"y"}, attributes).output("y");
    expectIR(elements,
             {std::string("weft.scatter_elements ") + kind + " %arg0, %arg1, %arg2 {axis = 1 : i64}"});
  }
  TestGraph oldest(9);
  oldest.input("x", {"a", "8"}).input("i", {"a", "n"}, TensorProto::INT64).input("u", {"a", "n"});
  oldest.node("Scatter", {"x", "i", "u"}, {"y"}, {attr("axis", 1)}).output("y");
  expectIR(oldest, {"weft.scatter_elements replace %arg0, %arg1, %arg2 {axis = 1 : i64}"});
}

TEST(ImportIndex, ScatterThatIsWrong) {
  for (const char *reduction : {"replace", "sum", ""}) {
    TestGraph graph(18);
    graph.input("x", {"a", "8"}).input("i", {"n", "1"}, TensorProto::INT64).input("u", {"n", "8"});
    graph.node("ScatterND", {"x", "i", "u"}, {"y"}, {attr("reduction", reduction)}).output("y");
    expectImportError(graph, DiagnosticId::NodeAttributeRange, "ScatterND_0", {"reduction", reduction});
  }
  TestGraph type(18), old(13);
  type.input("x", {"a"}).input("i", {"n", "1"}, TensorProto::INT64).input("u", {"n"}, TensorProto::DOUBLE);
  type.node("ScatterND", {"x", "i", "u"}, {"y"}).output("y");
  expectImportError(type, DiagnosticId::OperandType, "ScatterND_0", {"scatter-nd-c3"});
  old.input("x", {"a"}).input("i", {"n", "1"}, TensorProto::INT64).input("u", {"n"});
  old.node("ScatterND", {"x", "i", "u"}, {"y"}, {attr("reduction", "add")}).output("y");
  expectImportError(old, DiagnosticId::NodeAttributeUnknown, "ScatterND_0", {"reduction"});
}

TEST(ImportIndex, TopK) {
  TestGraph both, least, old(9), data, indices;
  both.input("x", {"n", "8"}).ints("k", {3}).node("TopK", {"x", "k"}, {"v", "i"}).output("v").output("i");
  expectIR(both, {"weft.top_k %arg0, %0 {axis = 1 : i64, largest}", "-> tensor<?x3xi64",
                  "weft.gather_elements %arg0, %1 {axis = 1 : i64}", "return %2, %1"});
  least.input("x", {"n", "8"}).ints("k", {3});
  least.node("TopK", {"x", "k"}, {"v"}, {attr("axis", 0), attr("largest", 0), attr("sorted", 0)}).output("v");
  expectIR(least, {"weft.top_k %arg0, %0 {axis = 0 : i64} :", "weft.gather_elements"});
  old.input("x", {"n", "8"}).node("TopK", {"x"}, {"v", "i"}, {attr("k", 2)}).output("v");
  expectIR(old, {"dense<2> : tensor<1xi64>", "weft.top_k %arg0, %0 {axis = 1 : i64, largest}"});
  data.input("x", {"n", "8"})
      .input("k", {"1"}, TensorProto::INT64)
      .node("TopK", {"x", "k"}, {"v"})
      .output("v");
  expectIR(data, {"weft.top_k %arg0, %arg1", "-> tensor<?x?xi64>"});
  indices.input("x", {"n", "8"}).ints("k", {3}).node("TopK", {"x", "k"}, {"", "i"}).output("i");
  expectIR(indices, {"weft.top_k", "return %1"});
}

TEST(ImportIndex, TopKThatIsWrong) {
  TestGraph large, none(9);
  large.input("x", {"n", "8"}).ints("k", {9}).node("TopK", {"x", "k"}, {"v"}).output("v");
  expectImportError(large, DiagnosticId::OperandType, "TopK_0", {"top-k-c2", "got 9"});
  none.input("x", {"n", "8"}).node("TopK", {"x"}, {"v"}).output("v");
  expectImportError(none, DiagnosticId::NodeAttributeMissing, "TopK_0", {"k"});
}

TEST(ImportIndex, OneHot) {
  TestGraph last, first;
  last.input("i", {"n", "m"}, TensorProto::INT32).ints("depth", {5}, {{}}).input("v", {"2"});
  last.node("OneHot", {"i", "depth", "v"}, {"y"}).output("y");
  expectIR(last, {"weft.cast %arg0 to i64", "weft.compare lt", "weft.add", "weft.where", "weft.unsqueeze",
                  "{axes = array<i64: 2>}", "weft.range", "weft.compare eq", "weft.where"});
  first.input("i", {"n", "m"}, TensorProto::INT64).ints("depth", {5}).input("v", {"2"});
  first.node("OneHot", {"i", "depth", "v"}, {"y"}, {attr("axis", 0)}).output("y");
  expectIR(first, {"weft.unsqueeze", "{axes = array<i64: 0>}", "weft.range", "weft.unsqueeze",
                   "{axes = array<i64: 1, 2>}", "weft.compare eq"});
  TestGraph wrong;
  wrong.input("i", {"n"}, TensorProto::INT64).ints("depth", {5}).input("v", {"2"});
  wrong.node("OneHot", {"i", "depth", "v"}, {"y"}, {attr("axis", 2)}).output("y");
  expectImportError(wrong, DiagnosticId::NodeAttributeRange, "OneHot_0", {"rank 2", "got 2"});
}

TEST(ImportIndex, Col2Im) {
  auto fold = [](const std::vector<int64_t> &block, const std::vector<AttributeProto> &attributes,
                 const std::vector<std::string> &columns = {"n", "12", "6"}) {
    TestGraph graph(18);
    graph.input("x", columns).ints("image", {4, 5}).ints("block", block);
    return graph.node("Col2Im", {"x", "image", "block"}, {"y"}, attributes).output("y");
  };
  expectIR(fold({2, 3}, {list("strides", {1, 2})}), {"weft.scatter_elements add", "tensor<?x2x4x5xf32>"});
  expectImportError(fold({2, 3}, {}, {"n", "12", "7"}), DiagnosticId::OperandType, "Col2Im_0", {"its input"});
  expectImportError(fold({2, 3}, {}, {"12", "9"}), DiagnosticId::OperandType, "Col2Im_0", {"its input"});
  expectImportError(fold({2, 3, 1}, {}), DiagnosticId::OperandType, "Col2Im_0", {"its block_shape"});
  expectImportError(fold({2, 3}, {list("strides", {1, 0})}), DiagnosticId::NodeAttributeRange, "Col2Im_0",
                    {"positive strides"});
  expectImportError(fold({2, 3}, {list("dilations", {1})}), DiagnosticId::NodeAttributeRange, "Col2Im_0",
                    {"2 strides and dilations"});
  expectImportError(fold({2, 3}, {list("pads", {0, -1, 0, 0})}), DiagnosticId::NodeAttributeRange, "Col2Im_0",
                    {"4 pads"});
}

TEST(ImportIndex, GridSample) {
  auto sample = [](const char *mode, const char *padding, const std::vector<std::string> &grid) {
    TestGraph graph(20);
    graph.input("x", {"n", "3", "h", "w"}).input("g", grid);
    return graph.node("GridSample", {"x", "g"}, {"y"}, {attr("mode", mode), attr("padding_mode", padding)})
        .output("y");
  };
  expectIR(sample("nearest", "border", {"n", "p", "q", "2"}),
           {"weft.round", "weft.gather", "tensor<?x3x?x?xf32>"});
  expectImportError(sample("sinc", "border", {"n", "p", "q", "2"}), DiagnosticId::NodeAttributeRange,
                    "GridSample_0", {"\"mode\"", "sinc"});
  expectImportError(sample("linear", "wrap", {"n", "p", "q", "2"}), DiagnosticId::NodeAttributeRange,
                    "GridSample_0", {"\"padding_mode\"", "wrap"});
  expectImportError(sample("linear", "zeros", {"n", "p", "q", "3"}), DiagnosticId::OperandType,
                    "GridSample_0", {"its grid"});
}
