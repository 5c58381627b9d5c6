// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: MoE and QMoE of com.microsoft, rows that are routed to the few of several networks that a
// router scores highest. Those of QMoE have weights of few bits.
#include "frontend/Builder/Layers/FeedForward.h"
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/GroupedWeights.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// Where a node has what belongs to one layer of the experts: numbers of inputs, of MoE without scales.
struct LayerInputs {
  StringRef name;
  size_t weights, bias, scales = 0, zeros = 0;
};
/// Two layers, one that is not supported yet, and router_weights, if the operation has them.
struct MoEInputs {
  LayerInputs first, second, third;
  size_t routerWeights = 0;
  bool areFewBits() const { return first.scales != 0; }
};
constexpr MoEInputs kMoE = {{"fc1", 2, 3}, {"fc2", 4, 5}, {"fc3", 6, 7}};
constexpr MoEInputs kQMoE = {{"fc1", 2, 4, 3, 11}, {"fc2", 5, 7, 6, 12}, {"fc3", 8, 10, 9, 13}, 14};

/// Imports one node: input, router_probs, and weights and biases of two layers of each expert. Each row is
/// there once for every expert that it is routed to, as exporters of PyTorch write it.
class MoEImport {
public:
  MoEImport(NodeImport &node, const MoEInputs &inputs) : node(node), graph(node.graph), inputs(inputs) {}
  Value run();

private:
  bool checkForm();
  bool takeInputs();
  Value takeWeights(const LayerInputs &layer);
  Value takeZeros(const LayerInputs &layer, Value numbers, int64_t groups, bool areOfBlocks);
  bool route();
  Value takeShares(Value scores, Value indices);
  /// [a * b, width] of [a, b, width].
  Value mergeRows(Value x) { return node.withDim(x, 0, 2, graph.reshape(node.productOfDims(x, 0, 2), {1})); }
  Value repeatRows();
  Value multiply(Value rows, Value weights, Value bias);
  Value activate(Value x);
  Value activateGated(Value x);
  Value addExperts(Value results);
  std::nullptr_t fail(const Twine &text) { return node.error(DiagnosticId::OperandType, text); }
  bool isGated() const { return activation == "swiglu"; }

  NodeImport &node;
  GraphBuilder &graph;
  const MoEInputs &inputs;
  StringRef activation;
  int64_t chosen = 1;   ///< experts of a row
  Value rows, router;   ///< [rows, width] and [rows, experts]
  Value first, second;  ///< weights, [experts, hidden, width] and [experts, width, hidden]
  Value experts, share; ///< [rows * chosen] and [rows, chosen], the latter in f32 or wider
};
} // namespace

/// What is not computed, and what ONNX Runtime does not compute either.
bool MoEImport::checkForm() {
  activation = node.text("activation_type", "relu");
  chosen = node.integer("k", 1);
  bool isKnown = llvm::StringSwitch<bool>(activation)
                     .Cases({"relu", "gelu", "silu", "identity", "swiglu"}, true)
                     .Default(false);
  if (!isKnown)
    return fail("expects an \"activation_type\" of relu, gelu, silu, identity or swiglu, got " + activation),
           false;
  if (!node.input(inputs.second.weights))
    return fail("expects fc2_experts_weights, which are left out"), false;
  if (node.input(inputs.third.weights) || node.input(inputs.third.bias))
    return fail("expects no fc3_experts_weights and no fc3_experts_bias, which are not supported yet"), false;
  if (StringRef type = node.text("quant_type", "int"); type != "int")
    return fail("expects a \"quant_type\" of int, got " + type + ", which is not supported yet"), false;
  if (node.integer("weights_prepacked", 0) > 0)
    return fail("expects weights that are not prepacked for one of ONNX Runtime's providers"), false;
  if (node.integer("use_sparse_mixer", 0) != 0)
    return fail("expects no \"use_sparse_mixer\", which is not supported yet"), false;
  int64_t fusion = node.integer("swiglu_fusion", 0);
  if (isGated() && fusion != 1 && fusion != 2)
    return fail("expects a \"swiglu_fusion\" of 1 or 2 for swiglu, got " + Twine(fusion)), false;
  if (chosen <= 0)
    return fail("expects a positive \"k\", got " + Twine(chosen)), false;
  return true;
}

