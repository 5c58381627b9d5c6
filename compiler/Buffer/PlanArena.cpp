// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-plan-arena: slots for buffers, by lifetime, with sizes that are formulas.
#include "compiler/Buffer/LastUse.h"
#include "compiler/Buffer/Passes.h"
#include "dialects/Weft/IR/DimIndices.h"

namespace weft::buffer {
#define GEN_PASS_DEF_PLANARENA
#include "compiler/Buffer/Passes.h.inc"
} // namespace weft::buffer

using namespace mlir;
using namespace weft;

namespace {

constexpr int64_t kSlotAlignment = 64;

/// A buffer: its size and the operations between which it is alive, by position.
struct Buffer {
  memref::AllocOp alloc;
  Dim bytes;
  int64_t begin, end;
  size_t slot = 0;
};

struct Slot {
  Dim bytes;
  int64_t freeFrom; ///< the position after which its last buffer is dead
};

/// Bytes of a buffer, rounded up.
Dim getAlignedBytes(memref::AllocOp alloc) {
  auto dims = alloc->getAttrOfType<DimsAttr>(names::kDims);
  MLIRContext *context = alloc.getContext();
  Dim bytes = Dim::constant(context, getElementBytes(alloc.getType().getElementType()));
  for (DimAttr dim : dims.getDims())
    bytes = bytes * Dim(dim);
  return Dim::floorDiv(bytes + (kSlotAlignment - 1), Dim::constant(context, kSlotAlignment)) * kSlotAlignment;
}

/// Where operations of a program stand, those of loops in between: a loop stands behind all that is in it.
using Positions = llvm::DenseMap<Operation *, int64_t>;

/// Steps of a group are one moment: each stands where the group's last stands, and what is allocated between
/// them where the first does.
Positions placeOperations(func::FuncOp program) {
  Positions positions;
  program.walk([&](Operation *op) { positions.try_emplace(op, positions.size() + 1); });
  program.walk([&](Block *block) {
    StepOp next; // the step behind, if it is beside this one
    SmallVector<memref::AllocOp> between;
    for (Operation &op : llvm::reverse(*block)) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op); alloc && next)
        between.push_back(alloc);
      auto step = dyn_cast<StepOp>(op);
      if (!step)
        continue;
      int64_t first = positions[step];
      if (next)
        positions[step] = positions[next];
      next = step->hasAttr(names::kBeside) ? step : StepOp();
      if (next)
        continue;
      for (memref::AllocOp alloc : between)
        positions[alloc] = first;
      between.clear();
    }
  });
  return positions;
}

SmallVector<Buffer> collectBuffers(func::FuncOp program) {
  Positions positions = placeOperations(program);
  SmallVector<Buffer> buffers;
  program.walk([&](memref::AllocOp alloc) {
    int64_t end = positions.lookup(buffer::findLastUse(alloc, alloc->getBlock()));
    buffers.push_back({alloc, getAlignedBytes(alloc), positions[alloc], end});
  });
  return buffers;
}

/// How well a buffer fits a free slot; smaller is better.
int rankFit(Dim buffer, Dim slot) {
  if (buffer == slot)
    return 0;
  if (provablyLessEqual(buffer, slot))
    return 1;
  return provablyLessEqual(slot, buffer) ? 2 : 3;
}

/// Gives each buffer the free slot that it fits best, or a new one if none is free. Sharing always pays:
/// max(a, b) <= a + b.
SmallVector<Slot> assignSlots(MutableArrayRef<Buffer> buffers) {
  SmallVector<Slot> slots;
  for (Buffer &buffer : buffers) {
    std::optional<size_t> best;
    for (size_t i = 0; i < slots.size(); ++i)
      if (slots[i].freeFrom < buffer.begin &&
          (!best || rankFit(buffer.bytes, slots[i].bytes) < rankFit(buffer.bytes, slots[*best].bytes)))
        best = i;
    Dim grown = best ? Dim::max(slots[*best].bytes, buffer.bytes) : Dim();
    if (!grown) { // none is free, or the formula would grow beyond bounds
      slots.push_back({buffer.bytes, buffer.end});
      buffer.slot = slots.size() - 1;
      continue;
    }
    slots[*best] = {grown, buffer.end};
    buffer.slot = *best;
  }
  return slots;
}

struct PlanArena : buffer::impl::PlanArenaBase<PlanArena> {
  LogicalResult plan(func::FuncOp program) {
    SmallVector<Buffer> found = collectBuffers(program);
    for (Buffer &buffer : found)
      if (!buffer.bytes)
        return buffer.alloc.emitError("the size of this buffer is no formula of at most 64 bits");
    SmallVector<Slot> assigned = assignSlots(found);
    MLIRContext *context = &getContext();
    SmallVector<Dim> offsets;
    Dim total = Dim::constant(context, 0);
    for (const Slot &slot : assigned) {
      offsets.push_back(total);
      if (total)
        total = total + slot.bytes;
    }
    if (!total)
      return program.emitError("the arena's size is no formula of at most 64 bits");
    Value arena = addArena(program);
    DimIndices indices(program);
    for (Buffer &buffer : found) {
      OpBuilder builder(buffer.alloc);
      auto view = memref::ViewOp::create(builder, buffer.alloc.getLoc(), buffer.alloc.getType(), arena,
                                         indices.get(offsets[buffer.slot]), buffer.alloc.getDynamicSizes());
      view->setAttr(names::kOffset, offsets[buffer.slot].getAttr());
      view->setAttr(names::kBytes, buffer.bytes.getAttr());
      buffer.alloc.replaceAllUsesWith(view.getResult());
      buffer.alloc.erase();
    }
    program->setAttr(names::kArenaBytes, total.getAttr());
    slots += assigned.size();
    buffers += found.size();
    return success();
  }

  /// The arena as the program's last argument.
  Value addArena(func::FuncOp program) {
    OpBuilder builder(program);
    auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    unsigned index = program.getNumArguments();
    auto role = builder.getNamedAttr(names::kRole, builder.getStringAttr(names::kArena));
    // A program's body is a single block that is there; adding an argument to it cannot fail.
    (void)program.insertArgument(index, type, builder.getDictionaryAttr(role), program.getLoc());
    return program.getArgument(index);
  }

  void runOnOperation() override {
    for (func::FuncOp program : getOperation().getOps<func::FuncOp>())
      if (failed(plan(program)))
        return signalPassFailure();
  }
};

} // namespace
