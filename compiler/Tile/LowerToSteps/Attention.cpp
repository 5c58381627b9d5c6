// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as steps, unfused: scores, the score region, softmax, the mean of values. All scores are in
// memory.
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/PointwiseStep.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;

namespace {
/// The products' sizes. Query heads that share a key are one matrix, of all their rows, so that keys and
/// values are never repeated: [batches, rows, width] * [batches, width, columns].
struct AttentionSizes {
  SmallVector<Dim> scores; ///< [batch, heads, query length, key length]
  Dim batches, rows, width, columns, valueWidth;
  Type element;  ///< what is computed in
  Type operands; ///< the element type of query, key, value and result
};
} // namespace

static AttentionSizes getSizes(AttentionOp op, StepBuilder &steps) {
  SmallVector<Dim> query = *getDims(op.getQuery()), key = *getDims(op.getKey()),
                   value = *getDims(op.getValue());
  AttentionSizes sizes;
  sizes.scores = {query[0], query[1], query[2], key[2]};
  sizes.batches = steps.product({query[0], key[1]});
  sizes.rows = query[1] == key[1] ? query[2] : Dim::floorDiv(query[1], key[1]) * query[2];
  sizes.width = query[3];
  sizes.columns = key[2];
  sizes.valueWidth = value[3];
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

/// key [batches, columns, width] as [batches, width, columns], as products take it.
static Value transposeKey(StepBuilder &steps, Value key, const AttentionSizes &sizes) {
  SmallVector<Dim> from{sizes.batches, sizes.columns, sizes.width},
      to{sizes.batches, sizes.width, sizes.columns};
  Value input = steps.view(key, from), output = steps.empty(to, sizes.element);
  SmallVector<std::pair<StringRef, int64_t>> schedule;
  Dim grid = getLoopGrid(steps, to, schedule);
  StepBuilder::Kernel kernel = steps.beginKernel("transpose_key", input, output, schedule);
  auto map = AffineMap::getPermutationMap(ArrayRef<unsigned>{0, 2, 1}, sizes.element.getContext());
  auto body = [&](OpBuilder &body, Location location, ValueRange elements, ValueRange) -> FailureOr<Value> {
    return convert(body, location, elements.front(), sizes.operands, sizes.element);
  };
  (void)succeeded(buildLoops(kernel, kernel.inputs, kernel.output, map, body, {})); // cannot fail
  return steps.endKernel(kernel, grid, input, output);
}

/// lhs [batches, rows, depth] * rhs [batches, depth, columns] * factor.
static Value buildProduct(StepBuilder &steps, StringRef name, Value lhs, Value rhs, ArrayRef<Dim> result,
                          const AttentionSizes &sizes, double factor) {
  constexpr int64_t kRows = 128, columns = MatmulOp::kPanelColumns;
  int64_t rows = steps.scheduled("rows", kRows);
  Value output = steps.empty(result, sizes.element);
  auto kernel = steps.beginKernel(name, {lhs, rhs}, output, {{"rows", rows}, {"columns", columns}});
  Location location = kernel.op.getLoc();
  auto tile = GemmTileOp::create(kernel.body, location, kernel.inputs[0], kernel.inputs[1], ValueRange(),
                                 kernel.output, /*packed=*/false);
  if (factor != 1) {
    Block &block = tile.getEpilogue().emplaceBlock();
    Value sum = block.addArgument(sizes.element, location);
    OpBuilder body = OpBuilder::atBlockEnd(&block);
    Value number = arith::ConstantOp::create(body, location, body.getFloatAttr(sizes.element, factor));
    Value product = arith::MulFOp::create(body, location, sum, number);
    YieldOp::create(body, location, product);
  }
  Dim grid = result[0] * steps.tiles(result[1], rows) * steps.tiles(result[2], columns);
  return steps.endKernel(kernel, grid, {lhs, rhs}, output);
}

/// The scaled scores through the region; minus infinity where it excludes them.
static FailureOr<Value> applyRegion(AttentionOp op, StepBuilder &steps, Value scores,
                                    const AttentionSizes &sizes) {
  Block &region = op.getScore().front();
  SmallVector<PointwiseInput> inputs{{steps.view(scores, sizes.scores), sizes.scores}};
  for (Value capture : op.getCaptures()) {
    if (Type element = getElementTypeOrSelf(capture); element.isUnsignedInteger())
      return op.emitError() << "node \"" << getNodeName(op) << "\" (attention): a score region cannot read "
                            << describeType(capture.getType()) << " [weft-0301]";
    inputs.push_back({steps.tensor(capture), *getDims(capture)});
  }
  auto body = [&](OpBuilder &body, Location location, ValueRange elements, ValueRange) -> FailureOr<Value> {
    IRMapping mapping;
    Value scale = arith::ConstantOp::create(
        body, location, body.getFloatAttr(sizes.element, op.getScale().convertToDouble()));
    mapping.map(region.getArgument(0), arith::MulFOp::create(body, location, elements.front(), scale));
    for (unsigned loop = 0; loop < 4; ++loop)
      if (BlockArgument place = region.getArgument(1 + loop); !place.use_empty())
        mapping.map(place, linalg::IndexOp::create(body, location, loop).getResult());
    for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
      mapping.map(region.getArgument(5 + i),
                  loadStored(body, location, elements[1 + i], getElementTypeOrSelf(capture)));
    for (Operation &inner : region.without_terminator())
      body.clone(inner, mapping);
    Operation *yield = region.getTerminator();
    Value score = mapping.lookup(yield->getOperand(0)), keep = mapping.lookup(yield->getOperand(1));
    auto least = body.getFloatAttr(sizes.element, -std::numeric_limits<double>::infinity());
    Value excluded = arith::ConstantOp::create(body, location, least);
    return Value(arith::SelectOp::create(body, location, keep, score, excluded));
  };
  return buildPointwiseStep(steps, "score", inputs, sizes.scores, sizes.element, body, {}, /*keepDims=*/true);
}

static Value buildSoftmax(AttentionOp op, StepBuilder &steps, Value scores, const AttentionSizes &sizes) {
  SmallVector<Dim> matrix{steps.product({sizes.batches, sizes.rows}), sizes.columns};
  Value input = steps.view(scores, matrix), output = steps.empty(matrix, sizes.element);
  int64_t rows = chooseRows(steps, sizes.columns);
  auto kernel = steps.beginKernel("softmax", input, output, {{"rows", rows}});
  SoftmaxTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.output, /*log=*/false,
                        op.getEmptyRows() == EmptyRows::Zero);
  return steps.endKernel(kernel, steps.tiles(matrix[0], rows), input, output);
}

