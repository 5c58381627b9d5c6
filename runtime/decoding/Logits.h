// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model says about the next token: a number for each token of the vocabulary.

#ifndef WEFT_RUNTIME_DECODING_LOGITS_H
#define WEFT_RUNTIME_DECODING_LOGITS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::decoding {

/// One row of logits, which somebody else owns. -inf is a token that cannot come.
struct Logits {
  const float *data;
  size_t size;

  float operator[](int64_t token) const { return data[token]; }
};

/// Throws a Failure unless some token can come and no logit is NaN or +inf. The functions below rely on it.
void checkLogits(Logits logits);

/// The token of the greatest logit; of several, the lowest.
int64_t findLikeliest(Logits logits);

/// The `count` likeliest tokens, or all that can come if they are fewer; likeliest first, equal ones by
/// token.
std::vector<int64_t> findLikeliest(Logits logits, size_t count);

/// log(sum(exp(logit))): a logit less this is a log-probability.
double logSumExp(Logits logits);

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_LOGITS_H
