// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session keeps of one state: memory with room for all positions, of which the first are there.

#ifndef WEFT_RUNTIME_HELDSTATE_H
#define WEFT_RUNTIME_HELDSTATE_H

#include "Executor.h"
#include "Metadata.h"

#include <memory>

namespace weft::runtime {

class HeldState {
public:
  /// `executor` outlives this.
  HeldState(const State &state, Executor &executor)
      : dims(state.type.dims.size()), state(state), executor(&executor),
        memory(executor.makeMemory("a state")) {}

  int64_t length() const { return dims[state.axis]; }
  void setLength(int64_t length) { dims[state.axis] = length; }

  /// Memory for `dims` at full length. What was in it is lost.
  void *reserve();

  /// Whether these entries along `axis` are other than what is held.
  bool isMovedBy(size_t axis, const std::vector<size_t> &rows) const;
  /// Prepares entries rows[0], rows[1], ... along `axis` in memory of its own, or raises an Error and leaves
  /// all as it was; then `takeSelected` makes them what is held, and returns where they are.
  void select(size_t axis, const std::vector<size_t> &rows);
  void *takeSelected();

  std::vector<int64_t> dims; ///< of what it holds
  int64_t next = 0;          ///< its length if this run ends well

private:
  /// The dims of a state that holds so much, at full length; and its bytes, an Error if they overflow.
  std::vector<int64_t> room(std::vector<int64_t> held) const;
  size_t bytesFor(const std::vector<int64_t> &held) const;

  const State &state;
  Executor *executor;
  std::unique_ptr<Memory> memory, spare;
  char *data = nullptr, *selected = nullptr;
  std::vector<int64_t> selectedDims;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_HELDSTATE_H
