// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control: a loop of steps. What it carries lies in the same place in every iteration, so that steps are the
// same each time: states are copied back, and what an iteration leaves behind is put among the rest.
#include "compiler/Tile/LowerToSteps/Indexing.h"

using namespace mlir;
using namespace weft;

/// A tensor's elements in a buffer of their own, in whatever dims.
static Value copy(StepBuilder &steps, Value tensor, Dim count) {
  PointwiseInput input{steps.view(tensor, count), {count}};
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  return getRoot(*buildPointwiseStep(steps, "copy", input, count, element, copyElement));
}

/// Copies elements into a tensor, which has as many.
static FailureOr<Value> copyInto(StepBuilder &steps, Value from, Value to) {
  SmallVector<Dim> dims(steps.dimsOf(to));
  SmallVector<std::pair<StringRef, int64_t>> schedule;
  Dim grid = getLoopGrid(steps, dims, schedule);
  Value input = steps.view(from, dims);
  StepBuilder::Kernel kernel = steps.beginKernel("copy", input, to, schedule);
  AffineMap identity = AffineMap::getMultiDimIdentityMap(dims.size(), kernel.op.getContext());
  if (failed(buildLoops(kernel, kernel.inputs, kernel.output, identity, copyElement, /*scalars=*/{})))
    return failure();
  return steps.endKernel(kernel, grid, input, to);
}

/// The number of the iteration as a tensor.
static FailureOr<Value> makeIteration(StepBuilder &steps, Value number) {
  auto body = [](OpBuilder &builder, Location location, ValueRange, ValueRange scalars) -> FailureOr<Value> {
    return Value(arith::IndexCastOp::create(builder, location, builder.getI64Type(), scalars.front()));
  };
  Dim one = steps.constant(1);
  return buildPointwiseStep(steps, "iteration", {}, one, steps.host().getI64Type(), body, number);
}

namespace {

/// Writes one loop.
class LoopWriter {
public:
  LoopWriter(LoopOp op, StepBuilder &steps) : op(op), steps(steps), stateCount(op.getStates().size()) {}

  LoweredResults run() {
    for (Value capture : op.getCaptures())
      (void)steps.tensor(capture); // before the loop, if it was deferred
    StepBuilder::Loop loop = steps.beginLoop(Dim(*op.getCount()), makeInitial());
    FailureOr<SmallVector<Value>> carried = writeBody(loop);
    steps.setOperation(op);
    if (failed(carried)) // what is carried stands for what there is no kernel for
      carried = loop.carried;
    SmallVector<Value> results = steps.endLoop(loop, *carried);
    if (hasFailed)
      return failure();
    for (auto [result, tensor] : llvm::zip(op.getResults(), results))
      tensor = steps.view(tensor, *getDims(result));
    return results;
  }

private:
  /// What the loop begins with: copies of the states, and room for what is left behind, in one dim.
  SmallVector<Value> makeInitial() {
    SmallVector<Value> initial;
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      Dim count = steps.product(*getDims(result));
      initial.push_back(i < stateCount ? copy(steps, steps.tensor(op.getStates()[i]), count)
                                       : steps.empty(count, getStoredElement(getElementTypeOrSelf(result))));
    }
    return initial;
  }

  /// One iteration; what becomes of what is carried.
  FailureOr<SmallVector<Value>> writeBody(StepBuilder::Loop &loop) {
    for (auto [argument, carried] : llvm::zip(op.getBodyStates(), loop.carried))
      steps.map(argument, steps.view(carried, *getDims(argument)));
    for (auto [argument, capture] : llvm::zip(op.getBodyCaptures(), op.getCaptures()))
      steps.map(argument, steps.tensor(capture));
    BlockArgument number = op.getBody().getArgument(0);
    if (!number.use_empty() || op.getNumResults() > stateCount) {
      FailureOr<Value> tensor = makeIteration(steps, loop.op.getInductionVar());
      if (failed(tensor))
        return failure();
      iteration = *tensor;
      steps.map(number, steps.view(iteration, {}));
    }
    for (Operation &inner : op.getBlock().without_terminator())
      hasFailed |= failed(lowerToSteps(inner, steps));
    steps.setOperation(op);
    if (hasFailed)
      return failure();
    return carryOn(loop);
  }

  /// Puts what is left behind among the rest, and then, since it may be a state as it was, the states in
  /// their places.
  FailureOr<SmallVector<Value>> carryOn(StepBuilder::Loop &loop) {
    SmallVector<Value> yielded =
        llvm::map_to_vector(op.getYielded(), [&](Value value) { return steps.tensor(value); });
    auto countOf = [&](size_t i) { return steps.product(*getDims(op.getYielded()[i])); };
    SmallVector<Value> carried(yielded.size());
    for (size_t i = stateCount; i < yielded.size(); ++i)
      carried[i] =
          buildScatterStep(steps, ScatterKind::Replace, /*isUnsigned=*/false, iteration, steps.constant(1),
                           yielded[i], loop.carried[i], Dim(*op.getCount()), countOf(i));
    // A state that another becomes is copied first: it is about to change.
    for (size_t i = 0; i < stateCount; ++i)
      if (llvm::is_contained(loop.carried, getRoot(yielded[i])))
        yielded[i] = copy(steps, yielded[i], countOf(i));
    for (size_t i = 0; i < stateCount; ++i) {
      FailureOr<Value> copied = copyInto(steps, yielded[i], loop.carried[i]);
      if (failed(copied))
        return failure();
      carried[i] = *copied;
    }
    return carried;
  }

  LoopOp op;
  StepBuilder &steps;
  const size_t stateCount;
  Value iteration; ///< its number, of one dim; null where nothing needs it
  bool hasFailed = false;
};

struct LoopLowering : StepLoweringInterface::ExternalModel<LoopLowering, LoopOp> {
  LoweredResults lowerToSteps(Operation *op, StepBuilder &steps) const {
    auto loop = cast<LoopOp>(op);
    if (failed(requireForm(op, bool(loop.getCount()), "a count")))
      return failure();
    return LoopWriter(loop, steps).run();
  }
};

} // namespace

void weft::attachLoopLowering(MLIRContext *context) { LoopOp::attachInterface<LoopLowering>(*context); }
