// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: inference and constraints.
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftAttentionOps.cpp.inc"

/// attention-c5: the region's arguments and what it yields.
static LogicalResult checkScoreRegion(AttentionOp op) {
  if (op.getScore().empty())
    return op.getCaptures().empty()
               ? success()
               : LogicalResult(op.emitOpError("attention-c5: captures need a score region"));
  Builder builder(op.getContext());
  Type score = op.getScoreType();
  SmallVector<Type> expected{score};
  expected.append(4, builder.getIndexType());
  for (Value capture : op.getCaptures())
    expected.push_back(getElementTypeOrSelf(capture));
  Block &body = op.getScore().front();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  bool matches = op.getScore().hasOneBlock() && llvm::equal(body.getArgumentTypes(), expected) && yield &&
                 llvm::equal(yield.getOperandTypes(), TypeRange({score, builder.getI1Type()}));
  if (!matches)
    return op.emitOpError(
        "attention-c5: expects a score region that takes the score, four indices and an element of "
        "each capture, and yields a score and an i1");
  for (Operation &inner : body)
    for (Value operand : inner.getOperands())
      if (operand.getParentRegion() != &op.getScore())
        return op.emitOpError("attention-c5: expects a score region that uses nothing from outside");
  return success();
}

/// Whether a tensor may broadcast to these dims; guarded, where they are symbols.
static bool requireBroadcast(InferContext &context, AttentionOp op, Value tensor, ArrayRef<Dim> to) {
  auto dims = getDims(tensor);
  if (!dims)
    return true;
  if (dims->size() > to.size())
    return false;
  to = to.take_back(dims->size());
  for (auto [from, into] : llvm::zip(*dims, to))
    if (from && into && from.getConstant() && into.getConstant() && from != into && from.getConstant() != 1)
      return false;
  for (auto [from, into] : llvm::zip(*dims, to))
    guardBroadcastTo(context, op, from, into);
  return true;
}

/// attention-c4 and attention-c7, on the scores' dims.
static LogicalResult requireCaptures(InferContext &context, AttentionOp op, ArrayRef<Dim> scores) {
  for (Value capture : op.getCaptures())
    if (!requireBroadcast(context, op, capture, scores))
      return op.emitOpError() << "attention-c4: capture " << describeType(capture.getType())
                              << " does not broadcast to the scores";
  if (!op.getSink())
    return success();
  SmallVector<Dim> rows(scores);
  rows.back() = Dim::constant(op.getContext(), 1);
  if (getElementTypeOrSelf(op.getSink()) != op.getScoreType() ||
      !requireBroadcast(context, op, op.getSink(), rows))
    return op.emitOpError() << "attention-c7: expects a sink of " << op.getScoreType()
                            << " for each row or less, got " << describeType(op.getSink().getType());
  return success();
}

Type AttentionOp::getScoreType() {
  Type element = getElementTypeOrSelf(getQuery());
  return element.isF64() ? element : Type(Float32Type::get(getContext()));
}

std::optional<SmallVector<Dim>> AttentionOp::getScoreDims() {
  auto query = getDims(getQuery()), key = getDims(getKey());
  if (!query || !key || query->size() != 4 || key->size() != 4)
    return std::nullopt;
  std::optional<DenseIntElementsAttr> blocks = getBlocks();
  Dim keys =
      blocks ? Dim::constant(getContext(), blocks->getType().getDimSize(1) * getBlockSize()) : (*key)[2];
  return SmallVector<Dim>{(*query)[0], (*query)[1], (*query)[2], keys};
}

/// attention-c6, on key's dims.
static LogicalResult checkBlocks(AttentionOp op, Dim heads, Dim rows) {
  std::optional<DenseIntElementsAttr> blocks = op.getBlocks();
  int64_t size = op.getBlockSize();
  if (!blocks)
    return size == 0 ? success()
                     : LogicalResult(op.emitOpError("attention-c6: a size of blocks needs blocks"));
  auto type = blocks->getType();
  if (size <= 0 || type.getRank() != 2 || heads.getConstant() != type.getDimSize(0))
    return op.emitOpError() << "attention-c6: expects a list of blocks for each of " << heads.toString()
                            << " query heads, and a size; got " << describeType(type) << " of " << size;
  std::optional<int64_t> length = rows.getConstant();
  if (!length)
    return op.emitOpError() << "attention-c6: expects a known number of keys, got " << rows.toString();
  for (const APInt &first : blocks->getValues<APInt>())
    if (first.getSExtValue() < 0 || first.getSExtValue() > *length - size)
      return op.emitOpError() << "attention-c6: a block of " << size << " keys at " << first.getSExtValue()
                              << " is not within " << *length;
  return success();
}

/// That query heads are shared out to heads evenly.
static LogicalResult requireShares(InferContext &context, Operation *op, StringRef constraint, Dim queryHeads,
                                   Dim heads) {
  if (!queryHeads || !heads || queryHeads == heads)
    return success();
  Dim rest = Dim::mod(queryHeads, heads), zero = Dim::constant(op->getContext(), 0);
  if (!rest || !requireEqual(context, op, rest, zero))
    return op->emitOpError() << constraint
                             << ": expects the heads of query to be a multiple of those of key, got "
                             << queryHeads.toString() << " and " << heads.toString();
  return success();
}

