// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds products of bytes in what quantized models multiply: integers of 32 bits, or floats.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/ByteNumbers.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;
using graph::ByteNumbers, graph::MatrixWeight;

namespace weft::graph {
#define GEN_PASS_DEF_RECOGNIZEBYTEPRODUCTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

namespace {
/// A weight less its zero points, of which `sums` are the sums of columns: quads, and where numbers less
/// their zero points do not fit signed bytes, what is to be added to them, for each column.
struct ByteWeight {
  Value quads, sums, rest;
};
} // namespace

/// A constant matrix of bytes, whose zero points and scales are those of its columns.
struct ByteMatrix {
  MatrixWeight matrix;
  ByteNumbers numbers;
};

/// The same of a right-hand side, which may be transposed before or after it is made of bytes; nothing if it
/// is none.
static FailureOr<std::optional<ByteMatrix>> matchMatrix(Value value) {
  using Match = std::optional<ByteMatrix>;
  bool isTransposed = graph::isMatrixTransposition(value.getDefiningOp());
  std::optional<ByteNumbers> numbers =
      graph::matchByteNumbers(isTransposed ? value.getDefiningOp()->getOperand(0) : value);
  if (!numbers)
    return Match();
  std::optional<MatrixWeight> matrix = graph::getMatrix(numbers->bytes);
  if (!matrix || isTransposed) {
    FailureOr<Value> constant = graph::findConstant(numbers->bytes);
    if (failed(constant))
      return failure();
    matrix = *constant ? graph::getMatrix(*constant) : std::nullopt;
    if (!matrix)
      return Match();
    matrix.emplace((*constant).getDefiningOp<ConstantOp>(), isTransposed);
  }
  // One for all, or one for each column: in a transposed matrix those are rows.
  auto belongsToColumns = [&](Value of) {
    auto type = of ? dyn_cast<RankedTensorType>(of.getType()) : RankedTensorType();
    if (!type || !type.hasStaticShape())
      return !of;
    int64_t place = type.getRank() - (isTransposed ? 2 : 1);
    return type.getNumElements() == 1 || (type.getNumElements() == matrix->columns() && place >= 0 &&
                                          type.getDimSize(unsigned(place)) == matrix->columns());
  };
  if (!belongsToColumns(numbers->zero) || !belongsToColumns(numbers->scale))
    return Match();
  return Match(ByteMatrix{*matrix, *numbers});
}

/// Whether a zero point or a scale is one for all of lhs, or for each of its rows: then sums can be corrected
/// for it.
static bool belongsToRows(Value of) {
  auto dims = of ? getDims(of) : std::optional<SmallVector<Dim>>(SmallVector<Dim>());
  return dims && (dims->empty() || (dims->back() && dims->back().getConstant() == 1));
}

/// The deepest sum that is sure to fit i32 if both sides are bytes less what isOfByte says.
static constexpr int64_t kMaxDepthOfAny = INT32_MAX / (383 * 383);

/// Whether all of a weight's numbers less their zero points fit signed bytes.
template <typename Source>
static bool fitsSigned(const MatrixWeight &weight, const char *source, ArrayRef<int64_t> zeros) {
  for (int64_t column = 0; column < weight.columns(); ++column) {
    const char *start = weight.findColumn(source, column);
    int64_t zero = zeros[zeros.size() == 1 ? 0 : column];
    for (int64_t row = 0; row < weight.rows(); ++row)
      if (!llvm::isInt<8>(graph::readElement<Source>(start + row * weight.rowPitch()) - zero))
        return false;
  }
  return true;
}

/// The weight as a product has it; null values if its sums might not fit i32.
template <typename Source>
static FailureOr<ByteWeight> packBytes(OpBuilder &builder, const MatrixWeight &weight,
                                       ArrayRef<int64_t> zeros) {
  SmallVector<char> memory;
  FailureOr<ArrayRef<char>> bytes = readConstant(weight.getConstant(), memory);
  if (failed(bytes))
    return failure();
  std::vector<int32_t> sums(weight.columns(), 0), rest;
  auto zeroOf = [&](int64_t column) { return zeros[zeros.size() == 1 ? 0 : column]; };
  constexpr int64_t kMiddle = std::is_signed_v<Source> ? 0 : 128;
  bool fits = fitsSigned<Source>(weight, bytes->data(), zeros);
  if (!fits && (weight.rows() > kMaxDepthOfAny || !llvm::all_of(zeros, graph::isOfByte)))
    return ByteWeight();
  for (int64_t column = 0; !fits && column < weight.columns(); ++column)
    rest.push_back(int32_t(kMiddle - zeroOf(column)));
  auto convert = [&](Source value, int64_t column) {
    int64_t number = value - zeroOf(column);
    sums[column] += int32_t(number);
    return int8_t(fits ? number : value - kMiddle);
  };
  FailureOr<Value> quads = graph::packTogether<Quads, int8_t, Source>(builder, weight, bytes->data(),
                                                                      builder.getI8Type(), convert);
  FailureOr<Value> sumRow = graph::createRow(builder, weight, builder.getI32Type(), sums), restRow = Value();
  if (!fits)
    restRow = graph::createRow(builder, weight, builder.getI32Type(), rest);
  if (failed(quads) || failed(sumRow) || failed(restRow))
    return failure();
  return ByteWeight{*quads, *sumRow, *restRow};
}

/// The sums of rows of bytes, [..., 1], of i32.
static Value sumRows(OpBuilder &builder, Location location, Value bytes) {
  SmallVector<Dim> dims = *getDims(bytes);
  Type i32 = builder.getI32Type();
  Value numbers = CastOp::create(builder, location, getTensorType(dims, i32), bytes, i32);
  int64_t last = int64_t(dims.size()) - 1;
  dims.back() = Dim::constant(builder.getContext(), 1);
  return ReduceOp::create(builder, location, getTensorType(dims, i32), ReduceKind::Sum, numbers,
                          ArrayRef<int64_t>(last), /*keepdims=*/true);
}

/// Signed bytes as unsigned ones, 128 more, as their zero point is, which becomes an i32.
static ByteNumbers asUnsigned(OpBuilder &builder, Location location, ByteNumbers numbers) {
  Type ui8 = builder.getIntegerType(8, /*isSigned=*/false), i32 = builder.getI32Type();
  auto castTo = [&](Value value, Type element) -> Value {
    if (!value || getElementTypeOrSelf(value) == element)
      return value;
    return CastOp::create(builder, location, getTensorType(*getDims(value), element), value, element);
  };
  numbers.zero = castTo(numbers.zero, i32);
  if (numbers.areUnsigned())
    return numbers;
  auto addMore = [&](Value value, Type element) {
    Value constant = graph::makeScalar(builder, location, builder.getIntegerAttr(element, 128));
    return value ? Value(AddOp::create(builder, location, value.getType(), value, constant)) : constant;
  };
  numbers.bytes = addMore(castTo(numbers.bytes, ui8), ui8);
  numbers.zero = addMore(numbers.zero, i32);
  return numbers;
}

/// A scale of columns as it broadcasts to a product.
static Value asRow(OpBuilder &builder, Value scale, int64_t columns) {
  auto type = scale ? cast<RankedTensorType>(scale.getType()) : RankedTensorType();
  if (!scale || type.getRank() == 0)
    return scale;
  SmallVector<int64_t> shape;
  if (type.getNumElements() > 1 || columns == 1)
    shape.push_back(columns);
  return ReshapeOp::create(builder, scale.getLoc(), RankedTensorType::get(shape, type.getElementType()),
                           scale, Value(), UnitAttr());
}

/// sum + rest * row's sum - zero * column's sum, of floats times scales: the captures that there are, in this
/// order.
static void writeEpilogue(MatmulOp op, bool hasRest, bool hasZero) {
  Block &block = op.getEpilogue().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  Location location = op.getLoc();
  Value sum = block.addArgument(builder.getI32Type(), location);
  for (Value capture : op.getCaptures())
    block.addArgument(getElementTypeOrSelf(capture), location);
  ArrayRef<BlockArgument> captures = block.getArguments().drop_front();
  auto take = [&] {
    Value first = captures.front();
    captures = captures.drop_front();
    return first;
  };
  if (hasRest) {
    Value ofRow = take(), rest = take();
    sum =
        arith::AddIOp::create(builder, location, sum, arith::MulIOp::create(builder, location, ofRow, rest));
  }
  Value zero = hasZero ? take() : Value(), ofColumn = hasZero ? take() : Value();
  Value number = graph::writeByteSum(builder, location, sum, zero, ofColumn);
  if (getElementTypeOrSelf(op.getType()).isF32())
    number = arith::SIToFPOp::create(builder, location, builder.getF32Type(), number);
  for (Value scale : captures)
    number = arith::MulFOp::create(builder, location, number, scale);
  YieldOp::create(builder, location, number);
}

namespace {
struct RecognizeByteProducts : weft::graph::impl::RecognizeByteProductsBase<RecognizeByteProducts> {
  using RecognizeByteProductsBase::RecognizeByteProductsBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    for (Block *body : graph::getBodies(getOperation())) {
      weights.clear(); // of another body
      for (ConvOp op : llvm::to_vector(body->getOps<ConvOp>()))
        if (failed(graph::makeByteProduct(op)))
          return signalPassFailure();
      for (MatmulOp op : llvm::to_vector(body->getOps<MatmulOp>()))
        if (failed(recognize(op)))
          return signalPassFailure();
    }
    graph::eraseDead(getOperation().front());
  }

private:
  using Key = std::pair<std::tuple<Attribute, Type, int>, Value>;
  llvm::DenseMap<Key, ByteWeight> weights; ///< by matrix and zero points

