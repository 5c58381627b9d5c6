// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointwise steps: dims are merged where all inputs agree, then a linalg.generic over what is left.
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace weft;

namespace {

/// How an input meets one dim of the result.
enum class Meeting {
  Full,    ///< it has the dim
  One,     ///< it has 1 there, or no dim at all: always broadcast
  RunTime, ///< it has the dim, or 1; known at run time
};

/// A run of result dims that become one loop.
struct Group {
  SmallVector<size_t> positions; ///< of the dims in the result
  SmallVector<Meeting> meetings; ///< one per input
};

} // namespace

static Meeting meet(const PointwiseInput &input, size_t position, ArrayRef<Dim> dims) {
  size_t missing = dims.size() - input.dims.size();
  if (position < missing || input.dims[position - missing].getConstant() == 1)
    return dims[position].getConstant() == 1 ? Meeting::Full : Meeting::One;
  return input.dims[position - missing] == dims[position] ? Meeting::Full : Meeting::RunTime;
}

/// Whether one stride goes through two dims of the result in an input that has both, or neither.
static bool isOneStride(const PointwiseInput &input, size_t position, size_t next, ArrayRef<Dim> dims) {
  if (!input.view || meet(input, position, dims) == Meeting::One)
    return true;
  size_t missing = dims.size() - input.dims.size();
  ArrayRef<Dim> strides = input.view->strides;
  return strides[position - missing] == strides[next - missing] * dims[next];
}

PointwiseInput weft::inputOf(const StridedView &view) { return {view.tensor, view.sizes, view}; }

PointwiseInput weft::findPointwiseInput(StepBuilder &steps, Value graphValue, ArrayRef<Dim> dims) {
  StridedView view = viewOf(steps, graphValue);
  PointwiseInput input = inputOf(view);
  auto isLong = [](Dim dim) { return dim.getConstant() != 1; };
  auto last = llvm::find_if(llvm::reverse(dims), isLong);
  bool isKnown = llvm::all_of(llvm::seq<size_t>(0, dims.size()), [&](size_t position) {
    return meet(input, position, dims) != Meeting::RunTime;
  });
  size_t missing = dims.size() - input.dims.size(), position = dims.rend() - last - 1;
  bool keepsRows = last != dims.rend() && (meet(input, position, dims) == Meeting::One ||
                                           view.strides[position - missing].getConstant() == 1);
  if (isWhole(steps, view) || !isKnown || !keepsRows)
    return {steps.tensor(graphValue), *getDims(graphValue)};
  return input;
}

/// Merges neighbours that every input meets alike; constant ones vanish into any neighbour.
static SmallVector<Group> groupDims(ArrayRef<PointwiseInput> inputs, ArrayRef<Dim> dims, bool keepDims) {
  SmallVector<Group> groups;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!keepDims && dims[i].getConstant() == 1)
      continue;
    SmallVector<Meeting> meetings =
        llvm::map_to_vector(inputs, [&](const PointwiseInput &input) { return meet(input, i, dims); });
    bool merges = !keepDims && !groups.empty() && groups.back().meetings == meetings &&
                  !llvm::is_contained(meetings, Meeting::RunTime) &&
                  llvm::all_of(inputs, [&](const PointwiseInput &input) {
                    return isOneStride(input, groups.back().positions.back(), i, dims);
                  });
    if (!merges)
      groups.push_back({{}, meetings});
    groups.back().positions.push_back(i);
  }
  return groups;
}

static Dim groupSize(StepBuilder &steps, const Group &group, ArrayRef<Dim> dims) {
  return steps.product(llvm::map_to_vector(group.positions, [&](size_t position) { return dims[position]; }));
}

/// The dims of an input for the groups that it takes part in, and the loops that index them.
static SmallVector<Dim> inputDims(StepBuilder &steps, const PointwiseInput &input, size_t which,
                                  ArrayRef<Group> groups, ArrayRef<Dim> dims,
                                  SmallVectorImpl<unsigned> &loops) {
  SmallVector<Dim> result;
  size_t missing = dims.size() - input.dims.size();
  for (auto [loop, group] : llvm::enumerate(groups)) {
    if (group.meetings[which] == Meeting::One)
      continue;
    loops.push_back(loop);
    // A dim that may be 1 at run time stands alone in its group.
    result.push_back(group.meetings[which] == Meeting::Full ? groupSize(steps, group, dims)
                                                            : input.dims[group.positions.front() - missing]);
  }
  return result;
}

