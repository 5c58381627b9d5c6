// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a packed right-hand side has the words of a block of the depth.
#include "compiler/Target/NVGPU/Emit/PackedLines.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;
using namespace weft::nvgpu;

bool PackedLines::are(GemmTileOp op) {
  cpu::RowFormat format = cpu::formatOf(op);
  return format == cpu::RowFormat::Groups || cpu::isOfBytes(format);
}

PackedLines::PackedLines(GemmTileOp op, int64_t depthOfBlock)
    : format(cpu::formatOf(op)), depthOfBlock(depthOfBlock), perWord(Weights::perLoad(op)),
      groupDepth(depthOfBlock), headsOfGroup(0) {
  if (WeightGroupsAttr groups = op.getGroupsAttr()) {
    groupDepth = groups.getRows();
    headsOfGroup = groups.headWords();
    hasOffsets = groups.getHasOffsets();
  } else if (format == cpu::RowFormat::Int4Quads) {
    groupDepth = Int4Quads::kDepth;
    headsOfGroup = 1;
  }
  assert(depthOfBlock % groupDepth == 0 || groupDepth % depthOfBlock == 0);
}

int64_t PackedLines::groupsOfBlock() const { return std::max<int64_t>(depthOfBlock / groupDepth, 1); }

Index PackedLines::inPanel(BlockEmitter &e, Index i, Index k) const {
  int64_t ofGroup = headsOfGroup + groupDepth / perWord;
  Index first = k / groupDepth * ofGroup;
  if (groupDepth <= depthOfBlock)
    return first + i;
  Index further = k % groupDepth / perWord;
  Value isHead = i.compare(arith::CmpIPredicate::ult, headsOfGroup);
  return first + i + e.select(isHead, e.index(0), further);
}

Index PackedLines::linesOfPanel(const Buffer &rhs) const {
  return areQuads() ? rhs.sizes[1] : rhs.sizes[1] * rhs.sizes[2];
}

Index PackedLines::pitch(const Buffer &rhs) const { return areQuads() ? rhs.strides[1] : rhs.strides[2]; }

Weights::Run PackedLines::load(BlockEmitter &e, const Buffer &lines, Index start, Index i,
                               Index column) const {
  Index head = e.index(0), inGroup = i;
  if (groupsOfBlock() > 1) {
    int64_t ofGroup = groupDepth / perWord;
    head = i / ofGroup * (headsOfGroup + ofGroup);
    inGroup = i % ofGroup;
  }
  auto at = [&](Index line) {
    return e.loadScalar(lines, start + line * lines.strides[lines.rank() - 2] + column);
  };
  Weights::Run run;
  run.loaded.push_back(at(head + headsOfGroup + inGroup));
  if (format == cpu::RowFormat::Int4Quads) {
    Type i32 = e.builder.getI32Type();
    Value shift = e.create<arith::IndexCastUIOp>(i32, inGroup * Int4Quads::kBits);
    run.factors = e.create<arith::ShRUIOp>(at(head), shift);
    return run;
  }
  auto number = [&](Index line) { return e.create<arith::BitcastOp>(e.builder.getF32Type(), at(line)); };
  run.scales.push_back(number(head));
  if (hasOffsets)
    run.offsets.push_back(number(head + 1));
  return run;
}
