// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes behind #weft.weight: mapped files, and data that passes made.
#ifndef WEFT_DIALECTS_WEFT_IR_WEIGHTSTORE_H
#define WEFT_DIALECTS_WEFT_IR_WEIGHTSTORE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <mutex>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace weft {

class WeightAttr;

/// Gives the bytes of a weight, and keeps those that passes make.
///
/// Data of model files is mapped, never copied to the heap. Data that passes make (folded, packed) goes to an
/// unlinked temporary file that is mapped too, so that memory in use stays small however large a model is.
/// Thread-safe.
class WeightStore {
public:
  WeightStore();
  ~WeightStore();

  /// Where relative file names of weights are looked for; the folder of the file that holds the IR.
  void setBaseDirectory(llvm::StringRef directory);
  std::string getBaseDirectory();
  /// Where data made by passes is kept while compiling; the system's temporary folder unless set.
  void setScratchDirectory(llvm::StringRef directory);

  /// The bytes of `weight`. Fails, naming the file, if it is missing, too short, or changed since its hash
  /// was taken. The first read of each weight checks the hash.
  llvm::Expected<llvm::ArrayRef<char>> read(WeightAttr weight);

  /// Keeps `bytes` bytes that `fill` writes, and returns their handle (file name "").
  llvm::Expected<WeightAttr> make(mlir::MLIRContext *context, int64_t bytes,
                                  llvm::function_ref<void(llvm::MutableArrayRef<char>)> fill);

  /// Takes a weight's bytes out of this process's memory until they are read again: they lie in a file.
  void release(WeightAttr weight);

  /// The hash that handles carry: xxh3, 64 bits.
  static uint64_t hash(llvm::ArrayRef<char> bytes);

private:
  struct Mapping;
  struct Scratch;
  llvm::Expected<llvm::ArrayRef<char>> mapFile(llvm::StringRef file);

  std::mutex mutex;
  std::string baseDirectory, scratchDirectory;
  llvm::StringMap<std::unique_ptr<Mapping>> files;
  std::unique_ptr<Scratch> scratch;
};

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_WEIGHTSTORE_H
