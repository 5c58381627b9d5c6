// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/ChunkedAttention.h"
#include "compiler/Graph/ConstantMatch.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

/// Splits the dims of rows into those of batch, heads and queries.
bool ChunkedAttention::orderRows() {
  int64_t queries = scores.query.length;
  auto found = findOrder(scores.rows, scores.rowStrides, 1, scores.query.heads * queries);
  if (!found)
    return fail("its rows are not those of all queries");
  plan.rows = scores.rows, plan.order = std::move(*found);
  ArrayRef<int64_t> ofHeadsAndBatch(plan.order);
  int64_t inner = 1;
  while (!ofHeadsAndBatch.empty() && inner < queries) {
    inner *= scores.rows[ofHeadsAndBatch.back()];
    ofHeadsAndBatch = ofHeadsAndBatch.drop_back();
  }
  if (inner != queries || ofHeadsAndBatch.size() > 2)
    return fail("its rows are not made of a batch, heads and queries");
  plan.ofBatch = ofHeadsAndBatch.size() == 2, plan.ofHeads = ofHeadsAndBatch.size() - plan.ofBatch;
  plan.batch = countElementsOf(plan.rows, ofHeadsAndBatch.take_front(plan.ofBatch));
  plan.heads = countElementsOf(plan.rows, ofHeadsAndBatch.drop_front(plan.ofBatch));
  return true;
}

/// Whether a tensor that has these of the rows' dims, and 1 for the others, has all or none of each of batch,
/// heads and queries.
bool ChunkedAttention::fitsRows(ArrayRef<int64_t> dims) const {
  ArrayRef<int64_t> rest(plan.order);
  for (size_t count : {plan.ofBatch, plan.ofHeads, plan.order.size() - plan.ofBatch - plan.ofHeads}) {
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
    plan.masks.push_back({mask.value, std::move(*found)});
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
    plan.zeroed.push_back({where.getCondition(), where.getElseValue() == weights, std::move(*dims)});
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
        return fail("its result is used otherwise, too");
      }
    }
  return context ? true : fail("no product uses its result");
}

/// The values of each row have to be those of its keys.
bool ChunkedAttention::takeValues() {
  auto type = dyn_cast<RankedTensorType>(context.getRhs().getType());
  if (!type || !type.hasStaticShape())
    return fail("the shape of its values is not known");
  ArrayRef<int64_t> lhs = shapeOf(context.getLhs()), rhs = type.getShape();
  if (!context.getEpilogue().empty() || context.getPackedColumns() || lhs.size() < 3 ||
      lhs.drop_back(2) != rhs.drop_back(2))
    return fail("the product with values has an epilogue, or is of other chunks");
  Type element = getElementTypeOrSelf(scores.query.value);
  for (Value value : {Value(context.getRhs()), scores.key.value, Value(context)})
    if (getElementTypeOrSelf(value) != element)
      return fail("queries, keys and values are not of one type");
  for (Value source : findSmallestMoveSources(context.getRhs())) {
    auto values = ChunkSource::get(source, scores.key.axis);
    if (values && values->hasHeadsOf(scores.key) && values->length == scores.key.length) {
      plan.values = *values;
      break;
    }
  }
  if (!plan.values.value)
    return fail("its values do not have the heads and the length of its keys");
  auto vectors = findVectors(context.getRhs(), plan.values.value, /*areColumns=*/false);
  OriginFinder finder(weights);
  auto origins = vectors ? finder.find(context.getLhs()) : nullptr;
  if (!origins || origins->empty())
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
    if (vector < 0 || plan.values.positionOf(vector) != key ||
        plan.values.headOf(vector) != row / scores.query.length)
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
  plan.resultOrder = std::move(*found);
  return true;
}

bool ChunkedAttention::match() {
  auto type = dyn_cast<RankedTensorType>(softmax.getType());
  if (!type || int64_t(softmax.getAxis()) + 1 != type.getRank())
    return fail("it is not over the last dim");
  if (!scores.find(softmax.getInput()) || !orderRows() || !takeMasks() || !takeWeights() || !takeValues())
    return false;
  plan.query = scores.query, plan.key = scores.key;
  plan.scale = scores.scale, plan.firstKey = scores.firstKey, plan.lastKey = scores.lastKey;
  plan.result = context.getResult();
  return true;
}
