// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns products of f32 with constant matrices into products of bf16, whose sums are f32; and has those of
// bf16 computed in the same way.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/DequantizedWeights.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/RoundResults.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;
using graph::MatrixWeight;

namespace weft::graph {
#define GEN_PASS_DEF_ROUNDPRODUCTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

/// The weight as it is, in bf16.
static FailureOr<Value> roundMatrix(OpBuilder &builder, const MatrixWeight &weight, const char *source) {
  auto fill = [&](MutableArrayRef<char> out) {
    auto *to = reinterpret_cast<uint16_t *>(out.data());
    for (int64_t row = 0; row < weight.rows(); ++row)
      for (int64_t column = 0; column < weight.columns(); ++column) {
        const char *from = source + row * weight.rowPitch() + column * weight.columnPitch();
        *to++ = graph::roundToBF16(graph::readFloat(from));
      }
  };
  return graph::createConstant(builder, weight.getConstant().getLoc(), {weight.rows(), weight.columns()},
                               builder.getBF16Type(), fill);
}

/// The weight as pairs, or as a matrix if it is f32, at its body's start, so that every matmul can share it.
static FailureOr<Value> roundWeight(Block &body, const MatrixWeight &weight, bool isPacked) {
  SmallVector<char> memory;
  FailureOr<ArrayRef<char>> bytes = readConstant(weight.getConstant(), memory);
  if (failed(bytes))
    return failure();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  if (weight.element().isBF16())
    return graph::packTogether<Pairs, uint16_t, uint16_t>(builder, weight, bytes->data(), weight.element(),
                                                          [](uint16_t number, int64_t) { return number; });
  if (!isPacked)
    return roundMatrix(builder, weight, bytes->data());
  return graph::packTogether<Pairs, uint16_t, float>(
      builder, weight, bytes->data(), builder.getBF16Type(),
      [](float value, int64_t) { return graph::roundToBF16(value); });
}

/// A product of bf16 had sums of bf16; now that they are f32, its epilogue begins by rounding them.
static void roundSums(MatmulOp product) {
  Type bf16 = getElementTypeOrSelf(product.getLhs());
  Block &epilogue = graph::getOrCreateEpilogue(product);
  BlockArgument sum = epilogue.getArgument(0);
  sum.setType(Float32Type::get(product.getContext()));
  OpBuilder builder = OpBuilder::atBlockBegin(&epilogue);
  auto rounded = arith::TruncFOp::create(builder, product.getLoc(), bf16, sum);
  sum.replaceAllUsesExcept(rounded, rounded);
}

namespace {
struct RoundProducts : weft::graph::impl::RoundProductsBase<RoundProducts> {
  using RoundProductsBase::RoundProductsBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    // For GPUs weft-pack-weights rounds rows for weights that the model has in few bits.
    auto isLeft = [&](MatmulOp op) { return !packs && graph::getDequantizedWeight(op.getRhs()); };
    bool isRounded = false;
    for (Block *body : graph::getBodies(getOperation())) {
      FailureOr<bool> hasRounded = round(*body);
      if (failed(hasRounded))
        return signalPassFailure();
      isRounded |= *hasRounded || llvm::any_of(body->getOps<MatmulOp>(), isLeft);
    }
    if (!isRounded)
      emitWarning(getOperation().getLoc())
          << "no product of f32 or bf16 is one that can be computed in bf16 ["
          << graph::warnings::kNoShortWeight << "]";
    graph::eraseDead(getOperation().front());
  }

private:
  /// Whether the block had a product to round.
  FailureOr<bool> round(Block &body) {
    llvm::DenseMap<std::tuple<Attribute, Type, int>, Value> weights;
    llvm::DenseMap<Value, Value> rows;
    for (MatmulOp op : llvm::to_vector(body.getOps<MatmulOp>())) {
      std::optional<MatrixWeight> weight = graph::getWeight(op);
      if (!weight || graph::isChosenFrom(op) || graph::hasIntegersOf16Bits(op.getCaptures()))
        continue;
      bool isBF16 = packs && graph::areKnown(op, *weight, BFloat16Type::get(&getContext()));
      if (!isBF16 && !graph::areKnownFloats(op, *weight))
        continue;
      if (isBF16)
        roundSums(op);
      Value &pairs = weights[weight->key()];
      if (!pairs) {
        FailureOr<Value> made = roundWeight(body, *weight, packs);
        if (failed(made))
          return failure();
        pairs = *made;
      }
      Value &lhs = rows[op.getLhs()];
      if (!lhs) {
        lhs = isBF16 ? op.getLhs() : graph::roundToBF16(op.getLhs());
        if (packs)
          lhs = graph::padRows(lhs, Pairs::kPadding);
      }
      op.getLhsMutable().assign(lhs);
      op.getRhsMutable().assign(pairs);
      if (packs)
        op.setPackedColumns(weight->columns());
      else
        op.setF32Sums(true);
      ++rounded;
    }
    if (packs) // weft-round-attention does it for GPUs, once it has rounded more
      for (MatmulOp op : body.getOps<MatmulOp>())
        graph::roundResult(op);
    return !rows.empty();
  }
};
} // namespace
