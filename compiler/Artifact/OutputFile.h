// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file that appears whole or not at all.
#ifndef WEFT_COMPILER_ARTIFACT_OUTPUTFILE_H
#define WEFT_COMPILER_ARTIFACT_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace weft {

/// Writes to a temporary name in the target's folder and renames at the end. What is no regular file (a
/// device, a pipe) is written directly. Unless committed, nothing is left behind. Errors name the file.
///
/// The system is given whole chunks of the size of a huge page, each where it begins in the file. Linux keeps
/// what is written at once in one piece of its page cache (ext4 from 6.16 on, XFS from 5.18), and maps pieces
/// of this size as huge pages. So weights are read as fast as from a program's own memory (docs/abi.md).
class OutputFile {
public:
  static llvm::Expected<OutputFile> create(llvm::StringRef path, bool executable = false);
  OutputFile(OutputFile &&other);
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  /// Appends bytes. An error is kept and reported by commit.
  void write(llvm::ArrayRef<char> bytes);
  void write(llvm::StringRef text) { write(llvm::ArrayRef<char>(text.data(), text.size())); }
  /// Appends zeros up to a multiple of `alignment`.
  void align(uint64_t alignment);
  uint64_t size() const { return written; }
  /// Ends writing, while the file still has its temporary name. What writes two files that belong together
  /// closes both before it commits either.
  llvm::Error close();
  /// Closes the file and gives it its name.
  llvm::Error commit();

private:
  static constexpr size_t kChunkBytes = size_t(2) << 20; ///< a huge page of x86-64 and of AArch64

  OutputFile() = default;
  /// Gives bytes to the system.
  void writeThrough(llvm::ArrayRef<char> bytes);

  llvm::SmallString<256> path, temporary; ///< temporary is empty for a direct write
  int fd = -1;
  llvm::SmallVector<char, 0> pending; ///< of the chunk that is not full yet
  uint64_t written = 0;               ///< with what is pending
  int error = 0;                      ///< errno of the first write that failed
};

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_OUTPUTFILE_H