/// Operands of the ranks and dims that belong to each other.
bool MoEImport::takeInputs() {
  rows = node.input(0);
  router = node.input(1);
  first = takeWeights(inputs.first);
  second = first ? takeWeights(inputs.second) : Value();
  if (!second)
    return false;
  std::optional<int64_t> rank = node.requireRank(rows, "its input");
  if (!rank)
    return false;
  if (*rank != 2 && *rank != 3)
    return fail("expects an input of rank 2 or 3, got " + describeType(rows.getType())), false;
  if (*rank == 3)
    rows = mergeRows(rows);
  if (!node.hasRank(router, 2, "router_probs") || !node.hasRank(first, 3, "fc1_experts_weights") ||
      !node.hasRank(second, 3, "fc2_experts_weights") ||
      !node.requireDim(router, 0, rows, 0, "router_probs") ||
      !node.requireDim(first, 0, router, 1, "fc1_experts_weights") ||
      !node.requireDim(first, 2, rows, 1, "fc1_experts_weights") ||
      !node.requireDim(second, 0, router, 1, "fc2_experts_weights") ||
      !node.requireDim(second, 1, rows, 1, "fc2_experts_weights"))
    return false;
  if (std::optional<int64_t> known = NodeImport::knownSize(router, 1); known && *known < chosen)
    return fail("expects at least \"k\" experts, got " + Twine(*known) + " for " + Twine(chosen)), false;
  return true;
}

/// [experts, columns, depth]
Value MoEImport::takeWeights(const LayerInputs &layer) {
  Value numbers = node.input(layer.weights);
  if (!inputs.areFewBits())
    return numbers;
  auto type = dyn_cast<RankedTensorType>(numbers.getType());
  if (!type || type.getRank() != 3 || !type.hasStaticShape() || type.getElementType() != graph.u8())
    return fail("expects " + layer.name + "_experts_weights of bytes and of three known dims, got " +
                describeType(numbers.getType()));
  int64_t bits = node.integer("expert_weight_bits", 4);
  if (bits != 2 && bits != 4 && bits != 8)
    return fail("expects \"expert_weight_bits\" of 2, 4 or 8, got " + Twine(bits));
  int64_t depth = type.getDimSize(2) * (8 / bits), block = node.integer("block_size", 0);
  bool areOfBlocks = block > 0;
  if (areOfBlocks && (block < 16 || depth % block != 0))
    return fail("expects a \"block_size\" of at least 16 that divides " + Twine(depth) + ", got " +
                Twine(block));
  int64_t group = areOfBlocks ? block : std::max<int64_t>(depth, 1), groups = llvm::divideCeil(depth, group);
  Value scales = node.input(layer.scales);
  if (!scales)
    return fail("expects " + layer.name + "_scales, which are left out");
  SmallVector<int64_t> shape(type.getShape().take_front(2));
  if (areOfBlocks)
    shape.push_back(groups);
  auto scaleType = dyn_cast<RankedTensorType>(scales.getType());
  if (!scaleType || scaleType.getShape() != ArrayRef(shape))
    return fail("expects " + layer.name + "_scales for each row" + (areOfBlocks ? " and block" : "") +
                " of " + describeType(type) + ", got " + describeType(scales.getType()));
  scales = graph.cast(scales, getElementTypeOrSelf(node.input(0)));
  if (!areOfBlocks)
    scales = graph.unsqueeze(scales, {2});
  Value zeros = takeZeros(layer, numbers, groups, areOfBlocks);
  return zeros ? onnx::dequantize(graph, numbers, scales, zeros, bits, group, depth) : Value();
}

