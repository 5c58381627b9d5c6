// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: GridSample. Each point of the grid is a sum of a few places of the image around it, whose channels
// are gathered as rows.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
enum class Sampling { Nearest, Linear, Cubic };
enum class Padding { Zeros, Border, Reflection };

/// Coordinates are of the grid's element type, but no less than f32.
class GridSample {
public:
  explicit GridSample(NodeImport &node)
      : node(node), graph(node.graph), image(node.input(0)), grid(node.input(1)) {}
  Value build();

private:
  /// A place along one dim for each point, [N, points] of i64 and within the image; its weight, null where
  /// that is 1; and whether it counts, null where it always does.
  struct Tap {
    Value places, weights, counts = {};
  };
  /// One spatial dim: its size as a scalar of i64 and in coordinates, and the ends of what is inside.
  struct Axis {
    Value size, length, low, high;
  };

  bool checkModes();
  bool checkInputs();
  Axis axisOf(int64_t dim);
  Value coordinatesOf(Value points, int64_t dim, const Axis &axis);
  Value reflected(Value coordinates, const Axis &axis);
  Value cubicWeight(Value distance);
  Tap tapAt(Value place, Value weight, const Axis &axis);
  SmallVector<Tap> tapsOf(Value coordinates, const Axis &axis);
  void addTaps(ArrayRef<SmallVector<Tap>> taps, Tap sum);
  void addRows(Tap tap);

  Value number(double value) const { return node.scalar(type, value); }
  Value add(Value left, Value right) const { return graph.addition(left, right); }
  Value sub(Value left, Value right) const { return graph.subtract(left, right); }
  Value mul(Value left, Value right) const { return graph.multiply(left, right); }
  Value floor(Value value) const { return graph.add("weft.floor", {value}); }
  Value clamped(Value value, Value low, Value high) const {
    return graph.add("weft.max", {graph.add("weft.min", {value, high}), low});
  }
  Value isLess(Value left, Value right) const { return graph.compare(ComparePredicate::Less, left, right); }

  NodeImport &node;
  GraphBuilder &graph;
  Value image, grid;
  Sampling sampling = Sampling::Linear;
  Padding padding = Padding::Zeros;
  bool alignsCorners = false;
  int64_t spatial = 0;
  Type type; ///< of coordinates and weights
  SmallVector<Axis> axes;
  Value rows; ///< the image, as [N * places, C]
  Value result;
};
} // namespace

//===----------------------------------------------------------------------===//
// What the node says
//===----------------------------------------------------------------------===//

bool GridSample::checkModes() {
  // Before version 20 the modes had other names.
  std::optional<Sampling> found = llvm::StringSwitch<std::optional<Sampling>>(node.text("mode", "linear"))
                                      .Case("nearest", Sampling::Nearest)
                                      .Cases({"linear", "bilinear"}, Sampling::Linear)
                                      .Cases({"cubic", "bicubic"}, Sampling::Cubic)
                                      .Default(std::nullopt);
  std::optional<Padding> beyond =
      llvm::StringSwitch<std::optional<Padding>>(node.text("padding_mode", "zeros"))
          .Case("zeros", Padding::Zeros)
          .Case("border", Padding::Border)
          .Case("reflection", Padding::Reflection)
          .Default(std::nullopt);
  if (!found)
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"mode\" to be linear, nearest or cubic, or bilinear or bicubic, got " +
                   onnx::quoted(node.text("mode", "")));
  if (!beyond)
    node.error(DiagnosticId::NodeAttributeRange,
               "expects \"padding_mode\" to be zeros, border or reflection, got " +
                   onnx::quoted(node.text("padding_mode", "")));
  sampling = found.value_or(sampling);
  padding = beyond.value_or(padding);
  alignsCorners = node.integer("align_corners", 0) != 0;
  return found && beyond;
}