  LogicalResult recognize(MatmulOp op);
  FailureOr<ByteWeight> getWeight(Block &body, const MatrixWeight &weight, Value zero, bool isUnsigned);
};
} // namespace

FailureOr<ByteWeight> RecognizeByteProducts::getWeight(Block &body, const MatrixWeight &weight, Value zero,
                                                       bool isUnsigned) {
  auto [known, isNew] = weights.try_emplace(Key{weight.key(), zero});
  if (!isNew)
    return known->second;
  auto zeros = graph::readZeros(zero);
  if (failed(zeros))
    return failure();
  if (!*zeros)
    return ByteWeight();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  FailureOr<ByteWeight> made =
      isUnsigned ? packBytes<uint8_t>(builder, weight, **zeros) : packBytes<int8_t>(builder, weight, **zeros);
  if (succeeded(made))
    known->second = *made;
  return made;
}

/// Whether a product may be one of bytes.
static bool isCandidate(MatmulOp op) {
  auto lhs = dyn_cast<RankedTensorType>(op.getLhs().getType());
  if (!lhs || lhs.getRank() < 2 || lhs.isDynamicDim(lhs.getRank() - 1) || op.getPackedColumns() ||
      !op.getEpilogue().empty() || !getDims(op.getResult()))
    return false;
  return lhs.getElementType().isF32() || lhs.getElementType().isSignlessInteger(32);
}

