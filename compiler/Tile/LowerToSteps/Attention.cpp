// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as a step that holds no matrix of scores, after one that brings the keys into panels.
#include "compiler/Tile/LowerToSteps/Captures.h"
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "compiler/Tile/LowerToSteps/State.h"
#include "compiler/Tile/LowerToSteps/StridedView.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;

namespace {
struct AttentionSizes {
  SmallVector<Dim> scores; ///< [batch, heads, query length, key length]
  SmallVector<Dim> panels; ///< [batch, key heads, panels, width, keys of a panel]
  Dim batches,
      rows; ///< the grid: matrices of all the query rows that share keys, so that these are not repeated
  Dim width, columns;
  Type operands; ///< the element type of query, key, value and result
  Type element;  ///< of those that the step takes, and of what it makes
  Type partial;  ///< of what it makes of a part of the keys
};
} // namespace

/// The widest rows of which a tile puts a panel of keys, or its queries, on the stack.
constexpr int64_t kWidest = AttentionTileOp::kWidestBlocks;

/// Keys that lie side by side: one, two or four register tiles of the product's columns.
constexpr int64_t kKeysOfPanel = 64;
static_assert(kKeysOfPanel == UniformTileOp::kColumns, "a map says of each panel what its mask is");

static bool usesTensorCores(AttentionOp op, StepBuilder &steps) {
  auto fits = [](Value tensor) {
    std::optional<int64_t> width = getDims(tensor)->back().getConstant();
    return width && AttentionTileOp::isHalfWidth(*width);
  };
  return steps.isForGPU && getElementTypeOrSelf(op.getQuery()).getIntOrFloatBitWidth() == 16 &&
         !op.getWeights() && fits(op.getQuery()) && fits(op.getValue());
}

static AttentionSizes getSizes(AttentionOp op, StepBuilder &steps) {
  SmallVector<Dim> query = *getDims(op.getQuery()), key = *getDims(op.getKey());
  AttentionSizes sizes;
  sizes.scores = *op.getScoreDims();
  sizes.panels = {key[0], key[1], steps.tiles(key[2], kKeysOfPanel), key[3], steps.constant(kKeysOfPanel)};
  Dim heads = op.getBlocks() ? query[1] : key[1];
  sizes.batches = steps.product({query[0], heads});
  sizes.rows = query[1] == heads ? query[2] : Dim::floorDiv(query[1], heads) * query[2];
  sizes.width = query[3];
  sizes.columns = sizes.scores[3];
  sizes.operands = getElementTypeOrSelf(op.getQuery());
  sizes.partial = sizes.operands.isF64() ? sizes.operands : Type(steps.host().getF32Type());
  sizes.element = usesTensorCores(op, steps) ? sizes.operands : sizes.partial;
  return sizes;
}

/// A float of memory as another type's.
static Value convert(OpBuilder &body, Location location, Value element, Type from, Type to) {
  element = loadStored(body, location, element, from);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    element = arith::ExtFOp::create(body, location, to, element);
  else if (from != to)
    element = arith::TruncFOp::create(body, location, to, element);
  return toStored(body, location, element);
}

/// The tensor in another element type; itself if it is of that type.
static Value convertTensor(StepBuilder &steps, Value tensor, ArrayRef<Dim> dims, Type from, Type to) {
  tensor = steps.view(tensor, dims);
  if (from == to)
    return tensor;
  PointwiseInput input{tensor, SmallVector<Dim>(dims)};
  return *buildPointwiseStep( // a conversion cannot fail
      steps, "cast", input, dims, getStoredElement(to),
      [&](OpBuilder &body, Location location, ValueRange elements, ValueRange) -> FailureOr<Value> {
        return convert(body, location, elements.front(), from, to);
      });
}

namespace {
/// Queries, keys or values as kernels take them.
struct Operand : TensorPart {
  Value panels = {}; ///< keys once more, in panels, where the queries may turn out to be many
};
} // namespace

static Operand wholeOperand(StepBuilder &steps, Value value) {
  return {{steps.view(steps.tensor(value), *getDims(value))}};
}

