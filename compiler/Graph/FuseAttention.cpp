// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes one attention of a product, a softmax of its rows, and a product with that. What was done to the
// scores between the two is an epilogue by now, and becomes the score region as it stands: scales, masks and
// biases of any kind need no patterns of their own.
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_FUSEATTENTION
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

namespace {
/// weights = softmax(scores(query, transposed key)), result = context(weights, value).
struct AttentionParts {
  MatmulOp scores, context;
  SoftmaxOp softmax;
};

struct FuseSoftmaxOfProduct : OpRewritePattern<MatmulOp> {
  FuseSoftmaxOfProduct(MLIRContext *context, Pass::Statistic &fused)
      : OpRewritePattern(context), fused(fused) {}
  LogicalResult matchAndRewrite(MatmulOp context, PatternRewriter &rewriter) const override;
  Pass::Statistic &fused;
};
} // namespace

/// Why the products and the softmax between them are no attention; empty if they are.
static StringRef findObstacle(AttentionParts parts) {
  auto [scores, context, softmax] = parts;
  if (!softmax || !scores)
    return "it does not multiply the softmax of a product";
  if (!softmax->hasOneUse() || !scores->hasOneUse())
    return "the scores or the weights have another user";
  if (scores.getPackedColumns() || context.getPackedColumns() || !context.getEpilogue().empty())
    return "an operand is packed, or the result has an epilogue";
  Type element = getElementTypeOrSelf(context.getType());
  if (!element.isF32() && !element.isF64())
    return "the scores are rounded to 16 bits";
  for (Value value :
       {scores.getLhs(), scores.getRhs(), context.getRhs(), scores.getResult(), context.getResult()})
    if (!isKnownType(value.getType()))
      return "a shape is not known";
  auto query = *getDims(scores.getLhs()), key = *getDims(scores.getRhs()), value = *getDims(context.getRhs());
  size_t rank = query.size();
  if (rank < 2 || rank > 4 || key.size() != rank || value.size() != rank)
    return "query, key and value are not of one rank from 2 to 4";
  if (uint64_t(softmax.getAxis()) + 1 != rank)
    return "the softmax is not along the keys";
  auto batchOf = [](ArrayRef<Dim> dims) { return dims.drop_back(2); };
  if (!provablyEqualShapes(batchOf(query), batchOf(key)) ||
      !provablyEqualShapes(batchOf(key), batchOf(value)))
    return "the batches may differ";
  return key[rank - 1] == value[rank - 2] ? "" : "keys and values may differ in length";
}

/// Dims of 1 before the last two, or three, until there are four: a batch of matrices is a batch of one head.
static Value raiseRank(PatternRewriter &rewriter, Value value, size_t matrixRank) {
  SmallVector<Dim> dims = *getDims(value);
  Dim one = Dim::constant(rewriter.getContext(), 1);
  if (matrixRank == 3 && dims.size() == 3)
    dims.insert(dims.begin() + 1, one);
  while (matrixRank == 2 && dims.size() == 2)
    dims.insert(dims.begin(), {one, one});
  return makeReshape(rewriter, value.getLoc(), value, dims);
}

/// The epilogue of the scores, with the places that a score region gets, too; and every score is kept.
static void moveEpilogue(MatmulOp scores, AttentionOp attention, PatternRewriter &rewriter) {
  if (scores.getEpilogue().empty())
    return;
  rewriter.inlineRegionBefore(scores.getEpilogue(), attention.getScore(), attention.getScore().end());
  Block &body = attention.getScore().front();
  constexpr unsigned kPlaces = 4; // batch, head, query and key
  for (unsigned i = 0; i < kPlaces; ++i)
    body.insertArgument(1 + i, rewriter.getIndexType(), scores.getLoc());
  Operation *yield = body.getTerminator();
  rewriter.setInsertionPoint(yield);
  Value keep = arith::ConstantOp::create(rewriter, yield->getLoc(), rewriter.getBoolAttr(true));
  rewriter.replaceOpWithNewOp<YieldOp>(yield, ValueRange{yield->getOperand(0), keep});
}

LogicalResult FuseSoftmaxOfProduct::matchAndRewrite(MatmulOp context, PatternRewriter &rewriter) const {
  AttentionParts parts{{}, context, context.getLhs().getDefiningOp<SoftmaxOp>()};
  if (parts.softmax)
    parts.scores = parts.softmax.getInput().getDefiningOp<MatmulOp>();
  if (StringRef obstacle = findObstacle(parts); !obstacle.empty())
    return rewriter.notifyMatchFailure(context, obstacle);
  MatmulOp scores = parts.scores;
  size_t rank = getDims(scores.getLhs())->size();
  auto raise = [&](Value value) { return raiseRank(rewriter, value, rank); };
  SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swapped[rank - 1], swapped[rank - 2]);
  Value query = raise(scores.getLhs()), value = raise(context.getRhs());
  Value key = raise(makeTranspose(rewriter, scores.getLoc(), scores.getRhs(), swapped));
  SmallVector<Value> captures = llvm::map_to_vector(scores.getCaptures(), raise);

  SmallVector<Dim> dims = *getDims(query);
  dims.back() = getDims(value)->back();
  Location location = rewriter.getFusedLoc({parts.softmax.getLoc(), scores.getLoc(), context.getLoc()});
  auto attention = AttentionOp::create(rewriter, location, getTensorType(dims, getElementTypeOrSelf(value)), /*weights=*/Type(),
                                       query, key, value, captures, APFloat(1.0), EmptyRows::NaN);
  moveEpilogue(scores, attention, rewriter);
  rewriter.setInsertionPointAfter(attention);
  rewriter.replaceOp(context, makeReshape(rewriter, location, attention.getResult(), *getDims(context.getResult())));
  rewriter.eraseOp(parts.softmax);
  rewriter.eraseOp(scores);
  ++fused;
  return success();
}

namespace {
struct FuseAttention : graph::impl::FuseAttentionBase<FuseAttention> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseSoftmaxOfProduct>(&getContext(), fused);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
