// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads, what they share, and regions of scalars.
#include "compiler/Target/NVGPU/Emit/BlockEmitter.h"
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

static constexpr int64_t kWarpThreads = cta::CtaDialect::kWarpThreads;

BlockEmitter::BlockEmitter(Operation *at, int64_t threads, int64_t mostOfPiece)
    : Emitter(at, cpu::Features::ofWarp(kWarpThreads, mostOfPiece)), threads(threads),
      thread(index(create<cta::ThreadIdOp>(builder.getIndexType()))), lane(thread % kWarpThreads),
      warp(thread / kWarpThreads), block(index(create<cta::BlockIdOp>(builder.getIndexType()))) {}

Buffer BlockEmitter::shared(Type element, ArrayRef<int64_t> sizes, int64_t padding) {
  Buffer buffer{{}, index(0), {}, {}, element};
  int64_t stride = 1;
  SmallVector<int64_t> strides(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= i + 1 == sizes.size() ? sizes[i] + padding : sizes[i];
  }
  for (auto [size, each] : llvm::zip_equal(sizes, strides)) {
    buffer.sizes.push_back(index(size));
    buffer.strides.push_back(index(each));
  }
  Attribute space = builder.getI64IntegerAttr(cta::CtaDialect::kShared);
  buffer.flat = create<cta::SharedOp>(MemRefType::get({stride}, element, MemRefLayoutAttrInterface(), space),
                                      IntegerAttr());
  return buffer;
}

bool BlockEmitter::hasRowsOfPieces(const Buffer &buffer) {
  auto isWhole = [&](Value number) { return isMultiple(number, perLoad(buffer.element)); };
  return buffer.strides.back().is(1) && isWhole(buffer.sizes.back()) && isWhole(buffer.offset) &&
         llvm::all_of(ArrayRef(buffer.strides).drop_back(), isWhole);
}

bool BlockEmitter::hasAlignedRows(const Buffer &buffer) {
  return buffer.element.getIntOrFloatBitWidth() == 16 && hasRowsOfPieces(buffer);
}

void BlockEmitter::copyMatrix(const Buffer &from, Index start, Index rows, Index columns, const Buffer &to,
                              Index place) {
  // Eight threads at a time use all banks: those of a row, or if it has fewer pieces, of eight rows, which
  // begin in different banks, unless they follow one another.
  constexpr int64_t kAtOnce = 8;
  size_t last = to.rank() - 1;
  int64_t each = perLoad(to.element), pieces = *to.sizes[last].constant() / each,
          rowsThere = *to.sizes[last - 1].constant();
  bool isContiguous = to.strides[last - 1].is(pieces * each);
  bool isByRows = isContiguous || pieces >= kAtOnce || rowsThere % kAtOnce != 0;
  overThreads(rowsThere * pieces, [&](Index i) {
    Index ofRows = i % (kAtOnce * pieces), piece = isByRows ? i % pieces : ofRows / kAtOnce;
    Index row = isByRows ? i / pieces : i / (kAtOnce * pieces) * kAtOnce + ofRows % kAtOnce;
    Index column = piece * each;
    Value isThere = create<arith::ConstantIntOp>(1, 1);
    if (!rows.is(rowsThere))
      isThere = row.compare(arith::CmpIPredicate::ult, rows);
    if (!columns.is(pieces * each))
      isThere = both(isThere, column.compare(arith::CmpIPredicate::ult, columns));
    // What is the same each time that a loop comes here is added up first.
    Index at = select(isThere, row * from.strides[from.rank() - 2] + column + start, index(0));
    copyAsync(from, at, to, row * to.strides[last - 1] + column + place, isThere);
  });
}

Value BlockEmitter::loadMatrices(const Buffer &from, Index place, bool transposed) {
  Index at = place + lane % 16 * from.strides[from.rank() - 2] + lane / 16 * perLoad(from.element);
  return create<cta::LoadMatricesOp>(from.flat, Value(at), transposed);
}

Value BlockEmitter::packPair(Value low, Value high, Type element) {
  return create<cta::PackOp>(builder.getI32Type(), low, high, element);
}

void BlockEmitter::overThreads(int64_t count, llvm::function_ref<void(Index)> body) {
  // Turn by turn, so that loads and copies of several are on their way at once.
  constexpr int64_t kMostTurns = 8;
  int64_t turns = count / threads, rest = count % threads;
  if (turns > kMostTurns)
    return loop(thread, index(count), index(threads), body);
  for (int64_t turn = 0; turn < turns; ++turn)
    body(thread + turn * threads);
  if (rest > 0)
    ifThen(thread.compare(arith::CmpIPredicate::ult, rest), [&] { body(thread + turns * threads); });
}

Value BlockEmitter::multiplyAdd(Value left, Value right, Value sum) {
  if (isa<FloatType>(sum.getType()))
    return create<math::FmaOp>(left, right, sum);
  return create<arith::AddIOp>(create<arith::MulIOp>(left, right), sum);
}

