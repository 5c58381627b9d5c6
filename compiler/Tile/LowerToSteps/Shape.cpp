// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views cost nothing; moves are pointwise steps on strided views of their buffers.
#include "compiler/Tile/LowerToSteps/CopyStep.h"
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/Parts.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "compiler/Tile/LowerToSteps/State.h"
#include "compiler/Tile/LowerToSteps/StridedView.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace weft;

static Type storedElementOf(Value value) { return getStoredElement(getElementTypeOrSelf(value)); }

//===----------------------------------------------------------------------===//
// constant, dims, range, trilu
//===----------------------------------------------------------------------===//

static FailureOr<Value> lower(ConstantOp op, StepBuilder &steps) {
  auto type = cast<RankedTensorType>(op.getType());
  auto stored = RankedTensorType::get(type.getShape(), storedElementOf(op));
  Attribute value = op.getValue();
  if (isa<DenseElementsAttr>(value) && stored != type) {
    SmallVector<char> storage;
    FailureOr<ArrayRef<char>> bytes = readConstant(op, storage);
    if (failed(bytes))
      return failure();
    FailureOr<Attribute> converted = makeConstant(stored, op.getLoc(), [&](MutableArrayRef<char> to) {
      std::copy(bytes->begin(), bytes->end(), to.begin());
    });
    if (failed(converted))
      return failure();
    value = *converted;
  }
  return Value(ConstantOp::create(steps.host(), op.getLoc(), stored, value));
}

static FailureOr<Value> lower(DimsOp op, StepBuilder &steps) {
  SmallVector<Value> values;
  for (DimAttr dim : op.getValues().getDims())
    values.push_back(steps.index(Dim(dim)));
  Type element = storedElementOf(op);
  auto body = [&](OpBuilder &builder, Location location, ValueRange, ValueRange scalars) -> FailureOr<Value> {
    if (scalars.empty()) // of an empty tensor
      return Value(arith::ConstantIntOp::create(builder, location, element, 0));
    Value chosen = scalars.front();
    if (cast<RankedTensorType>(op.getType()).getRank() == 1) {
      Value place = linalg::IndexOp::create(builder, location, 0);
      for (size_t i = 1; i < scalars.size(); ++i) {
        Value at = arith::ConstantIndexOp::create(builder, location, i);
        Value here = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, place, at);
        chosen = arith::SelectOp::create(builder, location, here, scalars[i], chosen);
      }
    }
    return Value(arith::IndexCastOp::create(builder, location, element, chosen));
  };
  return buildPointwiseStep(steps, "dims", {}, getDims(cast<ShapedType>(op.getType())), element, body, values,
                            /*keepDims=*/true);
}

static FailureOr<Value> lower(RangeOp op, StepBuilder &steps) {
  bool isInteger = isa<IntegerType>(getElementTypeOrSelf(op.getType()));
  if (failed(requireForm(op, isInteger && op.getFirst() && op.getStep(), "integers with first and step")))
    return failure();
  Type element = storedElementOf(op);
  Value first = steps.index(Dim(*op.getFirst()));
  auto body = [&](OpBuilder &builder, Location location, ValueRange, ValueRange scalars) -> FailureOr<Value> {
    Value place = linalg::IndexOp::create(builder, location, 0);
    Value step = arith::ConstantIndexOp::create(builder, location, *op.getStep());
    Value moved = arith::MulIOp::create(builder, location, place, step);
    Value value = arith::AddIOp::create(builder, location, scalars.front(), moved);
    return Value(arith::IndexCastOp::create(builder, location, element, value));
  };
  return buildPointwiseStep(steps, "range", {}, getDims(cast<ShapedType>(op.getType())), element, body, first,
                            /*keepDims=*/true);
}

static FailureOr<Value> lower(TriluOp op, StepBuilder &steps) {
  SmallVector<Dim> dims = *getDims(op.getInput());
  SmallVector<Dim> merged{steps.product(ArrayRef(dims).drop_back(2)), dims[dims.size() - 2], dims.back()};
  Type element = storedElementOf(op);
  auto body = [&](OpBuilder &builder, Location location, ValueRange elements,
                  ValueRange) -> FailureOr<Value> {
    Value row = linalg::IndexOp::create(builder, location, 1),
          column = linalg::IndexOp::create(builder, location, 2);
    constexpr int64_t kFar = int64_t(1) << 40; // beyond any column, and small enough to be added to a row
    int64_t offset = std::clamp(int64_t(op.getDiagonal()), -kFar, kFar);
    Value diagonal = arith::ConstantIndexOp::create(builder, location, offset);
    Value limit = arith::AddIOp::create(builder, location, row, diagonal);
    auto predicate = op.getUpper() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
    Value keep = arith::CmpIOp::create(builder, location, predicate, column, limit);
    Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(element));
    return Value(arith::SelectOp::create(builder, location, keep, elements.front(), zero));
  };
  PointwiseInput input{steps.view(steps.tensor(op.getInput()), merged), merged};
  FailureOr<Value> result =
      buildPointwiseStep(steps, "trilu", input, merged, element, body, {}, /*keepDims=*/true);
  return failed(result) ? result : FailureOr<Value>(steps.view(*result, dims));
}

