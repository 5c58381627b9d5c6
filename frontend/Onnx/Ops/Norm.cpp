// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norm: LayerNormalization.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::ElementType;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

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

static Value buildLayerNormalization(NodeImport &node) {
  for (size_t output : {1, 2})
    if (node.isRead(output))
      return node.error(DiagnosticId::OutputUnsupported, "expects nobody to read output " + Twine(output) +
                                                             " (" + (output == 1 ? "Mean" : "InvStdDev") +
                                                             "); Weft computes the normalised tensor only");
  int64_t stash = node.integer("stash_type", 1);
  if (stash != int64_t(ElementType::Float32))
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"stash_type\" to be 1 (float32), got " + Twine(stash));
  Value input = node.input(0);
  if (!isa<FloatType>(getElementTypeOrSelf(input)))
    return node.error(DiagnosticId::OperandType, "expects floats, got " + describeType(input.getType()));
  std::optional<int64_t> axis = node.axis(node.integer("axis", -1), NodeImport::rankOf(input));
  if (!axis)
    return nullptr;
  return node.graph.layerNorm(input, scaleOrOnes(node, *axis), node.input(2), *axis,
                              node.number("epsilon", 1e-5f));
}

void weft::onnx::addNormOps(OpTable &table) {
  table.add(
      "LayerNormalization", {17}, {1, 3},
      {{"axis", AttributeKind::Int}, {"epsilon", AttributeKind::Float}, {"stash_type", AttributeKind::Int}},
      buildLayerNormalization, /*maxOutputs=*/3);
}
