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

namespace {
/// Weights [N, K]: places of one element after the other, in blocks with a scale each.
class Bnb4Weights {
public:
  explicit Bnb4Weights(NodeImport &node)
      : node(node), graph(node.graph), K(node.integer("K", 0)), N(node.integer("N", 0)),
        block(node.integer("block_size", 0)) {}

  bool check();
  /// Null after an error.
  Value build();

private:
  bool isConstant(size_t index) const { return node.input(index).getDefiningOp<ConstantOp>(); }
  bool hasElements(size_t index, int64_t count, StringRef what);
  FailureOr<Attribute> lowestFirst(RankedTensorType type);

  NodeImport &node;
  GraphBuilder &graph;
  int64_t K, N, block;
};
} // namespace

/// Whether input `index` is known to have so many elements; reports an error if not.
bool Bnb4Weights::hasElements(size_t index, int64_t count, StringRef what) {
  auto type = dyn_cast<RankedTensorType>(node.input(index).getType());
  if (type && type.hasStaticShape() && type.getNumElements() == count)
    return true;
  node.error(DiagnosticId::OperandType, "expects " + what + " of " + Twine(count) + " elements, got " +
                                            describeType(node.input(index).getType()));
  return false;
}

bool Bnb4Weights::check() {
  constexpr int64_t most = 1LL << 30;
  auto error = [&](const Twine &text) { return node.error(DiagnosticId::NodeAttributeRange, text), false; };
  if (K <= 0 || N <= 0 || K >= most || N >= most)
    return error("expects positive \"K\" and \"N\", got " + Twine(K) + " and " + Twine(N));
  if (block < 16 || block >= most || !llvm::isPowerOf2_64(uint64_t(block)))
    return error("expects a \"block_size\" that is a power of 2 and at least 16, got " + Twine(block));
  if (int64_t type = node.integer("quant_type", 0); type != 0 && type != 1)
    return error("expects a \"quant_type\" of 0, FP4, or 1, NF4, got " + Twine(type));
  if (node.integer("transB", 1) != 1)
    return error("expects a \"transB\" of 1");
  if (getElementTypeOrSelf(node.input(1)) != graph.u8() || !isConstant(1) || !isConstant(2)) {
    node.error(DiagnosticId::OperandType, "expects constants: weights of bytes, and their scales, got " +
                                              describeType(node.input(1).getType()) + " and " +
                                              describeType(node.input(2).getType()));
    return false;
  }
  return hasElements(1, llvm::divideCeil(N * K, 2), "weights") &&
         hasElements(2, llvm::divideCeil(N * K, block), "scales");
}

/// The bytes with their halves exchanged: a model has an earlier number in the upper one.
FailureOr<Attribute> Bnb4Weights::lowestFirst(RankedTensorType type) {
  SmallVector<char> storage;
  FailureOr<ArrayRef<char>> bytes = readConstant(node.input(1).getDefiningOp<ConstantOp>(), storage);
  if (failed(bytes))
    return failure();
  return makeConstant(type, graph.getLocation(), [&](MutableArrayRef<char> packed) {
    for (auto [to, from] : llvm::zip_equal(packed, *bytes))
      to = char(uint8_t(from) << 4 | uint8_t(from) >> 4);
  });
}

Value Bnb4Weights::build() {
  // Blocks that go on in the next row are those of one long row.
  bool areOfRows = K % block == 0;
  int64_t rows = areOfRows ? N : 1, length = N * K / rows;
  auto type = RankedTensorType::get({rows, int64_t(llvm::divideCeil(length, 2))}, graph.u8());
  FailureOr<Attribute> numbers = lowestFirst(type);
  if (failed(numbers))
    return nullptr;
  Value scales = graph.reshape(node.input(2), {rows, int64_t(llvm::divideCeil(length, block))});
  Value matrix = onnx::dequantize(graph, graph.constant(type, *numbers), scales,
                                  node.scalar(getElementTypeOrSelf(scales), 0), /*bits=*/4, block, length,
                                  node.integer("quant_type", 0) == 0 ? kFloat4 : kNormalFloat4);
  return areOfRows ? matrix : graph.reshape(matrix, {N, K});
}

/// A [..., K] * transposed weights [N, K].
static Value buildMatMulBnb4(NodeImport &node) {
  Type element = getElementTypeOrSelf(node.input(0));
  if (!isa<Float32Type, Float16Type, BFloat16Type>(element) || getElementTypeOrSelf(node.input(2)) != element)
    return node.error(DiagnosticId::OperandType,
                      "expects rows of f32, f16 or bf16, and scales of their type, got " +
                          describeType(node.input(0).getType()) + " and " +
                          describeType(node.input(2).getType()));
  Bnb4Weights weights(node);
  Value matrix = weights.check() ? weights.build() : Value();
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
