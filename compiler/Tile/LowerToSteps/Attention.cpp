// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as a step that holds no matrix of scores, after one that brings the keys into panels.
#include "compiler/Tile/LowerToSteps/Captures.h"
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "compiler/Tile/LowerToSteps/State.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;

namespace {
struct AttentionSizes {
  SmallVector<Dim> scores; ///< [batch, heads, query length, key length]
  SmallVector<Dim> panels; ///< [batch, key heads, panels, width, keys of a panel]
  Dim batches,
      rows; ///< the grid: matrices of all the query rows that share a key head, so that keys are not repeated
  Dim width, columns;
  Type element;  ///< what is computed in
  Type operands; ///< the element type of query, key, value and result
};
} // namespace

/// Keys that lie side by side: one, two or four register tiles of the product's columns.
constexpr int64_t kKeysOfPanel = 64;

static AttentionSizes getSizes(AttentionOp op, StepBuilder &steps) {
  SmallVector<Dim> query = *getDims(op.getQuery()), key = *getDims(op.getKey());
  AttentionSizes sizes;
  sizes.scores = {query[0], query[1], query[2], key[2]};
  sizes.panels = {key[0], key[1], steps.tiles(key[2], kKeysOfPanel), key[3], steps.constant(kKeysOfPanel)};
  sizes.batches = steps.product({query[0], key[1]});
  sizes.rows = query[1] == key[1] ? query[2] : Dim::floorDiv(query[1], key[1]) * query[2];
  sizes.width = query[3];
  sizes.columns = key[2];
  sizes.operands = getElementTypeOrSelf(op.getQuery());
  sizes.element = sizes.operands.isF64() ? sizes.operands : Type(steps.host().getF32Type());
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

/// The state that holds keys or values, if they are read where it holds them.
static StateTensor *findState(StepBuilder &steps, OpOperand &use) {
  return readsStateInPlace(use) ? steps.findState(use.get()) : nullptr;
}

/// key [batches, columns, width] in panels, as products of more than a few rows take it.
static Value panelKey(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes) {
  StateTensor *state = findState(steps, op.getKeyMutable());
  Dim room = state ? steps.constant(state->capacity) : sizes.columns;
  SmallVector<Dim> from{sizes.batches, room, sizes.width};
  Dim panels = steps.tiles(sizes.columns, kKeysOfPanel);
  SmallVector<Dim> to{sizes.batches, panels, sizes.width, steps.constant(kKeysOfPanel)};
  SmallVector<Value> inputs{steps.view(state ? state->tensor : steps.tensor(op.getKey()), from)};
  if (state)
    inputs.push_back(steps.index(sizes.columns));
  Value output = steps.empty(to, sizes.element);
  StepBuilder::Kernel kernel = steps.beginKernel("panel_key", inputs, output, {{"rows", 1}});
  Value key = kernel.inputs.front();
  if (state)
    key = viewState(kernel.body, op.getLoc(), key, kernel.inputs.back(), /*axis=*/1);
  auto tile = PanelTileOp::create(kernel.body, op.getLoc(), key, kernel.output);
  markElement(tile, sizes.operands);
  Dim one = steps.constant(1),
      isNeeded = Dim::floorDiv(sizes.rows, steps.constant(AttentionTileOp::kRowsWithoutPanels + 1));
  Dim isMade = Dim::min(one, isNeeded);
  return steps.endKernel(kernel, sizes.batches * panels * isMade, inputs, output,
                         {{}, steps.bytesOf(output) * isMade * 2});
}

/// Queries of a tile: their scores against a block of keys are in the second-level cache.
constexpr int64_t kQueryRows = 64;
/// Keys of a block: fewer make more turns in which what was summed before is scaled.
constexpr int64_t kKeyColumns = 512;

/// The most queries of a head whose keys are divided, how many keys a part has at least, and tiles that are
/// enough for the threads there are.
constexpr int64_t kFewRows = 16, kPartKeys = 512, kEnoughTiles = 16;

static bool isAtMost(Dim dim, int64_t most) { return dim && dim.getConstant().value_or(most + 1) <= most; }

/// By how many the keys are divided, so that a step of few queries has work for several threads. It follows
/// from the sizes, so results do not depend on the number of threads. 1 where it is not worth it.
static Dim getParts(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes) {
  Dim one = steps.constant(1), parts = Dim::floorDiv(sizes.columns, steps.constant(kPartKeys));
  if (op.getWeights() || !isAtMost(sizes.rows, kFewRows))
    return one;
  parts = Dim::min(parts, Dim::floorDiv(steps.constant(kEnoughTiles), Dim::max(sizes.batches, one)));
  return Dim::max(parts, one);
}

/// One step more, which puts parts [parts, B, H, L, e] together.
static Value mergeParts(AttentionOp op, StepBuilder &steps, ValueRange parts, Dim count, ArrayRef<Dim> dims) {
  constexpr int64_t kRows = 8;
  Dim rows = steps.product(dims.drop_back());
  Value matrices = steps.view(parts[0], {count, rows, dims.back()});
  Value output = steps.empty({rows, dims.back()}, cast<ShapedType>(parts[0].getType()).getElementType());
  SmallVector<Value> inputs{matrices, parts[1]};
  auto kernel = steps.beginKernel("merge_attention", inputs, output, {{"rows", kRows}});
  MergeAttentionTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1], kernel.output,
                               op.getEmptyRows());
  return steps.endKernel(kernel, steps.tiles(rows, kRows), inputs, output);
}

