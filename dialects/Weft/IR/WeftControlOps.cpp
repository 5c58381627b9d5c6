// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control: inference, constraints and canonical form of loop.
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace weft;

#define GET_OP_CLASSES
#include "dialects/Weft/IR/WeftControlOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// Whether the body's arguments are what the operands are.
static LogicalResult verifyArguments(LoopOp op) {
  auto carried = llvm::concat<Value>(op.getStates(), op.getCaptures());
  SmallVector<Type> types{RankedTensorType::get({}, IntegerType::get(op.getContext(), 64))};
  llvm::append_range(types, llvm::map_range(carried, [](Value value) { return value.getType(); }));
  TypeRange given = op.getBody().getArgumentTypes();
  if (given.size() != types.size())
    return op.emitOpError() << "loop-c1: expects a body with " << types.size()
                            << " arguments: the iteration, states and captures; got " << given.size();
  for (auto [i, type] : llvm::enumerate(types))
    if (given[i] != type)
      return op.emitOpError() << "loop-c1: expects argument " << i << " of the body to be "
                              << describeType(type) << ", got " << describeType(given[i]);
  return success();
}

/// How many iterations there are; null if that is not known, an error if nothing says it.
static FailureOr<Dim> inferCount(LoopOp op, InferContext &context) {
  if (op.getCount() && Dim(*op.getCount()).getConstant().value_or(0) < 0)
    return op.emitOpError() << "loop-c2: expects a count of 0 or more, got "
                            << Dim(*op.getCount()).toString();
  if (op.getCount())
    return Dim(*op.getCount());
  auto trips = dyn_cast_or_null<ShapedType>(op.getTrips() ? op.getTrips().getType() : Type());
  if (!trips || (trips.hasStaticShape() && trips.getNumElements() != 1))
    return op.emitOpError("loop-c2: expects a count, or trips of one element");
  auto known = context.contents(op.getTrips());
  Dim none = Dim::constant(op.getContext(), 0);
  return known && known->size() == 1 ? Dim::max(known->front(), none) : Dim();
}

/// Whether what the body yields for a state may be that state.
static LogicalResult verifyState(LoopOp op, InferContext &context, size_t number) {
  Value state = op.getStates()[number], next = op.getYielded()[number];
  auto dims = getDims(state), nextDims = getDims(next);
  bool isAlike = getElementTypeOrSelf(state) == getElementTypeOrSelf(next);
  if (isAlike && dims && nextDims)
    isAlike = dims->size() == nextDims->size() && llvm::all_of(llvm::zip(*dims, *nextDims), [&](auto pair) {
                return requireEqual(context, op, std::get<0>(pair), std::get<1>(pair));
              });
  if (isAlike)
    return success();
  return op.emitOpError() << "loop-c3: expects a body that keeps the type of state " << number
                          << ", which is " << describeType(state.getType()) << ", got "
                          << describeType(next.getType());
}

Value LoopOp::getCaptured(BlockArgument argument) {
  unsigned first = 1 + getStates().size();
  return argument.getArgNumber() < first ? Value() : Value(getCaptures()[argument.getArgNumber() - first]);
}

LogicalResult LoopOp::inferTypes(InferContext &context, SmallVectorImpl<Type> &types) {
  auto yield = getBlock().empty() ? YieldOp() : dyn_cast<YieldOp>(getBlock().back());
  if (!yield || yield.getNumOperands() < getStates().size() || yield.getNumOperands() != getNumResults() ||
      getNumResults() == 0 || !llvm::all_of(yield.getOperandTypes(), llvm::IsaPred<TensorType>))
    return emitOpError("loop-c1: expects a body that yields a tensor for each result, the states first");
  FailureOr<Dim> count = inferCount(*this, context);
  if (failed(count) || failed(verifyArguments(*this)))
    return failure();
  for (size_t i = 0; i < getStates().size(); ++i) {
    if (failed(verifyState(*this, context, i)))
      return failure();
    types.push_back(getStates()[i].getType());
  }
  for (Value left : getYielded().drop_front(getStates().size())) {
    auto dims = getDims(left);
    if (dims)
      dims->insert(dims->begin(), *count);
    Type element = getElementTypeOrSelf(left);
    types.push_back(dims ? Type(getTensorType(context, *dims, element)) : UnrankedTensorType::get(element));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

namespace {
/// Constants are the body's own, and what it does not read it does not capture.
struct DropCaptures : OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopOp op, PatternRewriter &rewriter) const override {
    bool isChanged = false;
    for (unsigned i = op.getCaptures().size(); i-- > 0;) {
      BlockArgument argument = op.getBodyCaptures()[i];
      auto constant = op.getCaptures()[i].getDefiningOp<ConstantOp>();
      if (!constant && !argument.use_empty())
        continue;
      if (constant && !argument.use_empty()) {
        rewriter.setInsertionPointToStart(&op.getBlock());
        rewriter.replaceAllUsesWith(argument, rewriter.clone(*constant)->getResult(0));
      }
      rewriter.modifyOpInPlace(op, [&] {
        op.getBlock().eraseArgument(argument.getArgNumber());
        op.getCapturesMutable().erase(i);
      });
      isChanged = true;
    }
    return success(isChanged);
  }
};

/// A state that stays what it is, as the operands of other exporters' loops are, is captured.
struct CaptureInvariant : OpRewritePattern<LoopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoopOp op, PatternRewriter &rewriter) const override {
    auto isInvariant = [&](BlockArgument state) {
      return op.getYielded()[state.getArgNumber() - 1] == state;
    };
    auto found = llvm::find_if(op.getBodyStates(), isInvariant);
    if (found == op.getBodyStates().end())
      return failure();
    unsigned number = found->getArgNumber() - 1;
    Value state = op.getStates()[number];
    Block &block = op.getBlock();
    rewriter.modifyOpInPlace(op, [&] {
      op.getCapturesMutable().append(state);
      rewriter.replaceAllUsesWith(*found, block.addArgument(state.getType(), op.getLoc()));
      block.getTerminator()->eraseOperand(number);
      block.eraseArgument(number + 1);
      op.getStatesMutable().erase(number);
    });
    SmallVector<Type> types(op.getResultTypes());
    types.erase(types.begin() + number);
    if (types.empty()) {
      rewriter.replaceOp(op, state);
      return success();
    }
    auto rebuilt = LoopOp::create(rewriter, op.getLoc(), types, op.getTrips(), op.getStates(),
                                  op.getCaptures(), op.getCountAttr());
    rebuilt->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rebuilt.getBody().takeBody(op.getBody());
    SmallVector<Value> results(rebuilt.getResults());
    results.insert(results.begin() + number, state);
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void LoopOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropCaptures, CaptureInvariant>(context);
}
