// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Embeddings of tokens and positions, and rotary positions.
#include "frontend/Builder/Layers/Positions.h"
#include "frontend/Builder/Layers/Basics.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::layers;

Value layers::embedding(Scope scope, Value ids, int64_t rows, int64_t width) {
  scope.enter();
  return scope.graph().gather(scope.weight("weight", {rows, width}), ids, 0);
}

/// Rows `first` to `first` + `count` of a table. A gather, not a slice: one that is not there is an error
/// when the model runs.
static Value takeRows(GraphBuilder &graph, Value table, Value first, Value count) {
  return graph.gather(table, positions(graph, first, count), 0);
}

Value layers::learnedPositions(Scope scope, StringRef name, Value x, int64_t longest, int64_t width,
                               Value first, int64_t leadingOnes) {
  scope.enter();
  GraphBuilder &graph = scope.graph();
  SmallVector<int64_t> shape(leadingOnes, 1);
  shape.append({longest, width});
  Value table = scope.weight(name, shape);
  if (leadingOnes)
    table = graph.reshape(table, {longest, width});
  return takeRows(graph, table, first, sizeOf(graph, x, 1));
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

namespace {
/// Sines and cosines [length, pairs].
struct Waves {
  Value sine, cosine;
};
} // namespace

static Waves makeTables(GraphBuilder &graph, ArrayRef<double> frequencies, int64_t rows, Value first,
                        Value count) {
  SmallVector<float> sines, cosines;
  for (int64_t row = 0; row < rows; ++row)
    for (double frequency : frequencies) {
      sines.push_back(float(std::sin(row * frequency)));
      cosines.push_back(float(std::cos(row * frequency)));
    }
  auto take = [&](ArrayRef<float> values) {
    return takeRows(graph, graph.constant({rows, int64_t(frequencies.size())}, values), first, count);
  };
  return {take(sines), take(cosines)};
}

static Waves computeWaves(GraphBuilder &graph, ArrayRef<double> frequencies, Value first, Value count) {
  SmallVector<float> rounded(frequencies.begin(), frequencies.end());
  Value position = graph.cast(positions(graph, first, count), graph.f32());
  Value row = graph.constant({1, int64_t(rounded.size())}, rounded);
  Value angle = graph.multiply(graph.unsqueeze(position, {1}), row);
  return {graph.sin(angle), graph.cos(angle)};
}

/// [..., n] and [..., n] as [..., n, 2]: to be reshaped to [..., 2 * n], element by element.
static Value pairUp(GraphBuilder &graph, Value even, Value odd, int64_t rank) {
  return graph.concat({graph.unsqueeze(even, {rank}), graph.unsqueeze(odd, {rank})}, rank);
}

/// The rows of a table in its final layout.
static Value takeSinusoids(GraphBuilder &graph, const SinusoidConfig &config, ArrayRef<double> frequencies,
                           Value first, Value count) {
  int64_t pairs = frequencies.size();
  SmallVector<float> table;
  for (int64_t row = 0; row < config.longest; ++row)
    for (int64_t column = 0; column < config.width; ++column) {
      double angle = row * frequencies[config.interleaved ? column / 2 : column % pairs];
      bool isSine = config.interleaved ? column % 2 == 0 : column < pairs;
      table.push_back(float(isSine ? std::sin(angle) : std::cos(angle)));
    }
  Value rows = graph.constant({config.longest, config.width}, ArrayRef<float>(table));
  return takeRows(graph, rows, first, count);
}

Value layers::sinusoids(GraphBuilder &graph, Value x, const SinusoidConfig &config, Value first) {
  int64_t pairs = (config.width + 1) / 2;
  SmallVector<double> frequencies;
  for (int64_t pair = 0; pair < pairs; ++pair)
    frequencies.push_back(config.frequency ? config.frequency(pair)
                                           : std::pow(config.base, -2.0 * pair / config.width));
  Value count = sizeOf(graph, x, 1);
  if (config.longest)
    return takeSinusoids(graph, config, frequencies, first, count);
  Waves waves = computeWaves(graph, frequencies, first, count);
  // An odd width has no cosine for its last column.
  Value result = config.interleaved
                     ? graph.reshape(pairUp(graph, waves.sine, waves.cosine, 2), {0, 2 * pairs})
                     : graph.concat({waves.sine, waves.cosine}, 1);
  return config.width % 2 == 0 ? result : slice(graph, result, 1, 0, config.width);
}

//===----------------------------------------------------------------------===//
// Rotary positions
//===----------------------------------------------------------------------===//

Value layers::rotateBy(GraphBuilder &graph, Value x, Value cosine, Value sine, bool interleaved) {
  auto dims = x ? getDims(x) : std::nullopt, angles = cosine ? getDims(cosine) : std::nullopt;
  if (!dims || !angles || dims->empty() || angles->empty())
    return nullptr;
  int64_t axis = int64_t(dims->size()) - 1, last = int64_t(angles->size()) - 1;
  Dim pairs = angles->back(), width = dims->back();
  std::optional<int64_t> known = pairs ? pairs.getConstant() : std::nullopt;
  auto times = [&](int64_t factor) {
    return known ? graph.vector(*known * factor)
                 : graph.multiply(graph.shape(cosine, last, last + 1), graph.vector(factor));
  };
  auto part = [&](Value from, Value to, int64_t step) {
    return graph.slice(x, from, to, graph.vector(step), {axis});
  };
  Value begin = graph.vector({0}), half = times(1), end = times(2);
  Value left = interleaved ? part(begin, end, 2) : part(begin, half, 1);
  Value right = interleaved ? part(graph.vector({1}), end, 2) : part(half, end, 1);
  Value newLeft = graph.subtract(graph.multiply(left, cosine), graph.multiply(right, sine));
  Value newRight = graph.addition(graph.multiply(right, cosine), graph.multiply(left, sine));
  Value result;
  if (interleaved) {
    result = graph.reshape(pairUp(graph, newLeft, newRight, axis + 1),
                           graph.concat({graph.shape(x, 0, axis), end}, 0), /*allowZero=*/true);
  } else {
    result = graph.concat({newLeft, newRight}, axis);
  }
  bool isWhole = known && width && width.getConstant() == *known * 2;
  return isWhole ? result : graph.concat({result, part(end, graph.vector({INT64_MAX}), 1)}, axis);
}

Value layers::rotate(GraphBuilder &graph, Value x, const RotaryConfig &config, Value first) {
  auto type = x ? dyn_cast<RankedTensorType>(x.getType()) : RankedTensorType();
  if (!type || type.getRank() != 4 || type.getShape()[3] < config.width || config.width % 2 != 0) {
    if (x)
      emitError(graph.getLocation()) << "rotary positions: expects heads of rank 4 with at least "
                                     << config.width << " channels, an even number, got "
                                     << describeType(x.getType());
    graph.fail();
    return nullptr;
  }
  int64_t rotated = config.width, pairs = rotated / 2;
  SmallVector<double> frequencies;
  for (int64_t pair = 0; pair < pairs; ++pair)
    frequencies.push_back(std::pow(config.base, -2.0 * pair / rotated));
  Value count = sizeOf(graph, x, 2);
  Waves waves = config.longest ? makeTables(graph, frequencies, config.longest, first, count)
                               : computeWaves(graph, frequencies, first, count);
  return rotateBy(graph, x, waves.cosine, waves.sine, config.interleaved);
}
