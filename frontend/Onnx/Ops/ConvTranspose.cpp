// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contraction: ConvTranspose, as one convolution without strides.
//
// Every place of the input adds a copy of the filter to the result, `stride` places from the last one:
//   y[stride q + r] = sum over m of x[q - m] w[stride m + r]
// Each remainder r has a filter of its own, which holds every stride-th element of w. A convolution of stride
// 1 with all of them as output channels computes as much as there is to compute, and its channels are then
// laid side by side.
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

namespace {
/// What becomes of one spatial dim.
struct TransposedDim {
  int64_t stride = 1;
  int64_t reach = 1;  ///< Of the filter, with its dilation.
  int64_t phases = 1; ///< Elements of each remainder's filter: of the reach over the stride, rounded up.
  /// How many places the convolution adds before and behind.
  int64_t before = 0, behind = 0;
  /// How many places of its interleaved result are dropped at the begin, and at the end.
  int64_t dropped = 0, trailing = 0;
  /// Where the attribute output_shape says the size of the result and only a run knows the input's: the
  /// number of places that are dropped at the begin, a scalar, and that size.
  Value computedDropped;
  int64_t size = -1;
};

class ConvTranspose {
public:
  explicit ConvTranspose(NodeImport &node)
      : node(node), graph(node.graph), input(node.input(0)), filter(node.input(1)) {}
  Value build();

private:
  bool checkFilter();
  bool settleDims(const Window &window);
  std::optional<TransposedDim> dimOf(const Window &window, size_t index, int64_t extra);
  Value dilated(Value value, const Window &window);
  Value phasesOfFilter(const Window &window);
  Value repeatedBias();
  Value interleaved(Value phases);
  Value cropped(Value result);

  size_t spatial() const { return kernel.size(); }
  /// Dim `index` of a value, as a vector of one element.
  Value sizeOf(Value value, int64_t index) { return graph.shape(value, index, index + 1); }
  Value number(int64_t value) { return graph.vector({value}); }

  NodeImport &node;
  GraphBuilder &graph;
  Value input, filter;
  int64_t groups = 1;
  SmallVector<int64_t> kernel;
  SmallVector<TransposedDim> dims;
};
} // namespace

//===----------------------------------------------------------------------===//
// What the node says
//===----------------------------------------------------------------------===//

/// The filter is [C, M / groups, kernel...], the input [N, C, places...].
bool ConvTranspose::checkFilter() {
  std::optional<int64_t> rank = node.requireRank(filter, "its filter");
  if (!rank)
    return false;
  if (*rank < 3) {
    node.error(DiagnosticId::OperandType,
               "expects a filter of rank 3 or more, got " + describeType(filter.getType()));
    return false;
  }
  if (!node.hasRank(input, *rank, "its input") || !node.requireDim(filter, 0, input, 1, "its filter"))
    return false;
  groups = node.integer("group", 1);
  std::optional<int64_t> channels = NodeImport::knownSize(filter, 0);
  if (groups < 1 || (channels && *channels % groups != 0)) {
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"group\" to divide the input's channels, got " + Twine(groups));
    return false;
  }
  OptionalInts declared = node.integers("kernel_shape");
  if (declared && int64_t(declared->size()) != *rank - 2) {
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"kernel_shape\" to be that of the filter, " + describeType(filter.getType()));
    return false;
  }
  for (int64_t i = 2; i < *rank; ++i) {
    std::optional<int64_t> size = NodeImport::knownSize(filter, i);
    if (!size && declared)
      size = (*declared)[i - 2];
    if (!size || *size < 1) {
      node.error(DiagnosticId::RankUnknown,
                 "expects a filter whose kernel is of known size, got " + describeType(filter.getType()));
      return false;
    }
    if (declared && !node.requireDim(filter, i, (*declared)[i - 2], "its filter"))
      return false;
    kernel.push_back(*size);
  }
  return true;
}

