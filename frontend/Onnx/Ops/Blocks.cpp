// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: DepthToSpace, SpaceToDepth and EyeLike, made of reshapes, transposes and ranges.
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

//===----------------------------------------------------------------------===//
// DepthToSpace, SpaceToDepth
//===----------------------------------------------------------------------===//

namespace {
/// An image [N, C, H, W] and the side of its blocks.
struct Blocks {
  Value image;
  int64_t side;
};
} // namespace

/// Dim `index` of a value, as a vector of one element.
static Value dimOf(NodeImport &node, Value value, int64_t index) {
  return node.graph.shape(value, index, index + 1);
}

static std::optional<Blocks> blocksOf(NodeImport &node) {
  Blocks blocks{node.input(0), node.integer("blocksize", 0)};
  std::optional<int64_t> rank = node.requireRank(blocks.image, "its input");
  if (!rank)
    return std::nullopt;
  constexpr int64_t kMostSide = 1 << 15;
  if (*rank != 4 || blocks.side < 1 || blocks.side > kMostSide) {
    node.error(*rank != 4 ? DiagnosticId::OperandType : DiagnosticId::NodeAttributeRange,
               *rank != 4 ? "expects an input of rank 4, got " + describeType(blocks.image.getType())
                          : "expects a positive \"blocksize\", got " + std::to_string(blocks.side));
    return std::nullopt;
  }
  return blocks;
}

/// Whether a dim is a multiple of `divisor`, as far as it is known; reports an error if not.
static bool checkDivides(NodeImport &node, Value value, int64_t index, int64_t divisor) {
  Dim dim = (*getDims(value))[index];
  std::optional<int64_t> size = dim ? dim.getConstant() : std::nullopt;
  if (!size || *size % divisor == 0)
    return true;
  node.error(DiagnosticId::OperandType, "expects dim " + Twine(index) + " to be a multiple of " +
                                            Twine(divisor) + ", got " + describeType(value.getType()));
  return false;
}

static Value buildDepthToSpace(NodeImport &node) {
  std::optional<Blocks> blocks = blocksOf(node);
  if (!blocks || !checkDivides(node, blocks->image, 1, blocks->side * blocks->side))
    return nullptr;
  StringRef mode = node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"mode\" to be \"DCR\" or \"CRD\", got " + onnx::quoted(mode));
  GraphBuilder &graph = node.graph;
  Value image = blocks->image, side = graph.vector({blocks->side});
  Value batch = dimOf(node, image, 0), rows = dimOf(node, image, 2), columns = dimOf(node, image, 3);
  Value channels = graph.divide(dimOf(node, image, 1), graph.vector({blocks->side * blocks->side}));
  bool depthFirst = mode == "DCR";
  Value split = depthFirst ? graph.concat({batch, side, side, channels, rows, columns}, 0)
                           : graph.concat({batch, channels, side, side, rows, columns}, 0);
  Value parts = graph.reshape(image, split, /*allowZero=*/true);
  parts =
      depthFirst ? graph.transpose(parts, {0, 3, 4, 1, 5, 2}) : graph.transpose(parts, {0, 1, 4, 2, 5, 3});
  Value shape = graph.concat({batch, channels, graph.multiply(rows, side), graph.multiply(columns, side)}, 0);
  return graph.reshape(parts, shape, /*allowZero=*/true);
}

static Value buildSpaceToDepth(NodeImport &node) {
  std::optional<Blocks> blocks = blocksOf(node);
  if (!blocks || !checkDivides(node, blocks->image, 2, blocks->side) ||
      !checkDivides(node, blocks->image, 3, blocks->side))
    return nullptr;
  GraphBuilder &graph = node.graph;
  Value image = blocks->image, side = graph.vector({blocks->side});
  Value batch = dimOf(node, image, 0), channels = dimOf(node, image, 1);
  Value rows = graph.divide(dimOf(node, image, 2), side), columns = graph.divide(dimOf(node, image, 3), side);
  Value split = graph.concat({batch, channels, rows, side, columns, side}, 0);
  Value parts = graph.transpose(graph.reshape(image, split, /*allowZero=*/true), {0, 3, 5, 1, 2, 4});
  Value depth = graph.multiply(channels, graph.vector({blocks->side * blocks->side}));
  return graph.reshape(parts, graph.concat({batch, depth, rows, columns}, 0), /*allowZero=*/true);
}

//===----------------------------------------------------------------------===//
// EyeLike
//===----------------------------------------------------------------------===//

static Value buildEyeLike(NodeImport &node) {
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  if (!rank)
    return nullptr;
  if (*rank != 2)
    return node.error(DiagnosticId::OperandType, "expects a matrix, got " + describeType(input.getType()));
  Type element = getElementTypeOrSelf(input);
  if (node.has("dtype")) {
    int64_t to = node.integer("dtype", 0);
    bool isKnown = to > 0 && to <= int64_t(ElementType::Last);
    element = isKnown ? onnx::getElementType(node.graph.getContext(), ElementType(to)) : Type();
    if (!element)
      return node.error(DiagnosticId::ElementTypeUnsupported,
                        "expects a \"dtype\" that Weft computes with, got number " + Twine(to));
  }
  GraphBuilder &graph = node.graph;
  Value rows =
      graph.unsqueeze(graph.addition(node.places(node.input(0), 0), graph.scalar(node.integer("k", 0))), {1});
  return graph.cast(graph.compare(ComparePredicate::Equal, rows, node.places(node.input(0), 1)), element);
}

void weft::onnx::addBlockOps(OpTable &table) {
  const AttributeRow side = {"blocksize", AttributeKind::Int, true};
  table.add("DepthToSpace", {1}, 1, side, buildDepthToSpace);
  table.add("DepthToSpace", {11, 13}, 1, {side, {"mode", AttributeKind::String}}, buildDepthToSpace);
  table.add("SpaceToDepth", {1, 13}, 1, side, buildSpaceToDepth);
  table.add("EyeLike", {9, 22}, 1, {{"dtype", AttributeKind::Int}, {"k", AttributeKind::Int}}, buildEyeLike);
}
