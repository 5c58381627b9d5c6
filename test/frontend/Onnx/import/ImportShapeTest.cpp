// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of constants, shapes as data, views, moves and Gather.
#include "ImportTest.h"

using namespace weft::onnx;
using ::onnx::TensorProto;

/// A Constant node with this attribute.
static TestGraph constant(const AttributeProto &attribute, int64_t opset = 17) {
  TestGraph graph(opset);
  graph.node("Constant", {}, {"y"}, {attribute}).output("y");
  return graph;
}

static AttributeProto tensorAttr(const std::string &name, int type, const std::vector<int64_t> &dims,
                                 const std::string &raw) {
  AttributeProto proto = attr(name, AttributeProto::TENSOR);
  proto.mutable_t()->set_data_type(type);
  proto.mutable_t()->mutable_dims()->Add(dims.begin(), dims.end());
  proto.mutable_t()->set_raw_data(raw);
  return proto;
}

TEST(ImportConstant, InEachForm) {
  AttributeProto floats = attr("value_floats", AttributeProto::FLOATS);
  floats.add_floats(1);
  floats.add_floats(2);
  expectIR(constant(attr("value_int", 7)), {"weft.constant dense<7> : tensor<i64>"});
  expectIR(constant(list("value_ints", {1, 2})), {"weft.constant dense<[1, 2]> : tensor<2xi64>"});
  expectIR(constant(attr("value_float", 0.5)), {"weft.constant dense<5.000000e-01> : tensor<f32>"});
  expectIR(constant(floats), {"weft.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"});
  expectIR(
      constant(tensorAttr("value", TensorProto::INT32, {2, 1}, std::string("\1\0\0\0\xff\xff\xff\xff", 8)),
               9),
      {"weft.constant dense<[[1], [-1]]> : tensor<2x1xi32>"});
}

TEST(ImportConstant, OfEachType) {
  struct Row {
    int type;
    std::string raw;
    const char *printed;
  };
  const Row rows[] = {
      {TensorProto::FLOAT16, std::string("\x00\x3c", 2), "dense<1.000000e+00> : tensor<f16>"},
      {TensorProto::BFLOAT16, std::string("\x80\x3f", 2), "dense<1.000000e+00> : tensor<bf16>"},
      {TensorProto::DOUBLE, std::string("\0\0\0\0\0\0\xf0\x3f", 8), "dense<1.000000e+00> : tensor<f64>"},
      {TensorProto::BOOL, "\1", "dense<true> : tensor<i1>"},
      {TensorProto::INT8, "\xff", "dense<-1> : tensor<i8>"},
      {TensorProto::UINT8, "\xff", "dense<255> : tensor<ui8>"},
      {TensorProto::INT16, std::string("\xfe\xff", 2), "dense<-2> : tensor<i16>"}};
  for (const Row &row : rows)
    expectIR(constant(tensorAttr("value", row.type, {}, row.raw)), {row.printed});
}

TEST(ImportConstant, WithoutElements) {
  expectIR(constant(tensorAttr("value", TensorProto::INT64, {0}, "")), {"tensor<0xi64>"});
  expectIR(constant(tensorAttr("value", TensorProto::FLOAT, {0, 4}, "")), {"tensor<0x4xf32>"});
  expectIR(constant(tensorAttr("value", TensorProto::BOOL, {0}, "")), {"tensor<0xi1>"});
}

TEST(ImportConstant, LongSplatsAreInline) {
  expectIR(constant(tensorAttr("value", TensorProto::FLOAT, {100}, std::string(400, '\0'))),
           {"weft.constant dense<0.000000e+00> : tensor<100xf32>"});
  expectIR(constant(tensorAttr("value", TensorProto::BOOL, {100}, std::string(100, '\1'))),
           {"weft.constant dense<true> : tensor<100xi1>"});
  // A model in memory has no file: the data is copied.
  std::string other = std::string(399, '\0') + "\x3f";
  expectIR(constant(tensorAttr("value", TensorProto::FLOAT, {100}, other)),
           {"weft.constant weight<\"\", ", ", 400, ", "> : tensor<100xf32>"});
}

