// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file that appears whole or not at all.
#ifndef WEFT_COMPILER_ARTIFACT_OUTPUTFILE_H
#define WEFT_COMPILER_ARTIFACT_OUTPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

namespace weft {

/// Writes to a temporary name in the target's folder and renames at the end. What is no regular file (a
/// device, a pipe) is written directly. Unless committed, nothing is left behind. Errors name the file.
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
  OutputFile() = default;
  llvm::SmallString<256> path, temporary; ///< temporary is empty for a direct write
  int fd = -1;
  uint64_t written = 0;
  int error = 0; ///< errno of the first write that failed
};

} // namespace weft

#endif // WEFT_COMPILER_ARTIFACT_OUTPUTFILE_H
