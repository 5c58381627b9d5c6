// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the next token: temperature, then top-k, then top-p (nucleus sampling).

#ifndef WEFT_RUNTIME_DECODING_SAMPLER_H
#define WEFT_RUNTIME_DECODING_SAMPLER_H

#include "Logits.h"
#include "Random.h"

#include <limits>

namespace weft::decoding {

struct Sampling {
  double temperature = 1; ///< Logits are divided by it; 0 always takes the likeliest.
  size_t topK = std::numeric_limits<size_t>::max();
  double topP = 1;
};

struct Candidate {
  int64_t token;
  double probability;
};

/// What may be drawn, likeliest first, equal ones by token; the probabilities add up to 1. Of the `topK`
/// likeliest tokens, the fewest whose probabilities (among those tokens) reach `topP`.
std::vector<Candidate> findCandidates(Logits logits, const Sampling &sampling);

/// The candidate whose share of [0, 1) `uniform` falls in.
int64_t pick(const std::vector<Candidate> &candidates, double uniform);

class Sampler {
public:
  Sampler(const Sampling &sampling, uint64_t seed) : sampling(sampling), random(seed) {}

  int64_t choose(Logits logits) { return pick(findCandidates(logits, sampling), random.nextUniform()); }

private:
  Sampling sampling;
  Random random;
};

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_SAMPLER_H
