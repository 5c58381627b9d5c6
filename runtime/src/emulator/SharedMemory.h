// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a block share, with a memory of who touched which byte when: two threads of which one
// writes, and which do not meet in between, race.

#ifndef WEFT_RUNTIME_EMULATOR_SHAREDMEMORY_H
#define WEFT_RUNTIME_EMULATOR_SHAREDMEMORY_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::runtime {

/// How many phases of each barrier a thread has seen the end of, by the barrier's number.
using SeenPhases = std::vector<uint32_t>;

/// Who touches memory, and how often the threads of its block, of its warpgroup and of its warp have met by
/// then.
struct Toucher {
  uint32_t thread, warp;
  uint32_t blockMeetings, groupMeetings, warpMeetings;
  const SeenPhases *seen;
  uint32_t fences; ///< that the thread has made
};

/// Who a tile tells that it is there: a barrier, and which phase of it.
struct TileSignal {
  uint32_t barrier, phase;
};

/// An access to bytes [offset, offset + bytes) of a buffer that lies in [begin, end).
struct SharedAccess {
  int64_t offset, bytes, begin, end;
  bool isWrite;
};

class SharedMemory {
public:
  /// Begins a block: the bytes hold what is no useful number, and nobody has touched them. `meetings` is less
  /// than all that the block's touchers will say.
  void begin(int64_t bytes, uint32_t meetings);
  char *data() { return memory; }

  /// What is wrong with an access, or nothing.
  std::string touch(const SharedAccess &access, const Toucher &by);
  /// The same of a copy that begins to write: until it ends, nobody may touch the bytes.
  std::string beginCopy(const SharedAccess &access, const Toucher &by);
  void endCopy(const SharedAccess &access, const Toucher &by);

  /// The same of a tile, which is to be seen by those who have seen the phase's end.
  std::string beginTile(const SharedAccess &access, const TileSignal &signal, const Toucher &by);
  void endTile(const SharedAccess &access);
  /// What is wrong with what a unit begins to read for these threads; until it ends, nobody may write the
  /// bytes. `fences` are those that each thread of the block has made.
  std::string beginRead(int64_t offset, int64_t count, const std::vector<Toucher> &readers,
                        const std::vector<uint32_t> &fences);
  void endRead(int64_t offset, int64_t count);
  /// The same where one thread has waited for it: others know when they have met that one.
  void endRead(int64_t offset, int64_t count, const Toucher &by);

private:
  /// The last one who wrote or read a byte. Of readers that have not met there may be several.
  struct Touch {
    uint32_t blockMeetings = 0, groupMeetings = 0, warpMeetings = 0;
    uint16_t group = 0, warp = 0, thread = 0;
    bool isCopying = false;
  };
  struct Byte {
    Touch written, read;
    bool isOfTile = false; ///< which a unit wrote; otherwise a thread did
    TileSignal signal{};   ///< of the tile
    uint32_t fences = 0;   ///< that the thread had made when it wrote
    uint16_t readers = 0;  ///< units that have not read it yet
  };
  static bool isOrdered(const Touch &before, const Toucher &now);
  static void noteRead(Touch &read, const Toucher &by);
  static Touch touchOf(const Toucher &by);
  static bool hasSeen(const TileSignal &signal, const Toucher &by);

  std::unique_ptr<char[]> storage;
  char *memory = nullptr; ///< in it, aligned as swizzled tiles have to be
  size_t capacity = 0;
  std::vector<Byte> bytes;
  uint32_t firstMeetings = 0;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EMULATOR_SHAREDMEMORY_H
