// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds from the operands' magnitudes. Every one has the form
//   epsilon * abs(expected) + epsilon of the computation * (what the operation accumulates) + least,
// where f16 and bf16 are computed in f32.
#include "tools/weft/verify/Bounds.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "dialects/Weft/IR/Weft.h"
#include "tools/weft/verify/ScalarErrors.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::verify;

using Bounds = std::vector<double>;

namespace {
enum class Rule {
  Exact,
  Elementwise,
  Product,
  Sum,
  RunningProduct,
  Softmax,
  LogSoftmax,
  Norm,
  Attention,
  LinearAttention,
  Other
};

/// An operation in one run, and the float formats that it goes through.
struct Run {
  Operation *op;
  ArrayRef<Tensor> operands;
  const Tensor &expected;
  EvaluateContext &context;

  Type element = expected.getElementType();
  double stored = getEpsilon(element); ///< the rounding of the result
  double computed = isWide(element) ? stored : getEpsilon(Float32Type::get(op->getContext()));
  /// Below the least normal number errors are in units of that number (docs/numerics.md); f16's own steps
  /// there are larger.
  double least = element.isF64()   ? std::ldexp(1.0, -1022)
                 : element.isF16() ? std::ldexp(1.0, -24)
                                   : std::ldexp(1.0, -126);

  static bool isWide(Type element) { return element.isF32() || element.isF64(); }
  double at(int64_t i) const { return std::abs(expected.getFloat(i)); }
  /// One rounding of the result, and `accumulated(i)` roundings of 1 on the way.
  template <typename Accumulated> Bounds makeBounds(Accumulated accumulated) const {
    Bounds bounds(expected.getNumElements());
    for (size_t i = 0; i < bounds.size(); ++i)
      bounds[i] = (isWide(element) ? 0 : stored * at(i)) + computed * accumulated(i) + least;
    return bounds;
  }
};
} // namespace

static Rule getRule(Operation *op) {
  if (isCompact(getElementTypeOrSelf(op->getResult(0).getType())))
    return Rule::Exact;
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    bool isSum = reduce.getKind() == ReduceKind::Sum || reduce.getKind() == ReduceKind::Mean;
    return isSum ? Rule::Sum : reduce.getKind() == ReduceKind::Prod ? Rule::RunningProduct : Rule::Exact;
  }
  if (auto cumulative = dyn_cast<CumulativeOp>(op))
    return cumulative.getKind() == ReduceKind::Sum ? Rule::Sum : Rule::RunningProduct;
  return llvm::StringSwitch<Rule>(op->getName().stripDialect())
      .Cases({"constant", "dims", "shape", "reshape", "squeeze", "unsqueeze", "transpose"}, Rule::Exact)
      .Cases({"concat", "slice", "expand", "tile", "trilu", "pad", "windows"}, Rule::Exact)
      .Cases({"gather", "gather_elements", "gather_nd"}, Rule::Exact)
      .Cases({"min", "max", "neg", "abs", "relu", "where", "floor", "ceil", "round", "bitcast", "rem"},
             Rule::Exact)
      .Cases({"matmul", "routed_matmul", "conv", "depthwise_conv"}, Rule::Product)
      .Cases({"scatter_nd", "scatter_elements"}, Rule::Sum)
      .Case("softmax", Rule::Softmax)
      .Case("log_softmax", Rule::LogSoftmax)
      .Cases({"layer_norm", "rms_norm"}, Rule::Norm)
      .Case("attention", Rule::Attention)
      .Case("linear_attention", Rule::LinearAttention)
      .Default(isElementwise(op) ? Rule::Elementwise : Rule::Other);
}

static Tensor getMagnitudes(const Tensor &tensor) {
  if (!tensor.isFloat())
    return tensor;
  Tensor magnitudes = tensor;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    magnitudes.setFloat(i, std::abs(tensor.getFloat(i)));
  return magnitudes;
}

static double getRootOf(int64_t count) { return std::sqrt(double(count)); }

//===----------------------------------------------------------------------===//
// Element-wise operations
//===----------------------------------------------------------------------===//

