// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of any type of numbers: a block's threads bring blocks of both operands into shared memory, and
// each thread has sums of its own in registers. Sums are of the type that the element type is computed in; each is
// rounded once.
#include "compiler/Target/NVGPU/Emit/Kernels.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

namespace {

/// The threads of a block as a square: thread (y, x) has the sums of rows y, y + 16, ... and columns x, x + 16, ...
constexpr int64_t kSide = 16;
static_assert(kSide * kSide == kGemmThreads);
/// How much of the depth lies in shared memory at a time.
constexpr int64_t kDepth = 16;

class GemmEmitter {
public:
  GemmEmitter(BlockEmitter &emitter, GemmTileOp op, cpu::TileSizes sizes, Buffer lhs, Buffer rhs, Buffer out,
              ArrayRef<Buffer> captures)
      : e(emitter), op(op), sizes(sizes), lhs(lhs), rhs(rhs), out(out), captures(captures),
        number(emitter.computed(out.element)), rowCount(out.sizes[out.rank() - 2]),
        columnCount(out.sizes.back()), depth(lhs.sizes.back()),
        left(emitter.shared(number, {sizes.rows, kDepth}, /*padding=*/1)),
        right(emitter.shared(number, {kDepth, sizes.columns})) {}

  LogicalResult emit();

private:
  using Values = BlockEmitter::Values;
  int64_t rowsOfThread() const { return sizes.rows / kSide; }
  int64_t columnsOfThread() const { return sizes.columns / kSide; }
  void decodeTile();
  Index batchOffset(const Buffer &buffer, size_t batchRank);
  void bring(const Buffer &from, Index start, Index rows, Index columns, const Buffer &to);
  Values multiply(ValueRange sums);
  LogicalResult store(ValueRange sums);

  BlockEmitter &e;
  GemmTileOp op;
  cpu::TileSizes sizes;
  Buffer lhs, rhs, out;
  ArrayRef<Buffer> captures;
  Type number;
  Index rowCount, columnCount, depth;
  Buffer left, right; ///< blocks of the operands
  SmallVector<Index> batchIndices;
  Index firstRow{e, {}}, firstColumn{e, {}};
  Index lhsStart{e, {}}, rhsStart{e, {}}, outStart{e, {}};
};

} // namespace

/// Where a buffer's matrix of this batch starts. A batch dim that is 1, or missing, serves the whole batch.
Index GemmEmitter::batchOffset(const Buffer &buffer, size_t batchRank) {
  Index offset = buffer.offset;
  size_t missing = batchIndices.size() - batchRank;
  for (size_t i = 0; i < batchRank; ++i) {
    Value isOne = buffer.sizes[i].compare(arith::CmpIPredicate::eq, 1);
    offset = offset + batchIndices[missing + i] * e.select(isOne, e.index(0), buffer.strides[i]);
  }
  return offset;
}

/// tile = (batch * rowBlocks + rowBlock) * columnBlocks + columnBlock.
void GemmEmitter::decodeTile() {
  Index columnBlocks = ceilDiv(columnCount, sizes.columns), rowBlocks = ceilDiv(rowCount, sizes.rows);
  firstColumn = e.block % columnBlocks * sizes.columns;
  firstRow = e.block / columnBlocks % rowBlocks * sizes.rows;
  Index batch = e.block / columnBlocks / rowBlocks;
  size_t batchRank = out.rank() - 2;
  batchIndices.assign(batchRank, batch);
  for (size_t i = batchRank; i-- > 0;) {
    batchIndices[i] = batch % out.sizes[i];
    batch = batch / out.sizes[i];
  }
  lhsStart = batchOffset(lhs, lhs.rank() - 2) + firstRow * lhs.strides[lhs.rank() - 2];
  rhsStart = batchOffset(rhs, rhs.rank() - 2) + firstColumn * rhs.strides.back();
  outStart = batchOffset(out, batchRank) + firstRow * out.strides[out.rank() - 2] + firstColumn;
}

/// A block of a matrix from `start` on, of which `rows` and `columns` are there, into shared memory; 0 elsewhere.
void GemmEmitter::bring(const Buffer &from, Index start, Index rows, Index columns, const Buffer &to) {
  int64_t height = *to.sizes[0].constant(), width = *to.sizes[1].constant();
  Value zero = e.number(number, 0);
  e.overThreads(height * width, [&](Index i) {
    Index row = i / width, column = i % width;
    Value isThere = e.both(row.compare(arith::CmpIPredicate::ult, rows),
                           column.compare(arith::CmpIPredicate::ult, columns));
    Index at = start + row * from.strides[from.rank() - 2] + column * from.strides.back();
    Value element = e.loadNumberIf(isThere, from, at, zero);
    e.storeScalar(element, to, row * to.strides[0] + column);
  });
}

