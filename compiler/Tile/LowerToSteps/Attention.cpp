// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as a step that holds no matrix of scores, after one that brings the keys into panels.
#include "compiler/Tile/LowerToSteps/Captures.h"
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
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

/// key [batches, columns, width] in panels, as products of more than a few rows take it.
static Value panelKey(StepBuilder &steps, Value key, const AttentionSizes &sizes) {
  SmallVector<Dim> from{sizes.batches, sizes.columns, sizes.width};
  Dim panels = steps.tiles(sizes.columns, kKeysOfPanel);
  SmallVector<Dim> to{sizes.batches, panels, sizes.width, steps.constant(kKeysOfPanel)};
  Value input = steps.view(key, from), output = steps.empty(to, sizes.element);
  StepBuilder::Kernel kernel = steps.beginKernel("panel_key", input, output, {{"rows", 1}});
  auto tile = PanelTileOp::create(kernel.body, key.getLoc(), kernel.inputs.front(), kernel.output);
  markElement(tile, sizes.operands);
  Dim one = steps.constant(1),
      isNeeded = Dim::floorDiv(sizes.rows, steps.constant(AttentionTileOp::kRowsWithoutPanels + 1));
  return steps.endKernel(kernel, sizes.batches * panels * Dim::min(one, isNeeded), input, output);
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

/// The keys as the kernel takes them: in panels, as they are where one tile, which makes panels itself, has
/// all the queries of a head, or both where the queries may turn out to be few.
struct LoweredKey {
  Value key, panels;
};
static LoweredKey lowerKey(AttentionOp op, StepBuilder &steps, const AttentionSizes &sizes,
                           int64_t tileRows) {
  constexpr int64_t kWidest = 256; // a panel is on the stack
  Value key = steps.view(steps.tensor(op.getKey()), *getDims(op.getKey()));
  int64_t mostRows = isAtMost(sizes.width, kWidest) ? tileRows : AttentionTileOp::kRowsWithoutPanels;
  if (isAtMost(sizes.rows, mostRows) && sizes.width.isConstant())
    return {key, {}};
  Value panels = steps.view(panelKey(steps, steps.tensor(op.getKey()), sizes), sizes.panels);
  if (sizes.rows && sizes.rows.isConstant() && !isAtMost(sizes.rows, AttentionTileOp::kRowsWithoutPanels))
    return {panels, {}};
  return {key, panels};
}

static LoweredResults lowerAttention(AttentionOp op, StepBuilder &steps) {
  AttentionSizes sizes = getSizes(op, steps);
  if (failed(requireReadable(op, op.getCaptures(), "a score region")))
    return failure();
  SmallVector<Capture> captures = spreadCaptures(steps, op.getCaptures(), sizes.scores);
  auto operand = [&](Value value) {
    return convertTensor(steps, steps.tensor(value), *getDims(value), sizes.operands, sizes.element);
  };
  int64_t rows = steps.scheduled("rows", kQueryRows), columns = steps.scheduled("columns", kKeyColumns);
  LoweredKey keys = lowerKey(op, steps, sizes, rows);
  SmallVector<Value> inputs{operand(op.getQuery()), keys.key, operand(op.getValue())};
  for (const Capture &capture : captures)
    inputs.push_back(capture.tensor);
  if (keys.panels)
    inputs.push_back(keys.panels);
  SmallVector<Value> outputs; // the result, and the weights if they are asked for
  Dim parts = getParts(op, steps, sizes), one = steps.constant(1);
  SmallVector<Dim> resultDims = *getDims(op.getResult());
  if (parts == one) {
    for (Value result : op->getResults())
      outputs.push_back(steps.empty(*getDims(result), sizes.element));
  } else {
    SmallVector<Dim> partDims{parts},
        statistics{parts, steps.product(ArrayRef(resultDims).drop_back()), one + one};
    llvm::append_range(partDims, resultDims);
    outputs = {steps.empty(partDims, sizes.element), steps.empty(statistics, sizes.element)};
  }
  auto kernel = steps.beginKernel("attention", inputs, outputs, {{"rows", rows}, {"columns", columns}});
  Value second = outputs.size() > 1 ? kernel.outputs[1] : Value();
  auto tile = AttentionTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1],
                                      kernel.inputs[2], keys.panels ? kernel.inputs.back() : Value(),
                                      ArrayRef(kernel.inputs).slice(3, captures.size()), kernel.output,
                                      parts == one ? second : Value(), parts == one ? Value() : second,
                                      op.getScale(), op.getEmptyRows());
  markElement(tile, sizes.operands);
  IRMapping mapping;
  op.getScore().cloneInto(&tile.getScore(), mapping);
  readStored(tile.getScore());
  Dim grid = parts * sizes.batches * steps.tiles(sizes.rows, rows);
  SmallVector<Value> results = steps.endKernel(kernel, grid, inputs, outputs);
  if (parts != one)
    results = {mergeParts(op, steps, results, parts, resultDims)};
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
