// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/ChunkedAttention.h"
#include "compiler/Graph/ConstantMatch.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/NodeErrors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

static int64_t multiply(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= shape[dim];
  return product;
}

/// Splits the dims of rows into those of batch, heads and queries.
bool ChunkedAttention::orderRows() {
  int64_t queries = scores.query.length;
  auto found = findOrder(scores.rows, scores.rowStrides, 1, scores.query.heads * queries);
  if (!found)
    return fail("its rows are not those of all queries");
  order = std::move(*found);
  ArrayRef<int64_t> ofHeadsAndBatch(order);
  int64_t inner = 1;
  while (!ofHeadsAndBatch.empty() && inner < queries) {
    inner *= scores.rows[ofHeadsAndBatch.back()];
    ofHeadsAndBatch = ofHeadsAndBatch.drop_back();
  }
  if (inner != queries || ofHeadsAndBatch.size() > 2)
    return fail("its rows are not made of a batch, heads and queries");
  ofBatch = ofHeadsAndBatch.size() == 2, ofHeads = ofHeadsAndBatch.size() - ofBatch;
  batch = multiply(scores.rows, ofHeadsAndBatch.take_front(ofBatch));
  heads = multiply(scores.rows, ofHeadsAndBatch.drop_front(ofBatch));
  return true;
}

/// Whether a tensor that has these of the rows' dims, and 1 for the others, has all or none of each of batch,
/// heads and queries.
bool ChunkedAttention::fitsRows(ArrayRef<int64_t> dims) const {
  ArrayRef<int64_t> rest(order);
  for (size_t count : {ofBatch, ofHeads, order.size() - ofBatch - ofHeads}) {
    ArrayRef<int64_t> group = rest.take_front(count);
    rest = rest.drop_front(count);
    size_t members = llvm::count_if(group, [&](int64_t dim) { return llvm::is_contained(dims, dim); });
    if (members != 0 && members != count)
      return false;
  }
  return true;
}

bool ChunkedAttention::takeMasks() {
  for (const ChunkedMask &mask : scores.masks) {
    auto found = findOrder(scores.rows, mask.strides, scores.key.length, countElements(shapeOf(mask.value)));
    if (!found || !fitsRows(*found))
      return fail("what is added to scores is no mask of rows and keys");
    maskOrders.push_back(std::move(*found));
  }
  return true;
}

/// The dims of the rows that a condition has, which is of all keys alike; nothing if it is not.
static std::optional<SmallVector<int64_t>> findRowDims(Value condition, size_t rank) {
  ArrayRef<int64_t> shape = shapeOf(condition);
  SmallVector<int64_t> dims;
  if (shape.empty())
    return dims;
  if (shape.back() != 1)
    return std::nullopt;
  for (auto [dim, size] : llvm::enumerate(shape.drop_back()))
    if (size != 1)
      dims.push_back(int64_t(dim + rank - shape.size()));
  return dims;
}

/// Follows the softmax's result to the product that uses it, by wheres that make rows 0 and then by moves.
bool ChunkedAttention::takeWeights() {
  weights = softmax.getResult();
  while (weights.hasOneUse()) {
    auto where = dyn_cast<WhereOp>(*weights.user_begin());
    if (!where || isa_and_present<ConstantOp>(where.getCondition().getDefiningOp()))
      break;
    Value zero = where.getElseValue() == weights ? where.getThenValue() : where.getElseValue();
    auto condition = dyn_cast<RankedTensorType>(where.getCondition().getType());
    if (where.getType() != weights.getType() || where.getCondition() == weights || zero == weights ||
        getSplatNumber(zero) != 0.0 || !condition || !condition.hasStaticShape())
      break;
    auto dims = findRowDims(where.getCondition(), scores.rows.size() + 1);
    if (!dims || !fitsRows(*dims))
      return fail("weights are masked in an order that is not that of the rows");
    zeroed.push_back({where.getCondition(), where.getElseValue() == weights, std::move(*dims)});
    weights = where;
  }
  llvm::SmallSetVector<Value, 8> moved;
  moved.insert(weights);
  for (size_t i = 0; i < moved.size(); ++i)
    for (Operation *user : moved[i].getUsers()) {
      auto found = dyn_cast<MatmulOp>(user);
      if (found && getMoved(user).empty()) {
        if ((context && context != found) || found.getLhs() != moved[i] || found.getRhs() == moved[i])
          return fail("its result is used in several products, or as values");
        context = found;
      } else if (llvm::is_contained(getMoved(user), moved[i])) {
        moved.insert(user->getResult(0));
      } else {
        return fail("its result is also used by " + describeNode(user));
      }
    }
  return context ? true : fail("no product uses its result");
}