/// Keys or values where a state holds them, if they are read there.
static std::optional<Operand> findHeld(StepBuilder &steps, OpOperand &use) {
  StateTensor *state = readsStateInPlace(use) ? steps.findState(use.get()) : nullptr;
  if (!state)
    return std::nullopt;
  StridedView view = wholeOf(steps, state->tensor, state->room());
  view.sizes = *getDims(use.get());
  return Operand{{state->tensor, view}};
}

/// The operand where a transpose, a slice or a reshape finds it, if the kernel can read it there: each row is
/// in one piece, and `canRead` holds.
static Operand findInPlace(StepBuilder &steps, Value value,
                           llvm::function_ref<bool(const StridedView &)> canRead) {
  StridedView view = viewOf(steps, value);
  if (isWhole(steps, view))
    return {{steps.view(view.tensor, view.sizes)}};
  if (view.sizes.back().isConstant() && view.strides.back().getConstant() == 1 && canRead(view))
    return {{view.tensor, view}};
  return wholeOperand(steps, value);
}

/// Whether a kernel can read a capture there: vectors of its last dim, even if that has one element.
static bool isReadInVectors(const StridedView &view) {
  return !view.strides.empty() && view.strides.back().getConstant() == 1;
}

/// A kernel counts the rows of the heads that share a key head as those of one matrix.
static bool areRowsOfOneMatrix(const AttentionSizes &sizes, const StridedView &view) {
  return sizes.rows == view.sizes[2] || view.strides[1] == view.strides[2] * view.sizes[2];
}

/// Keys [batch, heads, columns, width] in panels, as products of more than a few rows take them.
static Value panelKey(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes, const Operand &key) {
  SmallVector<Value> inputs{key.tensor};
  DimInputs dims(steps, inputs);
  key.addDims(dims);
  Value output = steps.empty(sizes.panels, sizes.element);
  StepBuilder::Kernel kernel = steps.beginKernel("panel_key", inputs, output, {{"rows", 1}});
  auto tile = PanelTileOp::create(kernel.body, op.getLoc(), key.read(kernel, kernel.inputs.front(), dims),
                                  kernel.output);
  markElement(tile, sizes.operands);
  Dim one = steps.constant(1),
      isNeeded = Dim::floorDiv(sizes.rows, steps.constant(AttentionTileOp::kRowsWithoutPanels + 1));
  Dim isMade = Dim::min(one, isNeeded);
  return steps.endKernel(kernel, sizes.batches * sizes.panels[2] * isMade, inputs, output,
                         {{}, steps.bytesOf(output) * isMade * 2});
}

/// Queries of a tile: their scores against a block of keys are in the second-level cache.
constexpr int64_t kQueryRows = 64;
/// The same for a block of a GPU's threads: sums of all of them are in registers.
constexpr int64_t kQueryRowsOfBlock = 32, kQueryRowsOfTensorBlock = 64;
/// Keys of a block: fewer make more turns in which what was summed before is scaled.
constexpr int64_t kKeyColumns = 512;

/// The most queries of a head whose keys are divided, how many keys a part has at least, and tiles that are
/// enough for the threads there are; the same for blocks of a GPU's threads.
constexpr int64_t kFewRows = 16, kPartKeys = 512, kEnoughTiles = 16;
constexpr int64_t kFewRowsOfBlock = 8, kPartKeysOfBlock = 256, kEnoughBlocks = 256;
/// The widest heads of 16-bit elements of which a block of a GPU's threads takes few queries.
constexpr int64_t kWidestOfFew = 128;

static bool isHalf(Type element) { return element.getIntOrFloatBitWidth() == 16; }

static bool isAtMost(Dim dim, int64_t most) { return dim && dim.getConstant().value_or(most + 1) <= most; }

