// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-meet-transposes: a transpose moves to those that it becomes one with, through what is between them.
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_MEETTRANSPOSES
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

/// Operations between transposes that are followed.
static constexpr size_t kMostOperations = 64;

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

/// What an operation's operands, those of the result's dims, are permuted by, if that is done before it.
static std::optional<Permutation> permuteBefore(Operation *op, ArrayRef<int64_t> permutation) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return reshape.getShape() ? std::nullopt : permuteBefore(reshape, permutation);
  auto slice = dyn_cast<SliceOp>(op);
  auto gather = dyn_cast<GatherOp>(op);
  bool isFollowed = slice    ? bool(slice.getOffsets())
                    : gather ? getDims(gather.getIndices())->size() == 1
                             : isa<ConcatOp>(op) || (isElementwise(op) && op->getNumResults() == 1);
  return isFollowed ? std::optional(Permutation(permutation)) : std::nullopt;
}

/// Whether an operand costs nothing to transpose, with 1 for the dims that it may lack: it is one number, or
/// numbers in a row. A reshape's is transposed as what it is made of.
static bool isFree(Operation *op, Value value) {
  if (isa<ReshapeOp>(op))
    return false;
  auto isLong = [](Dim dim) { return dim.getConstant() != 1; };
  auto expand = value.getDefiningOp<ExpandOp>();
  return (expand && getDims(expand.getInput())->empty()) || llvm::count_if(*getDims(value), isLong) <= 1;
}

namespace {
/// The transposes before a transpose, and what is between.
class Meeting {
public:
  /// Whether there are such, and all that is between can be done transposed.
  static std::optional<Meeting> find(TransposeOp last) {
    Meeting meeting(last);
    if (!meeting.visit(last.getInput(), last.getPermutation()) || !meeting.pays())
      return std::nullopt;
    return meeting;
  }

  /// Does what is between transposed. Who else uses a value of it gets that transposed back.
  void apply();

private:
  explicit Meeting(TransposeOp last) : last(last) {}
  /// Whether the value, permuted so, meets transposes. Where it does not, nothing can be made of `between`.
  bool visit(Value value, ArrayRef<int64_t> permutation);
  bool isOfUs(Operation *user) const;
  bool isForUs(Value value) const {
    return llvm::all_of(value.getUsers(), [&](Operation *user) { return isOfUs(user); });
  }
  bool pays() const;
  /// The value, permuted.
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  Value make(Operation *op, ArrayRef<int64_t> permutation);

  TransposeOp last;
  llvm::MapVector<Value, Permutation> between; ///< how each value is permuted
  llvm::MapVector<TransposeOp, Permutation>
      met; ///< the transposes before, and how what they give is permuted
  llvm::DenseMap<Value, Value> made;
};
} // namespace

/// How many of an operation's operands have the result's dims, from the first on.
static size_t countMoved(Operation *op) {
  return isa<ReshapeOp, SliceOp, GatherOp>(op) ? 1 : op->getNumOperands();
}

bool Meeting::visit(Value value, ArrayRef<int64_t> permutation) {
  Operation *op = value.getDefiningOp();
  if (auto inner = dyn_cast_if_present<TransposeOp>(op)) {
    met[inner] = Permutation(permutation);
    return true;
  }
  if (!op || op->getBlock() != last->getBlock() || !isKnownType(value.getType()) ||
      !llvm::all_of(op->getOperandTypes(), isKnownType))
    return false;
  if (auto known = between.find(value); known != between.end())
    return ArrayRef(known->second) == permutation;
  std::optional<Permutation> before = permuteBefore(op, permutation);
  if (!before || between.size() == kMostOperations)
    return false;
  between[value] = Permutation(permutation);
  bool meets = false;
  for (Value operand : op->getOperands().take_front(countMoved(op))) {
    if (isFree(op, operand))
      continue;
    if (before->size() != getDims(operand)->size() || !visit(operand, *before))
      return false;
    meets = true;
  }
  return meets;
}

/// Whether it is done transposed, too.
bool Meeting::isOfUs(Operation *user) const {
  return user == last || (user->getNumResults() == 1 && between.contains(user->getResult(0)));
}

/// One after the other, as one transpose.
static Permutation compose(TransposeOp inner, ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation, [&](int64_t dim) { return inner.getPermutation()[dim]; });
}

