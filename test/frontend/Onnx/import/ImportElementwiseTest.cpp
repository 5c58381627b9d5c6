// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of elementwise operators.
#include "ImportTest.h"

using namespace weft::onnx;
using ::onnx::TensorProto;

namespace {
struct Row {
  const char *opType;
  const char *operation;
  int64_t opset = 17;
  int type = TensorProto::FLOAT;
};
} // namespace

TEST(ImportElementwise, Unary) {
  const Row rows[] = {
      {"Neg", "weft.neg"},      {"Abs", "weft.abs"},         {"Sqrt", "weft.sqrt"},
      {"Exp", "weft.exp"},      {"Log", "weft.log"},         {"Erf", "weft.erf"},
      {"Tanh", "weft.tanh"},    {"Sigmoid", "weft.sigmoid"}, {"Reciprocal", "weft.reciprocal"},
      {"Relu", "weft.relu"},    {"Relu", "weft.relu", 9},    {"Sin", "weft.sin"},
      {"Cos", "weft.cos", 22},  {"Atan", "weft.atan", 22},   {"Floor", "weft.floor"},
      {"Ceil", "weft.ceil", 9}, {"Round", "weft.round"},     {"Not", "weft.not", 17, TensorProto::BOOL}};
  for (const Row &row : rows) {
    SCOPED_TRACE(row.opType);
    TestGraph graph(row.opset);
    graph.input("x", {"n", "8"}, row.type).node(row.opType, {"x"}, {"y"}).output("y");
    expectIR(graph, {std::string("%0 = ") + row.operation + " %arg0 :", "dims<\"n\", 8>", "return %0"});
  }
}

TEST(ImportElementwise, Binary) {
  const Row rows[] = {{"Add", "weft.add"},
                      {"Sub", "weft.sub"},
                      {"Mul", "weft.mul"},
                      {"Div", "weft.div"},
                      {"Pow", "weft.pow"},
                      {"Add", "weft.add", 7},
                      {"Min", "weft.min"},
                      {"Max", "weft.max"},
                      {"Sum", "weft.add"},
                      {"And", "weft.and", 17, TensorProto::BOOL},
                      {"Or", "weft.or", 17, TensorProto::BOOL}};
  for (const Row &row : rows) {
    SCOPED_TRACE(row.opType);
    TestGraph graph(row.opset);
    graph.input("x", {"n", "8"}, row.type)
        .input("z", {"8"}, row.type)
        .node(row.opType, {"x", "z"}, {"y"})
        .output("y");
    expectIR(graph,
             {std::string("%0 = ") + row.operation + " %arg0, %arg1 :", "-> tensor<?x8x", "return %0"});
  }
}

TEST(ImportElementwise, Bits) {
  const Row rows[] = {{"BitwiseAnd", "weft.bit_and", 18},
                      {"BitwiseOr", "weft.bit_or", 18},
                      {"BitwiseXor", "weft.bit_xor", 18}};
  for (const Row &row : rows) {
    SCOPED_TRACE(row.opType);
    TestGraph graph(row.opset);
    graph.input("x", {"8"}, TensorProto::INT16).input("z", {"8"}, TensorProto::INT16);
    expectIR(graph.node(row.opType, {"x", "z"}, {"y"}).output("y"), {row.operation});
  }
  for (const char *direction : {"LEFT", "RIGHT", "UP"}) {
    TestGraph graph;
    graph.input("x", {"8"}, TensorProto::UINT8).input("z", {"8"}, TensorProto::UINT8);
    graph.node("BitShift", {"x", "z"}, {"y"}, {attr("direction", direction)}).output("y");
    if (direction == std::string("UP"))
      expectImportError(graph, DiagnosticId::NodeAttributeRange, "BitShift_0", {"LEFT or RIGHT, got \"UP\""});
    else
      expectIR(graph, {direction == std::string("LEFT") ? "weft.shift_left" : "weft.shift_right"});
  }
}

TEST(ImportElementwise, Comparisons) {
  const Row rows[] = {{"Equal", "eq"},          {"Greater", "gt"},     {"Less", "lt"},
                      {"GreaterOrEqual", "ge"}, {"LessOrEqual", "le"}, {"Equal", "eq", 11}};
  for (const Row &row : rows) {
    SCOPED_TRACE(row.opType);
    TestGraph graph(row.opset);
    graph.input("x", {"8"}).input("z", {"8"}).node(row.opType, {"x", "z"}, {"y"}).output("y");
    expectIR(graph, {std::string("weft.compare ") + row.operation + " %arg0, %arg1", "-> tensor<8xi1>"});
  }
}

