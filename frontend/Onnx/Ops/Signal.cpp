// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signal: DFT and STFT, as products with matrices of sines and cosines, and the windows.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/Pad.h"
#include "frontend/Onnx/Ops/RunAxes.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::RunAxes;

namespace {
/// The discrete Fourier transform of rows of numbers, which are real or complex, in pairs:
///   y[k] = sum over j of x[j] e^(-+ 2 pi i j k / length)
/// or, inverse and onesided, what is real and has the half spectrum x. Sizes are scalars of i64.
class Fourier {
public:
  Fourier(NodeImport &node, Value length, bool isInverse, bool isOneSided)
      : node(node), graph(node.graph), f64(Float64Type::get(graph.getContext())), length(length),
        isInverse(isInverse), isOneSided(isOneSided) {}

  /// How many numbers a row is made of, and how many its transform has.
  Value inputCount() { return isInverse && isOneSided ? halfLength() : length; }
  Value outputCount() { return isOneSided && !isInverse ? halfLength() : length; }
  bool isOutputReal() const { return isInverse && isOneSided; }
  /// Of the last two dims, [numbers, 1 or 2], of which there may be fewer than inputCount(). `window` has a
  /// factor for each number, or is null.
  Value transform(Value rows, bool isComplex, Value window);

private:
  Value matrix(Value count, bool isComplex, Value window);

  Value halfLength() {
    return graph.addition(graph.divide(length, graph.scalar(int64_t(2))), graph.scalar(int64_t(1)));
  }
  Value number(double value) { return node.scalar(f64, value); }

  NodeImport &node;
  GraphBuilder &graph;
  Type f64;
  Value length;
  bool isInverse, isOneSided;
};
} // namespace

//===----------------------------------------------------------------------===//
// The transform
//===----------------------------------------------------------------------===//

/// [count * (1 or 2), outputs * (1 or 2)] of f64: what each part of each number adds to each part of the
/// result. The angle is of j k modulo the length, which is exact.
Value Fourier::matrix(Value count, bool isComplex, Value window) {
  Value rows = graph.unsqueeze(node.placesUpTo(count), {1}), columns = node.placesUpTo(outputCount());
  Value turns = graph.add("weft.rem", {graph.multiply(rows, columns), length});
  Value lengths = graph.cast(length, f64);
  constexpr double kTwoPi = 6.283185307179586;
  Value angle = graph.divide(graph.multiply(graph.cast(turns, f64), number(kTwoPi)), lengths);
  Value cosine = graph.cos(angle), sine = graph.sin(angle);
  Value factors = isInverse ? graph.divide(number(1), lengths) : Value();
  if (isOutputReal()) {
    // All but the first and, of an even length, the middle one stand for two that are conjugate.
    auto isEqual = [&](Value a, Value b) { return graph.compare(ComparePredicate::Equal, a, b); };
    Value alone = graph.add(
        "weft.or", {isEqual(rows, graph.scalar(int64_t(0))), isEqual(graph.addition(rows, rows), length)});
    factors = graph.multiply(graph.where(alone, number(1), number(2)), factors);
  }
  if (window) {
    Value column = graph.unsqueeze(graph.cast(window, f64), {1});
    factors = factors ? graph.multiply(factors, column) : column;
  }
  if (factors) {
    cosine = graph.multiply(cosine, factors);
    sine = graph.multiply(sine, factors);
  }
  // e^(-i a) has the parts cos a and -sin a; times i, sin a and cos a.
  Value turned = isInverse ? sine : graph.negate(sine), back = graph.negate(turned);
  SmallVector<Value> parts;
  for (int64_t part = 0; part < (isComplex ? 2 : 1); ++part) {
    Value real = part == 0 ? cosine : back, imaginary = part == 0 ? turned : cosine;
    SmallVector<Value> both{graph.unsqueeze(real, {2})};
    if (!isOutputReal())
      both.push_back(graph.unsqueeze(imaginary, {2}));
    parts.push_back(graph.unsqueeze(graph.concat(both, 2), {1})); // [count, 1, outputs, parts]
  }
  int64_t in = isComplex ? 2 : 1, out = isOutputReal() ? 1 : 2;
  Value shape = graph.concat({graph.multiply(node.list(count), graph.vector({in})),
                              graph.multiply(node.list(outputCount()), graph.vector({out}))},
                             0);
  return graph.reshape(graph.concat(parts, 1), shape, /*allowZero=*/true);
}

Value Fourier::transform(Value rows, bool isComplex, Value window) {
  int64_t rank = *NodeImport::rankOf(rows), in = isComplex ? 2 : 1, out = isOutputReal() ? 1 : 2;
  Type element = getElementTypeOrSelf(rows);
  Value count = node.size(rows, rank - 2), before = graph.shape(rows, 0, rank - 2);
  auto sizes = [&](ArrayRef<Value> last) {
    SmallVector<Value> all{before};
    llvm::append_range(all, last);
    return graph.concat(all, 0);
  };
  Value wide = node.widened(rows);
  Value flat = graph.reshape(wide, sizes({graph.multiply(node.list(count), graph.vector({in}))}), true);
  Value matrix = node.castTo(this->matrix(count, isComplex, window), getElementTypeOrSelf(wide));
  Value result =
      graph.reshape(graph.matmul(flat, matrix), sizes({node.list(outputCount()), graph.vector({out})}), true);
  return node.castTo(result, element);
}

