// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores constant right-hand sides of matmul as panels of 48 columns.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/DequantizedWeights.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/WeightPacker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;
using graph::MatrixWeight, graph::PackedWeight;

namespace weft::graph {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

/// Begins the epilogue with a product of the sum and an element of `scale`.
static void scaleSums(MatmulOp op, Value scale) {
  Block &block = graph::getOrCreateEpilogue(op);
  OpBuilder builder(op.getContext());
  op.getCapturesMutable().append(scale);
  Value sum = block.getArgument(0), factor = block.addArgument(builder.getF32Type(), op.getLoc());
  builder.setInsertionPointToStart(&block);
  Value scaled = arith::MulFOp::create(builder, op.getLoc(), sum, factor);
  sum.replaceAllUsesExcept(scaled, scaled.getDefiningOp());
}

/// Lets a product read packed matrices of so many columns, perhaps in groups.
template <typename Product>
static void setWeight(Product op, OpOperand &weight, Value panels, int64_t columns, WeightGroupsAttr groups) {
  weight.set(panels);
  op.setPackedColumns(columns);
  if (groups)
    op.setGroupsAttr(groups);
}

namespace {
struct PackWeights : weft::graph::impl::PackWeightsBase<PackWeights> {
  using PackWeightsBase::PackWeightsBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    for (StringRef given : {StringRef(storage), StringRef(routedStorage)})
      if (!llvm::is_contained({"f32", "bf16", "i8", "i4", "i2"}, given)) {
        getOperation().emitError() << "weft-pack-weights: expects storage f32, bf16, i8, i4 or i2, got "
                                   << given;
        return signalPassFailure();
      }
    shortens = !keepsMatrices && shortFrom >= 0 && countBytes() >= shortFrom;
    bool isShortened = false;
    for (Block *body : graph::getBodies(getOperation())) {
      if (failed(packDequantized(*body)))
        return signalPassFailure();
      FailureOr<bool> hasShortened = pack(*body), hasShortenedRouted = packRouted(*body);
      if (failed(hasShortened) || failed(hasShortenedRouted))
        return signalPassFailure();
      isShortened |= *hasShortened || *hasShortenedRouted;
    }
    if (storage != "f32" && !isShortened)
      emitWarning(getOperation().getLoc())
          << "no weight is one that can be stored as " << (storage == "i2" ? "ternary" : StringRef(storage))
          << " [" << graph::warnings::kNoShortWeight << "]";
    graph::eraseDead(getOperation().front());
  }

private:
  /// How many the weights of f32 take.
  int64_t countBytes() {
    int64_t bytes = 0;
    llvm::DenseSet<std::tuple<Attribute, Type, int>> counted;
    auto add = [&](const std::optional<MatrixWeight> &weight) {
      if (weight && weight->element().isF32() && counted.insert(weight->key()).second)
        bytes += weight->rows() * weight->columns() * weight->elementBytes();
    };
    for (Block *body : graph::getBodies(getOperation())) {
      for (MatmulOp op : body->getOps<MatmulOp>())
        add(graph::getWeight(op));
      for (RoutedMatmulOp op : body->getOps<RoutedMatmulOp>())
        add(graph::getMatrices(op.getWeights()));
    }
    return bytes;
  }

  /// Whether a weight of `element` takes the bits that were asked for.
  static bool isStoredAs(StringRef storage, Value panels, Type element) {
    Type stored = getElementTypeOrSelf(panels);
    return stored != element && (storage == "bf16" ? stored.isBF16() : isa<IntegerType>(stored));
  }

