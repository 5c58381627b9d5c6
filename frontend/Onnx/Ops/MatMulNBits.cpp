// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize: MatMulNBits of com.microsoft, whose weights have few bits.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/GroupedWeights.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// Weights [N, K] of MatMulNBits: each row in groups of `block` numbers.
struct FewBits : onnx::BlockedWeights {
  int64_t bits;

  int64_t groups() const { return llvm::divideCeil(K, block); }
  int64_t bytesOf(int64_t numbers) const { return llvm::divideCeil(numbers * bits, 8); }
};
} // namespace

static std::optional<FewBits> attributesOf(NodeImport &node) {
  std::optional<onnx::BlockedWeights> blocks = onnx::BlockedWeights::get(node);
  int64_t bits = node.integer("bits", 4);
  if (!blocks)
    return std::nullopt;
  if (bits == 2 || bits == 4 || bits == 8)
    return FewBits{*blocks, bits};
  node.error(DiagnosticId::NodeAttributeRange, "expects \"bits\" of 2, 4 or 8, got " + Twine(bits));
  return std::nullopt;
}

/// An input as [rows, columns]; null after an error.
static Value asMatrix(NodeImport &node, size_t index, int64_t rows, int64_t columns) {
  return onnx::asMatrix(node, index, node.input(index), rows, columns);
}

/// What counts as zero, for each group or for all: the middle of the range, floats, or bytes that hold
/// numbers as the weights' do.
static Value zerosOf(NodeImport &node, const FewBits &weights, Type element) {
  Value given = node.input(3);
  if (!given)
    return node.scalar(element, double(1 << (weights.bits - 1)));
  if (isa<FloatType>(getElementTypeOrSelf(given))) {
    Value matrix = asMatrix(node, 3, weights.N, weights.groups());
    return matrix ? node.graph.cast(matrix, element) : Value();
  }
  if (getElementTypeOrSelf(given) != node.graph.u8())
    return node.error(DiagnosticId::OperandType,
                      "expects zero points of bytes or floats, got " + describeType(given.getType()));
  Value bytes = asMatrix(node, 3, weights.N, weights.bytesOf(weights.groups()));
  return bytes ? onnx::unpackNumbers(node, bytes, element, weights.bits, weights.groups()) : Value();
}

/// A [..., K] * transposed weights [N, K]. How accurate the product is to be (accuracy_level) is taken as the
/// least: it is as accurate as any.
static Value buildMatMulNBits(NodeImport &node) {
  std::optional<FewBits> weights = attributesOf(node);
  if (!weights)
    return nullptr;
  Value rows = node.input(0);
  Type element = getElementTypeOrSelf(rows);
  if (!isa<Float32Type, Float16Type, BFloat16Type>(element))
    return node.error(DiagnosticId::OperandType,
                      "expects rows of f32, f16 or bf16, got " + describeType(rows.getType()));
  if (getElementTypeOrSelf(node.input(1)) != node.graph.u8())
    return node.error(DiagnosticId::OperandType,
                      "expects weights of bytes, got " + describeType(node.input(1).getType()));
  if (node.input(4))
    return node.error(DiagnosticId::OperandType,
                      "expects groups in order, got a \"g_idx\"; quantize the model without act_order");
  int64_t bytes = weights->groups() * weights->bytesOf(weights->block);
  Value numbers = asMatrix(node, 1, weights->N, bytes),
        scales = asMatrix(node, 2, weights->N, weights->groups());
  Value zeros = zerosOf(node, *weights, element);
  if (!numbers || !scales || !zeros)
    return nullptr;
  if (getElementTypeOrSelf(scales) != element)
    scales = node.graph.cast(scales, element);
  Value matrix =
      onnx::dequantize(node.graph, numbers, scales, zeros, weights->bits, weights->block, weights->K);
  Value product = node.graph.matmul(rows, node.graph.transpose(matrix, {1, 0}));
  return node.input(5) ? node.graph.addition(product, node.input(5)) : product;
}

void weft::onnx::addFewBitsOps(OpTable &table) {
  const AttributeRow matMulNBits[] = {{"K", AttributeKind::Int, true},
                                      {"N", AttributeKind::Int, true},
                                      {"bits", AttributeKind::Int},
                                      {"block_size", AttributeKind::Int, true},
                                      {"accuracy_level", AttributeKind::Int}};
  table.add("com.microsoft.MatMulNBits", {1}, {3, 6}, matMulNBits, buildMatMulNBits);
}
