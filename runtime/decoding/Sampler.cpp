// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Probabilities are computed in double, summed from the likeliest on, so that they do not depend on the
// vocabulary's order.

#include "Sampler.h"

#include <cmath>

namespace weft::decoding {

namespace {

/// Divides by the sum, which is not 0.
void normalize(std::vector<Candidate> &candidates) {
  double sum = 0;
  for (const Candidate &candidate : candidates)
    sum += candidate.probability;
  for (Candidate &candidate : candidates)
    candidate.probability /= sum;
}

/// Keeps the fewest of the first candidates that reach `topP`. Never none.
void keepNucleus(std::vector<Candidate> &candidates, double topP) {
  double reached = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    reached += candidates[i].probability;
    if (reached >= topP)
      candidates.resize(i + 1);
  }
}

} // namespace

std::vector<Candidate> findCandidates(Logits logits, const Sampling &sampling) {
  checkLogits(logits);
  if (sampling.temperature == 0)
    return {{findLikeliest(logits), 1}};
  std::vector<Candidate> candidates;
  std::vector<int64_t> tokens = findLikeliest(logits, sampling.topK);
  for (int64_t token : tokens) {
    double distance = static_cast<double>(logits[token]) - logits[tokens.front()];
    candidates.push_back({token, std::exp(distance / sampling.temperature)});
  }
  normalize(candidates);
  if (sampling.topP < 1) { // At 1 rounding must not drop the last ones.
    keepNucleus(candidates, sampling.topP);
    normalize(candidates);
  }
  return candidates;
}

int64_t pick(const std::vector<Candidate> &candidates, double uniform) {
  double reached = 0;
  for (const Candidate &candidate : candidates) {
    reached += candidate.probability;
    if (uniform < reached)
      return candidate.token;
  }
  return candidates.front().token; // The sum may be rounded to just below 1.
}

} // namespace weft::decoding
