// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random: RandomUniform, RandomNormal and those of an input's shape, Bernoulli.
//
// Element i is a function of i and of a seed: the node's, or one that its name makes. So a model gives the
// same numbers in every run, on every machine and for any number of threads.
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace weft;
using weft::onnx::AttributeKind;
using weft::onnx::AttributeRow;
using weft::onnx::DiagnosticId;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;

namespace {
/// The numbers of a node, of f64.
class RandomNumbers {
public:
  /// As many as a shape, an i64 list, has elements.
  RandomNumbers(NodeImport &node, Value shape);

  /// In [0, 1), by 53 bits.
  Value uniform() { return multiply(toF64(highBits(stream(0))), number(0x1p-53)); }
  /// Of mean 0 and variance 1 (Box and Muller, 1958).
  Value normal();

private:
  Value bits(uint64_t value);
  Value hashed(Value counter);
  Value stream(uint64_t which);
  Value highBits(Value word) { return graph.add("weft.shift_right", {word, bits(11)}); }
  Value toF64(Value word) { return graph.cast(word, f64); }
  Value number(double value) { return node.scalar(f64, value); }
  Value multiply(Value left, Value right) { return graph.multiply(left, right); }

  NodeImport &node;
  GraphBuilder &graph;
  Type u64, f64;
  Value counters; ///< 0, 1, ... of u64, in the shape
  uint64_t seed;
};
} // namespace

/// What the attribute says, or else where the node is.
static uint64_t seedOf(NodeImport &node) {
  if (node.has("seed"))
    return uint64_t(llvm::bit_cast<uint32_t>(node.number("seed", 0))) << 32;
  std::string name;
  llvm::raw_string_ostream(name) << node.graph.getLocation();
  return llvm::xxh3_64bits(name);
}

RandomNumbers::RandomNumbers(NodeImport &node, Value shape)
    : node(node), graph(node.graph), f64(Float64Type::get(graph.getContext())), seed(seedOf(node)) {
  u64 = IntegerType::get(graph.getContext(), 64, IntegerType::Unsigned);
  Value count = graph.reduce(ReduceKind::Prod, shape, {0}, /*keepdims=*/false);
  counters = graph.reshape(graph.cast(node.placesUpTo(count), u64), shape, /*allowZero=*/true);
}

Value RandomNumbers::bits(uint64_t value) {
  return graph.constant(RankedTensorType::get({}, u64),
                        DenseElementsAttr::get(RankedTensorType::get({}, u64), APInt(64, value)));
}

/// SplitMix64's (Steele, Lea and Flood, 2014): all bits of the result depend on all of the counter.
Value RandomNumbers::hashed(Value z) {
  auto mixed = [&](Value word, uint64_t distance) {
    return graph.add("weft.bit_xor", {word, graph.add("weft.shift_right", {word, bits(distance)})});
  };
  z = multiply(mixed(z, 30), bits(0xbf58476d1ce4e5b9));
  z = multiply(mixed(z, 27), bits(0x94d049bb133111eb));
  return mixed(z, 31);
}

/// One of several words for each element, which have nothing to do with each other.
Value RandomNumbers::stream(uint64_t which) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15; // 2^64 over the golden ratio
  uint64_t start = llvm::xxh3_64bits(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&seed), sizeof(seed)));
  return hashed(
      graph.addition(multiply(counters, bits(kGolden)), bits(start + kGolden + which * 0xd1342543de82ef95)));
}