/// Keys or values as the kernel takes them.
struct LoweredKeys {
  Value tensor;
  bool isHeld = false; ///< it is a state, of which the kernel is to read what is there
  Value panels;        ///< keys once more, in panels, where the queries may turn out to be many
};

/// Keys in panels, or as they are where one tile, which makes panels itself, has all the queries of a head,
/// or both where the queries may turn out to be few.
static LoweredKeys lowerKey(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes,
                            int64_t tileRows) {
  constexpr int64_t kWidest = 256; // a panel is on the stack
  StateTensor *state = findState(steps, op.getKeyMutable());
  LoweredKeys keys{state ? state->tensor : steps.view(steps.tensor(op.getKey()), *getDims(op.getKey())),
                   state != nullptr, Value()};
  int64_t mostRows = isAtMost(sizes.width, kWidest) ? tileRows : AttentionTileOp::kRowsWithoutPanels;
  if (isAtMost(sizes.rows, mostRows) && sizes.width.isConstant())
    return keys;
  keys.panels = steps.view(panelKey(op, steps, sizes), sizes.panels);
  if (sizes.rows && sizes.rows.isConstant() && !isAtMost(sizes.rows, AttentionTileOp::kRowsWithoutPanels))
    return {keys.panels, false, Value()};
  return keys;
}

static Value convertOperand(StepBuilder &steps, Value value, const AttentionSizes &sizes) {
  return convertTensor(steps, steps.tensor(value), *getDims(value), sizes.operands, sizes.element);
}

static LoweredKeys lowerValue(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes) {
  if (StateTensor *state = findState(steps, op.getValueMutable()))
    return {state->tensor, true, Value()};
  return {convertOperand(steps, op.getValue(), sizes), false, Value()};
}

/// Both products, of all the scores: what a mask leaves out is not known here.
static StepWork getWork(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes) {
  Dim scores = steps.product(sizes.scores), bytes = steps.constant(0);
  for (Value tensor : {op.getQuery(), op.getKey(), op.getValue(), op.getResult()})
    bytes = bytes + steps.product(*getDims(tensor)) * getElementBytes(sizes.element);
  return {scores * (sizes.width + getDims(op.getValue())->back()) * 2, bytes};
}

/// The tensors that the step writes: the result, and the weights if they are asked for; or of each part of
/// the keys a result and its rows' statistics.
static SmallVector<Value> makeOutputs(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes,
                                      Dim parts) {
  SmallVector<Value> outputs;
  Dim one = steps.constant(1);
  if (parts == one) {
    for (Value result : op->getResults())
      outputs.push_back(steps.empty(*getDims(result), sizes.element));
    return outputs;
  }
  SmallVector<Dim> result = *getDims(op.getResult()), partDims{parts},
                   statistics{parts, steps.product(ArrayRef(result).drop_back()), one + one};
  llvm::append_range(partDims, result);
  return {steps.empty(partDims, sizes.element), steps.empty(statistics, sizes.element)};
}

static LoweredResults lowerAttention(AttentionOp op, StepBuilder &steps) {
  AttentionSizes sizes = getSizes(op, steps);
  if (failed(requireReadable(op, op.getCaptures(), "a score region")))
    return failure();
  SmallVector<Capture> captures = spreadCaptures(steps, op.getCaptures(), sizes.scores);
  int64_t rows = steps.scheduled("rows", kQueryRows), columns = steps.scheduled("columns", kKeyColumns);
  Value query = convertOperand(steps, op.getQuery(), sizes);
  LoweredKeys key = lowerKey(op, steps, sizes, rows), value = lowerValue(op, steps, sizes);
  SmallVector<Value> inputs{query, key.tensor, value.tensor};
  for (const Capture &capture : captures)
    inputs.push_back(capture.tensor);
  if (key.panels)
    inputs.push_back(key.panels);
  if (key.isHeld || value.isHeld)
    inputs.push_back(steps.index(sizes.columns));
  Dim parts = getParts(op, steps, sizes), one = steps.constant(1);
  SmallVector<Value> outputs = makeOutputs(op, steps, sizes, parts);

  auto kernel = steps.beginKernel("attention", inputs, outputs, {{"rows", rows}, {"columns", columns}});
  auto read = [&](unsigned number, const LoweredKeys &lowered) {
    Value buffer = kernel.inputs[number];
    return lowered.isHeld ? viewState(kernel.body, op.getLoc(), buffer, kernel.inputs.back(), /*axis=*/2)
                          : buffer;
  };
  Value second = outputs.size() > 1 ? kernel.outputs[1] : Value();
  size_t panels = 3 + captures.size();
  auto tile = AttentionTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], read(1, key),
                                      read(2, value), key.panels ? kernel.inputs[panels] : Value(),
                                      ArrayRef(kernel.inputs).slice(3, captures.size()), kernel.output,
                                      parts == one ? second : Value(), parts == one ? Value() : second,
                                      op.getScale(), op.getEmptyRows());
  markElement(tile, sizes.operands);
  IRMapping mapping;
  op.getScore().cloneInto(&tile.getScore(), mapping);
  readStored(tile.getScore());
  Dim grid = parts * sizes.batches * steps.tiles(sizes.rows, rows);
  SmallVector<Value> results = steps.endKernel(kernel, grid, inputs, outputs, getWork(op, steps, sizes));
  if (parts != one)
    results = {mergeParts(op, steps, results, parts, *getDims(op.getResult()))};
  for (auto [tensor, result] : llvm::zip_equal(results, op->getResults())) {
    SmallVector<Dim> dims = *getDims(result);
    tensor = steps.view(convertTensor(steps, tensor, dims, sizes.element, sizes.operands), dims);
  }
  return results;
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
