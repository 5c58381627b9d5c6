// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of sizes with a 1 for each axis. Tables have a row for each dim, and few elements: ranks are
// small.
#include "frontend/Onnx/Ops/RunAxes.h"

using namespace mlir;
using namespace weft;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::RunAxes;

/// 1 where a number is 0, and 0 elsewhere.
Value RunAxes::isZero(Value numbers) const {
  return graph.subtract(scalar(1), graph.add("weft.min", {graph.add("weft.abs", {numbers}), scalar(1)}));
}

/// 0, 1, ... as a column.
Value RunAxes::places(int64_t count) const {
  return graph.constant({count, 1}, ArrayRef(llvm::to_vector(llvm::seq<int64_t>(0, count))));
}

Value RunAxes::sumRows(Value table) const {
  return graph.reduce(ReduceKind::Sum, table, {1}, /*keepdims=*/false);
}

std::optional<RunAxes> RunAxes::get(NodeImport &node, size_t index) {
  std::optional<int64_t> rank = node.requireRank(node.input(0), "its input");
  return rank ? get(node, index, *rank) : std::nullopt;
}

std::optional<RunAxes> RunAxes::get(NodeImport &node, size_t index, int64_t rank) {
  auto type = dyn_cast<RankedTensorType>(node.input(index).getType());
  if (!type || !type.hasStaticShape() || type.getRank() > 1) {
    node.error(DiagnosticId::InputNotConstant,
               "expects input " + Twine(index) +
                   " (axes) to be a constant, or at least a list of known length, got " +
                   describeType(node.input(index).getType()));
    return std::nullopt;
  }
  RunAxes axes(node.graph, rank, type.getNumElements());
  if (axes.count < 1 || axes.count > rank) {
    node.error(DiagnosticId::NodeAttributeRange,
               "expects from 1 to " + Twine(rank) + " axes, got " + Twine(axes.count));
    return std::nullopt;
  }
  if (!node.hasIndices(node.input(index), "axes"))
    return std::nullopt;
  GraphBuilder &graph = node.graph;
  Value row = node.castTo(graph.reshape(node.input(index), {1, axes.count}), graph.i64());
  // What is no axis stays none, and is so near that no difference overflows.
  row = graph.add("weft.max", {graph.add("weft.min", {row, axes.scalar(rank)}), axes.scalar(-rank - 1)});
  Value distance = graph.subtract(row, axes.places(rank));
  axes.matches =
      graph.addition(axes.isZero(distance), axes.isZero(graph.addition(distance, axes.scalar(rank))));
  axes.members = graph.add("weft.min", {axes.sumRows(axes.matches), axes.scalar(1)});
  return axes;
}

Value RunAxes::checked(Value x) const {
  Value found = graph.reduce(ReduceKind::Sum, members, {0}, /*keepdims=*/false);
  SmallVector<int64_t> first(rank, 0);
  first.front() = 1;
  // If some are missing, the first size is below -1, which fits no tensor, not even one without elements.
  Value missing = graph.multiply(graph.subtract(scalar(count), found), graph.vector(first)),
        sizes = graph.shape(x);
  Value below = graph.multiply(missing, graph.addition(sizes, scalar(2)));
  return graph.reshape(x, graph.subtract(sizes, below), /*allowZero=*/true);
}

Value RunAxes::choose(Value atAxes, Value elsewhere) const {
  return graph.addition(elsewhere, graph.multiply(members, graph.subtract(atAxes, elsewhere)));
}

Value RunAxes::spread(Value numbers, int64_t otherwise) const {
  return choose(sumRows(graph.multiply(matches, graph.cast(numbers, graph.i64()))), scalar(otherwise));
}

Value RunAxes::countWhere(Value flags, llvm::function_ref<bool(int64_t, int64_t)> counts) const {
  SmallVector<int64_t> table;
  for (int64_t at = 0; at < rank; ++at)
    for (int64_t other = 0; other < rank; ++other)
      table.push_back(counts(at, other));
  return sumRows(graph.multiply(graph.constant({rank, rank}, ArrayRef<int64_t>(table)), flags));
}

/// Which of the other dims each dim is, if it is one.
Value RunAxes::otherPlaces() const {
  return countWhere(graph.subtract(scalar(1), members), [](int64_t at, int64_t other) { return other < at; });
}

Value RunAxes::around(Value sizes) const {
  // The product of sizes where a flag is 1.
  auto product = [&](Value flags) {
    Value chosen = graph.addition(scalar(1), graph.multiply(flags, graph.subtract(sizes, scalar(1))));
    return graph.reduce(ReduceKind::Prod, chosen, {0}, /*keepdims=*/true);
  };
  return graph.concat({product(countAfter()), product(members), product(countBefore())}, 0);
}

Value RunAxes::withoutAxes(Value sizes) const {
  if (count == rank)
    return graph.vector(ArrayRef<int64_t>());
  Value isPlace = isZero(graph.subtract(otherPlaces(), places(rank - count)));
  return sumRows(graph.multiply(isPlace, choose(scalar(0), sizes)));
}

Value RunAxes::withOnes(Value sizes) const {
  if (count == rank)
    return graph.vector(SmallVector<int64_t>(rank, 1));
  SmallVector<int64_t> row = llvm::to_vector(llvm::seq<int64_t>(0, rank - count));
  Value place = graph.unsqueeze(otherPlaces(), {1});
  Value isPlace = isZero(graph.subtract(place, graph.vector(row)));
  return choose(scalar(1), sumRows(graph.multiply(isPlace, sizes)));
}