/// A view in the dims of groups.
static StridedView viewGroups(StepBuilder &steps, const PointwiseInput &input, size_t which,
                              ArrayRef<Group> groups, ArrayRef<Dim> dims) {
  StridedView view{input.view->tensor, input.view->offset, {}, {}};
  for (const Group &group : groups)
    if (group.meetings[which] == Meeting::Full) {
      size_t missing = dims.size() - input.dims.size(), last = group.positions.back();
      view.sizes.push_back(groupSize(steps, group, dims));
      view.strides.push_back(last < missing ? steps.constant(0) : input.view->strides[last - missing]);
    }
  return view;
}

/// An input with the strides that broadcast it: 0 along dims that turn out to be 1.
static Value broadcastInKernel(OpBuilder &body, Location location, Value input, Value output,
                               ArrayRef<unsigned> loops, ArrayRef<Meeting> meetings) {
  auto type = cast<MemRefType>(input.getType());
  unsigned rank = type.getRank();
  SmallVector<OpFoldResult> sizes(rank), strides(rank);
  Value stride = arith::ConstantIndexOp::create(body, location, 1);
  Value zero = arith::ConstantIndexOp::create(body, location, 0), one = stride;
  for (int64_t i = int64_t(rank) - 1; i >= 0; --i) {
    Value size = memref::DimOp::create(body, location, input, i);
    bool atRunTime = meetings[loops[i]] == Meeting::RunTime;
    bool innermost = i == int64_t(rank) - 1;
    Value isOne = arith::CmpIOp::create(body, location, arith::CmpIPredicate::eq, size, one);
    if (atRunTime)
      strides[i] = arith::SelectOp::create(body, location, isOne, zero, stride).getResult();
    else
      strides[i] = innermost ? OpFoldResult(body.getIndexAttr(1)) : OpFoldResult(stride);
    int64_t fixed = cast<MemRefType>(output.getType()).getDimSize(loops[i]);
    sizes[i] = ShapedType::isDynamic(fixed)
                   ? OpFoldResult(memref::DimOp::create(body, location, output, loops[i]).getResult())
                   : OpFoldResult(body.getIndexAttr(fixed));
    stride = arith::MulIOp::create(body, location, stride, size);
  }
  SmallVector<int64_t> shape, fixedStrides;
  for (unsigned i = 0; i < rank; ++i) {
    shape.push_back(getConstantIntValue(sizes[i]).value_or(ShapedType::kDynamic));
    fixedStrides.push_back(getConstantIntValue(strides[i]).value_or(ShapedType::kDynamic));
  }
  auto layout = StridedLayoutAttr::get(body.getContext(), 0, fixedStrides);
  auto to = MemRefType::get(shape, type.getElementType(), layout);
  return memref::ReinterpretCastOp::create(body, location, to, input, OpFoldResult(body.getIndexAttr(0)),
                                           sizes, strides);
}

/// How long a dim is, as a guess where it depends on the inputs: as if every symbol were the length of a
/// text.
static int64_t guessSize(Dim dim) {
  constexpr int64_t kLength = 512;
  return dim.evaluate([&](StringRef) { return kLength; }).value_or(kLength);
}

Dim weft::getLoopGrid(StepBuilder &steps, ArrayRef<Dim> dims,
                      SmallVectorImpl<std::pair<StringRef, int64_t>> &schedule, int64_t leastRows,
                      int64_t multipleOf) {
  int64_t elements = steps.elementsOfTile();
  int64_t columns = steps.scheduled("columns", elements);
  int64_t inner = dims.empty() ? 1 : guessSize(dims.back());
  int64_t mostRows =
      inner < 16 && !steps.isForGPU ? elements : 256; // of a few columns as many as fill a tile
  int64_t rows = std::clamp<int64_t>(elements / std::max<int64_t>(inner, 1), leastRows, mostRows);
  rows = steps.scheduled("rows", std::max<int64_t>(rows / multipleOf, 1) * multipleOf);
  schedule.push_back({"rows", rows});
  schedule.push_back({"columns", columns});
  if (dims.empty())
    return steps.constant(1);
  if (dims.size() == 1)
    return steps.tiles(dims.front(), columns);
  return steps.tiles(steps.product(dims.drop_back()), rows);
}

