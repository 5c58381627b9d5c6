// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the constant of a matmul, and reads it.
#include "compiler/Graph/MatrixWeights.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace weft;
using graph::MatrixWeight;

MatrixWeight::MatrixWeight(ConstantOp constant, bool isTransposed)
    : constant(constant), isTransposed(isTransposed), isOne(type().getRank() == 2),
      matrixCount(isOne ? 1 : type().getDimSize(0)),
      rowCount(type().getShape().take_back(2)[isTransposed ? 1 : 0]),
      columnCount(type().getShape().take_back(2)[isTransposed ? 0 : 1]),
      elementSize(element().getIntOrFloatBitWidth() / 8) {}

bool graph::isMatrixTransposition(Operation *op) {
  auto transpose = dyn_cast_if_present<TransposeOp>(op);
  return transpose && transpose.getPermutation() == ArrayRef<int64_t>{1, 0};
}

bool graph::isTranspositionOfMatrices(Operation *op) {
  auto transpose = dyn_cast_if_present<TransposeOp>(op);
  return transpose && transpose.getPermutation() == ArrayRef<int64_t>{0, 2, 1};
}

bool graph::isRoutedWeight(OpOperand &use) {
  auto routed = dyn_cast<RoutedMatmulOp>(use.getOwner());
  return routed && use.getOperandNumber() == 1 && !routed.getPackedColumns();
}

/// A constant of that rank, or what `isTransposition` holds of, of one.
static std::optional<MatrixWeight> getWeightOfRank(Value value, int64_t rank,
                                                   bool (*isTransposition)(Operation *)) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != rank || !type.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  bool isTransposed = isTransposition(value.getDefiningOp());
  if (isTransposed)
    value = value.getDefiningOp()->getOperand(0);
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? std::optional(MatrixWeight(constant, isTransposed)) : std::nullopt;
}

std::optional<MatrixWeight> graph::getMatrix(Value value) {
  return getWeightOfRank(value, 2, isMatrixTransposition);
}

std::optional<MatrixWeight> graph::getMatrices(Value value) {
  return getWeightOfRank(value, 3, isTranspositionOfMatrices);
}

std::optional<MatrixWeight> graph::getWeight(MatmulOp op) {
  auto lhs = dyn_cast<RankedTensorType>(op.getLhs().getType());
  if (op.getPackedColumns() || !lhs || lhs.getRank() < 2)
    return std::nullopt;
  return getMatrix(op.getRhs());
}

bool graph::areKnown(MatmulOp op, const MatrixWeight &weight, Type element) {
  std::optional<SmallVector<Dim>> lhs = getDims(op.getLhs());
  return weight.element() == element && getElementTypeOrSelf(op.getLhs()) == element && lhs && lhs->back() &&
         lhs->back().getConstant() == weight.rows();
}

bool graph::areKnownFloats(MatmulOp op, const MatrixWeight &weight) {
  return areKnown(op, weight, Float32Type::get(op.getContext()));
}

/// Experts and classes are fewer, words more.
static constexpr int64_t kMostChoices = 1024;
/// How far a choice may be from the product.
static constexpr size_t kMostBetween = 32;

/// Whether an operation's elements still say which of a row's are large.
static bool keepsOrder(Operation *op) {
  return isElementwise(op) || isa<ReshapeOp, SqueezeOp, UnsqueezeOp, TransposeOp, SliceOp, ExpandOp,
                                  SoftmaxOp, LogSoftmaxOp, ReduceOp>(op);
}

bool graph::isChosenFrom(MatmulOp op) {
  auto dims = getDims(op.getResult());
  if (!dims || dims->empty() || !dims->back() ||
      dims->back().getConstant().value_or(kMostChoices + 1) > kMostChoices)
    return false;
  llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
  for (size_t i = 0; i < users.size() && i < kMostBetween; ++i) {
    Operation *user = users[i];
    if (isa<TopKOp, ArgReduceOp>(user))
      return true;
    if (keepsOrder(user))
      users.insert(user->user_begin(), user->user_end());
  }
  return false;
}

Value graph::roundToBF16(Value rows) {
  OpBuilder builder(rows.getContext());
  builder.setInsertionPointAfterValue(rows);
  Type bf16 = builder.getBF16Type();
  return CastOp::create(builder, rows.getLoc(), getTensorType(*getDims(rows), bf16), rows, bf16);
}

Value graph::padRows(Value rows, int64_t multiple) {
  SmallVector<Dim> dims = *getDims(rows);
  int64_t depth = *dims.back().getConstant(), padded = llvm::alignTo(depth, multiple);
  if (depth == padded)
    return rows;
  OpBuilder builder(rows.getContext());
  builder.setInsertionPointAfterValue(rows);
  auto constant = [&](int64_t value) { return Dim::constant(rows.getContext(), value); };
  SmallVector<Dim> before(dims.size(), constant(0)), after = before;
  after.back() = constant(padded - depth);
  dims.back() = constant(padded);
  return PadOp::create(builder, rows.getLoc(), getTensorType(dims, getElementTypeOrSelf(rows)),
                       PadMode::Constant, rows, Value(), Value(), ArrayRef<int64_t>(),
                       getDimsAttr(rows.getContext(), before), getDimsAttr(rows.getContext(), after));
}

bool graph::isFinite(const MatrixWeight &weight, const char *source) {
  ConstantOp constant = weight.getConstant();
  auto places = llvm::seq<int64_t>(0, cast<ShapedType>(constant.getType()).getNumElements());
  return llvm::all_of(places,
                      [&](int64_t i) { return std::isfinite(readFloat(source + i * sizeof(float))); });
}