TEST(ImportConstant, ThatIsWrong) {
  TestGraph none, two = constant(attr("value_int", 7));
  none.node("Constant", {}, {"y"}).output("y");
  expectImportError(none, DiagnosticId::NodeAttributeMissing, "Constant_0", {"value"});
  *two.last->add_attribute() = attr("value_float", 1.0);
  expectImportError(two, DiagnosticId::NodeAttributeRange, "Constant_0", {"value_int", "value_float"});
  expectImportError(constant(attr("value_string", "text")), DiagnosticId::ElementTypeUnsupported,
                    "Constant_0", {"value_string"});
  expectImportError(constant(attr("value_int", 7), 11), DiagnosticId::NodeAttributeUnknown, "Constant_0",
                    {"value_int"});
  expectImportError(constant(tensorAttr("value", TensorProto::COMPLEX64, {1}, std::string(8, '\0'))),
                    DiagnosticId::OperandType, "Constant_0", {"complex64"});
}

TEST(ImportConstant, OfLessThanAByte) {
  expectIR(constant(tensorAttr("value", TensorProto::INT4, {3}, "\x8F\x07")),
           {"dense<[-1, -8, 7]> : tensor<3xi4>"});
  expectIR(constant(tensorAttr("value", TensorProto::UINT2, {3}, "\x1B")),
           {"dense<[3, 2, 1]> : tensor<3xui2>"});
  expectIR(constant(tensorAttr("value", TensorProto::FLOAT4E2M1, {2}, "\x9F")),
           {"dense<[-6.000000e+00, -5.000000e-01]> : tensor<2xf4E2M1FN>"});
}

TEST(ImportShape, ConstantOfShape) {
  TestGraph zero, one;
  zero.input("s", {"2"}, TensorProto::INT64).node("ConstantOfShape", {"s"}, {"y"}).output("y");
  expectIR(zero, {"%0 = weft.constant dense<0.000000e+00> : tensor<f32>", "weft.expand %0, %arg0",
                  "tensor<?x?xf32>"});
  one.ints("s", {2, 3});
  one.node("ConstantOfShape", {"s"}, {"y"},
           {tensorAttr("value", TensorProto::INT64, {1}, std::string("\1\0\0\0\0\0\0\0", 8))});
  one.output("y");
  expectIR(one, {"dense<1> : tensor<i64>", "weft.expand", "tensor<2x3xi64>"});
}

TEST(ImportShape, Shape) {
  TestGraph all, part, clamped;
  all.input("x", {"n", "4", "m"}).node("Shape", {"x"}, {"y"}).output("y");
  expectIR(all, {"weft.shape %arg0 {end = 3 : i64, start = 0 : i64}", "-> tensor<3xi64>"});
  part.input("x", {"n", "4", "m"})
      .node("Shape", {"x"}, {"y"}, {attr("start", -2), attr("end", -1)})
      .output("y");
  expectIR(part, {"weft.shape %arg0 {end = 2 : i64, start = 1 : i64}", "-> tensor<1xi64>"});
  clamped.input("x", {"n", "4", "m"})
      .node("Shape", {"x"}, {"y"}, {attr("start", 5), attr("end", -9)})
      .output("y");
  expectIR(clamped, {"weft.shape %arg0 {end = 3 : i64, start = 3 : i64}", "-> tensor<0xi64>"});
}

TEST(ImportShape, Size) {
  TestGraph known, symbolic;
  known.input("x", {"3", "4"}).node("Size", {"x"}, {"y"}).output("y");
  expectIR(known, {"dense<12> : tensor<i64>", "return %0"});
  symbolic.input("x", {"n", "4"}).node("Size", {"x"}, {"y"}).output("y");
  expectIR(symbolic, {"weft.shape %arg0", "weft.gather", "weft.gather", "weft.mul", "tensor<i64>"});
}

TEST(ImportShape, Range) {
  TestGraph graph, two;
  two.input("a", {"2"}).input("b", {}).input("c", {}).node("Range", {"a", "b", "c"}, {"y"}).output("y");
  expectImportError(two, DiagnosticId::OperandType, "Range_0", {"2 elements do not fit a shape of 1"});
  graph.ints("a", {0}, {{}}).ints("b", {10}, {{}}).ints("c", {3}, {{}});
  graph.node("Range", {"a", "b", "c"}, {"y"}).output("y");
  expectIR(graph, {"weft.range %0 to %1 by %2", "-> tensor<4xi64>"});
}

