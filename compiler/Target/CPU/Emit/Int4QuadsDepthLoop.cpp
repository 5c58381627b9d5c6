// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks over the depth with weights of 4 bits and integers as scales, whose products are quads of bytes.
#include "compiler/Target/CPU/Emit/DepthLoop.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

namespace {
class Int4QuadsEmitter {
public:
  explicit Int4QuadsEmitter(const DepthLoop &loop)
      : e(loop.e), loop(loop), words(VectorType::get(loop.lanes(), e.builder.getI32Type())),
        bytes(VectorType::get(loop.lanes() * Quads::kDepth, e.builder.getI8Type())),
        halves(VectorType::get(loop.lanes() * 2, e.builder.getI16Type())) {}

  Emitter::Values emit(ValueRange sums);

private:
  Emitter::Values emitGroup(Index block, Index group, ArrayRef<Value> scales, ValueRange sums);
  Emitter::Values stepGroup(Index block, Index group, ArrayRef<Value> scales, ValueRange sums);
  Emitter::Values scalesOf(Index group, ArrayRef<Value> block);
  Value makeQuads(Value numbers, int64_t shift);
  Value multiplyBytes(Value left, Value scales);
  Value splat(VectorType type, uint32_t bits) {
    return e.create<arith::ConstantOp>(
        DenseElementsAttr::get(type, llvm::APInt(type.getElementTypeBitWidth(), bits)));
  }

  Emitter &e;
  const DepthLoop &loop;
  VectorType words, bytes, halves;
};
} // namespace

static constexpr int64_t kGroupsPerBlock = Int4Block::kDepth / Int4Quads::kGroup;

/// Of each column the scale of a block's group, as a word.
Emitter::Values Int4QuadsEmitter::scalesOf(Index group, ArrayRef<Value> block) {
  Value distance = e.create<arith::IndexCastOp>(words.getElementType(), group * Int4Block::kBits);
  Emitter::Values scales;
  for (Value word : block) {
    Value shifted = e.create<arith::ShRUIOp>(word, e.splat(distance, loop.lanes()));
    scales.push_back(e.create<arith::AndIOp>(shifted, splat(words, (1U << Int4Block::kBits) - 1)));
  }
  return scales;
}

/// The numbers in four bits of each byte, those from `shift` on.
Value Int4QuadsEmitter::makeQuads(Value numbers, int64_t shift) {
  Value shifted = shift == 0 ? numbers : e.create<arith::ShRUIOp>(numbers, splat(words, shift));
  Value stored =
      e.create<vector::BitCastOp>(bytes, e.create<arith::AndIOp>(shifted, splat(words, 0x0F0F0F0F)));
  Value quads = e.create<arith::SubIOp>(stored, splat(bytes, Int4Quads::kOffset));
  return e.create<vector::BitCastOp>(words, quads);
}

/// Products of bytes and the scale of their word, which fit bytes. Processors multiply 16 bits: products with
/// the even bytes lie low, and those with the odd ones, where the even bytes are zeros, lie high.
Value Int4QuadsEmitter::multiplyBytes(Value left, Value scales) {
  Value twice = e.create<arith::OrIOp>(scales, e.create<arith::ShLIOp>(scales, splat(words, 16)));
  Value factors = e.create<vector::BitCastOp>(halves, twice);
  Value pairs = e.create<vector::BitCastOp>(halves, left);
  Value odd = e.create<arith::AndIOp>(pairs, splat(halves, 0xFF00));
  Value low = e.create<arith::AndIOp>(e.create<arith::MulIOp>(pairs, factors), splat(halves, 0xFF));
  Value product = e.create<arith::OrIOp>(low, e.create<arith::MulIOp>(odd, factors));
  return e.create<vector::BitCastOp>(words, product);
}

/// Steps with a group's numbers, times their scales if there are any.
Emitter::Values Int4QuadsEmitter::stepGroup(Index block, Index group, ArrayRef<Value> scales,
                                            ValueRange sums) {
  Emitter::Values numbers = loop.loadRow(block * Int4Block::kRows + 1 + group), next(sums);
  Index k = block * Int4Block::kDepth + group * Int4Quads::kGroup;
  for (int64_t quad = 0; quad < Int4Quads::kGroup / Quads::kDepth; ++quad) {
    Emitter::Values quads;
    for (auto [v, of] : llvm::enumerate(numbers)) {
      Value made = makeQuads(of, quad * Int4Block::kBits);
      quads.push_back(scales.empty() ? made : multiplyBytes(made, scales[v]));
    }
    next = loop.step(k + quad * Quads::kDepth, quads, next);
  }
  return next;
}

/// Few sums leave registers for a group's own, which are multiplied once; otherwise each number is.
Emitter::Values Int4QuadsEmitter::emitGroup(Index block, Index group, ArrayRef<Value> scales,
                                            ValueRange sums) {
  if (sums.empty() || int64_t(2 * sums.size()) + 2 * loop.vectors > e.registers())
    return stepGroup(block, group, scales, sums);
  Emitter::Values zeros(sums.size(), splat(words, 0)), next;
  for (auto [i, own] : llvm::enumerate(stepGroup(block, group, {}, zeros))) {
    Value product = e.create<arith::MulIOp>(own, scales[i % loop.vectors]);
    next.push_back(e.create<arith::AddIOp>(sums[i], product));
  }
  return next;
}

/// Whole blocks: depths are padded to them.
Emitter::Values Int4QuadsEmitter::emit(ValueRange sums) {
  Index zero = e.index(0), one = e.index(1), blocks = loop.size / Int4Block::kDepth;
  return e.loop(zero, blocks, one, sums, [&](Index block, ValueRange inBlock) {
    Emitter::Values scales = loop.loadRow(block * Int4Block::kRows);
    return e.loop(zero, e.index(kGroupsPerBlock), one, inBlock, [&](Index group, ValueRange carried) {
      return emitGroup(block, group, scalesOf(group, scales), carried);
    });
  });
}

Emitter::Values weft::cpu::emitInt4QuadsDepthLoop(const DepthLoop &loop, ValueRange sums) {
  return Int4QuadsEmitter(loop).emit(sums);
}