/// Whether the numbers, along the last dim, are complex: it is 2, and 1 of real ones. Where only a run knows
/// that, they become complex unless they have to be real. Nothing after an error.
static std::optional<bool> hasComplex(NodeImport &node, Value &input, bool mustBeReal) {
  GraphBuilder &graph = node.graph;
  int64_t last = *NodeImport::rankOf(input) - 1;
  std::optional<int64_t> parts = NodeImport::knownSize(input, last);
  if (parts == 1 || (parts == 2 && !mustBeReal))
    return parts == 2;
  if (parts) {
    node.error(DiagnosticId::OperandType, Twine("expects an input whose last dim is 1, of real numbers") +
                                              (mustBeReal ? "" : ", or 2, of complex ones") + ", got " +
                                              describeType(input.getType()));
    return std::nullopt;
  }
  if (!mustBeReal) {
    Value missing = graph.subtract(graph.vector({2}), graph.shape(input, last, last + 1));
    Value pads = graph.concat({graph.vector({0}), graph.add("weft.max", {missing, graph.vector({0})})}, 0);
    input = onnx::addPad(node, PadMode::Constant, input, pads, /*fill=*/nullptr, {last});
  }
  if (!node.requireDim(input, last, mustBeReal ? 1 : 2, "its input"))
    return std::nullopt;
  return !mustBeReal;
}

//===----------------------------------------------------------------------===//
// DFT
//===----------------------------------------------------------------------===//

/// Along an axis before the last.
static Value transformAlong(NodeImport &node, Value input, bool isComplex, int64_t axis) {
  GraphBuilder &graph = node.graph;
  bool isInverse = node.integer("inverse", 0) != 0, isOneSided = node.integer("onesided", 0) != 0;
  Value length = node.input(1) ? node.indexScalar(node.input(1), "its length") : node.size(input, axis);
  if (!length)
    return nullptr;
  if (!node.input(1) && isInverse && isOneSided) // of 2 (n - 1) numbers there are n
    length = graph.multiply(graph.subtract(length, graph.scalar(int64_t(1))), graph.scalar(int64_t(2)));
  Fourier fourier(node, length, isInverse, isOneSided);
  // The axis goes next to the parts, and back.
  int64_t before = *NodeImport::rankOf(input) - 2;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, before + 2));
  std::swap(order[axis], order[before]);
  auto swapped = [&](Value value) { return axis == before ? value : graph.transpose(value, order); };
  Value rows = swapped(input);
  if (node.input(1)) // what is beyond the length does not count, what is missing is 0
    rows = graph.slice(rows, graph.vector({0}), graph.reshape(fourier.inputCount(), {1}), graph.vector({1}),
                       {before});
  return swapped(fourier.transform(rows, isComplex, /*window=*/nullptr));
}

/// Along the axis that input 2 gives when the model runs: of [a, b, c, parts] with axis 1 it is [a, b, c,
/// parts], and with axis 0 [1, a, b c, parts].
static Value transformByRun(NodeImport &node, Value input, bool isComplex) {
  GraphBuilder &graph = node.graph;
  int64_t rank = *NodeImport::rankOf(input), parts = isComplex ? 2 : 1;
  std::optional<RunAxes> axis = RunAxes::get(node, 2, rank);
  if (!axis)
    return nullptr;
  Value sizes = graph.shape(input), around = axis->around(sizes);
  auto numberOf = [&](Value list, int64_t index) { return graph.reshape(node.element(list, index), {1}); };
  // If it is the last, which has the parts of a number, the first size is below -1, which fits no tensor.
  Value isLast = numberOf(axis->choose(graph.scalar(int64_t(1)), graph.scalar(int64_t(0))), rank - 1);
  Value before = numberOf(around, 0);
  before = graph.subtract(before, graph.multiply(isLast, graph.addition(before, graph.vector({2}))));
  Value behind = graph.divide(numberOf(around, 2), graph.vector({parts}));
  Value shape = graph.concat({before, numberOf(around, 1), behind, graph.vector({parts})}, 0);
  Value result =
      transformAlong(node, graph.reshape(axis->checked(input), shape, /*allowZero=*/true), isComplex, 1);
  if (!result)
    return nullptr;
  Value others = graph.slice(axis->choose(node.size(result, 1), sizes), graph.vector({0}),
                             graph.vector({rank - 1}), graph.vector({1}), {0});
  return graph.reshape(result, graph.concat({others, graph.shape(result, 3, 4)}, 0), /*allowZero=*/true);
}

