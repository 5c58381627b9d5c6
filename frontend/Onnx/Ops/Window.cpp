// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding of windows: given, or from the input's size.
#include "frontend/Onnx/Ops/Window.h"

using namespace mlir;
using namespace weft;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OptionalInts;
using weft::onnx::Window;
using weft::onnx::WindowPads;

std::optional<Window> onnx::windowOf(NodeImport &node, ArrayRef<int64_t> kernel) {
  SmallVector<int64_t> ones(kernel.size(), 1);
  Window window{SmallVector<int64_t>(kernel), node.integers("strides").value_or(ones),
                node.integers("dilations").value_or(ones)};
  if (window.strides.size() == kernel.size() && window.dilations.size() == kernel.size())
    return window;
  node.error(DiagnosticId::NodeAttributeRange,
             "expects " + Twine(kernel.size()) + " strides and dilations, got " +
                 Twine(window.strides.size()) + " and " + Twine(window.dilations.size()));
  return std::nullopt;
}

// auto_pad SAME_UPPER and SAME_LOWER: as many results as inputs, divided by the stride and rounded up; where
// the padding is odd, the end or the begin gets the larger half.

/// As numbers, if they are; with stride 1 they do not depend on the size.
static OptionalInts samePads(NodeImport &node, const Window &window, bool isUpper) {
  auto input = getDims(node.input(0));
  SmallVector<int64_t> pads(2 * window.spatial());
  for (size_t i = 0; i < window.spatial(); ++i) {
    Dim dim = input ? (*input)[i + 2] : Dim();
    std::optional<int64_t> size = dim ? dim.getConstant() : std::nullopt;
    int64_t stride = window.strides[i], total = window.reach(i) - 1;
    if (stride != 1) {
      if (!size)
        return std::nullopt;
      total = std::max<int64_t>((llvm::divideCeil(*size, stride) - 1) * stride + window.reach(i) - *size, 0);
    }
    int64_t smaller = total / 2;
    pads[i] = isUpper ? smaller : total - smaller;
    pads[i + window.spatial()] = total - pads[i];
  }
  return pads;
}

static Value computeSamePads(NodeImport &node, const Window &window, bool isUpper) {
  GraphBuilder &graph = node.graph;
  size_t spatial = window.spatial();
  SmallVector<int64_t> rounding, reaches;
  for (size_t i = 0; i < spatial; ++i) {
    rounding.push_back(window.strides[i] - 1);
    reaches.push_back(window.reach(i) - window.strides[i]);
  }
  Value sizes = graph.shape(node.input(0), 2, 2 + spatial), strides = graph.vector(window.strides);
  Value steps = graph.divide(graph.addition(sizes, graph.vector(rounding)), strides);
  Value needed = graph.addition(graph.multiply(steps, strides), graph.vector(reaches));
  Value zeros = graph.vector(SmallVector<int64_t>(spatial, 0));
  Value total = graph.add("weft.max", {graph.subtract(needed, sizes), zeros});
  Value smaller = graph.divide(total, graph.vector(SmallVector<int64_t>(spatial, 2)));
  Value larger = graph.subtract(total, smaller);
  return graph.concat({isUpper ? smaller : larger, isUpper ? larger : smaller}, 0);
}

std::optional<StringRef> onnx::autoPadOf(NodeImport &node) {
  StringRef mode = node.text("auto_pad", "NOTSET");
  if (llvm::is_contained({"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}, mode))
    return mode;
  node.error(DiagnosticId::NodeAttributeRange,
             "expects \"auto_pad\" to be NOTSET, VALID, SAME_UPPER or SAME_LOWER, got " + onnx::quoted(mode));
  return std::nullopt;
}

std::optional<WindowPads> onnx::padsOf(NodeImport &node, const Window &window) {
  std::optional<StringRef> mode = autoPadOf(node);
  if (!mode)
    return std::nullopt;
  SmallVector<int64_t> none(2 * window.spatial(), 0);
  auto error = [&](DiagnosticId id, const Twine &text) {
    node.error(id, text);
    return std::nullopt;
  };
  if (mode == "VALID")
    return WindowPads{none, Value()};
  if (mode == "NOTSET") {
    WindowPads pads{node.integers("pads").value_or(none), Value()};
    if (pads.numbers->size() == none.size())
      return pads;
    return error(DiagnosticId::NodeAttributeRange,
                 "expects " + Twine(none.size()) + " pads, got " + Twine(pads.numbers->size()));
  }
  if (llvm::any_of(window.strides, [](int64_t stride) { return stride <= 0; }))
    return error(DiagnosticId::NodeAttributeRange, "expects positive strides");
  if (llvm::any_of(window.kernel, [](int64_t size) { return size < 0; }))
    return error(DiagnosticId::RankUnknown, "expects a filter of known size for auto_pad");
  bool isUpper = mode == "SAME_UPPER";
  WindowPads pads{samePads(node, window, isUpper), Value()};
  if (!pads.numbers)
    pads.computed = computeSamePads(node, window, isUpper);
  return pads;
}
