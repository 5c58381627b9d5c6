// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduction: AveragePool, MaxPool and LpPool: reductions of the windows of the padded input.
#include "frontend/Onnx/Ops/Pool.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Pad.h"
#include "frontend/Onnx/Ops/Window.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::Window;
using weft::onnx::WindowPads;

namespace {
/// A pool over [N, C, places...].
class Pool {
public:
  /// Nothing after an error.
  static std::optional<Pool> get(NodeImport &node);

  /// The windows on what is padded with `fill`, [N, places..., taps..., C]; with another fill for what the
  /// last ones reach beyond the padding.
  Value windows(Value input, Value fill, Value beyond) const;
  /// Such windows reduced to [N, C, places...].
  Value reduceTaps(ReduceKind kind, Value windows) const;
  Value reduceWindows(ReduceKind kind, Value input, Value fill) const {
    return reduceTaps(kind, windows(input, fill, /*beyond=*/fill));
  }
  /// How many elements each window has, if that is the same for all.
  std::optional<int64_t> countAlike() const;
  /// How many elements each window has, [1, 1, places...], in `element`; padded ones count if they are to.
  Value countElements(Type element, bool isPadCounted) const;
  /// Where the greatest element of each window is among all elements of the input, [N, C, places...]: the
  /// first such one, none of the padding.
  Value findGreatest(Value windows) const;

private:
  Pool(NodeImport &node, Window window, WindowPads pads)
      : node(node), graph(node.graph), window(std::move(window)), pads(std::move(pads)) {}

  Value pad(Value input, Value amounts, Value fill) const {
    return onnx::addPad(node, PadMode::Constant, input, amounts, fill,
                        llvm::to_vector(llvm::seq<int64_t>(1, 1 + window.spatial())));
  }
  Value givenPads() const { return pads.computed ? pads.computed : graph.vector(*pads.numbers); }
  /// Whether the number of windows is rounded up; where auto_pad says the padding, it says the number, too.
  bool isRoundedUp() const {
    return node.integer("ceil_mode", 0) && node.text("auto_pad", "NOTSET") == "NOTSET";
  }
  /// What the last window reaches beyond the padding, if it is.
  Value ceilPads() const;
  SmallVector<int64_t> tapDims() const {
    return llvm::to_vector(llvm::seq<int64_t>(1 + window.spatial(), 1 + 2 * window.spatial()));
  }
  /// The same for places of the spatial dims, whose last is next to each other, as if the first was.
  Value columnsFirst(Value places) const;

  NodeImport &node;
  GraphBuilder &graph;
  Window window;
  WindowPads pads;
};
} // namespace

std::optional<Pool> Pool::get(NodeImport &node) {
  std::optional<int64_t> rank = node.requireRankAtLeast(3);
  if (!rank)
    return std::nullopt;
  SmallVector<int64_t> kernel = *node.integers("kernel_shape");
  auto error = [&](const Twine &text) {
    node.error(DiagnosticId::NodeAttributeRange, text);
    return std::nullopt;
  };
  constexpr int64_t kMost = 1 << 16; // along one dim
  if (int64_t(kernel.size()) != *rank - 2 ||
      llvm::any_of(kernel, [](int64_t size) { return size < 1 || size > kMost; }))
    return error("expects a \"kernel_shape\" of " + Twine(*rank - 2) + " sizes from 1 to " + Twine(kMost));
  std::optional<Window> window = onnx::windowOf(node, kernel);
  if (!window)
    return std::nullopt;
  for (ArrayRef<int64_t> steps : {ArrayRef(window->strides), ArrayRef(window->dilations)})
    if (llvm::any_of(steps, [](int64_t step) { return step < 1 || step > INT32_MAX; }))
      return error("expects positive strides and dilations");
  std::optional<WindowPads> pads = onnx::padsOf(node, *window);
  if (!pads)
    return std::nullopt;
  if (pads->numbers && llvm::any_of(*pads->numbers, [](int64_t pad) { return pad < 0 || pad > INT32_MAX; }))
    return error("expects pads that are not negative");
  return Pool(node, *window, *pads);
}