/// The sums after the blocks in shared memory.
GemmEmitter::Values GemmEmitter::multiply(ValueRange sums) {
  Index y = e.thread / kSide, x = e.thread % kSide;
  return e.loop(e.index(0), e.index(kDepth), e.index(1), sums, [&](Index k, ValueRange before) {
    Values rows, columns, next;
    for (int64_t i = 0; i < rowsOfThread(); ++i)
      rows.push_back(e.loadScalar(left, (y + i * kSide) * left.strides[0] + k));
    for (int64_t j = 0; j < columnsOfThread(); ++j)
      columns.push_back(e.loadScalar(right, k * right.strides[0] + x + j * kSide));
    for (auto [i, row] : llvm::enumerate(rows))
      for (auto [j, column] : llvm::enumerate(columns))
        next.push_back(e.multiplyAdd(row, column, before[i * columns.size() + j]));
    return next;
  });
}

LogicalResult GemmEmitter::store(ValueRange sums) {
  Index y = e.thread / kSide, x = e.thread % kSide;
  LogicalResult result = success();
  for (int64_t i = 0; i < rowsOfThread(); ++i)
    for (int64_t j = 0; j < columnsOfThread(); ++j) {
      Index row = y + i * kSide, column = x + j * kSide;
      Value isThere = e.both((firstRow + row).compare(arith::CmpIPredicate::ult, rowCount),
                             (firstColumn + column).compare(arith::CmpIPredicate::ult, columnCount));
      e.ifThen(isThere, [&] {
        Value element = e.narrow(sums[i * columnsOfThread() + j], out.element);
        if (!op.getEpilogue().empty()) {
          SmallVector<Index> position(batchIndices);
          position.append({firstRow + row, firstColumn + column});
          auto elements = e.region(op.getEpilogue().front(), element, captures, position);
          result = failed(elements) ? failure() : result;
          element = failed(elements) ? element : elements->front();
        }
        e.storeScalar(element, out, outStart + row * out.strides[out.rank() - 2] + column);
      });
    }
  return result;
}

LogicalResult GemmEmitter::emit() {
  decodeTile();
  Values sums(rowsOfThread() * columnsOfThread(), e.number(number, 0));
  sums = e.loop(e.index(0), depth, e.index(kDepth), sums, [&](Index k, ValueRange before) {
    bring(lhs, lhsStart + k, rowCount - firstRow, depth - k, left);
    bring(rhs, rhsStart + k * rhs.strides[rhs.rank() - 2], depth - k, columnCount - firstColumn, right);
    e.barrier();
    Values next = multiply(before);
    e.barrier();
    return next;
  });
  return store(sums);
}

static LogicalResult checkGemm(GemmTileOp op, cpu::TileSizes sizes) {
  auto lhs = cast<MemRefType>(op.getLhs().getType()), rhs = cast<MemRefType>(op.getRhs().getType()),
       out = cast<MemRefType>(op.getOut().getType());
  Type element = out.getElementType();
  if (op.getPacked() || op.getGroups() || lhs.getElementType() != element || rhs.getElementType() != element ||
      !element.isIntOrFloat() || element.isInteger(1))
    return op.emitOpError("expects matrices of one type of numbers, which are not packed, got ")
           << lhs << ", " << rhs << " and " << out;
  int64_t batches = out.getRank() - 2;
  if (batches < 0 || lhs.getRank() < 2 || lhs.getRank() > out.getRank() || rhs.getRank() < 2 ||
      rhs.getRank() > out.getRank())
    return op.emitOpError("expects matrices with batch dims of out at most, got ")
           << lhs << ", " << rhs << " and " << out;
  if (sizes.rows <= 0 || sizes.columns <= 0 || sizes.rows % kSide || sizes.columns % kSide)
    return op.emitOpError("expects a schedule of rows and columns that are multiples of ")
           << kSide << ", got " << sizes.rows << " and " << sizes.columns;
  return success();
}

LogicalResult weft::nvgpu::emitGemm(GemmTileOp op, cpu::TileSizes sizes) {
  if (failed(checkGemm(op, sizes)))
    return failure();
  BlockEmitter emitter(op, kGemmThreads);
  SmallVector<Buffer> buffers;
  SmallVector<Value> operands{op.getLhs(), op.getRhs(), op.getOut()};
  llvm::append_range(operands, op.getCaptures());
  for (Value operand : operands) {
    FailureOr<Buffer> buffer = emitter.rowMajor(operand);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  return GemmEmitter(emitter, op, sizes, buffers[0], buffers[1], buffers[2], ArrayRef(buffers).drop_front(3))
      .emit();
}
