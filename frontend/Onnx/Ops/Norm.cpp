// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norm: the Normalization operators.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::ElementType;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

/// Checks what all of these operators share: floats, normalised in f32.
static bool checkFloats(NodeImport &node) {
  int64_t stash = node.integer("stash_type", 1);
  if (stash != int64_t(ElementType::Float32)) {
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"stash_type\" to be 1 (float32), got " + Twine(stash));
    return false;
  }
  return node.hasFloats(node.input(0));
}

static float epsilonOf(NodeImport &node) { return node.number("epsilon", 1e-5f); }

/// The first dim that is normalised.
static std::optional<int64_t> axisOf(NodeImport &node) {
  return node.axis(node.integer("axis", -1), NodeImport::rankOf(node.input(0)));
}

static Value one(NodeImport &node) { return node.scalar(getElementTypeOrSelf(node.input(0)), 1); }

//===----------------------------------------------------------------------===//
// Over trailing dims
//===----------------------------------------------------------------------===//

/// Some exporters leave the scale out, where ONNX asks for one: it is 1.
static Value scaleOrOnes(NodeImport &node, int64_t axis) {
  if (node.input(1))
    return node.input(1);
  Type element = getElementTypeOrSelf(node.input(0));
  auto type = cast<ShapedType>(node.input(0).getType());
  SmallVector<int64_t> shape;
  if (type.hasRank() && !llvm::any_of(type.getShape().drop_front(axis), ShapedType::isDynamic))
    shape.assign(type.getShape().begin() + axis, type.getShape().end());
  auto ones = RankedTensorType::get(shape, element);
  return node.graph.constant(ones, DenseElementsAttr::get(ones, mlir::Attribute(FloatAttr::get(element, 1))));
}

namespace {
/// What a norm needs of the elements of some axes, which stay as dims of 1.
struct Moments {
  Moments(GraphBuilder &graph, Value input, ArrayRef<int64_t> axes)
      : mean(graph.reduce(ReduceKind::Mean, input, axes, /*keepdims=*/true)),
        centred(graph.subtract(input, mean)),
        variance(graph.reduce(ReduceKind::Mean, graph.multiply(centred, centred), axes, /*keepdims=*/true)) {}

  Value mean, centred, variance;
};
} // namespace

/// The optional outputs of LayerNormalization, in f32: the mean, and the inverse of the standard deviation.
static bool setMoments(NodeImport &node, int64_t axis) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  if (!rank)
    return false;
  input = node.widened(input);
  Moments moments(graph, input, llvm::to_vector(llvm::seq(axis, *rank)));
  Value epsilon = node.scalar(getElementTypeOrSelf(input), epsilonOf(node));
  Value deviation = graph.sqrt(graph.addition(moments.variance, epsilon));
  node.setOutput(1, node.castTo(moments.mean, graph.f32()));
  node.setOutput(2, node.castTo(graph.add("weft.reciprocal", {deviation}), graph.f32()));
  return true;
}

static Value buildLayerNormalization(NodeImport &node) {
  std::optional<int64_t> axis = checkFloats(node) ? axisOf(node) : std::nullopt;
  if (!axis || ((node.isRead(1) || node.isRead(2)) && !setMoments(node, *axis)))
    return nullptr;
  return node.graph.layerNorm(node.input(0), scaleOrOnes(node, *axis), node.input(2), *axis, epsilonOf(node));
}

/// The result has the type of the scale, in which it is scaled.
static Value buildRMSNormalization(NodeImport &node) {
  std::optional<int64_t> axis = checkFloats(node) ? axisOf(node) : std::nullopt;
  if (!axis)
    return nullptr;
  Value input = node.input(0), scale = node.input(1);
  Type element = getElementTypeOrSelf(scale);
  bool isScaled = element == getElementTypeOrSelf(input);
  Builder builder(node.graph.getContext());
  Value normal = node.graph.add("weft.rms_norm", {input, isScaled ? scale : one(node)},
                                {builder.getNamedAttr("axis", builder.getI64IntegerAttr(*axis)),
                                 builder.getNamedAttr("epsilon", builder.getF32FloatAttr(epsilonOf(node)))});
  return isScaled ? normal : node.graph.multiply(node.graph.cast(normal, element), scale);
}

//===----------------------------------------------------------------------===//
// Over the places of a channel, or of a group of channels
//===----------------------------------------------------------------------===//