LogicalResult AttentionOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getQuery());
  auto query = getDims(getQuery()), key = getDims(getKey()), value = getDims(getValue());
  auto hasRank4 = [](const std::optional<SmallVector<Dim>> &dims) { return !dims || dims->size() == 4; };
  if (!hasRank4(query) || !hasRank4(key) || !hasRank4(value) || getElementTypeOrSelf(getKey()) != element ||
      getElementTypeOrSelf(getValue()) != element)
    return emitOpError() << "attention-c1: expects query, key and value of rank 4 and one element type, got "
                         << describeType(getQuery().getType()) << ", " << describeType(getKey().getType())
                         << " and " << describeType(getValue().getType());
  if (failed(checkScoreRegion(*this)))
    return failure();
  if (!query || !key || !value) {
    types.append(getNumResults(), UnrankedTensorType::get(element));
    return success();
  }
  SmallVector<Dim> q = *query, k = *key, v = *value;
  auto equal = [&](Dim left, Dim right) { return requireEqual(context, *this, left, right); };
  if (!equal(q[0], k[0]) || !equal(k[0], v[0]) || !equal(k[1], v[1]) || !equal(k[2], v[2]) ||
      !equal(q[3], k[3]))
    return emitOpError()
           << "attention-c2: expects one batch, heads and length of key and value, and width of query and "
              "key; got "
           << describeType(getQuery().getType()) << ", " << describeType(getKey().getType()) << " and "
           << describeType(getValue().getType());
  if (failed(requireShares(context, *this, "attention-c3", q[1], k[1])))
    return failure();
  if (failed(checkBlocks(*this, q[1], k[2])))
    return failure();
  SmallVector<Dim> scores = *getScoreDims();
  if (failed(requireCaptures(context, *this, scores)))
    return failure();
  types.push_back(getTensorType(context, {q[0], q[1], q[2], v[3]}, element));
  if (getWeights())
    types.push_back(getTensorType(context, scores, element));
  return success();
}

//===----------------------------------------------------------------------===//
// linear_attention
//===----------------------------------------------------------------------===//

/// linear-attention-c2, where all ranks are known.
static bool haveEqualDims(InferContext &context, LinearAttentionOp op) {
  SmallVector<Dim> q = *getDims(op.getQuery()), k = *getDims(op.getKey()), v = *getDims(op.getValue()),
                   s = *getDims(op.getState());
  auto equal = [&](Dim left, Dim right) { return requireEqual(context, op, left, right); };
  auto equalOrOne = [&](Dim dim, Dim whole) { return (dim && dim.getConstant() == 1) || equal(dim, whole); };
  if (!equal(q[0], k[0]) || !equal(k[0], v[0]) || !equal(k[0], s[0]) || !equal(q[1], k[1]) ||
      !equal(k[1], v[1]) || !equal(k[2], v[2]) || !equal(k[2], s[1]) || !equal(q[3], k[3]) ||
      !equal(k[3], s[2]) || !equal(v[3], s[3]))
    return false;
  if (Value decay = op.getDecay()) {
    SmallVector<Dim> d = *getDims(decay);
    if (!equal(d[0], k[0]) || !equal(d[1], k[1]) || !equal(d[2], k[2]) || !equalOrOne(d[3], k[3]))
      return false;
  }
  if (Value rate = op.getRate()) {
    SmallVector<Dim> r = *getDims(rate);
    Dim one = Dim::constant(op.getContext(), 1);
    if (!equal(r[0], k[0]) || !equal(r[1], k[1]) || !equalOrOne(r[2], k[2]) || !equal(r[3], one))
      return false;
  }
  return true;
}

LogicalResult LinearAttentionOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  Type element = getElementTypeOrSelf(getQuery());
  auto describe = [&] { return llvm::join(llvm::map_range(getOperandTypes(), describeType), ", "); };
  for (Value operand : getOperands()) {
    auto dims = getDims(operand);
    if ((dims && dims->size() != 4) || getElementTypeOrSelf(operand) != element)
      return emitOpError() << "linear-attention-c1: expects operands of rank 4 and one element type, got "
                           << describe();
  }
  if (!llvm::all_of(getOperands(), [](Value operand) { return getDims(operand).has_value(); })) {
    types.append(getNumResults(), UnrankedTensorType::get(element));
    return success();
  }
  if (!haveEqualDims(context, *this))
    return emitOpError() << "linear-attention-c2: expects one batch, length, number of heads and width of "
                            "each, got "
                         << describe();
  SmallVector<Dim> query = *getDims(getQuery()), state = *getDims(getState());
  if (failed(requireShares(context, *this, "linear-attention-c3", query[2], state[1])))
    return failure();
  types.push_back(getTensorType(context, {query[0], query[1], query[2], state[3]}, element));
  types.push_back(getTensorType(context, state, element));
  return success();
}
