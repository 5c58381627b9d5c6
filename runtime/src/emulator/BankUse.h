// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often the threads of warps pass over shared memory. Words of 4 bytes lie in 32 banks in turn, of which
// each gives one word at a time: threads that want different words of one bank wait for each other (CUDA C++
// Programming Guide, shared memory).

#ifndef WEFT_RUNTIME_EMULATOR_BANKUSE_H
#define WEFT_RUNTIME_EMULATOR_BANKUSE_H

#include "../StepProfile.h"
#include "SharedMemory.h"

#include <array>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace weft::runtime {

class BankUse {
public:
  /// The next access of a thread by an operation. Each operation has a text of its own, which names it; what
  /// it does for the threads of a warp for the n-th time happens at once.
  void note(uint32_t thread, const SharedAccess &access, const char *op);
  /// No thread of the block comes to an operation again.
  void endBlock();
  /// Passes of all blocks that have ended, by the names of operations.
  const PassesByName &passes() const { return counted; }

private:
  static constexpr size_t warpThreads = 32;

  /// What threads of a warp access at once; nothing where one did not come.
  struct Together {
    std::array<int64_t, warpThreads> offsets;
    int64_t bytes = 0;
    size_t arrived = 0;
    Together() { offsets.fill(nowhere); }
  };
  /// An operation of a warp: those that are not counted yet, and how many each thread has done.
  struct Operation {
    std::deque<Together> open;
    size_t ended = 0;
    std::array<size_t, warpThreads> done{};
  };
  static constexpr int64_t nowhere = -1;

  static Passes count(const Together &together);
  void end(const char *op, Operation &operation);

  std::map<std::pair<const char *, uint32_t>, Operation> operations; ///< by their texts and warps
  PassesByName counted;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EMULATOR_BANKUSE_H