TEST(ImportElementwise, ChainsAnyNumberOfOperands) {
  TestGraph graph;
  graph.input("a", {"8"}).input("b", {"8"}).input("c", {"8"}).node("Max", {"a", "b", "c"}, {"y"}).output("y");
  expectIR(graph, {"%0 = weft.max %arg0, %arg1", "%1 = weft.max %0, %arg2"});
  TestGraph alone;
  alone.input("a", {"8"}).node("Min", {"a"}, {"y"}).output("y");
  expectIR(alone, {"return %arg0"});
}

TEST(ImportElementwise, PowTakesAnotherTypeOfExponent) {
  TestGraph graph;
  graph.input("x", {"8"}).ints("two", {2}, {{}}).node("Pow", {"x", "two"}, {"y"}).output("y");
  expectIR(graph,
           {"weft.constant dense<2> : tensor<i64>", "weft.pow %arg0, %0 : (tensor<8xf32>, tensor<i64>) -> "
                                                    "tensor<8xf32>"});
}

TEST(ImportElementwise, Where) {
  TestGraph graph;
  graph.input("c", {"n", "1"}, TensorProto::BOOL).input("a", {"4"}).input("b", {});
  graph.node("Where", {"c", "a", "b"}, {"y"}).output("y");
  expectIR(graph, {"weft.where %arg0, %arg1, %arg2", "-> tensor<?x4xf32, #weft.dims<\"n\", 4>>"});
}

TEST(ImportElementwise, XorAndIsNaN) {
  TestGraph exclusive;
  exclusive.input("a", {"4"}, TensorProto::BOOL).input("b", {"4"}, TensorProto::BOOL);
  exclusive.node("Xor", {"a", "b"}, {"y"}).output("y");
  expectIR(exclusive, {"%0 = weft.compare eq %arg0, %arg1", "%1 = weft.not %0"});
  TestGraph nan;
  nan.input("x", {"4"}).node("IsNaN", {"x"}, {"y"}).output("y");
  expectIR(nan, {"%0 = weft.compare eq %arg0, %arg0", "%1 = weft.not %0"});
}

TEST(ImportElementwise, Gelu) {
  TestGraph erf(20), tanh(20), other(20);
  erf.input("x", {"8"}).node("Gelu", {"x"}, {"y"}).output("y");
  expectIR(erf, {"weft.gelu %arg0 {form = 0 : i32}"});
  tanh.input("x", {"8"}).node("Gelu", {"x"}, {"y"}, {attr("approximate", "tanh")}).output("y");
  expectIR(tanh, {"weft.gelu %arg0 {form = 1 : i32}"});
  other.input("x", {"8"}).node("Gelu", {"x"}, {"y"}, {attr("approximate", "quick")}).output("y");
  expectImportError(other, DiagnosticId::NodeAttributeRange, "Gelu_0", {"quick"});
}

TEST(ImportElementwise, Cast) {
  const std::pair<int, const char *> rows[] = {
      {TensorProto::FLOAT16, "f16"}, {TensorProto::BFLOAT16, "bf16"}, {TensorProto::DOUBLE, "f64"},
      {TensorProto::BOOL, "i1"},     {TensorProto::INT8, "i8"},       {TensorProto::UINT8, "ui8"},
      {TensorProto::INT32, "i32"},   {TensorProto::INT64, "i64"},     {TensorProto::UINT64, "ui64"}};
  for (auto [type, name] : rows) {
    TestGraph graph;
    graph.input("x", {"n"}).node("Cast", {"x"}, {"y"}, {attr("to", type)}).output("y");
    expectIR(graph, {std::string("weft.cast %arg0 to ") + name, std::string("tensor<?x") + name});
  }
  TestGraph like(19);
  like.input("x", {"n"}).input("z", {}, TensorProto::INT32);
  like.node("CastLike", {"x", "z"}, {"y"}, {attr("saturate", 0)}).output("y");
  expectIR(like, {"weft.cast %arg0 to i32"});
}