static Bounds boundElementwise(const Run &run) {
  StringRef name = run.op->getName().stripDialect();
  const Tensor &input = run.operands[0];
  if (name == "gelu") // 1 + erf(...) cancels where x is negative
    return run.makeBounds([&](int64_t i) { return 8 * std::abs(input.getFloat(i)); });
  if (name == "sin" || name == "cos") // the angle is brought near 0 first
    return run.makeBounds([&](int64_t i) { return 4 + std::abs(input.getFloat(i)); });
  if (name == "pow") // exp of a logarithm, whose error it multiplies
    return run.makeBounds([&](int64_t i) {
      double result = run.at(i);
      return result > 0 ? (4 + std::abs(std::log(result))) * result : 0;
    });
  return run.makeBounds([&](int64_t i) { return 4 * run.at(i); });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The first result.
static FailureOr<Tensor> evaluateFirst(Operation *op, ArrayRef<Tensor> operands, EvaluateContext &context) {
  FailureOr<SmallVector<Tensor>> results = evaluateOperation(op, operands, context);
  if (failed(results))
    return failure();
  return results->front();
}

/// abs(lhs) * abs(the matrix that a packed rhs stands for).
static FailureOr<Tensor> multiplyMagnitudes(MatmulOp op, const Run &run) {
  const Tensor &lhs = run.operands[0];
  FailureOr<Tensor> rhs = evaluateRhs(op, lhs, run.operands[1]);
  if (failed(rhs))
    return failure();
  int64_t depth = rhs->getShape()[0], columns = rhs->getShape()[1];
  Tensor product = Tensor::zeros(Float64Type::get(op.getContext()), run.expected.getShape());
  if (!product)
    return op.emitError("no room for the bounds of the product");
  for (int64_t i = 0; i < product.getNumElements(); ++i) {
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      int64_t at = k * columns + i % columns;
      double weight = rhs->isFloat() ? rhs->getFloat(at) : double(rhs->getInteger(at));
      sum += std::abs(lhs.getFloat(i / columns * depth + k) * weight);
    }
    product.setFloat(i, sum);
  }
  return product;
}

/// The same of the matrices that packed weights stand for.
static FailureOr<Tensor> routeMagnitudes(RoutedMatmulOp op, const Run &run) {
  FailureOr<Tensor> weights = evaluateRhs(op, run.operands[0], run.operands[1]);
  if (failed(weights))
    return failure();
  OpBuilder builder(op.getContext());
  auto plain = RoutedMatmulOp::create(builder, op.getLoc(), op.getType(), op.getInput(), op.getWeights(),
                                      op.getExperts(), IntegerAttr(), WeightGroupsAttr());
  Tensor operands[] = {getMagnitudes(run.operands[0]), getMagnitudes(*weights), run.operands[2]};
  FailureOr<Tensor> magnitudes = evaluateFirst(plain, operands, run.context);
  plain->erase();
  return magnitudes;
}

/// The operation on the magnitudes of its operands.
static FailureOr<Tensor> evaluateMagnitudes(const Run &run) {
  auto matmul = dyn_cast<MatmulOp>(run.op);
  if (matmul && matmul.getPackedColumns() && run.operands[0].isFloat() && !run.operands[1].isFloat())
    return multiplyMagnitudes(matmul, run);
  if (auto routed = dyn_cast<RoutedMatmulOp>(run.op))
    return routeMagnitudes(routed, run);
  SmallVector<Tensor> magnitudes = llvm::map_to_vector(run.operands, getMagnitudes);
  return evaluateFirst(run.op, magnitudes, run.context);
}

static Bounds boundSums(const Run &run, const Tensor &magnitudes, int64_t length) {
  return run.makeBounds(
      [&](int64_t i) { return (2 + getRootOf(length)) * (magnitudes.getFloat(i) + run.at(i)); });
}

/// How many terms an element of the result sums, at most.
static int64_t getSummedLength(const Run &run) {
  const Tensor &input = run.operands[0];
  if (isa<ConvOp>(run.op))
    return countElements(run.operands[1].getShape().drop_front());
  if (isa<DepthwiseConvOp>(run.op))
    return countElements(run.operands[1].getShape().drop_back());
  if (isa<MatmulOp, RoutedMatmulOp>(run.op))
    return input.getShape().back();
  if (isa<ReduceOp>(run.op))
    return input.getNumElements() / std::max<int64_t>(1, run.expected.getNumElements());
  return run.operands.back().getNumElements(); // what is scattered, or added up along an axis
}

static FailureOr<Bounds> boundSum(const Run &run, int64_t length) {
  FailureOr<Tensor> magnitudes = evaluateMagnitudes(run);
  if (failed(magnitudes))
    return failure();
  return boundSums(run, *magnitudes, length);
}