//===----------------------------------------------------------------------===//
// reshape, expand, tile
//===----------------------------------------------------------------------===//

static FailureOr<Value> lower(ReshapeOp op, StepBuilder &steps) {
  if (failed(requireForm(op, !op.getShape(), "no shape as data")))
    return failure();
  steps.defer(op.getResult(), [op, &steps]() mutable {
    return steps.view(steps.tensor(op.getInput()), getDims(cast<ShapedType>(op.getType())));
  });
  return Value();
}

static FailureOr<Value> lower(ExpandOp op, StepBuilder &steps) {
  if (failed(requireForm(op, !op.getShape(), "no shape as data")))
    return failure();
  PointwiseInput input{steps.tensor(op.getInput()), *getDims(op.getInput())};
  return buildPointwiseStep(steps, "expand", input, getDims(cast<ShapedType>(op.getType())),
                            storedElementOf(op), copyElement);
}

/// [a, b] repeated to [r*a, s*b] is [1, a, 1, b] broadcast to [r, a, s, b].
static FailureOr<Value> lower(TileOp op, StepBuilder &steps) {
  if (failed(requireForm(op, !op.getRepeats(), "no repeats as data")))
    return failure();
  SmallVector<Dim> dims = getDims(cast<ShapedType>(op.getType())), from, to;
  for (auto [in, out] : llvm::zip(*getDims(op.getInput()), dims)) {
    // Of nothing there is nothing, however often. A quotient that stays a formula must not divide by 0.
    Dim one = steps.constant(1);
    Dim repeats = in.getConstant() == 0 ? one : Dim::floorDiv(out, in);
    if (repeats && !repeats.isConstant())
      repeats = Dim::floorDiv(out, Dim::max(in, one));
    if (!repeats)
      return op.emitError() << "node \"" << getNodeName(op) << "\" (tile): cannot tell how often "
                            << describeType(op.getInput().getType()) << " is repeated [weft-0303]";
    llvm::append_values(from, steps.constant(1), in);
    llvm::append_values(to, repeats, in);
  }
  PointwiseInput input{steps.view(steps.tensor(op.getInput()), from), from};
  FailureOr<Value> result = buildPointwiseStep(steps, "tile", input, to, storedElementOf(op), copyElement);
  return failed(result) ? result : FailureOr<Value>(steps.view(*result, dims));
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

/// Merges result dims that are neighbours in the input too, and drops dims of 1: fewer, longer loops.
static void mergeTransposed(StepBuilder &steps, SmallVector<Dim> &input, SmallVector<int64_t> &permutation) {
  SmallVector<SmallVector<int64_t>> runs; // of input dims, in the result's order
  for (int64_t from : permutation) {
    if (input[from].getConstant() == 1)
      continue;
    bool follows = !runs.empty() && runs.back().back() < from &&
                   llvm::all_of(
                       llvm::seq<int64_t>(runs.back().back() + 1, from),
                       [&](int64_t i) { return input[i].getConstant() == 1; });
    if (!follows)
      runs.push_back({});
    runs.back().push_back(from);
  }
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, runs.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return runs[a].front() < runs[b].front(); });
  SmallVector<Dim> merged(runs.size());
  permutation.assign(runs.size(), 0);
  for (auto [place, run] : llvm::enumerate(order)) {
    merged[place] = steps.product(llvm::map_to_vector(runs[run], [&](int64_t i) { return input[i]; }));
    permutation[run] = place;
  }
  input = merged;
}

/// Where the result lies; in the input's own tensor if what lies before that is too much for formulas.
template <typename Op> static StridedView viewOfMoved(Op op, StepBuilder &steps) {
  StridedView view = viewThrough(steps, op);
  if (isKnown(view))
    return view;
  (void)steps.tensor(op.getInput());
  return viewThrough(steps, op);
}

