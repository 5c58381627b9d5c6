// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search, without the model: it says what to ask the model about, and takes the logits that come back.

#ifndef WEFT_RUNTIME_DECODING_BEAMSEARCH_H
#define WEFT_RUNTIME_DECODING_BEAMSEARCH_H

#include "Logits.h"

namespace weft::decoding {

struct Hypothesis {
  std::vector<int64_t> tokens; ///< Without the end token.
  size_t parent = 0;           ///< The place in the previous live() of the hypothesis that this one extends.
  double logProbability = 0;   ///< Of the tokens, and of the end token if it came.
};

struct BeamOptions {
  size_t width = 1;
  double lengthPenalty = 0.6; ///< At least 0; 0 means none.
  size_t longest = 0;         ///< Where a hypothesis is cut off, in tokens.
  int64_t endToken = -1;      ///< -1 if there is none.
};

/// What a log-probability is divided by (Wu et al., 2016): ((5 + length) / 6) ^ lengthPenalty. The end token
/// counts in `length`.
double penalizeLength(size_t length, double lengthPenalty);

/// Hypotheses have `width` places between them. With each token the likeliest extensions take the places that
/// are free; one that ends keeps its place for good. So a search of width 1 is greedy decoding, and a search
/// of a width that no place is lacking is exhaustive. Extensions of one length are ranked by log-probability;
/// equal ones by the rank of what they extend, then by logit, then by token. The best of all is the one of
/// the greatest score, the log-probability divided by the length's penalty; of equal ones, the one that ended
/// first.
class BeamSearch {
public:
  explicit BeamSearch(const BeamOptions &options);

  /// What is to be extended; all of one length, likeliest first. One empty hypothesis at first; none when the
  /// search is over.
  const std::vector<Hypothesis> &live() const { return alive; }

  /// Extends what is live by a token; rows[i] are the logits after live()[i].
  void advance(const std::vector<Logits> &rows);

  /// When the search is over: the best hypothesis.
  const Hypothesis &best() const { return bestEnded; }

private:
  void end(const Hypothesis &hypothesis, size_t length);
  bool canImprove() const;

  BeamOptions options;
  std::vector<Hypothesis> alive = {Hypothesis()};
  size_t length = 0; // Of what is alive.
  size_t ended = 0;
  Hypothesis bestEnded;
  double bestScore = 0;
};

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_BEAMSEARCH_H
