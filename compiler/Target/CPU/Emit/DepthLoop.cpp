// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over the depth of which each step has a row of rhs.
#include "compiler/Target/CPU/Emit/DepthLoop.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

/// How many rows of a packed panel are on their way to the first-level cache.
static constexpr int64_t kRowsAhead = 32;
static constexpr int64_t kLineBits = 64 * 8;

int64_t weft::cpu::elementsPerLine(const Buffer &buffer) {
  return kLineBits / buffer.element.getIntOrFloatBitWidth();
}

int64_t weft::cpu::elementsPerColumn(RowFormat format) {
  switch (format) {
  case RowFormat::Quads:
    return Quads::kDepth;
  case RowFormat::Pairs:
  case RowFormat::Shorts:
    return Pairs::kDepth;
  default:
    return 1;
  }
}

/// Weights come from memory, and the processor's own prefetching stops at the end of each page. Some rows
/// ahead for the first-level cache, and what `ahead` says for the second-level one.
void DepthLoop::prefetch(Index row, Index at) const {
  if (!ahead)
    return;
  if (ahead->unpackedFrom)
    return e.prefetch(*ahead->unpackedFrom, ahead->start + row * ahead->step, /*locality=*/2);
  int64_t elements = vectors * lanes() * elementsPerColumn(format);
  if (ahead->bringsRows)
    for (int64_t element = 0; element < elements; element += elementsPerLine(rhs))
      e.prefetch(rhs, at + rhsPitch * kRowsAhead + element, /*locality=*/3);
  e.prefetch(rhs, ahead->start + row * ahead->step, /*locality=*/2);
}

Index DepthLoop::vectorAt(Index start, int64_t vector) const {
  if (!panels)
    return start + vector * lanes() * elementsPerColumn(format);
  Index panel = e.index(vector / panels->vectors);
  if (panels->last)
    panel = min(panel, *panels->last);
  return start + panel * panels->pitch + vector % panels->vectors * lanes();
}

Emitter::Values DepthLoop::loadRow(Index row) const {
  Index at = rhsStart + row * rhsPitch;
  prefetch(row, at);
  Emitter::Values loaded;
  for (int64_t v = 0; v < vectors; ++v)
    loaded.push_back(e.load(rhs, at + v * lanes(), lanes()));
  return loaded;
}

/// A vector of rhs as numbers of the sums' type.
static Value loadWeights(const DepthLoop &loop, Index at, Value mask) {
  Value weights = loop.e.loadNumbers(loop.rhs, at, loop.lanes(), mask);
  bool isInteger = isa<IntegerType>(getElementTypeOrSelf(weights));
  return isInteger && isa<FloatType>(loop.number)
             ? loop.e.create<arith::SIToFPOp>(VectorType::get(loop.lanes(), loop.number), weights)
             : weights;
}

/// Words of a vector's columns.
static Value loadWords(const DepthLoop &loop, Index at) {
  Value elements = loop.e.load(loop.rhs, at, loop.lanes() * elementsPerColumn(loop.format));
  return loop.e.create<vector::BitCastOp>(VectorType::get(loop.lanes(), loop.e.builder.getI32Type()),
                                          elements);
}

/// The first and the second bf16 of each lane of i32, as numbers of f32.
static std::array<Value, 2> splitPairs(Emitter &e, Value words) {
  auto type = cast<VectorType>(words.getType());
  auto splat = [&](int64_t bits) {
    return e.create<arith::ConstantOp>(DenseElementsAttr::get(type, llvm::APInt(32, bits)));
  };
  auto toFloats = [&](Value bits) {
    return e.create<arith::BitcastOp>(type.clone(e.builder.getF32Type()), bits);
  };
  return {toFloats(e.create<arith::ShLIOp>(words, splat(16))),
          toFloats(e.create<arith::AndIOp>(words, splat(0xFFFF0000)))};
}

/// Two steps, for each of which the vectors' words hold a number.
static Emitter::Values stepPairs(const DepthLoop &loop, Index k, ArrayRef<Value> words, ValueRange sums) {
  std::array<Emitter::Values, Pairs::kDepth> weights;
  for (Value word : words)
    for (auto [numbers, number] : llvm::zip(weights, splitPairs(loop.e, word)))
      numbers.push_back(number);
  Emitter::Values first = loop.step(k, weights[0], sums);
  return loop.step(k + 1, weights[1], first);
}

