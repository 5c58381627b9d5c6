// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/SoftmaxFusion.h"
#include "compiler/Graph/ConstantMatch.h"
#include "compiler/Graph/Moves.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

/// An operand's layout, from that of the result that it broadcasts to; the last two dims are given.
static std::optional<Layout> operandLayout(Value operand, ArrayRef<AxisList> resultBatch,
                                           const AxisList &rows, const AxisList &columns) {
  SmallVector<Dim> dims = *getDims(operand);
  size_t batch = dims.size() - 2;
  Layout layout;
  for (size_t i = 0; i < batch; ++i) {
    bool isOne = dims[i].getConstant() == 1;
    if (!isOne && batch - i > resultBatch.size())
      return std::nullopt;
    layout.push_back(isOne ? AxisList() : resultBatch[resultBatch.size() - (batch - i)]);
  }
  layout.push_back(rows);
  layout.push_back(columns);
  return layout;
}

/// Whether the dims of a layout are those of the tensor.
static bool fits(const ScoreAxes &axes, Value value, const Layout &layout) {
  return llvm::all_of(llvm::zip_equal(*getDims(value), layout), [&](auto pair) {
    return std::get<0>(pair) == axes.getSize(axes.getLeaves(std::get<1>(pair)));
  });
}

/// Query and key from the product, whose columns, or rows, are what the softmax is over.
bool SoftmaxFusion::takeScores(MatmulOp product, const ScoreTrace &trace) {
  Layout scores = trace.getLayout(parts.scores), dims = trace.getLayout(product.getResult());
  // It may have been split on the way, such as an image's places. Of one key alone there is no axis; where
  // the softmax is over any dim of 1, its result is the same.
  keyAxis = axes.getLeaves(scores[softmax.getAxis()]);
  bool isColumn = keyAxis == axes.getLeaves(dims.back());
  bool isRow = keyAxis == axes.getLeaves(dims[dims.size() - 2]);
  if (!isColumn && !isRow)
    return fail("the softmax is not over the rows or columns of the product");
  queryRows = isColumn ? dims[dims.size() - 2] : dims.back();
  Layout batch(dims.begin(), dims.end() - 2);
  batchAxes = flatten(batch);
  width = axes.add(getDims(product.getLhs())->back());
  const AxisList &rows = dims[dims.size() - 2], &columns = dims.back();
  auto lhs = operandLayout(product.getLhs(), batch, rows, width);
  auto rhs = operandLayout(product.getRhs(), batch, width, columns);
  if (!lhs || !rhs || !fits(axes, product.getLhs(), *lhs) || !fits(axes, product.getRhs(), *rhs))
    return fail("the batch dims of the product's operands may differ");
  query = {isColumn ? product.getLhs() : product.getRhs(), isColumn ? *lhs : *rhs, 1, {}};
  key = {isColumn ? product.getRhs() : product.getLhs(), isColumn ? *rhs : *lhs, 1, {}};
  return true;
}

/// Whether weights that a mask makes 0 are those that the softmax makes 0 by the same mask, in all rows in
/// which it keeps something: it fills in a number that exp takes to 0 beside any other score.
static bool isMaskedAlike(Value scores, const SoftmaxUses &uses) {
  if (auto cast = scores.getDefiningOp<CastOp>())
    scores = cast.getInput();
  auto where = scores.getDefiningOp<WhereOp>();
  if (!where || where.getCondition() != uses.zeroMask)
    return false;
  std::optional<double> fill = getSplatNumber(uses.zeroWhere ? where.getThenValue() : where.getElseValue());
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(where.getType()));
  if (!type)
    return false;
  double lowest = APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true).convertToDouble();
  return fill && *fill <= 0.99 * lowest;
}

