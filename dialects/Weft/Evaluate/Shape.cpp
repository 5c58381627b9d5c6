// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: constants, shapes as data, views and moves. Slices are in Slice.cpp.
#include "dialects/Weft/Evaluate/Models.h"
#include "dialects/Weft/Evaluate/Scalar.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

//===----------------------------------------------------------------------===//
// constant, dims, shape
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateConstant(ConstantOp op, ArrayRef<Tensor>, EvaluateContext &context) {
  FailureOr<Shape> shape = context.declaredShape(op);
  SmallVector<char> storage;
  FailureOr<ArrayRef<char>> bytes = readConstant(op, storage);
  if (failed(shape) || failed(bytes))
    return failure();
  Tensor result = Tensor::fromBytes(getElementTypeOrSelf(op.getType()), *shape, *bytes);
  if (!result)
    return evaluateError(op) << "constant-c2: " << bytes->size() << " bytes of data for "
                             << describeType(op.getType());
  return result;
}

static FailureOr<Tensor> evaluateDims(DimsOp op, ArrayRef<Tensor>, EvaluateContext &context) {
  FailureOr<Shape> shape = context.declaredShape(op);
  if (failed(shape))
    return failure();
  FailureOr<Tensor> result = makeResult(op, *shape);
  if (failed(result))
    return failure();
  ArrayRef<DimAttr> dims = op.getValues().getDims();
  if (int64_t(dims.size()) != result->getNumElements())
    return evaluateError(op) << "dims-c1: expects an element for each of " << dims.size() << " values";
  for (auto [i, dim] : llvm::enumerate(dims)) {
    FailureOr<int64_t> value = context.value(op, Dim(dim));
    if (failed(value))
      return failure();
    result->setInteger(i, *value);
  }
  return result;
}

static FailureOr<Tensor> evaluateShape(ShapeOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  ArrayRef<int64_t> shape = operands[0].getShape();
  uint64_t start = op.getStart(), end = op.getEnd();
  if (start > shape.size() || end > shape.size())
    return evaluateError(op) << "expects start and end within rank " << shape.size() << ", got "
                             << int64_t(start) << " and " << int64_t(end);
  ArrayRef<int64_t> dims = start < end ? shape.slice(start, end - start) : ArrayRef<int64_t>();
  FailureOr<Tensor> result = makeResult(op, {int64_t(dims.size())});
  if (failed(result))
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims))
    result->setInteger(i, dim);
  return result;
}

//===----------------------------------------------------------------------===//
// reshape, squeeze, unsqueeze, transpose
//===----------------------------------------------------------------------===//

/// The elements of a rank-1 operand that holds a shape.
static FailureOr<Shape> readShape(Operation *op, StringRef constraint, const Tensor &tensor) {
  if (tensor.getRank() != 1)
    return evaluateError(op) << constraint << ": expects rank 1, got shape "
                             << describeShape(tensor.getShape());
  Shape shape;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    shape.push_back(tensor.getInteger(i));
  return shape;
}

/// The product, or nothing if it overflows.
static std::optional<int64_t> multiplyDims(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    if (llvm::MulOverflow(product, dim, product))
      return std::nullopt;
  return product;
}

/// Replaces 0 by the input's dim, and -1 by what remains.
static FailureOr<Shape> solveReshape(ReshapeOp op, const Tensor &input, Shape shape) {
  int64_t *inferred = nullptr;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (dim == 0 && !op.getAllowZero()) {
      if (int64_t(i) >= input.getRank())
        return evaluateError(op) << "reshape-c1: entry " << i << " copies a dim that the input does not have";
      dim = input.getShape()[i];
    } else if (dim < -1 || (dim == -1 && inferred)) {
      return evaluateError(op) << "reshape-c1: expects at most one -1 and nothing below it, got "
                               << describeShape(shape);
    } else if (dim == -1) {
      inferred = &shape[i];
    }
  }
  if (!inferred)
    return shape;
  *inferred = 1;
  std::optional<int64_t> given = multiplyDims(shape);
  if (given == 0)
    return evaluateError(op) << "reshape-c1: -1 cannot be solved beside a dim of 0";
  if (!given || input.getNumElements() % *given != 0)
    return evaluateError(op) << "reshape-c2: " << input.getNumElements()
                             << " elements are no multiple of the dims "
                             << "beside -1";
  *inferred = input.getNumElements() / *given;
  return shape;
}