/// Of the whole result, stride * (size - 1) + reach + extra places, padding is taken away, so that the size
/// is that of output_shape if it is given. `extra` places hold nothing but the bias.
std::optional<TransposedDim> ConvTranspose::dimOf(const Window &window, size_t index, int64_t extra) {
  TransposedDim dim;
  dim.stride = window.strides[index];
  dim.reach = window.reach(index);
  dim.phases = llvm::divideCeil(dim.reach, dim.stride);
  std::optional<int64_t> places = NodeImport::knownSize(input, index + 2);
  OptionalInts pads = node.integers("pads"), sizes = node.integers("output_shape");
  StringRef mode = node.text("auto_pad", "NOTSET");
  int64_t begin = 0, end = 0;
  // The larger half of what is odd comes first, unless the mode is SAME_UPPER.
  auto split = [&](int64_t total) {
    begin = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    end = total - begin;
  };
  if (sizes) {
    dim.size = (*sizes)[index];
    if (!places) {
      // Nothing is left out of the convolution then.
      dim.before = dim.phases - 1;
      dim.behind = llvm::divideCeil(dim.reach + extra, dim.stride) - 1;
      Value whole = graph.addition(graph.multiply(node.size(input, index + 2), graph.scalar(dim.stride)),
                                   graph.scalar(dim.reach + extra - dim.stride - dim.size));
      Value total = graph.add("weft.max", {whole, graph.scalar(int64_t(0))});
      Value half = graph.divide(total, graph.scalar(int64_t(2)));
      dim.computedDropped = mode == "SAME_UPPER" ? half : graph.subtract(total, half);
      return dim;
    }
    split(std::max<int64_t>(dim.stride * (*places - 1) + dim.reach + extra - dim.size, 0));
    // What is missing at the end is empty.
    extra = std::max<int64_t>(extra, dim.size - (dim.stride * (*places - 1) + dim.reach));
  } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    split(std::max<int64_t>(dim.reach + extra - dim.stride, 0));
    extra = std::max<int64_t>(extra, dim.stride - dim.reach);
  } else if (pads && mode == "NOTSET") {
    begin = (*pads)[index];
    end = (*pads)[index + spatial()];
  }
  // Whole strides at the begin are not computed, nor are those behind the end.
  int64_t last = dim.reach + extra - end; // behind stride * (size - 1)
  dim.before = std::clamp<int64_t>(dim.phases - 1 - begin / dim.stride, 0, dim.phases - 1);
  dim.behind = std::max<int64_t>(llvm::divideCeilSigned(last, dim.stride) - 1, 0);
  dim.dropped = begin - dim.stride * (dim.phases - 1 - dim.before);
  dim.trailing = dim.stride * (dim.behind + 1) - last;
  if (begin < 0 || dim.trailing < 0 || (places && dim.stride * (*places - 1) + last - begin < 0)) {
    node.error(DiagnosticId::NodeAttributeRange, "expects a result of no negative size along spatial dim " +
                                                     Twine(index) + ", which padding of " + Twine(begin) +
                                                     " and " + Twine(end) + " leaves");
    return std::nullopt;
  }
  return dim;
}

bool ConvTranspose::settleDims(const Window &window) {
  auto hasEntries = [&](StringRef name, size_t count) {
    OptionalInts list = node.integers(name);
    if (!list || list->size() == count)
      return true;
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"" + name + "\" to have " + Twine(count) + " entries, got " + Twine(list->size()));
    return false;
  };
  if (!autoPadOf(node))
    return false;
  constexpr int64_t kMost = 1 << 15;
  auto isSane = [&](ArrayRef<int64_t> list) {
    return llvm::all_of(list, [](int64_t value) { return value >= 1 && value <= kMost; });
  };
  if (!isSane(window.strides) || !isSane(window.dilations)) {
    node.error(DiagnosticId::NodeAttributeRange, "expects positive strides and dilations");
    return false;
  }
  if (!hasEntries("pads", 2 * spatial()) || !hasEntries("output_padding", spatial()) ||
      !hasEntries("output_shape", spatial()))
    return false;
  OptionalInts extra = node.integers("output_padding");
  for (size_t i = 0; i < spatial(); ++i) {
    std::optional<TransposedDim> dim = dimOf(window, i, extra ? (*extra)[i] : 0);
    if (!dim)
      return false;
    dims.push_back(*dim);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The filter
//===----------------------------------------------------------------------===//

/// The filter with the zeros that dilations put between its elements.
Value ConvTranspose::dilated(Value value, const Window &window) {
  for (size_t i = 0; i < spatial(); ++i) {
    int64_t dilation = window.dilations[i], axis = int64_t(i) + 2;
    if (dilation == 1)
      continue;
    Value column = graph.unsqueeze(value, {axis + 1});
    Value padded =
        addPad(node, PadMode::Constant, column, graph.vector({0, dilation - 1}), nullptr, {axis + 1});
    value = node.withDim(padded, axis, axis + 2, number(kernel[i] * dilation));
    value = graph.slice(value, number(0), number(dims[i].reach), number(1), {axis});
  }
  return value;
}

/// One filter for each remainder, as [M * strides..., C / groups, phases...], turned as a convolution reads
/// it.
Value ConvTranspose::phasesOfFilter(const Window &window) {
  Value value = dilated(filter, window);
  auto count = int64_t(spatial());
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, 2 + count)), pads(2 * count, 0);
  for (int64_t i = 0; i < count; ++i)
    pads[count + i] = dims[i].phases * dims[i].stride - dims[i].reach;
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }))
    value = addPad(node, PadMode::Constant, value, graph.vector(pads), nullptr, axes);
  // [groups, C / groups, M / groups, phases 0, stride 0, phases 1, stride 1, ...]
  Value inputs = graph.divide(sizeOf(filter, 0), number(groups)), outputs = sizeOf(filter, 1);
  SmallVector<Value> split{number(groups), inputs, outputs}, merged;
  SmallVector<int64_t> order{0, 2};
  Value channels = graph.multiply(outputs, number(groups));
  for (auto [i, dim] : llvm::enumerate(dims)) {
    split.append({number(dim.phases), number(dim.stride)});
    order.push_back(int64_t(2 * i) + 4);
    channels = graph.multiply(channels, number(dim.stride));
  }
  merged.append({channels, inputs});
  order.push_back(1);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    order.push_back(int64_t(2 * i) + 3);
    merged.push_back(number(dim.phases));
  }
  value = graph.reshape(value, graph.concat(split, 0), /*allowZero=*/true);
  value = graph.reshape(graph.transpose(value, order), graph.concat(merged, 0), /*allowZero=*/true);
  SmallVector<int64_t> turned;
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim.phases > 1)
      turned.push_back(int64_t(i) + 2);
  if (turned.empty())
    return value;
  SmallVector<int64_t> last(turned.size(), -1), before(turned.size(), std::numeric_limits<int64_t>::min());
  return graph.slice(value, graph.vector(last), graph.vector(before), graph.vector(last), turned);
}