TEST(ImportShape, InputsLeftOut) {
  TestGraph trailing, bytes;
  trailing.input("x", {"2"}).input("y", {"3"}).node("Concat", {"x", "y", ""}, {"z"}, {attr("axis", 0)});
  trailing.output("z");
  expectIR(trailing, {"weft.concat %arg0, %arg1", "-> tensor<5xf32>"});
  bytes.input("x", {"6"})
      .input("s", {"2"}, TensorProto::INT8)
      .node("Split", {"x", "s"}, {"a", "b"})
      .output("a");
  expectImportError(bytes, DiagnosticId::OperandType, "Split_0",
                    {"the sizes of its parts of int32 or int64"});
}

TEST(ImportShape, Reshape) {
  TestGraph graph, zero, data;
  graph.input("x", {"n", "12"}).ints("s", {0, 3, -1}).node("Reshape", {"x", "s"}, {"y"}).output("y");
  expectIR(graph, {"%1 = weft.reshape %arg0, %0 :", "#weft.dims<\"n\", 3, 4>"});
  zero.input("x", {"n", "0"})
      .ints("s", {0, 7})
      .node("Reshape", {"x", "s"}, {"y"}, {attr("allowzero", 1)})
      .output("y");
  expectIR(zero, {"weft.reshape %arg0, %0 {allow_zero}", "-> tensor<0x7xf32>"});
  data.input("x", {"n", "12"})
      .input("s", {"3"}, TensorProto::INT64)
      .node("Reshape", {"x", "s"}, {"y"})
      .output("y");
  expectIR(data, {"weft.reshape %arg0, %arg1", "-> tensor<?x?x?xf32>"});
}

TEST(ImportShape, Flatten) {
  struct Row {
    std::vector<std::string> dims;
    int axis;
    std::vector<std::string> fragments;
  };
  const Row rows[] = {
      {{"2", "3", "4"}, 1, {"dense<[2, 12]>"}},
      {{"n", "3", "4"}, 1, {"dense<[-1, 12]>"}},
      {{"2", "3", "n"}, -1, {"dense<[6, -1]>"}},
      {{"n", "m", "4"}, 1, {"dense<[0, -1]>"}},
      {{"n", "m"}, 0, {"dense<[1, -1]>"}},
      {{"n", "m"}, 2, {"dense<[-1, 1]>"}},
      {{"a", "b", "c", "d"}, 2, {"weft.gather", "weft.mul", "weft.unsqueeze", "weft.concat", "allow_zero"}}};
  for (const Row &row : rows) {
    TestGraph graph;
    graph.input("x", row.dims).node("Flatten", {"x"}, {"y"}, {attr("axis", row.axis)}).output("y");
    expectIR(graph, row.fragments);
  }
}

TEST(ImportShape, Squeeze) {
  TestGraph attribute(11), input(13), all(13), unclear(13);
  attribute.input("x", {"1", "n", "1"}).node("Squeeze", {"x"}, {"y"}, {list("axes", {-1, 0})}).output("y");
  expectIR(attribute, {"weft.squeeze %arg0 {axes = array<i64: 0, 2>}"});
  input.input("x", {"1", "n", "1"}).ints("axes", {2}).node("Squeeze", {"x", "axes"}, {"y"}).output("y");
  expectIR(input, {"weft.squeeze %arg0 {axes = array<i64: 2>}"});
  all.input("x", {"1", "4", "1"}).node("Squeeze", {"x"}, {"y"}).output("y");
  expectIR(all, {"weft.squeeze %arg0 {axes = array<i64: 0, 2>}", "-> tensor<4xf32>"});
  unclear.input("x", {"1", "n"}).node("Squeeze", {"x"}, {"y"}).output("y");
  expectImportError(unclear, DiagnosticId::RankUnknown, "Squeeze_0", {"1 x n x f32"});
}

TEST(ImportShape, Unsqueeze) {
  TestGraph attribute(11), input(13), missing(11), given(13), data(13);
  attribute.input("x", {"n"}).node("Unsqueeze", {"x"}, {"y"}, {list("axes", {-1, 0})}).output("y");
  expectIR(attribute, {"weft.unsqueeze %arg0 {axes = array<i64: 0, 2>}", "#weft.dims<1, \"n\", 1>"});
  input.input("x", {"n"}).ints("axes", {1}).node("Identity", {"axes"}, {"same"});
  input.node("Unsqueeze", {"x", "same"}, {"y"}).output("y");
  expectIR(input, {"weft.unsqueeze %arg0 {axes = array<i64: 1>}"});
  missing.input("x", {"n"}).node("Unsqueeze", {"x"}, {"y"}).output("y");
  expectImportError(missing, DiagnosticId::NodeAttributeMissing, "Unsqueeze_0", {"axes"});
  given.input("x", {"n"})
      .input("axes", {"1"}, TensorProto::INT64)
      .node("Unsqueeze", {"x", "axes"}, {"y"})
      .output("y");
  expectIR(given, {"weft.reshape %arg0", "tensor<?x?xf32>"});
  data.input("x", {"n"})
      .input("axes", {"k"}, TensorProto::INT64)
      .node("Unsqueeze", {"x", "axes"}, {"y"})
      .output("y");
  expectImportError(data, DiagnosticId::InputNotConstant, "Unsqueeze_0", {"input 1 (axes)"});
}