static FailureOr<Tensor> evaluateReshape(ReshapeOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  const Tensor &input = operands[0];
  FailureOr<Shape> shape;
  if (op.getShape()) {
    shape = readShape(op, "reshape-c1", operands[1]);
    if (succeeded(shape))
      shape = solveReshape(op, input, *shape);
  } else {
    shape = context.declaredShape(op);
  }
  if (failed(shape))
    return failure();
  if (multiplyDims(*shape) != input.getNumElements() || !Tensor::countBytes(input.getElementType(), *shape))
    return evaluateError(op) << "reshape-c2: " << input.getNumElements() << " elements, of shape "
                             << describeShape(input.getShape()) << ", do not fit shape "
                             << describeShape(*shape);
  return input.withShape(*shape);
}

static FailureOr<Tensor> evaluateSqueeze(SqueezeOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  if (failed(requireAxes(op, "squeeze-c1", op.getAxes(), input.getRank())))
    return failure();
  Shape shape;
  for (auto [i, dim] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(op.getAxes(), int64_t(i)))
      shape.push_back(dim);
    else if (dim != 1)
      return evaluateError(op) << "squeeze-c2: dim " << i << " is " << dim << ", not 1";
  }
  return input.withShape(shape);
}

static FailureOr<Tensor> evaluateUnsqueeze(UnsqueezeOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  int64_t rank = input.getRank() + op.getAxes().size();
  if (failed(requireAxes(op, "unsqueeze-c1", op.getAxes(), rank)))
    return failure();
  Shape shape;
  for (int64_t i = 0, next = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(op.getAxes(), i) ? 1 : input.getShape()[next++]);
  return input.withShape(shape);
}

/// Copies the elements that indices of the result read through strides of the input.
static FailureOr<Tensor> copyStrided(Operation *op, const Tensor &input, ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> strides) {
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  int64_t place = 0;
  forEachIndex(
      shape, [&](ArrayRef<int64_t> index) { result->copyElement(place++, input, getPlace(index, strides)); });
  return result;
}

static FailureOr<Tensor> evaluateTranspose(TransposeOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, input.getRank())))
    return evaluateError(op) << "transpose-c1: expects a permutation of " << input.getRank() << " dims, got "
                             << describeShape(permutation);
  Strides own = getStrides(input.getShape());
  return copyStrided(op, input,
                     llvm::map_to_vector(permutation, [&](int64_t i) { return input.getShape()[i]; }),
                     llvm::map_to_vector(permutation, [&](int64_t i) { return own[i]; }));
}

//===----------------------------------------------------------------------===//
// concat, expand, tile, trilu
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateConcat(ConcatOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  int64_t axis = op.getAxis();
  if (operands.empty())
    return evaluateError(op) << "concat-c1: expects at least one input";
  Shape shape(operands[0].getShape());
  if (failed(requireAxis(op, "concat-c1", axis, shape.size())))
    return failure();
  for (const Tensor &input : operands.drop_front()) {
    Shape other(input.getShape());
    if (other.size() == shape.size())
      other[axis] = shape[axis];
    if (other != shape || input.getElementType() != operands[0].getElementType())
      return evaluateError(op) << "concat-c2: shapes " << describeShape(operands[0].getShape()) << " and "
                               << describeShape(input.getShape()) << " differ beside axis " << axis;
    shape[axis] += input.getShape()[axis];
  }
  FailureOr<Tensor> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  Strides strides = getStrides(shape);
  int64_t begin = 0; // Where the input's part of the axis begins.
  for (const Tensor &input : operands) {
    int64_t place = 0;
    forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
      result->copyElement(getPlace(index, strides) + begin * strides[axis], input, place++);
    });
    begin += input.getShape()[axis];
  }
  return result;
}

