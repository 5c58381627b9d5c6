// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: inference of views and moves, and of the shape arithmetic that decides them.
#include "dialects/Weft/IR/ExactFloats.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftShapeOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// The length of a rank-1 tensor that holds a shape, if it is static.
static std::optional<int64_t> getLength(Value shape) {
  auto type = dyn_cast<RankedTensorType>(shape.getType());
  if (!type || type.getRank() != 1 || type.isDynamicDim(0))
    return std::nullopt;
  return type.getDimSize(0);
}

/// A result of which only the rank may be known, from the length of the tensor that holds its shape.
static void inferUnknown(InferContext &context, Value shape, Type element, SmallVectorImpl<Type> &types) {
  std::optional<int64_t> rank = getLength(shape);
  if (rank)
    types.push_back(getTensorType(context, SmallVector<Dim>(*rank), element));
  else
    types.push_back(UnrankedTensorType::get(element));
}

/// More dims than any tensor has.
constexpr int64_t kMostDims = 1024;

static LogicalResult requireRank1(Operation *op, Value shape, StringRef constraint) {
  if (getLength(shape).value_or(0) > kMostDims)
    return op->emitOpError() << constraint << ": expects at most " << kMostDims << " dims, got "
                             << describeType(shape.getType());
  auto type = dyn_cast<RankedTensorType>(shape.getType());
  if (!type || type.getRank() == 1)
    return success();
  return op->emitOpError() << constraint << ": expects rank 1, got " << describeType(type);
}

/// Whether `axes` are sorted, distinct and within the rank.
static bool validAxes(ArrayRef<int64_t> axes, int64_t rank) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < 0 || axes[i] >= rank || (i > 0 && axes[i - 1] >= axes[i]))
      return false;
  return true;
}

static bool isNegative(Dim dim) { return dim.getConstant() && *dim.getConstant() < 0; }

/// Relies on an entry of a shape to be a size: a -1 that is computed means nothing here.
static void requireSize(InferContext &context, Operation *op, Dim dim) {
  if (dim && !provablyNonNegative(dim))
    context.guard(op, Relation::LessEqual, Dim::constant(op->getContext(), 0), dim);
}

//===----------------------------------------------------------------------===//
// dims, shape
//===----------------------------------------------------------------------===//

LogicalResult DimsOp::inferTypes(InferContext &, SmallVectorImpl<Type> &types) {
  auto type = cast<TensorType>(getType());
  types.push_back(type);
  if (!type.hasStaticShape() || type.getRank() > 1 ||
      type.getNumElements() != int64_t(getValues().getDims().size()))
    return emitOpError("dims-c1: expects rank 0 or 1 and an element for each of ")
           << getValues().getDims().size() << " values, got " << type;
  return success();
}

Contents DimsOp::inferContents(InferContext &) {
  return llvm::map_to_vector(getValues().getDims(), [](DimAttr dim) { return Dim(dim); });
}

LogicalResult ShapeOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  auto input = getDims(getInput());
  Dim length;
  if (input) {
    int64_t rank = input->size();
    if (getStart() > uint64_t(rank) || getEnd() > uint64_t(rank))
      return emitOpError("expects start and end within rank ") << rank;
    length = Dim::constant(getContext(), std::max<int64_t>(getEnd() - getStart(), 0));
  }
  types.push_back(getTensorType(context, {length}, IntegerType::get(getContext(), 64)));
  return success();
}

Contents ShapeOp::inferContents(InferContext &) {
  auto input = getDims(getInput());
  if (!input)
    return std::nullopt;
  SmallVector<Dim> result; // a dim that is not known is null
  for (uint64_t i = getStart(); i < getEnd(); ++i)
    result.push_back((*input)[i]);
  return result;
}

//===----------------------------------------------------------------------===//
// reshape, squeeze, unsqueeze
//===----------------------------------------------------------------------===//

