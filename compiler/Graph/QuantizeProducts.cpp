// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns products of f32 with constant matrices into products of bytes.
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;
using graph::MatrixWeight;

namespace weft::graph {
#define GEN_PASS_DEF_QUANTIZEPRODUCTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

namespace {
/// A weight as quads, and of each column the scale and the sum of its numbers. Null quads: it stays f32.
struct QuantizedWeight {
  Value quads, scale, sum;
};
} // namespace

namespace {
/// Quantizes one constant in a function, at whose start the result is put, so that every matmul can share it.
class WeightQuantizer {
public:
  WeightQuantizer(func::FuncOp function, const MatrixWeight &weight)
      : weight(weight), builder(function.getContext()), location(weight.getConstant().getLoc()) {
    builder.setInsertionPointToStart(&function.front());
  }

  FailureOr<QuantizedWeight> run() {
    SmallVector<char> memory;
    FailureOr<ArrayRef<char>> bytes = readConstant(weight.getConstant(), memory);
    if (failed(bytes))
      return failure();
    std::optional<std::vector<float>> scales = chooseColumnScales(weight, bytes->data());
    if (!scales)
      return QuantizedWeight();
    std::vector<int32_t> sums(weight.columns(), 0);
    FailureOr<Value> packed = graph::packTogether<Quads, int8_t>(
        builder, weight, bytes->data(), builder.getI8Type(), [&](float value, int64_t column) {
          int8_t number = graph::quantize(value, (*scales)[column]);
          sums[column] += number;
          return number;
        });
    FailureOr<Value> scale = makeRow(builder.getF32Type(), *scales);
    FailureOr<Value> sum = makeRow(builder.getI32Type(), sums);
    if (failed(packed) || failed(scale) || failed(sum))
      return failure();
    return QuantizedWeight{*packed, *scale, *sum};
  }

private:
  template <typename Number> FailureOr<Value> makeRow(Type element, const std::vector<Number> &numbers) {
    return graph::createConstant(
        builder, location, {weight.columns()}, element,
        [&](MutableArrayRef<char> out) { memcpy(out.data(), numbers.data(), out.size()); });
  }

  MatrixWeight weight;
  OpBuilder builder;
  Location location;
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
  Value offset = arith::MulIOp::create(builder, location, zero, columnSum);
  Value number =
      arith::SIToFPOp::create(builder, location, f32, arith::SubIOp::create(builder, location, sum, offset));
  Value ofRow = arith::MulFOp::create(builder, location, number, scale);
  before.replaceAllUsesWith(arith::MulFOp::create(builder, location, ofRow, columnScale));
  block.eraseArgument(1);
}

static void makeOfBytes(MatmulOp op, QuantizeRowsOp rows, const QuantizedWeight &weight, int64_t columns) {
  graph::getOrCreateEpilogue(op);
  SmallVector<Value> captures(op.getCaptures());
  captures.append({rows.getScale(), rows.getZero(), weight.scale, weight.sum});
  OpBuilder builder(op);
  auto product = MatmulOp::create(builder, op.getLoc(), op.getType(), rows.getBytes(), weight.quads, captures,
                                  builder.getI64IntegerAttr(columns));
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  product.getEpilogue().takeBody(op.getEpilogue());
  scaleSums(product);
  op.replaceAllUsesWith(product.getResult());
  op.erase();
}

/// Whether sums of this depth fit i32.
static bool canQuantize(MatmulOp op, const MatrixWeight &weight) {
  return graph::areKnownFloats(op, weight) && weight.rows() <= Quads::kMaxDepth;
}

namespace {
struct QuantizeProducts : weft::graph::impl::QuantizeProductsBase<QuantizeProducts> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    llvm::DenseMap<std::tuple<Attribute, Type, int>, QuantizedWeight> weights;
    llvm::DenseMap<Value, QuantizeRowsOp> rows;
    for (MatmulOp op : llvm::to_vector(getOperation().getOps<MatmulOp>())) {
      std::optional<MatrixWeight> weight = graph::getWeight(op);
      if (!weight || !canQuantize(op, *weight))
        continue;
      auto [known, isNew] = weights.try_emplace(weight->key());
      if (isNew) {
        FailureOr<QuantizedWeight> made = WeightQuantizer(getOperation(), *weight).run();
        if (failed(made))
          return signalPassFailure();
        known->second = *made;
      }
      if (!known->second.quads)
        continue;
      QuantizeRowsOp &lhs = rows[op.getLhs()];
      if (!lhs)
        lhs = quantizeRows(op.getLhs());
      makeOfBytes(op, lhs, known->second, weight->columns());
      ++quantized;
    }
    if (rows.empty())
      emitWarning(getOperation().getLoc()) << "no product of f32 is one that can be computed in bytes ["
                                           << graph::warnings::kNoShortWeight << "]";
    graph::eraseDead(getOperation().front());
  }
};
} // namespace
