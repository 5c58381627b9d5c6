// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: Resize and Upsample. Along one axis after the other each place of the result is a sum of a few of
// the input's, which are gathered.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::OptionalInts;

namespace {
/// What is said of all axes. Coordinates and weights are f64, as ONNX's reference implementation has them.
class Resize {
public:
  /// The sizes that inputs 'scales' or 'sizes' are, lists that belong to some axes; null if not given.
  struct Inputs {
    Value roi, scales, sizes;

    /// A scale that is a constant.
    std::optional<double> knownScale(size_t index) const;
  };

  static std::optional<Resize> get(NodeImport &node, StringRef coordinates);
  Value build(Inputs inputs);

private:
  explicit Resize(NodeImport &node) : node(node), graph(node.graph) {}

  /// One axis: scalars, sizes as i64 and the others as f64; the ends of the region are null if all of it
  /// counts.
  struct Axis {
    int64_t axis;
    Value in, out, scale, start, end;
    std::optional<double> knownScale;
  };
  /// Places of the input, one for each of the result, as i64 and perhaps outside, with their weights.
  struct Tap {
    Value places, weights;
  };

  bool checkModes();
  bool settleAxes(Inputs &inputs, int64_t rank);
  std::optional<Axis> axisOf(const Inputs &inputs, size_t index, Value common);
  Value commonScale(Value sizes);
  bool isUnchanged(const Inputs &inputs, size_t index);
  Value coordinatesOf(const Axis &axis);
  Value nearestPlace(Value coordinates);
  std::optional<SmallVector<Tap>> tapsOf(const Axis &axis, Value coordinates);
  std::optional<std::pair<int64_t, int64_t>> tapRange(const Axis &axis);
  Value weightOf(Value distance) const;
  Value interpolate(Value x, const Axis &axis);

  Value number(double value) const { return node.scalar(f64, value); }
  Value toF64(Value value) const { return node.castTo(value, f64); }
  Value add(Value left, Value right) const { return graph.addition(left, right); }
  Value sub(Value left, Value right) const { return graph.subtract(left, right); }
  Value mul(Value left, Value right) const { return graph.multiply(left, right); }
  Value div(Value left, Value right) const { return graph.divide(left, right); }
  Value floor(Value value) const { return graph.add("weft.floor", {value}); }
  Value ceil(Value value) const { return graph.add("weft.ceil", {value}); }
  Value least(Value left, Value right) const { return graph.add("weft.min", {left, right}); }
  Value most(Value left, Value right) const { return graph.add("weft.max", {left, right}); }
  Value isLess(Value left, Value right) const { return graph.compare(ComparePredicate::Less, left, right); }
  /// Element `index` of a list, as a scalar.
  Value element(Value list, size_t index) const { return node.element(list, int64_t(index)); }

  NodeImport &node;
  GraphBuilder &graph;
  Type f64;
  StringRef mode, coordinates, nearest, policy;
  double cubic = 0, beyond = 0;
  bool excludesOutside = false, smooths = false;
  SmallVector<int64_t> axes;
};
} // namespace

//===----------------------------------------------------------------------===//
// What the node says
//===----------------------------------------------------------------------===//

std::optional<Resize> Resize::get(NodeImport &node, StringRef coordinates) {
  Resize resize(node);
  resize.f64 = Float64Type::get(node.graph.getContext());
  resize.mode = node.text("mode", "nearest");
  resize.coordinates = node.text("coordinate_transformation_mode", coordinates);
  resize.nearest = node.text("nearest_mode", coordinates == "asymmetric" ? "floor" : "round_prefer_floor");
  resize.policy = node.text("keep_aspect_ratio_policy", "stretch");
  resize.cubic = node.number("cubic_coeff_a", -0.75f);
  resize.beyond = node.number("extrapolation_value", 0);
  resize.excludesOutside = node.integer("exclude_outside", 0) != 0;
  resize.smooths = node.integer("antialias", 0) != 0;
  return resize.checkModes() ? std::optional(resize) : std::nullopt;
}

bool Resize::checkModes() {
  auto isOneOf = [&](StringRef name, StringRef given, ArrayRef<StringRef> known) {
    if (llvm::is_contained(known, given))
      return true;
    node.error(DiagnosticId::NodeAttributeRange, "expects \"" + name + "\" to be \"" +
                                                     llvm::join(known, "\", \"") + "\", got " +
                                                     onnx::quoted(given));
    return false;
  };
  return isOneOf("mode", mode, {"nearest", "linear", "cubic"}) &&
         isOneOf("coordinate_transformation_mode", coordinates,
                 {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                  "tf_half_pixel_for_nn", "tf_crop_and_resize"}) &&
         isOneOf("nearest_mode", nearest, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) &&
         isOneOf("keep_aspect_ratio_policy", policy, {"stretch", "not_larger", "not_smaller"});
}