TEST(ImportElementwise, CastToWhatIsNotComputedWith) {
  for (int type : {int(TensorProto::STRING), int(TensorProto::COMPLEX64), 99}) {
    TestGraph graph(19);
    graph.input("x", {"n"}).node("Cast", {"x"}, {"y"}, {attr("to", type)}).output("y");
    expectImportError(graph, DiagnosticId::ElementTypeUnsupported, "Cast_0", {"Cast-19"});
  }
}

TEST(ImportElementwise, CastToEightBitsAndLess) {
  TestGraph saturated(19), plain(19), nibble(21), bits(26);
  saturated.input("x", {"n"})
      .node("Cast", {"x"}, {"y"}, {attr("to", int(TensorProto::FLOAT8E5M2))})
      .output("y");
  expectIR(saturated, {"dense<-5.734400e+04>", "weft.max", "weft.min", "weft.cast %3 to f8E5M2"});
  plain.input("x", {"n"})
      .node("Cast", {"x"}, {"y"}, {attr("to", int(TensorProto::FLOAT8E5M2)), attr("saturate", 0)})
      .output("y");
  expectIR(plain, {"%0 = weft.cast %arg0 to f8E5M2"});
  nibble.input("x", {"n"}).node("Cast", {"x"}, {"y"}, {attr("to", int(TensorProto::UINT4))}).output("y");
  expectIR(nibble, {"%0 = weft.cast %arg0 to ui4"});
  bits.input("x", {"n"}).node("BitCast", {"x"}, {"y"}, {attr("to", int(TensorProto::INT32))}).output("y");
  expectIR(bits, {"%0 = weft.bitcast %arg0 to i32"});
}

TEST(ImportElementwise, Clip) {
  TestGraph both(13), upper(13), old(9), none(13);
  both.input("x", {"8"}).input("lo", {}).input("hi", {}).node("Clip", {"x", "lo", "hi"}, {"y"}).output("y");
  expectIR(both, {"%0 = weft.max %arg0, %arg1", "%1 = weft.min %0, %arg2"});
  upper.input("x", {"8"}).input("hi", {}).node("Clip", {"x", "", "hi"}, {"y"}).output("y");
  expectIR(upper, {"%0 = weft.min %arg0, %arg1"});
  old.input("x", {"8"}, TensorProto::FLOAT16).node("Clip", {"x"}, {"y"}, {attr("min", 0.5)}).output("y");
  expectIR(old, {"weft.constant dense<5.000000e-01> : tensor<f16>", "weft.max %arg0, %0", "return %1"});
  none.input("x", {"8"}).node("Clip", {"x"}, {"y"}).output("y");
  expectIR(none, {"return %arg0"});
}

TEST(ImportElementwise, IdentityAddsNothing) {
  TestGraph graph;
  graph.input("x", {"8"}).node("Identity", {"x"}, {"i"}).node("Relu", {"i"}, {"y"}).output("y");
  expectIR(graph, {"%0 = weft.relu %arg0"});
}

TEST(ImportElementwise, DropoutIsTheIdentityAtInference) {
  TestGraph old(9), current(17), training(17), mask(17), oldMask(9), unread(17);
  old.input("x", {"8"}).node("Dropout", {"x"}, {"y"}, {attr("ratio", 0.1)}).output("y");
  expectIR(old, {"return %arg0"});
  current.input("x", {"8"}).input("ratio", {}).node("Dropout", {"x", "ratio"}, {"y"}).output("y");
  expectIR(current, {"return %arg0"});
  unread.input("x", {"8"}).node("Dropout", {"x"}, {"y", "mask"}).output("y");
  expectIR(unread, {"return %arg0"});
  mask.input("x", {"8"}).node("Dropout", {"x"}, {"y", "mask"}).output("y").output("mask");
  expectIR(mask, {"weft.compare lt %arg0, %arg0", "weft.not", "return %arg0, %1"});
  oldMask.input("x", {"8"}).node("Dropout", {"x"}, {"y", "mask"}).output("y").output("mask");
  expectIR(oldMask, {"weft.not", "weft.cast %1 to f32", "return %arg0, %2"});
  addTensor(training.model, "t", TensorProto::BOOL, {})->add_int32_data(1);
  training.input("x", {"8"}).node("Dropout", {"x", "", "t"}, {"y"}).output("y");
  expectImportError(training, DiagnosticId::NodeAttributeRange, "Dropout_0", {"training_mode"});
}
