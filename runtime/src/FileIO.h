// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading whole files, and writing them so that a failure leaves no partial file behind.

#ifndef WEFT_RUNTIME_FILEIO_H
#define WEFT_RUNTIME_FILEIO_H

#include "FileDescriptor.h"

#include <string>
#include <sys/types.h>

namespace weft::runtime {

/// Raises an Error that names the file. Pipes work too.
std::string readFile(const std::string &path);

/// A file that comes into being with commit(): until then a temporary file in the same folder holds the
/// bytes. What is not a regular file (/dev/stdout, a pipe) is written directly.
class OutputFile {
public:
  explicit OutputFile(const std::string &path);
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  /// Without a commit, the temporary file goes away.
  ~OutputFile();

  void write(std::string_view bytes);
  void commit();

private:
  void openTemporary(mode_t mode);
  [[noreturn]] void fail(int error) const;

  const std::string path;
  std::string target, temporary;
  FileDescriptor file;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_FILEIO_H
