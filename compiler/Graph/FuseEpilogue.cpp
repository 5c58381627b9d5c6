// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves element-wise operations after a matmul into its epilogue.
#include "compiler/Graph/ByteNumbers.h"
#include "compiler/Graph/ConstantMatch.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_FUSEEPILOGUE
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

/// An epilogue longer than this costs more in the inner loop's registers than a pass over the result.
static constexpr size_t kMaxOperations = 32;

namespace {
/// The element-wise operations that follow one matmul, in block order, as long as they form a group that is
/// entered through the matmul alone and left through the last operation alone. So nothing outside the group
/// depends on the matmul but through the group's result, and a capture can never depend on the sum.
class EpilogueGroup {
public:
  explicit EpilogueGroup(MatmulOp matmul) : matmul(matmul), shape(*getDims(matmul.getResult())) { grow(); }

  bool empty() const { return operations.empty(); }
  size_t size() const { return operations.size(); }
  void fuse(IRRewriter &rewriter);

private:
  Value continueEpilogue(IRRewriter &rewriter, Block *body);
  void takeInBytes();
  void grow();
  bool mayJoin(Operation *op) const;
  bool isCapture(Value value) const;
  bool isInside(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && (op == matmul || operations.contains(op) || repeated.contains(op));
  }
  /// Whether all values but the last operation's stay inside.
  bool isClosed() const;

  MatmulOp matmul;
  SmallVector<Dim> shape;
  llvm::SetVector<Operation *> operations;
  llvm::SetVector<Operation *> repeated; ///< what makes numbers of bytes that are captured
};
} // namespace

/// Whether a value can be read element by element: splats become numbers, others must broadcast without
/// doubt.
bool EpilogueGroup::isCapture(Value value) const {
  if (isCompact(getElementTypeOrSelf(value)))
    return false;
  auto dims = getDims(value);
  return dims && provablyBroadcastsTo(*dims, shape);
}

bool EpilogueGroup::mayJoin(Operation *op) const {
  if (!isElementwise(op) || op->getBlock() != matmul->getBlock())
    return false;
  auto dims = getDims(op->getResult(0));
  return dims && provablyEqualShapes(*dims, shape) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isInside(operand) || isCapture(operand);
         });
}

bool EpilogueGroup::isClosed() const {
  auto staysInside = [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) { return operations.contains(user); });
  };
  return staysInside(matmul) && llvm::all_of(ArrayRef(operations.getArrayRef()).drop_back(), staysInside);
}

/// Whether a kernel writes such elements of such a product.
static bool canYield(MatmulOp matmul, Type element) {
  return element == getElementTypeOrSelf(matmul.getResult()) ||
         (matmul.multipliesBytes() && (element.isF32() || element.isInteger(8)));
}

void EpilogueGroup::grow() {
  auto isLater = [](Operation *left, Operation *right) { return right->isBeforeInBlock(left); };
  SmallVector<Operation *> pending(matmul->getUsers());
  size_t best = 0;
  while (!pending.empty() && operations.size() < kMaxOperations) {
    llvm::sort(pending, isLater);
    Operation *next = pending.pop_back_val();
    if (operations.contains(next))
      continue;
    if (!mayJoin(next)) // it reads a value of the group from outside, and so would it for any larger group
      break;
    operations.insert(next);
    llvm::append_range(pending, next->getUsers());
    if (canYield(matmul, getElementTypeOrSelf(next->getResult(0))) && isClosed())
      best = operations.size();
  }
  while (operations.size() > best)
    operations.pop_back();
}

/// The operations that make numbers of bytes by splats, in order; none if a value is no such number.
static SmallVector<Operation *> findMakers(Value value) {
  std::optional<ByteNumbers> numbers = matchByteNumbers(value);
  SmallVector<Operation *> makers;
  if (!numbers || (numbers->zero && !getSplatElement(numbers->zero)) ||
      (numbers->scale && !getSplatElement(numbers->scale)))
    return makers;
  for (; value != numbers->bytes; value = makers.front()->getOperand(0))
    makers.insert(makers.begin(), value.getDefiningOp());
  return makers;
}

/// Bytes are captured in place of numbers that are made of them, which are four times as long: an addend
/// that a quantized model has from an earlier layer.
void EpilogueGroup::takeInBytes() {
  for (Operation *op : operations)
    for (Value operand : op->getOperands()) {
      if (isInside(operand))
        continue;
      SmallVector<Operation *> makers = findMakers(operand);
      if (!makers.empty() && isCapture(makers.front()->getOperand(0)))
        repeated.insert_range(makers);
    }
}

