// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-route-products: products with matrices that are gathered for each row read them where they lie.
#include "compiler/Graph/Bodies.h"
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

/// A constant of matrices with their dims swapped.
static FailureOr<Value> transposeMatrices(OpBuilder &builder, ConstantOp constant) {
  SmallVector<char> memory;
  FailureOr<ArrayRef<char>> bytes = readConstant(constant, memory);
  if (failed(bytes))
    return failure();
  auto type = cast<RankedTensorType>(constant.getType());
  int64_t count = type.getDimSize(0), rows = type.getDimSize(1), columns = type.getDimSize(2),
          size = getElementBytes(type.getElementType());
  constexpr int64_t kRows = 16; // at a time: of each a line stays in cache
  return createConstant(builder, constant.getLoc(), {count, columns, rows}, type.getElementType(),
                        [&](MutableArrayRef<char> out) {
                          for (int64_t i = 0; i < count; ++i)
                            for (int64_t firstRow = 0; firstRow < rows; firstRow += kRows)
                              for (int64_t column = 0; column < columns; ++column)
                                for (int64_t row = firstRow; row < std::min(firstRow + kRows, rows); ++row)
                                  memcpy(out.data() + ((i * columns + column) * rows + row) * size,
                                         bytes->data() + ((i * rows + row) * columns + column) * size, size);
                        });
}

namespace {
struct RouteProducts : graph::impl::RouteProductsBase<RouteProducts> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    for (Block *body : getBodies(getOperation())) {
      transposed.clear();
      for (MatmulOp product : llvm::to_vector(body->getOps<MatmulOp>()))
        if (failed(route(product)))
          return signalPassFailure();
      eraseDead(*body);
    }
  }

private:
  LogicalResult route(MatmulOp product);
  FailureOr<Value> transpose(Value matrices);

  llvm::DenseMap<std::pair<Attribute, Type>, Value> transposed; ///< of a body's constants
};
} // namespace

/// Matrices with their dims swapped, once for all products; null if they are no constant.
FailureOr<Value> RouteProducts::transpose(Value matrices) {
  auto constant = matrices.getDefiningOp<ConstantOp>();
  if (!constant)
    return Value();
  Value &known = transposed[{constant.getValue(), constant.getType()}];
  if (known)
    return known;
  OpBuilder builder = OpBuilder::atBlockBegin(constant->getBlock());
  FailureOr<Value> made = transposeMatrices(builder, constant);
  if (succeeded(made))
    known = *made;
  return made;
}

/// The most matrices that are routed to: a kernel's tiles of each go through all rows, to find those that are
/// its own. A table of more has hardly two rows for one of them, and copies are better.
static constexpr int64_t kMostMatrices = 1024;

static bool areFew(Value matrices) {
  return (*getDims(matrices))[0].getConstant().value_or(kMostMatrices + 1) <= kMostMatrices;
}

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
    if (!found || !isKnown(found->matrices) || getDims(gathered)->size() != 3 || !areFew(found->matrices) ||
        provablyEqual(dims[0], getDims(gathered)->front()) != true)
      continue;
    Value matrices = found->matrices;
    if (!isLeft) {
      FailureOr<Value> swapped = transpose(matrices);
      if (failed(swapped))
        return failure();
      matrices = *swapped;
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