/// Whether there are fewer transposes than before, or as many, and nobody else needs what is between as it
/// was.
bool Meeting::pays() const {
  int64_t others = llvm::count_if(between, [&](const auto &each) { return !isForUs(each.first); });
  int64_t saved = 1 - others;
  for (const auto &[each, permutation] : met) {
    TransposeOp inner = each;
    saved += isForUs(inner) - !llvm::is_sorted(compose(inner, permutation)); // one in order is none
  }
  return others == 0 || saved > 0;
}

/// What is free with all dims of a result, permuted.
static Value makeFree(OpBuilder &builder, Value value, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Dim> dims(permutation.size() - type.getRank(), Dim::constant(builder.getContext(), 1));
  llvm::append_range(dims, getDims(type));
  SmallVector<Dim> permuted = llvm::map_to_vector(permutation, [&](int64_t dim) { return dims[dim]; });
  if (auto expand = value.getDefiningOp<ExpandOp>(); expand && getDims(expand.getInput())->empty())
    return makeExpand(builder, value.getLoc(), expand.getInput(), permuted);
  return makeReshape(builder, value.getLoc(), value, permuted);
}

void Meeting::apply() {
  last.replaceAllUsesWith(transpose(last.getInput(), last.getPermutation()));
  for (const auto &[value, permutation] : between) {
    if (isForUs(value))
      continue;
    Value transposed = made.at(value);
    OpBuilder builder(transposed.getContext());
    builder.setInsertionPointAfterValue(transposed);
    Value back = makeTranspose(builder, value.getLoc(), transposed, invertPermutation(permutation));
    Value(value).replaceUsesWithIf(back, [&](OpOperand &use) { return !isOfUs(use.getOwner()); });
  }
}

Value Meeting::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (auto inner = value.getDefiningOp<TransposeOp>()) {
    OpBuilder builder(inner);
    return makeTranspose(builder, inner.getLoc(), inner.getInput(), compose(inner, permutation));
  }
  if (auto known = made.find(value); known != made.end())
    return known->second;
  Value result = make(value.getDefiningOp(), permutation);
  made[value] = result;
  return result;
}

/// The operation once more, beside it, on permuted operands.
Value Meeting::make(Operation *op, ArrayRef<int64_t> permutation) {
  Permutation before = *permuteBefore(op, permutation);
  OpBuilder builder(op);
  SmallVector<Value> operands(op->getOperands());
  for (Value &operand : MutableArrayRef(operands).take_front(countMoved(op)))
    operand = isFree(op, operand) ? makeFree(builder, operand, before) : transpose(operand, before);
  RankedTensorType type = permuteType(cast<RankedTensorType>(op->getResult(0).getType()), permutation);
  auto axisOf = [&](int64_t axis) { return llvm::find(permutation, axis) - permutation.begin(); };
  if (auto slice = dyn_cast<SliceOp>(op)) {
    SmallVector<Dim> offsets;
    SmallVector<int64_t> strides;
    for (int64_t dim : permutation) {
      offsets.push_back(Dim(slice.getOffsets()->getDims()[dim]));
      strides.push_back(slice.getStrides()[dim]);
    }
    return SliceOp::create(builder, op->getLoc(), type, operands[0], Value(), Value(), Value(),
                           ArrayRef<int64_t>(), getDimsAttr(builder.getContext(), offsets), strides);
  }
  if (auto concat = dyn_cast<ConcatOp>(op))
    return ConcatOp::create(builder, op->getLoc(), type, operands, axisOf(concat.getAxis()));
  if (auto gather = dyn_cast<GatherOp>(op))
    return GatherOp::create(builder, op->getLoc(), type, operands[0], operands[1],
                            builder.getI64IntegerAttr(axisOf(gather.getAxis())));
  if (isa<ReshapeOp>(op))
    return makeReshape(builder, op->getLoc(), operands[0], getDims(type));
  return builder.create(op->getLoc(), op->getName().getIdentifier(), operands, {type}, op->getAttrs())
      ->getResult(0);
}

namespace {
struct MeetTransposes : graph::impl::MeetTransposesBase<MeetTransposes> {
  void runOnOperation() override {
    meetAll();
    // Those that met nothing may be of few channels, which have others then.
    bool areMixed = false;
    getOperation().walk([&](MatmulOp op) { areMixed |= mixFewChannels(op); });
    if (areMixed)
      meetAll();
  }

private:
  void meetAll() {
    getOperation().walk([&](TransposeOp op) {
      if (!isKnownType(op.getType()) || op.getInput().getDefiningOp<TransposeOp>())
        return;
      if (std::optional<Meeting> meeting = Meeting::find(op)) {
        meeting->apply();
        ++met;
      }
    });
    for (Block &block : getOperation().getBody())
      eraseDead(block);
  }
};
} // namespace