// A window starts in what is given or padded before it, so that it reaches no further than `reach` - 1
// beyond.
Value Pool::ceilPads() const {
  size_t spatial = window.spatial();
  SmallVector<int64_t> amounts(2 * spatial, 0);
  for (size_t i = 0; i < spatial; ++i) {
    int64_t end = (*pads.numbers)[spatial + i];
    amounts[spatial + i] = std::min(end + window.strides[i] - 1, window.reach(i) - 1) - end;
  }
  return graph.vector(amounts);
}

Value Pool::windows(Value input, Value fill, Value beyond) const {
  SmallVector<int64_t> channelsLast{0};
  llvm::append_range(channelsLast, llvm::seq<int64_t>(2, 2 + window.spatial()));
  channelsLast.push_back(1);
  Value padded = pad(graph.transpose(input, channelsLast), givenPads(), fill);
  if (isRoundedUp())
    padded = pad(padded, ceilPads(), beyond);
  Builder builder(graph.getContext());
  auto attribute = [&](StringRef name, ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  };
  return graph.add("weft.windows", {padded},
                   {attribute("kernel", window.kernel), attribute("strides", window.strides),
                    attribute("dilations", window.dilations)});
}

Value Pool::reduceTaps(ReduceKind kind, Value windows) const {
  int64_t spatial = window.spatial();
  Value reduced = graph.reduce(kind, windows, tapDims(), /*keepdims=*/false);
  SmallVector<int64_t> permutation{0, 1 + spatial};
  llvm::append_range(permutation, llvm::seq<int64_t>(1, 1 + spatial));
  return graph.transpose(reduced, permutation);
}

Value Pool::columnsFirst(Value places) const {
  Value input = node.input(0), result;
  int64_t end = 2 + window.spatial();
  for (int64_t dim = 2; dim < end; ++dim) {
    Value behind = node.productOfDims(input, dim + 1, end), before = node.productOfDims(input, 2, dim);
    Value place = graph.add("weft.rem", {graph.divide(places, behind), node.size(input, dim)});
    Value term = graph.multiply(place, before);
    result = result ? graph.addition(result, term) : term;
  }
  return result;
}

Value Pool::findGreatest(Value windows) const {
  Value input = node.input(0), none = graph.scalar(int64_t(-1));
  int64_t end = 2 + window.spatial();
  Value count = node.productOfDims(input, 2, end);
  auto range = [&](Value limit) {
    return graph.range(graph.scalar(int64_t(0)), limit, graph.scalar(int64_t(1)));
  };
  Value shape = graph.concat({graph.vector({1, 1}), graph.shape(input, 2, end)}, 0);
  Value places = this->windows(graph.reshape(range(count), shape, /*allowZero=*/true), none, none);
  Value greatest = graph.reduce(ReduceKind::Max, windows, tapDims(), /*keepdims=*/true);
  Value isLess = graph.add("weft.or", {graph.compare(ComparePredicate::Less, windows, greatest),
                                       graph.compare(ComparePredicate::Equal, places, none)});
  Value last = graph.scalar(std::numeric_limits<int64_t>::max());
  Value first = reduceTaps(ReduceKind::Min, graph.where(isLess, last, places));
  if (node.integer("storage_order", 0))
    first = columnsFirst(first);
  // Places of all channels before.
  Value channels = graph.reshape(range(node.productOfDims(input, 0, 2)), graph.shape(input, 0, 2), true);
  channels = graph.unsqueeze(channels, llvm::to_vector(llvm::seq<int64_t>(2, end)));
  return graph.addition(first, graph.multiply(channels, count));
}

std::optional<int64_t> Pool::countAlike() const {
  if (!pads.numbers || isRoundedUp() || llvm::any_of(*pads.numbers, [](int64_t pad) { return pad != 0; }))
    return std::nullopt;
  return llvm::product_of(window.kernel);
}

Value Pool::countElements(Type element, bool isPadCounted) const {
  Value one = node.scalar(element, 1), zero = node.scalar(element, 0);
  Value shape = graph.concat({graph.vector({1, 1}), graph.shape(node.input(0), 2, 2 + window.spatial())}, 0);
  Value ones = windows(graph.expand(one, shape), isPadCounted ? one : zero, /*beyond=*/zero);
  return reduceTaps(ReduceKind::Sum, ones);
}