/// A splat's element as a scalar constant; unsigned integers are signless there.
static Value makeScalar(IRRewriter &rewriter, Value splat) {
  TypedAttr element = getSplatElement(splat);
  if (auto integer = dyn_cast<IntegerAttr>(element))
    element = IntegerAttr::get(getScalarType(integer.getType()), integer.getValue());
  return arith::ConstantOp::create(rewriter, splat.getLoc(), element);
}

/// What the matmul gives for an element: the sum, or what the epilogue that it has makes of it, which moves
/// to `body`, the new one.
Value EpilogueGroup::continueEpilogue(IRRewriter &rewriter, Block *body) {
  if (matmul.getEpilogue().empty())
    return body->addArgument(getElementTypeOrSelf(matmul.getType()), matmul.getLoc());
  Block &old = matmul.getEpilogue().front();
  SmallVector<Value> arguments;
  for (BlockArgument argument : old.getArguments())
    arguments.push_back(body->addArgument(argument.getType(), argument.getLoc()));
  Value result = old.getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(result))
    result = arguments[argument.getArgNumber()];
  rewriter.eraseOp(old.getTerminator());
  rewriter.mergeBlocks(&old, body, arguments);
  return result;
}

/// The matmul with the group in its region, where the group's last operation was: all captures dominate that.
void EpilogueGroup::fuse(IRRewriter &rewriter) {
  takeInBytes();
  SmallVector<Operation *> all(repeated.getArrayRef());
  llvm::append_range(all, operations);
  SmallVector<Value> captures(matmul.getCaptures());
  for (Operation *op : all)
    for (Value operand : op->getOperands())
      if (!isInside(operand) && !getSplatElement(operand) && !llvm::is_contained(captures, operand))
        captures.push_back(operand);
  Operation *last = operations.back();
  rewriter.setInsertionPoint(last);
  SmallVector<Location> locations{matmul.getLoc()};
  for (Operation *op : operations)
    locations.push_back(op->getLoc());
  Location location = rewriter.getFusedLoc(locations);
  auto type = getTensorType(shape, getElementTypeOrSelf(last->getResult(0)));
  auto fused = MatmulOp::create(rewriter, location, type, matmul.getLhs(), matmul.getRhs(), captures,
                                matmul.getPackedColumnsAttr(), matmul.getGroupsAttr(),
                                matmul.getF32SumsAttr(), matmul.getTf32Attr());
  fused->setDiscardableAttrs(matmul->getDiscardableAttrDictionary());

  Block *body = rewriter.createBlock(&fused.getEpilogue());
  IRMapping scalars;
  scalars.map(matmul.getResult(), continueEpilogue(rewriter, body));
  size_t had = matmul.getCaptures().size();
  for (auto [capture, argument] : llvm::zip(captures, body->getArguments().slice(1, had)))
    scalars.map(capture, argument);
  for (Value capture : ArrayRef(captures).drop_front(had))
    scalars.map(capture, body->addArgument(getScalarType(getElementTypeOrSelf(capture)), capture.getLoc()));
  rewriter.setInsertionPointToEnd(body);
  for (Operation *op : all) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!scalars.contains(operand))
        scalars.map(operand, makeScalar(rewriter, operand));
      operands.push_back(scalars.lookup(operand));
    }
    // Every one of them is element-wise, which is all that the builder asks for.
    scalars.map(op->getResult(0), *buildScalarBody(rewriter, op, operands));
  }
  YieldOp::create(rewriter, location, scalars.lookup(last->getResult(0)));
  rewriter.replaceAllUsesWith(last->getResult(0), fused);
  for (Operation *op : llvm::reverse(operations))
    rewriter.eraseOp(op);
  for (Operation *op : llvm::reverse(repeated))
    if (op->use_empty())
      rewriter.eraseOp(op);
  rewriter.eraseOp(matmul);
}

namespace {
struct FuseEpilogue : graph::impl::FuseEpilogueBase<FuseEpilogue> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<MatmulOp> matmuls;
    getOperation().walk([&](MatmulOp matmul) { matmuls.push_back(matmul); });
    for (MatmulOp matmul : matmuls) {
      // An epilogue's first argument has the product's element type, and arith knows no unsigned ones.
      if (!getDims(matmul.getResult()) || getElementTypeOrSelf(matmul.getResult()).isUnsignedInteger())
        continue;
      EpilogueGroup group(matmul);
      if (group.empty())
        continue;
      fused += group.size();
      group.fuse(rewriter);
    }
  }
};
} // namespace
