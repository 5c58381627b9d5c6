// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What types and attributes say of how rhs is stored.
#include "compiler/Target/CPU/Emit/RowFormat.h"

using namespace mlir;
using namespace weft;
using namespace weft::cpu;

RowFormat weft::cpu::formatOf(GemmTileOp op) {
  auto element = [](Value buffer) { return cast<MemRefType>(buffer.getType()).getElementType(); };
  Type lhs = element(op.getLhs()), rhs = element(op.getRhs());
  if (op.getGroups())
    return RowFormat::Groups;
  if (op.getPacked() && rhs.isInteger(32) && element(op.getOut()).isF32())
    return lhs.isInteger(8) ? RowFormat::Int4Quads : RowFormat::Int4;
  bool isTogether = op.getPacked() && lhs == rhs && element(op.getOut()).isF32();
  if (isTogether && lhs.isInteger(8))
    return RowFormat::Quads;
  bool isBF16 = lhs.isInteger(16) && op->hasAttr(weft::names::kBF16);
  return isTogether && isBF16 ? RowFormat::Pairs : RowFormat::Numbers;
}
