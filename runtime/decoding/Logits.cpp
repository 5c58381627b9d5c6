// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order and sums of a row of logits.

#include "Logits.h"
#include "Failure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::decoding {

namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

} // namespace

void checkLogits(Logits logits) {
  bool anyCanCome = false;
  for (size_t i = 0; i < logits.size; ++i) {
    float logit = logits.data[i];
    if (std::isnan(logit) || logit == -impossible)
      throw Failure{WEFT_STATUS_BAD_DATA, "the model's logit of token " + std::to_string(i) +
                                              ": expected a finite number, got " +
                                              (std::isnan(logit) ? "NaN" : "infinity")};
    anyCanCome |= logit != impossible;
  }
  if (!anyCanCome)
    throw Failure{WEFT_STATUS_BAD_DATA, "the model's logits: expected a token that can come, got none"};
}

int64_t findLikeliest(Logits logits) {
  return std::max_element(logits.data, logits.data + logits.size) - logits.data;
}

std::vector<int64_t> findLikeliest(Logits logits, size_t count) {
  std::vector<int64_t> tokens;
  for (size_t i = 0; i < logits.size; ++i)
    if (logits.data[i] != impossible)
      tokens.push_back(static_cast<int64_t>(i));
  count = std::min(count, tokens.size());
  auto likelier = [&](int64_t a, int64_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  std::partial_sort(tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(count), tokens.end(), likelier);
  tokens.resize(count);
  return tokens;
}

double logSumExp(Logits logits) {
  double greatest = logits[findLikeliest(logits)]; // What is left is at most 1: nothing overflows.
  double sum = 0;
  for (size_t i = 0; i < logits.size; ++i)
    sum += std::exp(logits.data[i] - greatest);
  return greatest + std::log(sum);
}

} // namespace weft::decoding
