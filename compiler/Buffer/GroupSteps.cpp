// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-group-steps: steps that need nothing of each other run side by side.
#include "compiler/Buffer/LastUse.h"
#include "compiler/Buffer/Passes.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

namespace weft::buffer {
#define GEN_PASS_DEF_GROUPSTEPS
#include "compiler/Buffer/Passes.h.inc"
} // namespace weft::buffer

using namespace mlir;
using namespace weft;

namespace {

/// The allocation or argument that holds it. Two of those share no byte.
Value getBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// What the steps of a group work on.
class Group {
public:
  explicit Group(StepOp first) : first(first) { add(first); }

  /// Whether the step neither touches what the group writes nor writes what it reads. (What its alternative
  /// writes, the step before, is its own.) How many tiles it has is known when the group begins.
  bool admits(StepOp step) {
    Operation *grid = step.getGrid().getDefiningOp();
    if (grid && grid->getBlock() == step->getBlock() && !grid->isBeforeInBlock(first))
      return false;
    auto isWritten = [&](Value value) { return written.contains(getBuffer(value)); };
    bool isAlternative = step->hasAttr(names::kAlternative) && step->getPrevNode() == last;
    auto isTouched = [&](Value value) {
      bool isOwn = isAlternative && llvm::is_contained(last.getOutputs(), value);
      return (isWritten(value) && !isOwn) || read.contains(getBuffer(value));
    };
    return llvm::none_of(step.getInputs(), isWritten) && llvm::none_of(step.getOutputs(), isTouched) &&
           !delaysRelease(step);
  }

  void add(StepOp step) {
    last = step;
    for (Value value : step.getInputs())
      read.insert(getBuffer(value));
    for (Value value : step.getOutputs())
      written.insert(getBuffer(value));
  }

private:
  /// A group frees its memory at its end. What the step allocates would not find room where the group has
  /// done with a buffer already, and the arena would grow.
  bool delaysRelease(StepOp step) {
    auto isAllocated = [](Value value) { return getBuffer(value).getDefiningOp<memref::AllocOp>(); };
    auto isDone = [&](Value buffer) {
      if (!isAllocated(buffer)) // weights have views everywhere
        return false;
      Operation *lastUse = buffer::findLastUse(buffer, step->getBlock());
      return lastUse && lastUse->isBeforeInBlock(step);
    };
    return llvm::any_of(step.getOutputs(), isAllocated) && llvm::any_of(read, isDone);
  }

  StepOp first, last;
  llvm::DenseSet<Value> read, written;
};

struct GroupSteps : buffer::impl::GroupStepsBase<GroupSteps> {
  using GroupStepsBase::GroupStepsBase;

  /// No group goes on where a loop begins or ends.
  void group(Block &block) {
    std::optional<Group> current;
    for (Operation &op : block) {
      if (op.getNumRegions() > 0)
        current.reset();
      auto step = dyn_cast<StepOp>(op);
      if (!step)
        continue;
      if (current && current->admits(step)) {
        step->setAttr(names::kBeside, UnitAttr::get(&getContext()));
        ++besides;
        current->add(step);
      } else {
        current.emplace(step);
      }
    }
  }

  void runOnOperation() override {
    for (func::FuncOp program : getOperation().getOps<func::FuncOp>())
      program.walk([&](Block *block) { group(*block); });
  }
};

} // namespace
