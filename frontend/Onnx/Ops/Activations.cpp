// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise: activations and other functions of an element that are made of several operations.
#include "frontend/Onnx/Ops/Activations.h"
#include "frontend/Onnx/OpTable.h"

using namespace mlir;
using namespace weft;
using weft::onnx::Arity;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// The input of a node, numbers of its element type, and arithmetic on them.
class Formula {
public:
  explicit Formula(NodeImport &node) : Formula(node, node.input(0)) {}
  Formula(NodeImport &node, Value x, ArrayRef<float> alphaAndBeta = {})
      : node(node), graph(node.graph), x(x), alphaAndBeta(alphaAndBeta) {}

  Value number(double value) { return node.scalar(getElementTypeOrSelf(x), value); }
  /// An attribute of the node as a number, or what is given in place of "alpha" and "beta".
  Value attribute(StringRef name, float otherwise) {
    return number(alphaAndBeta.empty() ? node.number(name, otherwise) : alphaAndBeta[name == "beta"]);
  }
  Value add(Value left, Value right) { return graph.addition(left, right); }
  Value subtract(Value left, Value right) { return graph.subtract(left, right); }
  Value multiply(Value left, Value right) { return graph.multiply(left, right); }
  Value divide(Value left, Value right) { return graph.divide(left, right); }
  Value apply(StringRef operation, ValueRange operands) {
    return graph.add(("weft." + operation).str(), operands);
  }
  Value smaller(Value left, Value right) { return apply("min", {left, right}); }
  Value larger(Value left, Value right) { return apply("max", {left, right}); }
  Value isLess(Value left, Value right) { return graph.compare(ComparePredicate::Less, left, right); }
  Value isEqual(Value left, Value right) { return graph.compare(ComparePredicate::Equal, left, right); }
  /// `below` where x < 0; else, and for NaN, `otherwise`.
  Value whereNegative(Value below, Value otherwise) {
    return graph.where(isLess(x, number(0)), below, otherwise);
  }
  Value expMinusOne(Value value) { return subtract(apply("exp", value), number(1)); }
  /// log(1 + e^x), by an exp that cannot overflow; 16 bits hold too few digits of 1 + e^x.
  Value softplus() {
    Value wide = node.widened(x);
    Value small = apply("exp", apply("neg", apply("abs", wide)));
    Value sum = add(larger(wide, node.scalar(getElementTypeOrSelf(wide), 0)), logOnePlus(small));
    return node.castTo(sum, getElementTypeOrSelf(x));
  }
  /// log(1 + s) for s >= 0. What rounding does to 1 + s is divided out (Goldberg, 1991, theorem 4).
  Value logOnePlus(Value s) {
    Value one = node.scalar(getElementTypeOrSelf(s), 1), sum = add(s, one);
    Value corrected = divide(multiply(apply("log", sum), s), subtract(sum, one));
    return graph.where(isEqual(sum, one), s, corrected);
  }
  /// Between 0 and 1.
  Value clampToUnit(Value value) { return larger(smaller(value, number(1)), number(0)); }

  NodeImport &node;
  GraphBuilder &graph;
  Value x;

private:
  ArrayRef<float> alphaAndBeta;
};

/// Inverse trigonometric and hyperbolic functions, in f32 where x has 16 bits. Where they are near 0 their
/// relative errors are small, too, and nothing overflows before the result does.
class AngleFormula : public Formula {
public:
  AngleFormula(NodeImport &node) : Formula(node, node.widened(node.input(0))), one(number(1)) {}

  Value asin() { return apply("atan", divide(x, root(multiply(subtract(one, x), add(one, x))))); }
  Value acos() { return multiply(number(2), apply("atan", root(divide(subtract(one, x), add(one, x))))); }
  /// Up to 1 the series, of which the next term is below a double's last place.
  Value sinh() {
    Value square = multiply(x, x), series = one;
    for (int i = 17; i > 1; i -= 2)
      series = add(one, multiply(divide(square, number(double(i) * (i - 1))), series));
    Value half = halfOfExp(), large = subtract(half, divide(number(0.25), half));
    return graph.where(isLess(magnitude(), one), multiply(x, series), withSign(large));
  }
  Value cosh() {
    Value half = halfOfExp();
    return add(half, divide(number(0.25), half));
  }
  Value asinh() {
    Value a = magnitude(), square = multiply(a, a);
    Value small = logOnePlus(add(a, divide(square, add(one, root(add(one, square))))));
    return withSign(graph.where(isLess(number(kLarge), a), logOfTwice(a), small));
  }
  Value acosh() {
    Value above = subtract(x, one), product = multiply(above, add(above, number(2)));
    Value small = logOnePlus(add(above, root(product)));
    Value result = graph.where(isLess(number(kLarge), x), logOfTwice(x), small);
    return graph.where(isLess(x, one), number(std::numeric_limits<double>::quiet_NaN()), result);
  }
  Value atanh() {
    Value a = magnitude(), quotient = divide(add(a, a), subtract(one, a));
    Value result = multiply(number(0.5), logOnePlus(quotient));
    return withSign(graph.where(isEqual(a, one), number(std::numeric_limits<double>::infinity()), result));
  }

private:
  /// From here on 1 is nothing beside a square.
  static constexpr double kLarge = 1e8;

