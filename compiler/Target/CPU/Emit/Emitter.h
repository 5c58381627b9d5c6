// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels are written with: index arithmetic, loops, and vector access to flat buffers.
#ifndef WEFT_COMPILER_TARGET_CPU_EMIT_EMITTER_H
#define WEFT_COMPILER_TARGET_CPU_EMIT_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include <numeric>

namespace weft::cpu {

/// What emitters ask of the processor that code is for.
struct Features {
  int64_t vectorBits;  ///< 512 or 256 on x86-64, 128 on AArch64
  bool hasVNNI;        ///< AVX-512 VNNI: products of bytes, added up in fours
  bool hasPairs;       ///< AVX-512 BF16: products of bf16, added up in pairs
  bool hasAMX;         ///< AMX for bytes and bf16: products of matrices of them
  bool hasDotProducts; ///< AArch64's products of bytes, added up in fours
  /// Where a vector stands for the threads of a warp of a GPU: how many lanes it has, of whatever type.
  int64_t warpLanes = 0;
  /// How many lanes of a vector of several warps a thread has side by side, at most.
  int64_t mostOfPiece = 1;

  static Features ofWarp(int64_t lanes, int64_t mostOfPiece = 1) {
    return {32 * lanes, false, false, false, false, lanes, mostOfPiece};
  }

  /// Lanes of a vector of numbers of so many bits.
  int64_t lanesOf(int64_t bits) const { return warpLanes ? warpLanes : vectorBits / bits; }
  /// Vectors that a plain reduction takes at once, so that additions do not wait for each other; and a pass
  /// that stores what it loads, which on a GPU would have one load on its way at a time.
  int64_t unrolledVectors() const { return std::max<int64_t>(4, mostOfPiece); }
  int64_t storedVectors() const { return warpLanes ? unrolledVectors() : 1; }

  /// How many lanes of a vector with so many a thread has side by side.
  int64_t pieceOf(int64_t lanes) const { return std::gcd(lanes / warpLanes, mostOfPiece); }

  bool isX86() const { return vectorBits > 128; }
  /// Whether bytes are multiplied and added in quads; x86 without such instructions has some for 16 bits.
  bool multipliesQuads() const { return hasVNNI || !isX86(); }
  /// Whether vectors multiply pairs of bf16. Processors with AMX are slower at that than at f32.
  bool multipliesPairs() const { return hasPairs && !hasAMX; }
  /// Of vectors. AVX2 has fewer than the others.
  int64_t registers() const { return vectorBits == 256 ? 16 : 32; }
};

/// Where code is written, and for which processor.
struct EmitContext : Features {
  mlir::OpBuilder builder;
  mlir::Location location;
};

/// An index value with arithmetic that folds constants, so that a kernel of static sizes is emitted without
/// the cases that cannot occur. All are sizes and positions, hence not negative, except strides.
class Index {
public:
  Index(EmitContext &context, mlir::Value value) : context(&context), value(value) {}

  operator mlir::Value() const { return value; }
  std::optional<int64_t> constant() const { return mlir::getConstantIntValue(value); }
  bool is(int64_t expected) const { return constant() == expected; }

  friend Index operator+(Index left, Index right) { return left.make<mlir::arith::AddIOp>(right); }
  friend Index operator-(Index left, Index right) { return left.make<mlir::arith::SubIOp>(right); }
  friend Index operator*(Index left, Index right) { return left.make<mlir::arith::MulIOp>(right); }
  friend Index operator/(Index left, Index right) { return left.make<mlir::arith::DivUIOp>(right); }
  friend Index operator%(Index left, Index right) { return left.make<mlir::arith::RemUIOp>(right); }
  friend Index operator+(Index left, int64_t right) { return left + left.literal(right); }
  friend Index operator-(Index left, int64_t right) { return left - left.literal(right); }
  friend Index operator*(Index left, int64_t right) { return left * left.literal(right); }
  friend Index operator/(Index left, int64_t right) { return left / left.literal(right); }
  friend Index operator%(Index left, int64_t right) { return left % left.literal(right); }
  friend Index min(Index left, Index right) { return left.make<mlir::arith::MinUIOp>(right); }
  friend Index max(Index left, Index right) { return left.make<mlir::arith::MaxUIOp>(right); }
  friend Index ceilDiv(Index left, int64_t right) { return (left + (right - 1)) / right; }
  /// What `parts` parts of `size` have at most, if they are as even as can be but for multiples of `unit`.
  friend Index evenPart(Index size, Index parts, int64_t unit) {
    return ceilDiv((size + parts - 1) / parts, unit) * unit;
  }

  /// An i1 of a comparison.
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, Index right) const;
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, int64_t right) const {
    return compare(predicate, literal(right));
  }

private:
  template <typename Op> Index make(Index right) const {
    return Index(*context, context->builder.createOrFold<Op>(context->location, value, right.value));
  }
  Index literal(int64_t number) const;

  EmitContext *context;
  mlir::Value value;
};

/// A memref as its flat elements: element (i, j, ...) is flat[offset + i * strides[0] + j * strides[1] +
/// ...].
struct Buffer {
  mlir::Value flat;
  Index offset;
  llvm::SmallVector<Index> sizes, strides;
  mlir::Type element;

  size_t rank() const { return sizes.size(); }
};

/// Where element `number` in row-major order is among so many.
llvm::SmallVector<Index> positionOf(Index number, llvm::ArrayRef<Index> sizes);
/// Where in its flat elements a buffer has what is at a position, by strides that need not be its own.
Index placeOf(const Buffer &buffer, llvm::ArrayRef<Index> position, llvm::ArrayRef<Index> strides);

