// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags and what is wrong with them.

#include "runtime/decoding/DecodingFlags.h"

#include "gtest/gtest.h"

using namespace weft::decoding;

namespace {

Decoding parse(const std::vector<std::string> &arguments) {
  DecodingFlags flags;
  parseCommandLine(arguments, flags.flags());
  return flags.resolve(40);
}

std::string messageOf(const std::vector<std::string> &arguments) {
  try {
    parse(arguments);
  } catch (const Failure &failure) {
    return failure.code == WEFT_STATUS_BAD_ARGUMENT ? failure.message : "wrong code";
  }
  return "";
}

TEST(DecodingFlagsTest, Defaults) {
  Decoding decoding = parse({"model"});
  EXPECT_FALSE(decoding.beams);
  EXPECT_FALSE(decoding.sampling);
  EXPECT_EQ(decoding.longest, 40u);
}

TEST(DecodingFlagsTest, Values) {
  Decoding beams = parse({"--beam", "4", "--length-penalty=1.5", "--longest", "7"});
  EXPECT_EQ(beams.beams, 4u);
  EXPECT_EQ(beams.lengthPenalty, 1.5);
  EXPECT_EQ(beams.longest, 7u);
  Decoding drawing = parse({"--top-p", "0.9", "--seed", "18446744073709551615"});
  ASSERT_TRUE(drawing.sampling);
  EXPECT_EQ(drawing.sampling->topP, 0.9);
  EXPECT_EQ(drawing.sampling->topK, Sampling().topK);
  EXPECT_EQ(drawing.sampling->temperature, 1);
  EXPECT_EQ(drawing.seed, 18446744073709551615u);
}

TEST(DecodingFlagsTest, RefusesValues) {
  EXPECT_EQ(messageOf({"--beam", "0"}), "--beam: expected a number of at least 1, got 0");
  EXPECT_EQ(messageOf({"--beam", "4x"}), "--beam: expected a number, got \"4x\"");
  EXPECT_EQ(messageOf({"--beam=-1"}), "--beam: expected a number, got \"-1\"");
  EXPECT_EQ(messageOf({"--beam"}), "--beam: expected a value, got nothing");
  EXPECT_EQ(messageOf({"--top-k", "0"}), "--top-k: expected a number of at least 1, got 0");
  for (std::string value : {"0", "1.1"})
    EXPECT_EQ(messageOf({"--top-p", value}),
              "--top-p: expected a number above 0 and at most 1, got \"" + value + "\"");
  for (std::string value : {"nan", "inf", "-1", "", "1e999", "0.5 "}) {
    EXPECT_EQ(messageOf({"--temperature", value}),
              "--temperature: expected a number of at least 0, got \"" + value + "\"");
    EXPECT_EQ(messageOf({"--beam=2", "--length-penalty", value}),
              "--length-penalty: expected a number of at least 0, got \"" + value + "\"");
  }
  EXPECT_EQ(messageOf({"--seed", "18446744073709551616", "--top-k=2"}),
            "--seed: expected a number, got \"18446744073709551616\"");
  EXPECT_EQ(messageOf({"--beams=4"}), "unknown flag --beams");
}

TEST(DecodingFlagsTest, RefusesContradictions) {
  for (std::string drawing : {"--temperature", "--top-k", "--top-p"})
    EXPECT_EQ(messageOf({"--beam=2", drawing, "1"}),
              "--beam and " + drawing + ": expected one of them; a beam search draws nothing");
  EXPECT_EQ(messageOf({"--length-penalty", "1"}), "--length-penalty: expected --beam, too");
  EXPECT_EQ(messageOf({"--seed", "1"}),
            "--seed: expected --temperature, --top-k or --top-p, too; nothing else is random");
}

TEST(CommandLineTest, FlagsEndAtTwoDashes) {
  EXPECT_EQ(parseCommandLine({"a", "--", "--beam", "-b"}, {}),
            (std::vector<std::string>{"a", "--beam", "-b"}));
}

TEST(CommandLineTest, FlagWithoutAValueTakesNone) {
  try {
    parseCommandLine({"--ids=1"}, {{{"--ids", "", ""}, [](const std::string &) {}}});
    FAIL();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.message, "--ids: expected no value, got \"1\"");
  }
}

} // namespace
