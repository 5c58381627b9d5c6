// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-route-products: products with matrices that are gathered for each row read them where they lie.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/DequantizedWeights.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_ROUTEPRODUCTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

namespace {
/// A matrix for each of a list of experts.
struct Gathered {
  Value matrices, experts; ///< [experts, ...] and [rows]
};
} // namespace

static std::optional<Gathered> findGathered(OpBuilder &builder, Value value) {
  if (auto gather = value.getDefiningOp<GatherOp>()) {
    auto indices = getDims(gather.getIndices());
    if (gather.getAxis() == 0 && indices && indices->size() == 1)
      return Gathered{gather.getData(), gather.getIndices()};
  }
  if (auto gather = value.getDefiningOp<GatherNDOp>()) {
    auto indices = getDims(gather.getIndices());
    if (gather.getBatchDims() == 0 && indices && indices->size() == 2 && indices->back().getConstant() == 1)
      return Gathered{gather.getData(),
                      makeReshape(builder, gather.getLoc(), gather.getIndices(), {indices->front()})};
  }
  return std::nullopt;
}

/// The most matrices that are routed to: a kernel's tiles of each go through all rows, to find those that are
/// its own. A table of more has hardly two rows for one of them, and copies are better.
static constexpr int64_t kMostMatrices = 1024;

static bool areFew(Value matrices) {
  return (*getDims(matrices))[0].getConstant().value_or(kMostMatrices + 1) <= kMostMatrices;
}

/// While they are packed.
static bool canBeTransposed(Value matrices) {
  auto dequantize = matrices.getDefiningOp<DequantizeOp>();
  return dequantize ? canBeGroups(dequantize) : getMatrices(matrices).has_value();
}

/// A row for each matrix, or a column on the other side, where matrices are constants: those are transposed
/// while they are packed. Whether there was one.
static bool route(MatmulOp product) {
  auto isKnown = [](Value value) { return isKnownType(value.getType()); };
  if (!product.getEpilogue().empty() || product.getPackedColumns() || product.getF32Sums() ||
      !llvm::all_of(product->getOperands(), isKnown) || !isKnown(product.getResult()) ||
      !isa<FloatType>(getElementTypeOrSelf(product.getResult())))
    return false;
  SmallVector<Dim> result = getDims(product.getType());
  for (bool isLeft : {true, false}) {
    Value gathered = isLeft ? product.getLhs() : product.getRhs();
    Value vectors = isLeft ? product.getRhs() : product.getLhs();
    SmallVector<Dim> dims = *getDims(vectors);
    // The dim of the vectors that has to be 1.
    size_t one = isLeft ? 2 : 1;
    if (result.size() != 3 || dims.size() != 3 || dims[one].getConstant() != 1)
      continue;
    OpBuilder builder(product);
    std::optional<Gathered> found = findGathered(builder, gathered);
    if (!found || !isKnown(found->matrices) || getDims(gathered)->size() != 3 || !areFew(found->matrices) ||
        (isLeft && !canBeTransposed(found->matrices)) ||
        provablyEqual(dims[0], getDims(gathered)->front()) != true)
      continue;
    Value matrices = found->matrices;
    if (isLeft)
      matrices = makeTranspose(builder, product.getLoc(), matrices, {0, 2, 1});
    Dim columns = (*getDims(matrices))[2];
    Value rows = makeReshape(builder, product.getLoc(), vectors, {dims[0], dims[isLeft ? 1 : 2]});
    Type type = getTensorType({dims[0], columns}, getElementTypeOrSelf(product.getResult()));
    auto routed = RoutedMatmulOp::create(builder, product.getLoc(), type, rows, matrices, found->experts,
                                         IntegerAttr(), WeightGroupsAttr());
    product.getResult().replaceAllUsesWith(makeReshape(builder, product.getLoc(), routed, result));
    product.erase();
    return true;
  }
  return false;
}

namespace {
struct RouteProducts : graph::impl::RouteProductsBase<RouteProducts> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    for (Block *body : getBodies(getOperation())) {
      for (MatmulOp product : llvm::to_vector(body->getOps<MatmulOp>()))
        routed += route(product);
      eraseDead(*body);
    }
  }
};
} // namespace
