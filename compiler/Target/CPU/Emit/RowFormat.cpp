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
  bool areSums = op.getParts() && element(op.getOut()).isInteger(32);
  bool areBytes = op.getPacked() && lhs.isInteger(8) && (element(op.getOut()).isF32() || areSums);
  if (areBytes && lhs == rhs)
    return RowFormat::Quads;
  if (areBytes && rhs.isInteger(32))
    return RowFormat::Int4Quads;
  if (op.getPacked() && rhs.isInteger(32) && element(op.getOut()).isF32())
    return RowFormat::Int4;
  bool isBF16 = lhs.isInteger(16) && op->hasAttr(weft::names::kBF16);
  bool arePairs =
      op.getPacked() && lhs == rhs && isBF16 && cast<MemRefType>(op.getRhs().getType()).getRank() == 4;
  return arePairs ? RowFormat::Pairs : RowFormat::Numbers;
}