Value weft::onnx::averagePool(NodeImport &node, Value input) {
  std::optional<Pool> pool = node.hasFloats(input) ? Pool::get(node) : std::nullopt;
  if (!pool)
    return nullptr;
  Type given = getElementTypeOrSelf(input);
  input = node.widened(input);
  Type element = getElementTypeOrSelf(input);
  Value sum = pool->reduceWindows(ReduceKind::Sum, input, node.scalar(element, 0));
  std::optional<int64_t> same = pool->countAlike();
  Value count = same ? node.scalar(element, double(*same))
                     : pool->countElements(element, node.integer("count_include_pad", 0) != 0);
  return node.castTo(node.graph.divide(sum, count), given);
}

static Value buildMaxPool(NodeImport &node) {
  std::optional<Pool> pool = Pool::get(node);
  if (!pool)
    return nullptr;
  Type element = getElementTypeOrSelf(node.input(0));
  auto type = RankedTensorType::get({}, element);
  Value least;
  if (auto integer = dyn_cast<IntegerType>(element)) {
    unsigned width = integer.getWidth();
    APInt value = integer.isUnsigned() ? APInt::getZero(width) : APInt::getSignedMinValue(width);
    least = node.graph.constant(type, DenseElementsAttr::get(type, value));
  } else {
    least = node.scalar(element, -std::numeric_limits<double>::infinity());
  }
  Value windows = pool->windows(node.input(0), least, least);
  if (node.isRead(1))
    node.setOutput(1, pool->findGreatest(windows));
  return pool->reduceTaps(ReduceKind::Max, windows);
}

/// The p-th root of the sum of p-th powers.
static Value buildLpPool(NodeImport &node) {
  std::optional<Pool> pool = node.hasFloats(node.input(0)) ? Pool::get(node) : std::nullopt;
  int64_t p = node.integer("p", 2);
  if (pool && p < 1)
    return node.error(DiagnosticId::NodeAttributeRange, "expects \"p\" to be at least 1, got " + Twine(p));
  if (!pool)
    return nullptr;
  GraphBuilder &graph = node.graph;
  Value input = node.widened(node.input(0));
  Type element = getElementTypeOrSelf(input);
  Value size = graph.add("weft.abs", {input});
  Value powers =
      p == 2 ? graph.multiply(input, input) : graph.add("weft.pow", {size, node.scalar(element, p)});
  Value sum = pool->reduceWindows(ReduceKind::Sum, p == 1 ? size : powers, node.scalar(element, 0));
  if (p != 1)
    sum = p == 2 ? graph.sqrt(sum) : graph.add("weft.pow", {sum, node.scalar(element, 1.0 / double(p))});
  return node.castTo(sum, getElementTypeOrSelf(node.input(0)));
}

void weft::onnx::addPoolOps(OpTable &table) {
  const AttributeRow autoPad = {"auto_pad", AttributeKind::String}, ceil = {"ceil_mode", AttributeKind::Int},
                     dilations = {"dilations", AttributeKind::Ints},
                     kernel = {"kernel_shape", AttributeKind::Ints, true},
                     pads = {"pads", AttributeKind::Ints}, strides = {"strides", AttributeKind::Ints};
  table.add("AveragePool", {7, 10, 11, 19, 22}, 1,
            {autoPad, ceil, {"count_include_pad", AttributeKind::Int}, dilations, kernel, pads, strides},
            [](NodeImport &node) { return averagePool(node, node.input(0)); });
  table.add("MaxPool", {1, 8, 10, 11, 12, 22}, 1,
            {autoPad, ceil, dilations, kernel, pads, {"storage_order", AttributeKind::Int}, strides},
            buildMaxPool,
            /*maxOutputs=*/2);
  table.add("LpPool", {2, 11, 18, 22}, 1,
            {autoPad, ceil, dilations, kernel, {"p", AttributeKind::Int}, pads, strides}, buildLpPool);
}