/// The image is [N, C, places...], the grid [N, points..., spatial].
bool GridSample::checkInputs() {
  std::optional<int64_t> rank = node.requireRank(image, "its input");
  if (!rank)
    return false;
  spatial = *rank - 2;
  if (spatial < 1) {
    node.error(DiagnosticId::OperandType,
               "expects an input of rank 3 or more, got " + describeType(image.getType()));
    return false;
  }
  return (sampling == Sampling::Nearest || node.hasFloats(image)) && node.hasFloats(grid) &&
         node.hasRank(grid, *rank, "its grid") && node.requireDim(grid, 0, image, 0, "its grid") &&
         node.requireDim(grid, *rank - 1, spatial, "its grid");
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

GridSample::Axis GridSample::axisOf(int64_t dim) {
  Value size = node.size(image, dim + 2), length = node.castTo(size, type);
  double outside = alignsCorners ? 0 : 0.5; // how far the image reaches beyond the middles of its places
  return {size, length, number(-outside), sub(length, number(1 - outside))};
}

/// -1 and 1 are the ends of the image: the middles of its outermost places, or their outer edges.
Value GridSample::coordinatesOf(Value points, int64_t dim, const Axis &axis) {
  Value entry = graph.gather(points, graph.scalar(spatial - 1 - dim), 2); // the last dim comes first
  Value fromBegin = add(node.castTo(entry, type), number(1));
  Value coordinates = alignsCorners ? mul(mul(fromBegin, number(0.5)), sub(axis.length, number(1)))
                                    : mul(sub(mul(fromBegin, axis.length), number(1)), number(0.5));
  if (sampling == Sampling::Nearest)
    coordinates = graph.add("weft.round", {coordinates});
  if (padding == Padding::Zeros)
    return coordinates;
  Value isBefore = isLess(coordinates, axis.low), isBehind = isLess(axis.high, coordinates);
  Value inside = padding == Padding::Border ? clamped(coordinates, number(0), sub(axis.length, number(1)))
                                            : reflected(coordinates, axis);
  return graph.where(isBefore, inside, graph.where(isBehind, inside, coordinates));
}

/// At both ends, as often as it takes: low + width - |width - |x - low| mod 2 width|.
Value GridSample::reflected(Value coordinates, const Axis &axis) {
  auto magnitude = [&](Value value) { return graph.add("weft.abs", {value}); };
  Value width = sub(axis.high, axis.low), distance = magnitude(sub(coordinates, axis.low));
  Value rest = graph.add("weft.rem", {distance, mul(width, number(2))});
  Value mirrored = add(axis.low, sub(width, magnitude(sub(width, rest))));
  return graph.where(isLess(number(0), width), mirrored, axis.low); // of one place there is no width
}

//===----------------------------------------------------------------------===//
// Taps
//===----------------------------------------------------------------------===//

/// Keys' kernel with a = -3/4: (a+2)d^3 - (a+3)d^2 + 1 up to 1, and a(d^3 - 5d^2 + 8d - 4) up to 2.
Value GridSample::cubicWeight(Value distance) {
  constexpr double a = -0.75;
  Value d = graph.add("weft.abs", {distance});
  Value near = add(mul(mul(sub(mul(d, number(a + 2)), number(a + 3)), d), d), number(1));
  Value far = mul(sub(mul(add(mul(sub(d, number(5)), d), number(8)), d), number(4)), number(a));
  return graph.where(isLess(number(1), d), far, near);
}

/// The place is whole, and perhaps outside: there it does not count, or it is another place.
GridSample::Tap GridSample::tapAt(Value place, Value weight, const Axis &axis) {
  Value counts;
  if (padding == Padding::Zeros)
    counts = graph.add("weft.and", {isLess(number(-1), place), isLess(place, axis.length)});
  else if (padding == Padding::Reflection)
    place = reflected(place, axis);
  // Clamped as an integer: a NaN and what no float holds exactly are inside then.
  Value index = node.castTo(place, graph.i64()), one = graph.scalar(int64_t(1));
  return {clamped(index, graph.scalar(int64_t(0)), sub(axis.size, one)), weight, counts};
}

SmallVector<GridSample::Tap> GridSample::tapsOf(Value coordinates, const Axis &axis) {
  if (sampling == Sampling::Nearest)
    return {tapAt(coordinates, nullptr, axis)};
  Value base = floor(coordinates), behind = sub(coordinates, base);
  SmallVector<Tap> taps;
  int64_t reach = sampling == Sampling::Linear ? 1 : 2;
  for (int64_t i = 1 - reach; i <= reach; ++i) {
    Value weight = sampling == Sampling::Cubic ? cubicWeight(sub(behind, number(double(i))))
                   : i == 0                    ? sub(number(1), behind)
                                               : behind;
    taps.push_back(tapAt(add(base, number(double(i))), weight, axis));
  }
  return taps;
}

/// Adds the rows of all combinations of taps of the remaining dims to the result. `sum` is what those before
/// come to: a place in them, the product of their weights, and whether all of them count.
void GridSample::addTaps(ArrayRef<SmallVector<Tap>> taps, Tap sum) {
  if (taps.empty())
    return addRows(sum);
  const Axis &axis = axes[axes.size() - taps.size()];
  for (const Tap &tap : taps.front()) {
    Value weights = sum.weights ? mul(sum.weights, tap.weights) : tap.weights;
    Value counts = sum.counts ? graph.add("weft.and", {sum.counts, tap.counts}) : tap.counts;
    addTaps(taps.drop_front(), {add(mul(sum.places, axis.size), tap.places), weights, counts});
  }
}

void GridSample::addRows(Tap tap) {
  Value part = graph.gather(rows, tap.places, 0);
  Type element = getElementTypeOrSelf(part);
  if (tap.weights)
    part = mul(part, node.castTo(graph.unsqueeze(tap.weights, {2}), element));
  if (tap.counts) // not a weight of 0, which would make a NaN of an infinity
    part = graph.where(graph.unsqueeze(tap.counts, {2}), part, node.scalar(element, 0));
  result = result ? add(result, part) : part;
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

Value GridSample::build() {
  if (!checkModes() || !checkInputs())
    return nullptr;
  Type element = getElementTypeOrSelf(image);
  type = getElementTypeOrSelf(node.widened(grid));
  // In the wider type of both, where they are added up.
  Value wide = sampling == Sampling::Nearest ? image : node.widened(image);
  Value batch = graph.shape(image, 0, 1), channels = graph.shape(image, 1, 2);
  Value places = node.list(node.productOfDims(image, 2, 2 + spatial));
  Value points = node.list(node.productOfDims(grid, 1, 1 + spatial));
  Value planes = graph.reshape(wide, graph.concat({batch, channels, places}, 0), /*allowZero=*/true);
  rows = graph.reshape(graph.transpose(planes, {0, 2, 1}),
                       graph.concat({graph.multiply(batch, places), channels}, 0), /*allowZero=*/true);
  Value entries =
      graph.reshape(grid, graph.concat({batch, points, graph.vector({spatial})}, 0), /*allowZero=*/true);
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t dim = 0; dim < spatial; ++dim) {
    axes.push_back(axisOf(dim));
    taps.push_back(tapsOf(coordinatesOf(entries, dim, axes.back()), axes.back()));
  }
  addTaps(taps, {graph.unsqueeze(node.places(image, 0), {1}), nullptr});
  SmallVector<Value> sizes{batch, channels, graph.shape(grid, 1, 1 + spatial)};
  Value sampled =
      graph.reshape(graph.transpose(result, {0, 2, 1}), graph.concat(sizes, 0), /*allowZero=*/true);
  return node.castTo(sampled, element);
}

void weft::onnx::addGridSample(OpTable &table) {
  table.add("GridSample", {16, 20, 22}, 2,
            {{"align_corners", AttributeKind::Int},
             {"mode", AttributeKind::String},
             {"padding_mode", AttributeKind::String}},
            [](NodeImport &node) { return GridSample(node).build(); });
}
