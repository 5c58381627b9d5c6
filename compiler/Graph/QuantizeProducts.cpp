// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns products of f32 with constant matrices into products of bytes.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace weft;
using graph::MatrixWeight, graph::chooseColumnScales;

namespace weft::graph {
#define GEN_PASS_DEF_QUANTIZEPRODUCTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

namespace {
/// A weight as quads or blocks of 4 bits, and of each column the scale and the sum of its numbers. Null
/// numbers: it stays f32.
struct QuantizedWeight {
  Value numbers, scale, sum;
};

/// A group's numbers and their scale, times the column's.
struct Int4Group {
  int32_t scale = 0;
  std::array<int32_t, Int4Quads::kGroup> numbers{};
};
} // namespace

/// The squares of what a group's rounded elements are off by, added up; infinity if one is off by more than
/// `most`.
static double roundInt4Group(ArrayRef<float> group, float columnScale, double most, Int4Group &rounded) {
  constexpr float kLeast = -Int4Quads::kOffset, kGreatest = Int4Quads::kLargest;
  float step = columnScale * float(rounded.scale);
  double squares = 0;
  for (auto [value, number] : llvm::zip(group, rounded.numbers)) {
    number = int32_t(std::clamp(std::nearbyint(value / step), kLeast, kGreatest));
    double off = double(columnScale) * (number * rounded.scale) - double(value);
    squares += std::abs(off) <= most ? off * off : std::numeric_limits<double>::infinity();
  }
  return squares;
}

/// The group with the scale that leaves all numbers within 4 bits, or with a smaller one if errors are less
/// in all, though the largest numbers are cut, and none is beyond what the first may be off by.
static Int4Group quantizeInt4Group(ArrayRef<float> group, float columnScale) {
  float largest = 0;
  for (float value : group)
    largest = std::max(largest, std::abs(value));
  float scale = std::ceil(largest / columnScale / Int4Quads::kLargest);
  Int4Group best{std::clamp(int32_t(scale), 1, int32_t(Int4Quads::kLargestScale)), {}};
  // A little more than half a step, for what its own rounding takes.
  double most = double(columnScale) * best.scale * (0.5 + 1e-6);
  double least = roundInt4Group(group, columnScale, std::numeric_limits<double>::infinity(), best);
  for (Int4Group next = best; next.scale > 1;) {
    --next.scale;
    double squares = roundInt4Group(group, columnScale, most, next);
    if (std::isinf(squares))
      break;
    if (squares < least) {
      least = squares;
      best = next;
    }
  }
  return best;
}

/// Adds a group that begins with row `first` to a panel's column, and returns the sum of its products.
static int32_t packInt4Group(const Int4Group &group, int64_t first, uint32_t *column) {
  constexpr int64_t pitch = MatmulOp::kPanelColumns;
  column[Int4Quads::scaleRow(first) * pitch] |= uint32_t(group.scale) << Int4Quads::scaleShift(first);
  for (auto [i, number] : llvm::enumerate(group.numbers))
    column[Int4Quads::row(first) * pitch] |= uint32_t(number + Int4Quads::kOffset) << Int4Quads::shift(i);
  return group.scale * std::accumulate(group.numbers.begin(), group.numbers.end(), 0);
}

namespace {
/// Quantizes one constant in a block, at whose start the result is put, so that every matmul can share it.
class WeightQuantizer {
public:
  WeightQuantizer(Block &body, const MatrixWeight &weight)
      : weight(weight), builder(OpBuilder::atBlockBegin(&body)) {}

  FailureOr<QuantizedWeight> run(StringRef type) {
    SmallVector<char> memory;
    FailureOr<ArrayRef<char>> bytes = readConstant(weight.getConstant(), memory);
    if (failed(bytes))
      return failure();
    source = bytes->data();
    bool isInt4 = type == "i4";
    auto largest = float(isInt4 ? Int4Quads::kLargest * Int4Quads::kLargestScale : 127);
    std::optional<std::vector<float>> chosen = chooseColumnScales(weight, source, largest);
    if (!chosen)
      return QuantizedWeight();
    scales = std::move(*chosen);
    sums.assign(weight.columns(), 0);
    FailureOr<Value> numbers = isInt4 ? makeInt4() : makeQuads();
    FailureOr<Value> scale = graph::createRow(builder, weight, builder.getF32Type(), scales);
    FailureOr<Value> sum = graph::createRow(builder, weight, builder.getI32Type(), sums);
    if (failed(numbers) || failed(scale) || failed(sum))
      return failure();
    return QuantizedWeight{*numbers, *scale, *sum};
  }

private:
  FailureOr<Value> makeQuads() {
    return graph::packTogether<Quads, int8_t, float>(builder, weight, source, builder.getI8Type(),
                                                     [&](float value, int64_t column) {
                                                       int8_t number = graph::quantize(value, scales[column]);
                                                       sums[column] += number;
                                                       return number;
                                                     });
  }

