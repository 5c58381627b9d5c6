// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds GELU in the operations that exporters write it with.
#include "compiler/Graph/ConstantMatch.h"
#include "compiler/Graph/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_RECOGNIZEGELU
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

namespace {
/// A value as number * factors[0] * factors[1] * ...
struct Product {
  double number = 1;
  SmallVector<Value> factors;

  bool isOnly(Value value) const { return factors.size() == 1 && factors.front() == value; }
  /// Takes one factor away; false if it is not there.
  bool take(Value value) {
    auto *it = llvm::find(factors, value);
    if (it == factors.end())
      return false;
    factors.erase(it);
    return true;
  }
};
} // namespace

/// Longer products than this are no GELU; it also bounds the walk, which would double at each x * x.
static constexpr size_t kMaxFactors = 8;

/// Multiplies `product` by a value, through products, quotients by numbers, and third powers.
static void multiplyBy(Product &product, Value value) {
  if (product.factors.size() > kMaxFactors)
    return;
  if (std::optional<double> number = getSplatNumber(value)) {
    product.number *= *number;
  } else if (auto mul = value.getDefiningOp<MulOp>()) {
    multiplyBy(product, mul.getLhs());
    multiplyBy(product, mul.getRhs());
  } else if (auto div = value.getDefiningOp<DivOp>(); div && getSplatNumber(div.getRhs()).value_or(0) != 0) {
    multiplyBy(product, div.getLhs());
    product.number /= *getSplatNumber(div.getRhs());
  } else if (auto pow = value.getDefiningOp<PowOp>(); pow && getSplatNumber(pow.getRhs()) == 3.0) {
    for (int i = 0; i < 3; ++i)
      multiplyBy(product, pow.getLhs());
  } else {
    product.factors.push_back(value);
  }
}

static Product asProduct(Value value) {
  Product product;
  multiplyBy(product, value);
  return product;
}

/// The other operand of `number + value`.
static Value plusNumber(Value value, double number) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return nullptr;
  if (getSplatNumber(add.getLhs()) == number)
    return add.getRhs();
  return getSplatNumber(add.getRhs()) == number ? add.getLhs() : nullptr;
}

/// Whether a product is number * x^power.
static bool isPower(const Product &product, double number, Value x, size_t power, Type element) {
  return isAbout(product.number, number, element) && product.factors.size() == power &&
         llvm::all_of(product.factors, [&](Value factor) { return factor == x; });
}

/// x + 0.044715 x^3 as a sum.
static bool isCubicSum(Value value, Value x, Type element) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return false;
  auto isCube = [&](Value term) { return isPower(asProduct(term), 0.044715, x, 3, element); };
  return (add.getLhs() == x && isCube(add.getRhs())) || (add.getRhs() == x && isCube(add.getLhs()));
}

/// sqrt(2/pi) * (x + 0.044715 x^3), also as sqrt(2/pi) * x * (1 + 0.044715 x^2).
static bool isTanhArgument(Value value, Value x, Type element) {
  Product product = asProduct(value);
  if (!isAbout(product.number, 0.79788456080286535588, element))
    return false;
  if (product.factors.size() == 1)
    return isCubicSum(product.factors.front(), x, element);
  if (!product.take(x) || product.factors.size() != 1)
    return false;
  Value square = plusNumber(product.factors.front(), 1);
  return square && isPower(asProduct(square), 0.044715, x, 2, element);
}

static std::optional<GeluForm> getForm(Value inner, Value x, Type element) {
  if (auto erf = inner.getDefiningOp<ErfOp>())
    if (isPower(asProduct(erf.getInput()), 0.70710678118654752440, x, 1, element))
      return GeluForm::Erf;
  if (auto tanh = inner.getDefiningOp<TanhOp>())
    if (isTanhArgument(tanh.getInput(), x, element))
      return GeluForm::Tanh;
  return std::nullopt;
}

/// Whether a value on the way from x to the result is used by something else, too, and so has to be kept.
static bool isUsedElsewhere(Operation *result, Value x) {
  llvm::SetVector<Operation *> inner;
  inner.insert(result);
  for (size_t i = 0; i < inner.size(); ++i)
    for (Value operand : inner[i]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && operand != x && !getSplatNumber(operand))
        inner.insert(op);
  return llvm::any_of(inner, [&](Operation *op) {
    return op != result &&
           llvm::any_of(op->getUsers(), [&](Operation *user) { return !inner.contains(user); });
  });
}

namespace {
/// x/2 * (1 + f(x)) => gelu(x), where the product is written as Op.
template <typename Op> struct RecognizeProduct : OpRewritePattern<Op> {
  RecognizeProduct(MLIRContext *context, Pass::Statistic &recognized)
      : OpRewritePattern<Op>(context), recognized(recognized) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    Product product = asProduct(op.getResult());
    if (product.factors.size() != 2 || !isAbout(product.number, 0.5, element))
      return rewriter.notifyMatchFailure(op, "not 1/2 times two factors");
    for (int i = 0; i < 2; ++i) {
      Value x = product.factors[i], inner = plusNumber(product.factors[1 - i], 1);
      std::optional<GeluForm> form = inner ? getForm(inner, x, element) : std::nullopt;
      if (!form)
        continue;
      if (x.getType() != op.getType())
        return rewriter.notifyMatchFailure(op, "a number's shape enlarges the result");
      if (isUsedElsewhere(op, x))
        return rewriter.notifyMatchFailure(op, "an intermediate value has another user");
      rewriter.replaceOpWithNewOp<GeluOp>(op, op.getType(), x, *form);
      ++recognized;
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no factor is 1 plus erf or tanh of the other's terms");
  }
  Pass::Statistic &recognized;
};

struct RecognizeGelu : graph::impl::RecognizeGeluBase<RecognizeGelu> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RecognizeProduct<MulOp>, RecognizeProduct<DivOp>>(&getContext(), recognized);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