/// The map of a capture that may be a mask (weft.uniform_tile), made once for all attentions that read it;
/// null where that would not pay. Floats that differ by head are a bias, not a mask, as far as heads are not
/// part of the batch.
static Value mapCapture(StepBuilder &steps, Value value, const Capture &capture) {
  Type element = getElementTypeOrSelf(value);
  Dim one = steps.constant(1);
  StridedView mask = capture.view ? *capture.view : wholeOf(steps, capture.tensor, capture.dims);
  SmallVector<Dim> &dims = mask.sizes;
  dims.insert(dims.begin(), 4 - dims.size(), one);
  mask.strides.insert(mask.strides.begin(), 4 - mask.strides.size(), steps.constant(0));
  bool isRead = element.isF32() || element.isF64() || element.isInteger(1);
  if (!isRead || dims[1] != one || dims[3] == one)
    return {};
  Value &map = steps.mapOf(value);
  if (map)
    return map;
  constexpr int64_t kRows = 1;
  Dim rows = steps.tiles(dims[2], UniformTileOp::kRows);
  SmallVector<Dim> blocks{dims[0], one, rows, steps.tiles(dims[3], UniformTileOp::kColumns)};
  TensorPart part =
      capture.view ? TensorPart{capture.tensor, mask} : TensorPart{steps.view(capture.tensor, dims)};
  SmallVector<Value> inputs{part.tensor};
  DimInputs numbers(steps, inputs);
  part.addDims(numbers);
  Value output = steps.empty(blocks, element.isF64() ? element : Type(steps.host().getF32Type()));
  auto kernel = steps.beginKernel("uniform_mask", inputs, output, {{"rows", kRows}});
  UniformTileOp::create(kernel.body, kernel.op.getLoc(), part.read(kernel, kernel.inputs.front(), numbers),
                        kernel.output);
  return map = steps.endKernel(kernel, dims[0] * rows, inputs, output);
}

namespace {
/// Of some captures, by their numbers, where each is one number.
struct Maps {
  SmallVector<Value> tensors;
  SmallVector<int64_t> captures;
};
} // namespace

static std::optional<Capture> findSink(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes) {
  if (!op.getSink())
    return std::nullopt;
  SmallVector<Dim> rows(sizes.scores);
  rows.back() = steps.constant(1);
  return spreadCaptures(steps, op.getSink(), rows).front();
}

/// Few queries read a mask once anyway.
static Maps mapCaptures(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes,
                        ArrayRef<Capture> captures) {
  Maps maps;
  if (steps.isForGPU || op.getBlocks() || isAtMost(sizes.rows, AttentionTileOp::kRowsWithoutPanels))
    return maps;
  for (auto [number, capture] : llvm::enumerate(captures))
    if (Value map = mapCapture(steps, op.getCaptures()[number], capture)) {
      maps.tensors.push_back(map);
      maps.captures.push_back(number);
    }
  return maps;
}

/// By how many the keys are divided, so that a step of few queries has work for all threads. It follows from
/// the sizes, so results do not depend on the number of threads.
static Dim divideKeys(StepBuilder &steps, const AttentionSizes &sizes) {
  Dim one = steps.constant(1);
  Dim longest = Dim::floorDiv(sizes.columns, steps.constant(steps.isForGPU ? kPartKeysOfBlock : kPartKeys));
  int64_t enough = steps.isForGPU ? kEnoughBlocks : kEnoughTiles;
  Dim parts = Dim::min(longest, Dim::floorDiv(steps.constant(enough), Dim::max(sizes.batches, one)));
  return Dim::max(parts, one);
}

namespace {
/// A step that takes all queries where there are as many as it is for, and otherwise none.
struct AttentionPlan {
  int64_t rows; ///< of a tile
  Dim isTaken;  ///< 0 or 1, by the number of queries
  Dim parts;    ///< of the keys, each with a result of its own; null where there is one
};
} // namespace

/// One step for any number of queries; or on a GPU, where few new ones may attend to many keys, one for few
/// and one for many.
static SmallVector<AttentionPlan> planSteps(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes) {
  Dim one = steps.constant(1), parts;
  bool isFew = isAtMost(sizes.rows, kFewRows);
  bool canDivide = !op.getWeights() && !op.getBlocks() &&
                   !(isHalf(sizes.element) && !(isAtMost(sizes.width, kWidestOfFew) &&
                                                isAtMost(getDims(op.getValue())->back(), kWidestOfFew)));
  if (canDivide && isFew && divideKeys(steps, sizes) != one)
    parts = divideKeys(steps, sizes);
  if (!steps.isForGPU)
    return {{steps.scheduled("rows", kQueryRows), one, parts}};
  bool isTensor = isHalf(sizes.element);
  int64_t many = isTensor ? kQueryRowsOfTensorBlock : kQueryRowsOfBlock,
          few = isTensor ? kFewRows : kFewRowsOfBlock;
  if (canDivide && isFew)
    return {{steps.scheduled("rows", few), one, parts}};
  bool isKnown = !sizes.rows || sizes.rows.isConstant();
  if (!canDivide || isKnown || sizes.scores[2] == sizes.scores[3])
    return {{steps.scheduled("rows", many), one, {}}};
  Dim areMany = Dim::min(one, Dim::floorDiv(sizes.rows, steps.constant(kFewRows + 1))),
      areFew = one - areMany;
  return {{steps.scheduled("rows", many), areMany, {}}, {few, areFew, divideKeys(steps, sizes) * areFew}};
}