Value BlockEmitter::reduceWarp(Value value, llvm::function_ref<Value(Value, Value)> combine,
                               int64_t columns) {
  for (int64_t distance = kWarpThreads / 2; distance >= columns; distance /= 2) {
    Value by = create<arith::ConstantIntOp>(builder.getI32Type(), distance);
    value = combine(value, create<cta::ShuffleOp>(value.getType(), cta::ShuffleKind::Xor, value, by));
  }
  return value;
}

Value BlockEmitter::loadIf(Value isThere, const Buffer &from, Index at, Type type,
                           llvm::function_ref<Value(Value)> widenBy) {
  auto load = [&] {
    Value element = loadScalar(from, at);
    return Values{type == from.element ? element : widenBy ? widenBy(element) : widen(element)};
  };
  return ifElse(isThere, type, load, [&] { return Values{number(type, 0)}; }).front();
}

BlockEmitter::Values BlockEmitter::loadMany(const Buffer &from, Index at, int64_t count, bool isAligned) {
  int64_t each = perLoad(from.element), wide = isAligned ? count / each * each : 0;
  Values elements;
  for (int64_t i = 0; i < wide; i += each) {
    auto type = VectorType::get({each}, from.element);
    Value vector = create<vector::LoadOp>(type, from.flat, ValueRange(Value(at + i)), /*nontemporal=*/false,
                                          llvm::MaybeAlign(16));
    for (int64_t lane = 0; lane < each; ++lane)
      elements.push_back(create<vector::ExtractOp>(vector, lane));
  }
  for (int64_t i = wide; i < count; ++i)
    elements.push_back(loadScalar(from, at + i));
  return elements;
}

void BlockEmitter::storeWhole(Value vector, const Buffer &to, Index at) {
  auto type = cast<VectorType>(vector.getType());
  auto store = vector::StoreOp::create(builder, location, vector, to.flat, ValueRange(Value(at)));
  store.setAlignment(type.getNumElements() * type.getElementTypeBitWidth() / 8);
}

BlockEmitter::Values BlockEmitter::loadWords(const Buffer &from, Index at, int64_t count) {
  constexpr int64_t kWordBits = 32;
  int64_t bits = from.element.getIntOrFloatBitWidth();
  Type word = builder.getI32Type();
  if (bits == kWordBits && count == 1)
    return {create<arith::BitcastOp>(word, loadScalar(from, at))};
  auto type = VectorType::get({count * kWordBits / bits}, from.element);
  Value vector = create<vector::LoadOp>(type, from.flat, ValueRange(Value(at)), /*nontemporal=*/false,
                                        llvm::MaybeAlign(count * kWordBits / 8));
  Value words = create<vector::BitCastOp>(VectorType::get({count}, word), vector);
  return llvm::map_to_vector(llvm::seq(count),
                             [&](int64_t i) -> Value { return create<vector::ExtractOp>(words, i); });
}

void BlockEmitter::storeWord(Value word, const Buffer &to, Index at) {
  Value one = create<vector::FromElementsOp>(VectorType::get({1}, word.getType()), word);
  int64_t count = 32 / to.element.getIntOrFloatBitWidth();
  storeWhole(create<vector::BitCastOp>(VectorType::get({count}, to.element), one), to, at);
}

void BlockEmitter::bring(const Buffer &from, Index start, Index rows, Index columns, const Buffer &to,
                         llvm::function_ref<Value(Value)> widenBy) {
  int64_t height = *to.sizes[0].constant(), width = *to.sizes[1].constant();
  overThreads(height * width, [&](Index i) {
    Index row = i / width, column = i % width;
    Value isThere = row.compare(arith::CmpIPredicate::ult, rows);
    if (!columns.is(width))
      isThere = both(isThere, column.compare(arith::CmpIPredicate::ult, columns));
    Index at = start + row * from.strides[from.rank() - 2] + column * from.strides.back();
    storeScalar(loadIf(isThere, from, at, to.element, widenBy), to,
                row * to.strides[0] + column * to.strides[1]);
  });
}

FailureOr<BlockEmitter::Values> BlockEmitter::region(Block &block, ValueRange arguments,
                                                     ArrayRef<Buffer> captures, ArrayRef<Index> position) {
  // Vectors of one lane: what is said there of regions holds here, too.
  constexpr int64_t kOne = 1;
  Values vectors = llvm::map_to_vector(arguments, [&](Value value) { return splat(value, kOne); });
  auto captured = block.getArguments().drop_front(arguments.size());
  for (auto [capture, argument] : llvm::zip_equal(captures, captured))
    vectors.push_back(cpu::loadCapture(*this, capture, argument.getType(), position, kOne, Value()));
  FailureOr<Values> results = cpu::emitVectorRegion(*this, block, vectors, kOne, {});
  if (failed(results))
    return failure();
  return Values(llvm::map_range(*results, [&](Value value) -> Value {
    return isa<VectorType>(value.getType()) ? create<vector::ExtractOp>(value, 0) : value;
  }));
}