/// A copy of the whole of a tensor in another order.
static Value copyTransposed(TransposeOp op, StepBuilder &steps) {
  SmallVector<Dim> from = *getDims(op.getInput());
  SmallVector<int64_t> permutation(op.getPermutation());
  mergeTransposed(steps, from, permutation);
  SmallVector<Dim> to = llvm::map_to_vector(permutation, [&](int64_t i) { return from[i]; });
  Value input = steps.view(steps.tensor(op.getInput()), from);
  SmallVector<Dim> dims = getDims(cast<ShapedType>(op.getType()));
  if (to.size() <= 1) // Nothing moves.
    return steps.view(input, dims);
  SmallVector<AffineExpr> indices(from.size());
  for (auto [loop, dim] : llvm::enumerate(permutation))
    indices[dim] = getAffineDimExpr(loop, op.getContext());
  auto map = AffineMap::get(to.size(), 0, indices, op.getContext());
  Value output = steps.empty(to, storedElementOf(op));
  Value result = buildCopyStep(steps, "transpose", input, output, to, map,
                               [](StepBuilder::Kernel &, Value &, Value &) {});
  return steps.view(result, dims);
}

static FailureOr<Value> lower(TransposeOp op, StepBuilder &steps) {
  steps.defer(op.getResult(), [op, &steps]() mutable {
    // A slice is transposed where it lies, if its rows stay rows.
    StridedView view = viewOfMoved(op, steps);
    bool keepsRows = !view.strides.empty() && view.strides.back().getConstant() == 1;
    bool isCut = !isWhole(steps, viewOf(steps, op.getInput()));
    return keepsRows && isCut ? copyView(steps, "transpose", view) : copyTransposed(op, steps);
  });
  return Value();
}

//===----------------------------------------------------------------------===//
// concat, slice
//===----------------------------------------------------------------------===//

/// One step per input.
static FailureOr<Value> lower(ConcatOp op, StepBuilder &steps) {
  if (StateTensor *state = steps.findState(op))
    return appendToState(op, *state, steps);
  SmallVector<Dim> dims = getDims(cast<ShapedType>(op.getType()));
  Dim rows = steps.product(ArrayRef(dims).take_front(op.getAxis()));
  Dim columns = steps.product(ArrayRef(dims).drop_front(op.getAxis()));
  Value result = steps.empty({rows, columns}, storedElementOf(op));
  Dim done = steps.constant(0);
  for (Value value : op.getInputs()) {
    StridedView to = wholeOf(steps, result, dims);
    to.offset = done, to.sizes = *getDims(value);
    FailureOr<Value> placed = placePart(steps, "concat", value, to, op.getAxis(), /*tensorAxis=*/1);
    if (failed(placed))
      return failure();
    result = *placed;
    done = done + steps.product(ArrayRef(to.sizes).drop_front(op.getAxis()));
  }
  return steps.view(result, dims);
}

static FailureOr<Value> lower(SliceOp op, StepBuilder &steps) {
  if (failed(requireForm(op, !op.getStarts(), "offsets and strides")))
    return failure();
  steps.defer(op.getResult(),
              [op, &steps]() mutable { return copyView(steps, "slice", viewOfMoved(op, steps)); });
  return Value();
}

static FailureOr<Value> lower(ToeplitzOp op, StepBuilder &steps) {
  steps.defer(op.getResult(),
              [op, &steps]() mutable { return copyView(steps, "toeplitz", viewOfMoved(op, steps)); });
  return Value();
}

static FailureOr<Value> lower(WindowsOp op, StepBuilder &steps) {
  Dim elements = steps.product(*getDims(op.getInput()));
  for (ArrayRef<int64_t> factors : {op.getStrides(), op.getDilations()})
    if (llvm::any_of(factors, [&](int64_t factor) { return !(elements * factor); }))
      return op.emitError()
             << "node \"" << getNodeName(op)
             << "\" (windows): a place in the input is no formula of at most 64 bits [weft-0303]";
  steps.defer(op.getResult(),
              [op, &steps]() mutable { return copyView(steps, "windows", viewOfMoved(op, steps)); });
  return Value();
}

namespace {
template <typename Op> struct ShapeLowering : StepLoweringInterface::ExternalModel<ShapeLowering<Op>, Op> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lower(cast<Op>(op), steps);
  }
};
} // namespace

template <typename... Ops> static void attach(MLIRContext *context) {
  (Ops::template attachInterface<ShapeLowering<Ops>>(*context), ...);
}

void weft::attachShapeLowering(MLIRContext *context) {
  attach<ConstantOp, DimsOp, RangeOp, TriluOp, ReshapeOp, ExpandOp, TileOp, TransposeOp, ConcatOp, SliceOp,
         ToeplitzOp, WindowsOp>(context);
}