/// The dims of a reshape some of whose entries are elements of inputs: only a run tells whether one is -1, or
/// 0. Null where an expression gets too large.
static SmallVector<Dim> solveAnyReshape(ReshapeOp op, InferContext &context, ArrayRef<Dim> wanted,
                                        ArrayRef<Dim> input) {
  MLIRContext *mlir = op.getContext();
  Dim zero = Dim::constant(mlir, 0), one = Dim::constant(mlir, 1), minusOne = Dim::constant(mlir, -1);
  Dim total = Dim::product(mlir, input), given = one, inferredCount = zero;
  SmallVector<Dim> sizes, areInferred; // with 1 for -1; 1 where the entry is -1, else 0
  for (auto [i, entry] : llvm::enumerate(wanted)) {
    context.guard(op, Relation::LessEqual, minusOne, entry);
    Dim size = Dim::max(entry, -entry);
    if (!op.getAllowZero() && i < input.size())
      size = Dim::max(size, input[i] * (one - Dim::min(one, size)));
    sizes.push_back(size);
    areInferred.push_back(Dim::max(-entry, zero));
    given = given && size ? given * size : Dim();
    inferredCount = inferredCount + areInferred.back();
  }
  Dim rest = total && given ? Dim::floorDiv(total, Dim::max(given, one)) : Dim();
  Dim product = rest ? given * (one + inferredCount * (rest - 1)) : Dim();
  if (!product)
    return SmallVector<Dim>(wanted.size());
  context.guard(op, Relation::LessEqual, inferredCount, one);
  context.guard(op, Relation::Equal, total, product);
  SmallVector<Dim> dims;
  for (auto [size, isInferred] : llvm::zip(sizes, areInferred))
    dims.push_back(size + isInferred * (rest - 1));
  return dims;
}

/// The dims that a reshape's contents ask for, with -1 solved.
static FailureOr<SmallVector<Dim>> solveReshape(ReshapeOp op, InferContext &context, ArrayRef<Dim> wanted,
                                                std::optional<ArrayRef<Dim>> input) {
  bool areKnown = input && !llvm::is_contained(*input, Dim()) && !llvm::is_contained(wanted, Dim());
  if (areKnown && llvm::any_of(wanted, [&](Dim dim) { return context.isElement(dim); }))
    return solveAnyReshape(op, context, wanted, *input);
  SmallVector<Dim> dims;
  std::optional<size_t> inferred;
  for (auto [i, dim] : llvm::enumerate(wanted)) {
    if (dim.getConstant() == 0 && !op.getAllowZero()) {
      if (input && i >= input->size())
        return op.emitOpError() << "reshape-c1: entry " << i << " copies a dim that the input does not have";
      dims.push_back(input ? (*input)[i] : Dim());
    } else if (dim.getConstant() == -1) {
      if (inferred)
        return op.emitOpError("reshape-c1: more than one -1");
      inferred = i;
      dims.push_back(Dim());
    } else if (isNegative(dim)) {
      return op.emitOpError() << "reshape-c1: entry " << i << " is " << dim.toString();
    } else {
      requireSize(context, op, dim);
      dims.push_back(dim);
    }
  }
  bool known = input && llvm::all_of(*input, [](Dim dim) { return bool(dim); });
  Dim total = known ? Dim::product(op.getContext(), *input) : Dim(),
      given = Dim::constant(op.getContext(), 1);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (!inferred || i != *inferred)
      given = given && dim ? given * dim : Dim();
  auto isConstant = [](Dim dim) { return dim && dim.getConstant(); };
  if (total && !given && !inferred && llvm::all_of(dims, isConstant))
    return op.emitOpError() << "reshape-c2: " << total.toString()
                            << " elements do not fit a shape of more than 2^63 - 1";
  // Too large an expression for the guard that elements are as many as before.
  bool isGiven = llvm::all_of(
      llvm::enumerate(dims), [&](auto dim) { return dim.value() || (inferred && dim.index() == *inferred); });
  if ((known && !total) || (isGiven && !given))
    return SmallVector<Dim>(dims.size());
  if (!total || !given)
    return dims;
  if (inferred) {
    if (given.getConstant() == 0)
      return op.emitOpError("reshape-c1: -1 cannot be solved beside a dim of 0");
    dims[*inferred] = Dim::floorDiv(total, given);
    given = dims[*inferred] ? given * dims[*inferred] : Dim();
  }
  if (given && !requireEqual(context, op, total, given))
    return op.emitOpError() << "reshape-c2: " << total.toString() << " elements do not fit a shape of "
                            << given.toString();
  return dims;
}