static FailureOr<Tensor> evaluateExpand(ExpandOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  const Tensor &input = operands[0];
  FailureOr<Shape> wanted =
      op.getShape() ? readShape(op, "expand-c1", operands[1]) : context.declaredShape(op);
  if (failed(wanted))
    return failure();
  if (llvm::any_of(*wanted, [](int64_t dim) { return dim < 0; }))
    return evaluateError(op) << "expand-c1: expects nothing negative, got " << describeShape(*wanted);
  // At import the shape may have dims of 1 where the input is larger; without it the result's type is final.
  std::optional<Shape> shape = broadcastShapes(input.getShape(), *wanted);
  if (!shape || (!op.getShape() && *shape != *wanted))
    return evaluateError(op) << (op.getShape() ? "expand-c2: " : "expand-c3: ") << "shape "
                             << describeShape(input.getShape()) << " does not broadcast to "
                             << describeShape(*wanted);
  if (FailureOr<Tensor> room = makeResult(op, *shape); failed(room))
    return failure();
  return broadcastOperand(op, input, *shape);
}

/// The shape of a tile with `repeats`.
static FailureOr<Shape> repeatShape(TileOp op, ArrayRef<int64_t> input, const Tensor &repeats) {
  FailureOr<Shape> shape = readShape(op, "tile-c1", repeats);
  if (failed(shape))
    return failure();
  if (shape->size() != input.size())
    return evaluateError(op) << "tile-c1: expects " << input.size() << " repeats, got " << shape->size();
  for (auto [i, dim] : llvm::enumerate(*shape))
    if (dim < 0 || llvm::MulOverflow(dim, input[i], dim))
      return evaluateError(op) << "tile-c1: repeat " << i << " is negative or too large";
  return shape;
}

static FailureOr<Tensor> evaluateTile(TileOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  const Tensor &input = operands[0];
  ArrayRef<int64_t> from = input.getShape();
  FailureOr<Shape> shape = op.getRepeats() ? repeatShape(op, from, operands[1]) : context.declaredShape(op);
  if (failed(shape))
    return failure();
  for (size_t i = 0; i < from.size(); ++i)
    if (shape->size() != from.size() || (from[i] == 0 ? (*shape)[i] != 0 : (*shape)[i] % from[i] != 0))
      return evaluateError(op) << "tile-c1: " << describeShape(*shape)
                               << " is no multiple of the input's shape, " << describeShape(from);
  FailureOr<Tensor> result = makeResult(op, *shape);
  if (failed(result))
    return failure();
  Strides strides = getStrides(from);
  int64_t place = 0;
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    int64_t fromPlace = 0;
    for (size_t i = 0; i < index.size(); ++i)
      fromPlace += index[i] % from[i] * strides[i];
    result->copyElement(place++, input, fromPlace);
  });
  return result;
}

static FailureOr<Tensor> evaluateTrilu(TriluOp op, ArrayRef<Tensor> operands, EvaluateContext &) {
  const Tensor &input = operands[0];
  int64_t rank = input.getRank(), diagonal = op.getDiagonal();
  if (rank < 2)
    return evaluateError(op) << "trilu-c1: expects rank 2 or more, got " << rank;
  FailureOr<Tensor> result = makeResult(op, input.getShape());
  if (failed(result))
    return failure();
  int64_t place = 0;
  forEachIndex(input.getShape(), [&](ArrayRef<int64_t> index) {
    int64_t distance = index[rank - 1] - index[rank - 2];
    if (op.getUpper() ? distance >= diagonal : distance <= diagonal)
      result->copyElement(place, input, place);
    ++place;
  });
  return result;
}

static FailureOr<Tensor> evaluateToeplitz(ToeplitzOp op, ArrayRef<Tensor> operands,
                                          EvaluateContext &context) {
  const Tensor &input = operands[0];
  FailureOr<Shape> shape = context.declaredShape(op);
  if (failed(shape))
    return failure();
  int64_t rows = shape->end()[-2], columns = shape->back(), distances = input.getShape().back();
  if (rows * columns > 0 && distances != rows + columns - 1)
    return evaluateError(op) << "toeplitz-c1: " << distances << " distances of " << rows << " rows and "
                             << columns << " columns";
  FailureOr<Tensor> result = makeResult(op, *shape);
  if (failed(result))
    return failure();
  int64_t place = 0;
  forEachIndex(*shape, [&](ArrayRef<int64_t> index) {
    int64_t matrix = place / (rows * columns);
    result->copyElement(place++, input,
                        matrix * distances + rows - 1 - index[index.size() - 2] + index.back());
  });
  return result;
}