std::optional<double> Resize::Inputs::knownScale(size_t index) const {
  auto constant = scales ? scales.getDefiningOp<ConstantOp>() : ConstantOp();
  auto dense = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  return dense ? std::optional(dense.getValues<APFloat>()[index].convertToDouble()) : std::nullopt;
}

/// Which axes the lists are about. False after an error.
bool Resize::settleAxes(Inputs &inputs, int64_t rank) {
  if (OptionalInts given = node.integers("axes")) {
    if (!node.axes(*given, rank)) // each is one, and there once
      return false;
    for (int64_t axis : *given)
      axes.push_back(*node.axis(axis, rank));
  } else {
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  }
  if (!inputs.scales == !inputs.sizes) {
    node.error(DiagnosticId::NodeArity,
               Twine("expects scales or sizes, got ") + (inputs.scales ? "both" : "none"));
    return false;
  }
  if (coordinates == "tf_crop_and_resize" && !inputs.roi) {
    node.error(DiagnosticId::NodeArity, "expects a region, \"roi\", with \"tf_crop_and_resize\"");
    return false;
  }
  auto isLong = [&](Value &list, int64_t length, StringRef what) {
    return !list || (node.hasRank(list, 1, what) && node.requireDim(list, 0, length, what));
  };
  int64_t count = axes.size();
  if (coordinates != "tf_crop_and_resize")
    inputs.roi = nullptr; // It says nothing then.
  return isLong(inputs.scales, count, "its scales") && isLong(inputs.sizes, count, "its sizes") &&
         isLong(inputs.roi, 2 * count, "its region");
}

/// Of a policy that keeps the ratio of the sides: the least or the greatest scale of all. Null without one.
Value Resize::commonScale(Value sizes) {
  Value common;
  if (!sizes || policy == "stretch")
    return common;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value scale = div(toF64(element(sizes, i)), toF64(node.size(node.input(0), axis)));
    common = !common ? scale : policy == "not_larger" ? least(common, scale) : most(common, scale);
  }
  return common;
}

/// Whether an axis stays as it is. Exporters give batches and channels a size, too, which nobody knows before
/// a run: of an image of three and more dims the first two are taken to stay, which is checked then.
bool Resize::isUnchanged(const Inputs &inputs, size_t index) {
  if (inputs.roi || policy != "stretch")
    return false;
  if (inputs.scales)
    return inputs.knownScale(index) == 1;
  int64_t axis = axes[index];
  weft::Dim in = (*getDims(node.input(0)))[axis], out = node.knownDim(element(inputs.sizes, index));
  if (std::optional<bool> isEqual = in && out ? provablyEqual(in, out) : std::nullopt)
    return *isEqual;
  return axis < 2 && *NodeImport::rankOf(node.input(0)) > 2;
}