TEST(ImportShape, Transpose) {
  TestGraph given, reversed, wrong;
  given.input("x", {"a", "b", "c"}).node("Transpose", {"x"}, {"y"}, {list("perm", {0, 2, 1})}).output("y");
  expectIR(given, {"permutation = array<i64: 0, 2, 1>", "#weft.dims<\"a\", \"c\", \"b\">"});
  reversed.input("x", {"a", "b", "c"}).node("Transpose", {"x"}, {"y"}).output("y");
  expectIR(reversed, {"permutation = array<i64: 2, 1, 0>"});
  wrong.input("x", {"a", "b"}).node("Transpose", {"x"}, {"y"}, {list("perm", {0, 0})}).output("y");
  expectImportError(wrong, DiagnosticId::OperandType, "Transpose_0", {"transpose-c1"});
}

TEST(ImportShape, Concat) {
  TestGraph graph, wrong;
  graph.input("a", {"n", "4"})
      .input("b", {"n", "m"})
      .node("Concat", {"a", "b"}, {"y"}, {attr("axis", -1)})
      .output("y");
  expectIR(graph, {"weft.concat %arg0, %arg1 {axis = 1 : i64}", "\"m\" + 4"});
  wrong.input("a", {"n", "4"})
      .input("b", {"4"})
      .node("Concat", {"a", "b"}, {"y"}, {attr("axis", 0)})
      .output("y");
  expectImportError(wrong, DiagnosticId::OperandType, "Concat_0", {"concat-c1"});
}

TEST(ImportShape, Slice) {
  TestGraph old(9), plain(10), full(13), data(13);
  old.input("x", {"n", "8"});
  old.node("Slice", {"x"}, {"y"}, {list("starts", {1}), list("ends", {5}), list("axes", {-1})}).output("y");
  expectIR(old, {"dense<1> : tensor<1xi64>", "dense<5> : tensor<1xi64>",
                 "weft.slice %arg0 starts %0 ends %1 {axes = array<i64: 1>", "#weft.dims<\"n\", 4>"});
  plain.input("x", {"8", "8"})
      .ints("s", {0, 1})
      .ints("e", {9, 3})
      .node("Slice", {"x", "s", "e"}, {"y"})
      .output("y");
  expectIR(plain, {"axes = array<i64: 0, 1>", "-> tensor<8x2xf32>"});
  full.input("x", {"8", "8"})
      .ints("s", {7, 0})
      .ints("e", {INT64_MIN, 8})
      .ints("a", {1, -2})
      .ints("t", {-1, 2});
  full.node("Slice", {"x", "s", "e", "a", "t"}, {"y"}).output("y");
  expectIR(full, {"steps %3 {axes = array<i64: 1, 0>", "-> tensor<4x8xf32>"});
  data.input("x", {"n"}).input("s", {"1"}, TensorProto::INT32).input("e", {"1"}, TensorProto::INT32);
  data.node("Slice", {"x", "s", "e"}, {"y"}).output("y");
  expectIR(data, {"starts %arg1 ends %arg2 {axes = array<i64: 0>"});
}

TEST(ImportShape, SliceThatIsWrong) {
  TestGraph axes, count;
  axes.input("x", {"n"}).ints("s", {0}).ints("e", {1}).input("a", {"k"}, TensorProto::INT64);
  axes.node("Slice", {"x", "s", "e", "a"}, {"y"}).output("y");
  expectImportError(axes, DiagnosticId::InputNotConstant, "Slice_0", {"input 3 (axes)"});
  count.input("x", {"n"}).ints("s", {0, 0}).ints("e", {1, 1}).ints("a", {0});
  count.node("Slice", {"x", "s", "e", "a"}, {"y"}).output("y");
  expectImportError(count, DiagnosticId::OperandType, "Slice_0", {"slice-c1"});
}

