// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/ChunkedPlan.h"
#include "compiler/Graph/Attention/Origins.h"
#include "compiler/Graph/Moves.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

int64_t weft::graph::countElementsOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= shape[dim];
  return product;
}

std::optional<ChunkSource> ChunkSource::get(Value value, int64_t axis) {
  ArrayRef<int64_t> shape = shapeOf(value);
  if (axis < 0 || axis + 1 >= int64_t(shape.size()))
    return std::nullopt;
  ChunkSource source;
  source.value = value, source.axis = axis;
  source.length = shape[axis];
  source.inner = countElements(shape.drop_back().drop_front(axis + 1));
  source.heads = countElements(shape.take_front(axis)) * source.inner;
  return source;
}

bool ChunkSource::hasHeadsOf(const ChunkSource &other) const {
  ArrayRef<int64_t> shape = shapeOf(value), otherShape = shapeOf(other.value);
  return axis == other.axis && shape.size() == otherShape.size() &&
         shape.take_front(axis) == otherShape.take_front(axis) &&
         shape.drop_back().drop_front(axis + 1) == otherShape.drop_back().drop_front(axis + 1);
}

void ChunkedPlan::mapValues(function_ref<Value(Value)> map) {
  for (Value *value : {&query.value, &key.value, &values.value, &result})
    *value = map(*value);
  for (Mask &mask : masks)
    mask.value = map(mask.value);
  for (ZeroedRows &rows : zeroed)
    rows.condition = map(rows.condition);
}

static SmallVector<Dim> makeDims(MLIRContext *context, ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, [&](int64_t size) { return Dim::constant(context, size); });
}

Value ChunkSource::makeHeads(OpBuilder &builder, Location location, Dim batch, int64_t headsOfBatch) const {
  SmallVector<Dim> dims = *getDims(value);
  int64_t rank = dims.size();
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < rank - 1; ++dim)
    if (dim != axis)
      permutation.push_back(dim);
  permutation.append({axis, rank - 1});
  auto constant = [&](int64_t size) { return Dim::constant(builder.getContext(), size); };
  return makeReshape(builder, location, makeTranspose(builder, location, value, permutation),
                     {batch, constant(headsOfBatch), constant(length), dims.back()});
}

/// A tensor of some of the rows' dims, in that order, and of keys or 1, as [batch, heads, queries, keys] with
/// 1 for what it does not have.
Value ChunkedPlan::makeRows(OpBuilder &builder, Location location, Value value,
                            ArrayRef<int64_t> dims) const {
  int64_t last = countElements(shapeOf(value)) / countElementsOf(rows, dims);
  SmallVector<int64_t> sizes, permutation, shape(3, 1);
  for (int64_t dim : dims)
    sizes.push_back(rows[dim]);
  for (auto [place, dim] : llvm::enumerate(order))
    if (auto at = llvm::find(dims, dim); at != dims.end()) {
      permutation.push_back(at - dims.begin());
      shape[place < ofBatch ? 0 : place < ofBatch + ofHeads ? 1 : 2] *= rows[dim];
    }
  sizes.push_back(last), shape.push_back(last);
  permutation.push_back(int64_t(dims.size()));
  MLIRContext *context = builder.getContext();
  value = makeReshape(builder, location, value, makeDims(context, sizes));
  value = makeTranspose(builder, location, value, permutation);
  return makeReshape(builder, location, value, makeDims(context, shape));
}

/// position + distance <= other, without a negative number.
static Value isBefore(OpBuilder &builder, Location location, Value position, int64_t distance, Value other) {
  Value &later = distance < 0 ? other : position;
  if (distance != 0)
    later = arith::AddIOp::create(builder, location, later,
                                  arith::ConstantIndexOp::create(builder, location, std::abs(distance)));
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sle, position, other);
}

AttentionOp ChunkedPlan::create(OpBuilder &builder, Location location) const {
  MLIRContext *mlir = builder.getContext();
  Type element = getElementTypeOrSelf(this->query.value);
  Type number = element.isF64() ? element : builder.getF32Type();
  SmallVector<Value> captures;
  for (const Mask &mask : masks)
    captures.push_back(makeRows(builder, location, mask.value, mask.dims));
  auto type = getTensorType(makeDims(mlir, {batch, heads, this->query.length, shapeOf(values.value).back()}),
                            element);
  auto headsOf = [&](const ChunkSource &source) {
    return source.makeHeads(builder, location, Dim::constant(mlir, batch), heads);
  };
  auto attention = AttentionOp::create(builder, location, type, Type(), headsOf(this->query),
                                       headsOf(this->key), headsOf(values), captures, /*sink=*/Value(),
                                       APFloat(scale), EmptyRows::NaN, DenseIntElementsAttr(), 0);
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
  Value keep = arith::AndIOp::create(builder, location, isBefore(builder, location, query, firstKey, key),
                                     isBefore(builder, location, key, -lastKey, query));
  YieldOp::create(builder, location, ValueRange{score, keep});
  return attention;
}

void ChunkedPlan::apply(IRRewriter &rewriter, Location location) const {
  rewriter.setInsertionPoint(result.getDefiningOp());
  AttentionOp attention = create(rewriter, location);
  Value made = attention.getResult();
  for (const ZeroedRows &rows : zeroed) {
    Value condition = makeRows(rewriter, location, rows.condition, rows.dims);
    Value zero = makeScalar(rewriter, location, rewriter.getFloatAttr(getElementTypeOrSelf(made), 0));
    made = WhereOp::create(rewriter, location, made.getType(), condition, rows.areZeroWhere ? zero : made,
                           rows.areZeroWhere ? made : zero);
  }
  // From [batch, heads, queries, width] to the dims that the product had.
  ArrayRef<int64_t> shape = shapeOf(result);
  SmallVector<int64_t> sizes, kept(resultOrder);
  for (int64_t dim : resultOrder)
    sizes.push_back(shape[dim]);
  sizes.push_back(shape.back());
  kept.push_back(int64_t(shape.size()) - 1);
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, kept.size()));
  llvm::sort(permutation, [&](int64_t left, int64_t right) { return kept[left] < kept[right]; });
  MLIRContext *mlir = rewriter.getContext();
  made = makeReshape(rewriter, location, made, makeDims(mlir, sizes));
  made = makeTranspose(rewriter, location, made, permutation);
  rewriter.replaceOp(result.getDefiningOp(), makeReshape(rewriter, location, made, makeDims(mlir, shape)));
}
