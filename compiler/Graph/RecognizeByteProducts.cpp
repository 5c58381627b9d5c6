// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds products of bytes in what quantized models multiply: integers of 32 bits, or floats.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/ConstantEvaluation.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;
using graph::MatrixWeight;

namespace weft::graph {
#define GEN_PASS_DEF_RECOGNIZEBYTEPRODUCTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

namespace {
/// An operand as bytes, less a zero point, times a scale; each of the operand's type, and null if there is
/// none.
struct Bytes {
  Value numbers, zero, scale;
  bool areUnsigned() const { return getElementTypeOrSelf(numbers).isUnsignedInteger(); }
};

/// A weight less its zero points, of which `sums` are the sums of columns: quads, and where numbers less
/// their zero points do not fit signed bytes, what is to be added to them, for each column.
struct ByteWeight {
  Value quads, sums, rest;
};
} // namespace

/// cast(bytes), sub(cast(bytes), zero), or of floats either of these times a scale.
static std::optional<Bytes> matchBytes(Value value) {
  Bytes bytes;
  auto dims = getDims(value);
  if (auto mul = value.getDefiningOp<MulOp>(); mul && getElementTypeOrSelf(value).isF32()) {
    bytes.scale = mul.getRhs();
    value = mul.getLhs();
  }
  if (auto sub = value.getDefiningOp<SubOp>()) {
    bytes.zero = sub.getRhs();
    value = sub.getLhs();
  }
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast || !getElementTypeOrSelf(cast.getInput()).isInteger(8))
    return std::nullopt;
  bytes.numbers = cast.getInput();
  auto plain = getDims(bytes.numbers);
  if (!dims || !plain || !provablyEqualShapes(*dims, *plain))
    return std::nullopt;
  return bytes;
}

/// A constant matrix of bytes, whose zero points and scales are those of its columns.
struct ByteMatrix {
  MatrixWeight matrix;
  Bytes bytes;
};

/// The same of a right-hand side, which may be transposed before or after it is made of bytes.
static std::optional<ByteMatrix> matchMatrix(Value value) {
  bool isTransposed = graph::isMatrixTransposition(value.getDefiningOp());
  std::optional<Bytes> bytes = matchBytes(isTransposed ? value.getDefiningOp()->getOperand(0) : value);
  std::optional<MatrixWeight> matrix = bytes ? graph::getMatrix(bytes->numbers) : std::nullopt;
  if (!matrix)
    return std::nullopt;
  if (isTransposed) {
    auto constant = bytes->numbers.getDefiningOp<ConstantOp>();
    if (!constant)
      return std::nullopt;
    matrix.emplace(constant, true);
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
  if (!belongsToColumns(bytes->zero) || !belongsToColumns(bytes->scale))
    return std::nullopt;
  return ByteMatrix{*matrix, *bytes};
}

/// Whether a zero point or a scale is one for all of lhs, or for each of its rows: then sums can be corrected
/// for it.
static bool belongsToRows(Value of) {
  auto dims = of ? getDims(of) : std::optional<SmallVector<Dim>>(SmallVector<Dim>());
  return dims && (dims->empty() || (dims->back() && dims->back().getConstant() == 1));
}

/// The zero points of columns, or one for all; nothing if they are not constant integers.
static FailureOr<std::optional<SmallVector<int64_t>>> readZeros(Value zero) {
  using Zeros = std::optional<SmallVector<int64_t>>;
  if (!zero)
    return Zeros(SmallVector<int64_t>{0});
  if (auto cast = zero.getDefiningOp<CastOp>())
    zero = cast.getInput();
  auto constant = zero.getDefiningOp<ConstantOp>();
  if (!constant)
    return Zeros();
  FailureOr<Tensor> tensor = graph::readTensor(constant);
  if (failed(tensor))
    return failure();
  SmallVector<int64_t> zeros;
  for (int64_t i = 0; i < tensor->getNumElements(); ++i) {
    zeros.push_back(tensor->getInteger(i)); // of a float, toward zero
    if (tensor->isFloat() && tensor->getFloat(i) != double(zeros.back()))
      return Zeros();
  }
  return Zeros(zeros);
}

/// Whether a byte holds a number, signed or not.
static bool isOfByte(int64_t number) { return number >= INT8_MIN && number <= UINT8_MAX; }

/// Whether a zero point is surely an integer that a byte holds, signed or not: it is cast from bytes, or
/// constant. Sums of integers of 32 bits wrap, those of floats do not; with larger ones they might.
static FailureOr<bool> isInteger(Value zero) {
  if (!zero || isa<IntegerType>(getElementTypeOrSelf(zero)))
    return true;
  if (auto cast = zero.getDefiningOp<CastOp>())
    return getElementTypeOrSelf(cast.getInput()).isInteger(8);
  auto zeros = readZeros(zero);
  if (failed(zeros))
    return failure();
  return *zeros && llvm::all_of(**zeros, isOfByte);
}

/// A constant row of columns.
static FailureOr<Value> makeRow(OpBuilder &builder, const MatrixWeight &weight, ArrayRef<int32_t> numbers) {
  auto fill = [&](MutableArrayRef<char> out) { memcpy(out.data(), numbers.data(), out.size()); };
  return graph::createConstant(builder, weight.getConstant().getLoc(), {weight.columns()},
                               builder.getI32Type(), fill);
}

/// The deepest sum that is sure to fit i32 if both sides are bytes less what `isOfByte`.
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
  if (!fits && (weight.rows() > kMaxDepthOfAny || !llvm::all_of(zeros, isOfByte)))
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
  FailureOr<Value> sumRow = makeRow(builder, weight, sums);
  FailureOr<Value> restRow = fits ? FailureOr<Value>(Value()) : makeRow(builder, weight, rest);
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
static Bytes asUnsigned(OpBuilder &builder, Location location, Bytes bytes) {
  Type ui8 = builder.getIntegerType(8, /*isSigned=*/false), i32 = builder.getI32Type();
  auto castTo = [&](Value value, Type element) -> Value {
    if (!value || getElementTypeOrSelf(value) == element)
      return value;
    return CastOp::create(builder, location, getTensorType(*getDims(value), element), value, element);
  };
  bytes.zero = castTo(bytes.zero, i32);
  if (bytes.areUnsigned())
    return bytes;
  auto addMore = [&](Value value, Type element) {
    Value constant = graph::makeScalar(builder, location, builder.getIntegerAttr(element, 128));
    return value ? Value(AddOp::create(builder, location, value.getType(), value, constant)) : constant;
  };
  return {addMore(castTo(bytes.numbers, ui8), ui8), addMore(bytes.zero, i32), bytes.scale};
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

/// float(sum + rest * row's sum - zero * column's sum), times scales: the captures that there are, in this
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
  auto zeros = readZeros(zero);
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

/// Whether a product may be one of bytes: of floats, or of integers that become floats.
static bool isCandidate(MatmulOp op) {
  auto lhs = dyn_cast<RankedTensorType>(op.getLhs().getType());
  if (!lhs || lhs.getRank() < 2 || lhs.isDynamicDim(lhs.getRank() - 1) || op.getPackedColumns() ||
      !op.getEpilogue().empty() || !getDims(op.getResult()))
    return false;
  if (lhs.getElementType().isF32())
    return true;
  return lhs.getElementType().isSignlessInteger(32) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<CastOp>(user) && getElementTypeOrSelf(user->getResult(0)).isF32();
         });
}

