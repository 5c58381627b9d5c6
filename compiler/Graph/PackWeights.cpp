// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores constant right-hand sides of matmul as panels of 48 columns.
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/Passes.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

namespace {
/// A constant matrix [rows, columns], or its transposition.
struct Weight {
  ConstantOp constant;
  bool isTransposed = false;

  int64_t rows() const { return shape()[isTransposed ? 1 : 0]; }
  int64_t columns() const { return shape()[isTransposed ? 0 : 1]; }
  Type element() const { return type().getElementType(); }
  int64_t elementBytes() const { return element().getIntOrFloatBitWidth() / 8; }

private:
  RankedTensorType type() const { return cast<RankedTensorType>(ConstantOp(constant).getType()); }
  ArrayRef<int64_t> shape() const { return type().getShape(); }
};

constexpr int64_t kPanel = MatmulOp::kPanelColumns;
} // namespace

/// The constant that a matmul's rhs is, if it can be packed.
static std::optional<Weight> getWeight(MatmulOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getRhs().getType());
  auto lhs = dyn_cast<RankedTensorType>(op.getLhs().getType());
  if (op.getPackedColumns() || !type || type.getRank() != 2 || !lhs || lhs.getRank() < 2 ||
      !type.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  Value source = op.getRhs();
  auto transpose = source.getDefiningOp<TransposeOp>();
  bool isTransposed = transpose && transpose.getPermutation() == ArrayRef<int64_t>{1, 0};
  auto constant = (isTransposed ? transpose.getInput() : source).getDefiningOp<ConstantOp>();
  if (!constant)
    return std::nullopt;
  return Weight{constant, isTransposed};
}

/// Writes panel after panel: row k of panel p holds the matrix's row k from column 48 p on, zeros beyond the
/// last. The source may lie at any byte of a model file, so elements are copied as bytes.
static void pack(const Weight &weight, const char *source, char *panels) {
  int64_t rows = weight.rows(), columns = weight.columns(), bytes = weight.elementBytes();
  // Neighbours along a row lie side by side in the source, or a whole row of the transposed matrix apart.
  int64_t rowStride = weight.isTransposed ? bytes : columns * bytes;
  int64_t columnStride = weight.isTransposed ? rows * bytes : bytes;
  for (int64_t first = 0; first < columns; first += kPanel) {
    int64_t width = std::min(kPanel, columns - first);
    for (int64_t row = 0; row < rows; ++row, panels += kPanel * bytes) {
      const char *from = source + row * rowStride + first * columnStride;
      for (int64_t column = 0; column < width; ++column)
        memcpy(panels + column * bytes, from + column * columnStride, bytes);
      std::fill(panels + width * bytes, panels + kPanel * bytes, 0); // zero in every type
    }
  }
}

/// The packed constant, at the start of the function, so that every matmul can share it.
static FailureOr<Value> makePacked(func::FuncOp function, const Weight &weight) {
  SmallVector<char> storage;
  FailureOr<ArrayRef<char>> bytes = readConstant(weight.constant, storage);
  if (failed(bytes))
    return failure();
  int64_t panels = llvm::divideCeil(weight.columns(), kPanel);
  auto type = RankedTensorType::get({panels, weight.rows(), kPanel}, weight.element());
  Location location = ConstantOp(weight.constant).getLoc();
  FailureOr<Attribute> value = makeConstant(
      type, location, [&](MutableArrayRef<char> out) { pack(weight, bytes->data(), out.data()); });
  if (failed(value))
    return failure();
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&function.front());
  return Value(ConstantOp::create(builder, location, type, *value));
}

namespace {
struct PackWeights : weft::graph::impl::PackWeightsBase<PackWeights> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    // By data and not by operation: constants that CSE did not see are shared too.
    llvm::DenseMap<std::tuple<Attribute, Type, int>, Value> done;
    for (MatmulOp op : llvm::to_vector(getOperation().getOps<MatmulOp>())) {
      std::optional<Weight> weight = getWeight(op);
      if (!weight)
        continue;
      Value &packedValue =
          done[{weight->constant.getValue(), weight->constant.getType(), weight->isTransposed}];
      if (!packedValue) {
        FailureOr<Value> made = makePacked(getOperation(), *weight);
        if (failed(made))
          return signalPassFailure();
        packedValue = *made;
        ++packed;
      }
      op.getRhsMutable().assign(packedValue);
      op.setPackedColumns(weight->columns());
    }
    graph::eraseDead(getOperation().front());
  }
};
} // namespace