TEST(ImportShape, SplitBySizes) {
  TestGraph attribute(11), input(13);
  attribute.input("x", {"n", "8"})
      .node("Split", {"x"}, {"a", "b"}, {attr("axis", -1), list("split", {2, 6})});
  attribute.output("a").output("b");
  expectIR(attribute,
           {"dense<0>", "dense<2>", "weft.slice %arg0", "axes = array<i64: 1>", "#weft.dims<\"n\", 2>",
            "dense<2>", "dense<8>", "weft.slice %arg0", "#weft.dims<\"n\", 6>"});
  input.input("x", {"n", "8"})
      .ints("sizes", {3, 5})
      .node("Split", {"x", "sizes"}, {"a", "b"}, {attr("axis", 1)});
  input.output("a").output("b");
  expectIR(input, {"#weft.dims<\"n\", 3>", "#weft.dims<\"n\", 5>"});
}

TEST(ImportShape, SplitEvenly) {
  TestGraph known(13), uneven(18), symbolic(13);
  known.input("x", {"9"}).node("Split", {"x"}, {"a", "b", "c"}).output("c");
  expectIR(known, {"tensor<3xf32>", "dense<6>", "dense<9>", "-> tensor<3xf32>"});
  uneven.input("x", {"8"})
      .node("Split", {"x"}, {"a", "b", "c"}, {attr("num_outputs", 3)})
      .output("a")
      .output("c");
  expectIR(uneven, {"-> tensor<3xf32>", "-> tensor<3xf32>", "-> tensor<2xf32>"});
  symbolic.input("x", {"4", "n"}).node("Split", {"x"}, {"a", "b"}, {attr("axis", 1)}).output("a").output("b");
  expectIR(symbolic, {"weft.shape %arg0 {end = 2 : i64, start = 1 : i64}", "dense<1> : tensor<1xi64>",
                      "weft.add", "weft.div", "weft.mul", "weft.slice", "weft.slice"});
}

/// A reshape to the sum of the parts says that the axis has it, where sizes decide.
TEST(ImportShape, SplitOfADynamicAxis) {
  TestGraph sized(13), even(13), uneven(18);
  sized.input("x", {"4", "n"}).ints("sizes", {2, 3});
  sized.node("Split", {"x", "sizes"}, {"a", "b"}, {attr("axis", 1)}).output("a").output("b");
  expectIR(sized, {"dense<5>", "weft.concat", "weft.reshape %arg0", "weft.slice", "weft.slice"});
  even.input("x", {"n"}).node("Split", {"x"}, {"a", "b"}).output("a").output("b");
  expectIR(even, {"weft.reshape %arg0", "weft.slice", "weft.slice"});
  uneven.input("x", {"n"}).node("Split", {"x"}, {"a", "b"}, {attr("num_outputs", 2)}).output("a").output("b");
  expectIR(uneven, {"weft.slice %arg0", "weft.slice %arg0"});
}

TEST(ImportShape, SplitThatIsWrong) {
  auto split = [](int64_t opset, std::vector<AttributeProto> attributes) {
    TestGraph graph(opset);
    graph.input("x", {"8"}).node("Split", {"x"}, {"a", "b", "c"}, attributes);
    return graph.output("a");
  };
  expectImportError(split(13, {}), DiagnosticId::NodeAttributeRange, "Split_0", {"3 parts divide, got 8"});
  expectImportError(split(11, {list("split", {4, 4})}), DiagnosticId::NodeAttributeRange, "Split_0",
                    {"3 parts of 8"});
  expectImportError(split(11, {list("split", {4, 4, 1})}), DiagnosticId::NodeAttributeRange, "Split_0",
                    {"sum up to 9"});
  expectImportError(split(11, {list("split", {-4, 4, 8})}), DiagnosticId::NodeAttributeRange, "Split_0",
                    {"got -4"});
  expectImportError(split(18, {attr("num_outputs", 2)}), DiagnosticId::NodeAttributeRange, "Split_0",
                    {"3, got 2"});
}

TEST(ImportShape, ExpandAndTile) {
  TestGraph expand, tile;
  expand.input("x", {"n", "1"}).ints("s", {2, 1, 4}).node("Expand", {"x", "s"}, {"y"}).output("y");
  expectIR(expand, {"weft.expand %arg0, %0", "#weft.dims<2, \"n\", 4>"});
  tile.input("x", {"n", "3"}).ints("r", {2, 1}).node("Tile", {"x", "r"}, {"y"}).output("y");
  expectIR(tile, {"weft.tile %arg0, %0", "#weft.dims<2 * \"n\", 3>"});
}

