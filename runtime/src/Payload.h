// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the payload at the end of a file, checks it, and brings its code into the process.

#ifndef WEFT_RUNTIME_PAYLOAD_H
#define WEFT_RUNTIME_PAYLOAD_H

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::runtime {

/// The parts of a payload, in the memory that it was found in.
struct Payload {
  std::string_view code, weights, metadata;
};

/// Finds the payload at the end of `bytes` and checks trailer and checksum. Errors start with `file`.
Payload findPayload(std::string_view bytes, const std::string &file);

/// A whole file, mapped read-only and shared with every process that maps it too.
class MappedFile {
public:
  /// Opens `path`; errors call it `name`.
  MappedFile(const char *path, const std::string &name);
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char *>(memory), size}; }

private:
  void *memory = nullptr;
  size_t size = 0;
};

/// A payload's code, loaded from memory without touching a disk.
class LoadedCode {
public:
  LoadedCode(std::string_view code, const std::string &file);
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;
  ~LoadedCode();

  /// The address of an exported symbol, or NULL.
  void *find(const std::string &symbol) const;

private:
  // Stays open while the code is loaded: the loader tells objects apart by path, and the path is this number.
  int file;
  void *library = nullptr;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_PAYLOAD_H