LogicalResult weft::buildLoops(StepBuilder::Kernel &kernel, ValueRange inputs, Value output,
                               ArrayRef<AffineMap> inputMaps, PointwiseBody body, ValueRange scalars) {
  unsigned rank = cast<MemRefType>(output.getType()).getRank();
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(AffineMap::getMultiDimIdentityMap(rank, output.getContext()));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  LogicalResult result = success();
  linalg::GenericOp::create(
      kernel.body, kernel.op.getLoc(), inputs, ValueRange(output), maps, iterators,
      [&](OpBuilder &builder, Location location, ValueRange elements) {
        FailureOr<Value> element = body(builder, location, elements.drop_back(), scalars);
        result = element;
        linalg::YieldOp::create(builder, location, succeeded(element) ? *element : elements.back());
      });
  return result;
}

/// Of an input that is larger than the output no more is read than one element for each of the output's.
static StepWork pointwiseWork(StepBuilder &steps, ValueRange inputs, Dim written) {
  Dim bytes = written;
  for (Value input : inputs)
    bytes = bytes + Dim::min(steps.bytesOf(input), written);
  return {{}, bytes};
}

namespace {
/// The loops of a pointwise step, and what its inputs are in them.
struct PointwiseLoops {
  SmallVector<Group> groups;
  SmallVector<Dim> dims; ///< one for each group
  SmallVector<TensorPart> inputs;
  SmallVector<SmallVector<unsigned>> inputLoops; ///< that index each input
};
} // namespace

/// The buffers of the inputs in a kernel, whose arguments at `places` have them, and the loops that index
/// them.
static SmallVector<Value> readInputs(StepBuilder::Kernel &kernel, const PointwiseLoops &loops,
                                     ArrayRef<size_t> places, Value output, const DimInputs &numbers,
                                     SmallVectorImpl<AffineMap> &maps) {
  MLIRContext *context = kernel.op.getContext();
  SmallVector<Value> buffers;
  for (size_t i = 0; i < loops.inputs.size(); ++i) {
    SmallVector<Meeting> meetings =
        llvm::map_to_vector(loops.groups, [&](const Group &group) { return group.meetings[i]; });
    bool broadcasts = llvm::is_contained(meetings, Meeting::RunTime);
    Value buffer = loops.inputs[i].read(kernel, kernel.inputs[places[i]], numbers);
    buffers.push_back(broadcasts ? broadcastInKernel(kernel.body, kernel.op.getLoc(), buffer, output,
                                                     loops.inputLoops[i], meetings)
                                 : buffer);
    SmallVector<AffineExpr> indices = llvm::map_to_vector(
        loops.inputLoops[i], [&](unsigned loop) { return getAffineDimExpr(loop, context); });
    maps.push_back(AffineMap::get(loops.dims.size(), 0, indices, context));
  }
  return buffers;
}

/// The rows of which tiles have a multiple where an element takes so much that rows are done side by side:
/// the lines of the last loop but one, or, if those are long, a block of rows.
static int64_t rowsSideBySide(StepBuilder &steps, ArrayRef<Dim> dims) {
  constexpr int64_t kBlock = 8, kTiles = 8; // what a line may have, in tiles that do little with each element
  if (steps.isForGPU || dims.size() < 2)
    return 1;
  int64_t line = std::max<int64_t>(guessSize(dims[dims.size() - 2]), 1);
  return line * guessSize(dims.back()) <= kTiles * steps.elementsOfTile() ? line : kBlock;
}

