// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extend, rank, keep. Sums are in double.

#include "BeamSearch.h"

#include <algorithm>
#include <cmath>

namespace weft::decoding {

namespace {

struct Extension {
  size_t parent;
  int64_t token;
  double logProbability;
  size_t
      order; ///< By what it extends, then by logit, then by token: for sums that are, or round to, the same.
};

/// The `count` likeliest extensions, likeliest first. A row's tokens come in order of logit, which a stable
/// sort keeps where sums round to the same.
std::vector<Extension> rankExtensions(const std::vector<Hypothesis> &alive, const std::vector<Logits> &rows,
                                      size_t count) {
  std::vector<Extension> extensions;
  for (size_t i = 0; i < alive.size(); ++i) {
    checkLogits(rows[i]);
    double sum = logSumExp(rows[i]);
    for (int64_t token : findLikeliest(rows[i], count))
      extensions.push_back({i, token, alive[i].logProbability + (rows[i][token] - sum), extensions.size()});
  }
  std::sort(extensions.begin(), extensions.end(), [](const Extension &a, const Extension &b) {
    return a.logProbability != b.logProbability ? a.logProbability > b.logProbability : a.order < b.order;
  });
  if (extensions.size() > count)
    extensions.resize(count);
  return extensions;
}

} // namespace

double penalizeLength(size_t length, double lengthPenalty) {
  return std::pow((5.0 + static_cast<double>(length)) / 6.0, lengthPenalty);
}

BeamSearch::BeamSearch(const BeamOptions &options) : options(options) {
  if (options.longest == 0)
    alive.clear(); // Nothing to say: the empty hypothesis is the best.
}

void BeamSearch::advance(const std::vector<Logits> &rows) {
  std::vector<Hypothesis> extended;
  ++length;
  for (const Extension &extension : rankExtensions(alive, rows, options.width - ended)) {
    Hypothesis hypothesis{alive[extension.parent].tokens, extension.parent, extension.logProbability};
    if (extension.token == options.endToken) {
      end(hypothesis, length);
      continue;
    }
    hypothesis.tokens.push_back(extension.token);
    if (length == options.longest)
      end(hypothesis, length);
    else
      extended.push_back(std::move(hypothesis));
  }
  alive = std::move(extended);
  if (!canImprove())
    alive.clear();
}

void BeamSearch::end(const Hypothesis &hypothesis, size_t length) {
  double score = hypothesis.logProbability / penalizeLength(length, options.lengthPenalty);
  if (ended == 0 || score > bestScore) {
    bestEnded = hypothesis;
    bestScore = score;
  }
  ++ended;
}

/// Log-probabilities only fall, and no penalty is greater than that of the longest.
bool BeamSearch::canImprove() const {
  return ended == 0 ||
         (!alive.empty() &&
          alive.front().logProbability / penalizeLength(options.longest, options.lengthPenalty) > bestScore);
}

} // namespace weft::decoding