Emitter::Values DepthLoop::emit(ValueRange sums) const {
  if (format == RowFormat::Int4 || format == RowFormat::Groups)
    return emitGroupsDepthLoop(*this, sums);
  if (format == RowFormat::Int4Quads)
    return emitInt4QuadsDepthLoop(*this, sums);
  int64_t each = elementsPerColumn(format);
  return e.loop(e.index(0), size, e.index(each), sums, [&](Index k, ValueRange carried) {
    Index row = k / each, start = rhsStart + row * rhsPitch;
    prefetch(row, start);
    Emitter::Values weights;
    for (int64_t v = 0; v < vectors; ++v) {
      Index at = vectorAt(start, v);
      weights.push_back(each > 1 ? loadWords(*this, at)
                                 : loadWeights(*this, at, v == vectors - 1 ? mask : Value()));
    }
    bool isSplit = format == RowFormat::Pairs && !e.multipliesPairs();
    return isSplit ? stepPairs(*this, k, weights, carried) : step(k, weights, carried);
  });
}

std::array<Value, 2> weft::cpu::splitBytes(Emitter &e, Value words, bool isSigned) {
  auto halves =
      VectorType::get(2 * cast<VectorType>(words.getType()).getNumElements(), e.builder.getI16Type());
  Value pairs = e.create<vector::BitCastOp>(halves, words);
  Value eight = e.splat(e.number(halves.getElementType(), 8), halves.getNumElements());
  Value shifted = e.create<arith::ShLIOp>(pairs, eight);
  if (isSigned)
    return {e.create<arith::ShRSIOp>(shifted, eight), e.create<arith::ShRSIOp>(pairs, eight)};
  return {e.create<arith::ShRUIOp>(shifted, eight), e.create<arith::ShRUIOp>(pairs, eight)};
}

/// By dot products of signed bytes: left's, less 128 each, and 128 of right's, as twice 64. All wraps around
/// as sums of i32 do, so that the result is exact. Without them byte by byte.
static Value addProductsOfBytesByNEON(Emitter &e, Value left, Value right, Value sum) {
  auto words = cast<VectorType>(sum.getType());
  auto number = [&](int64_t value) {
    return e.splat(e.number(words.getElementType(), value), words.getNumElements());
  };
  if (e.hasDotProducts) {
    auto bytes = VectorType::get(words.getNumElements() * Quads::kDepth, e.builder.getI8Type());
    auto dot = [&](Value l, Value r) {
      return e.intrinsic("llvm.aarch64.neon.sdot", words,
                         {sum, e.create<vector::BitCastOp>(bytes, l), e.create<vector::BitCastOp>(bytes, r)});
    };
    sum = dot(e.create<arith::XOrIOp>(left, number(int32_t(0x80808080))), right);
    for (int twice = 0; twice < 2; ++twice)
      sum = dot(number(0x40404040), right);
    return sum;
  }
  for (int64_t byte = 0; byte < Quads::kDepth; ++byte) {
    Value top = number(24), toTop = number(24 - 8 * byte);
    Value l = e.create<arith::ShRUIOp>(e.create<arith::ShLIOp>(left, toTop), top);
    Value r = e.create<arith::ShRSIOp>(e.create<arith::ShLIOp>(right, toTop), top);
    sum = e.create<arith::AddIOp>(sum, e.create<arith::MulIOp>(l, r));
  }
  return sum;
}

Value weft::cpu::addProductsOfBytes(Emitter &e, Value left, Value right, Value sum) {
  auto words = cast<VectorType>(sum.getType());
  if (e.hasVNNI) {
    auto bytes = VectorType::get(words.getNumElements() * Quads::kDepth, e.builder.getI8Type());
    Value leftBytes = e.create<vector::BitCastOp>(bytes, left),
          rightBytes = e.create<vector::BitCastOp>(bytes, right);
    return e.intrinsic("llvm.x86.avx512.vpdpbusd.512", words, {sum, leftBytes, rightBytes});
  }
  if (!e.isX86())
    return addProductsOfBytesByNEON(e, left, right, sum);
  // Products of bytes in 16 bits would overflow when two are added: widen first.
  for (auto [l, r] : llvm::zip(splitBytes(e, left, false), splitBytes(e, right, true)))
    sum = addProductsOfShorts(e, l, r, sum);
  return sum;
}

Value weft::cpu::addProductsOfShorts(Emitter &e, Value left, Value right, Value sum) {
  auto words = cast<VectorType>(sum.getType());
  auto halves = VectorType::get(2 * words.getNumElements(), e.builder.getI16Type());
  StringRef name = e.vectorBits == 512 ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd";
  Value products = e.intrinsic(
      name, words, {e.create<vector::BitCastOp>(halves, left), e.create<vector::BitCastOp>(halves, right)});
  return e.create<arith::AddIOp>(sum, products);
}

Value weft::cpu::addProductsOfPairs(Emitter &e, Value left, Value right, Value sum) {
  auto floats = cast<VectorType>(sum.getType());
  auto pairs = VectorType::get(floats.getNumElements() * Pairs::kDepth, e.builder.getBF16Type());
  return e.intrinsic(
      "llvm.x86.avx512bf16.dpbf16ps.512", floats,
      {sum, e.create<vector::BitCastOp>(pairs, left), e.create<vector::BitCastOp>(pairs, right)});
}