/// [experts, columns, groups], or a scalar. Bytes hold several, of neighbouring groups or, where there is one
/// for each row, of neighbouring rows.
Value MoEImport::takeZeros(const LayerInputs &layer, Value numbers, int64_t groups, bool areOfBlocks) {
  Type element = getElementTypeOrSelf(node.input(0));
  int64_t bits = node.integer("expert_weight_bits", 4);
  Value given = node.input(layer.zeros);
  if (!given)
    return node.scalar(element, double(1 << (bits - 1)));
  ArrayRef<int64_t> rows = cast<RankedTensorType>(numbers.getType()).getShape().take_front(2);
  SmallVector<int64_t> shape(rows);
  if (areOfBlocks)
    shape.push_back(groups);
  int64_t length = shape.back();
  shape.back() = llvm::divideCeil(length * bits, 8);
  auto type = dyn_cast<RankedTensorType>(given.getType());
  if (!type || type.getShape() != ArrayRef(shape) || type.getElementType() != graph.u8())
    return fail("expects " + layer.name + "_zero_points of " +
                describeType(RankedTensorType::get(shape, graph.u8())) + ", got " +
                describeType(given.getType()));
  Value zeros = onnx::unpackNumbers(node, given, element, bits, length);
  return areOfBlocks ? zeros : graph.unsqueeze(zeros, {2});
}

/// How much each of the chosen experts counts: of MoE the softmax of all scores there; of QMoE that of the
/// chosen ones, or what router_weights have there. They may be made to sum to 1.
Value MoEImport::takeShares(Value scores, Value indices) {
  Builder builder(graph.getContext());
  auto axis = builder.getNamedAttr("axis", builder.getI64IntegerAttr(1));
  auto choose = [&](Value from) { return graph.add("weft.gather_elements", {from, indices}, axis); };
  Value weights = inputs.routerWeights ? node.input(inputs.routerWeights) : Value();
  if (inputs.areFewBits() && !weights)
    return graph.softmax(choose(scores), 1); // sums to 1
  if (weights && !(node.hasRank(weights, 2, "router_weights") &&
                   node.requireDim(weights, 0, router, 0, "router_weights") &&
                   node.requireDim(weights, 1, router, 1, "router_weights")))
    return nullptr;
  Value shares = choose(weights ? node.widened(weights) : graph.softmax(scores, 1));
  if (!node.integer("normalize_routing_weights", 0))
    return shares;
  return graph.divide(shares, graph.reduce(ReduceKind::Sum, shares, {1}, /*keepdims=*/true));
}

/// The experts with the greatest scores, and how much they count.
bool MoEImport::route() {
  Builder builder(graph.getContext());
  auto axis = builder.getNamedAttr("axis", builder.getI64IntegerAttr(1));
  Value scores = node.widened(router);
  Value indices = graph.add("weft.top_k", {scores, graph.vector({chosen})},
                            {axis, builder.getNamedAttr("largest", builder.getUnitAttr())});
  share = takeShares(scores, indices);
  experts = graph.reshape(indices, {-1});
  return share && experts;
}

/// [rows * chosen, width]
Value MoEImport::repeatRows() {
  Value repeated = graph.expand(graph.unsqueeze(rows, {1}), graph.vector({1, chosen, 1}));
  return repeated ? mergeRows(repeated) : Value();
}

/// Each row times its expert's matrix.
Value MoEImport::multiply(Value rows, Value weights, Value bias) {
  Value product = graph.matmul(graph.gather(weights, experts, 0), graph.unsqueeze(rows, {2}));
  product = graph.squeeze(product, {2});
  if (!bias)
    return product;
  if (!node.hasRank(bias, 2, "its bias") || !node.requireDim(bias, 0, weights, 0, "its bias") ||
      !node.requireDim(bias, 1, weights, 1, "its bias"))
    return nullptr;
  return graph.addition(product, graph.gather(bias, experts, 0));
}