class Emitter : public EmitContext {
public:
  /// Writes before the kernel's work, `at`, which says whether i16 stands for bf16.
  Emitter(mlir::Operation *at, const Features &features);
  Emitter(const Emitter &) = delete; // an Index points to its emitter

  // Index arithmetic and scalars.
  Index index(int64_t value);
  Index index(mlir::Value value) { return Index(*this, value); }
  Index select(mlir::Value condition, Index yes, Index no);
  /// Where part number `part` of `parts` begins, and its size, if they are as even as can be.
  std::pair<Index, Index> evenRange(Index size, Index parts, Index part);
  /// A constant of a number type: 0, 1, -inf.
  mlir::Value number(mlir::Type type, double value);

  // Control flow. Bodies may carry values from one turn to the next.
  using Values = llvm::SmallVector<mlir::Value>;
  void loop(Index from, Index to, Index step, llvm::function_ref<void(Index)> body);
  Values loop(Index from, Index to, Index step, mlir::ValueRange carried,
              llvm::function_ref<Values(Index, mlir::ValueRange)> body);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> yes);
  void ifElse(mlir::Value condition, llvm::function_ref<void()> yes, llvm::function_ref<void()> no);
  Values ifElse(mlir::Value condition, mlir::TypeRange types, llvm::function_ref<Values()> yes,
                llvm::function_ref<Values()> no);
  /// Runs body(c) for the one of `cases` that `value` equals; a single case needs no test.
  void switchOver(Index value, llvm::ArrayRef<int64_t> cases, llvm::function_ref<void(int64_t)> body);

  // Buffers.
  /// Emits an error if the memref is neither contiguous nor a memref.reinterpret_cast of a contiguous one.
  mlir::FailureOr<Buffer> buffer(mlir::Value memref);
  /// Emits an error, too, if the innermost stride is not 1.
  mlir::FailureOr<Buffer> rowMajor(mlir::Value memref);
  /// The same for several.
  mlir::FailureOr<llvm::SmallVector<Buffer>> allRowMajor(mlir::ValueRange memrefs);
  /// Where the matrix of a place in the batch starts, of a buffer of which the first dims are the batch's, up
  /// to the last two. A batch dim that is 1, or missing, serves the whole batch.
  Index batchOffset(const Buffer &buffer, size_t batchRank, llvm::ArrayRef<Index> batch);
  mlir::Value loadScalar(const Buffer &from, Index at);
  void storeScalar(mlir::Value value, const Buffer &to, Index at);
  /// Memory of this call, on the stack: that many elements, and what is left of the last vector.
  Buffer scratch(mlir::Type element, int64_t elements);

  // Vectors. A null mask means all lanes.
  /// Lanes of one register of the target.
  int64_t lanes(mlir::Type element) const { return lanesOf(element.getIntOrFloatBitWidth()); }
  mlir::Value splat(mlir::Value scalar, int64_t lanes);
  mlir::Value load(const Buffer &from, Index at, int64_t lanes, mlir::Value mask = {},
                   mlir::Value padding = {});
  void store(mlir::Value vector, const Buffer &to, Index at, mlir::Value mask = {});
  /// Asks for the line that has an element, for the first-level cache (3), or for the second-level one (2).
  /// An address behind the buffer does no harm.
  void prefetch(const Buffer &from, Index at, int locality);
  mlir::Value mask(Index active, int64_t lanes);
  /// 0, stride, 2 * stride, ... as a vector of indices.
  mlir::Value ramp(Index stride, int64_t lanes);
  /// Runs over `width` columns, `lanes` at a time; what is left over runs under a mask, which is null before.
  Values overColumns(Index width, int64_t lanes, mlir::ValueRange carried,
                     llvm::function_ref<Values(Index column, mlir::Value mask, mlir::ValueRange)> body);
  void overColumns(Index width, int64_t lanes, llvm::function_ref<void(Index column, mlir::Value mask)> body);

  // Numbers: elements of memory as they are computed with, scalars and vectors alike. f16 and bf16 are f32
  // then, rounded when they are stored; i8 and i16 are i32, whose low bits are stored.
  mlir::Type computed(mlir::Type stored) const;
  mlir::Value widen(mlir::Value stored);
  mlir::Value narrow(mlir::Value number, mlir::Type stored);
  mlir::Value loadNumbers(const Buffer &from, Index at, int64_t lanes, mlir::Value mask = {},
                          mlir::Value padding = {});
  void storeNumbers(mlir::Value numbers, const Buffer &to, Index at, mlir::Value mask = {});
  /// One number on all lanes.
  mlir::Value splatNumber(const Buffer &from, Index at, int64_t lanes);

  /// Of floats or integers.
  mlir::Value add(mlir::Value left, mlir::Value right);
  /// `left` where it compares so with `right`, otherwise `right`: one instruction for a minimum or maximum,
  /// which does not pick a NaN on the left. One that keeps every NaN takes three.
  mlir::Value pick(mlir::arith::CmpFPredicate predicate, mlir::Value left, mlir::Value right);
  /// What an instruction of the target gives, by LLVM's name for it.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange operands);

  template <typename Op, typename... Args> mlir::Value create(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }

private:
  bool isBF16; ///< whether i16 in memory is the bits of a bf16
};

} // namespace weft::cpu

#endif // WEFT_COMPILER_TARGET_CPU_EMIT_EMITTER_H
