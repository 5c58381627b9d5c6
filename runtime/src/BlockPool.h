// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of outputs that were released, for those of the next run: pages that the system would have to hand
// out and clear again, which takes longer than a small model.

#ifndef WEFT_RUNTIME_BLOCKPOOL_H
#define WEFT_RUNTIME_BLOCKPOOL_H

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace weft::runtime {

/// Memory aligned to WEFT_BUFFER_ALIGNMENT. Where it is from a pool it goes back there.
class Block {
public:
  Block() = default;
  /// Null data if there is no memory.
  explicit Block(size_t bytes);
  Block(Block &&other) noexcept { swap(other); }
  Block &operator=(Block other) noexcept {
    swap(other);
    return *this;
  }
  ~Block();

  void *data() const { return memory; }
  size_t capacity() const { return bytes; }

private:
  friend class BlockPool;
  void swap(Block &other) noexcept {
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
    home.swap(other.home);
  }

  void *memory = nullptr;
  size_t bytes = 0;
  std::shared_ptr<class BlockPool> home;
};

/// Shared by a session and by its outputs, which may be released in any thread, and after the session.
class BlockPool : public std::enable_shared_from_this<BlockPool> {
public:
  /// A block of at least so many bytes; null data if there is no memory.
  Block take(size_t bytes);
  /// Keeps at most so many bytes from now on: what a run's outputs take. 0 keeps none.
  void limit(size_t bytes);

private:
  friend class Block;
  void giveBack(Block block) noexcept;
  void shrink();

  std::mutex mutex;
  std::vector<Block> kept;
  size_t keptBytes = 0, mostBytes = 0;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_BLOCKPOOL_H
