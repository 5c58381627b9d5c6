// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: MoE of com.microsoft, rows that are routed to the few of several networks that a router scores
// highest.
#include "frontend/Builder/Layers/FeedForward.h"
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// Imports one node: input, router_probs, and weights and biases of two layers of each expert. Each row is
/// there once for every expert that it is routed to, as exporters of PyTorch write it.
class MoEImport {
public:
  explicit MoEImport(NodeImport &node) : node(node), graph(node.graph) {}
  Value run();

private:
  bool checkForm();
  bool takeInputs();
  bool route();
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
  if (!node.input(4))
    return fail("expects fc2_experts_weights, which are left out"), false;
  if (node.input(6) || node.input(7))
    return fail("expects no fc3_experts_weights and no fc3_experts_bias, which are not supported yet"), false;
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
  first = node.input(2);
  second = node.input(4);
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

/// The softmax of all experts' scores, of which the greatest are taken; their shares may be made to sum to 1.
bool MoEImport::route() {
  Builder builder(graph.getContext());
  auto axis = builder.getNamedAttr("axis", builder.getI64IntegerAttr(1));
  Value scores = node.widened(router);
  Value indices = graph.add("weft.top_k", {scores, graph.vector({chosen})},
                            {axis, builder.getNamedAttr("largest", builder.getUnitAttr())});
  share = graph.add("weft.gather_elements", {graph.softmax(scores, 1), indices}, axis);
  if (node.integer("normalize_routing_weights", 0))
    share = graph.divide(share, graph.reduce(ReduceKind::Sum, share, {1}, /*keepdims=*/true));
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
  Value hidden = multiply(repeatRows(), first, node.input(3));
  hidden = hidden ? activate(hidden) : Value();
  if (!hidden || !node.requireDim(hidden, 1, second, 2, "its hidden rows"))
    return nullptr;
  Value results = multiply(hidden, second, node.input(5));
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
  auto build = [](NodeImport &node) { return MoEImport(node).run(); };
  table.add("com.microsoft.MoE", {1}, {3, 8}, attributes, build);
}