/// Values from the second product, which must sum over the keys.
bool SoftmaxFusion::takeValues(const WeightsUse &use) {
  MatmulOp context = use.context;
  bool isLhs = use.operand == 0;
  Layout weights = axes.getLeaves(use.layout);
  size_t rank = weights.size();
  if (rank < 2)
    return fail("the second product takes the weights as a vector");
  const AxisList &summed = isLhs ? weights[rank - 1] : weights[rank - 2];
  const AxisList &rows = isLhs ? weights[rank - 2] : weights[rank - 1];
  if (summed != axes.getLeaves(keyAxis))
    return fail("the second product does not sum over the axis of the softmax");
  Value values = isLhs ? context.getRhs() : context.getLhs();
  if (!isKnownType(values.getType()) || !isKnownType(context.getType()))
    return fail("a shape is not known");
  SmallVector<Dim> dims = *getDims(values), result = *getDims(context.getResult());
  if (dims.size() < 2)
    return fail("the second product takes a vector of values");
  valueWidth = axes.add(isLhs ? dims.back() : dims[dims.size() - 2]);
  Layout batch(weights.begin(), weights.end() - 2);
  auto layout = operandLayout(values, batch, isLhs ? summed : valueWidth, isLhs ? valueWidth : summed);
  if (!layout || !fits(axes, values, *layout))
    return fail("the batch dims of values and weights may differ");
  value = {values, *layout, 1, {}};
  resultLayout = Layout(result.size() - 2 - batch.size()); // dims of 1 that only the values have
  llvm::append_range(resultLayout, batch);
  resultLayout.push_back(isLhs ? rows : valueWidth);
  resultLayout.push_back(isLhs ? valueWidth : rows);
  return true;
}

bool SoftmaxFusion::isShared(Axis axis) const {
  return llvm::is_contained(flatten(key.layout), axis) || llvm::is_contained(flatten(value.layout), axis);
}

/// Which axes are the batch, heads and queries of the attention. Heads that share keys are the inner ones.
void SoftmaxFusion::chooseAxes() {
  for (AxisList *list : {&queryRows, &batchAxes, &width, &valueWidth, &keyAxis})
    *list = axes.getLeaves(*list);
  resultLayout = axes.getLeaves(resultLayout);
  for (Operand *operand : {&query, &key, &value})
    operand->layout = axes.getLeaves(operand->layout);
  AxisList shared, own;
  for (const AxisList &list : {batchAxes, queryRows})
    for (Axis axis : list)
      (isShared(axis) ? shared : own).push_back(axis);
  // The innermost axis of the rows are the queries, if it is not shared.
  attention = AttentionAxes();
  attention.keys = keyAxis;
  if (!queryRows.empty() && llvm::is_contained(own, queryRows.back())) {
    attention.queries.push_back(queryRows.back());
    llvm::erase(own, queryRows.back());
  }
  attention.batch = AxisList(ArrayRef(shared).take_front(1));
  attention.heads = AxisList(ArrayRef(shared).drop_front(attention.batch.size()));
  llvm::append_range(attention.heads, own);
}

