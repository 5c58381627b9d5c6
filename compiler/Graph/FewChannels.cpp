// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of few channels that lie in front of rows.
#include "compiler/Graph/Moves.h"
#include "dialects/Weft/IR/ScalarBody.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

/// Channels that a vector would not be filled with.
static constexpr int64_t kFew = 16;

/// Which dim the transpose moves to the end, if it does nothing else.
static std::optional<int64_t> findMovedToEnd(TransposeOp move) {
  ArrayRef<int64_t> order = move.getPermutation();
  int64_t moved = order.back(), rank = order.size();
  SmallVector<int64_t> expected = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  expected.erase(expected.begin() + moved);
  expected.push_back(moved);
  return moved + 1 < rank && llvm::equal(order, expected) ? std::optional(moved) : std::nullopt;
}

/// Whether elementwise operations alone, each the only one, are between a value and a transpose.
static bool isTransposedNext(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (isa<TransposeOp>(user))
      return true;
    if (!isElementwise(user) || user->getNumResults() != 1)
      return false;
    value = user->getResult(0);
  }
  return false;
}

bool weft::graph::mixFewChannels(MatmulOp op) {
  auto move = op.getLhs().getDefiningOp<TransposeOp>();
  if (!move || !isKnownType(move.getType()) || !isKnownType(op.getType()) || op.getPackedColumns() ||
      op.getGroups() || !op.getEpilogue().empty() || !isTransposedNext(op.getResult()))
    return false;
  SmallVector<Dim> weight = *getDims(op.getRhs()), dims = *getDims(move.getInput());
  std::optional<int64_t> channels = findMovedToEnd(move);
  auto isFew = [](Dim dim) { return dim.getConstant().value_or(kFew + 1) <= kFew; };
  if (!channels || weight.size() != 2 || !llvm::all_of(weight, isFew))
    return false;
  MLIRContext *context = op.getContext();
  Dim before = Dim::product(context, ArrayRef(dims).take_front(*channels)),
      behind = Dim::product(context, ArrayRef(dims).drop_front(*channels + 1));
  if (!before || !behind)
    return false;

  OpBuilder builder(op);
  Location location = op.getLoc();
  Value left = makeTranspose(builder, location, op.getRhs(), {1, 0});
  left = makeReshape(builder, location, left, {Dim::constant(context, 1), weight[1], weight[0]});
  Value right = makeReshape(builder, location, move.getInput(), {before, weight[0], behind});
  auto type = getTensorType({before, weight[1], behind}, getElementTypeOrSelf(op.getType()));
  Value product =
      MatmulOp::create(builder, location, type, left, right, ValueRange(), IntegerAttr(), WeightGroupsAttr());
  dims[*channels] = weight[1];
  product = makeReshape(builder, location, product, dims);
  op.getResult().replaceAllUsesWith(makeTranspose(builder, location, product, move.getPermutation()));
  op.erase();
  return true;
}