/// The values of each row have to be those of its keys.
bool ChunkedAttention::takeValues() {
  ArrayRef<int64_t> lhs = shapeOf(context.getLhs()), rhs = shapeOf(context.getRhs());
  if (!context.getEpilogue().empty() || context.getPackedColumns() || lhs.size() < 3 ||
      lhs.drop_back(2) != rhs.drop_back(2))
    return fail("the product with values has an epilogue, or is of other chunks");
  Type element = getElementTypeOrSelf(scores.query.value);
  for (Value value : {Value(context.getRhs()), scores.key.value, Value(context)})
    if (getElementTypeOrSelf(value) != element)
      return fail("queries, keys and values are not of one type");
  for (Value source : findSmallestMoveSources(context.getRhs())) {
    values = ChunkSource(source, std::min<int64_t>(scores.key.axis, shapeOf(source).size() - 1));
    if (values.hasHeadsOf(scores.key) && values.length == scores.key.length)
      break;
    values = ChunkSource();
  }
  if (!values.value)
    return fail("its values do not have the heads and the length of its keys");
  auto vectors = findVectors(context.getRhs(), values.value, /*areColumns=*/false);
  OriginFinder finder(weights);
  auto origins = vectors ? finder.find(context.getLhs()) : nullptr;
  if (!origins)
    return fail("its chunks of values are not made of whole values");
  int64_t width = lhs.back(), height = lhs.end()[-2], columns = shapeOf(weights).back();
  SmallVector<int64_t> resultRows(origins->size() / width, -1);
  llvm::BitVector isSeen(scores.keyAt.size());
  for (auto [place, origin] : llvm::enumerate(*origins)) {
    if (origin < 0 && finder.getNumber(origin) != 0)
      return fail("a number stands among its weights");
    int32_t key = origin < 0 ? -1 : scores.keyAt[origin];
    if (key < 0) // its weight is 0
      continue;
    int64_t result = int64_t(place) / width, row = scores.rowOf[origin / columns];
    int32_t vector = (*vectors)[result / height * width + int64_t(place) % width];
    if (vector < 0 || values.positionOf(vector) != key || values.headOf(vector) != row / scores.query.length)
      return fail("a weight is used for another value than that of its key");
    if (isSeen.test(origin) || (resultRows[result] >= 0 && resultRows[result] != row))
      return fail("a weight is used twice, or weights of several queries together");
    isSeen.set(origin);
    resultRows[result] = row;
  }
  if (int64_t(isSeen.count()) != scores.kept)
    return fail("some weights are not used");
  return takeResults(resultRows);
}

bool ChunkedAttention::takeResults(ArrayRef<int64_t> resultRows) {
  ArrayRef<int64_t> dims = shapeOf(context).drop_back();
  auto strides = findStrides(dims, resultRows);
  auto found =
      strides ? findOrder(dims, *strides, 1, scores.query.heads * scores.query.length) : std::nullopt;
  if (!found)
    return fail("its results are not in an order that dims make");
  resultOrder = std::move(*found);
  return true;
}

static SmallVector<Dim> makeDims(MLIRContext *context, ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, [&](int64_t size) { return Dim::constant(context, size); });
}

/// [batch, heads, length, width] of what was cut into chunks.
Value ChunkedAttention::makeHeads(OpBuilder &builder, const ChunkSource &source) {
  ArrayRef<int64_t> shape = shapeOf(source.value);
  int64_t rank = shape.size();
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < rank - 1; ++dim)
    if (dim != source.axis)
      permutation.push_back(dim);
  permutation.append({source.axis, rank - 1});
  Value turned = makeTranspose(builder, softmax.getLoc(), source.value, permutation);
  return makeReshape(builder, softmax.getLoc(), turned,
                     makeDims(builder.getContext(), {batch, heads, source.length, shape.back()}));
}

/// A tensor of some of the rows' dims, in that order, and of keys or 1, as [batch, heads, queries, keys] with
/// 1 for what it does not have.
Value ChunkedAttention::makeRows(OpBuilder &builder, Value value, ArrayRef<int64_t> dims) {
  int64_t last = countElements(shapeOf(value)) / multiply(scores.rows, dims);
  SmallVector<int64_t> sizes, permutation, shape(3, 1);
  for (int64_t dim : dims)
    sizes.push_back(scores.rows[dim]);
  for (auto [place, dim] : llvm::enumerate(order))
    if (auto at = llvm::find(dims, dim); at != dims.end()) {
      permutation.push_back(at - dims.begin());
      shape[place < ofBatch ? 0 : place < ofBatch + ofHeads ? 1 : 2] *= scores.rows[dim];
    }
  sizes.push_back(last), shape.push_back(last);
  permutation.push_back(int64_t(dims.size()));
  MLIRContext *context = builder.getContext();
  value = makeReshape(builder, softmax.getLoc(), value, makeDims(context, sizes));
  value = makeTranspose(builder, softmax.getLoc(), value, permutation);
  return makeReshape(builder, softmax.getLoc(), value, makeDims(context, shape));
}

