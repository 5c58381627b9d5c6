// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strides are products of dims; a reshape keeps them where it splits dims, or merges ones that lie side by
// side.
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"

using namespace mlir;
using namespace weft;

SmallVector<Dim> weft::contiguousStrides(MLIRContext *context, ArrayRef<Dim> sizes) {
  SmallVector<Dim> strides(sizes.size());
  Dim stride = Dim::constant(context, 1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride = stride * sizes[i];
  }
  return strides;
}

StridedView weft::wholeOf(StepBuilder &steps, Value tensor, ArrayRef<Dim> dims) {
  return {tensor, steps.constant(0), SmallVector<Dim>(dims), contiguousStrides(tensor.getContext(), dims)};
}

bool weft::isKnown(const StridedView &view) {
  return view.offset && !llvm::is_contained(view.strides, Dim());
}

bool weft::isWhole(StepBuilder &steps, const StridedView &view) {
  if (view.offset.getConstant() != 0)
    return false;
  for (auto [size, stride, expected] :
       llvm::zip_equal(view.sizes, view.strides, contiguousStrides(view.tensor.getContext(), view.sizes)))
    if (size.getConstant() != 1 && (!stride || stride != expected))
      return false;
  Dim elements = steps.product(view.sizes);
  return elements && elements == steps.product(steps.dimsOf(view.tensor));
}

StridedView weft::viewThrough(StepBuilder &steps, TransposeOp op) {
  StridedView input = viewOf(steps, op.getInput()), view{input.tensor, input.offset, {}, {}};
  for (int64_t from : op.getPermutation()) {
    view.sizes.push_back(input.sizes[from]);
    view.strides.push_back(input.strides[from]);
  }
  return view;
}

StridedView weft::viewThrough(StepBuilder &steps, SliceOp op) {
  StridedView view = viewOf(steps, op.getInput());
  for (auto [stride, offset, step] :
       llvm::zip_equal(view.strides, op.getOffsets()->getDims(), op.getStrides())) {
    view.offset = view.offset + Dim(offset) * stride;
    // A stride of more than 64 bits is one of a dim that has an element at most.
    Dim scaled = stride * step;
    stride = scaled || !stride ? scaled : steps.constant(0);
  }
  view.sizes = getDims(cast<ShapedType>(op.getType()));
  return view;
}

/// A row further a distance is one less.
StridedView weft::viewThrough(StepBuilder &steps, ToeplitzOp op) {
  StridedView view = viewOf(steps, op.getInput());
  SmallVector<Dim> dims = getDims(cast<ShapedType>(op.getType()));
  Dim stride = view.strides.pop_back_val();
  view.offset = view.offset + (dims.end()[-2] - 1) * stride;
  view.strides.append({-stride, stride});
  view.sizes = dims;
  return view;
}

/// A place further is a stride further, and a tap a dilation.
StridedView weft::windowsOf(const StridedView &view, ArrayRef<Dim> sizes, ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> dilations) {
  StridedView windows{view.tensor, view.offset, SmallVector<Dim>(sizes), {view.strides.front()}};
  for (ArrayRef<int64_t> factors : {strides, dilations})
    for (auto [stride, factor] : llvm::zip_equal(ArrayRef(view.strides).drop_front().drop_back(), factors))
      windows.strides.push_back(stride * factor);
  windows.strides.push_back(view.strides.back());
  return windows;
}

StridedView weft::viewThrough(StepBuilder &steps, WindowsOp op) {
  return windowsOf(viewOf(steps, op.getInput()), getDims(cast<ShapedType>(op.getType())), op.getStrides(),
                   op.getDilations());
}

SmallVector<StridedView> weft::slicesAlong(const StridedView &view, size_t first, size_t count) {
  SmallVector<int64_t> sizes = llvm::map_to_vector(ArrayRef(view.sizes).slice(first, count),
                                                   [](Dim size) { return *size.getConstant(); });
  StridedView rest(view);
  rest.sizes.erase(rest.sizes.begin() + first, rest.sizes.begin() + first + count);
  rest.strides.erase(rest.strides.begin() + first, rest.strides.begin() + first + count);
  SmallVector<StridedView> slices;
  for (int64_t number = 0, all = llvm::product_of(sizes); number < all; ++number) {
    StridedView slice(rest);
    int64_t outer = number;
    for (size_t i = count; i-- > 0; outer /= sizes[i])
      slice.offset = slice.offset + view.strides[first + i] * (outer % sizes[i]);
    slices.push_back(slice);
  }
  return slices;
}

/// The stride between neighbours of dims that are counted as one; null if there is none such.
static Dim mergedStride(ArrayRef<Dim> sizes, ArrayRef<Dim> strides) {
  Dim expected, last;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i].getConstant() == 1)
      continue;
    if (!last)
      last = strides[i];
    else if (strides[i] != expected)
      return Dim();
    expected = strides[i] * sizes[i];
  }
  return last ? last : strides.back();
}

