// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search on small tables of random logits, against enumeration and against a plain loop.

#include "runtime/decoding/BeamSearch.h"
#include "runtime/decoding/Decode.h"
#include "runtime/decoding/Random.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>

using namespace weft::decoding;

namespace {

using Tokens = std::vector<int64_t>;

constexpr int64_t vocabulary = 4;
constexpr int64_t endOfText = 3;

/// A model whose next token depends on the last two.
class Table : public NextToken {
public:
  explicit Table(uint64_t seed, double roundTo = 0)
      : values((vocabulary + 1) * (vocabulary + 1) * vocabulary) {
    Random random(seed);
    for (float &value : values) {
      double logit = 6 * random.nextUniform() - 3;
      value = static_cast<float>(roundTo > 0 ? std::round(logit / roundTo) * roundTo : logit);
    }
  }

  Logits after(const Tokens &text) const {
    auto fromEnd = [&](size_t i) { return text.size() < i ? vocabulary : text[text.size() - i]; };
    int64_t row = fromEnd(2) * (vocabulary + 1) + fromEnd(1);
    return {values.data() + row * vocabulary, vocabulary};
  }

  double logProbability(const Tokens &text, int64_t next) const {
    double sum = 0;
    for (int64_t i = 0; i < vocabulary; ++i)
      sum += std::exp(static_cast<double>(after(text)[i]));
    return after(text)[next] - std::log(sum);
  }

  /// Also checks that what is asked grows from what was asked before.
  std::vector<Logits> predict(const std::vector<Hypothesis> &hypotheses) override {
    std::vector<Logits> rows;
    std::vector<Tokens> texts;
    for (const Hypothesis &hypothesis : hypotheses) {
      Tokens start = hypothesis.tokens;
      if (!start.empty()) {
        start.pop_back();
        EXPECT_EQ(start, asked.at(hypothesis.parent));
      }
      texts.push_back(hypothesis.tokens);
      rows.push_back(after(hypothesis.tokens));
    }
    asked = texts;
    return rows;
  }

private:
  std::vector<float> values;
  std::vector<Tokens> asked;
};

/// The best of all texts that start with `text`, by enumeration.
struct Best {
  Tokens tokens;
  double score = -INFINITY;