  /// Whether the block had a weight that takes the bits that were asked for now.
  FailureOr<bool> pack(Block &body) {
    bool isShortened = false;
    llvm::DenseMap<std::pair<std::tuple<Attribute, Type, int>, int>, PackedWeight> done;
    for (MatmulOp op : llvm::to_vector(body.getOps<MatmulOp>())) {
      std::optional<MatrixWeight> weight = graph::getWeight(op);
      if (!weight)
        continue;
      bool isRounded = storage != "f32" && storage != "i2";
      bool isKept = isRounded && graph::isChosenFrom(op);
      // Where nothing becomes bf16 a weight is packed once for all.
      bool hasBF16 = !(storage == "bf16" || shortens) || !graph::hasIntegersOf16Bits(op.getCaptures());
      PackedWeight &known = done[{weight->key(), isKept * 2 + hasBF16}];
      if (!known.panels) {
        graph::PackingChoices choices{keepsMatrices, /*scalesSums=*/!keepsMatrices, hasBF16, shortens,
                                      panelColumns};
        FailureOr<PackedWeight> made =
            graph::packWeight(body, *weight, isKept ? StringRef("f32") : StringRef(storage), choices);
        if (failed(made))
          return failure();
        known = *made;
        if (!known.panels)
          continue;
        ++packed;
      }
      setWeight(op, op.getRhsMutable(), known.panels, weight->columns(), known.groups);
      if (known.scale)
        scaleSums(op, known.scale);
      isShortened |= isStoredAs(storage, known.panels, weight->element());
    }
    return isShortened;
  }

  /// The same of matrices that rows are routed to.
  FailureOr<bool> packRouted(Block &body) {
    bool isShortened = false;
    llvm::DenseMap<std::tuple<Attribute, Type, int>, PackedWeight> done;
    for (RoutedMatmulOp op : llvm::to_vector(body.getOps<RoutedMatmulOp>())) {
      std::optional<MatrixWeight> weight = graph::getMatrices(op.getWeights());
      if (!weight)
        continue;
      PackedWeight &known = done[weight->key()];
      if (!known.panels) {
        graph::PackingChoices choices{/*keepsMatrices=*/false, /*scalesSums=*/false, /*hasBF16=*/true,
                                      shortens};
        FailureOr<PackedWeight> made = graph::packWeight(body, *weight, routedStorage, choices);
        if (failed(made))
          return failure();
        known = *made;
        ++packed;
      }
      setWeight(op, op.getWeightsMutable(), known.panels, weight->columnsOfEach(), known.groups);
      isShortened |= isStoredAs(routedStorage, known.panels, weight->element());
    }
    return isShortened;
  }

  /// Matrices that the model stores in few bits stay as they are.
  LogicalResult packDequantized(Block &body) {
    llvm::DenseMap<DequantizeOp, graph::GroupedWeight> done;
    llvm::DenseMap<Value, Value> rounded;
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    // Whether it is such a matrix.
    auto take = [&](auto op, OpOperand &rhs) -> FailureOr<bool> {
      DequantizeOp weight = graph::getDequantizedWeight(rhs.get());
      if (!weight)
        return false;
      graph::GroupedWeight &known = done[weight];
      if (!known.panels) {
        FailureOr<graph::GroupedWeight> made = graph::packGroups(builder, weight);
        if (failed(made))
          return failure();
        known = *made;
        ++packed;
      }
      int64_t columns = cast<ShapedType>(weight.getType()).getShape().drop_back().back();
      setWeight(op, rhs, known.panels, columns, known.groups);
      return true;
    };
    for (RoutedMatmulOp op : llvm::to_vector(body.getOps<RoutedMatmulOp>()))
      if (failed(take(op, op.getWeightsMutable())))
        return failure();
    for (MatmulOp op : llvm::to_vector(body.getOps<MatmulOp>())) {
      FailureOr<bool> isTaken = take(op, op.getRhsMutable());
      if (failed(isTaken))
        return failure();
      if (!*isTaken || !roundsRows || !getElementTypeOrSelf(op.getLhs()).isF32() ||
          graph::hasIntegersOf16Bits(op.getCaptures()))
        continue;
      Value &rows = rounded[op.getLhs()];
      if (!rows)
        rows = graph::roundToBF16(op.getLhs());
      op.getLhsMutable().assign(rows);
      op.setF32Sums(true);
    }
    return success();
  }

  bool shortens = false;
};
} // namespace