/// An element for each channel [C] as [C, 1...], which broadcasts to [N, C, places...].
static Value perChannel(NodeImport &node, Value value, int64_t rank) {
  return node.beforeOnes(value, rank - 2);
}

static Value buildInstanceNormalization(NodeImport &node) {
  std::optional<int64_t> rank = checkFloats(node) ? node.requireRankAtLeast(3) : std::nullopt;
  if (!rank)
    return nullptr;
  Value normal = node.graph.layerNorm(node.input(0), one(node), Value(), /*axis=*/2, epsilonOf(node));
  Value scaled = node.graph.multiply(normal, perChannel(node, node.input(1), *rank));
  return node.graph.addition(scaled, perChannel(node, node.input(2), *rank));
}

/// Scale and bias are per group before opset 21, then per channel.
static Value buildGroupNormalization(NodeImport &node, bool isPerGroup) {
  std::optional<int64_t> rank = checkFloats(node) ? node.requireRankAtLeast(2) : std::nullopt;
  int64_t groups = node.integer("num_groups", 1);
  if (rank && groups < 1)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"num_groups\" to be at least 1, got " + Twine(groups));
  if (!rank)
    return nullptr;
  Dim channels = (*getDims(node.input(0)))[1];
  if (channels && channels.getConstant().value_or(0) % groups != 0)
    return node.error(DiagnosticId::OperandType, "expects \"num_groups\" (" + Twine(groups) +
                                                     ") to divide the channels, got " +
                                                     describeType(node.input(0).getType()));
  GraphBuilder &graph = node.graph;
  Value input = node.input(0), count = graph.vector(groups);
  // Where the channels are no constant, the number of elements says whether the groups divide them.
  Value places = graph.unsqueeze(node.productOfDims(input, 2, *rank), 0);
  Value channelsOfGroup = graph.divide(graph.shape(input, 1, 2), count);
  Value grouped =
      graph.reshape(input, graph.concat({graph.shape(input, 0, 1), count, channelsOfGroup, places}, 0),
                    /*allowZero=*/true);
  auto scale = [&](Value normal, int64_t normalRank) {
    Value scaled = graph.multiply(normal, perChannel(node, node.input(1), normalRank));
    return graph.addition(scaled, perChannel(node, node.input(2), normalRank));
  };
  Value normal = graph.layerNorm(grouped, one(node), Value(), /*axis=*/2, epsilonOf(node));
  if (isPerGroup)
    normal = scale(normal, 4);
  normal = graph.reshape(normal, graph.shape(input), /*allowZero=*/true);
  return isPerGroup ? normal : scale(normal, *rank);
}

namespace {
/// BatchNormalization in f32, or in f64 if any input has that. Factors may have more digits than the input.
class BatchNormalization {
public:
  explicit BatchNormalization(NodeImport &node) : node(node), graph(node.graph) {}

  /// Null after an error.
  Value build();

private:
  Value wide(size_t index) { return node.castTo(node.input(index), computed); }
  /// Takes the mean and variance of what is given, and has those that are kept approach them.
  void train();

  NodeImport &node;
  GraphBuilder &graph;
  int64_t rank = 0;
  Type computed;
  Value mean, variance; ///< of each channel
};
} // namespace

void BatchNormalization::train() {
  SmallVector<int64_t> axes{0};
  llvm::append_range(axes, llvm::seq<int64_t>(2, rank));
  Moments moments(graph, wide(0), axes);
  float momentum = node.number("momentum", 0.9F);
  Value kept = node.scalar(computed, momentum), rest = node.scalar(computed, 1 - momentum);
  for (auto [of, moment, output] :
       {std::tuple{&mean, moments.mean, 1}, std::tuple{&variance, moments.variance, 2}}) {
    Value now = graph.squeeze(moment, axes);
    Value running = graph.addition(graph.multiply(*of, kept), graph.multiply(now, rest));
    node.setOutput(output, node.castTo(running, getElementTypeOrSelf(node.input(3))));
    *of = now;
  }
}

