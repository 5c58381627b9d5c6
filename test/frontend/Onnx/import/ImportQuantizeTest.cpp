// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of MatMulNBits of com.microsoft.
#include "ImportTest.h"

using namespace weft::onnx;

namespace {
/// x [n, 40] times weights of 5 columns, which are inputs, as are scales.
struct FewBits : TestGraph {
  explicit FewBits(const std::vector<std::string> &weights = {"5", "2", "16"}) {
    addOpset(model.mutable_opset_import(), "com.microsoft", 1);
    input("x", {"n", "40"}).input("b", weights, ::onnx::TensorProto::UINT8).input("scales", {"10"});
  }
  FewBits &add(std::vector<AttributeProto> attributes = {}, const std::vector<std::string> &more = {}) {
    std::vector<std::string> inputs{"x", "b", "scales"};
    inputs.insert(inputs.end(), more.begin(), more.end());
    for (const AttributeProto &usual : {attr("K", 40), attr("N", 5), attr("block_size", 32)})
      if (llvm::none_of(attributes, [&](const AttributeProto &a) { return a.name() == usual.name(); }))
        attributes.push_back(usual);
    node("MatMulNBits", inputs, {"y"}, attributes).output("y");
    last->set_domain("com.microsoft");
    return *this;
  }
};
} // namespace

TEST(ImportQuantize, MatMulNBits) {
  expectIR(FewBits().add(),
           {"weft.reshape %arg1", "-> tensor<5x32xui8>", "weft.reshape %arg2", "-> tensor<5x2xf32>",
            "dense<8.000000e+00> : tensor<f32>", "weft.dequantize",
            "{bits = 4 : i64, group = 32 : i64, length = 40 : i64}", "-> tensor<5x40xf32>", "weft.transpose",
            "weft.matmul %arg0", "-> tensor<?x5xf32, #weft.dims<\"n\", 5>>"});
}

TEST(ImportQuantize, MatMulNBitsWithAllInputs) {
  FewBits graph({"5", "2", "32"});
  graph.input("zeros", {"5", "2"}, ::onnx::TensorProto::UINT8).input("bias", {"5"});
  graph.add({attr("bits", 8), attr("accuracy_level", 4)}, {"zeros", "", "bias"});
  expectIR(graph,
           {"weft.reshape %arg3", "-> tensor<5x2xui8>", "dense<1.000000e+00> : tensor<5x1xf32>",
            "weft.dequantize", "{bits = 8 : i64, group = 2 : i64, length = 2 : i64}", "-> tensor<5x2xf32>",
            "weft.dequantize", "{bits = 8 : i64, group = 32 : i64, length = 40 : i64}", "weft.matmul %arg0",
            "weft.add", "%arg4"});
}

TEST(ImportQuantize, MatMulNBitsOfHalfWithFloatsAsZeros) {
  TestGraph graph;
  addOpset(graph.model.mutable_opset_import(), "com.microsoft", 1);
  graph.input("x", {"n", "16"}, ::onnx::TensorProto::FLOAT16)
      .input("b", {"5", "1", "8"}, ::onnx::TensorProto::UINT8)
      .input("scales", {"5"})
      .input("zeros", {"5", "1"});
  graph.node("MatMulNBits", {"x", "b", "scales", "zeros"}, {"y"},
             {attr("K", 16), attr("N", 5), attr("block_size", 16)});
  graph.last->set_domain("com.microsoft");
  graph.output("y");
  expectIR(graph, {"weft.cast", "-> tensor<5x1xf16>", "weft.cast", "-> tensor<5x1xf16>", "weft.dequantize",
                   "-> tensor<5x16xf16>"});
}

TEST(ImportQuantize, MatMulNBitsThatCannotBe) {
  FewBits order;
  order.input("g_idx", {"40"}, ::onnx::TensorProto::INT32);
  order.add({}, {"", "g_idx"});
  expectImportError(order, DiagnosticId::OperandType, "MatMulNBits_0", {"g_idx", "act_order"});
  expectImportError(FewBits().add({attr("bits", 3)}), DiagnosticId::NodeAttributeRange, "MatMulNBits_0",
                    {"\"bits\" of 2, 4 or 8, got 3"});
  expectImportError(FewBits().add({attr("block_size", 24)}), DiagnosticId::NodeAttributeRange,
                    "MatMulNBits_0", {"power of 2", "got 24"});
  expectImportError(FewBits().add({attr("block_size", 8)}), DiagnosticId::NodeAttributeRange, "MatMulNBits_0",
                    {"at least 16, got 8"});
  expectImportError(FewBits().add({attr("K", 0)}), DiagnosticId::NodeAttributeRange, "MatMulNBits_0",
                    {"positive \"K\" and \"N\", got 0 and 5"});
  expectImportError(FewBits({"5", "2", "15"}).add(), DiagnosticId::OperandType, "MatMulNBits_0",
                    {"an input 1 of 5 times 32 elements, got 5 x 2 x 15 x ui8"});
  FewBits zeros;
  zeros.input("zeros", {"5", "1"}, ::onnx::TensorProto::INT8);
  zeros.add({}, {"zeros"});
  expectImportError(zeros, DiagnosticId::OperandType, "MatMulNBits_0",
                    {"zero points of bytes or floats, got 5 x 1 x i8"});
}