  FailureOr<Value> makeInt4() {
    return graph::packWords(builder, weight, source, Int4Block::count(weight.rows()), Int4Block::kRows,
                            Int4Quads::kGroup,
                            [&](ArrayRef<float> group, int64_t first, int64_t column, uint32_t *words) {
                              Int4Group rounded = quantizeInt4Group(group, scales[column]);
                              sums[column] += packInt4Group(rounded, first, words);
                            });
  }

  MatrixWeight weight;
  OpBuilder builder;
  const char *source = nullptr;
  std::vector<float> scales;
  std::vector<int32_t> sums;
};
} // namespace

static QuantizeRowsOp quantizeRows(Value rows) {
  OpBuilder builder(rows.getContext());
  builder.setInsertionPointAfterValue(rows);
  SmallVector<Type> types = QuantizeRowsOp::typesFor(rows.getContext(), *getDims(rows));
  return QuantizeRowsOp::create(builder, rows.getLoc(), types[0], types[1], types[2], rows);
}

/// Replaces the epilogue's sum of f32 by what a sum of bytes stands for:
/// (sum - zero * column's sum) * row's scale * column's scale.
static void scaleSums(MatmulOp op) {
  Block &block = op.getEpilogue().front();
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToStart(&block);
  Location location = op.getLoc();
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Value before = block.getArgument(0), sum = block.insertArgument(0u, i32, location);
  Value scale = block.addArgument(f32, location), zero = block.addArgument(i32, location);
  Value columnScale = block.addArgument(f32, location), columnSum = block.addArgument(i32, location);
  Value number = arith::SIToFPOp::create(builder, location, f32,
                                         graph::writeByteSum(builder, location, sum, zero, columnSum));
  Value ofRow = arith::MulFOp::create(builder, location, number, scale);
  before.replaceAllUsesWith(arith::MulFOp::create(builder, location, ofRow, columnScale));
  block.eraseArgument(1);
}

static void makeOfBytes(MatmulOp op, QuantizeRowsOp rows, const QuantizedWeight &weight, int64_t columns) {
  graph::getOrCreateEpilogue(op);
  SmallVector<Value> captures(op.getCaptures());
  captures.append({rows.getScale(), rows.getZero(), weight.scale, weight.sum});
  OpBuilder builder(op);
  auto product = MatmulOp::create(builder, op.getLoc(), op.getType(), rows.getBytes(), weight.numbers,
                                  captures, builder.getI64IntegerAttr(columns), WeightGroupsAttr());
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  product.getEpilogue().takeBody(op.getEpilogue());
  scaleSums(product);
  op.replaceAllUsesWith(product.getResult());
  op.erase();
}

/// Whether sums of this depth fit i32, and no choice hangs on what they are off by.
static bool canQuantize(MatmulOp op, const MatrixWeight &weight) {
  return graph::areKnownFloats(op, weight) && weight.rows() <= Quads::kMaxDepth && !graph::isChosenFrom(op);
}

namespace {
struct QuantizeProducts : weft::graph::impl::QuantizeProductsBase<QuantizeProducts> {
  using QuantizeProductsBase::QuantizeProductsBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (weights != "i8" && weights != "i4") {
      getOperation().emitError() << "weft-quantize-products: expects weights i8 or i4, got " << weights;
      return signalPassFailure();
    }
    bool isQuantized = false;
    for (Block *body : graph::getBodies(getOperation())) {
      FailureOr<bool> hasQuantized = quantize(*body);
      if (failed(hasQuantized))
        return signalPassFailure();
      isQuantized |= *hasQuantized;
    }
    if (!isQuantized)
      emitWarning(getOperation().getLoc()) << "no product of f32 is one that can be computed in bytes ["
                                           << graph::warnings::kNoShortWeight << "]";
    graph::eraseDead(getOperation().front());
  }

private:
  /// Whether the block had a product to quantize.
  FailureOr<bool> quantize(Block &body) {
    llvm::DenseMap<std::tuple<Attribute, Type, int>, QuantizedWeight> done;
    llvm::DenseMap<Value, QuantizeRowsOp> rows;
    for (MatmulOp op : llvm::to_vector(body.getOps<MatmulOp>())) {
      std::optional<MatrixWeight> weight = graph::getWeight(op);
      if (!weight || !canQuantize(op, *weight))
        continue;
      auto [known, isNew] = done.try_emplace(weight->key());
      if (isNew) {
        FailureOr<QuantizedWeight> made = WeightQuantizer(body, *weight).run(weights);
        if (failed(made))
          return failure();
        known->second = *made;
      }
      if (!known->second.numbers)
        continue;
      QuantizeRowsOp &lhs = rows[op.getLhs()];
      if (!lhs)
        lhs = quantizeRows(op.getLhs());
      makeOfBytes(op, lhs, known->second, weight->columns());
      ++quantized;
    }
    return !rows.empty();
  }
};
} // namespace
