// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known contents of operations that move elements: where each element of the result comes from.
#include "dialects/Weft/IR/KnownElements.h"
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------===//
// The same elements in the same order
//===----------------------------------------------------------------------===//

Contents ReshapeOp::inferContents(InferContext &context) { return context.elements(getInput()); }
Contents SqueezeOp::inferContents(InferContext &context) { return context.elements(getInput()); }
Contents UnsqueezeOp::inferContents(InferContext &context) { return context.elements(getInput()); }

//===----------------------------------------------------------------------===//
// By index
//===----------------------------------------------------------------------===//

Contents TransposeOp::inferContents(InferContext &context) {
  auto input = getKnownElements(context, getInput());
  if (!input)
    return std::nullopt;
  return makeContents(*this, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index.size());
    for (auto [i, axis] : llvm::enumerate(getPermutation()))
      from[axis] = index[i];
    return input->at(from);
  });
}

Contents ExpandOp::inferContents(InferContext &context) {
  auto input = getKnownElements(context, getInput());
  if (!input)
    return std::nullopt;
  return makeContents(*this, [&](ArrayRef<int64_t> index) { return input->atBroadcast(index); });
}

Contents TileOp::inferContents(InferContext &context) {
  auto input = getKnownElements(context, getInput());
  if (!input)
    return std::nullopt;
  return makeContents(*this, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    for (auto [at, size] : llvm::zip_equal(from, input->shape))
      at %= size;
    return input->at(from);
  });
}

Contents ConcatOp::inferContents(InferContext &context) {
  SmallVector<KnownElements> inputs;
  for (Value value : getInputs()) {
    auto input = getKnownElements(context, value);
    if (!input)
      return std::nullopt;
    inputs.push_back(std::move(*input));
  }
  return makeContents(*this, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    int64_t &at = from[getAxis()];
    for (const KnownElements &input : inputs) {
      if (at < input.shape[getAxis()])
        return input.at(from);
      at -= input.shape[getAxis()];
    }
    return Dim();
  });
}

Contents SliceOp::inferContents(InferContext &context) {
  auto input = getKnownElements(context, getInput());
  SmallVector<Dim> offsets;
  SmallVector<int64_t> strides;
  if (!input || !resolveParts(context, offsets, strides) ||
      !llvm::all_of(offsets, [](Dim dim) { return dim.isConstant(); }))
    return std::nullopt;
  return makeContents(*this, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from;
    for (auto [at, offset, stride] : llvm::zip_equal(index, offsets, strides))
      from.push_back(*offset.getConstant() + at * stride);
    return input->at(from);
  });
}

Contents GatherOp::inferContents(InferContext &context) {
  auto data = getKnownElements(context, getData()), indices = getKnownElements(context, getIndices());
  if (!data || !indices)
    return std::nullopt;
  size_t axis = getAxis(), rank = indices->shape.size();
  return makeContents(*this, [&](ArrayRef<int64_t> index) {
    std::optional<int64_t> place = getPlace(indices->at(index.slice(axis, rank)), data->shape[axis]);
    if (!place)
      return Dim();
    SmallVector<int64_t> from(index.take_front(axis));
    from.push_back(*place);
    llvm::append_range(from, index.drop_front(axis + rank));
    return data->at(from);
  });
}

Contents GatherElementsOp::inferContents(InferContext &context) {
  auto data = getKnownElements(context, getData()), indices = getKnownElements(context, getIndices());
  if (!data || !indices)
    return std::nullopt;
  return makeContents(*this, [&](ArrayRef<int64_t> index) {
    std::optional<int64_t> place = getPlace(indices->at(index), data->shape[getAxis()]);
    SmallVector<int64_t> from(index);
    from[getAxis()] = place.value_or(0);
    return place ? data->at(from) : Dim();
  });
}

