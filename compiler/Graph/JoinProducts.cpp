// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-join-products: scores of the same queries and several sets of keys, beside each other (BigBird's
// blocks: Zaheer et al., arXiv 2007.14062), as scores of one set of keys.
#include "compiler/Graph/ConstantMatch.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_JOINPRODUCTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

namespace {
using Dims = SmallVector<Dim>;

/// A product whose rows may have been one dim of several: with dims [..., rows, columns] after the reshape.
struct Product {
  MatmulOp op;
  Value lhs; ///< before reshapes
  Dims rhs;  ///< dims of the right operand with a 1 for each dim that the rows were split into, but one
  double factor = 1; ///< of the product
  Value added;       ///< to the product; null if nothing is
};
} // namespace

static Value peelReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  return value;
}

/// A product that `wanted` are the dims of once its rows are split.
static std::optional<Product> takeProduct(MatmulOp op, ArrayRef<Dim> wanted) {
  if (!op || !op.getEpilogue().empty() || op.getPackedColumns() || !op.getResult().hasOneUse() ||
      !llvm::all_of(op->getOperandTypes(), isKnownType))
    return std::nullopt;
  Dims result = *getDims(op.getResult()), lhs = *getDims(op.getLhs()), rhs = *getDims(op.getRhs());
  if (lhs.size() < 2 || rhs.size() < 2 || lhs.size() != result.size() || result.size() > wanted.size())
    return std::nullopt;
  Product product;
  product.op = op, product.lhs = peelReshapes(op.getLhs());
  ArrayRef<Dim> batch = wanted.take_front(result.size() - 2);
  if (result.back() != wanted.back() || batch != ArrayRef(result).drop_back(2) ||
      batch != ArrayRef(lhs).drop_back(2))
    return std::nullopt;
  Dim one = Dim::constant(op.getContext(), 1);
  product.rhs.append(result.size() - rhs.size(), one);
  product.rhs.append(rhs.begin(), rhs.end() - 2);
  product.rhs.append(wanted.size() - result.size(), one);
  product.rhs.append(rhs.end() - 2, rhs.end());
  return product;
}

/// A value before reshapes that leave its last dim as it is.
static Value peelRowReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    auto from = getDims(reshape.getInput()), to = getDims(value);
    if (!from || !to || from->empty() || to->empty() || from->back() != to->back() || !value.hasOneUse())
      break;
    value = reshape.getInput();
  }
  return value;
}

/// [factor *] product [+ added], reshaped along the way.
static std::optional<Product> takeScores(Value value) {
  Dims dims = *getDims(value);
  auto takeFactor = [&](Value factored) -> std::optional<Product> {
    double factor = 1;
    Value of = peelRowReshapes(factored);
    while (std::optional<double> number = getConstantFactor(of.getDefiningOp())) {
      if (!of.hasOneUse())
        return std::nullopt;
      factor *= *number;
      of = peelRowReshapes(of.getDefiningOp()->getOperand(0));
    }
    std::optional<Product> product = takeProduct(of.getDefiningOp<MatmulOp>(), dims);
    if (product)
      product->factor = factor;
    return product;
  };
  auto sum = value.getDefiningOp<AddOp>();
  if (!sum || !value.hasOneUse())
    return takeFactor(value);
  for (unsigned side : {0, 1}) {
    Value added = sum->getOperand(1 - side);
    if (sum->getOperand(side).getType() != sum.getType() || !isKnownType(added.getType()))
      continue;
    if (std::optional<Product> product = takeFactor(sum->getOperand(side))) {
      product->added = added;
      return product;
    }
  }
  return std::nullopt;
}