bool SoftmaxFusion::checkTypes(MatmulOp product) {
  element = getElementTypeOrSelf(value.value);
  for (const Operand *operand : {&query, &key}) {
    Type other = getElementTypeOrSelf(operand->value);
    if (other != element && other.getIntOrFloatBitWidth() == element.getIntOrFloatBitWidth())
      return fail("query, key and value are of f16 and of bf16");
    if (other.getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth())
      element = other;
  }
  if (uses.kept && getElementTypeOrSelf(uses.kept) != element)
    return fail("its result is also needed in another element type");
  Type scores = getElementTypeOrSelf(softmax.getResult());
  if (!isa<FloatType>(element) || !isa<FloatType>(getElementTypeOrSelf(product.getResult())))
    return fail("query and key are not of floats");
  if (scores.isF64() && !element.isF64())
    return fail("the softmax is in f64 and the values are not");
  if (element.isF64() && !(scores.isF64() && getElementTypeOrSelf(product.getResult()).isF64()))
    return fail("the values are in f64 and the softmax is not");
  return true;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// A result of the attention, of this layout, as a tensor of another layout and its dims.
Value SoftmaxFusion::restore(IRRewriter &rewriter, Value result, const Layout &layout, const Layout &target,
                             ArrayRef<Dim> dims) {
  Layout single = llvm::map_to_vector(flatten(target), [](Axis axis) { return AxisList{axis}; });
  SmallVector<Missing> none(single.size(), Missing::Repeated);
  Value moved = arrange(rewriter, softmax.getLoc(), axes, result, layout, single, none);
  return makeReshape(rewriter, softmax.getLoc(), moved, dims);
}

/// The sink as a tensor that broadcasts to the attention's rows.
Value SoftmaxFusion::makeSink(OpBuilder &builder, const ScoreTrace &trace, Type number) {
  Layout layout = trace.getLayout(parts.scores);
  for (auto [place, dim] : llvm::enumerate(*getDims(parts.sink)))
    if (dim.getConstant() == 1)
      layout[place].clear();
  Operand sink = peel({parts.sink, layout, 1, {}}, axes, /*mayScale=*/false);
  Value tensor = sink.value;
  if (getElementTypeOrSelf(tensor) != number)
    tensor = CastOp::create(builder, tensor.getLoc(), getTensorType(*getDims(tensor), number), tensor,
                            TypeAttr::get(number));
  Layout rows{attention.batch, attention.heads, attention.queries, {}};
  return arrange(builder, softmax.getLoc(), axes, tensor, axes.getLeaves(sink.layout), rows,
                 SmallVector<Missing>(rows.size(), Missing::One));
}

AttentionOp SoftmaxFusion::create(IRRewriter &rewriter, const ScoreTrace &trace, const WeightsUse &use,
                                  bool givesWeights) {
  Type number = element.isF64() ? element : Type(rewriter.getF32Type());
  MatmulOp context = use.context;
  Location location = rewriter.getFusedLoc({softmax.getLoc(), trace.getProduct().getLoc(), context.getLoc()});
  ScoreRegion region(axes, attention, &trace, tables, number, softmax.getLoc());
  SmallVector<Value> factors(query.factors);
  llvm::append_range(factors, key.factors);
  if (!region.build(parts.scores, factors)) {
    fail(region.getObstacle());
    return nullptr;
  }
  if (region.readsProduct()) { // it would not save the scores
    fail("what changes the scores is computed from them");
    return nullptr;
  }
  if (uses.zeroMask && !region.excludeFilled(uses.zeroWhere)) {
    fail("weights are masked that the softmax did not mask");
    return nullptr;
  }
  rewriter.setInsertionPoint(context);
  auto take = [&](const Operand &operand, const Layout &groups, ArrayRef<Missing> missing) {
    Value tensor = operand.value;
    if (getElementTypeOrSelf(tensor) != element)
      tensor = CastOp::create(rewriter, tensor.getLoc(), getTensorType(*getDims(tensor), element), tensor,
                              TypeAttr::get(element));
    return arrange(rewriter, tensor.getLoc(), axes, tensor, operand.layout, groups, missing);
  };
  // Of the heads, keys have those that are shared.
  AxisList keyHeads;
  for (Axis axis : attention.heads)
    if (isShared(axis))
      keyHeads.push_back(axis);
  SmallVector<Missing> all(4, Missing::Repeated);
  Value queries = take(query, {attention.batch, attention.heads, attention.queries, width}, all);
  Value keys = take(key, {attention.batch, keyHeads, attention.keys, width}, all);
  Value values = take(value, {attention.batch, keyHeads, attention.keys, valueWidth}, all);
  SmallVector<Dim> dims = *getDims(queries), scores = dims;
  dims.back() = getDims(values)->back();
  scores.back() = getDims(keys)->end()[-2];
  Type weights = givesWeights ? getTensorType(scores, element) : Type();
  double scale = query.factor * key.factor * region.getScale();
  SmallVector<Value> captures = region.makeCaptures(rewriter);
  Value sink = parts.sink ? makeSink(rewriter, trace, number) : Value();
  auto op = AttentionOp::create(rewriter, location, getTensorType(dims, element), weights, queries, keys,
                                values, captures, sink, APFloat(scale),
                                uses.isGuarded  ? EmptyRows::NaNToZero
                                : uses.zeroMask ? EmptyRows::Zero
                                                : EmptyRows::NaN,
                                DenseIntElementsAttr(), 0);
  region.moveInto(op.getScore());
  return op;
}

/// Whether a value is a weight that is packed as it is, for products.
static bool hasFewBits(Value value) {
  while (auto transpose = value.getDefiningOp<TransposeOp>())
    value = transpose.getInput();
  return value.getDefiningOp<DequantizeOp>() != nullptr;
}

/// Whether keys and values are what attention can read, rather than weights.
bool SoftmaxFusion::checkSources() {
  if (uses.kept && dependsOn(value.value, softmax))
    return fail("the values are computed from the weights");
  if (isa_and_present<ConstantOp>(key.value.getDefiningOp()))
    return fail("the keys are constant: the product is one with weights");
  if (hasFewBits(key.value) || hasFewBits(value.value))
    return fail("the product is one with weights of few bits");
  return true;
}

/// Values, and all operands as they were before they were repeated and scaled.
bool SoftmaxFusion::takeOperands(const WeightsUse &use) {
  if (!takeValues(use))
    return false;
  query = peel(query, axes, /*mayScale=*/true);
  key = peel(key, axes, /*mayScale=*/true);
  value = peel(value, axes, /*mayScale=*/false);
  chooseAxes();
  return true;
}

/// Puts an attention in the place of a product, and of weights that have to stay.
bool SoftmaxFusion::fuseUse(const WeightsUse &use, const ScoreTrace &trace, bool givesWeights,
                            IRRewriter &rewriter) {
  AttentionOp op = create(rewriter, trace, use, givesWeights);
  if (!op)
    return false;
  Layout held{attention.batch, attention.heads, attention.queries, valueWidth};
  MatmulOp context = use.context;
  Value result = restore(rewriter, op.getResult(), held, resultLayout, *getDims(context.getResult()));
  if (Type wanted = getElementTypeOrSelf(context.getResult()); wanted != element)
    result = CastOp::create(rewriter, op.getLoc(), context.getType(), result, TypeAttr::get(wanted));
  if (use.factor != 1) {
    Value factor =
        makeScalar(rewriter, op.getLoc(), rewriter.getFloatAttr(getElementTypeOrSelf(result), use.factor));
    result = MulOp::create(rewriter, op.getLoc(), result.getType(), result, factor);
  }
  if (givesWeights) {
    Value weights = restore(rewriter, op.getWeights(), attention.getScores(), axes.getLeaves(uses.keptLayout),
                            *getDims(uses.kept));
    rewriter.replaceAllUsesWith(uses.kept, weights);
  }
  rewriter.replaceOp(context, result);
  return true;
}

bool SoftmaxFusion::fuseProduct(MatmulOp product, IRRewriter &rewriter) {
  axes = ScoreAxes(softmax.getContext());
  uses = SoftmaxUses();
  if (!product.getEpilogue().empty() || product.getPackedColumns())
    return fail("the product has an epilogue, or packed weights");
  for (Value operand : product->getOperands())
    if (!isKnownType(operand.getType()))
      return fail("a shape is not known");
  if (getDims(product.getLhs())->size() < 2 || getDims(product.getRhs())->size() < 2)
    return fail("the product is that of a vector");
  ScoreTrace trace(axes, product);
  if (!trace.follow(parts.scores))
    return fail(trace.getObstacle());
  if (parts.sink && dependsOn(parts.sink, product))
    return fail("a score that no key has is computed from the others");
  if (!takeScores(product, trace))
    return false;
  uses =
      findUses(parts.weights, trace.getLayout(parts.scores), axes, getElementTypeOrSelf(product.getResult()));
  if (!uses.obstacle.empty())
    return fail(uses.obstacle);
  if (uses.products.empty())
    return fail("no product uses its result");
  if (uses.zeroMask && !isMaskedAlike(parts.scores, uses))
    return fail("weights are masked that the softmax did not mask");
  // Of each product one attention; nothing is changed before all of them can be.
  const Operand scaledQuery = query, scaledKey = key;
  auto take = [&](const WeightsUse &use) {
    query = scaledQuery;
    key = scaledKey;
    return takeOperands(use) && checkTypes(product) && checkSources();
  };
  if (!llvm::all_of(uses.products, take))
    return false;
  for (auto [number, use] : llvm::enumerate(uses.products)) {
    take(use);
    if (!fuseUse(use, trace, uses.kept && number == 0, rewriter))
      return false;
  }
  // The weights' users may be before the attention in the block.
  return !uses.kept || sortTopologically(softmax->getBlock());
}

/// Whether a product uses the result, directly or after pointwise operations and moves; a part of it counts.
static bool reachesProduct(SoftmaxOp softmax) {
  llvm::SetVector<Operation *> pending;
  pending.insert(softmax);
  constexpr size_t kMaxOperations = 64;
  for (size_t i = 0; i < pending.size() && i < kMaxOperations; ++i)
    for (Operation *user : pending[i]->getUsers()) {
      if (isa<MatmulOp>(user))
        return true;
      if (isPointwiseOrMove(user) || isa<SliceOp>(user))
        pending.insert(user);
    }
  return false;
}

bool SoftmaxFusion::fuse(IRRewriter &rewriter) {
  candidate = reachesProduct(softmax);
  if (!candidate)
    return fail("no product uses its result");
  if (!isKnownType(softmax.getType()))
    return fail("its shape is not known");
  if (auto found = findSink(softmax))
    parts = *found;
  SmallVector<MatmulOp> products = findProducts(parts.scores);
  if (products.empty())
    return fail("its input is not made of a product by pointwise operations, transposes and reshapes");
  std::string first;
  for (MatmulOp product : products) {
    if (fuseProduct(product, rewriter))
      return true;
    if (first.empty())
      first = obstacle;
  }
  return fail(first);
}