/// The product alone, and then what the epilogue makes of its error.
static FailureOr<Bounds> boundProduct(const Run &run) {
  int64_t length = getSummedLength(run);
  auto matmul = dyn_cast<MatmulOp>(run.op);
  if (!matmul || matmul.getEpilogue().empty())
    return boundSum(run, length);
  OpBuilder builder(run.op->getContext());
  bool isExact = matmul.multipliesBytes();
  auto type = cast<ShapedType>(matmul.getType());
  auto plain = MatmulOp::create(builder, matmul.getLoc(), isExact ? type.clone(builder.getI32Type()) : type,
                                matmul.getLhs(), matmul.getRhs(), ValueRange(), matmul.getPackedColumnsAttr(),
                                matmul.getGroupsAttr());
  auto evaluate = [&]() -> FailureOr<Bounds> {
    ArrayRef<Tensor> factors = run.operands.take_front(2);
    FailureOr<Tensor> sums = evaluateFirst(plain, factors, run.context);
    if (failed(sums))
      return failure();
    FailureOr<Bounds> errors = isExact ? FailureOr<Bounds>(Bounds(sums->getNumElements(), 0))
                                       : boundSum(Run{plain, factors, *sums, run.context}, length);
    if (failed(errors))
      return failure();
    if (!Run::isWide(run.element)) // each side rounds the sum before the epilogue
      for (size_t i = 0; i < errors->size(); ++i)
        (*errors)[i] += run.stored * std::abs(sums->getFloat(i));
    SmallVector<Tensor> arguments{*sums};
    for (const Tensor &capture : run.operands.drop_front(2))
      arguments.push_back(capture.broadcastTo(sums->getShape()));
    return propagateErrors(matmul.getEpilogue(), sums->getShape(), arguments, std::move(*errors));
  };
  FailureOr<Bounds> bounds = evaluate();
  plain->destroy();
  if (succeeded(bounds))
    for (double &bound : *bounds)
      bound += run.least;
  return bounds;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static int64_t getAxis(Operation *op) { return op->getAttrOfType<IntegerAttr>("axis").getInt(); }

/// x - max is off by a rounding of itself, which exp makes a factor. Its size is at most abs(log(result)).
static Bounds boundSoftmax(const Run &run) {
  double root = getRootOf(run.expected.getShape()[getAxis(run.op)]);
  return run.makeBounds([&](int64_t i) {
    double result = run.at(i);
    return result > 0 ? (8 + root + std::abs(std::log(result))) * result : 0;
  });
}

/// The same, where the sum's relative error is one of its logarithm.
static Bounds boundLogSoftmax(const Run &run) {
  double root = getRootOf(run.expected.getShape()[getAxis(run.op)]);
  return run.makeBounds([&](int64_t i) { return 8 + root + 4 * run.at(i); });
}

namespace {
/// What one row of a norm is divided by, and how wrong that may be.
struct RowErrors {
  double mean = 0, deviation = 0;
  double meanError = 0;     ///< in units of the computation's epsilon
  double relativeError = 0; ///< of the deviation, the same
};
} // namespace

static RowErrors analyzeRow(const Tensor &input, int64_t first, int64_t length, double epsilon,
                            bool isCentred, double computed) {
  RowErrors row;
  double magnitude = 0, squares = 0, roundings = 2 + getRootOf(length);
  for (int64_t i = first; i < first + length; ++i) {
    row.mean += isCentred ? input.getFloat(i) / double(length) : 0;
    magnitude += std::abs(input.getFloat(i)) / double(length);
  }
  for (int64_t i = first; i < first + length; ++i)
    squares += (input.getFloat(i) - row.mean) * (input.getFloat(i) - row.mean);
  double variance = squares / double(length) + epsilon;
  row.deviation = std::sqrt(variance);
  row.meanError = isCentred ? roundings * magnitude : 0;
  // A wrong mean adds its square to the variance.
  row.relativeError = roundings + computed * row.meanError * row.meanError / variance;
  return row;
}

/// The mean's error moves every element of a row; the deviation's scales it.
static FailureOr<Bounds> boundNorm(const Run &run) {
  const Tensor &input = run.operands[0];
  Tensor scale = run.operands[1].broadcastTo(input.getShape());
  Tensor bias = run.operands.size() > 2 ? run.operands[2].broadcastTo(input.getShape()) : Tensor();
  if (!scale || (run.operands.size() > 2 && !bias))
    return failure();
  int64_t length = std::max<int64_t>(1, countElements(input.getShape().drop_front(getAxis(run.op))));
  double epsilon = run.op->getAttrOfType<FloatAttr>("epsilon").getValueAsDouble();
  RowErrors row;
  return run.makeBounds([&](int64_t i) {
    if (i % length == 0)
      row = analyzeRow(input, i, length, epsilon, isa<LayerNormOp>(run.op), run.computed);
    double centred = std::abs(input.getFloat(i) - row.mean),
           factor = std::abs(scale.getFloat(i)) / row.deviation;
    double normalized = centred * factor, shifted = bias ? std::abs(bias.getFloat(i)) : 0;
    // f16 and bf16 are rounded between normalizing and scaling.
    double rounded = Run::isWide(run.element) ? 0 : run.stored / run.computed * normalized;
    return factor * row.meanError + (4 + row.relativeError) * normalized + 2 * (run.at(i) + shifted) +
           rounded;
  });
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The greatest length of a vector of the last dim.
static double getGreatestLength(const Tensor &tensor) {
  int64_t width = std::max<int64_t>(1, tensor.getShape().back());
  double greatest = 0, squares = 0;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
    squares = (i % width ? squares : 0) + tensor.getFloat(i) * tensor.getFloat(i);
    greatest = std::max(greatest, squares);
  }
  return std::sqrt(greatest);
}

/// The weighted sum of the values' magnitudes, or a weight itself, times the relative error of a weight: that
/// of exp of a score, which is at most the product of the vectors' lengths.
static FailureOr<Bounds> boundAttention(const Run &run, bool isWeights) {
  SmallVector<Tensor> operands(run.operands);
  operands[2] = getMagnitudes(operands[2]);
  FailureOr<Tensor> magnitudes = run.expected;
  if (!isWeights)
    magnitudes = evaluateFirst(run.op, operands, run.context);
  if (failed(magnitudes))
    return failure();
  double scale = std::abs(run.op->getAttrOfType<FloatAttr>("scale").getValueAsDouble());
  double score = scale * getGreatestLength(operands[0]) * getGreatestLength(operands[1]);
  int64_t width = operands[0].getShape().back(), length = operands[1].getShape()[2];
  double weight = 8 + 2 * (2 + getRootOf(width)) * score + 2 * getRootOf(length);
  Bounds bounds = run.makeBounds([&](int64_t i) { return weight * magnitudes->getFloat(i) + 4 * run.at(i); });
  for (size_t i = 0; i < bounds.size(); ++i)
    if (std::isnan(run.expected.getFloat(i))) // a row with nothing kept, and not a sum that overflows
      bounds[i] = 0;
  return bounds;
}

/// The same of magnitudes, as rounding errors of each position's sums accumulate at random. What a rate
/// subtracts is added: the value and the rate are taken as negative.
static FailureOr<Bounds> boundLinearAttention(const Run &run, unsigned resultNumber) {
  auto op = cast<LinearAttentionOp>(run.op);
  SmallVector<Tensor> operands = llvm::map_to_vector(run.operands, getMagnitudes);
  if (op.getRate())
    for (Tensor *negated : {&operands[2], &operands.back()})
      for (int64_t i = 0; i < negated->getNumElements(); ++i)
        negated->setFloat(i, -negated->getFloat(i));
  FailureOr<SmallVector<Tensor>> magnitudes = evaluateOperation(op, operands, run.context);
  if (failed(magnitudes))
    return failure();
  int64_t length = operands[1].getShape()[1], width = operands[1].getShape()[3];
  double roundings = 4 + getRootOf(length) * (3 + getRootOf(width));
  const Tensor &sums = (*magnitudes)[resultNumber];
  return run.makeBounds([&](int64_t i) { return roundings * (std::abs(sums.getFloat(i)) + run.at(i)); });
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

FailureOr<Bounds> verify::getKernelBounds(OpResult result, ArrayRef<Tensor> operands, const Tensor &expected,
                                          EvaluateContext &context) {
  Operation *op = result.getOwner();
  Rule rule = getRule(op);
  if (!expected.isFloat() || rule == Rule::Exact)
    return Bounds();
  Run run{op, operands, expected, context};
  switch (rule) {
  case Rule::Elementwise:
    return boundElementwise(run);
  case Rule::Product:
    return boundProduct(run);
  case Rule::Sum:
    return boundSum(run, getSummedLength(run));
  case Rule::RunningProduct:
    return run.makeBounds([&](int64_t i) { return (2 + double(getSummedLength(run))) * run.at(i); });
  case Rule::Softmax:
    return boundSoftmax(run);
  case Rule::LogSoftmax:
    return boundLogSoftmax(run);
  case Rule::Norm:
    return boundNorm(run);
  case Rule::Attention:
    return boundAttention(run, result.getResultNumber() == 1);
  case Rule::LinearAttention:
    return boundLinearAttention(run, result.getResultNumber());
  case Rule::Exact:
  case Rule::Other:
    break;
  }
  // Nothing is known of it: the tolerance of `--expect`.
  return run.makeBounds([&](int64_t i) { return 1e-4 / run.computed * (1 + run.at(i)); });
}

Bounds verify::getPassBounds(const Tensor &before) {
  if (!before.isFloat())
    return {};
  // f16 and bf16: a pass may round once where the model rounds twice.
  double epsilon = getEpsilon(before.getElementType()), tolerance = std::max(2e-5, 8 * epsilon), sum = 0;
  int64_t count = before.getNumElements();
  for (int64_t i = 0; i < count; ++i)
    if (double value = before.getFloat(i); std::isfinite(value))
      sum += std::abs(value);
  Bounds bounds(count);
  for (int64_t i = 0; i < count; ++i)
    bounds[i] = tolerance * (std::abs(before.getFloat(i)) + sum / double(count));
  return bounds;
}