/// Before version 20 the axis was an attribute.
static Value buildDft(NodeImport &node, int64_t otherwise) {
  Value input = node.input(0);
  std::optional<int64_t> rank = node.requireRankAtLeast(2);
  if (!rank || !node.hasFloats(input))
    return nullptr;
  bool mustBeReal = node.integer("onesided", 0) != 0 && node.integer("inverse", 0) == 0;
  std::optional<bool> isComplex = hasComplex(node, input, mustBeReal);
  if (!isComplex)
    return nullptr;
  if (node.input(2) && node.isGivenByRun(2))
    return transformByRun(node, input, *isComplex);
  std::optional<int64_t> given = node.integer("axis", otherwise);
  if (node.input(2))
    given = node.knownInt(node.input(2));
  if (!given)
    return node.error(DiagnosticId::InputNotConstant, "expects an axis of one number");
  std::optional<int64_t> axis = node.axis(*given, rank);
  if (!axis)
    return nullptr;
  if (*axis == *rank - 1)
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects an axis before the last, along which a number's parts are");
  return transformAlong(node, input, *isComplex, *axis);
}

//===----------------------------------------------------------------------===//
// STFT
//===----------------------------------------------------------------------===//

/// Of [batch, places, 1 or 2], windows of a length, a step apart: [batch, windows, outputs, 2].
static Value buildStft(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Value signal = node.input(0), window = node.input(2);
  if (!node.hasFloats(signal) || !node.hasRank(signal, 3, "its input"))
    return nullptr;
  bool isOneSided = node.integer("onesided", 1) != 0;
  std::optional<bool> isComplex = hasComplex(node, signal, /*mustBeReal=*/isOneSided);
  Value step = isComplex ? node.indexScalar(node.input(1), "its step") : Value();
  if (!step || (window && (!node.hasFloats(window) || !node.hasRank(window, 1, "its window"))))
    return nullptr;
  if (!window && !node.input(3))
    return node.error(DiagnosticId::NodeArity, "expects a window or a length of frames");
  Value length =
      node.input(3) ? node.indexScalar(node.input(3), "its length of frames") : node.size(window, 0);
  if (!length)
    return nullptr;
  if (window && node.input(3) && !node.requireDim(window, 0, node.knownDim(length), length, "its window"))
    return nullptr;
  // Without a step ahead, there are -1 windows, which is an error.
  Value one = graph.scalar(int64_t(1)), zero = graph.scalar(int64_t(0));
  auto clamped = [&](Value value, Value low, Value high) {
    return graph.add("weft.max", {graph.add("weft.min", {value, high}), low});
  };
  Value isAhead = clamped(step, zero, one), room = graph.subtract(node.size(signal, 1), length);
  Value count = graph.addition(graph.divide(room, graph.add("weft.max", {step, one})), one);
  count = graph.subtract(graph.multiply(graph.addition(count, one), isAhead), one);
  Value starts = graph.multiply(graph.unsqueeze(node.placesUpTo(count), {1}), step);
  Value frames = graph.gather(signal, graph.addition(starts, node.placesUpTo(length)), 1);
  return frames ? Fourier(node, length, /*isInverse=*/false, isOneSided).transform(frames, *isComplex, window)
                : Value();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// a - b cos(2 pi i / n) + c cos(4 pi i / n), of n places or, unless it is periodic, of n + 1.
template <int a, int b, int c, int over> static Value buildWindow(NodeImport &node) {
  GraphBuilder &graph = node.graph;
  Type type = node.has("output_datatype") ? node.elementType("output_datatype") : graph.f32();
  Value size = type ? node.indexScalar(node.input(0), "its size") : Value();
  if (!size)
    return nullptr;
  Type f64 = Float64Type::get(graph.getContext());
  auto number = [&](double value) { return node.scalar(f64, value); };
  Value period = graph.cast(size, f64);
  if (node.integer("periodic", 1) == 0) // of one place, the first
    period = graph.add("weft.max", {graph.subtract(period, number(1)), number(1)});
  constexpr double kTwoPi = 6.283185307179586;
  Value angle = graph.divide(graph.multiply(graph.cast(node.placesUpTo(size), f64), number(kTwoPi)), period);
  Value result =
      graph.subtract(number(double(a) / over), graph.multiply(number(double(b) / over), graph.cos(angle)));
  if (c != 0)
    result = graph.addition(
        result, graph.multiply(number(double(c) / over), graph.cos(graph.addition(angle, angle))));
  return node.castTo(result, type);
}

void weft::onnx::addSignalOps(OpTable &table) {
  const AttributeRow inverse = {"inverse", AttributeKind::Int}, onesided = {"onesided", AttributeKind::Int},
                     axis = {"axis", AttributeKind::Int};
  table.add("DFT", {17}, {1, 2}, {axis, inverse, onesided},
            [](NodeImport &node) { return buildDft(node, 1); });
  table.add("DFT", {20}, {1, 3}, {inverse, onesided}, [](NodeImport &node) { return buildDft(node, -2); });
  table.add("STFT", {17}, {2, 4}, onesided, buildStft);
  const AttributeRow window[] = {{"output_datatype", AttributeKind::Int}, {"periodic", AttributeKind::Int}};
  table.add("HannWindow", {17}, 1, window, buildWindow<1, 1, 0, 2>);
  table.add("HammingWindow", {17}, 1, window, buildWindow<25, 21, 0, 46>);
  table.add("BlackmanWindow", {17}, 1, window, buildWindow<42, 50, 8, 100>);
}