LogicalResult ReshapeOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput());
  if (!getShape()) {
    auto result = getDims(getResult());
    if (!result || getElementTypeOrSelf(getResult()) != element)
      return emitOpError("reshape-c3: without a shape expects a ranked result of the input's element type");
    Dim from = input ? Dim::product(getContext(), *input) : Dim(), to = Dim::product(getContext(), *result);
    if (from && to && !requireEqual(context, *this, from, to))
      return emitOpError() << "reshape-c2: " << from.toString() << " elements do not fit a shape of "
                           << to.toString();
    types.push_back(getType());
    return success();
  }
  if (failed(requireRank1(*this, getShape(), "reshape-c1")))
    return failure();
  Contents wanted = context.elements(getShape());
  if (!wanted) {
    inferUnknown(context, getShape(), element, types);
    return success();
  }
  auto dims =
      solveReshape(*this, context, *wanted, input ? std::optional<ArrayRef<Dim>>(*input) : std::nullopt);
  if (failed(dims))
    return failure();
  types.push_back(getTensorType(context, *dims, element));
  return success();
}

LogicalResult SqueezeOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput());
  if (!input) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  if (!validAxes(getAxes(), input->size()))
    return emitOpError() << "squeeze-c1: expects sorted, distinct axes within rank " << input->size();
  SmallVector<Dim> dims;
  for (auto [i, dim] : llvm::enumerate(*input)) {
    if (!llvm::is_contained(getAxes(), int64_t(i)))
      dims.push_back(dim);
    else if (!requireEqual(context, *this, dim, Dim::constant(getContext(), 1)))
      return emitOpError() << "squeeze-c2: dim " << i << " is " << dim.toString() << ", not 1";
  }
  types.push_back(getTensorType(context, dims, element));
  return success();
}

LogicalResult UnsqueezeOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput());
  if (!input) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  int64_t rank = input->size() + getAxes().size();
  if (!validAxes(getAxes(), rank))
    return emitOpError() << "unsqueeze-c1: expects sorted, distinct axes within rank " << rank;
  SmallVector<Dim> dims;
  for (int64_t i = 0, next = 0; i < rank; ++i)
    dims.push_back(llvm::is_contained(getAxes(), i) ? Dim::constant(getContext(), 1) : (*input)[next++]);
  types.push_back(getTensorType(context, dims, element));
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (!getShape() && getInput().getType() == getType())
    return getInput();
  return {};
}

namespace {
/// reshape(reshape(x)) => reshape(x), where both are of the graph level.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ReshapeOp>();
    if (op.getShape() || !inner || inner.getShape())
      return rewriter.notifyMatchFailure(op, "not two reshapes of known shape");
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput());
  if (!input) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, input->size())))
    return emitOpError() << "transpose-c1: expects a permutation of " << input->size() << " dims";
  types.push_back(
      getTensorType(llvm::map_to_vector(getPermutation(), [&](int64_t i) { return (*input)[i]; }), element));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size())) &&
      getInput().getType() == getType())
    return getInput();
  return {};
}