  Value root(Value value) { return apply("sqrt", value); }
  Value magnitude() { return apply("abs", x); }
  /// e^|x| / 2, which overflows later than e^|x| does.
  Value halfOfExp() {
    Value half = apply("exp", multiply(magnitude(), number(0.5)));
    return multiply(multiply(half, number(0.5)), half);
  }
  Value logOfTwice(Value value) { return add(apply("log", value), number(0.6931471805599453)); }
  /// Of an odd function, from its value at |x|; 0 keeps its sign.
  Value withSign(Value value) {
    return whereNegative(apply("neg", value), graph.where(isLess(number(0), x), value, x));
  }

  Value one;
};

/// An operator, what builds it, and whether it takes numbers of any kind; others take floats.
struct FormulaRow {
  StringRef opType;
  SmallVector<int64_t> versions;
  SmallVector<AttributeRow> attributes;
  Value (*build)(Formula &);
  Arity inputs = 1;
  bool takesIntegers = false;
};
} // namespace

Value weft::onnx::softplus(NodeImport &node, Value x) { return Formula(node, x).softplus(); }

static Value buildElu(Formula &f) {
  return f.whereNegative(f.multiply(f.attribute("alpha", 1), f.expMinusOne(f.x)), f.x);
}

static Value buildSelu(Formula &f) {
  Value below = f.multiply(f.attribute("alpha", 1.67326319217681884765625f), f.expMinusOne(f.x));
  return f.multiply(f.attribute("gamma", 1.05070102214813232421875f), f.whereNegative(below, f.x));
}

static Value buildCelu(Formula &f) {
  Value alpha = f.attribute("alpha", 1), zero = f.number(0);
  Value below = f.multiply(alpha, f.expMinusOne(f.divide(f.x, alpha)));
  return f.add(f.larger(f.x, zero), f.smaller(below, zero));
}

static Value buildLeakyRelu(Formula &f) {
  return f.whereNegative(f.multiply(f.attribute("alpha", 0.01f), f.x), f.x);
}

Value weft::onnx::leakyRelu(NodeImport &node, Value x) {
  Formula f(node, x);
  return buildLeakyRelu(f);
}

static Value buildPRelu(Formula &f) { return f.whereNegative(f.multiply(f.node.input(1), f.x), f.x); }

static Value buildThresholdedRelu(Formula &f) {
  return f.graph.where(f.isLess(f.attribute("alpha", 1), f.x), f.x, f.number(0));
}

/// x nearer to 0 by a bias; 0 within a threshold of it.
static Value buildShrink(Formula &f) {
  Value bias = f.attribute("bias", 0), threshold = f.attribute("lambd", 0.5F);
  Value above = f.graph.where(f.isLess(threshold, f.x), f.subtract(f.x, bias), f.number(0));
  return f.graph.where(f.isLess(f.x, f.apply("neg", threshold)), f.add(f.x, bias), above);
}

static Value buildTan(Formula &f) { return f.divide(f.apply("sin", f.x), f.apply("cos", f.x)); }

/// A function of AngleFormula's.
template <Value (AngleFormula::*function)()> static Value buildAngle(Formula &f) {
  AngleFormula wide(f.node);
  return f.node.castTo((wide.*function)(), getElementTypeOrSelf(f.x));
}

static Value buildHardSigmoid(Formula &f) {
  return f.clampToUnit(f.add(f.multiply(f.attribute("alpha", 0.2f), f.x), f.attribute("beta", 0.5f)));
}