/// Values with a dim each for those of `whole` that some have repeated, joined along one axis from the back.
static Value join(OpBuilder &builder, Location location, ArrayRef<Value> values, ArrayRef<Dim> whole,
                  size_t fromBack) {
  size_t rank = whole.size(), axis = rank - fromBack;
  SmallVector<Dims> shapes;
  for (Value value : values) {
    shapes.push_back(*getDims(value));
    shapes.back().insert(shapes.back().begin(), rank - shapes.back().size(),
                         Dim::constant(builder.getContext(), 1));
  }
  Dims dims(whole);
  for (size_t i = 0; i < rank; ++i)
    if (i != axis && llvm::all_of(shapes, [&](const Dims &shape) { return shape[i] == shapes[0][i]; }))
      dims[i] = shapes[0][i];
  SmallVector<Value> parts;
  for (auto [value, shape] : llvm::zip_equal(values, shapes)) {
    Value part = makeReshape(builder, location, value, shape);
    Dims expanded(dims);
    expanded[axis] = shape[axis];
    parts.push_back(makeExpand(builder, location, part, expanded));
  }
  return ConcatOp::create(builder, location, getTensorType(dims, getElementTypeOrSelf(values.front())), parts,
                          uint64_t(axis));
}

static Value multiply(OpBuilder &builder, Location location, Value lhs, Value rhs) {
  Dims dims = *getDims(lhs);
  dims.back() = getDims(rhs)->back();
  return MatmulOp::create(builder, location, getTensorType(dims, getElementTypeOrSelf(lhs)), lhs, rhs,
                          ValueRange(), IntegerAttr(), WeightGroupsAttr());
}

namespace {
class JoinProductsPattern : public OpRewritePattern<SoftmaxOp> {
public:
  JoinProductsPattern(MLIRContext *context, Pass::Statistic &joined)
      : OpRewritePattern(context), joined(joined) {}
  LogicalResult matchAndRewrite(SoftmaxOp softmax, PatternRewriter &rewriter) const override;

private:
  Pass::Statistic &joined;
};

/// The products in which parts of the weights, which make up all of them, weigh values; and their sum.
struct Context {
  SmallVector<Product> products; ///< in the order of the weights
  AddOp sum;
};
} // namespace

/// The one user of a value, after reshapes that leave the last dim as it is.
static Operation *getUser(Value &value) {
  while (value.hasOneUse()) {
    auto reshape = dyn_cast<ReshapeOp>(*value.user_begin());
    if (!reshape)
      return *value.user_begin();
    value = reshape.getResult();
  }
  return nullptr;
}

/// The sum that all of some values are added up in, and each once.
static AddOp findSum(ArrayRef<Value> values) {
  llvm::SmallPtrSet<Value, 8> left(values.begin(), values.end());
  SmallVector<Value> pending(values);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto sum = left.contains(value) && value.hasOneUse() ? dyn_cast<AddOp>(*value.user_begin()) : AddOp();
    if (!sum || sum.getLhs() == sum.getRhs() || !left.contains(sum.getLhs()) ||
        !left.contains(sum.getRhs()) || sum.getLhs().getType() != sum.getRhs().getType())
      continue;
    left.erase(sum.getLhs());
    left.erase(sum.getRhs());
    left.insert(sum.getResult());
    if (left.size() == 1)
      return sum;
    pending.push_back(sum.getResult());
  }
  return {};
}

static std::optional<Context> takeContext(SoftmaxOp softmax) {
  struct Part {
    Dim offset, size;
    Value result;
    Product product;
  };
  Dims weights = *getDims(softmax.getResult());
  SmallVector<Part> parts;
  for (Operation *user : softmax->getUsers()) {
    auto slice = dyn_cast<SliceOp>(user);
    std::optional<Dim> offset = slice ? getSliceOffset(slice, weights.size() - 1) : std::nullopt;
    if (!offset)
      return std::nullopt;
    Value part = slice.getResult();
    auto op = dyn_cast_or_null<MatmulOp>(getUser(part));
    if (!op || op.getLhs() != part || op.getRhs() == part)
      return std::nullopt;
    Dims wanted(weights);
    wanted.back() = getDims(op.getResult())->back();
    std::optional<Product> product = takeProduct(op, wanted);
    if (!product)
      return std::nullopt;
    Value result = op.getResult();
    getUser(result);
    if (*getDims(result) != wanted)
      return std::nullopt;
    parts.push_back({*offset, getDims(slice.getResult())->back(), result, *product});
  }
  Context context;
  Dim next = Dim::constant(softmax.getContext(), 0);
  for (size_t i = 0; i < parts.size(); ++i) {
    auto *part = llvm::find_if(parts, [&](const Part &part) { return part.offset == next; });
    if (part == parts.end())
      return std::nullopt;
    context.products.push_back(part->product);
    next = next + part->size;
  }
  context.sum = findSum(llvm::map_to_vector(parts, [](const Part &part) { return part.result; }));
  return parts.size() > 1 && next == weights.back() && context.sum ? std::optional(context) : std::nullopt;
}

