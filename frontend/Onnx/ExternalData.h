// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors whose bytes lie in files beside the model.
#ifndef WEFT_FRONTEND_ONNX_EXTERNALDATA_H
#define WEFT_FRONTEND_ONNX_EXTERNALDATA_H

#include "frontend/Onnx/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <utility>

namespace weft::onnx {

struct ExternalSlice {
  std::shared_ptr<const MappedFile> file;
  uint64_t offset;
  uint64_t size;
};

/// Finds and maps external data. A model is not trusted: it must not make us read /etc/passwd into an
/// artifact.
///
/// A location must be relative and, with every symbolic link resolved, lie inside the directory of the model
/// or inside the directory of the file that the model's path resolves to. The second is for caches that keep
/// all files in one folder and link to them. Hard links cannot be told from files; to make one, one must own
/// the directory.
class ExternalData {
public:
  /// An empty path: the model is in memory and can have no external data.
  explicit ExternalData(llvm::StringRef modelPath) : modelPath(modelPath) {}

  /// Locates the slice that the entries (location, offset, length, checksum) describe, or reports why it
  /// cannot.
  using Entries = llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>>;
  std::optional<ExternalSlice> locate(Entries entries, PlaceFn place, Diagnostics &diagnostics);

private:
  std::shared_ptr<const MappedFile> map(llvm::StringRef location, PlaceFn place, Diagnostics &diagnostics);
  bool isAllowed(llvm::StringRef resolved);

  std::string modelPath;
  std::vector<std::string> allowedDirectories;              // Resolved; found at the first use.
  llvm::StringMap<std::shared_ptr<const MappedFile>> files; // By location, so that each is mapped once.
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_EXTERNALDATA_H
