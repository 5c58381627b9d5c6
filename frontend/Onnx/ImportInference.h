// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What constants, shapes and fixed dims decide of short values while the graph grows.
#ifndef WEFT_FRONTEND_ONNX_IMPORTINFERENCE_H
#define WEFT_FRONTEND_ONNX_IMPORTINFERENCE_H

#include "dialects/Weft/IR/Weft.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace weft::onnx {

/// Follows elements through the operations that make them: exporters that fold nothing write
/// Unsqueeze(Constant), and loops count. What is found is kept, so that an unrolled loop asks of each
/// operation once.
class ImportInference : public InferContext {
public:
  /// `fixedDims` are sizes of dims by name, which `--dim` gives.
  explicit ImportInference(const llvm::StringMap<int64_t> &fixedDims) : fixedDims(fixedDims) {}

  std::optional<llvm::SmallVector<weft::Dim>> elements(mlir::Value value) override;
  /// The elements of an integer value if all are numbers.
  std::optional<llvm::SmallVector<int64_t>> numbers(mlir::Value value);
  /// A dim with the sizes that are fixed; one that they make impossible stays as it is.
  weft::Dim fix(weft::Dim dim) const;

private:
  static constexpr int kMostDepth = 64; ///< of operations upon each other; a model may have any number
  const llvm::StringMap<int64_t> &fixedDims;
  int depth = 0;
  bool isCut = false; ///< An operation was too deep, and what is upon it may be known after all.
  llvm::DenseMap<mlir::Value, std::optional<llvm::SmallVector<weft::Dim>>> known;
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_IMPORTINFERENCE_H