/// Halves of the columns, side by side or one after another: gate * sigmoid(alpha * gate) * (linear + beta),
/// each within the limit.
Value MoEImport::activateGated(Value x) {
  Type element = getElementTypeOrSelf(x);
  bool isInterleaved = node.integer("swiglu_fusion", 0) == 1;
  Value end = graph.reshape(node.size(x, 1), {1}), step = graph.vector({isInterleaved ? 2 : 1});
  Value half = graph.divide(end, graph.vector({2}));
  Value gate = graph.slice(x, graph.vector({0}), isInterleaved ? end : half, step, {1});
  Value linear = graph.slice(x, isInterleaved ? graph.vector({1}) : half, end, step, {1});
  if (node.has("swiglu_limit")) {
    Value limit = node.scalar(element, node.number("swiglu_limit", 0));
    gate = graph.add("weft.min", {gate, limit});
    linear = graph.add("weft.min", {graph.add("weft.max", {linear, graph.negate(limit)}), limit});
  }
  Value alpha = node.scalar(element, node.number("activation_alpha", 1));
  Value beta = node.scalar(element, node.number("activation_beta", 0));
  return graph.multiply(graph.multiply(gate, graph.sigmoid(graph.multiply(gate, alpha))),
                        graph.addition(linear, beta));
}

Value MoEImport::activate(Value x) {
  if (isGated())
    return activateGated(x);
  auto known = llvm::StringSwitch<std::optional<layers::Activation>>(activation)
                   .Case("relu", layers::Activation::Relu)
                   .Case("gelu", layers::Activation::GeluTanh) // as ONNX Runtime takes it
                   .Case("silu", layers::Activation::Silu)
                   .Default(std::nullopt);
  return known ? layers::activate(graph, x, *known) : x;
}

/// The sum over a row's experts of results [rows * chosen, width], by their shares.
Value MoEImport::addExperts(Value results) {
  Value shape =
      graph.concat({graph.shape(rows, 0, 1), graph.vector({chosen}), graph.shape(results, 1, 2)}, 0);
  Value parts = graph.reshape(node.widened(results), shape, /*allowZero=*/true);
  parts = graph.multiply(parts, graph.unsqueeze(share, {2}));
  Value sum = graph.reduce(ReduceKind::Sum, parts, {1}, /*keepdims=*/false);
  return node.castTo(graph.reshape(sum, graph.shape(node.input(0)), /*allowZero=*/true),
                     getElementTypeOrSelf(node.input(0)));
}

Value MoEImport::run() {
  if (!checkForm() || !takeInputs() || !route())
    return nullptr;
  Value hidden = multiply(repeatRows(), first, node.input(inputs.first.bias));
  hidden = hidden ? activate(hidden) : Value();
  if (!hidden || !node.requireDim(hidden, 1, second, 2, "its hidden rows"))
    return nullptr;
  Value results = multiply(hidden, second, node.input(inputs.second.bias));
  return results ? addExperts(results) : Value();
}

void weft::onnx::addMixtureOfExperts(OpTable &table) {
  const AttributeRow attributes[] = {{"activation_alpha", AttributeKind::Float},
                                     {"activation_beta", AttributeKind::Float},
                                     {"activation_type", AttributeKind::String},
                                     {"k", AttributeKind::Int},
                                     {"normalize_routing_weights", AttributeKind::Int},
                                     {"swiglu_fusion", AttributeKind::Int},
                                     {"swiglu_limit", AttributeKind::Float},
                                     {"use_sparse_mixer", AttributeKind::Int}};
  auto build = [](NodeImport &node) { return MoEImport(node, kMoE).run(); };
  table.add("com.microsoft.MoE", {1}, {3, 8}, attributes, build);
  SmallVector<AttributeRow> quantized{ArrayRef(attributes)};
  quantized.append({{"block_size", AttributeKind::Int},
                    {"expert_weight_bits", AttributeKind::Int},
                    {"quant_type", AttributeKind::String},
                    {"weights_prepacked", AttributeKind::Int}});
  auto buildQuantized = [](NodeImport &node) { return MoEImport(node, kQMoE).run(); };
  table.add("com.microsoft.QMoE", {1}, {3, 15}, quantized, buildQuantized);
}