namespace {
/// transpose(transpose(x, p), q) => transpose(x, p[q]).
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the input is no transpose");
    SmallVector<int64_t> permutation =
        llvm::map_to_vector(op.getPermutation(), [&](int64_t i) { return inner.getPermutation()[i]; });
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getInput(), permutation);
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeTransposes>(context);
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  if (getInputs().empty())
    return emitOpError("concat-c1: expects at least one input");
  Type element = getElementTypeOrSelf(getInputs().front());
  std::optional<SmallVector<Dim>> dims;
  for (Value value : getInputs()) {
    auto input = getDims(value);
    if (!input) {
      types.push_back(UnrankedTensorType::get(element));
      return success();
    }
    if (getElementTypeOrSelf(value) != element || getAxis() >= input->size() ||
        (dims && dims->size() != input->size()))
      return emitOpError("concat-c1: expects inputs of one rank and element type and an axis within it, got ")
             << describeType(value.getType()) << " with axis " << int64_t(getAxis());
    if (!dims) {
      dims = input;
      continue;
    }
    for (auto [i, pair] : llvm::enumerate(llvm::zip(*dims, *input))) {
      auto [into, from] = pair;
      if (i == getAxis())
        into = into && from ? into + from : Dim();
      else if (!requireEqual(context, *this, into, from))
        return emitOpError() << "concat-c2: dim " << i << " is " << into.toString() << " and "
                             << from.toString();
      else if (!into || (from && from.getConstant()))
        into = from;
    }
  }
  types.push_back(getTensorType(context, *dims, element));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1 && getInputs().front().getType() == getType())
    return getInputs().front();
  return {};
}

//===----------------------------------------------------------------------===//
// expand, tile, trilu, range
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput());
  if (!getShape()) {
    auto result = getDims(getResult());
    if (!result || !input || input->size() > result->size() || getElementTypeOrSelf(getResult()) != element)
      return emitOpError("expand-c3: without a shape expects a ranked result that the input broadcasts to");
    for (auto [from, into] : llvm::zip(*input, ArrayRef(*result).take_back(input->size())))
      if (from && into && from.getConstant() && into.getConstant() && from != into && from.getConstant() != 1)
        return emitOpError() << "expand-c3: " << describeType(getInput().getType())
                             << " does not broadcast to " << describeType(getType());
    types.push_back(getType());
    return success();
  }
  if (failed(requireRank1(*this, getShape(), "expand-c1")))
    return failure();
  Contents wanted = context.elements(getShape());
  if (!input) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  if (!wanted) { // of the longer one's rank
    std::optional<int64_t> length = getLength(getShape());
    if (length)
      types.push_back(
          getTensorType(context, SmallVector<Dim>(std::max<size_t>(*length, input->size())), element));
    else
      types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  if (llvm::any_of(*wanted, isNegative))
    return emitOpError("expand-c1: the shape holds a negative dim");
  for (Dim dim : *wanted)
    requireSize(context, *this, dim);
  auto dims = broadcastShapes(context, *this, {*input, *wanted}, "expand-c2");
  if (failed(dims))
    return failure();
  types.push_back(getTensorType(context, *dims, element));
  return success();
}

OpFoldResult ExpandOp::fold(FoldAdaptor) {
  if (!getShape() && getInput().getType() == getType())
    return getInput();
  return {};
}

LogicalResult TileOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getInput());
  auto input = getDims(getInput());
  if (!getRepeats()) {
    auto result = getDims(getResult());
    if (!input || !result || input->size() != result->size() || getElementTypeOrSelf(getResult()) != element)
      return emitOpError("tile-c1: without repeats expects a result of the input's rank");
    types.push_back(getType());
    return success();
  }
  if (failed(requireRank1(*this, getRepeats(), "tile-c1")))
    return failure();
  Contents repeats = context.elements(getRepeats());
  if (!repeats || !input) {
    inferUnknown(context, getRepeats(), element, types);
    return success();
  }
  if (repeats->size() != input->size() || llvm::any_of(*repeats, isNegative))
    return emitOpError() << "tile-c1: expects " << input->size() << " repeats, none negative";
  SmallVector<Dim> dims;
  for (auto [dim, repeat] : llvm::zip(*input, *repeats))
    dims.push_back(dim ? dim * repeat : Dim());
  types.push_back(getTensorType(context, dims, element));
  return success();
}

LogicalResult TriluOp::inferTypes(InferContext &, SmallVectorImpl<Type> &types) {
  auto type = cast<TensorType>(getInput().getType());
  if (type.hasRank() && type.getRank() < 2)
    return emitOpError() << "trilu-c1: expects rank 2 or more, got " << type.getRank();
  types.push_back(type);
  return success();
}

