// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file mapped read-only. Weights stay in it until they are copied into an artifact.
#ifndef WEFT_FRONTEND_ONNX_MAPPEDFILE_H
#define WEFT_FRONTEND_ONNX_MAPPEDFILE_H

#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace weft::onnx {

/// The bytes of one file. Whoever shortens the file while it is mapped makes reads past its new end fault, as
/// with every mapping; we read a model once and do not copy it to guard against that.
class MappedFile {
public:
  /// Why a file was not opened. `reason` reads on after the path: "is a directory, not a regular file".
  struct Failure {
    bool isSystemError = false;
    std::string reason;
  };
  enum class FollowSymlinks { No, Yes };

  /// Maps a regular file, however large. Anything else (directory, pipe, device) is refused without a read.
  static std::shared_ptr<const MappedFile> open(llvm::StringRef path, FollowSymlinks follow,
                                                Failure &failure);
  /// Bytes that somebody else owns and keeps alive.
  static std::shared_ptr<const MappedFile> view(llvm::StringRef name, llvm::StringRef bytes);

  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  llvm::StringRef path() const { return path_; }
  llvm::StringRef bytes() const { return bytes_; }
  /// Takes a part of them out of this process's memory until it is read again, if they are a mapping.
  void release(llvm::StringRef part) const;

private:
  MappedFile(llvm::StringRef path, llvm::StringRef bytes, bool isMapping)
      : path_(path), bytes_(bytes), isMapping_(isMapping) {}

  std::string path_;
  llvm::StringRef bytes_;
  bool isMapping_;
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_MAPPEDFILE_H
