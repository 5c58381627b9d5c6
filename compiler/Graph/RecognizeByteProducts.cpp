// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds products of bytes in what quantized models multiply: integers of 32 bits, or floats.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/ByteNumbers.h"
#include "compiler/Graph/ConstantEvaluation.h"
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

/// The constant that a value is, moved or cast; null if it is none.
static FailureOr<Value> findConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ConstantOp>(op))
    return value;
  if (!isa_and_nonnull<CastOp, ReshapeOp, TransposeOp>(op))
    return Value();
  FailureOr<Value> source = findConstant(op->getOperand(0));
  if (failed(source) || !*source)
    return source;
  op->setOperand(0, *source);
  return graph::hasConstantOperands(op) ? graph::evaluateToConstant(op) : FailureOr<Value>(Value());
}

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
    FailureOr<Value> constant = findConstant(numbers->bytes);
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

/// The zero points of columns, or one for all; nothing if they are not constant integers.
static FailureOr<std::optional<SmallVector<int64_t>>> readZeros(Value zero) {
  using Zeros = std::optional<SmallVector<int64_t>>;
  if (!zero)
    return Zeros(SmallVector<int64_t>{0});
  FailureOr<Value> constant = findConstant(zero);
  if (failed(constant))
    return failure();
  if (!*constant)
    return Zeros();
  FailureOr<Tensor> tensor = graph::readTensor((*constant).getDefiningOp<ConstantOp>());
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
        if (failed(makeProduct(op)))
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

  LogicalResult makeProduct(ConvOp op);
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

/// A zero point as the byte that it is; null if that is not known. `zero` is not null.
static FailureOr<Value> findByte(OpBuilder &builder, Value zero, Type byte) {
  auto cast = zero.getDefiningOp<CastOp>();
  if (cast && getElementTypeOrSelf(cast.getInput()) == byte)
    return cast.getInput();
  auto zeros = readZeros(zero);
  if (failed(zeros))
    return failure();
  bool isSigned = !byte.isUnsignedInteger();
  if (!*zeros || (*zeros)->size() != 1 ||
      !(isSigned ? llvm::isInt<8>((*zeros)->front()) : llvm::isUInt<8>((*zeros)->front())))
    return Value();
  return graph::makeScalar(builder, zero.getLoc(), builder.getIntegerAttr(byte, (*zeros)->front()));
}

/// Whether there is one element in all.
static bool isSingle(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

/// What belongs to the outputs of a filter, as a column or a scalar; null if it does not.
static Value asColumnOfOutputs(OpBuilder &builder, Value value, Dim outputs) {
  MLIRContext *context = builder.getContext();
  if (isSingle(value))
    return graph::makeReshape(builder, value.getLoc(), value, {});
  auto dims = getDims(value);
  auto isOne = [](Dim dim) { return dim && dim.getConstant() == 1; };
  bool isColumn =
      dims && !dims->empty() && dims->front() == outputs && llvm::all_of(llvm::drop_begin(*dims), isOne);
  return isColumn ? graph::makeReshape(builder, value.getLoc(), value, {outputs, Dim::constant(context, 1)})
                  : Value();
}

LogicalResult RecognizeByteProducts::makeProduct(ConvOp op) {
  std::optional<ByteNumbers> input = graph::matchByteNumbers(op.getInput()),
                             filter = input ? graph::matchByteNumbers(op.getFilter()) : std::nullopt;
  if (!filter || op.getGroups() != 1 || !graph::isKnownType(op.getType()))
    return success();
  FailureOr<Value> taps = findConstant(filter->bytes);
  if (failed(taps) || !*taps)
    return failure(failed(taps));
  filter->bytes = *taps;
  for (Value part : {input->zero, input->scale})
    if (part && !isSingle(part))
      return success();
  IRRewriter rewriter(op);
  Dim outputs = getDims(filter->bytes)->front();
  Value zero;
  if (input->zero) {
    FailureOr<bool> hasInteger = isInteger(input->zero);
    FailureOr<Value> byte = findByte(rewriter, input->zero, getElementTypeOrSelf(input->bytes));
    if (failed(hasInteger) || failed(byte))
      return failure();
    if (!*hasInteger || !*byte)
      return success();
    zero = graph::makeReshape(rewriter, op.getLoc(), *byte, {});
  }
  for (Value *part : {&input->zero, &input->scale})
    if (*part)
      *part = graph::makeReshape(rewriter, op.getLoc(), *part, {});
  for (Value *part : {&filter->zero, &filter->scale}) {
    Value column = *part ? asColumnOfOutputs(rewriter, *part, outputs) : Value();
    if (bool(*part) != bool(column))
      return success();
    *part = column;
  }
  graph::rewriteConvOfBytes(op, *input, zero, *filter, rewriter);
  return success();
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
  FailureOr<bool> hasInteger = isInteger(left->zero);
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
