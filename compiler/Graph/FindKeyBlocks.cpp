// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-find-key-blocks: keys and values that are copied together block by block are read where they lie.
#include "compiler/Graph/Attention/ChunkedScores.h"
#include "compiler/Graph/Attention/Origins.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"
#include <numeric>

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_FINDKEYBLOCKS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

/// Smaller blocks are not read faster than they are copied.
static constexpr int64_t kFewestRows = 16;

namespace {
/// Keys or values [batch, heads, columns, width], and the rows that they are of one head of a source.
struct KeyRows {
  ChunkSource source;
  int64_t heads;             ///< of the source
  SmallVector<int64_t> rows; ///< for each head and column
};
} // namespace

/// The rows if every vector is one of its head's, and of the same row in each batch.
static std::optional<KeyRows> takeRows(Value value, const ChunkSource &source, ArrayRef<int32_t> vectors) {
  ArrayRef<int64_t> shape = shapeOf(value);
  int64_t batches = shape[0], heads = shape[1], columns = shape[2];
  if (batches == 0 || source.heads == 0 || source.heads % batches != 0 || heads * batches % source.heads != 0)
    return std::nullopt;
  KeyRows found{source, source.heads / batches, SmallVector<int64_t>(heads * columns)};
  int64_t shared = heads * batches / source.heads, at = 0;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t column = 0; column < columns; ++column) {
        int32_t vector = vectors[at++];
        if (vector < 0 || source.headOf(vector) != batch * found.heads + head / shared)
          return std::nullopt;
        int64_t &row = found.rows[head * columns + column];
        if (batch > 0 && row != source.positionOf(vector))
          return std::nullopt;
        row = source.positionOf(vector);
      }
  return found;
}

static std::optional<KeyRows> findRows(Value value) {
  auto putsTogether = [](Operation *op) { return isa<ConcatOp, GatherOp, GatherElementsOp>(op); };
  if (!isMovedBy(value, /*source=*/{}, putsTogether))
    return std::nullopt;
  SmallVector<Value> sources = findMoveSources(value);
  bool isBatchKnown = getDims(value)->front().isConstant();
  for (Value source : llvm::reverse(sources)) {
    ArrayRef<int64_t> shape = shapeOf(source);
    if (source == value || shape.size() < 2 || shape.back() != shapeOf(value).back() ||
        getDims(source)->front().isConstant() != isBatchKnown)
      continue;
    auto vectors = findVectors(value, source, /*areColumns=*/false);
    if (!vectors)
      continue;
    for (int64_t axis = int64_t(shape.size()) - 2; axis >= (isBatchKnown ? 0 : 1); --axis)
      if (auto rows = takeRows(value, *ChunkSource::get(source, axis), *vectors))
        return rows;
  }
  return std::nullopt;
}

/// The most rows of which all columns of all heads are blocks.
static int64_t getBlockSize(const KeyRows &keys, int64_t columns) {
  int64_t size = columns;
  for (int64_t at = 1; at < int64_t(keys.rows.size()); ++at)
    if (at % columns != 0 && keys.rows[at] != keys.rows[at - 1] + 1)
      size = std::gcd(size, at % columns);
  return size;
}

static bool readBlocks(AttentionOp op) {
  if (op.getBlocks() || !llvm::all_of(op->getOperandTypes(), isKnownType))
    return false;
  auto isRead = [](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return !ShapedType::isDynamicShape(type.getShape().drop_front()) && type.getDimSize(2) > 0 &&
           type.getDimSize(3) <= AttentionTileOp::kWidestBlocks;
  };
  std::optional<int64_t> queryHeads = (*getDims(op.getQuery()))[1].getConstant();
  if (!isRead(op.getKey()) || !isRead(op.getValue()) || !queryHeads)
    return false;
  auto keys = findRows(op.getKey());
  auto values = keys ? findRows(op.getValue()) : std::nullopt;
  if (!values || keys->rows != values->rows || keys->heads != values->heads ||
      keys->source.length != values->source.length)
    return false;
  ArrayRef<int64_t> shape = shapeOf(op.getKey());
  int64_t heads = shape[1], columns = shape[2], size = getBlockSize(*keys, columns);
  if (size < kFewestRows || size == columns)
    return false;
  SmallVector<int64_t> blocks;
  for (int64_t head = 0; head < *queryHeads; ++head)
    for (int64_t column = 0; column < columns; column += size)
      blocks.push_back(keys->rows[head / (*queryHeads / heads) * columns + column]);
  OpBuilder builder(op);
  Dim batch = getDims(op.getKey())->front();
  op.getKeyMutable().assign(keys->source.makeHeads(builder, op.getLoc(), batch, keys->heads));
  op.getValueMutable().assign(values->source.makeHeads(builder, op.getLoc(), batch, values->heads));
  auto type = RankedTensorType::get({*queryHeads, columns / size}, builder.getI64Type());
  op.setBlocksAttr(DenseIntElementsAttr::get(type, blocks));
  op.setBlockSize(size);
  return true;
}

namespace {
struct FindKeyBlocks : graph::impl::FindKeyBlocksBase<FindKeyBlocks> {
  void runOnOperation() override {
    getOperation().walk([&](AttentionOp op) { found += readBlocks(op); });
    eraseDead(getOperation().front());
  }
};
} // namespace
