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
  int64_t rank = cast<MemRefType>(op.getRhs().getType()).getRank();
  bool areBytes = op.getPacked() && lhs.isInteger(8);
  if (areBytes && lhs == rhs && rank == 4)
    return RowFormat::Quads;
  if (areBytes && rhs.isInteger(32))
    return RowFormat::Int4Quads;
  if (op.getPacked() && rhs.isInteger(32) && element(op.getOut()).isF32())
    return RowFormat::Int4;
  bool isBF16 = lhs.isInteger(16) && op->hasAttr(weft::names::kBF16);
  bool arePairs = op.getPacked() && lhs == rhs && isBF16 && rank == 4;
  return arePairs ? RowFormat::Pairs : RowFormat::Numbers;
}