/// Keys in panels, or as they are where one tile, which makes panels itself, has all the queries of a head,
/// or both where the queries may turn out to be few.
static Operand lowerKey(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes, int64_t tileRows) {
  std::optional<Operand> held = findHeld(steps, op.getKeyMutable());
  Operand key = held ? *held : findInPlace(steps, op.getKey(), [](const StridedView &) { return true; });
  if (op.getBlocks())
    return key;
  int64_t mostRows = isAtMost(sizes.width, kWidest) ? tileRows : AttentionTileOp::kRowsWithoutPanels;
  if (steps.isForGPU || (isAtMost(sizes.rows, mostRows) && sizes.width.isConstant()))
    return key;
  key.panels = panelKey(op, steps, sizes, key);
  if (sizes.rows && sizes.rows.isConstant() && !isAtMost(sizes.rows, AttentionTileOp::kRowsWithoutPanels))
    return {{key.panels}};
  return key;
}

static Value convertOperand(StepBuilder &steps, Value value, const AttentionSizes &sizes) {
  return convertTensor(steps, steps.tensor(value), *getDims(value), sizes.operands, sizes.element);
}

/// A tile copies queries that do not lie side by side to its stack.
static Operand lowerQuery(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes) {
  if (sizes.operands != sizes.element)
    return {{convertOperand(steps, op.getQuery(), sizes)}};
  return findInPlace(steps, op.getQuery(), [&](const StridedView &view) {
    return isAtMost(sizes.width, kWidest) && areRowsOfOneMatrix(sizes, view);
  });
}

/// Values are read once for every few queries, which wants rows that lie side by side.
static Operand lowerValue(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes) {
  if (std::optional<Operand> held = findHeld(steps, op.getValueMutable()))
    return *held;
  if (isHalf(sizes.element))
    return findInPlace(steps, op.getValue(), [](const StridedView &) { return true; });
  return {{convertOperand(steps, op.getValue(), sizes)}};
}

/// The transpose that is all that becomes of the result, if the result keeps its rows there.
static TransposeOp findTransposed(AttentionOp op, const AttentionSizes &sizes) {
  if (!op.getResult().hasOneUse() || sizes.operands != sizes.element)
    return {};
  auto transpose = dyn_cast<TransposeOp>(*op.getResult().user_begin());
  return transpose && transpose.getPermutation().back() == 3 ? transpose : TransposeOp();
}

/// The result of attention in what a transpose makes of it.
static StridedView viewTransposed(StepBuilder &steps, TransposeOp transpose, Value tensor) {
  StridedView whole = wholeOf(steps, tensor, *getDims(transpose.getResult())), view = whole;
  for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) {
    view.sizes[from] = whole.sizes[to];
    view.strides[from] = whole.strides[to];
  }
  return view;
}

namespace {
/// The steps of one attention.
class AttentionSteps {
public:
  AttentionSteps(AttentionOp op, StepBuilder &steps)
      : op(op), steps(steps), sizes(getSizes(op, steps)),
        captures(findCaptures(steps, op.getCaptures(), sizes.scores, isReadInVectors)),
        sink(findSink(op, steps, sizes)), plans(planSteps(op, steps, sizes)) {}

  SmallVector<Value> lower();

private:
  void makeOutputs();
  void addStep(const AttentionPlan &plan);
  void addTile(StepBuilder::Kernel &kernel, const DimInputs &dims, const Operand &out, bool isPart);
  void mergeParts(ValueRange parts, Dim count, Dim isTaken);
  StepWork getWork(Dim isTaken);

