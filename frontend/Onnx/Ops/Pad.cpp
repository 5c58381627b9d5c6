// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: Pad.
#include "frontend/Onnx/Ops/Pad.h"
#include "frontend/Builder/Layers/Basics.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/RunAxes.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;
using weft::onnx::RunAxes;

Value weft::onnx::addPad(NodeImport &node, PadMode mode, Value input, Value pads, Value fill,
                         ArrayRef<int64_t> axes) {
  MLIRContext *context = node.graph.getContext();
  Builder builder(context);
  SmallVector<Value> operands{input, pads};
  if (fill)
    operands.push_back(fill);
  return node.graph.add(
      "weft.pad", operands,
      {builder.getNamedAttr("mode", PadModeAttr::get(context, mode)),
       builder.getNamedAttr("axes", builder.getDenseI64ArrayAttr(axes)),
       builder.getNamedAttr("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 1, fill ? 1 : 0}))});
}

/// What the attribute `mode` says; reports an error if it says nothing known.
static std::optional<PadMode> modeOf(NodeImport &node) {
  StringRef text = node.text("mode", "constant");
  std::optional<PadMode> mode = symbolizePadMode(text);
  if (!mode)
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"mode\" to be \"constant\", \"reflect\", \"edge\" or \"wrap\", got " +
                   onnx::quoted(text));
  return mode;
}

/// The axes that are padded, in the order of their pads: all of them where the node names none.
static OptionalInts axesOf(NodeImport &node) {
  std::optional<int64_t> rank = NodeImport::rankOf(node.input(0));
  if (!node.input(3)) {
    rank = node.requireRank(node.input(0), "its input");
    return rank ? OptionalInts(llvm::to_vector(llvm::seq<int64_t>(0, *rank))) : std::nullopt;
  }
  OptionalInts axes = node.constantInts(3, "axes");
  if (!axes)
    return std::nullopt;
  for (int64_t &axis : *axes) {
    std::optional<int64_t> normal = node.axis(axis, rank);
    if (!normal)
      return std::nullopt;
    axis = *normal;
  }
  return axes;
}

/// Some exporters write the scalar as a tensor of one element.
static Value fillOf(NodeImport &node) {
  Value fill = node.input(2);
  if (fill && NodeImport::rankOf(fill).value_or(0) == 1)
    return node.graph.reshape(fill, ArrayRef<int64_t>());
  return fill;
}

/// Along axes that a run gives: along all, of which the others get none.
static Value padByRun(NodeImport &node, PadMode mode) {
  GraphBuilder &graph = node.graph;
  Value input = node.input(0), pads = node.input(1);
  std::optional<RunAxes> axes = RunAxes::get(node, 3);
  if (!axes || !node.hasRank(pads, 1, "its pads") ||
      !node.requireDim(pads, 0, 2 * axes->getCount(), "its pads"))
    return nullptr;
  auto spread = [&](int64_t first) {
    return axes->spread(layers::slice(graph, pads, 0, first, first + axes->getCount()), 0);
  };
  Value fill = mode == PadMode::Constant ? fillOf(node) : Value();
  return addPad(node, mode, axes->checked(input), graph.concat({spread(0), spread(axes->getCount())}, 0),
                fill, llvm::to_vector(llvm::seq<int64_t>(0, axes->getRank())));
}

static Value buildPad(NodeImport &node) {
  std::optional<PadMode> mode = modeOf(node);
  if (mode && node.isGivenByRun(3))
    return padByRun(node, *mode);
  OptionalInts axes = mode ? axesOf(node) : std::nullopt;
  if (!axes)
    return nullptr;
  Value fill = *mode == PadMode::Constant ? fillOf(node) : Value();
  return addPad(node, *mode, node.input(0), node.input(1), fill, *axes);
}

/// Before opset 11 pads and fill are attributes.
static Value buildPadByAttributes(NodeImport &node) {
  std::optional<PadMode> mode = modeOf(node);
  OptionalInts axes = mode ? axesOf(node) : std::nullopt;
  if (!axes)
    return nullptr;
  float value = node.number("value", 0);
  bool isFilled = *mode == PadMode::Constant && value != 0;
  Value fill = isFilled ? node.scalar(getElementTypeOrSelf(node.input(0)), value) : Value();
  return addPad(node, *mode, node.input(0), node.graph.vector(*node.integers("pads")), fill, *axes);
}

void weft::onnx::addPadOps(OpTable &table) {
  const AttributeRow mode = {"mode", AttributeKind::String};
  table.add("Pad", {2}, 1, {mode, {"pads", AttributeKind::Ints, true}, {"value", AttributeKind::Float}},
            buildPadByAttributes);
  table.add("Pad", {11, 13}, {2, 3}, mode, buildPad);
  table.add("Pad", {18, 19, 21, 23, 24, 25}, {2, 4}, mode, buildPad);
}