/// The step, of these loops; gives the tensor that the output is in.
static FailureOr<Value> addStep(StepBuilder &steps, StringRef name, const PointwiseLoops &loops,
                                const TensorPart &output, PointwiseBody body, ValueRange scalars,
                                int64_t flopsOfEach = 0) {
  SmallVector<Value> operands; // each tensor once, of which inputs may see several parts
  SmallVector<size_t> places;
  for (const TensorPart &input : loops.inputs) {
    auto same = llvm::find(operands, input.tensor);
    places.push_back(same - operands.begin());
    if (same == operands.end())
      operands.push_back(input.tensor);
  }
  size_t tensorCount = operands.size();
  llvm::append_range(operands, scalars);
  DimInputs numbers(steps, operands);
  for (const TensorPart &input : loops.inputs)
    input.addDims(numbers);
  output.addDims(numbers);
  SmallVector<std::pair<StringRef, int64_t>> schedule;
  Dim grid = getLoopGrid(steps, loops.dims, schedule, /*leastRows=*/1,
                         flopsOfEach > 0 ? rowsSideBySide(steps, loops.dims) : 1);
  StepBuilder::Kernel kernel = steps.beginKernel(name, operands, output.tensor, schedule);
  Value out = output.read(kernel, kernel.output, numbers);
  SmallVector<AffineMap> maps;
  SmallVector<Value> buffers = readInputs(kernel, loops, places, out, numbers, maps);
  ValueRange kernelScalars = ValueRange(kernel.inputs).slice(tensorCount, scalars.size());
  if (failed(buildLoops(kernel, buffers, out, maps, body, kernelScalars)))
    return failure();
  Type element = cast<RankedTensorType>(output.tensor.getType()).getElementType();
  Dim count = steps.product(loops.dims);
  StepWork work = pointwiseWork(steps, operands, count * getElementBytes(element));
  if (flopsOfEach > 0)
    work.flops = count * flopsOfEach;
  return steps.endKernel(kernel, grid, operands, output.tensor, work);
}

/// Loops over `dims`; the last input may stand for the output, whose dims merge as inputs' do.
static PointwiseLoops findLoops(StepBuilder &steps, ArrayRef<PointwiseInput> inputs, ArrayRef<Dim> dims,
                                bool keepDims) {
  PointwiseLoops loops;
  loops.groups = groupDims(inputs, dims, keepDims);
  loops.dims =
      llvm::map_to_vector(loops.groups, [&](const Group &group) { return groupSize(steps, group, dims); });
  for (auto [i, input] : llvm::enumerate(inputs)) {
    SmallVector<Dim> of = inputDims(steps, input, i, loops.groups, dims, loops.inputLoops.emplace_back());
    loops.inputs.push_back(input.view
                               ? TensorPart{input.tensor, viewGroups(steps, input, i, loops.groups, dims)}
                               : TensorPart{steps.view(input.tensor, of)});
  }
  return loops;
}

FailureOr<Value> weft::buildPointwiseStep(StepBuilder &steps, StringRef name, ArrayRef<PointwiseInput> inputs,
                                          ArrayRef<Dim> dims, Type storedElement, PointwiseBody body,
                                          ValueRange scalars, bool keepDims, int64_t flopsOfEach) {
  PointwiseLoops loops = findLoops(steps, inputs, dims, keepDims);
  Value output = steps.empty(loops.dims, storedElement);
  FailureOr<Value> result = addStep(steps, name, loops, {output}, body, scalars, flopsOfEach);
  return failed(result) ? result : FailureOr<Value>(steps.view(*result, dims));
}

FailureOr<Value> weft::buildPointwiseStepInto(StepBuilder &steps, StringRef name,
                                              ArrayRef<PointwiseInput> inputs, const StridedView &into,
                                              PointwiseBody body) {
  SmallVector<PointwiseInput> all(inputs);
  all.push_back(inputOf(into));
  PointwiseLoops loops = findLoops(steps, all, into.sizes, /*keepDims=*/false);
  TensorPart output = loops.inputs.pop_back_val();
  if (loops.dims.empty()) { // one element
    output.view->sizes = output.view->strides = {steps.constant(1)};
    loops.dims = output.view->sizes;
    loops.groups.push_back({{}, SmallVector<Meeting>(all.size(), Meeting::One)});
  }
  return addStep(steps, name, loops, output, body, {});
}

FailureOr<Value> weft::copyElement(OpBuilder &, Location, ValueRange elements, ValueRange) {
  return elements.front();
}

Value weft::spreadOver(StepBuilder &steps, Value tensor, ArrayRef<Dim> from, ArrayRef<Dim> dims) {
  tensor = steps.view(tensor, from);
  if (provablyEqualShapes(from, dims))
    return tensor;
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  PointwiseInput input{tensor, SmallVector<Dim>(from)};
  return *buildPointwiseStep(steps, "spread", input, dims, element,
                             copyElement); // copying an element cannot fail
}
