// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of operators that become several elementwise operations.
#include "ImportTest.h"

using namespace weft::onnx;
using ::onnx::TensorProto;

namespace {
struct Row {
  const char *opType;
  int64_t opset;
  std::vector<AttributeProto> attributes;
  std::vector<std::string> fragments; ///< operations in their order
};
} // namespace

TEST(ImportActivations, Formulas) {
  const Row rows[] = {
      {"Elu", 6, {}, {"weft.exp", "weft.sub", "weft.mul", "weft.compare lt %arg0", "weft.where"}},
      {"Elu", 22, {attr("alpha", 0.5)}, {"dense<5.000000e-01>", "weft.where"}},
      {"Selu", 17, {}, {"dense<1.67326319>", "weft.exp", "dense<1.05070102>", "weft.where", "weft.mul"}},
      {"Celu", 12, {}, {"weft.div", "weft.exp", "weft.max", "weft.min", "weft.add"}},
      {"LeakyRelu", 16, {}, {"dense<0.00999999977>", "weft.mul", "weft.compare lt", "weft.where"}},
      {"ThresholdedRelu", 10, {attr("alpha", 0.5)}, {"dense<5.000000e-01>", "weft.compare lt", "weft.where"}},
      {"HardSigmoid", 17, {}, {"dense<2.000000e-01>", "weft.mul", "weft.add", "weft.min", "weft.max"}},
      {"HardSwish", 14, {}, {"weft.div", "weft.add", "weft.min", "weft.max", "weft.mul %arg0"}},
      {"Softplus", 17, {}, {"weft.abs", "weft.neg", "weft.exp", "weft.max", "weft.log", "weft.add"}},
      {"Softsign", 17, {}, {"weft.abs", "weft.add", "weft.div %arg0"}},
      {"Mish", 18, {}, {"weft.log", "weft.tanh", "weft.mul %arg0"}},
      {"Swish", 24, {}, {"weft.sigmoid %arg0", "weft.mul %arg0"}},
      {"Swish", 24, {attr("alpha", 2.0)}, {"dense<2.000000e+00>", "weft.mul", "weft.sigmoid", "weft.mul"}},
      {"Sign", 13, {}, {"weft.compare lt %arg0", "weft.where", "weft.compare lt", "weft.where"}},
      {"IsInf", 10, {}, {"weft.abs", "weft.compare eq"}},
      {"IsInf", 20, {attr("detect_positive", 0)}, {"dense<0xFF800000>", "weft.compare eq %arg0"}},
      {"IsInf", 20, {attr("detect_negative", 0)}, {"dense<0x7F800000>", "weft.compare eq %arg0"}},
      {"Mean", 13, {}, {"return %arg0"}},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(row.opType);
    TestGraph graph(row.opset);
    graph.input("x", {"n", "8"}).node(row.opType, {"x"}, {"y"}, row.attributes).output("y");
    expectIR(graph, row.fragments);
  }
}

TEST(ImportActivations, FloatsOnly) {
  for (const char *opType : {"Elu", "LeakyRelu", "HardSigmoid", "Softplus", "Mean", "IsInf"}) {
    TestGraph graph(21);
    graph.input("x", {"n", "8"}, TensorProto::INT32).node(opType, {"x"}, {"y"}).output("y");
    expectImportError(graph, DiagnosticId::OperandType, std::string(opType) + "_0", {"expects floats"});
  }
}

TEST(ImportActivations, PReluBroadcastsItsSlope) {
  TestGraph graph(16), old(6);
  graph.input("x", {"n", "4", "8"}).input("s", {"4", "1"}).node("PRelu", {"x", "s"}, {"y"}).output("y");
  expectIR(graph, {"weft.mul %arg1, %arg0", "weft.compare lt %arg0", "weft.where"});
  old.input("x", {"n", "4"}).input("s", {"4"}).node("PRelu", {"x", "s"}, {"y"}).output("y");
  expectImportError(old, DiagnosticId::OpVersion, "PRelu_0", {"opset 7 or newer"});
}

TEST(ImportActivations, MeanOfSeveral) {
  TestGraph graph(13);
  graph.input("a", {"n", "8"})
      .input("b", {"8"})
      .input("c", {})
      .node("Mean", {"a", "b", "c"}, {"y"})
      .output("y");
  expectIR(graph, {"weft.add %arg0, %arg1", "weft.add %0, %arg2", "dense<3.000000e+00>", "weft.div"});
}

TEST(ImportActivations, Mod) {
  TestGraph divisor(13), dividend(13), plain(13), floats(13);
  divisor.input("a", {"n"}, TensorProto::INT64).input("b", {}, TensorProto::INT64);
  divisor.node("Mod", {"a", "b"}, {"y"}).output("y");
  expectIR(divisor, {"weft.rem %arg0, %arg1", "weft.compare lt %arg1", "weft.compare lt", "weft.compare lt",
                     "weft.where", "weft.add", "weft.where"});
  dividend.input("a", {"n"}, TensorProto::INT64).input("b", {}, TensorProto::INT64);
  dividend.node("Mod", {"a", "b"}, {"y"}, {attr("fmod", 1)}).output("y");
  expectIR(dividend, {"%0 = weft.rem %arg0, %arg1", "return %0"});
  plain.input("a", {"n"}, TensorProto::UINT8).input("b", {}, TensorProto::UINT8);
  plain.node("Mod", {"a", "b"}, {"y"}).output("y");
  expectIR(plain, {"%0 = weft.rem %arg0, %arg1", "return %0"});
  floats.input("a", {"n"}).input("b", {}).node("Mod", {"a", "b"}, {"y"}).output("y");
  expectImportError(floats, DiagnosticId::NodeAttributeRange, "Mod_0", {"expects \"fmod\" to be 1"});
}