Dim ToeplitzOp::countDistances(Dim rows, Dim columns) {
  Dim one = Dim::constant(rows.getContext(), 1), zero = Dim::constant(rows.getContext(), 0);
  if (rows == columns)
    return Dim::max(rows * 2 - 1, zero);
  return (rows + columns - 1) * Dim::min(rows, one) * Dim::min(columns, one);
}

LogicalResult ToeplitzOp::inferTypes(InferContext &, SmallVectorImpl<Type> &types) {
  auto input = getDims(getInput()), result = getDims(getResult());
  bool isKnown = input && result && !llvm::is_contained(*result, Dim()) && !input->empty() &&
                 getElementTypeOrSelf(getInput()) == getElementTypeOrSelf(getResult());
  if (!isKnown || result->size() != input->size() + 1 ||
      ArrayRef(*result).drop_back(2) != ArrayRef(*input).drop_back() ||
      input->back() != countDistances(result->end()[-2], result->back()))
    return emitOpError("toeplitz-c1: expects a number for each distance of the result's rows and columns");
  types.push_back(getType());
  return success();
}

/// The number that an inline constant of one float holds.
static std::optional<double> getFloatConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto dense = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  if (!dense || dense.getNumElements() != 1)
    return std::nullopt;
  APFloat number = *dense.begin();
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// The number of elements of a range between constant floats.
static std::optional<int64_t> floatRangeLength(RangeOp op) {
  std::optional<double> start = getFloatConstant(op.getStart()), limit = getFloatConstant(op.getLimit()),
                        delta = getFloatConstant(op.getDelta());
  if (!start || !limit || !delta)
    return std::nullopt;
  constexpr double kMost = 1e10; // beyond any tensor, and NaN too
  double count = std::ceil((*limit - *start) / *delta);
  return count < kMost ? std::optional<int64_t>(std::max(count, 0.0)) : std::nullopt;
}

/// The number of elements of a range between known integers, which may be floats, or constant floats.
static Dim rangeLength(RangeOp op, InferContext &context) {
  if (std::optional<int64_t> count = floatRangeLength(op))
    return Dim::constant(op.getContext(), *count);
  Contents start = context.contents(op.getStart()), limit = context.contents(op.getLimit()),
           delta = context.contents(op.getDelta());
  if (!start || !limit || !delta || !delta->front().getConstant() ||
      !llvm::all_of(op.getOperands(), [&](Value value) { return requireExact(context, op, value); }))
    return Dim();
  int64_t step = std::max(*delta->front().getConstant(), -std::numeric_limits<int64_t>::max());
  Dim span = step > 0 ? limit->front() - start->front() : start->front() - limit->front();
  int64_t width = step > 0 ? step : -step;
  if (step == 0 || !span)
    return Dim();
  Dim count = Dim::floorDiv(span + (width - 1), Dim::constant(op.getContext(), width));
  return count ? Dim::max(count, Dim::constant(op.getContext(), 0)) : Dim();
}

LogicalResult RangeOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  if (!getStart()) {
    auto type = dyn_cast<RankedTensorType>(getType());
    if (!getFirst() || !getStep() || !type || type.getRank() != 1)
      return emitOpError("range-c2: without operands expects first, step and a rank-1 result");
    types.push_back(type);
    return success();
  }
  if (!getLimit() || !getDelta() || getFirst() || getStep())
    return emitOpError("range-c2: expects three operands, or first and step");
  Type element = getElementTypeOrSelf(getStart());
  for (Value value : getOperands()) {
    auto dims = getDims(value);
    if (getElementTypeOrSelf(value) != element || (dims && !dims->empty()))
      return emitOpError("range-c1: expects scalars of one element type, got ")
             << describeType(value.getType());
  }
  Contents delta = context.contents(getDelta());
  if (delta && delta->front().getConstant() == 0)
    return emitOpError("range-c1: delta is 0");
  types.push_back(getTensorType(context, {rangeLength(*this, context)}, element));
  return success();
}