Value BatchNormalization::build() {
  bool isTraining = node.integer("training_mode", 0) != 0;
  for (size_t i = 1; i < node.outputCount(); ++i)
    if (node.isRead(i) && !isTraining)
      return node.error(DiagnosticId::OutputUnsupported,
                        "expects only output 0 to be read, unless \"training_mode\" is 1");
  std::optional<int64_t> known = checkFloats(node) ? node.requireRankAtLeast(2) : std::nullopt;
  if (!known)
    return nullptr;
  rank = *known;
  bool isDouble =
      llvm::any_of(node.getInputs(), [](Value value) { return getElementTypeOrSelf(value).isF64(); });
  computed = isDouble ? Type(Float64Type::get(graph.getContext())) : graph.f32();
  mean = wide(3), variance = wide(4);
  if (isTraining)
    train();
  Value deviation = graph.sqrt(graph.addition(variance, node.scalar(computed, epsilonOf(node))));
  Value factor = perChannel(node, graph.divide(wide(1), deviation), rank);
  Value centred = graph.subtract(wide(0), perChannel(node, mean, rank));
  Value result = graph.addition(graph.multiply(centred, factor), perChannel(node, wide(2), rank));
  return node.castTo(result, getElementTypeOrSelf(node.input(0)));
}

static Value buildBatchNormalization(NodeImport &node) { return BatchNormalization(node).build(); }

/// (x - mean) / (deviation + 1e-9), as the operator's function has it.
static Value buildMeanVarianceNormalization(NodeImport &node) {
  std::optional<int64_t> rank =
      checkFloats(node) ? node.requireRank(node.input(0), "its input") : std::nullopt;
  onnx::OptionalInts axes;
  if (rank)
    axes = node.axes(node.integers("axes").value_or(SmallVector<int64_t>{0, 2, 3}), rank);
  if (!axes)
    return nullptr;
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  Moments moments(graph, input, *axes);
  Value least = node.scalar(getElementTypeOrSelf(input), 1e-9);
  return graph.divide(moments.centred, graph.addition(graph.sqrt(moments.variance), least));
}

/// x over the norm of its row; 0 where that is 0.
static Value buildLpNormalization(NodeImport &node) {
  int64_t p = node.integer("p", 2);
  if (p != 1 && p != 2)
    return node.error(DiagnosticId::NodeAttributeRange, "expects \"p\" to be 1 or 2, got " + Twine(p));
  std::optional<int64_t> axis = checkFloats(node) ? axisOf(node) : std::nullopt;
  if (!axis)
    return nullptr;
  GraphBuilder &graph = node.graph;
  Value input = node.input(0);
  Value powers = p == 1 ? graph.add("weft.abs", {input}) : graph.multiply(input, input);
  Value norm = graph.reduce(ReduceKind::Sum, powers, *axis, /*keepdims=*/true);
  if (p == 2)
    norm = graph.add("weft.sqrt", {norm});
  Value zero = node.scalar(getElementTypeOrSelf(input), 0);
  return graph.where(graph.compare(ComparePredicate::Equal, norm, zero), zero, graph.divide(input, norm));
}

void weft::onnx::addNormOps(OpTable &table) {
  const AttributeRow axis = {"axis", AttributeKind::Int}, epsilon = {"epsilon", AttributeKind::Float},
                     stash = {"stash_type", AttributeKind::Int},
                     groups = {"num_groups", AttributeKind::Int, true};
  table.add("LayerNormalization", {17}, {1, 3}, {axis, epsilon, stash}, buildLayerNormalization,
            /*maxOutputs=*/3);
  table.add("RMSNormalization", {23}, 2, {axis, epsilon, stash}, buildRMSNormalization);
  // ONNX Runtime's, from before RMSNormalization.
  table.add("SimplifiedLayerNormalization", {1}, 2, {axis, epsilon, stash}, buildRMSNormalization);
  table.add("InstanceNormalization", {6, 22}, 3, {epsilon}, buildInstanceNormalization);
  table.add("GroupNormalization", {18}, 3, {epsilon, groups},
            [](NodeImport &node) { return buildGroupNormalization(node, /*isPerGroup=*/true); });
  table.add("GroupNormalization", {21}, 3, {epsilon, groups, stash},
            [](NodeImport &node) { return buildGroupNormalization(node, /*isPerGroup=*/false); });
  const AttributeRow momentum = {"momentum", AttributeKind::Float};
  table.add("BatchNormalization", {9}, 5, {epsilon, momentum}, buildBatchNormalization, /*maxOutputs=*/5);
  table.add("BatchNormalization", {14, 15}, 5, {epsilon, momentum, {"training_mode", AttributeKind::Int}},
            buildBatchNormalization, /*maxOutputs=*/3);
  table.add("MeanVarianceNormalization", {9, 13}, 1, {{"axes", AttributeKind::Ints}},
            buildMeanVarianceNormalization);
  table.add("LpNormalization", {1, 22}, 1, {axis, {"p", AttributeKind::Int}}, buildLpNormalization);
}
