// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index arithmetic, loops and vector access.
#include "compiler/Target/CPU/Emit/Emitter.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weft::cpu;

Emitter::Emitter(Operation *at, const Features &features)
    : EmitContext{features, OpBuilder(at), at->getLoc()}, isBF16(at->hasAttr(weft::names::kBF16)) {}

//===----------------------------------------------------------------------===//
// Index arithmetic and scalars
//===----------------------------------------------------------------------===//

Value Index::compare(arith::CmpIPredicate predicate, Index right) const {
  return context->builder.createOrFold<arith::CmpIOp>(context->location, predicate, value, right.value);
}

Index Index::literal(int64_t number) const {
  return Index(*context, arith::ConstantIndexOp::create(context->builder, context->location, number));
}

Index Emitter::index(int64_t value) { return index(create<arith::ConstantIndexOp>(value)); }

Index Emitter::select(Value condition, Index yes, Index no) {
  return index(builder.createOrFold<arith::SelectOp>(location, condition, yes, no));
}

SmallVector<Index> weft::cpu::positionOf(Index number, ArrayRef<Index> sizes) {
  SmallVector<Index> position(sizes.size(), number);
  for (size_t i = sizes.size(); i-- > 0;) {
    position[i] = i == 0 ? number : number % sizes[i];
    number = number / sizes[i];
  }
  return position;
}

Index weft::cpu::placeOf(const Buffer &buffer, ArrayRef<Index> position, ArrayRef<Index> strides) {
  Index place = buffer.offset;
  for (auto [index, stride] : llvm::zip(position, strides))
    place = place + index * stride;
  return place;
}

std::pair<Index, Index> Emitter::evenRange(Index size, Index parts, Index part) {
  Index each = size / parts, larger = size % parts;
  Value isLarger = part.compare(arith::CmpIPredicate::ult, larger);
  return {part * each + min(part, larger), select(isLarger, each + 1, each)};
}

Value Emitter::number(Type type, double value) {
  if (isa<FloatType>(type))
    return create<arith::ConstantOp>(FloatAttr::get(type, value));
  return create<arith::ConstantOp>(IntegerAttr::get(type, int64_t(value)));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

Emitter::Values Emitter::loop(Index from, Index to, Index step, ValueRange carried,
                              llvm::function_ref<Values(Index, ValueRange)> body) {
  auto build = [&](OpBuilder &, Location, Value position, ValueRange arguments) {
    scf::YieldOp::create(builder, location, body(index(position), arguments));
  };
  return llvm::to_vector_of<Value>(
      scf::ForOp::create(builder, location, from, to, step, carried, build)->getResults());
}

void Emitter::loop(Index from, Index to, Index step, llvm::function_ref<void(Index)> body) {
  loop(from, to, step, {}, [&](Index position, ValueRange) {
    body(position);
    return Values();
  });
}

Emitter::Values Emitter::ifElse(Value condition, TypeRange types, llvm::function_ref<Values()> yes,
                                llvm::function_ref<Values()> no) {
  if (std::optional<int64_t> known = getConstantIntValue(condition))
    return *known ? yes() : no();
  OpBuilder::InsertionGuard guard(builder);
  auto branch =
      scf::IfOp::create(builder, location, types, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, location, yes());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, location, no());
  return llvm::to_vector_of<Value>(branch->getResults());
}

void Emitter::ifElse(Value condition, llvm::function_ref<void()> yes, llvm::function_ref<void()> no) {
  auto run = [](llvm::function_ref<void()> body) {
    body();
    return Values();
  };
  ifElse(condition, {}, [&] { return run(yes); }, [&] { return run(no); });
}

void Emitter::ifThen(Value condition, llvm::function_ref<void()> yes) {
  ifElse(condition, yes, [] {});
}

void Emitter::switchOver(Index value, ArrayRef<int64_t> cases, llvm::function_ref<void(int64_t)> body) {
  if (cases.size() == 1)
    return body(cases.front());
  OpBuilder::InsertionGuard guard(builder);
  auto branch = scf::IndexSwitchOp::create(builder, location, TypeRange(), value, cases, cases.size());
  for (auto [number, region] : llvm::zip(cases, branch.getCaseRegions())) {
    builder.createBlock(&region);
    body(number);
    scf::YieldOp::create(builder, location);
  }
  builder.createBlock(&branch.getDefaultRegion());
  scf::YieldOp::create(builder, location);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The memref as one dim that holds all of its elements.
static Value flatten(Emitter &emitter, Value memref, Index count) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t size = count.constant().value_or(ShapedType::kDynamic);
  auto flat = MemRefType::get(size, type.getElementType());
  if (flat == type)
    return memref;
  OpBuilder &builder = emitter.builder;
  OpFoldResult sizes =
      count.constant() ? OpFoldResult(builder.getIndexAttr(size)) : OpFoldResult(Value(count));
  return emitter.create<memref::ReinterpretCastOp>(flat, memref, OpFoldResult(builder.getIndexAttr(0)), sizes,
                                                   OpFoldResult(builder.getIndexAttr(1)));
}

