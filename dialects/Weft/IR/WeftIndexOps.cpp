// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index: inference, constraints, and what needs no indices.
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftIndexOps.cpp.inc"

LogicalResult GatherOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getData());
  auto data = getDims(getData()), indices = getDims(getIndices());
  if (!data || !indices) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  int64_t axis = getAxis();
  if (axis < 0 || axis >= int64_t(data->size()))
    return emitOpError() << "gather-c1: expects an axis within rank " << data->size() << ", got " << axis;
  SmallVector<Dim> dims(ArrayRef(*data).take_front(axis));
  llvm::append_range(dims, *indices);
  llvm::append_range(dims, ArrayRef(*data).drop_front(axis + 1));
  types.push_back(getTensorType(context, dims, element));
  return success();
}

namespace {
/// The indices first, first + step, ...
struct Progression {
  Dim first, count;
  int64_t step;
};
} // namespace

/// Known numbers that are one, such as a single one. Those that count from the end are places as well.
static std::optional<Progression> findProgression(DenseIntElementsAttr indices, Dim size) {
  SmallVector<int64_t> numbers;
  for (const APInt &index : indices)
    numbers.push_back(index.getSExtValue());
  std::optional<int64_t> known = size.getConstant();
  if (numbers.empty() || (numbers.front() < 0 && !known))
    return std::nullopt;
  if (known)
    for (int64_t &number : numbers)
      number = number < 0 ? number + *known : number;
  int64_t step = numbers.size() > 1 ? numbers[1] - numbers[0] : 1;
  for (size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] != step || step == 0)
      return std::nullopt;
  MLIRContext *context = indices.getContext();
  return Progression{Dim::constant(context, numbers[0]), Dim::constant(context, numbers.size()), step};
}

static std::optional<Progression> findProgression(Value indices, Dim size) {
  DenseIntElementsAttr known;
  if (matchPattern(indices, m_Constant(&known)))
    return findProgression(known, size);
  auto range = indices.getDefiningOp<RangeOp>();
  if (!range || !range.getFirst() || !range.getStep() || *range.getStep() == 0)
    return std::nullopt;
  return Progression{Dim(*range.getFirst()), getDims(range.getResult())->front(),
                     static_cast<int64_t>(*range.getStep())};
}

/// Whether all of the indices are places of a dim, for all sizes that the dims of their tensor allow.
static bool areWithin(const Progression &indices, Dim size, ArrayRef<Dim> dims) {
  Assumptions exist(dims);
  Dim last = indices.first + (indices.count - 1) * indices.step;
  Dim least = indices.step > 0 ? indices.first : last, most = indices.step > 0 ? last : indices.first;
  return provablyNonNegative(least) && provablyLess(most, size);
}

namespace {
/// gather(x, i) => reshape(slice(x)) of one known index or of every nth: those can be read in place.
struct GatherToSlice : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto data = getDims(op.getData()), result = getDims(op.getResult());
    if (!data || !result || llvm::is_contained(*data, Dim()))
      return rewriter.notifyMatchFailure(op, "the dims are not known");
    Dim size = (*data)[op.getAxis()];
    std::optional<Progression> indices = findProgression(op.getIndices(), size);
    if (!indices || !indices->count || !areWithin(*indices, size, *data))
      return rewriter.notifyMatchFailure(op, "the indices are no places at equal distances");
    SmallVector<Dim> dims(*data), offsets(dims.size(), Dim::constant(getContext(), 0));
    SmallVector<int64_t> strides(dims.size(), 1);
    dims[op.getAxis()] = indices->count;
    offsets[op.getAxis()] = indices->first;
    strides[op.getAxis()] = indices->step;
    Value slice = SliceOp::create(
        rewriter, op.getLoc(), getTensorType(dims, getElementTypeOrSelf(op.getData())), op.getData(), Value(),
        Value(), Value(), ArrayRef<int64_t>(), getDimsAttr(getContext(), offsets), strides);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), slice, Value(), UnitAttr());
    return success();
  }
};
} // namespace

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<GatherToSlice>(context);
}

//===----------------------------------------------------------------------===//
// gather_elements, scatter_elements
//===----------------------------------------------------------------------===//

/// Of both: the axis is within the rank that they share, and indices fit data but along the axis.
static LogicalResult checkElements(Operation *op, InferContext &context, Value data, Value indices,
                                   int64_t axis, StringRef name) {
  auto from = getDims(data), at = getDims(indices);
  if (!from || !at)
    return success();
  if (from->empty() || from->size() != at->size() || axis < 0 || axis >= int64_t(from->size()))
    return op->emitOpError() << name
                             << "-c1: expects data and indices of one rank, and an axis within it; got "
                             << describeType(data.getType()) << ", " << describeType(indices.getType())
                             << " and axis " << axis;
  for (auto [i, pair] : llvm::enumerate(llvm::zip(*at, *from))) {
    auto [count, size] = pair;
    if (int64_t(i) == axis || !count || !size || provablyLessEqual(count, size))
      continue;
    if (provablyLess(size, count))
      return op->emitOpError() << name << "-c2: dim " << i << " of the indices ("
                               << describeType(indices.getType()) << ") is larger than data's ("
                               << describeType(data.getType()) << ")";
    context.guard(op, Relation::LessEqual, count, size);
  }
  return success();
}

LogicalResult GatherElementsOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getData());
  if (failed(checkElements(*this, context, getData(), getIndices(), getAxis(), "gather-elements")))
    return failure();
  auto dims = getDims(getIndices());
  types.push_back(dims ? Type(getTensorType(context, *dims, element)) : UnrankedTensorType::get(element));
  return success();
}