static FailureOr<Value> lowerAttention(AttentionOp op, StepBuilder &steps) {
  AttentionSizes sizes = getSizes(op, steps);
  SmallVector<Dim> product{sizes.batches, sizes.rows, sizes.columns};
  auto operand = [&](Value value, ArrayRef<Dim> dims) {
    return convertTensor(steps, steps.tensor(value), dims, sizes.operands, sizes.element);
  };
  Value query = operand(op.getQuery(), {sizes.batches, sizes.rows, sizes.width});
  Value key = transposeKey(steps, steps.tensor(op.getKey()), sizes);
  bool hasRegion = !op.getScore().empty();
  // With a region, its step scales.
  Value scores = buildProduct(steps, "scores", query, key, product, sizes,
                              hasRegion ? 1 : op.getScale().convertToDouble());
  if (hasRegion) {
    FailureOr<Value> changed = applyRegion(op, steps, scores, sizes);
    if (failed(changed))
      return failure();
    scores = *changed;
  }
  Value weights = steps.view(buildSoftmax(op, steps, scores, sizes), product);
  Value value = operand(op.getValue(), {sizes.batches, sizes.columns, sizes.valueWidth});
  SmallVector<Dim> dims{sizes.batches, sizes.rows, sizes.valueWidth};
  Value result = buildProduct(steps, "context", weights, value, dims, sizes, 1);
  result = convertTensor(steps, result, dims, sizes.element, sizes.operands);
  return steps.view(result, getDims(cast<ShapedType>(op.getType())));
}

namespace {
struct AttentionLowering : StepLoweringInterface::ExternalModel<AttentionLowering, AttentionOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const {
    return lowerAttention(cast<AttentionOp>(op), steps);
  }
};
} // namespace

void weft::attachAttentionLowering(MLIRContext *context) {
  AttentionOp::attachInterface<AttentionLowering>(*context);
}