LogicalResult JoinProductsPattern::matchAndRewrite(SoftmaxOp softmax, PatternRewriter &rewriter) const {
  auto concat = softmax.getInput().getDefiningOp<ConcatOp>();
  if (!concat || !isKnownType(concat.getType()) || !llvm::all_of(concat->getOperandTypes(), isKnownType))
    return rewriter.notifyMatchFailure(softmax, "no softmax of parts side by side");
  Dims dims = *getDims(concat.getResult());
  int64_t last = int64_t(dims.size()) - 1;
  if (int64_t(softmax.getAxis()) != last || int64_t(concat.getAxis()) != last ||
      concat.getInputs().size() < 2 || last < 2)
    return rewriter.notifyMatchFailure(softmax, "not along the last axis");
  SmallVector<Product> scores;
  for (Value part : concat.getInputs()) {
    std::optional<Product> product = takeScores(part);
    if (!product ||
        (!scores.empty() && (product->lhs != scores[0].lhs || product->factor != scores[0].factor)))
      return rewriter.notifyMatchFailure(softmax, "the parts are no products of the same queries");
    scores.push_back(*product);
  }
  std::optional<Context> context = takeContext(softmax);
  if (!context)
    return rewriter.notifyMatchFailure(softmax, "the weights of all parts are not summed up");

  Location location = softmax.getLoc();
  auto operandsOf = [&](ArrayRef<Product> products) {
    SmallVector<Value> values;
    for (const Product &product : products)
      values.push_back(makeReshape(rewriter, location, product.op->getOperand(1), product.rhs));
    return values;
  };
  rewriter.setInsertionPoint(softmax);
  Dims query(dims), keys(dims), values(dims);
  query.back() = getDims(scores[0].op.getLhs())->back();
  keys.end()[-2] = query.back();
  Value product = multiply(rewriter, location, makeReshape(rewriter, location, scores[0].lhs, query),
                           join(rewriter, location, operandsOf(scores), keys, /*fromBack=*/1));
  Type element = getElementTypeOrSelf(product);
  if (scores[0].factor != 1)
    product = MulOp::create(rewriter, location, product.getType(), product,
                            makeScalar(rewriter, location, rewriter.getFloatAttr(element, scores[0].factor)));
  if (llvm::any_of(scores, [](const Product &each) { return bool(each.added); })) {
    SmallVector<Value> added;
    for (auto [each, part] : llvm::zip_equal(scores, concat.getInputs())) {
      Value number = each.added ? each.added : makeScalar(rewriter, location, rewriter.getZeroAttr(element));
      Dims shape = *getDims(number);
      shape.insert(shape.begin(), dims.size() - shape.size(), Dim::constant(rewriter.getContext(), 1));
      number = makeReshape(rewriter, location, number, shape);
      shape.back() = getDims(part)->back(); // whatever is one number for all keys
      added.push_back(makeExpand(rewriter, location, number, shape));
    }
    product = AddOp::create(rewriter, location, product.getType(), product,
                            join(rewriter, location, added, dims, /*fromBack=*/1));
  }
  Value weights = SoftmaxOp::create(rewriter, location, product.getType(), product, uint64_t(last));
  rewriter.setInsertionPoint(context->sum);
  values.end()[-2] = dims.back();
  values.back() = getDims(context->sum.getResult())->back();
  rewriter.replaceOp(context->sum, multiply(rewriter, context->sum.getLoc(), weights,
                                            join(rewriter, location, operandsOf(context->products), values,
                                                 /*fromBack=*/2)));
  ++joined;
  return success();
}

namespace {
struct JoinProducts : graph::impl::JoinProductsBase<JoinProducts> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<JoinProductsPattern>(&getContext(), joined);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