std::optional<Resize::Axis> Resize::axisOf(const Inputs &inputs, size_t index, Value common) {
  Value input = node.input(0);
  Axis axis{axes[index], node.size(input, axes[index]), nullptr, nullptr, nullptr,
            nullptr,     inputs.knownScale(index)};
  Value in = toF64(axis.in);
  if (inputs.roi) {
    axis.start = toF64(element(inputs.roi, index));
    axis.end = toF64(element(inputs.roi, index + axes.size()));
  }
  if (inputs.scales) {
    axis.scale = toF64(element(inputs.scales, index));
    // In f32, as others do: ten times 0.7 is 7 there, and less where it is extended before.
    auto toF32 = [&](Value value) { return node.castTo(value, Float32Type::get(graph.getContext())); };
    Value part = axis.end ? mul(toF32(axis.in), toF32(sub(axis.end, axis.start))) : toF32(axis.in);
    axis.out = node.castTo(floor(mul(part, toF32(element(inputs.scales, index)))), graph.i64());
  } else if (common) {
    axis.scale = common;
    axis.out = node.castTo(floor(add(mul(common, in), number(0.5))), graph.i64());
  } else {
    axis.out = node.castTo(element(inputs.sizes, index), graph.i64());
    axis.scale = div(toF64(axis.out), in);
  }
  std::optional<int64_t> before = node.fixedSize(input, axis.axis), after = node.knownInt(axis.out);
  // Where that is no whole number, ONNX's own cases go by the fraction, and ONNX Runtime and PyTorch do not.
  double length = double(before.value_or(1)) * axis.knownScale.value_or(0);
  bool isWhole = axis.knownScale && length == std::floor(length);
  if (inputs.scales && coordinates == "align_corners" && !isWhole) {
    node.error(DiagnosticId::InputNotConstant, "expects sizes, or constant scales of which the last place is "
                                               "a whole number, with \"align_corners\"");
    return std::nullopt;
  }
  if (!axis.knownScale && before && after && *before > 0)
    axis.knownScale = double(*after) / double(*before);
  return axis;
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

/// Where each place of the result lies in the input, f64.
Value Resize::coordinatesOf(const Axis &axis) {
  Value one = number(1), half = number(0.5), in = toF64(axis.in), out = toF64(axis.out);
  Value places = toF64(node.placesUpTo(axis.out));
  Value last = most(sub(out, one), one), lastIn = sub(in, one); // of one place both are at the first
  Value middles = div(add(places, half), axis.scale);
  if (coordinates == "asymmetric")
    return div(places, axis.scale);
  if (coordinates == "align_corners")
    return div(mul(places, lastIn), last);
  if (coordinates == "tf_half_pixel_for_nn")
    return middles;
  if (coordinates == "tf_crop_and_resize") {
    Value isMore = isLess(one, out), width = mul(sub(axis.end, axis.start), lastIn);
    Value spread = add(mul(axis.start, lastIn), div(mul(places, width), last));
    return graph.where(isMore, spread, mul(mul(half, add(axis.start, axis.end)), lastIn));
  }
  Value centred = sub(middles, half);
  if (coordinates == "pytorch_half_pixel")
    return graph.where(isLess(one, out), centred, number(0));
  if (coordinates == "half_pixel_symmetric") {
    Value whole = mul(in, axis.scale); // of which the result is what is whole
    return add(centred, mul(div(in, number(2)), sub(one, div(out, whole))));
  }
  return centred;
}

Value Resize::nearestPlace(Value coordinates) {
  if (nearest == "floor")
    return floor(coordinates);
  if (nearest == "ceil")
    return ceil(coordinates);
  return nearest == "round_prefer_ceil" ? floor(add(coordinates, number(0.5)))
                                        : ceil(sub(coordinates, number(0.5)));
}

/// The weight at a distance, in places of the input or, where that is made smaller and smoothed, of the
/// result.
Value Resize::weightOf(Value distance) const {
  Value d = graph.add("weft.abs", {distance}), one = number(1), zero = number(0), a = number(cubic);
  if (mode == "linear")
    return most(sub(one, d), zero);
  // Keys' kernel: (a+2)|d|^3 - (a+3)|d|^2 + 1 up to 1, and a|d|^3 - 5a|d|^2 + 8a|d| - 4a up to 2.
  Value near = add(mul(mul(sub(mul(add(a, number(2)), d), add(a, number(3))), d), d), one);
  Value far =
      sub(mul(add(mul(sub(mul(a, d), mul(number(5), a)), d), mul(number(8), a)), d), mul(number(4), a));
  return graph.where(isLess(d, one), near, graph.where(isLess(d, number(2)), far, zero));
}

/// The first tap and the one behind the last, counted from the place at or before the coordinate.
std::optional<std::pair<int64_t, int64_t>> Resize::tapRange(const Axis &axis) {
  int64_t reach = mode == "linear" ? 1 : 2;
  if (!smooths)
    return std::pair(1 - reach, 1 + reach);
  constexpr double kMostTaps = 256;
  if (!axis.knownScale || *axis.knownScale <= 0 || 2 * double(reach) / *axis.knownScale > kMostTaps) {
    node.error(DiagnosticId::InputNotConstant,
               "expects scales or sizes that are constant and make no place of "
               "more than 256, with \"antialias\"");
    return std::nullopt;
  }
  auto first = int64_t(std::floor(-double(reach) / std::min(*axis.knownScale, 1.0))) + 1;
  return std::pair(first, 2 - first);
}

std::optional<SmallVector<Resize::Tap>> Resize::tapsOf(const Axis &axis, Value coordinates) {
  Value one = number(1), zero = number(0);
  if (mode == "nearest")
    return SmallVector<Tap>{{node.castTo(nearestPlace(coordinates), graph.i64()), nullptr}};
  std::optional<std::pair<int64_t, int64_t>> range = tapRange(axis);
  if (!range)
    return std::nullopt;
  Value base = floor(coordinates), narrow = smooths ? least(axis.scale, one) : one, sum;
  SmallVector<Tap> taps;
  for (int64_t i = range->first; i < range->second; ++i) {
    Value place = add(base, number(double(i)));
    Value weight = weightOf(mul(sub(place, coordinates), narrow));
    if (excludesOutside) {
      weight = graph.where(isLess(place, zero), zero, weight);
      weight = graph.where(isLess(sub(toF64(axis.in), one), place), zero, weight);
    }
    sum = sum ? add(sum, weight) : weight;
    taps.push_back({node.castTo(place, graph.i64()), weight});
  }
  if (excludesOutside || smooths)
    for (Tap &tap : taps)
      tap.weights = div(tap.weights, sum);
  return taps;
}

/// The sum of what is gathered; null after an error. Places outside are those at the edge.
Value Resize::interpolate(Value x, const Axis &axis) {
  Value coordinates = coordinatesOf(axis), result;
  std::optional<SmallVector<Tap>> taps = tapsOf(axis, coordinates);
  if (!taps)
    return nullptr;
  int64_t behind = *NodeImport::rankOf(x) - axis.axis - 1;
  Value zero = graph.scalar(int64_t(0)), last = sub(axis.in, graph.scalar(int64_t(1)));
  for (const Tap &tap : *taps) {
    Value part = graph.gather(x, most(least(tap.places, last), zero), axis.axis);
    if (tap.weights)
      part = mul(part, node.beforeOnes(node.castTo(tap.weights, getElementTypeOrSelf(x)), behind));
    result = result ? add(result, part) : part;
  }
  if (!axis.start)
    return result;
  auto where = [&](Value condition) {
    Value fill = node.scalar(getElementTypeOrSelf(x), beyond);
    result = graph.where(node.beforeOnes(condition, behind), fill, result);
  };
  where(isLess(coordinates, number(0)));
  where(isLess(sub(toF64(axis.in), number(1)), coordinates));
  return result;
}

//===----------------------------------------------------------------------===//
// All axes
//===----------------------------------------------------------------------===//

Value Resize::build(Inputs inputs) {
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRank(input, "its input");
  if (!rank || (mode != "nearest" && !node.hasFloats(input)) || !settleAxes(inputs, *rank))
    return nullptr;
  Value common = commonScale(inputs.sizes), x = mode == "nearest" ? input : node.widened(input);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (isUnchanged(inputs, i)) {
      Value size = inputs.sizes ? element(inputs.sizes, i) : Value();
      if (size && !node.requireDim(x, axes[i], node.knownDim(size), size, "its input"))
        return nullptr;
      continue;
    }
    std::optional<Axis> axis = axisOf(inputs, i, common);
    x = axis ? interpolate(x, *axis) : Value();
    if (!x)
      return nullptr;
  }
  return node.castTo(x, getElementTypeOrSelf(input));
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

static Value buildResize(NodeImport &node) {
  std::optional<Resize> resize = Resize::get(node, "half_pixel");
  auto given = [&](size_t index) {
    Value list = node.input(index);
    // Before opset 13 a list of nothing is one that is left out.
    return list && NodeImport::rankOf(list) == 1 && NodeImport::knownSize(list, 0) == 0 ? Value() : list;
  };
  return resize ? resize->build({given(1), given(2), given(3)}) : Value();
}

/// Resize of opset 10, and Upsample: by scales, from the first place on.
static Value buildUpsample(NodeImport &node) {
  std::optional<Resize> resize = Resize::get(node, "asymmetric");
  return resize ? resize->build({nullptr, node.input(1), nullptr}) : Value();
}

void weft::onnx::addResizeOps(OpTable &table) {
  const AttributeRow mode = {"mode", AttributeKind::String};
  SmallVector<AttributeRow> attributes{mode,
                                       {"coordinate_transformation_mode", AttributeKind::String},
                                       {"cubic_coeff_a", AttributeKind::Float},
                                       {"exclude_outside", AttributeKind::Int},
                                       {"extrapolation_value", AttributeKind::Float},
                                       {"nearest_mode", AttributeKind::String}};
  table.add("Upsample", {9, 10}, 2, mode, buildUpsample);
  table.add("Resize", {10}, 2, mode, buildUpsample);
  table.add("Resize", {11, 13}, {1, 4}, attributes, buildResize);
  attributes.push_back({"antialias", AttributeKind::Int});
  attributes.push_back({"axes", AttributeKind::Ints});
  attributes.push_back({"keep_aspect_ratio_policy", AttributeKind::String});
  table.add("Resize", {18, 19}, {1, 4}, attributes, buildResize);
}