static std::optional<StridedView> viewThroughReshape(StepBuilder &steps, ReshapeOp op) {
  StridedView view = viewOf(steps, op.getInput());
  SmallVector<Dim> to = getDims(cast<ShapedType>(op.getType())), made;
  ArrayRef<Dim> sizes = view.sizes, strides = view.strides, rest = to;
  while (!sizes.empty() && !rest.empty()) {
    auto [count, others] = matchDims(sizes, rest);
    Dim stride = count ? mergedStride(sizes.take_front(count), strides.take_front(count)) : Dim();
    if (!stride)
      return std::nullopt;
    for (Dim each : contiguousStrides(op.getContext(), rest.take_front(others)))
      made.push_back(each * stride);
    sizes = sizes.drop_front(count), strides = strides.drop_front(count), rest = rest.drop_front(others);
  }
  if (!sizes.empty() || !rest.empty()) // of dims of 1, which are at the end of one side only
    return std::nullopt;
  return StridedView{view.tensor, view.offset, to, made};
}

/// The same of any operation that strides can say in formulas of at most 64 bits.
static std::optional<StridedView> findView(StepBuilder &steps, Operation *op) {
  std::optional<StridedView> view;
  if (auto transpose = dyn_cast<TransposeOp>(op))
    view = viewThrough(steps, transpose);
  if (auto slice = dyn_cast<SliceOp>(op); slice && slice.getOffsets())
    view = viewThrough(steps, slice);
  if (auto toeplitz = dyn_cast<ToeplitzOp>(op))
    view = viewThrough(steps, toeplitz);
  if (auto windows = dyn_cast<WindowsOp>(op))
    view = viewThrough(steps, windows);
  if (auto reshape = dyn_cast<ReshapeOp>(op); reshape && !reshape.getShape())
    view = viewThroughReshape(steps, reshape);
  return view && isKnown(*view) ? view : std::nullopt;
}

StridedView weft::viewOf(StepBuilder &steps, Value graphValue) {
  Operation *op = graphValue.getDefiningOp();
  std::optional<StridedView> view;
  if (op && !steps.hasTensor(graphValue))
    view = findView(steps, op);
  return view ? *view : wholeOf(steps, steps.tensor(graphValue), *getDims(graphValue));
}

Value weft::copyView(StepBuilder &steps, StringRef name, const StridedView &view) {
  if (isWhole(steps, view))
    return steps.view(view.tensor, view.sizes);
  PointwiseInput input = inputOf(view);
  Type element = cast<ShapedType>(view.tensor.getType()).getElementType();
  return *buildPointwiseStep(steps, name, input, view.sizes, element, copyElement); // cannot fail
}

void DimInputs::add(Dim dim) {
  auto isThis = [&](const std::pair<Dim, size_t> &number) { return number.first == dim; };
  if (dim.isConstant() || llvm::any_of(numbers, isThis))
    return;
  numbers.push_back({dim, inputs.size()});
  inputs.push_back(steps.index(dim));
}

void DimInputs::add(const StridedView &view) {
  if (!findNumber(view.offset))
    add(view.offset);
  llvm::for_each(view.sizes, [&](Dim dim) { add(dim); });
  llvm::for_each(view.strides, [&](Dim dim) { add(dim); });
}

OpFoldResult DimInputs::get(StepBuilder::Kernel &kernel, Dim dim) const {
  if (std::optional<int64_t> constant = dim.getConstant())
    return kernel.body.getIndexAttr(*constant);
  auto [place, difference] = *findNumber(dim);
  if (difference == 0)
    return kernel.inputs[place];
  Value more = arith::ConstantIndexOp::create(kernel.body, kernel.op.getLoc(), difference);
  return arith::AddIOp::create(kernel.body, kernel.op.getLoc(), kernel.inputs[place], more).getResult();
}

std::optional<std::pair<size_t, int64_t>> DimInputs::findNumber(Dim dim) const {
  for (auto [number, place] : numbers)
    if (number == dim)
      return std::pair(place, 0);
  for (auto [number, place] : numbers)
    if (std::optional<int64_t> difference = (dim - number).getConstant())
      return std::pair(place, *difference);
  return std::nullopt;
}

Value DimInputs::makeView(StepBuilder::Kernel &kernel, Value tensor, const StridedView &view) const {
  auto all = [&](ArrayRef<Dim> dims) {
    return llvm::map_to_vector(dims, [&](Dim dim) { return get(kernel, dim); });
  };
  // Nothing may begin anywhere, but memref takes no place before the tensor.
  bool isBefore = view.offset.getConstant().value_or(0) < 0;
  OpFoldResult offset = isBefore ? OpFoldResult(kernel.body.getIndexAttr(0)) : get(kernel, view.offset);
  return makeStrided(kernel.body, kernel.op.getLoc(), tensor, offset, all(view.sizes), all(view.strides));
}