static Value buildHardSwish(Formula &f) {
  return f.multiply(f.x, f.clampToUnit(f.add(f.divide(f.x, f.number(6)), f.number(0.5))));
}

static Value buildSoftplus(Formula &f) { return f.softplus(); }
static Value buildMish(Formula &f) { return f.multiply(f.x, f.apply("tanh", f.softplus())); }
static Value buildSoftsign(Formula &f) { return f.divide(f.x, f.add(f.apply("abs", f.x), f.number(1))); }

static Value buildRelu(Formula &f) { return f.apply("relu", f.x); }
static Value buildTanh(Formula &f) { return f.apply("tanh", f.x); }
static Value buildSigmoid(Formula &f) { return f.apply("sigmoid", f.x); }
static Value buildClip(Formula &f) {
  return f.smaller(f.larger(f.x, f.attribute("alpha", 0)), f.attribute("beta", 0));
}

Value weft::onnx::activate(NodeImport &node, Value x, ArrayRef<float> alphaAndBeta) {
  struct Row {
    StringRef name;
    size_t parameters;
    Value (*build)(Formula &);
  };
  constexpr Row rows[] = {{"Relu", 0, buildRelu},         {"Tanh", 0, buildTanh},
                          {"Sigmoid", 0, buildSigmoid},   {"Softplus", 0, buildSoftplus},
                          {"Softsign", 0, buildSoftsign}, {"LeakyRelu", 1, buildLeakyRelu},
                          {"Elu", 1, buildElu},           {"ThresholdedRelu", 1, buildThresholdedRelu},
                          {"Clip", 2, buildClip},         {"HardSigmoid", 2, buildHardSigmoid}};
  StringRef name = node.text("activation", "");
  if (!x || name.empty())
    return x;
  size_t given = alphaAndBeta.size();
  const Row *row = llvm::find_if(rows, [&](const Row &row) { return row.name == name; });
  if (row == std::end(rows) || given < row->parameters || (row->parameters == 2 && given > 2))
    return node.error(DiagnosticId::NodeAttributeRange,
                      "expects an \"activation\" that is imported, with its parameters, got \"" + name +
                          "\" and " + Twine(given) + " parameters");
  Formula f(node, x, alphaAndBeta);
  return row->build(f);
}

static Value buildSwish(Formula &f) {
  bool isPlain = f.node.number("alpha", 1) == 1;
  return f.multiply(f.x, f.apply("sigmoid", isPlain ? f.x : f.multiply(f.attribute("alpha", 1), f.x)));
}

/// Of a gate, times what it lets through.
static Value buildSwiGlu(Formula &f) { return f.multiply(buildSwish(f), f.node.input(1)); }

/// 1, -1, or x itself, which is 0 or NaN.
static Value buildSign(Formula &f) {
  Type element = getElementTypeOrSelf(f.x);
  Value zero = f.number(0), result = f.x;
  if (!element.isUnsignedInteger())
    result = f.whereNegative(f.number(-1), result);
  return f.graph.where(f.isLess(zero, f.x), f.number(1), result);
}