//===----------------------------------------------------------------------===//
// range
//===----------------------------------------------------------------------===//

/// max(ceil((limit - start) / delta), 0); the greatest number if that is beyond any tensor, nothing if it is
/// no number.
static std::optional<int64_t> countRange(const Tensor &start, const Tensor &limit, const Tensor &delta) {
  constexpr int64_t beyond = std::numeric_limits<int64_t>::max();
  if (start.isFloat()) {
    double count = std::ceil((limit.getFloat(0) - start.getFloat(0)) / delta.getFloat(0));
    if (std::isnan(count))
      return std::nullopt;
    return count > double(Tensor::kMaxBytes) ? beyond : int64_t(std::max(count, 0.0));
  }
  int64_t from = start.getInteger(0), to = limit.getInteger(0), step = delta.getInteger(0);
  if (step == 0)
    return std::nullopt;
  bool isUnsigned = start.isUnsigned(), isUp = isUnsigned || step > 0;
  if (isUp ? !scalar::less(from, to, isUnsigned) : !scalar::less(to, from, isUnsigned))
    return 0;
  uint64_t span = isUp ? uint64_t(to) - uint64_t(from) : uint64_t(from) - uint64_t(to);
  uint64_t width = isUp ? uint64_t(step) : -uint64_t(step);
  uint64_t count = (span - 1) / width + 1;
  return count > uint64_t(beyond) ? beyond : int64_t(count);
}

/// first + i * step, wrapping.
static int64_t atStep(int64_t first, int64_t i, int64_t step) {
  return scalar::add(first, scalar::multiply(i, step, false), false);
}

static FailureOr<Tensor> evaluateOperandRange(RangeOp op, const Tensor &start, const Tensor &limit,
                                              const Tensor &delta) {
  if (start.getRank() != 0 || limit.getRank() != 0 || delta.getRank() != 0)
    return evaluateError(op) << "range-c1: expects scalars";
  std::optional<int64_t> count = countRange(start, limit, delta);
  if (!count)
    return evaluateError(op) << "range-c1: delta is 0, or there is a NaN";
  FailureOr<Tensor> result = makeResult(op, {*count});
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < *count; ++i) {
    if (start.isFloat())
      result->setFloat(i, start.getFloat(0) + double(i) * delta.getFloat(0));
    else
      result->setInteger(i, atStep(start.getInteger(0), i, delta.getInteger(0)));
  }
  return result;
}

static FailureOr<Tensor> evaluateRange(RangeOp op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  if (op.getStart())
    return evaluateOperandRange(op, operands[0], operands[1], operands[2]);
  FailureOr<Shape> shape = context.declaredShape(op);
  if (failed(shape))
    return failure();
  if (shape->size() != 1 || !op.getFirst() || !op.getStep())
    return evaluateError(op) << "range-c2: without operands expects first, step and a rank-1 result";
  FailureOr<int64_t> first = context.value(op, Dim(*op.getFirst()));
  FailureOr<Tensor> result = makeResult(op, *shape);
  if (failed(first) || failed(result))
    return failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setInteger(i, atStep(*first, i, int64_t(*op.getStep())));
  return result;
}

void weft::attachShapeModels(MLIRContext *context) {
  attachModel<ConstantOp, evaluateConstant>(context);
  attachModel<DimsOp, evaluateDims>(context);
  attachModel<ShapeOp, evaluateShape>(context);
  attachModel<ReshapeOp, evaluateReshape>(context);
  attachModel<SqueezeOp, evaluateSqueeze>(context);
  attachModel<UnsqueezeOp, evaluateUnsqueeze>(context);
  attachModel<TransposeOp, evaluateTranspose>(context);
  attachModel<ConcatOp, evaluateConcat>(context);
  attachModel<ExpandOp, evaluateExpand>(context);
  attachModel<TileOp, evaluateTile>(context);
  attachModel<TriluOp, evaluateTrilu>(context);
  attachModel<ToeplitzOp, evaluateToeplitz>(context);
  attachModel<RangeOp, evaluateRange>(context);
}
