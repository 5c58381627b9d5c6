// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of an uncompressed .npz file, as numpy.savez writes it: mapped, never copied.
#ifndef WEFT_FRONTEND_BUILDER_NPZWEIGHTS_H
#define WEFT_FRONTEND_BUILDER_NPZWEIGHTS_H

#include "frontend/Builder/Weights.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace weft {

/// Constants are handles into the file (#weft.weight), which must stay where it is until the model is
/// compiled. Small ones and splats are in the IR. Elements must be f32, f16, f64 or of an integer type,
/// row-major and little-endian.
class NpzWeights : public Weights {
public:
  /// Maps the file and reads its directory; an error names the file. Compressed archives
  /// (numpy.savez_compressed) are refused.
  static llvm::Expected<std::unique_ptr<NpzWeights>> open(llvm::StringRef path);

  mlir::Value get(GraphBuilder &graph, llvm::StringRef name, llvm::ArrayRef<int64_t> shape) override;

private:
  /// Where the .npy file of an array is, by the array's name.
  struct Entry {
    int64_t offset, bytes;
  };
  /// An array's header, and where its elements are in the file.
  struct Array {
    std::string element; ///< NumPy's name of the type: "<f4"
    llvm::SmallVector<int64_t> shape;
    int64_t offset, bytes;
  };
  NpzWeights(llvm::StringRef path, std::unique_ptr<llvm::MemoryBuffer> file)
      : path(path), file(std::move(file)) {}
  llvm::Error readDirectory();
  llvm::Error readEntry(int64_t &at);
  llvm::Expected<Array> readArray(llvm::StringRef name);
  llvm::Error error(const llvm::Twine &message) const;

  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> file;
  llvm::StringMap<Entry> entries;
};

} // namespace weft

#endif // WEFT_FRONTEND_BUILDER_NPZWEIGHTS_H
