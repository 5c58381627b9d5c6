// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: Col2Im, PyTorch's fold. Every column holds a window of an image; elements are added up where they
// lie in it.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Window.h"
#include <limits>

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::Window;
using weft::onnx::WindowPads;

namespace {
/// From [N, C * block, windows] to [N, C, image...]: sizes of images and blocks may be what a run computes.
class Col2Im {
public:
  explicit Col2Im(NodeImport &node) : node(node), graph(node.graph), columns(node.input(0)) {}
  Value build();

private:
  /// One spatial dim: sizes as scalars of i64, the image's with its padding.
  struct ImageDim {
    Value image, block, windows, padded;
    int64_t begin, dilation, stride;
  };

  std::optional<int64_t> countDims();
  bool settleDims(int64_t count);
  Value placesInImage();
  Value product(Value ImageDim::*size);

  NodeImport &node;
  GraphBuilder &graph;
  Value columns;
  SmallVector<ImageDim> dims;
};
} // namespace

/// How many spatial dims there are.
std::optional<int64_t> Col2Im::countDims() {
  Value image = node.input(1), block = node.input(2);
  if (!node.hasRank(columns, 3, "its input") || !node.hasRank(image, 1, "its image_shape") ||
      !node.hasRank(block, 1, "its block_shape") || !node.hasIndices(image, "an image_shape") ||
      !node.hasIndices(block, "a block_shape"))
    return std::nullopt;
  std::optional<int64_t> count = node.fixedSize(image, 0);
  if (!count)
    count = node.fixedSize(block, 0);
  if (!count || *count < 1) {
    node.error(DiagnosticId::RankUnknown,
               "expects an image_shape of a known number of dims, got " + describeType(image.getType()));
    return std::nullopt;
  }
  bool fit = node.requireDim(image, 0, *count, "its image_shape") &&
             node.requireDim(block, 0, *count, "its block_shape");
  return fit ? count : std::nullopt;
}

bool Col2Im::settleDims(int64_t count) {
  std::optional<Window> window = windowOf(node, SmallVector<int64_t>(count, -1));
  std::optional<WindowPads> given = window ? padsOf(node, *window) : std::nullopt;
  if (!given)
    return false;
  const SmallVector<int64_t> &pads = *given->numbers; // without auto_pad
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  auto areSane = [](ArrayRef<int64_t> list, int64_t least) {
    return llvm::all_of(list, [&](int64_t value) { return value >= least && value <= kMost; });
  };
  if (!areSane(pads, 0) || !areSane(window->strides, 1) || !areSane(window->dilations, 1)) {
    node.error(DiagnosticId::NodeAttributeRange, "expects " + Twine(2 * count) +
                                                     " pads that are not negative, and positive strides and "
                                                     "dilations");
    return false;
  }
  Value one = graph.scalar(int64_t(1));
  Value images = node.castTo(node.input(1), graph.i64()), blocks = node.castTo(node.input(2), graph.i64());
  for (int64_t i = 0; i < count; ++i) {
    ImageDim dim{node.element(images, i), node.element(blocks, i), {}, {}, pads[i],
                 window->dilations[i],    window->strides[i]};
    dim.padded = graph.addition(dim.image, graph.scalar(pads[i] + pads[count + i]));
    // (padded - dilation * (block - 1) - 1) / stride + 1
    Value steps = graph.multiply(graph.subtract(dim.block, one), graph.scalar(dim.dilation));
    Value last = graph.subtract(graph.subtract(dim.padded, steps), one);
    dim.windows = graph.addition(graph.divide(last, graph.scalar(dim.stride)), one);
    dims.push_back(dim);
  }
  return true;
}

/// The product of a size of all dims, as a scalar.
Value Col2Im::product(Value ImageDim::*size) {
  Value result = graph.scalar(int64_t(1));
  for (const ImageDim &dim : dims)
    result = graph.multiply(result, dim.*size);
  return result;
}

/// The place in the padded image, counted in rows of rows, of each element of a block of each window: [block
/// * windows].
Value Col2Im::placesInImage() {
  auto count = int64_t(dims.size());
  Value places, pitch = graph.scalar(int64_t(1));
  for (int64_t i = count; i-- > 0;) {
    const ImageDim &dim = dims[i];
    Value inBlock = graph.multiply(node.placesUpTo(dim.block), graph.scalar(dim.dilation));
    Value ofWindow = graph.multiply(node.placesUpTo(dim.windows), graph.scalar(dim.stride));
    // [block 0, block 1, ..., windows 0, windows 1, ...]
    Value along =
        graph.addition(node.beforeOnes(inBlock, 2 * count - 1 - i), node.beforeOnes(ofWindow, count - 1 - i));
    along = graph.multiply(along, pitch);
    places = places ? graph.addition(places, along) : along;
    pitch = graph.multiply(pitch, dim.padded);
  }
  return graph.reshape(places, {-1});
}

Value Col2Im::build() {
  std::optional<int64_t> count = countDims();
  if (!count || !settleDims(*count))
    return nullptr;
  Value block = product(&ImageDim::block), windows = product(&ImageDim::windows), places = placesInImage();
  if (!places || !node.requireDim(columns, 2, node.knownDim(windows), windows, "its input"))
    return nullptr;
  Value batch = graph.shape(columns, 0, 1);
  Value channels = graph.divide(graph.shape(columns, 1, 2), node.list(block));
  auto shaped = [&](Value value, Value elements) {
    return graph.reshape(value, graph.concat({batch, channels, elements}, 0), /*allowZero=*/true);
  };
  Value elements = node.list(graph.multiply(block, windows));
  Value updates = shaped(columns, elements);
  Value indices = graph.expand(places, graph.concat({batch, channels, elements}, 0));
  Value zero = node.scalar(getElementTypeOrSelf(columns), 0);
  Value image = graph.expand(zero, graph.concat({batch, channels, node.list(product(&ImageDim::padded))}, 0));
  image = graph.scatterElements(ScatterKind::Add, image, indices, updates, 2);

  SmallVector<Value> shape{batch, channels}, starts, ends;
  SmallVector<int64_t> axes;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    shape.push_back(node.list(dim.padded));
    starts.push_back(graph.vector({dim.begin}));
    ends.push_back(node.list(graph.addition(dim.image, graph.scalar(dim.begin))));
    axes.push_back(int64_t(i) + 2);
  }
  image = graph.reshape(image, graph.concat(shape, 0), /*allowZero=*/true);
  return graph.slice(image, graph.concat(starts, 0), graph.concat(ends, 0),
                     graph.vector(SmallVector<int64_t>(axes.size(), 1)), axes);
}

void weft::onnx::addCol2Im(OpTable &table) {
  table.add(
      "Col2Im", {18}, {3, 3},
      {{"dilations", AttributeKind::Ints}, {"pads", AttributeKind::Ints}, {"strides", AttributeKind::Ints}},
      [](NodeImport &node) { return Col2Im(node).build(); });
}