  void offer(const Tokens &text, double newScore) {
    if (newScore > score) {
      tokens = text;
      score = newScore;
    }
  }
};

void enumerate(const Table &table, Tokens &text, double logProbability, const BeamOptions &options,
               Best &best) {
  size_t length = text.size() + 1;
  for (int64_t token = 0; token < vocabulary; ++token) {
    double extended = logProbability + table.logProbability(text, token);
    if (token == options.endToken) {
      best.offer(text, extended / penalizeLength(length, options.lengthPenalty));
      continue;
    }
    text.push_back(token);
    if (length == options.longest)
      best.offer(text, extended / penalizeLength(length, options.lengthPenalty));
    else
      enumerate(table, text, extended, options, best);
    text.pop_back();
  }
}

/// Beam search as one would write it down: nothing ends early, everything is sorted.
Best searchPlainly(const Table &table, const BeamOptions &options) {
  using Entry = std::pair<double, Tokens>;
  std::vector<Entry> alive = {{0.0, {}}};
  Best best;
  size_t places = options.width;
  for (size_t length = 1; length <= options.longest; ++length) {
    std::vector<Entry> extended;
    for (const Entry &entry : alive)
      for (int64_t token = 0; token < vocabulary; ++token) {
        extended.push_back({entry.first + table.logProbability(entry.second, token), entry.second});
        extended.back().second.push_back(token);
      }
    std::sort(extended.begin(), extended.end(),
              [](const Entry &a, const Entry &b) { return a.first > b.first; });
    extended.resize(std::min(extended.size(), places));
    alive.clear();
    for (Entry &entry : extended) {
      bool ends = entry.second.back() == options.endToken;
      if (!ends && length < options.longest) {
        alive.push_back(entry);
        continue;
      }
      if (ends)
        entry.second.pop_back();
      best.offer(entry.second, entry.first / penalizeLength(length, options.lengthPenalty));
      --places;
    }
  }
  return best;
}

Tokens decodeBeams(Table &table, const BeamOptions &options) {
  Decoding decoding;
  decoding.beams = options.width;
  decoding.lengthPenalty = options.lengthPenalty;
  decoding.longest = options.longest;
  decoding.endToken = options.endToken;
  return decode(table, decoding);
}

TEST(BeamSearchTest, LengthPenalty) {
  EXPECT_EQ(penalizeLength(1, 0.6), 1);
  EXPECT_EQ(penalizeLength(30, 0), 1);
  EXPECT_NEAR(penalizeLength(7, 1), 2, 1e-12);
  EXPECT_NEAR(penalizeLength(19, 0.5), 2, 1e-12);
}

TEST(BeamSearchTest, WideEnoughIsExhaustive) {
  for (uint64_t seed = 0; seed < 50; ++seed)
    for (size_t longest : {1, 2, 3, 5})
      for (double penalty : {0.0, 0.6, 1.0, 3.0})
        for (int64_t end : {endOfText, int64_t(-1)}) {
          Table table(seed);
          BeamOptions options{static_cast<size_t>(std::pow(vocabulary, longest)), penalty, longest, end};
          Best best;
          Tokens text;
          enumerate(table, text, 0, options, best);
          EXPECT_EQ(decodeBeams(table, options), best.tokens)
              << "seed " << seed << ", longest " << longest << ", penalty " << penalty;
        }
}

TEST(BeamSearchTest, AgreesWithThePlainLoopAtEveryWidth) {
  int unlikeGreedy = 0;
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (size_t width : {1, 2, 3, 4, 7})
      for (double penalty : {0.0, 0.6, 2.0}) {
        Table table(seed);
        BeamOptions options{width, penalty, 8, endOfText};
        Tokens found = decodeBeams(table, options);
        EXPECT_EQ(found, searchPlainly(table, options).tokens) << "seed " << seed << ", width " << width;
        unlikeGreedy += found != decodeBeams(table, {1, penalty, 8, endOfText});
      }
  EXPECT_GT(unlikeGreedy, 100); // Otherwise this shows little.
}

TEST(BeamSearchTest, Width1IsGreedyWhereTokensAreEquallyLikely) {
  for (uint64_t seed = 0; seed < 200; ++seed)
    for (double penalty : {0.0, 0.6, 5.0}) {
      Table table(seed, /*roundTo=*/2);
      Decoding greedy;
      greedy.longest = 12;
      greedy.endToken = endOfText;
      EXPECT_EQ(decodeBeams(table, {1, penalty, 12, endOfText}), decode(table, greedy)) << "seed " << seed;
    }
}

TEST(BeamSearchTest, EqualOnesKeepTheirOrder) {
  std::vector<float> row(5, 1.0f);
  Logits logits{row.data(), row.size()};
  BeamSearch search({3, 0, 10, -1});
  search.advance({logits});
  ASSERT_EQ(search.live().size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(search.live()[i].tokens, Tokens{static_cast<int64_t>(i)});
  search.advance({logits, logits, logits});
  ASSERT_EQ(search.live().size(), 3u);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(search.live()[i].tokens, (Tokens{0, static_cast<int64_t>(i)}));
}

TEST(BeamSearchTest, OfEqualOnesTheFirstIsTheBest) {
  std::vector<float> row(5, 1.0f);
  BeamSearch search({3, 0, 1, -1});
  search.advance({{row.data(), row.size()}});
  EXPECT_TRUE(search.live().empty());
  EXPECT_EQ(search.best().tokens, Tokens{0});
}

TEST(BeamSearchTest, WhatEndedKeepsItsPlace) {
  std::vector<float> row = {2, 1, 0, 3}; // The end is likeliest.
  Logits logits{row.data(), row.size()};
  BeamSearch search({3, 9, 10, endOfText}); // So great a penalty that longer is better.
  search.advance({logits});
  ASSERT_EQ(search.live().size(), 2u);
  EXPECT_EQ(search.live()[0].tokens, Tokens{0});
  EXPECT_EQ(search.live()[1].tokens, Tokens{1});
  search.advance({logits, logits});
  ASSERT_EQ(search.live().size(), 1u); // {0, end} ended, {0, 0} goes on.
  EXPECT_EQ(search.live()[0].tokens, (Tokens{0, 0}));
  search.advance({logits});
  EXPECT_TRUE(search.live().empty());
  EXPECT_EQ(search.best().tokens, (Tokens{0, 0}));
}

TEST(BeamSearchTest, StopsWhenNothingBetterCanCome) {
  std::vector<float> row = {0, 0, 0, 5};
  Logits logits{row.data(), row.size()};
  BeamSearch search({4, 0, 100, endOfText});
  search.advance({logits});
  EXPECT_TRUE(search.live().empty());
  EXPECT_EQ(search.best().tokens, Tokens());
}

TEST(BeamSearchTest, NothingToSay) {
  Table table(1);
  EXPECT_EQ(decodeBeams(table, {4, 0.6, 0, endOfText}), Tokens());
  Decoding greedy;
  EXPECT_EQ(decode(table, greedy), Tokens());
}

TEST(DecodeTest, DrawsTheSameTextForASeedAndOthersForOthers) {
  Table table(3);
  Decoding decoding;
  decoding.sampling = Sampling();
  decoding.longest = 20;
  std::vector<Tokens> texts;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    decoding.seed = seed;
    texts.push_back(decode(table, decoding));
    EXPECT_EQ(texts.back().size(), 20u);
    EXPECT_EQ(decode(table, decoding), texts.back());
  }
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::unique(texts.begin(), texts.end()), texts.end());
}

} // namespace