TEST(ImportShape, Trilu) {
  TestGraph upper, lower, data, vectorOnly;
  upper.input("x", {"n", "n"}).node("Trilu", {"x"}, {"y"}).output("y");
  expectIR(upper, {"weft.trilu %arg0 {diagonal = 0 : i64, upper}"});
  lower.input("x", {"n", "n"})
      .ints("k", {-1}, {{}})
      .node("Trilu", {"x", "k"}, {"y"}, {attr("upper", 0)})
      .output("y");
  expectIR(lower, {"weft.trilu %arg0 {diagonal = -1 : i64}"});
  data.input("x", {"b", "m", "n"})
      .input("k", {"1"}, TensorProto::INT64)
      .node("Trilu", {"x", "k"}, {"y"})
      .output("y");
  // Of data, it is the places at which column less row is at least that.
  expectIR(data,
           {"weft.range", "weft.sub", "weft.compare ge", "weft.where", "#weft.dims<\"b\", \"m\", \"n\">"});
  vectorOnly.input("x", {"n"})
      .input("k", {}, TensorProto::INT64)
      .node("Trilu", {"x", "k"}, {"y"})
      .output("y");
  expectImportError(vectorOnly, DiagnosticId::OperandType, "Trilu_0", {"rank 2 or more", "got 1"});
}

TEST(ImportIndex, Gather) {
  TestGraph graph, wrong;
  graph.input("x", {"a", "9"}).input("i", {"n"}, TensorProto::INT32);
  graph.node("Gather", {"x", "i"}, {"y"}, {attr("axis", -1)}).output("y");
  expectIR(graph, {"weft.gather %arg0, %arg1 {axis = 1 : i64}", "#weft.dims<\"a\", \"n\">"});
  wrong.input("x", {"a", "9"}).input("i", {"n"}).node("Gather", {"x", "i"}, {"y"}).output("y");
  expectImportError(wrong, DiagnosticId::OperandType, "Gather_0", {"operand #1"});
}

/// What quantizers write around a product: as many ones as a rank lacks, then some of a shape's dims.
TEST(ImportShape, RanksThatArithmeticDecides) {
  TestGraph graph;
  graph.input("x", {"b", "s", "32"}).ints("three", {3}, {{}}).ints("two", {2}, {{}}).ints("zero", {0}, {{}});
  graph.ints("list", {1}).ints("start", {0}).ints("end", {2}).ints("n", {32});
  graph.node("Shape", {"x"}, {"shape"}).node("Shape", {"shape"}, {"ranks"});
  graph.node("Gather", {"ranks", "zero"}, {"rank"}).node("Max", {"rank", "two"}, {"most"});
  graph.node("Sub", {"three", "most"}, {"lack"}).node("Max", {"lack", "zero"}, {"count"});
  graph.node("Reshape", {"count", "list"}, {"counts"}).node("ConstantOfShape", {"counts"}, {"ones"});
  graph.node("Cast", {"ones"}, {"integers"}, {attr("to", int(::onnx::TensorProto::INT64))});
  graph.node("Slice", {"shape", "start", "end"}, {"dims"});
  graph.node("Concat", {"integers", "dims", "n"}, {"target"}, {attr("axis", 0)});
  graph.node("Reshape", {"x", "target"}, {"y"}).node("Concat", {"y", "y"}, {"z"}, {attr("axis", -1)});
  graph.output("z");
  expectIR(graph, {"weft.reshape", "-> tensor<?x?x32xf32>", "weft.concat", "{axis = 2 : i64}"});
}

/// Integers that 32 bits do not hold wrap, and nothing is known of them.
TEST(ImportShape, RanksThatOverflow) {
  TestGraph graph;
  graph.input("x", {"2", "3"}).ints("large", {1LL << 31}).node("Cast", {"large"}, {"cast"}, {attr("to", 6)});
  graph.node("Cast", {"cast"}, {"wide"}, {attr("to", 7)});
  graph.node("Add", {"wide", "wide"}, {"count"}).node("ConstantOfShape", {"count"}, {"ones"});
  graph.output("ones");
  expectIR(graph, {"weft.expand", "-> tensor<?xf32>"});
}
