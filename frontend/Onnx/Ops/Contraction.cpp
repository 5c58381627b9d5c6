// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: MatMul, Gemm and Einsum, and what com.microsoft makes of the first two. Conv is in Conv.cpp.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Activations.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

/// `value` times an attribute of the node; `value` itself for 1.
static Value scaled(NodeImport &node, Value value, float factor) {
  if (!value || factor == 1)
    return value;
  return node.graph.multiply(value, node.scalar(getElementTypeOrSelf(value), factor));
}

/// Gemm's C may be broadcast to the product, never the other way.
static bool checkAddend(NodeImport &node, Value product, Value addend) {
  auto into = getDims(product), from = getDims(addend);
  if (!into || !from)
    return true;
  bool fits = from->size() <= into->size();
  for (size_t i = 0; fits && i < from->size(); ++i) {
    Dim have = (*from)[i], want = (*into)[into->size() - from->size() + i];
    fits = !have || !want || !have.getConstant() || !want.getConstant() || have == want ||
           have.getConstant() == 1;
  }
  if (!fits)
    node.error(DiagnosticId::OperandType, "expects a C that broadcasts to " +
                                              describeType(product.getType()) + ", got " +
                                              describeType(addend.getType()));
  return fits;
}

/// alpha * A' * B' + beta * C, where A' and B' are perhaps transposed.
static Value buildGemm(NodeImport &node) {
  Value operands[2];
  for (int i : {0, 1}) {
    operands[i] = node.input(i);
    std::optional<int64_t> rank = NodeImport::rankOf(operands[i]);
    if (rank && rank != 2)
      return node.error(DiagnosticId::OperandType, "expects matrices, got " +
                                                       describeType(operands[i].getType()) + " as input " +
                                                       Twine(i));
    if (node.integer(i == 0 ? "transA" : "transB", 0))
      operands[i] = node.graph.transpose(operands[i], {1, 0});
  }
  Value result = scaled(node, node.graph.matmul(operands[0], operands[1]), node.number("alpha", 1));
  float beta = node.number("beta", 1);
  if (!result || !node.input(2) || beta == 0) // As in BLAS, a C that counts zero times is not read.
    return result;
  if (!checkAddend(node, result, node.input(2)))
    return nullptr;
  return node.graph.addition(result, scaled(node, node.input(2), beta));
}

static Value buildFusedGemm(NodeImport &node) {
  return onnx::activate(node, buildGemm(node),
                        {node.number("activation_alpha", 0), node.number("activation_beta", 0)});
}

//===----------------------------------------------------------------------===//
// FusedMatMul
//===----------------------------------------------------------------------===//

/// alpha * A' * B', whose last two dims are perhaps swapped.
static Value buildFusedMatMul(NodeImport &node) {
  if (node.integer("transBatchA", 0) || node.integer("transBatchB", 0))
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects no \"transBatchA\" and no \"transBatchB\", which are not supported yet");
  auto operand = [&](size_t index, StringRef transposes) -> Value {
    Value value = node.input(index);
    std::optional<int64_t> rank = node.requireRank(value, "its operand");
    if (!rank || *rank < 2 || !node.integer(transposes, 0)) // a vector has nothing to swap
      return rank ? value : Value();
    SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, *rank));
    std::swap(permutation[*rank - 2], permutation[*rank - 1]);
    return node.graph.transpose(value, permutation);
  };
  return scaled(node, node.graph.matmul(operand(0, "transA"), operand(1, "transB")), node.number("alpha", 1));
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

static Value buildEinsum(NodeImport &node) {
  Builder builder(node.graph.getContext());
  return node.graph.add("weft.einsum", node.getInputs(),
                        builder.getNamedAttr("equation", builder.getStringAttr(node.text("equation", ""))));
}

void weft::onnx::addContractionOps(OpTable &table) {
  table.add("MatMul", {1, 9, 13}, 2, {},
            [](NodeImport &node) { return node.graph.matmul(node.input(0), node.input(1)); });
  SmallVector<AttributeRow> gemm{{"alpha", AttributeKind::Float},
                                 {"beta", AttributeKind::Float},
                                 {"transA", AttributeKind::Int},
                                 {"transB", AttributeKind::Int}};
  table.add("Gemm", {7, 9}, 3, gemm, buildGemm);
  table.add("Gemm", {11, 13}, {2, 3}, gemm, buildGemm);
  gemm.append({{"activation", AttributeKind::String},
               {"activation_alpha", AttributeKind::Float},
               {"activation_beta", AttributeKind::Float},
               {"activation_gamma", AttributeKind::Float}});
  table.add("com.microsoft.FusedGemm", {1}, {2, 3}, gemm, buildFusedGemm);
  const AttributeRow fused[] = {{"alpha", AttributeKind::Float},
                                {"transA", AttributeKind::Int},
                                {"transB", AttributeKind::Int},
                                {"transBatchA", AttributeKind::Int},
                                {"transBatchB", AttributeKind::Int}};
  table.add("com.microsoft.FusedMatMul", {1}, 2, fused, buildFusedMatMul);
  table.add("com.microsoft.TransposeMatMul", {1}, 2, ArrayRef(fused).take_front(3),
            buildFusedMatMul); // its old name
  table.add("Einsum", {12}, {1, Arity::kAny}, {{"equation", AttributeKind::String, true}}, buildEinsum);
}
