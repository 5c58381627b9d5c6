// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of a window of keys, computed over chunks of queries and keys that overlap, and put in order by
// slices, pads and reshapes that cut across rows (Longformer: Beltagy et al., arXiv 2004.05150). Which query
// and which key each score belongs to is found by moving their places.
#ifndef WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDSCORES_H
#define WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDSCORES_H

#include "compiler/Graph/Attention/ChunkedPlan.h"
#include "compiler/Graph/Attention/Origins.h"
#include <string>

namespace weft::graph {

/// For each vector of a matrix operand, row-major, the vector of the source that it is, or -1 if it is none:
/// rows of [..., m, k], or columns of [..., k, n]. Nothing if the source's last dim is not theirs.
std::optional<std::vector<int32_t>> findVectors(mlir::Value operand, mlir::Value source, bool areColumns);

/// The strides by which numbers depend on indices of a shape, if they are sums of index * stride; a number
/// for each index, row-major.
std::optional<Strides> findStrides(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> numbers);
/// The dims whose stride is not 0, in an order in which they are row-major with `unit` as the last stride and
/// make `count` in all; nothing if there is none.
std::optional<llvm::SmallVector<int64_t>>
findOrder(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides, int64_t unit, int64_t count);

/// What is added to the scores: an element of `value` for each key and, along the dims of the softmax's input
/// whose stride is not 0, for each of these.
struct ChunkedMask {
  mlir::Value value;
  Strides strides; ///< of all dims but the last, in elements of `value`
};

class ChunkedScores {
public:
  /// What the input of a softmax over its last dim is; false if one condition failed, which `getObstacle`
  /// says.
  bool find(mlir::Value input);
  const std::string &getObstacle() const { return obstacle; }
  /// Whether keys are copied into chunks, so that there is an attention to be missed.
  bool areChunked() const { return chunked; }

  ChunkSource query, key;
  MatmulOp product;
  double scale = 1;
  llvm::SmallVector<ChunkedMask> masks;
  Shape rows;                        ///< the dims of the input but the last
  Strides rowStrides;                ///< by which head * queries + query depends on them
  std::vector<int64_t> rowOf;        ///< that number for each row
  std::vector<int32_t> keyAt;        ///< the key of each score; -1 where it is excluded
  int64_t kept = 0;                  ///< scores that are not
  int64_t firstKey = 0, lastKey = 0; ///< keys from i + firstKey to i + lastKey count for query i

private:
  /// A term of the input that is no product.
  struct Term {
    mlir::Value value, source;
    std::shared_ptr<const Origins> origins;
    std::unique_ptr<OriginFinder> finder;
    Strides strides;                ///< to read it at an index of the input
    bool isData = false;            ///< whether elements of the source count, rather than a 0
    std::vector<int64_t> rowStarts; ///< the source's place of key 0, for each row
  };

  bool fail(llvm::StringRef why) {
    obstacle = why.str();
    return false;
  }
  bool takeTerms(mlir::Value value, mlir::Type type);
  bool takeProduct(mlir::Value term, mlir::Value source);
  bool takeChunks();
  bool takeVectors(const ChunkSource &queries, const ChunkSource &keys);
  bool takeElement(int64_t row, int64_t place, int64_t column);
  bool takeTerm(Term &term, int64_t row, int32_t origin, int64_t keyPosition);
  bool takeWindow();
  bool takeMasks();

  std::string obstacle;
  bool chunked = false;
  mlir::Value scores, scoresSource;
  llvm::SmallVector<Term> terms;
  std::vector<int32_t> queryVectors, keyVectors;
  std::shared_ptr<const Origins> scoreOrigins;
  std::unique_ptr<OriginFinder> scoreFinder;
  llvm::SmallVector<int64_t> termStarts; ///< of the row that is read
  std::vector<int32_t> lastRowOf;        ///< of each key, to see one twice
  int64_t firstOfRow = 0, lastOfRow = 0, keptOfRow = 0;
};

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_ATTENTION_CHUNKEDSCORES_H
