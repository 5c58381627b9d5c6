// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-expand-bf16: conversions of bf16 as arithmetic of f32 and of bits.
#include "compiler/Target/CPU/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace weft::cpu {
#define GEN_PASS_DEF_EXPANDBF16
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace weft::cpu

/// The type of f32 in the shape of another.
static Type asF32(Type type) {
  Type element = Float32Type::get(type.getContext());
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

namespace {
/// From integers by way of f32. (The canonicalizer takes that way out.)
template <typename Op> struct FromInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not bf16");
    Value single = Op::create(rewriter, op.getLoc(), asF32(op.getType()), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), single);
    return success();
  }
};

template <typename Op> struct ToInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not bf16");
    Value single = arith::ExtFOp::create(rewriter, op.getLoc(), asF32(op.getIn().getType()), op.getIn());
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), single);
    return success();
  }
};

/// What only moves is moved as bits: code generation takes a single bf16 through f32, by calls.
struct SelectBits : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isBF16())
      return rewriter.notifyMatchFailure(op, "not a single bf16");
    auto bitsOf = [&](Value value) {
      return arith::BitcastOp::create(rewriter, op.getLoc(), rewriter.getI16Type(), value);
    };
    Value bits = arith::SelectOp::create(rewriter, op.getLoc(), op.getCondition(), bitsOf(op.getTrueValue()),
                                         bitsOf(op.getFalseValue()));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};

struct ExpandBF16 : weft::cpu::impl::ExpandBF16Base<ExpandBF16> {
  using ExpandBF16Base::ExpandBF16Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SelectBits, FromInteger<arith::SIToFPOp>, FromInteger<arith::UIToFPOp>,
                 ToInteger<arith::FPToSIOp>, ToInteger<arith::FPToUIOp>>(&getContext());
    if (fromF32)
      arith::populateExpandBFloat16Patterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("weft-expand-bf16: the patterns do not come to an end");
      signalPassFailure();
    }
  }
};
} // namespace
