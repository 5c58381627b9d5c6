// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-route-products: products with matrices that are gathered for each row read them where they lie.
#include "compiler/Graph/DeadOperations.h"
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

/// Matrices with their dims swapped, as another constant; null if they are none.
static FailureOr<Value> transposeMatrices(OpBuilder &builder, Value matrices) {
  auto constant = matrices.getDefiningOp<ConstantOp>();
  if (!constant)
    return Value();
  SmallVector<char> memory;
  FailureOr<ArrayRef<char>> bytes = readConstant(constant, memory);
  if (failed(bytes))
    return failure();
  auto type = cast<RankedTensorType>(matrices.getType());
  int64_t count = type.getDimSize(0), rows = type.getDimSize(1), columns = type.getDimSize(2),
          size = getElementBytes(type.getElementType());
  constexpr int64_t kBlock = 16; // of both dims, so that lines of memory are used while they are in cache
  return createConstant(builder, constant.getLoc(), {count, columns, rows}, type.getElementType(),
                        [&](MutableArrayRef<char> out) {
                          for (int64_t i = 0; i < count; ++i)
                            for (int64_t firstRow = 0; firstRow < rows; firstRow += kBlock)
                              for (int64_t column = 0; column < columns; ++column)
                                for (int64_t row = firstRow; row < std::min(firstRow + kBlock, rows); ++row)
                                  memcpy(out.data() + ((i * columns + column) * rows + row) * size,
                                         bytes->data() + ((i * rows + row) * columns + column) * size, size);
                        });
}

namespace {
struct RouteProducts : graph::impl::RouteProductsBase<RouteProducts> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp product) { products.push_back(product); });
    for (MatmulOp product : products)
      if (failed(route(product)))
        return signalPassFailure();
    eraseDead(getOperation().front());
  }

private:
  LogicalResult route(MatmulOp product);
};
} // namespace

/// A row or a column for each matrix, on the other side.
LogicalResult RouteProducts::route(MatmulOp product) {
  auto isKnown = [](Value value) { return isKnownType(value.getType()); };
  if (!product.getEpilogue().empty() || product.getPackedColumns() || product.getF32Sums() ||
      !llvm::all_of(product->getOperands(), isKnown) || !isKnown(product.getResult()) ||
      !isa<FloatType>(getElementTypeOrSelf(product.getResult())))
    return success();
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
    if (!found || !isKnown(found->matrices) || getDims(gathered)->size() != 3 ||
        provablyEqual(dims[0], getDims(gathered)->front()) != true)
      continue;
    Value matrices = found->matrices;
    if (!isLeft) {
      FailureOr<Value> transposed = transposeMatrices(builder, matrices);
      if (failed(transposed))
        return failure();
      matrices = *transposed;
    }
    if (!matrices)
      continue;
    Dim columns = (*getDims(matrices))[1];
    Value rows = makeReshape(builder, product.getLoc(), vectors, {dims[0], dims[isLeft ? 1 : 2]});
    auto routed =
        RoutedMatmulOp::create(builder, product.getLoc(),
                               getTensorType({dims[0], columns}, getElementTypeOrSelf(product.getResult())),
                               rows, matrices, found->experts);
    product.getResult().replaceAllUsesWith(makeReshape(builder, product.getLoc(), routed, result));
    product.erase();
    ++this->routed;
    return success();
  }
  return success();
}
