// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: Conv.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Pad.h"
#include "frontend/Onnx/Ops/Window.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;
using weft::onnx::Window;
using weft::onnx::WindowPads;

/// Whether the attribute kernel_shape, which only repeats the filter's shape, agrees with it.
static bool checkKernelShape(NodeImport &node, size_t spatial) {
  OptionalInts declared = node.integers("kernel_shape");
  auto filter = getDims(node.input(1));
  if (!declared)
    return true;
  bool fits = declared->size() == spatial;
  for (size_t i = 0; fits && filter && i < spatial; ++i)
    fits = (*filter)[i + 2].getConstant().value_or((*declared)[i]) == (*declared)[i];
  if (!fits)
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"kernel_shape\" to be that of the filter, " + describeType(node.input(1).getType()));
  return fits;
}

static Value buildConv(NodeImport &node) {
  std::optional<int64_t> rank = NodeImport::rankOf(node.input(1));
  if (!rank)
    rank = node.requireRank(node.input(0), "its input or its filter");
  if (!rank)
    return nullptr;
  if (*rank < 3 || NodeImport::rankOf(node.input(0)).value_or(*rank) != *rank)
    return node.error(DiagnosticId::OperandType,
                      "expects an input and a filter of one rank, at least 3, got " +
                          describeType(node.input(0).getType()) + " and " +
                          describeType(node.input(1).getType()));
  size_t spatial = *rank - 2;
  SmallVector<int64_t> kernel(spatial, -1);
  if (NodeImport::rankOf(node.input(1)))
    for (size_t i = 0; i < spatial; ++i)
      kernel[i] = NodeImport::knownSize(node.input(1), i + 2).value_or(-1);
  std::optional<Window> window = windowOf(node, kernel);
  std::optional<WindowPads> pads =
      window && checkKernelShape(node, spatial) ? padsOf(node, *window) : std::nullopt;
  if (!pads)
    return nullptr;
  Value input = node.input(0);
  if (pads->computed)
    input = addPad(node, PadMode::Constant, input, pads->computed, /*fill=*/nullptr,
                   llvm::to_vector(llvm::seq<int64_t>(2, 2 + spatial)));
  return node.graph.conv(input, node.input(1), node.input(2), window->strides,
                         pads->numbers.value_or(SmallVector<int64_t>(2 * spatial, 0)), window->dilations,
                         node.integer("group", 1));
}

void weft::onnx::addConvOps(OpTable &table) {
  table.add("Conv", {1, 11, 22}, {2, 3},
            {{"auto_pad", AttributeKind::String},
             {"dilations", AttributeKind::Ints},
             {"group", AttributeKind::Int},
             {"kernel_shape", AttributeKind::Ints},
             {"pads", AttributeKind::Ints},
             {"strides", AttributeKind::Ints}},
            buildConv);
}