/// position + distance <= other, without a negative number.
static Value isBefore(OpBuilder &builder, Location location, Value position, int64_t distance, Value other) {
  Value &later = distance < 0 ? other : position;
  if (distance != 0)
    later = arith::AddIOp::create(builder, location, later,
                                  arith::ConstantIndexOp::create(builder, location, std::abs(distance)));
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sle, position, other);
}

AttentionOp ChunkedAttention::create(OpBuilder &builder) {
  Location location = softmax.getLoc();
  MLIRContext *mlir = builder.getContext();
  Type element = getElementTypeOrSelf(scores.query.value);
  Type number = element.isF64() ? element : builder.getF32Type();
  SmallVector<Value> captures;
  for (auto [mask, dims] : llvm::zip_equal(scores.masks, maskOrders))
    captures.push_back(makeRows(builder, mask.value, dims));
  auto type = getTensorType(makeDims(mlir, {batch, heads, scores.query.length, shapeOf(values.value).back()}),
                            element);
  auto attention = AttentionOp::create(builder, location, type, Type(), makeHeads(builder, scores.query),
                                       makeHeads(builder, scores.key), makeHeads(builder, values), captures,
                                       APFloat(scores.scale), EmptyRows::NaN);
  Type index = builder.getIndexType();
  SmallVector<Type> arguments{number, index, index, index, index};
  for (Value capture : captures)
    arguments.push_back(getElementTypeOrSelf(capture));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&attention.getScore(), {}, arguments,
                                    SmallVector<Location>(arguments.size(), location));
  Value score = body->getArgument(0), query = body->getArgument(3), key = body->getArgument(4);
  for (Value added : body->getArguments().drop_front(5)) {
    if (added.getType() != number)
      added = arith::ExtFOp::create(builder, location, number, added);
    score = arith::AddFOp::create(builder, location, score, added);
  }
  Value keep =
      arith::AndIOp::create(builder, location, isBefore(builder, location, query, scores.firstKey, key),
                            isBefore(builder, location, key, -scores.lastKey, query));
  YieldOp::create(builder, location, ValueRange{score, keep});
  return attention;
}

static Value makeZero(OpBuilder &builder, Location location, Value like) {
  Type element = getElementTypeOrSelf(like);
  auto type = RankedTensorType::get({}, element);
  return ConstantOp::create(builder, location, type,
                            DenseElementsAttr::get(type, builder.getFloatAttr(element, 0)));
}

bool ChunkedAttention::fuse(IRRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(softmax.getType());
  if (!type || int64_t(softmax.getAxis()) + 1 != type.getRank())
    return fail("it is not over the last dim");
  if (!scores.find(softmax.getInput()) || !orderRows() || !takeMasks() || !takeWeights() || !takeValues())
    return false;
  rewriter.setInsertionPoint(context);
  Location location = softmax.getLoc();
  AttentionOp attention = create(rewriter);
  Value result = attention.getResult();
  for (const ZeroedRows &rows : zeroed) {
    Value condition = makeRows(rewriter, rows.condition, rows.dims),
          zero = makeZero(rewriter, location, result);
    result = WhereOp::create(rewriter, location, result.getType(), condition,
                             rows.areZeroWhere ? zero : result, rows.areZeroWhere ? result : zero);
  }
  // From [batch, heads, queries, width] to the dims that the product had.
  ArrayRef<int64_t> shape = shapeOf(context);
  SmallVector<int64_t> sizes, kept(resultOrder);
  for (int64_t dim : resultOrder)
    sizes.push_back(shape[dim]);
  sizes.push_back(shape.back());
  kept.push_back(int64_t(shape.size()) - 1);
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, kept.size()));
  llvm::sort(permutation, [&](int64_t left, int64_t right) { return kept[left] < kept[right]; });
  MLIRContext *mlir = rewriter.getContext();
  result = makeReshape(rewriter, location, result, makeDims(mlir, sizes));
  result = makeTranspose(rewriter, location, result, permutation);
  rewriter.replaceOp(context, makeReshape(rewriter, location, result, makeDims(mlir, shape)));
  return true;
}