/// Of both scatters: the element types, and that bools are only replaced.
static LogicalResult checkUpdates(Operation *op, ScatterKind kind, Value data, Value updates,
                                  StringRef name) {
  Type element = getElementTypeOrSelf(data);
  if (element != getElementTypeOrSelf(updates) ||
      ((element.isInteger(1) || isCompact(element)) && kind != ScatterKind::Replace))
    return op->emitOpError() << name
                             << "-c3: expects data and updates of one element type, numbers unless they are "
                             << "replaced; got " << element << " and " << getElementTypeOrSelf(updates);
  return success();
}

LogicalResult ScatterElementsOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  types.push_back(getData().getType());
  if (failed(checkUpdates(*this, getKind(), getData(), getUpdates(), "scatter-elements")) ||
      failed(checkElements(*this, context, getData(), getIndices(), getAxis(), "scatter-elements")))
    return failure();
  auto indices = getDims(getIndices()), updates = getDims(getUpdates());
  if (!indices || !updates)
    return success();
  bool fits = indices->size() == updates->size();
  for (size_t i = 0; fits && i < indices->size(); ++i)
    fits = requireEqual(context, *this, (*indices)[i], (*updates)[i]);
  if (!fits)
    return emitOpError() << "scatter-elements-c2: expects indices and updates of one shape, got "
                         << describeType(getIndices().getType()) << " and "
                         << describeType(getUpdates().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// gather_nd, scatter_nd
//===----------------------------------------------------------------------===//

/// Whether it is not known yet how many indices there are in a tuple.
static bool isLengthUnknown(ArrayRef<Dim> indices) { return !indices.empty() && !indices.back(); }
/// The number of indices in a tuple; nothing where it is no constant.
static std::optional<int64_t> getTupleLength(ArrayRef<Dim> indices) {
  return indices.empty() ? std::nullopt : indices.back().getConstant();
}

LogicalResult GatherNDOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getData());
  auto data = getDims(getData()), indices = getDims(getIndices());
  if (!data || !indices || isLengthUnknown(*indices)) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  std::optional<int64_t> length = getTupleLength(*indices);
  int64_t batch = getBatchDims();
  if (!length || batch < 0 || batch >= int64_t(indices->size()))
    return emitOpError() << "gather-nd-c1: expects indices whose last dim is constant, and fewer batch dims ("
                         << batch << ") than their rank; got " << describeType(getIndices().getType());
  if (batch + *length > int64_t(data->size()))
    return emitOpError()
           << "gather-nd-c2: expects at most as many indices as data has dims after the batch; got "
           << *length << " into " << describeType(getData().getType());
  for (int64_t i = 0; i < batch; ++i)
    if (!requireEqual(context, *this, (*data)[i], (*indices)[i]))
      return emitOpError() << "gather-nd-c3: expects equal batch dims, got "
                           << describeType(getData().getType()) << " and "
                           << describeType(getIndices().getType());
  SmallVector<Dim> dims(ArrayRef(*indices).drop_back());
  llvm::append_range(dims, ArrayRef(*data).drop_front(batch + *length));
  types.push_back(getTensorType(context, dims, element));
  return success();
}

LogicalResult ScatterNDOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  types.push_back(getData().getType());
  if (failed(checkUpdates(*this, getKind(), getData(), getUpdates(), "scatter-nd")))
    return failure();
  auto data = getDims(getData()), indices = getDims(getIndices()), updates = getDims(getUpdates());
  if (!data || !indices || isLengthUnknown(*indices))
    return success();
  std::optional<int64_t> length = getTupleLength(*indices);
  if (!length || *length > int64_t(data->size()))
    return emitOpError()
           << "scatter-nd-c1: expects indices whose last dim is constant and at most data's rank; got "
           << describeType(getIndices().getType()) << " into " << describeType(getData().getType());
  SmallVector<Dim> dims(ArrayRef(*indices).drop_back());
  llvm::append_range(dims, ArrayRef(*data).drop_front(*length));
  bool fits = !updates || updates->size() == dims.size();
  for (size_t i = 0; updates && fits && i < dims.size(); ++i)
    fits = requireEqual(context, *this, (*updates)[i], dims[i]);
  if (!fits)
    return emitOpError() << "scatter-nd-c2: expects updates of shape "
                         << describeType(getTensorType(dims, getElementTypeOrSelf(getData()))) << ", got "
                         << describeType(getUpdates().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

LogicalResult TopKOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = IntegerType::get(getContext(), 64);
  auto dims = getDims(getInput());
  if (!dims) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  int64_t axis = getAxis();
  if (axis < 0 || axis >= int64_t(dims->size()))
    return emitOpError() << "top-k-c1: expects an axis within rank " << dims->size() << ", got " << axis;
  Dim size = (*dims)[axis], k, zero = Dim::constant(getContext(), 0);
  bool isOne = true;
  if (!getK()) {
    auto declared = getDims(getResult());
    if (declared && declared->size() == dims->size())
      k = (*declared)[axis];
  } else if (auto contents = context.contents(getK())) {
    isOne = contents->size() == 1;
    k = isOne ? contents->front() : k;
  }
  if (!isOne || (k && (provablyLess(k, zero) || (size && provablyLess(size, k)))))
    return emitOpError() << "top-k-c2: expects one k, from 0 to the axis's size; got "
                         << (isOne ? k.toString() : "several") << " of "
                         << describeType(getInput().getType());
  if (k && !provablyNonNegative(k))
    context.guard(*this, Relation::LessEqual, zero, k);
  if (k && size && !provablyLessEqual(k, size))
    context.guard(*this, Relation::LessEqual, k, size);
  (*dims)[axis] = k;
  types.push_back(getTensorType(context, *dims, element));
  return success();
}