std::optional<std::vector<float>> graph::chooseColumnScales(const MatrixWeight &weight, const char *source,
                                                            float largest) {
  std::vector<float> scales(weight.columns(), 0);
  // A panel after the other: of columns or rows, whichever lie in memory, so many are in cache.
  for (int64_t first = 0; first < weight.columns(); first += MatmulOp::kPanelColumns) {
    int64_t count = std::min(MatmulOp::kPanelColumns, weight.columns() - first);
    std::vector<const char *> starts = weight.findColumns(source, first, count);
    for (int64_t row = 0; row < weight.rows(); ++row)
      for (int64_t column = 0; column < count; ++column) {
        float value = readFloat(weight, starts[column], row);
        if (!std::isfinite(value))
          return std::nullopt;
        float &scale = scales[first + column];
        scale = std::max(scale, std::abs(value));
      }
  }
  for (float &scale : scales) // a scale that is no normal number would lose what it divides
    scale = std::max(scale / largest, std::numeric_limits<float>::min());
  return scales;
}

int8_t graph::quantize(float element, float scale) { return int8_t(std::nearbyint(element / scale)); }

uint16_t graph::roundToBF16(float value) {
  constexpr uint32_t kLargest = 0x7F7F;
  uint32_t bits = llvm::bit_cast<uint32_t>(value), rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  if (std::isnan(value))
    return uint16_t(bits >> 16 | 0x40);
  if (std::isfinite(value) && (rounded & 0x7FFF) > kLargest)
    return uint16_t((rounded & 0x8000) | kLargest);
  return uint16_t(rounded);
}

bool graph::hasIntegersOf16Bits(ValueRange captures) {
  return llvm::any_of(captures, [](Value capture) {
    Type element = getElementTypeOrSelf(capture);
    return isa<IntegerType>(element) && element.getIntOrFloatBitWidth() == 16;
  });
}

FailureOr<Value> graph::createConstant(OpBuilder &builder, Location location, ArrayRef<int64_t> shape,
                                       Type element, llvm::function_ref<void(MutableArrayRef<char>)> fill) {
  auto type = RankedTensorType::get(shape, element);
  FailureOr<Attribute> value = makeConstant(type, location, fill);
  if (failed(value))
    return failure();
  return ConstantOp::create(builder, location, type, *value).getResult();
}

/// The elements of a column from row `first` on.
static SmallVector<float> readGroup(const MatrixWeight &weight, const char *source, int64_t first,
                                    int64_t count, int64_t column) {
  SmallVector<float> group;
  const char *start = weight.findColumn(source, column);
  for (int64_t row = first; row < first + count; ++row)
    group.push_back(graph::readFloat(weight, start, row));
  return group;
}

FailureOr<Value> graph::packWords(
    OpBuilder &builder, const MatrixWeight &weight, const char *source, int64_t blocks, int64_t words,
    int64_t groupRows,
    llvm::function_ref<void(ArrayRef<float> group, int64_t first, int64_t column, uint32_t *words)> add) {
  constexpr int64_t kWidth = MatmulOp::kPanelColumns;
  int64_t rows = weight.rows(), columns = weight.columns();
  auto fill = [&](MutableArrayRef<char> out) {
    std::fill(out.begin(), out.end(), 0);
    auto *panel = reinterpret_cast<uint32_t *>(out.data());
    for (int64_t start = 0; start < columns; start += kWidth, panel += blocks * words * kWidth)
      for (int64_t first = 0; first < rows; first += groupRows) // rows of a panel, which stay in cache
        for (int64_t column = start; column < std::min(start + kWidth, columns); ++column)
          add(readGroup(weight, source, first, std::min(groupRows, rows - first), column), first, column,
              panel + (column - start));
  };
  return createConstant(builder, weight.getConstant().getLoc(),
                        {int64_t(llvm::divideCeil(columns, kWidth)), blocks, words, kWidth},
                        builder.getI32Type(), fill);
}

void graph::packGroup(WeightGroupsAttr groups, ArrayRef<float> group, int64_t first, float scale,
                      uint32_t *words) {
  constexpr int64_t kWidth = MatmulOp::kPanelColumns;
  uint32_t mask = uint32_t(-1) >> (32 - groups.getBits());
  words[groups.groupWord(first) * kWidth] = llvm::bit_cast<uint32_t>(scale);
  for (auto [i, value] : llvm::enumerate(group)) {
    int64_t k = first + int64_t(i);
    auto number = int32_t(value == 0 ? 0 : std::nearbyint(value / scale));
    words[groups.word(k) * kWidth] |= (uint32_t(number) & mask) << groups.shift(k);
  }
}

Value graph::writeByteSum(OpBuilder &builder, Location location, Value sum, Value zero, Value columnSum) {
  if (zero) {
    Value offset = arith::MulIOp::create(builder, location, zero, columnSum);
    sum = arith::SubIOp::create(builder, location, sum, offset);
  }
  return sum;
}

Block &graph::getOrCreateEpilogue(MatmulOp op) {
  Region &epilogue = op.getEpilogue();
  if (epilogue.empty()) {
    OpBuilder builder(op.getContext());
    Block &block = epilogue.emplaceBlock();
    builder.setInsertionPointToEnd(&block);
    Value sum = block.addArgument(getElementTypeOrSelf(op.getResult()), op.getLoc());
    YieldOp::create(builder, op.getLoc(), ValueRange(sum));
  }
  return epilogue.front();
}