LogicalResult RecognizeByteProducts::recognize(MatmulOp op) {
  if (!isCandidate(op))
    return success();
  std::optional<ByteNumbers> left = graph::matchByteNumbers(op.getLhs());
  if (!left)
    return success();
  auto match = matchMatrix(op.getRhs());
  if (failed(match))
    return failure();
  std::optional<ByteMatrix> right = *match;
  if (!right || !belongsToRows(left->zero) || !belongsToRows(left->scale) ||
      right->matrix.rows() > Quads::kMaxDepth ||
      right->matrix.rows() != cast<ShapedType>(op.getLhs().getType()).getShape().back())
    return success();
  FailureOr<bool> hasInteger = graph::isInteger(left->zero);
  if (failed(hasInteger) || !*hasInteger)
    return failure(failed(hasInteger));
  FailureOr<ByteWeight> weight =
      getWeight(*op->getBlock(), right->matrix, right->numbers.zero, right->numbers.areUnsigned());
  if (failed(weight))
    return failure();
  if (!weight->quads)
    return success();

  OpBuilder builder(op);
  int64_t columns = right->matrix.columns();
  ByteNumbers rows = asUnsigned(builder, op.getLoc(), *left);
  SmallVector<Value> captures;
  if (weight->rest)
    captures.append({sumRows(builder, op.getLoc(), rows.bytes), weight->rest});
  if (rows.zero)
    captures.append({rows.zero, weight->sums});
  for (Value scale : {rows.scale, asRow(builder, right->numbers.scale, columns)})
    if (scale)
      captures.push_back(scale);
  auto product =
      MatmulOp::create(builder, op.getLoc(), op.getType(), graph::padRows(rows.bytes, Quads::kPadding),
                       weight->quads, captures, builder.getI64IntegerAttr(columns), WeightGroupsAttr());
  writeEpilogue(product, bool(weight->rest), bool(rows.zero));
  op.replaceAllUsesWith(product.getResult());
  op.erase();
  ++recognized;
  return success();
}