static Buffer contiguousBuffer(Emitter &emitter, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Buffer result{{}, emitter.index(0), {}, {}, type.getElementType()};
  for (int64_t i = 0; i < type.getRank(); ++i)
    result.sizes.push_back(type.isDynamicDim(i) ? emitter.index(emitter.create<memref::DimOp>(memref, i))
                                                : emitter.index(type.getDimSize(i)));
  Index stride = emitter.index(1);
  result.strides.assign(type.getRank(), stride);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    result.strides[i] = stride;
    stride = stride * result.sizes[i];
  }
  result.flat = flatten(emitter, memref, stride);
  return result;
}

FailureOr<Buffer> Emitter::buffer(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getElementType().isInteger(1))
    return emitError(location) << "expects bools to be i8 in memory, got " << type;
  if (type.getLayout().isIdentity() && !memref.getDefiningOp<memref::ReinterpretCastOp>())
    return contiguousBuffer(*this, memref);
  auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>();
  if (!cast || !mlir::cast<MemRefType>(cast.getSource().getType()).getLayout().isIdentity())
    return emitError(location) << "expects a contiguous memref or a memref.reinterpret_cast of one, got "
                               << type;
  auto asIndices = [&](ArrayRef<OpFoldResult> mixed) {
    return llvm::map_to_vector(mixed, [&](OpFoldResult value) {
      std::optional<int64_t> constant = getConstantIntValue(value);
      return constant ? index(*constant) : index(mlir::cast<Value>(value));
    });
  };
  Buffer result = contiguousBuffer(*this, cast.getSource());
  result.offset = asIndices(cast.getMixedOffsets()).front();
  result.sizes = asIndices(cast.getMixedSizes());
  result.strides = asIndices(cast.getMixedStrides());
  return result;
}

FailureOr<Buffer> Emitter::rowMajor(Value memref) {
  FailureOr<Buffer> result = buffer(memref);
  if (succeeded(result) && result->rank() > 0 && !result->strides.back().is(1))
    return emitError(location) << "expects rows of adjacent elements, got " << memref.getType();
  return result;
}

FailureOr<SmallVector<Buffer>> Emitter::allRowMajor(ValueRange memrefs) {
  SmallVector<Buffer> buffers;
  for (Value memref : memrefs) {
    FailureOr<Buffer> found = rowMajor(memref);
    if (failed(found))
      return failure();
    buffers.push_back(*found);
  }
  return buffers;
}

Index Emitter::batchOffset(const Buffer &buffer, size_t batchRank, ArrayRef<Index> batch) {
  Index offset = buffer.offset;
  size_t missing = batch.size() - batchRank;
  for (size_t i = 0; i < batchRank; ++i) {
    Value isOne = buffer.sizes[i].compare(arith::CmpIPredicate::eq, 1);
    offset = offset + batch[missing + i] * select(isOne, index(0), buffer.strides[i]);
  }
  return offset;
}

Value Emitter::loadScalar(const Buffer &from, Index at) {
  return create<memref::LoadOp>(from.flat, ValueRange(Value(at)));
}

void Emitter::storeScalar(Value value, const Buffer &to, Index at) {
  memref::StoreOp::create(builder, location, value, to.flat, ValueRange(Value(at)));
}