  AttentionOp op;
  StepBuilder &steps;
  AttentionSizes sizes;
  SmallVector<Capture> captures;
  std::optional<Capture> sink;
  SmallVector<AttentionPlan> plans;
  Operand query, key, value;
  Maps maps;
  Value blocks;          ///< of keys, if they come so
  Operand result;        ///< the tensor as the last step left it
  Value weights;         ///< the same, if they are asked for
  TransposeOp transpose; ///< that the steps do at once, if any
};
} // namespace

/// Both products, of all the scores: what a mask leaves out is not known here.
StepWork AttentionSteps::getWork(Dim isTaken) {
  Dim scores = steps.product(sizes.scores), bytes = steps.constant(0);
  for (Value tensor : {op.getQuery(), op.getKey(), op.getValue(), op.getResult()})
    bytes = bytes + steps.product(*getDims(tensor)) * getElementBytes(sizes.element);
  return {scores * (sizes.width + getDims(op.getValue())->back()) * 2 * isTaken, bytes * isTaken};
}

void AttentionSteps::makeOutputs() {
  Type element = getStoredElement(sizes.element);
  bool isWhole = llvm::any_of(plans, [](const AttentionPlan &plan) { return !plan.parts; });
  if (TransposeOp found = findTransposed(op, sizes); found && isWhole) {
    Value tensor = steps.empty(*getDims(found.getResult()), element);
    StridedView view = viewTransposed(steps, found, tensor);
    if (areRowsOfOneMatrix(sizes, view)) {
      result = {{tensor, view}};
      transpose = found;
    }
  }
  if (!transpose) {
    SmallVector<Dim> dims = *getDims(op.getResult());
    Dim rows = steps.product(ArrayRef(dims).drop_back());
    result = {{steps.empty(isWhole ? dims : SmallVector<Dim>{rows, dims.back()}, element)}};
  }
  if (op.getWeights())
    weights = steps.empty(*getDims(op.getWeights()), element);
}

/// The work of a kernel whose inputs are queries, keys, values, captures, maps, and a sink and panels or
/// blocks if there are any.
void AttentionSteps::addTile(StepBuilder::Kernel &kernel, const DimInputs &dims, const Operand &out,
                             bool isPart) {
  auto read = [&](const TensorPart &part, Value tensor) { return part.read(kernel, tensor, dims); };
  Value second = kernel.outputs.size() > 1 ? kernel.outputs[1] : Value();
  size_t firstMap = 3 + captures.size(), behindMaps = firstMap + maps.tensors.size(),
         last = behindMaps + sink.has_value();
  SmallVector<Value> captured;
  for (auto [capture, tensor] : llvm::zip(captures, ArrayRef(kernel.inputs).drop_front(3)))
    captured.push_back(read(capture, tensor));
  auto tile = AttentionTileOp::create(
      kernel.body, op.getLoc(), read(query, kernel.inputs[0]), read(key, kernel.inputs[1]),
      read(value, kernel.inputs[2]), key.panels ? kernel.inputs[last] : Value(),
      blocks ? kernel.inputs[last] : Value(), captured,
      ArrayRef(kernel.inputs).slice(firstMap, maps.tensors.size()),
      sink ? kernel.inputs[behindMaps] : Value(), read(out, kernel.output), isPart ? Value() : second,
      isPart ? second : Value(), op.getScale(), op.getEmptyRows(), maps.captures, op.getBlockSize());
  markElement(tile, sizes.operands);
  IRMapping mapping;
  op.getScore().cloneInto(&tile.getScore(), mapping);
  readStored(tile.getScore());
}

