// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of logits made by hand, whose probabilities are known: logits are logarithms of them.

#include "runtime/decoding/Sampler.h"
#include "runtime/decoding/Decode.h"
#include "runtime/decoding/Failure.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace weft::decoding;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

Logits view(const std::vector<float> &row) { return {row.data(), row.size()}; }

std::vector<float> logarithms(const std::vector<double> &probabilities) {
  std::vector<float> row;
  for (double probability : probabilities)
    row.push_back(static_cast<float>(std::log(probability)));
  return row;
}

std::vector<int64_t> tokensOf(const std::vector<Candidate> &candidates) {
  std::vector<int64_t> tokens;
  for (const Candidate &candidate : candidates)
    tokens.push_back(candidate.token);
  return tokens;
}

std::vector<int64_t> tokens(const std::vector<float> &row, const Sampling &sampling) {
  return tokensOf(findCandidates(view(row), sampling));
}

const size_t all = Sampling().topK;
using Tokens = std::vector<int64_t>;

TEST(RandomTest, IsTheSameEverywhere) {
  // SplitMix64's published first numbers for the seed 1234567.
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  Random uniform(0);
  EXPECT_EQ(uniform.nextUniform(), static_cast<double>(0xE220A8397B1DCDAF >> 11) / (1ull << 53));
}

TEST(LogitsTest, LikeliestFirstAndEqualOnesByToken) {
  std::vector<float> row = {1, 3, 2, 3, -infinity, 3};
  EXPECT_EQ(findLikeliest(view(row)), 1);
  EXPECT_EQ(findLikeliest(view(row), 2), (Tokens{1, 3}));
  EXPECT_EQ(findLikeliest(view(row), 4), (Tokens{1, 3, 5, 2}));
  EXPECT_EQ(findLikeliest(view(row), 100), (Tokens{1, 3, 5, 2, 0})); // What cannot come is not among them.
}

TEST(LogitsTest, SumsDoNotOverflow) {
  std::vector<float> row = {1000, 1000, -infinity};
  EXPECT_NEAR(logSumExp(view(row)), 1000 + std::log(2.0), 1e-9);
  row = {-1000, -1000};
  EXPECT_NEAR(logSumExp(view(row)), -1000 + std::log(2.0), 1e-9);
}

TEST(LogitsTest, RefusesWhatIsNoDistribution) {
  auto messageOf = [](const std::vector<float> &row) -> std::string {
    try {
      checkLogits(view(row));
    } catch (const Failure &failure) {
      return failure.code == WEFT_STATUS_BAD_DATA ? failure.message : "wrong code";
    }
    return "";
  };
  EXPECT_EQ(messageOf({0, -infinity}), "");
  EXPECT_EQ(messageOf({0, NAN}), "the model's logit of token 1: expected a finite number, got NaN");
  EXPECT_EQ(messageOf({infinity, 0}), "the model's logit of token 0: expected a finite number, got infinity");
  EXPECT_EQ(messageOf({-infinity, -infinity}),
            "the model's logits: expected a token that can come, got none");
  EXPECT_EQ(messageOf({}), "the model's logits: expected a token that can come, got none");
}

TEST(SamplerTest, TopKKeepsTheLikeliestAndTiesByToken) {
  std::vector<float> row = {0, 2, 1, 2, 1};
  EXPECT_EQ(tokens(row, {1, 1, 1}), (Tokens{1}));
  EXPECT_EQ(tokens(row, {1, 2, 1}), (Tokens{1, 3}));
  EXPECT_EQ(tokens(row, {1, 3, 1}), (Tokens{1, 3, 2})); // 4 is as likely as 2.
  EXPECT_EQ(tokens(row, {1, 9, 1}), (Tokens{1, 3, 2, 4, 0}));
}

