// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: Conv.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Pad.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;

namespace {
/// How the window of a convolution moves, an entry per spatial dim.
struct Window {
  SmallVector<int64_t> strides, dilations;
};

/// What auto_pad SAME_UPPER and SAME_LOWER add to each spatial dim: as many results as inputs, divided by the
/// stride and rounded up; where the padding is odd, the end or the begin gets the larger half.
class SamePads {
public:
  SamePads(NodeImport &node, const Window &window)
      : node(node), graph(node.graph), window(window), isUpper(node.text("auto_pad", "") == "SAME_UPPER") {
    if (auto filter = getDims(node.input(1)))
      for (Dim dim : ArrayRef(*filter).drop_front(2))
        kernel.push_back(dim ? dim.getConstant().value_or(-1) : -1);
  }

  /// Whether the filter says how far its window reaches; an error if not.
  bool isKnown() {
    if (!kernel.empty() && llvm::none_of(kernel, [](int64_t size) { return size < 0; }))
      return true;
    node.error(DiagnosticId::RankUnknown, "expects a filter of known size for auto_pad");
    return false;
  }
  /// As numbers, if they are; with stride 1 they do not depend on the size.
  OptionalInts asNumbers() const;
  /// The input with what is added to it, computed from its shape.
  Value padInput();

private:
  int64_t reach(size_t i) const { return (kernel[i] - 1) * window.dilations[i] + 1; }

  NodeImport &node;
  GraphBuilder &graph;
  const Window &window;
  bool isUpper;
  SmallVector<int64_t> kernel; ///< -1 where it is not known
};
} // namespace

OptionalInts SamePads::asNumbers() const {
  auto input = getDims(node.input(0));
  size_t spatial = kernel.size();
  SmallVector<int64_t> pads(2 * spatial);
  for (size_t i = 0; i < spatial; ++i) {
    Dim dim = input ? (*input)[i + 2] : Dim();
    std::optional<int64_t> size = dim ? dim.getConstant() : std::nullopt;
    int64_t stride = window.strides[i], total = reach(i) - 1;
    if (stride != 1) {
      if (!size)
        return std::nullopt;
      total = std::max<int64_t>((llvm::divideCeil(*size, stride) - 1) * stride + reach(i) - *size, 0);
    }
    int64_t smaller = total / 2;
    pads[i] = isUpper ? smaller : total - smaller;
    pads[i + spatial] = total - pads[i];
  }
  return pads;
}

Value SamePads::padInput() {
  size_t spatial = kernel.size();
  SmallVector<int64_t> rounding, reaches;
  for (size_t i = 0; i < spatial; ++i) {
    rounding.push_back(window.strides[i] - 1);
    reaches.push_back(reach(i) - window.strides[i]);
  }
  Value sizes = graph.shape(node.input(0), 2, 2 + spatial), strides = graph.vector(window.strides);
  Value steps = graph.divide(graph.addition(sizes, graph.vector(rounding)), strides);
  Value needed = graph.addition(graph.multiply(steps, strides), graph.vector(reaches));
  Value zeros = graph.vector(SmallVector<int64_t>(spatial, 0));
  Value total = graph.add("weft.max", {graph.subtract(needed, sizes), zeros});
  Value smaller = graph.divide(total, graph.vector(SmallVector<int64_t>(spatial, 2)));
  Value larger = graph.subtract(total, smaller);
  Value pads = graph.concat({isUpper ? smaller : larger, isUpper ? larger : smaller}, 0);
  return addPad(node, PadMode::Constant, node.input(0), pads, /*fill=*/nullptr,
                llvm::to_vector(llvm::seq<int64_t>(2, 2 + spatial)));
}

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
  SmallVector<int64_t> ones(spatial, 1);
  Window window{node.integers("strides").value_or(ones), node.integers("dilations").value_or(ones)};
  if (window.strides.size() != spatial || window.dilations.size() != spatial)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects " + Twine(spatial) + " strides and dilations, got " +
                          Twine(window.strides.size()) + " and " + Twine(window.dilations.size()));
  if (!checkKernelShape(node, spatial))
    return nullptr;
  StringRef mode = node.text("auto_pad", "NOTSET");
  SmallVector<int64_t> pads(2 * spatial, 0);
  Value input = node.input(0);
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    if (llvm::any_of(window.strides, [](int64_t stride) { return stride <= 0; }))
      return node.error(DiagnosticId::NodeAttributeRange, "expects positive strides");
    SamePads same(node, window);
    if (!same.isKnown())
      return nullptr;
    OptionalInts numbers = same.asNumbers();
    if (numbers)
      pads = *numbers;
    else
      input = same.padInput();
  } else if (mode == "NOTSET") {
    pads = node.integers("pads").value_or(pads);
  } else if (mode != "VALID") {
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects \"auto_pad\" to be NOTSET, VALID, SAME_UPPER or SAME_LOWER, got " +
                          onnx::quoted(mode));
  }
  return node.graph.conv(input, node.input(1), node.input(2), window.strides, pads, window.dilations,
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
