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
  bool areSums = op.getParts() && element(op.getOut()).isInteger(32);
  if (op.getPacked() && lhs == rhs && lhs.isInteger(8) && (element(op.getOut()).isF32() || areSums))
    return RowFormat::Quads;
  bool isBF16 = lhs.isInteger(16) && op->hasAttr(weft::names::kBF16);
  bool arePairs = op.getPacked() && lhs == rhs && isBF16 && element(op.getOut()).isF32();
  return arePairs ? RowFormat::Pairs : RowFormat::Numbers;
}
