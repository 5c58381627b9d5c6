// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoding loop: what has been said so far goes into the model, and what it says next is chosen.

#ifndef WEFT_RUNTIME_DECODING_DECODE_H
#define WEFT_RUNTIME_DECODING_DECODE_H

#include "BeamSearch.h"
#include "Sampler.h"

#include <optional>

namespace weft::decoding {

/// How to choose: by beam search, by drawing, or, where neither is given, greedily.
struct Decoding {
  std::optional<size_t> beams;
  double lengthPenalty = 0.6;
  std::optional<Sampling> sampling;
  uint64_t seed = 0;
  size_t longest = 0;    ///< Where a text is cut off, in tokens.
  int64_t endToken = -1; ///< What ends a text; -1 if nothing does.
};

/// A model in the middle of a text.
class NextToken {
public:
  virtual ~NextToken() = default;

  /// The logits of the token after each hypothesis; they live until the next call. In the first call there is
  /// one hypothesis, which is empty; later each extends one of the call before (its `parent`) by one token.
  virtual std::vector<Logits> predict(const std::vector<Hypothesis> &hypotheses) = 0;
};

/// The tokens of one text, without the end token. Depends on nothing but the arguments: every text draws its
/// random numbers from the seed on.
std::vector<int64_t> decode(NextToken &model, const Decoding &decoding);

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_DECODE_H
