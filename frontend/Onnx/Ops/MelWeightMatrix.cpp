// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signal: MelWeightMatrix, what each frequency of a spectrum adds to each of a number of bands that people
// hear as equally wide.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// Bands are triangles over frequencies, each from the top of the one before to the top of the one behind:
/// tops are equally far apart in mels, 2595 log10(1 + hertz / 700).
class MelWeightMatrix {
public:
  explicit MelWeightMatrix(NodeImport &node)
      : node(node), graph(node.graph), f64(Float64Type::get(graph.getContext())) {}
  Value build();

private:
  Value frequency(size_t index);
  Value melsOf(Value hertz);
  Value edges(Value bands, Value length, Value rate);
  Value number(double value) { return node.scalar(f64, value); }

  NodeImport &node;
  GraphBuilder &graph;
  Type f64;
};
} // namespace

/// A scalar of f64; null after an error.
Value MelWeightMatrix::frequency(size_t index) {
  Value given = node.input(index);
  return node.hasFloats(given) ? graph.cast(graph.reshape(given, ArrayRef<int64_t>()), f64) : Value();
}

Value MelWeightMatrix::melsOf(Value hertz) {
  Value octaves = graph.add("weft.log", {graph.addition(number(1), graph.divide(hertz, number(700)))});
  return graph.multiply(octaves, number(2595 / std::log(10)));
}

/// The places in the spectrum where bands begin, have their tops and end, one behind the other: i64 [bands +
/// 2].
Value MelWeightMatrix::edges(Value bands, Value length, Value rate) {
  Value low = frequency(3), high = frequency(4);
  if (!low || !high)
    return nullptr;
  low = melsOf(low);
  Value tops = graph.addition(bands, graph.scalar(int64_t(2)));
  Value step = graph.divide(graph.subtract(melsOf(high), low), graph.cast(tops, f64));
  Value mels = graph.addition(graph.multiply(graph.cast(node.placesUpTo(tops), f64), step), low);
  Value power = graph.add("weft.pow", {number(10), graph.divide(mels, number(2595))});
  Value hertz = graph.multiply(graph.subtract(power, number(1)), number(700));
  Value lines = graph.cast(graph.addition(length, graph.scalar(int64_t(1))), f64);
  Value places = graph.divide(graph.multiply(lines, hertz), graph.cast(rate, f64));
  return graph.cast(graph.add("weft.floor", {places}), graph.i64());
}

Value MelWeightMatrix::build() {
  Type type = node.has("output_datatype") ? node.elementType("output_datatype") : graph.f32();
  Value bands = node.indexScalar(node.input(0), "num_mel_bins"),
        length = node.indexScalar(node.input(1), "dft_length"),
        rate = node.indexScalar(node.input(2), "sample_rate");
  if (!type || !bands || !length || !rate)
    return nullptr;
  Value places = edges(bands, length, rate);
  if (!places)
    return nullptr;
  // [1, bands] each, and the spectrum's places as a column.
  auto edge = [&](int64_t first) {
    Value start = graph.vector({first}), end = graph.addition(node.list(bands), start);
    return graph.unsqueeze(graph.slice(places, start, end, graph.vector({1}), {0}), {0});
  };
  Value low = edge(0), top = edge(1), high = edge(2), one = graph.scalar(int64_t(1));
  Value spectrum = graph.addition(graph.divide(length, graph.scalar(int64_t(2))), one);
  Value place = graph.unsqueeze(node.placesUpTo(spectrum), {1});
  auto isLess = [&](Value left, Value right) { return graph.compare(ComparePredicate::Less, left, right); };
  auto share = [&](Value from, Value to, Value of) {
    Value whole = graph.add("weft.max", {of, one}); // of nothing, only the top is there
    return graph.divide(graph.cast(graph.subtract(to, from), f64), graph.cast(whole, f64));
  };
  Value rising = share(low, place, graph.subtract(top, low)),
        falling = share(place, high, graph.subtract(high, top));
  Value isBefore = isLess(place, low), isRising = isLess(place, top), isBehind = isLess(place, high);
  Value isTop = graph.compare(ComparePredicate::Equal, place, top);
  Value behind = graph.where(isTop, number(1), graph.where(isBehind, falling, number(0)));
  Value before = graph.where(isBefore, number(0), rising);
  return node.castTo(graph.where(isRising, before, behind), type);
}

void weft::onnx::addMelWeightMatrix(OpTable &table) {
  table.add("MelWeightMatrix", {17}, {5, 5}, {{"output_datatype", AttributeKind::Int}},
            [](NodeImport &node) { return MelWeightMatrix(node).build(); });
}