Buffer Emitter::scratch(Type element, int64_t elements) {
  constexpr int64_t kCacheLine = 64;
  elements = llvm::alignTo(elements, lanes(element));
  auto type = MemRefType::get(elements, element);
  Value memory = create<memref::AllocaOp>(type, builder.getI64IntegerAttr(kCacheLine));
  return {memory, index(0), {index(elements)}, {index(1)}, element};
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value Emitter::splat(Value scalar, int64_t lanes) {
  return create<vector::BroadcastOp>(VectorType::get(lanes, scalar.getType()), scalar);
}

Value Emitter::load(const Buffer &from, Index at, int64_t lanes, Value mask, Value padding) {
  auto type = VectorType::get(lanes, from.element);
  if (!mask)
    return create<vector::LoadOp>(type, from.flat, ValueRange(Value(at)));
  Value otherwise = splat(padding ? padding : number(from.element, 0), lanes);
  return create<vector::MaskedLoadOp>(type, from.flat, ValueRange(Value(at)), mask, otherwise);
}

void Emitter::store(Value vector, const Buffer &to, Index at, Value mask) {
  if (mask)
    vector::MaskedStoreOp::create(builder, location, to.flat, ValueRange(Value(at)), mask, vector);
  else
    vector::StoreOp::create(builder, location, vector, to.flat, ValueRange(Value(at)));
}

void Emitter::prefetch(const Buffer &from, Index at, int locality) {
  memref::PrefetchOp::create(builder, location, from.flat, ValueRange(Value(at)), /*isWrite=*/false, locality,
                             /*isDataCache=*/true);
}

Value Emitter::mask(Index active, int64_t lanes) {
  return create<vector::CreateMaskOp>(VectorType::get(lanes, builder.getI1Type()), ValueRange(Value(active)));
}

Value Emitter::ramp(Index stride, int64_t lanes) {
  Value steps = create<vector::StepOp>(VectorType::get(lanes, builder.getIndexType()));
  return stride.is(1) ? steps : create<arith::MulIOp>(steps, splat(stride, lanes));
}

Emitter::Values Emitter::overColumns(Index width, int64_t lanes, ValueRange carried,
                                     llvm::function_ref<Values(Index, Value, ValueRange)> body) {
  Index rest = width % lanes, whole = width - rest;
  Values values(carried);
  if (!whole.is(0))
    values = loop(index(0), whole, index(lanes), values,
                  [&](Index column, ValueRange arguments) { return body(column, {}, arguments); });
  return ifElse(
      rest.compare(arith::CmpIPredicate::ne, 0), ValueRange(values).getTypes(),
      [&] { return body(whole, mask(rest, lanes), values); }, [&] { return values; });
}

void Emitter::overColumns(Index width, int64_t lanes, llvm::function_ref<void(Index, Value)> body) {
  overColumns(width, lanes, {}, [&](Index column, Value mask, ValueRange) {
    body(column, mask);
    return Values();
  });
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// A type with this element and the shape of another.
static Type withElement(Type shape, Type element) {
  auto vector = dyn_cast<VectorType>(shape);
  return vector ? Type(vector.clone(element)) : element;
}

Type Emitter::computed(Type stored) const {
  if (stored.isF16() || stored.isBF16() || (isBF16 && stored.isInteger(16)))
    return Float32Type::get(stored.getContext());
  bool isNarrow = isa<IntegerType>(stored) && stored.getIntOrFloatBitWidth() < 32;
  return isNarrow ? IntegerType::get(stored.getContext(), 32) : stored;
}

Value Emitter::widen(Value stored) {
  Type element = getElementTypeOrSelf(stored), to = computed(element),
       type = withElement(stored.getType(), to);
  if (element == to)
    return stored;
  if (isa<IntegerType>(to))
    return create<arith::ExtSIOp>(type, stored);
  if (isa<IntegerType>(element))
    stored = create<arith::BitcastOp>(withElement(type, builder.getBF16Type()), stored);
  return create<arith::ExtFOp>(type, stored);
}

Value Emitter::narrow(Value number, Type stored) {
  Type from = getElementTypeOrSelf(number), type = withElement(number.getType(), stored);
  if (from == stored)
    return number;
  if (isa<IntegerType>(from))
    return create<arith::TruncIOp>(type, number);
  if (isa<FloatType>(stored))
    return create<arith::TruncFOp>(type, number);
  Value rounded = create<arith::TruncFOp>(withElement(type, builder.getBF16Type()), number);
  return create<arith::BitcastOp>(type, rounded);
}

Value Emitter::add(Value left, Value right) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(left));
  return isFloat ? create<arith::AddFOp>(left, right) : create<arith::AddIOp>(left, right);
}

Value Emitter::loadNumbers(const Buffer &from, Index at, int64_t lanes, Value mask, Value padding) {
  if (computed(from.element) == from.element)
    return load(from, at, lanes, mask, padding);
  Value numbers = widen(load(from, at, lanes, mask));
  return mask && padding ? create<arith::SelectOp>(mask, numbers, splat(padding, lanes)) : numbers;
}

void Emitter::storeNumbers(Value numbers, const Buffer &to, Index at, Value mask) {
  store(narrow(numbers, to.element), to, at, mask);
}

Value Emitter::splatNumber(const Buffer &from, Index at, int64_t lanes) {
  return widen(splat(loadScalar(from, at), lanes));
}

Value Emitter::pick(arith::CmpFPredicate predicate, Value left, Value right) {
  return create<arith::SelectOp>(create<arith::CmpFOp>(predicate, left, right), left, right);
}

Value Emitter::intrinsic(StringRef name, Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, location, result, builder.getStringAttr(name), operands)
      .getResult(0);
}