static Value buildIsInf(Formula &f) {
  bool negative = f.node.integer("detect_negative", 1), positive = f.node.integer("detect_positive", 1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (negative && positive)
    return f.isEqual(f.apply("abs", f.x), f.number(kInfinity));
  if (negative || positive)
    return f.isEqual(f.x, f.number(positive ? kInfinity : -kInfinity));
  return f.isLess(f.x, f.x); // nowhere
}

static Value buildMod(Formula &f) {
  Type element = getElementTypeOrSelf(f.x);
  bool isTruncated = f.node.integer("fmod", 0) != 0;
  if (!isa<IntegerType>(element) && !isTruncated)
    return f.node.error(DiagnosticId::NodeAttributeRange, "expects \"fmod\" to be 1 for floats");
  Value divisor = f.node.input(1), rest = f.apply("rem", {f.x, divisor});
  if (isTruncated || element.isUnsignedInteger() || !rest)
    return rest;
  // Python's has the sign of the divisor: where what is left has the other one, one divisor more.
  Value zero = f.number(0);
  Value isOther = f.graph.where(f.isLess(divisor, zero), f.isLess(zero, rest), f.isLess(rest, zero));
  return f.graph.where(isOther, f.add(rest, divisor), rest);
}

/// The sum of any number of operands over how many they are.
static Value buildMean(Formula &f) {
  Value sum = f.x;
  for (Value operand : f.node.getInputs().drop_front())
    sum = f.add(sum, operand);
  int64_t count = f.node.getInputs().size();
  return count == 1 ? sum : f.divide(sum, f.number(double(count)));
}

/// x, plus a bias where there is one.
static Value biased(Formula &f) {
  Value bias = f.node.input(1);
  if (!bias)
    return f.x;
  return f.node.hasRank(bias, 1, "its bias") ? f.add(f.x, bias) : Value();
}
static Value buildErfGelu(Formula &f) { return f.graph.gelu(biased(f), GeluForm::Erf); }
static Value buildFastGelu(Formula &f) { return f.graph.gelu(biased(f), GeluForm::Tanh); }

static Value buildQuickGelu(Formula &f) {
  return f.multiply(f.x, f.apply("sigmoid", f.multiply(f.attribute("alpha", 1.702F), f.x)));
}

static Value buildFormula(NodeImport &node, const FormulaRow &row) {
  if (!row.takesIntegers && !node.hasFloats(node.input(0)))
    return nullptr;
  Formula formula(node);
  return row.build(formula);
}

void weft::onnx::addActivationOps(OpTable &table) {
  const AttributeRow alpha = {"alpha", AttributeKind::Float}, beta = {"beta", AttributeKind::Float},
                     gamma = {"gamma", AttributeKind::Float}, fmod = {"fmod", AttributeKind::Int},
                     negative = {"detect_negative", AttributeKind::Int},
                     positive = {"detect_positive", AttributeKind::Int};
  const Arity any = {1, Arity::kAny};
  const FormulaRow rows[] = {
      {"Elu", {6, 22}, {alpha}, buildElu},
      {"Selu", {6, 22}, {alpha, gamma}, buildSelu},
      {"Celu", {12}, {alpha}, buildCelu},
      {"LeakyRelu", {6, 16}, {alpha}, buildLeakyRelu},
      // Before opset 7, shapes were broadcast by other rules.
      {"PRelu", {7, 9, 16}, {}, buildPRelu, 2, /*takesIntegers=*/true},
      {"ThresholdedRelu", {10, 22}, {alpha}, buildThresholdedRelu},
      {"Shrink", {9}, {{"bias", AttributeKind::Float}, {"lambd", AttributeKind::Float}}, buildShrink},
      {"Tan", {7, 22}, {}, buildTan},
      {"Asin", {7, 22}, {}, buildAngle<&AngleFormula::asin>},
      {"Acos", {7, 22}, {}, buildAngle<&AngleFormula::acos>},
      {"Sinh", {9, 22}, {}, buildAngle<&AngleFormula::sinh>},
      {"Cosh", {9, 22}, {}, buildAngle<&AngleFormula::cosh>},
      {"Asinh", {9, 22}, {}, buildAngle<&AngleFormula::asinh>},
      {"Acosh", {9, 22}, {}, buildAngle<&AngleFormula::acosh>},
      {"Atanh", {9, 22}, {}, buildAngle<&AngleFormula::atanh>},
      {"HardSigmoid", {6, 22}, {alpha, beta}, buildHardSigmoid},
      {"HardSwish", {14, 22}, {}, buildHardSwish},
      {"Softplus", {1, 22}, {}, buildSoftplus},
      {"Softsign", {1, 22}, {}, buildSoftsign},
      {"Mish", {18, 22}, {}, buildMish},
      {"Swish", {24}, {alpha}, buildSwish},
      {"SwiGLU", {28}, {alpha}, buildSwiGlu, 2},
      {"Sign", {9, 13}, {}, buildSign, 1, /*takesIntegers=*/true},
      {"IsInf", {10, 20}, {negative, positive}, buildIsInf},
      {"Mod", {10, 13}, {fmod}, buildMod, 2, /*takesIntegers=*/true},
      {"Mean", {8, 13}, {}, buildMean, any},
      {"com.microsoft.Gelu", {1}, {}, buildErfGelu},
      {"com.microsoft.BiasGelu", {1}, {}, buildErfGelu, 2},
      {"com.microsoft.FastGelu", {1}, {}, buildFastGelu, {1, 2}},
      {"com.microsoft.QuickGelu", {1}, {alpha}, buildQuickGelu},
  };
  for (const FormulaRow &row : rows)
    table.add(row.opType, row.versions, row.inputs, row.attributes,
              [row](NodeImport &node) { return buildFormula(node, row); });
}