Contents GatherNDOp::inferContents(InferContext &context) {
  auto data = getKnownElements(context, getData()), indices = getKnownElements(context, getIndices());
  if (!data || !indices)
    return std::nullopt;
  size_t batch = getBatchDims(), tuples = indices->shape.size() - 1;
  return makeContents(*this, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index.take_front(batch)), at(index.take_front(tuples));
    for (int64_t i = 0; i < indices->shape.back(); ++i) {
      SmallVector<int64_t> component(at);
      component.push_back(i);
      std::optional<int64_t> place = getPlace(indices->at(component), data->shape[batch + i]);
      if (!place)
        return Dim();
      from.push_back(*place);
    }
    llvm::append_range(from, index.drop_front(tuples));
    return data->at(from);
  });
}

//===----------------------------------------------------------------------===//
// scatter_elements, scatter_nd
//===----------------------------------------------------------------------===//

static Dim applyUpdate(ScatterKind kind, Dim old, Dim update) {
  switch (kind) {
  case ScatterKind::Replace:
    return update;
  case ScatterKind::Add:
    return old + update;
  case ScatterKind::Mul:
    return old * update;
  case ScatterKind::Min:
    return Dim::min(old, update);
  case ScatterKind::Max:
    return Dim::max(old, update);
  }
  return Dim();
}

/// Data after all updates: `placeOf` says which element an update changes. Nothing if one is not known.
static Contents scatter(const KnownElements &data, const KnownElements &updates, ScatterKind kind,
                        function_ref<std::optional<SmallVector<int64_t>>(ArrayRef<int64_t>)> placeOf) {
  SmallVector<Dim> result = data.values;
  bool isKnown = true;
  visitIndices(updates.shape, [&](ArrayRef<int64_t> index) {
    std::optional<SmallVector<int64_t>> place = placeOf(index);
    isKnown &= place.has_value();
    if (!place)
      return;
    int64_t at = 0;
    for (auto [i, size] : llvm::zip_equal(*place, data.shape))
      at = at * size + i;
    result[at] = applyUpdate(kind, result[at], updates.at(index));
  });
  return isKnown ? Contents(std::move(result)) : std::nullopt;
}

Contents ScatterElementsOp::inferContents(InferContext &context) {
  auto data = getKnownElements(context, getData()), indices = getKnownElements(context, getIndices()),
       updates = getKnownElements(context, getUpdates());
  if (!data || !indices || !updates)
    return std::nullopt;
  auto placeOf = [&](ArrayRef<int64_t> index) -> std::optional<SmallVector<int64_t>> {
    std::optional<int64_t> place = getPlace(indices->at(index), data->shape[getAxis()]);
    if (!place)
      return std::nullopt;
    SmallVector<int64_t> to(index);
    to[getAxis()] = *place;
    return to;
  };
  return scatter(*data, *updates, getKind(), placeOf);
}

Contents ScatterNDOp::inferContents(InferContext &context) {
  auto data = getKnownElements(context, getData()), indices = getKnownElements(context, getIndices()),
       updates = getKnownElements(context, getUpdates());
  if (!data || !indices || !updates)
    return std::nullopt;
  size_t tuples = indices->shape.size() - 1;
  auto placeOf = [&](ArrayRef<int64_t> index) -> std::optional<SmallVector<int64_t>> {
    SmallVector<int64_t> to, component(index.take_front(tuples));
    component.push_back(0);
    for (; component.back() < indices->shape.back(); ++component.back()) {
      std::optional<int64_t> place = getPlace(indices->at(component), data->shape[component.back()]);
      if (!place)
        return std::nullopt;
      to.push_back(*place);
    }
    llvm::append_range(to, index.drop_front(tuples));
    return to;
  };
  return scatter(*data, *updates, getKind(), placeOf);
}

//===----------------------------------------------------------------------===//
// range
//===----------------------------------------------------------------------===//

Contents RangeOp::inferContents(InferContext &context) {
  if (!getStart())
    return std::nullopt;
  Contents start = context.contents(getStart()), delta = context.contents(getDelta());
  if (!start || !delta || start->size() != 1 || delta->size() != 1)
    return std::nullopt;
  return makeContents(*this,
                      [&](ArrayRef<int64_t> index) { return start->front() + delta->front() * index[0]; });
}