TEST(SamplerTest, TopPKeepsTheFewestThatReachIt) {
  std::vector<float> row = logarithms({0.1, 0.5, 0.15, 0.25});
  EXPECT_EQ(tokens(row, {1, all, 1e-9}), (Tokens{1})); // Never none.
  EXPECT_EQ(tokens(row, {1, all, 0.49}), (Tokens{1}));
  EXPECT_EQ(tokens(row, {1, all, 0.51}), (Tokens{1, 3}));
  EXPECT_EQ(tokens(row, {1, all, 0.74}), (Tokens{1, 3}));
  EXPECT_EQ(tokens(row, {1, all, 0.76}), (Tokens{1, 3, 2}));
  EXPECT_EQ(tokens(row, {1, all, 1}), (Tokens{1, 3, 2, 0}));
  std::vector<float> equal(4, 0.0f); // 1/4 each, exactly.
  EXPECT_EQ(tokens(equal, {1, all, 0.5}), (Tokens{0, 1}));
  EXPECT_EQ(tokens(equal, {1, all, 0.75}), (Tokens{0, 1, 2}));
}

TEST(SamplerTest, TopPIsOfWhatTopKKept) {
  // Of 0.5 and 0.25 the first is two thirds.
  std::vector<float> row = logarithms({0.1, 0.5, 0.15, 0.25});
  EXPECT_EQ(tokens(row, {1, 2, 0.6}), (Tokens{1}));
  EXPECT_EQ(tokens(row, {1, 2, 0.7}), (Tokens{1, 3}));
}

TEST(SamplerTest, ProbabilitiesAddUpTo1AndFollowTheTemperature) {
  std::vector<float> row = logarithms({0.1, 0.5, 0.15, 0.25});
  std::vector<Candidate> plain = findCandidates(view(row), {1, 3, 1});
  ASSERT_EQ(plain.size(), 3u);
  EXPECT_NEAR(plain[0].probability, 0.5 / 0.9, 1e-6);
  EXPECT_NEAR(plain[1].probability, 0.25 / 0.9, 1e-6);
  EXPECT_NEAR(plain[2].probability, 0.15 / 0.9, 1e-6);
  // At a temperature of 1/2 probabilities are squared, at 2 they are square roots.
  std::vector<Candidate> cold = findCandidates(view(row), {0.5, all, 1});
  EXPECT_NEAR(cold[0].probability / cold[1].probability, 4, 1e-5);
  std::vector<Candidate> hot = findCandidates(view(row), {2, all, 1});
  EXPECT_NEAR(hot[0].probability / hot[1].probability, std::sqrt(2), 1e-5);
  // So cold that all others vanish: still no division by 0.
  EXPECT_EQ(findCandidates(view(row), {1e-300, all, 1})[0].probability, 1);
}

TEST(SamplerTest, Temperature0IsGreedy) {
  std::vector<float> row = {0, 2, 1, 2, -infinity};
  EXPECT_EQ(tokens(row, {0, all, 1}), (Tokens{1}));
  Sampler sampler({0, 3, 0.9}, 5);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(sampler.choose(view(row)), 1);
}

TEST(SamplerTest, PicksByShare) {
  std::vector<Candidate> candidates = {{7, 0.5}, {3, 0.25}, {9, 0.25}};
  EXPECT_EQ(pick(candidates, 0), 7);
  EXPECT_EQ(pick(candidates, 0.499), 7);
  EXPECT_EQ(pick(candidates, 0.5), 3);
  EXPECT_EQ(pick(candidates, 0.75), 9);
  EXPECT_EQ(pick(candidates, 0.999), 9);
}

TEST(SamplerTest, DrawsAsOftenAsIsLikelyAndTheSameForASeed) {
  std::vector<float> row = logarithms({0.1, 0.5, 0.15, 0.25});
  Sampler sampler(Sampling(), 42), again(Sampling(), 42), other(Sampling(), 43);
  std::vector<int> counts(4);
  bool otherDiffers = false;
  for (int i = 0; i < 10000; ++i) {
    int64_t token = sampler.choose(view(row));
    ++counts[static_cast<size_t>(token)];
    EXPECT_EQ(again.choose(view(row)), token);
    otherDiffers |= other.choose(view(row)) != token;
  }
  EXPECT_TRUE(otherDiffers);
  // Four standard deviations are at most 200.
  EXPECT_NEAR(counts[0], 1000, 200);
  EXPECT_NEAR(counts[1], 5000, 200);
  EXPECT_NEAR(counts[2], 1500, 200);
  EXPECT_NEAR(counts[3], 2500, 200);
}

} // namespace
