// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: by tensor cores where elements are of a type that these multiply exactly, otherwise by each
// thread.
#include "compiler/Target/NVGPU/Emit/AttentionBlock.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

static LogicalResult checkAttention(AttentionTileOp op) {
  auto query = cast<MemRefType>(op.getQuery().getType()), key = cast<MemRefType>(op.getKey().getType()),
       value = cast<MemRefType>(op.getValue().getType()), out = cast<MemRefType>(op.getOut().getType());
  if (op.getPanels() || !op.getMaps().empty() || key.getRank() != 4)
    return op.emitOpError("expects keys as they are, and no maps");
  if (query.getRank() != 4 || value.getRank() != 4 || out.getRank() != (op.getStatistics() ? 5 : 4))
    return op.emitOpError("expects operands of rank 4, and of one more of parts, got ")
           << query << ", " << value << " and " << out;
  return success();
}

FailureOr<AttentionOperands> weft::nvgpu::findAttentionOperands(BlockEmitter &emitter, AttentionTileOp op) {
  SmallVector<Value> found{op.getQuery(), op.getKey(), op.getValue(), op.getOut()};
  llvm::append_range(found, op.getCaptures());
  for (Value more : {op.getSink(), op.getWeights(), op.getStatistics()})
    if (more)
      found.push_back(more);
  FailureOr<SmallVector<Buffer>> buffers = emitter.allRowMajor(found);
  if (failed(buffers))
    return failure();
  AttentionOperands operands{(*buffers)[0], (*buffers)[1], (*buffers)[2], (*buffers)[3], {}, {}, {}, {}};
  if (op.getStatistics())
    operands.statistics = buffers->pop_back_val();
  if (op.getWeights())
    operands.weights = buffers->pop_back_val();
  if (op.getSink())
    operands.sink = buffers->pop_back_val();
  operands.captures.append(buffers->begin() + 4, buffers->end());
  return operands;
}

LogicalResult weft::nvgpu::emitAttention(AttentionTileOp op, cpu::TileSizes sizes) {
  if (failed(checkAttention(op)))
    return failure();
  BlockEmitter emitter(op, kAttentionThreads);
  FailureOr<AttentionOperands> operands = findAttentionOperands(emitter, op);
  if (failed(operands))
    return failure();
  bool isWide = operands->query.element.getIntOrFloatBitWidth() > 16;
  return (isWide ? emitThreadAttention : emitTensorAttention)(emitter, op, sizes, *operands);
}
