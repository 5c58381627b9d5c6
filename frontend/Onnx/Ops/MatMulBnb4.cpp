// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize: MatMulBnb4 of com.microsoft, whose weights are places of 4 bits in a table, as bitsandbytes makes
// them.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/GroupedWeights.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

/// Floats of 4 bits as bitsandbytes has them: a sign and seven numbers.
static constexpr float kFloat4[] = {
    0.F,  5.208333333e-03F,  0.66666667F,  1.F,  0.33333333F,  0.5F,  0.16666667F,  0.25F,
    -0.F, -5.208333333e-03F, -0.66666667F, -1.F, -0.33333333F, -0.5F, -0.16666667F, -0.25F};
/// Quantiles of the normal distribution (Dettmers et al., QLoRA, 2023, appendix E).
static constexpr float kNormalFloat4[] = {-1.F,
                                          -0.6961928009986877F,
                                          -0.5250730514526367F,
                                          -0.39491748809814453F,
                                          -0.28444138169288635F,
                                          -0.18477343022823334F,
                                          -0.09105003625154495F,
                                          0.F,
                                          0.07958029955625534F,
                                          0.16093020141124725F,
                                          0.24611230194568634F,
                                          0.33791524171829224F,
                                          0.44070982933044434F,
                                          0.5626170039176941F,
                                          0.7229568362236023F,
                                          1.F};

/// The bytes of a constant with their halves exchanged: a model has an earlier number in the upper one.
static Value lowestFirst(GraphBuilder &graph, ConstantOp op) {
  SmallVector<char> storage;
  FailureOr<ArrayRef<char>> bytes = readConstant(op, storage);
  if (failed(bytes))
    return nullptr;
  auto type = cast<RankedTensorType>(op.getType());
  FailureOr<Attribute> made = makeConstant(type, graph.getLocation(), [&](MutableArrayRef<char> packed) {
    for (auto [to, from] : llvm::zip_equal(packed, *bytes))
      to = char(uint8_t(from) << 4 | uint8_t(from) >> 4);
  });
  return failed(made) ? Value() : graph.constant(type, *made);
}

/// The weights [N, K]: places of one element after the other, in blocks with a scale each. Null after an
/// error.
static Value buildWeights(NodeImport &node, ArrayRef<float> table) {
  std::optional<onnx::BlockedWeights> weights = onnx::BlockedWeights::get(node);
  auto numbers = node.input(1).getDefiningOp<ConstantOp>();
  if (!weights)
    return nullptr;
  if (getElementTypeOrSelf(node.input(1)) != node.graph.u8() || !numbers ||
      !node.input(2).getDefiningOp<ConstantOp>())
    return node.error(DiagnosticId::OperandType,
                      "expects constants: weights of bytes, and their scales, got " +
                          describeType(node.input(1).getType()) + " and " +
                          describeType(node.input(2).getType()));
  auto [K, N, block] = *weights;
  // Blocks that go on in the next row are those of one long row.
  bool areOfRows = K % block == 0;
  int64_t rows = areOfRows ? N : 1, length = N * K / rows;
  Value swapped = lowestFirst(node.graph, numbers);
  Value bytes = swapped ? onnx::asMatrix(node, 1, swapped, rows, llvm::divideCeil(length, 2)) : Value(),
        scales = onnx::asMatrix(node, 2, node.input(2), rows, llvm::divideCeil(length, block));
  if (!bytes || !scales)
    return nullptr;
  Value none = node.scalar(getElementTypeOrSelf(scales), 0);
  Value matrix = onnx::dequantize(node.graph, bytes, scales, none, /*bits=*/4, block, length, table);
  return areOfRows ? matrix : node.graph.reshape(matrix, {N, K});
}

/// A [..., K] * transposed weights [N, K].
static Value buildMatMulBnb4(NodeImport &node) {
  Type element = getElementTypeOrSelf(node.input(0));
  if (!isa<Float32Type, Float16Type, BFloat16Type>(element) || getElementTypeOrSelf(node.input(2)) != element)
    return node.error(DiagnosticId::OperandType,
                      "expects rows of f32, f16 or bf16, and scales of their type, got " +
                          describeType(node.input(0).getType()) + " and " +
                          describeType(node.input(2).getType()));
  int64_t type = node.integer("quant_type", 0);
  if (type != 0 && type != 1)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects a \"quant_type\" of 0, FP4, or 1, NF4, got " + Twine(type));
  if (node.integer("transB", 1) != 1)
    return node.error(DiagnosticId::NodeAttributeRange, "expects a \"transB\" of 1");
  Value matrix = buildWeights(node, type == 0 ? ArrayRef(kFloat4) : ArrayRef(kNormalFloat4));
  return matrix ? node.graph.matmul(node.input(0), node.graph.transpose(matrix, {1, 0})) : Value();
}

void weft::onnx::addMatMulBnb4(OpTable &table) {
  table.add("com.microsoft.MatMulBnb4", {1}, 3,
            {{"K", AttributeKind::Int, true},
             {"N", AttributeKind::Int, true},
             {"block_size", AttributeKind::Int, true},
             {"quant_type", AttributeKind::Int, true},
             {"training_mode", AttributeKind::Int},
             {"transB", AttributeKind::Int}},
            buildMatMulBnb4);
}