Value RandomNumbers::normal() {
  Value positive = multiply(graph.addition(toF64(highBits(stream(0))), number(1)), number(0x1p-53));
  Value radius = graph.sqrt(multiply(number(-2), graph.add("weft.log", {positive})));
  constexpr double kTwoPi = 6.283185307179586;
  Value angle = multiply(toF64(highBits(stream(1))), number(0x1p-53 * kTwoPi));
  return multiply(radius, graph.cos(angle));
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

/// The element type that "dtype" says, or `otherwise`; null after an error.
static Type elementTypeOf(NodeImport &node, Type otherwise) {
  return node.has("dtype") ? node.elementType("dtype") : otherwise;
}

/// The shape of the numbers: the attribute's, or that of the input; null after an error.
static Value shapeOf(NodeImport &node) {
  if (node.getInputs().empty())
    return node.graph.vector(node.integers("shape").value_or(SmallVector<int64_t>()));
  return node.requireRank(node.input(0), "its input") ? node.graph.shape(node.input(0)) : Value();
}

/// The type of an operator that gives floats; null after an error.
static Type floatTypeOf(NodeImport &node) {
  bool isLike = !node.getInputs().empty();
  Type type = elementTypeOf(node, isLike ? getElementTypeOrSelf(node.input(0)) : node.graph.f32());
  if (!type || isa<FloatType>(type))
    return type;
  std::string text;
  llvm::raw_string_ostream(text) << "expects numbers of a float type, got " << type;
  return node.error(DiagnosticId::ElementTypeUnsupported, text), Type();
}

/// low + u (high - low), below high also where rounding reaches it.
static Value buildUniform(NodeImport &node) {
  Type type = floatTypeOf(node);
  Value shape = type ? shapeOf(node) : Value();
  if (!shape)
    return nullptr;
  GraphBuilder &graph = node.graph;
  double low = node.number("low", 0), high = node.number("high", 1);
  Type f64 = Float64Type::get(graph.getContext());
  Value spread = graph.multiply(RandomNumbers(node, shape).uniform(), node.scalar(f64, high - low));
  Value result = node.castTo(graph.addition(spread, node.scalar(f64, low)), type);
  Value end = node.scalar(type, high), begin = node.scalar(type, low);
  return graph.where(graph.compare(ComparePredicate::Less, result, end), result, begin);
}

static Value buildNormal(NodeImport &node) {
  Type type = floatTypeOf(node);
  Value shape = type ? shapeOf(node) : Value();
  if (!shape)
    return nullptr;
  GraphBuilder &graph = node.graph;
  Type f64 = Float64Type::get(graph.getContext());
  Value scaled =
      graph.multiply(RandomNumbers(node, shape).normal(), node.scalar(f64, node.number("scale", 1)));
  return node.castTo(graph.addition(scaled, node.scalar(f64, node.number("mean", 0))), type);
}

/// 1 with the probability that the input says, or else 0.
static Value buildBernoulli(NodeImport &node) {
  Type type = elementTypeOf(node, getElementTypeOrSelf(node.input(0)));
  Value shape = type && node.hasFloats(node.input(0)) ? shapeOf(node) : Value();
  if (!shape)
    return nullptr;
  GraphBuilder &graph = node.graph;
  Value numbers = RandomNumbers(node, shape).uniform();
  Value chances = node.castTo(node.input(0), Float64Type::get(graph.getContext()));
  return node.castTo(graph.compare(ComparePredicate::Less, numbers, chances), type);
}

void weft::onnx::addRandomOps(OpTable &table) {
  const AttributeRow dtype = {"dtype", AttributeKind::Int}, seed = {"seed", AttributeKind::Float},
                     shape = {"shape", AttributeKind::Ints, true}, low = {"low", AttributeKind::Float},
                     high = {"high", AttributeKind::Float}, mean = {"mean", AttributeKind::Float},
                     scale = {"scale", AttributeKind::Float};
  table.add("RandomUniform", {1, 22}, 0u, {dtype, seed, shape, low, high}, buildUniform);
  table.add("RandomUniformLike", {1, 22}, 1, {dtype, seed, low, high}, buildUniform);
  table.add("RandomNormal", {1, 22}, 0u, {dtype, seed, shape, mean, scale}, buildNormal);
  table.add("RandomNormalLike", {1, 22}, 1, {dtype, seed, mean, scale}, buildNormal);
  table.add("Bernoulli", {15, 22}, 1, {dtype, seed}, buildBernoulli);
}
