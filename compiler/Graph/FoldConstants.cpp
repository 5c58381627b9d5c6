// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates operations whose operands are all constant.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/ConstantEvaluation.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/DequantizedWeights.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_FOLDCONSTANTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

static int64_t countElements(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

/// A product of constants takes every run as long as a whole layer may (DeBERTa's positions, which each layer
/// projects): it is worth 32 times the work of other operations, a third of a second at most.
static constexpr int64_t kWorthOfProduct = 32;

/// A filter of a convolution may be large: 37 MB in the head of a ResNet, 33 MB where Wav2Vec2 adds
/// positions.
static constexpr int64_t kWorthOfTranspose = 4;

/// How many elements the evaluator handles: that bounds the time, as the cap on bytes bounds the space.
static int64_t getWork(Operation *op) {
  int64_t result = countElements(op->getResult(0));
  return TypeSwitch<Operation *, int64_t>(op)
      .Case([&](MatmulOp matmul) {
        return llvm::SaturatingMultiply<uint64_t>(
                   result, cast<ShapedType>(matmul.getLhs().getType()).getShape().back()) /
               kWorthOfProduct;
      })
      .Case([&](ConvOp conv) {
        int64_t outputs = cast<ShapedType>(conv.getFilter().getType()).getDimSize(0);
        return llvm::SaturatingMultiply<uint64_t>(result, countElements(conv.getFilter()) /
                                                              std::max<int64_t>(outputs, 1));
      })
      .Default([&](Operation *) {
        int64_t work = result;
        for (Value operand : op->getOperands())
          work = std::max(work, countElements(operand));
        return work;
      });
}

/// A transposed matrix that only right-hand sides of matmul read, whose rows are not constant as well, or
/// matrices that rows are routed to: weft-pack-weights transposes while it packs. Or one of numbers that are
/// packed as they are.
static bool isLeftToPacking(Operation *op) {
  if (auto dequantize = dyn_cast<DequantizeOp>(op))
    return isReadAsGroups(dequantize);
  if (isTranspositionOfMatrices(op) && !op->use_empty() && llvm::all_of(op->getUses(), isRoutedWeight))
    return true;
  if (!isMatrixTransposition(op) || !getElementTypeOrSelf(op->getResult(0)).isF32())
    return false;
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto matmul = dyn_cast<MatmulOp>(use.getOwner());
    return matmul && use.getOperandNumber() == 1 && !matmul.getLhs().getDefiningOp<ConstantOp>();
  });
}

/// Matrices of few bits of which each row gets one: weft-route-products may leave them to packing.
static bool isGathered(Operation *op) {
  auto dequantize = dyn_cast<DequantizeOp>(op);
  return dequantize && canBeGroups(dequantize) && llvm::all_of(op->getUses(), [](OpOperand &use) {
           return isa<GatherOp, GatherNDOp>(use.getOwner()) && use.getOperandNumber() == 0;
         });
}

/// What scales and zero points of a weight that is left to packing, which is larger than they are, come by;
/// and a weight that is not left to it, since nothing else reads its numbers.
static bool isPartOfDequantize(Operation *op) {
  if (isa<DequantizeOp>(op))
    return true;
  return isa<CastOp, AddOp, TransposeOp, UnsqueezeOp, ExpandOp>(op) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), isPartOfDequantize);
}

/// A reshaped constant is the same data under another type.
static bool foldReshape(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape || reshape.getShape())
    return false;
  auto type = cast<RankedTensorType>(reshape.getType());
  Attribute value = reshape.getInput().getDefiningOp<ConstantOp>().getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    value = dense.reshape(type);
  OpBuilder builder(op);
  Value constant = ConstantOp::create(builder, op->getLoc(), type, value);
  op->getResult(0).replaceAllUsesWith(constant);
  op->erase();
  return true;
}

namespace {
struct FoldConstants : graph::impl::FoldConstantsBase<FoldConstants> {
  using FoldConstantsBase::FoldConstantsBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    for (Block *body : getBodies(getOperation()))
      if (failed(fold(*body)))
        return signalPassFailure();
    eraseDead(getOperation().front());
  }

private:
  LogicalResult fold(Block &body) {
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
      if (!hasConstantOperands(&op) || isLeftToPacking(&op) || (leavesGathered && isGathered(&op)))
        continue;
      if (!foldReshape(&op)) {
        if (!isWithinCap(&op) && !isPartOfDequantize(&op))
          continue;
        FailureOr<Value> constant = evaluateToConstant(&op);
        if (failed(constant))
          return failure();
        op.getResult(0).replaceAllUsesWith(*constant);
        op.erase();
      }
      ++folded;
    }
    return success();
  }

  bool isWithinCap(Operation *op) {
    // It takes the place of what nothing else reads: large filters of convolutions get channels last.
    if (isa<TransposeOp>(op) && !isMatrixTransposition(op) && op->getOperand(0).hasOneUse())
      return getWork(op) <= kWorthOfTranspose * cap;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return type.getNumElements() <= cap / getElementBytes(type.getElementType()) && getWork(op) <= cap;
  }
};
} // namespace
