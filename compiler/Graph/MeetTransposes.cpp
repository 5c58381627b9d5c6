// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-meet-transposes: a transpose moves to those that it becomes one with, through what is between them.
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_MEETTRANSPOSES
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

/// Moves between two transposes that are followed.
static constexpr int kMostMoves = 16;

using Permutation = SmallVector<int64_t>;

/// The permutation of a reshape's input with which dims are permuted before it, not behind; nothing if dims
/// that are made of the same ones do not stay together, in order.
static std::optional<Permutation> permuteBefore(ReshapeOp op, ArrayRef<int64_t> permutation) {
  SmallVector<Dim> from = *getDims(op.getInput()), to = *getDims(op.getResult());
  struct Group {
    size_t from, fromEnd, to, toEnd;
  };
  SmallVector<Group> groupOf; // of each dim of the result
  for (size_t begin = 0, toBegin = 0; begin < from.size() || toBegin < to.size();) {
    auto [count, others] = matchDims(ArrayRef(from).drop_front(begin), ArrayRef(to).drop_front(toBegin));
    if (count == 0)
      return std::nullopt;
    groupOf.append(others, {begin, begin + count, toBegin, toBegin + others});
    begin += count, toBegin += others;
  }
  Permutation before;
  for (size_t i = 0; i < permutation.size();) {
    const Group &group = groupOf[permutation[i]];
    for (size_t dim = group.to; dim < group.toEnd; ++dim, ++i)
      if (i == permutation.size() || permutation[i] != int64_t(dim))
        return std::nullopt;
    llvm::append_range(before, llvm::seq<int64_t>(group.from, group.fromEnd));
  }
  return before;
}

/// What a move's first operand is permuted by, if that is done before it.
static std::optional<Permutation> permuteBefore(Operation *move, ArrayRef<int64_t> permutation) {
  if (auto reshape = dyn_cast<ReshapeOp>(move))
    return reshape.getShape() ? std::nullopt : permuteBefore(reshape, permutation);
  if (auto slice = dyn_cast<SliceOp>(move); slice && !slice.getOffsets())
    return std::nullopt;
  return isa<SliceOp, ConcatOp>(move) ? std::optional(Permutation(permutation)) : std::nullopt;
}

/// Whether a transpose of the value meets another before it. What a concat has beside that one costs nothing
/// to transpose: it is one number.
static bool meets(Value value, ArrayRef<int64_t> permutation, int most = kMostMoves) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<TransposeOp>(op))
    return true;
  if (!op || most == 0 || !value.hasOneUse() || !isKnownType(value.getType()) ||
      !llvm::all_of(op->getOperandTypes(), isKnownType))
    return false;
  std::optional<Permutation> before = permuteBefore(op, permutation);
  auto isOneNumber = [](Value input) {
    auto expand = input.getDefiningOp<ExpandOp>();
    return expand && getDims(expand.getInput())->empty();
  };
  auto meetsOne = [&](Value input) { return meets(input, *before, most - 1); };
  return before && llvm::any_of(op->getOperands(), meetsOne) &&
         llvm::all_of(op->getOperands(), [&](Value input) { return isOneNumber(input) || meetsOne(input); });
}

/// The value, transposed; its moves are made once more with what they move transposed.
static Value transpose(OpBuilder &builder, Value value, ArrayRef<int64_t> permutation) {
  Operation *op = value.getDefiningOp();
  if (auto inner = dyn_cast<TransposeOp>(op)) {
    Permutation both;
    for (int64_t dim : permutation)
      both.push_back(inner.getPermutation()[dim]);
    return makeTranspose(builder, op->getLoc(), inner.getInput(), both);
  }
  if (auto expand = dyn_cast<ExpandOp>(op))
    return makeExpand(builder, op->getLoc(), expand.getInput(),
                      getDims(permuteType(cast<RankedTensorType>(value.getType()), permutation)));
  Permutation before = *permuteBefore(op, permutation);
  SmallVector<Value> inputs =
      llvm::map_to_vector(op->getOperands(), [&](Value input) { return transpose(builder, input, before); });
  RankedTensorType type = permuteType(cast<RankedTensorType>(value.getType()), permutation);
  if (auto slice = dyn_cast<SliceOp>(op)) {
    SmallVector<Dim> offsets;
    SmallVector<int64_t> strides;
    for (int64_t dim : permutation) {
      offsets.push_back(Dim(slice.getOffsets()->getDims()[dim]));
      strides.push_back(slice.getStrides()[dim]);
    }
    return SliceOp::create(builder, op->getLoc(), type, inputs[0], Value(), Value(), Value(),
                           ArrayRef<int64_t>(), getDimsAttr(builder.getContext(), offsets), strides);
  }
  if (auto concat = dyn_cast<ConcatOp>(op))
    return ConcatOp::create(builder, op->getLoc(), type, inputs,
                            llvm::find(permutation, int64_t(concat.getAxis())) - permutation.begin());
  return makeReshape(builder, op->getLoc(), inputs[0], getDims(type));
}

namespace {
struct MeetTransposes : graph::impl::MeetTransposesBase<MeetTransposes> {
  void runOnOperation() override {
    getOperation().walk([&](TransposeOp op) {
      Value input = op.getInput();
      if (!isKnownType(op.getType()) || input.getDefiningOp<TransposeOp>() ||
          !meets(input, op.getPermutation()))
        return;
      OpBuilder builder(op);
      op.replaceAllUsesWith(transpose(builder, input, op.getPermutation()));
      ++met;
    });
    for (Block &block : getOperation().getBody())
      eraseDead(block);
  }
};
} // namespace