void AttentionSteps::addStep(const AttentionPlan &plan) {
  SmallVector<Value> inputs{query.tensor, key.tensor, value.tensor}, outputs{result.tensor};
  for (const Capture &capture : captures)
    inputs.push_back(capture.tensor);
  llvm::append_range(inputs, maps.tensors);
  if (sink)
    inputs.push_back(sink->tensor);
  if (key.panels)
    inputs.push_back(key.panels);
  if (blocks)
    inputs.push_back(blocks);
  if (weights)
    outputs.push_back(weights);
  Operand out = result;
  Dim parts = steps.constant(1);
  if (plan.parts) { // a result of each, and its rows' maxima and sums
    SmallVector<Dim> dims = *getDims(op.getResult()), partDims{plan.parts};
    llvm::append_range(partDims, dims);
    parts = plan.parts;
    out = {{steps.empty(partDims, sizes.partial)}};
    outputs = {out.tensor, steps.empty({parts, steps.product(ArrayRef(dims).drop_back()), steps.constant(2)},
                                       sizes.partial)};
  }
  DimInputs dims(steps, inputs);
  for (const Operand &operand : {query, key, value, out})
    operand.addDims(dims);
  for (const Capture &capture : captures)
    capture.addDims(dims);
  auto kernel =
      steps.beginKernel("attention", inputs, outputs,
                        {{"rows", plan.rows}, {"columns", steps.scheduled("columns", kKeyColumns)}});
  addTile(kernel, dims, out, static_cast<bool>(plan.parts));
  Dim grid = parts * sizes.batches * steps.tiles(sizes.rows, plan.rows) * plan.isTaken;
  SmallVector<Value> made = steps.endKernel(kernel, grid, inputs, outputs, getWork(plan.isTaken));
  if (plan.parts)
    return mergeParts(made, parts, plan.isTaken);
  result.tensor = made.front();
  if (weights)
    weights = made.back();
}

/// One step more, which puts parts [parts, B, H, L, e] together.
void AttentionSteps::mergeParts(ValueRange parts, Dim count, Dim isTaken) {
  const int64_t tileRows = steps.isForGPU ? 1 : 8;
  SmallVector<Dim> dims = *getDims(op.getResult());
  Dim rows = steps.product(ArrayRef(dims).drop_back());
  SmallVector<Value> inputs{steps.view(parts[0], {count, rows, dims.back()}), parts[1]};
  DimInputs sizesOfView(steps, inputs);
  result.addDims(sizesOfView);
  auto kernel = steps.beginKernel("merge_attention", inputs, result.tensor, {{"rows", tileRows}});
  auto tile =
      MergeAttentionTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1],
                                   result.read(kernel, kernel.output, sizesOfView), op.getEmptyRows());
  markElement(tile, sizes.element);
  result.tensor = steps.endKernel(kernel, steps.tiles(rows, tileRows) * isTaken, inputs, result.tensor);
}

SmallVector<Value> AttentionSteps::lower() {
  // Values first: what they are transposed from is free then, before the keys' panels are there.
  value = lowerValue(op, steps, sizes);
  query = lowerQuery(op, steps, sizes);
  key = lowerKey(op, steps, sizes, plans.front().rows);
  maps = mapCaptures(op, steps, sizes, captures);
  if (auto lists = op.getBlocks())
    blocks = ConstantOp::create(steps.host(), op.getLoc(), lists->getType(), *lists);
  makeOutputs();
  for (const AttentionPlan &plan : plans)
    addStep(plan);
  SmallVector<Value> results{result.tensor};
  if (transpose) {
    steps.map(transpose.getResult(), result.tensor);
    results.front() = {};
  }
  if (weights)
    results.push_back(weights);
  for (auto [tensor, of] : llvm::zip_equal(results, op->getResults())) {
    SmallVector<Dim> dims = *getDims(of);
    if (tensor)
      tensor = steps.view(convertTensor(steps, tensor, dims, sizes.element, sizes.operands), dims);
  }
  return results;
}

static LoweredResults lowerAttention(AttentionOp op, StepBuilder &steps) {
  if (failed(requireReadable(op, op.getCaptures(), "a score region")))
    return failure();
  bool canReadBlocks =
      !steps.isForGPU && isAtMost(getDims(op.getKey())->back(), AttentionTileOp::kWidestBlocks);
  if (op.getBlocks() && !canReadBlocks)
    return LogicalResult(op.emitOpError("blocks of keys are read on CPUs, and up to a width of ")
                         << AttentionTileOp::kWidestBlocks);
  return AttentionSteps(op, steps).lower();
}

namespace {
struct AttentionLowering : StepLoweringInterface::ExternalModel<AttentionLowering, AttentionOp> {
  LoweredResults lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lowerAttention(cast<AttentionOp>(op), steps);
  }
};
} // namespace

void weft::attachAttentionLowering(MLIRContext *context) {
  AttentionOp::attachInterface<AttentionLowering>(*context);
}