LogicalResult RecognizeByteProducts::recognize(MatmulOp op) {
  if (!isCandidate(op))
    return success();
  std::optional<Bytes> left = matchBytes(op.getLhs());
  std::optional<ByteMatrix> right = left ? matchMatrix(op.getRhs()) : std::nullopt;
  if (!right || !belongsToRows(left->zero) || !belongsToRows(left->scale) ||
      right->matrix.rows() > Quads::kMaxDepth ||
      right->matrix.rows() != cast<ShapedType>(op.getLhs().getType()).getShape().back())
    return success();
  FailureOr<bool> hasInteger = isInteger(left->zero);
  if (failed(hasInteger) || !*hasInteger)
    return failure(failed(hasInteger));
  FailureOr<ByteWeight> weight =
      getWeight(*op->getBlock(), right->matrix, right->bytes.zero, right->bytes.areUnsigned());
  if (failed(weight))
    return failure();
  if (!weight->quads)
    return success();

  OpBuilder builder(op);
  int64_t columns = right->matrix.columns();
  Bytes rows = asUnsigned(builder, op.getLoc(), *left);
  SmallVector<Value> captures;
  if (weight->rest)
    captures.append({sumRows(builder, op.getLoc(), rows.numbers), weight->rest});
  if (rows.zero)
    captures.append({rows.zero, weight->sums});
  for (Value scale : {rows.scale, asRow(builder, right->bytes.scale, columns)})
    if (scale)
      captures.push_back(scale);
  auto type = getTensorType(*getDims(op.getResult()), builder.getF32Type());
  auto product =
      MatmulOp::create(builder, op.getLoc(), type, graph::padRows(rows.numbers, Quads::kPadding),
                       weight->quads, captures, builder.getI64IntegerAttr(columns), WeightGroupsAttr());
  writeEpilogue(product, bool(weight->rest), bool(rows.zero));
  if (getElementTypeOrSelf(op.getResult()).isF32()) {
    op.replaceAllUsesWith(product.getResult());
  } else {
    for (Operation *user : llvm::to_vector(op->getUsers())) {
      user->getResult(0).replaceAllUsesWith(product.getResult());
      user->erase();
    }
  }
  op.erase();
  ++recognized;
  return success();
}