/// The bias of each output channel, once for each remainder; null without one.
Value ConvTranspose::repeatedBias() {
  Value bias = node.input(2);
  if (!bias || !node.hasRank(bias, 1, "its bias"))
    return nullptr;
  int64_t remainders = 1;
  for (const TransposedDim &dim : dims)
    remainders *= dim.stride;
  Value outputs = sizeOf(bias, 0), column = graph.unsqueeze(bias, {1});
  Value repeated = graph.expand(column, graph.concat({outputs, number(remainders)}, 0));
  return graph.reshape(repeated, graph.multiply(outputs, number(remainders)), /*allowZero=*/true);
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

/// [N, M * strides..., places...] with the remainders laid side by side: [N, M, places * strides...].
Value ConvTranspose::interleaved(Value phases) {
  if (llvm::all_of(dims, [](const TransposedDim &dim) { return dim.stride == 1; }))
    return phases;
  Value batch = sizeOf(phases, 0), outputs = graph.multiply(sizeOf(filter, 1), number(groups));
  SmallVector<Value> split{batch, outputs}, merged{batch, outputs};
  SmallVector<int64_t> order{0, 1};
  auto count = int64_t(spatial());
  for (const TransposedDim &dim : dims)
    split.push_back(number(dim.stride));
  for (int64_t i = 0; i < count; ++i) {
    Value places = sizeOf(phases, i + 2);
    split.push_back(places);
    merged.push_back(graph.multiply(places, number(dims[i].stride)));
    order.append({2 + count + i, 2 + i});
  }
  Value parts = graph.reshape(phases, graph.concat(split, 0), /*allowZero=*/true);
  return graph.reshape(graph.transpose(parts, order), graph.concat(merged, 0), /*allowZero=*/true);
}

/// Without the padding, and of the sizes that output_shape says.
Value ConvTranspose::cropped(Value result) {
  SmallVector<Value> starts, ends;
  SmallVector<int64_t> axes;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!dim.computedDropped && dim.dropped == 0 && dim.trailing == 0)
      continue;
    Value start = dim.computedDropped ? graph.reshape(dim.computedDropped, {1}) : number(dim.dropped);
    starts.push_back(start);
    ends.push_back(dim.computedDropped ? graph.addition(start, number(dim.size))
                   : dim.trailing      ? number(-dim.trailing)
                                       : number(std::numeric_limits<int64_t>::max()));
    axes.push_back(int64_t(i) + 2);
  }
  if (axes.empty())
    return result;
  result = graph.slice(result, graph.concat(starts, 0), graph.concat(ends, 0),
                       graph.vector(SmallVector<int64_t>(axes.size(), 1)), axes);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim.size >= 0 && !node.requireDim(result, int64_t(i) + 2, dim.size, "its result"))
      return nullptr;
  return result;
}

Value ConvTranspose::build() {
  if (!checkFilter())
    return nullptr;
  std::optional<Window> window = windowOf(node, kernel);
  if (!window || !settleDims(*window))
    return nullptr;
  Value bias = repeatedBias();
  if (node.input(2) && !bias)
    return nullptr;
  SmallVector<int64_t> pads(2 * spatial()), ones(spatial(), 1);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    pads[i] = dim.before;
    pads[i + spatial()] = dim.behind;
  }
  Value phases = graph.conv(input, phasesOfFilter(*window), bias, ones, pads, ones, groups);
  return phases ? cropped(interleaved(phases)) : Value();
}

void weft::onnx::addConvTranspose(OpTable &table) {
  table.add("ConvTranspose", {1, 11, 22}, {2, 3},
            {{"auto_pad", AttributeKind::String},
             {"dilations", AttributeKind::Ints},
             {"group", AttributeKind::Int},
             {"kernel_shape", AttributeKind::Ints},
             {"output_padding", AttributeKind::Ints},
             {"output_shape", AttributeKind::Ints},
             {"pads", AttributeKind::Ints},
             {"strides", AttributeKind::Ints}},
            [](NodeImport &node) { return ConvTranspose(node).build(); });
}
