// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/ScoreAxes.h"
#include "compiler/Graph/Moves.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

AxisList ScoreAxes::add(Dim size) {
  if (size.getConstant() == 1)
    return {};
  axes.push_back({size, {}});
  return {Axis(axes.size() - 1)};
}

Dim ScoreAxes::getSize(ArrayRef<Axis> list) const {
  auto sizes = llvm::map_to_vector(list, [&](Axis axis) { return getSize(axis); });
  return Dim::product(context, sizes);
}

AxisList ScoreAxes::getLeaves(ArrayRef<Axis> list) const {
  AxisList leaves;
  for (Axis axis : list) {
    if (axes[axis].parts.empty())
      leaves.push_back(axis);
    else
      llvm::append_range(leaves, getLeaves(axes[axis].parts));
  }
  return leaves;
}

Layout ScoreAxes::getLeaves(const Layout &layout) const {
  return llvm::map_to_vector(layout, [&](const AxisList &list) { return getLeaves(list); });
}

Dim weft::graph::divideExactly(Dim left, Dim right) {
  Dim quotient = Dim::floorDiv(left, right);
  return quotient && quotient * right == left ? quotient : Dim();
}

std::optional<Layout> ScoreAxes::reshape(const Layout &from, ArrayRef<Dim> to, Splitting splitting) {
  AxisList pending = flatten(getLeaves(from));
  std::reverse(pending.begin(), pending.end());
  Layout result;
  for (Dim rest : to) {
    AxisList &list = result.emplace_back();
    while (rest.getConstant() != 1) {
      if (pending.empty())
        return std::nullopt;
      Axis axis = pending.pop_back_val();
      Dim size = getSize(axis);
      if (Dim quotient = divideExactly(rest, size)) {
        list.push_back(axis);
        rest = quotient;
        continue;
      }
      Dim inner = divideExactly(size, rest);
      if (!inner || splitting == Splitting::Forbidden)
        return std::nullopt;
      Axis outerPart = axes.size();
      axes.push_back({rest, {}});
      axes.push_back({inner, {}});
      axes[axis].parts = {outerPart, outerPart + 1};
      list.push_back(outerPart);
      pending.push_back(outerPart + 1);
      break;
    }
  }
  return pending.empty() ? std::optional(std::move(result)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Layout weft::graph::permute(const Layout &from, ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation, [&](int64_t i) { return from[i]; });
}

AxisList weft::graph::flatten(const Layout &layout) {
  AxisList result;
  for (const AxisList &list : layout)
    llvm::append_range(result, list);
  return result;
}

Value weft::graph::arrange(OpBuilder &builder, Location location, const ScoreAxes &axes, Value value,
                           const Layout &layout, const Layout &groups, ArrayRef<Missing> missing) {
  AxisList held = flatten(layout), wanted = flatten(groups);
  auto sizeOf = [&](Axis axis) { return axes.getSize(axis); };
  value = makeReshape(builder, location, value, llvm::map_to_vector(held, sizeOf));
  SmallVector<int64_t> permutation;
  for (Axis axis : wanted)
    if (llvm::is_contained(held, axis))
      permutation.push_back(llvm::find(held, axis) - held.begin());
  value = makeTranspose(builder, location, value, permutation);

  // One dim for each axis: 1 where the tensor lacks it, and then its size where it is to be repeated.
  SmallVector<Dim> present, repeated, result;
  Dim one = Dim::constant(builder.getContext(), 1);
  for (auto [group, otherwise] : llvm::zip_equal(groups, missing)) {
    bool hasAny = llvm::any_of(group, [&](Axis axis) { return llvm::is_contained(held, axis); });
    bool isWhole = hasAny || otherwise == Missing::Repeated;
    for (Axis axis : group) {
      present.push_back(llvm::is_contained(held, axis) ? sizeOf(axis) : one);
      repeated.push_back(isWhole ? sizeOf(axis) : one);
    }
    result.push_back(isWhole && !group.empty() ? axes.getSize(group) : one);
  }
  value = makeReshape(builder, location, value, present);
  value = makeExpand(builder, location, value, repeated);
  return makeReshape(builder, location, value, result);
}
