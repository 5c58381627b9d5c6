// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels that a whole block of threads works on are written with: index arithmetic, loops and buffers
// as for CPUs, but every value is one thread's.
#ifndef WEFT_COMPILER_TARGET_NVGPU_EMIT_BLOCKEMITTER_H
#define WEFT_COMPILER_TARGET_NVGPU_EMIT_BLOCKEMITTER_H

#include "compiler/Target/CPU/Emit/Emitter.h"
#include "compiler/Target/NVGPU/Multiples.h"
#include "dialects/Cta/IR/Cta.h"
#include "dialects/Weft/IR/Weft.h"

namespace weft::nvgpu {

using cpu::Buffer;
using cpu::Index;

class BlockEmitter : public cpu::Emitter {
public:
  /// Writes before the kernel's work, `at`, for a block of so many threads, which have `mostOfPiece` lanes of
  /// a vector side by side.
  BlockEmitter(mlir::Operation *at, int64_t threads, int64_t mostOfPiece = 1);

  const int64_t threads;
  Index thread, lane, warp; ///< this thread in its block and in its warp, and its warp
  Index block;              ///< which tile is the block's

  int64_t warps() const { return threads / cta::CtaDialect::kWarpThreads; }

  /// Memory that the block shares, of static sizes, with `padding` elements behind each row so that the
  /// threads of a warp find the elements of a column in different banks.
  Buffer shared(mlir::Type element, llvm::ArrayRef<int64_t> sizes, int64_t padding = 0);
  void barrier() { cta::BarrierOp::create(builder, location); }
  void warpBarrier() { cta::WarpBarrierOp::create(builder, location); }

  /// Begins to copy 16 bytes to shared memory; makes a group of what was begun; waits for all groups but the
  /// last.
  void copyAsync(const Buffer &from, Index at, const Buffer &to, Index place, mlir::Value isThere) {
    cta::CopyOp::create(builder, location, from.flat, at, to.flat, place, isThere);
  }
  void commitCopies() { cta::CommitCopiesOp::create(builder, location); }
  void waitForCopies(int64_t pending) { cta::WaitCopiesOp::create(builder, location, pending); }

  /// Whether a matrix, of the last two dims, has rows of whole pieces of 16 bytes, which begin at multiples
  /// of as many, whatever its place in the batch.
  bool hasRowsOfPieces(const Buffer &buffer);
  /// Whether a matrix of 16-bit elements can be copied 16 bytes at a time.
  bool hasAlignedRows(const Buffer &buffer);
  /// Begins to copy a matrix of whole pieces of 16 bytes, of `rows` and `columns` at most, whose strides are
  /// the last two of `from`, from `start` on to `place` of shared memory, with all threads of the block; 0
  /// where there is none. The matrix there is as large as the last two sizes of `to` say.
  void copyMatrix(const Buffer &from, Index start, Index rows, Index columns, const Buffer &to, Index place);
  /// Fragments for cta.mma out of shared memory, from `place` on: the first 16 lines, of each 16 elements, as
  /// four matrices of 8 x 8: of the upper and the lower lines, and the same eight elements further on.
  mlir::Value loadMatrices(const Buffer &from, Index place, bool transposed);
  /// A word of two numbers, rounded to 16 bits.
  mlir::Value packPair(mlir::Value low, mlir::Value high, mlir::Type element);

  /// Runs body(i) for the numbers below `count`, which the threads of the block share out.
  void overThreads(int64_t count, llvm::function_ref<void(Index i)> body);

  /// A quotient or a remainder of numbers below 2^31, such as blocks and rows are: dividing 64 bits is a
  /// call.
  Index quotient(Index left, Index right) { return divide<mlir::arith::DivUIOp>(left, right); }
  Index remainder(Index left, Index right) { return divide<mlir::arith::RemUIOp>(left, right); }

  // Sums of products, of floats or integers, and what the threads of a warp make of theirs: all of them, or
  // those whose lanes are `columns` or multiples of that apart.
  mlir::Value multiplyAdd(mlir::Value left, mlir::Value right, mlir::Value sum);
  mlir::Value reduceWarp(mlir::Value value, llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine,
                         int64_t columns = 1);

  /// What is at a place where `isThere`, as it is or as a number, which `type` says, by `widen` if that is
  /// there; otherwise 0, and nothing is read.
  mlir::Value loadIf(mlir::Value isThere, const Buffer &from, Index at, mlir::Type type,
                     llvm::function_ref<mlir::Value(mlir::Value)> widen = {});
  /// How many elements of that type a thread loads at once, 16 bytes.
  static int64_t perLoad(mlir::Type element) { return kAccessBytes * 8 / element.getIntOrFloatBitWidth(); }
  /// Elements from a place on as they are stored; 16 bytes at a time, where `isAligned` says that they begin
  /// at multiples of as many.
  Values loadMany(const Buffer &from, Index at, int64_t count, bool isAligned);
  /// Stores a vector at once, at a multiple of its size.
  void storeWhole(mlir::Value vector, const Buffer &to, Index at);
  /// The 32 bits from a place on, which is a multiple of them, as an i32; or so many, up to 16 bytes at once.
  mlir::Value loadWord(const Buffer &from, Index at) { return loadWords(from, at, 1).front(); }
  Values loadWords(const Buffer &from, Index at, int64_t count);
  void storeWord(mlir::Value word, const Buffer &to, Index at);
  /// Brings a matrix of `rows` and `columns` at most, whose strides are the last two of `from`, from `start`
  /// on into shared memory `to`, with all threads of the block; 0 where there is none. It is widened where
  /// `to` is of numbers, by `widen` if that is there.
  void bring(const Buffer &from, Index start, Index rows, Index columns, const Buffer &to,
             llvm::function_ref<mlir::Value(mlir::Value)> widen = {});
  void storeNumber(mlir::Value number, const Buffer &to, Index at) {
    storeScalar(narrow(number, to.element), to, at);
  }
  mlir::Value both(mlir::Value left, mlir::Value right) { return create<mlir::arith::AndIOp>(left, right); }

  /// What a scalar region makes of its arguments, of which those that captures stand for are read at
  /// `position`, where a capture may have fewer dims, or dims of 1.
  mlir::FailureOr<Values> region(mlir::Block &block, mlir::ValueRange arguments,
                                 llvm::ArrayRef<Buffer> captures, llvm::ArrayRef<Index> position);

private:
  template <typename Op> Index divide(Index left, Index right) {
    mlir::Type i32 = builder.getI32Type();
    auto narrowed = [&](Index number) {
      return builder.createOrFold<mlir::arith::IndexCastUIOp>(location, i32, number);
    };
    mlir::Value result = builder.createOrFold<Op>(location, narrowed(left), narrowed(right));
    return index(builder.createOrFold<mlir::arith::IndexCastUIOp>(location, builder.getIndexType(), result));
  }
};

} // namespace weft::nvgpu

#endif // WEFT_COMPILER_TARGET_NVGPU_EMIT_BLOCKEMITTER_H
