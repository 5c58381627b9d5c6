// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words and pieces: from text to ids and back.

#include "runtime/decoding/Vocabulary.h"
#include "runtime/decoding/Failure.h"

#include "gtest/gtest.h"

#include <fstream>

using namespace weft::decoding;

namespace {

using Ids = std::vector<int64_t>;

class VocabularyTest : public testing::Test {
protected:
  /// Writes a vocabulary of the special words and these lines.
  std::string write(const std::string &lines) {
    std::string path = testing::TempDir() + "vocabulary-" +
                       testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
    std::ofstream(path) << "<pad>\n<sos>\n<eos>\n<unk>\n" << lines;
    return path;
  }
};

TEST_F(VocabularyTest, Words) {
  Vocabulary words(write("tea\nteapot\n我\n"));
  EXPECT_EQ(words.size(), 7u);
  EXPECT_EQ(words.tokenize("tea, teapot!我"), (Ids{4, 5, 6}));
  EXPECT_EQ(words.tokenize("teateapot"), (Ids{4, 5}));
  EXPECT_EQ(words.tokenize("<eos>").front(), unknownToken); // Special words cannot be typed.
  EXPECT_EQ(words.spell({4, 6, 2}), "tea 我 <eos>");
}

TEST_F(VocabularyTest, Pieces) {
  Vocabulary pieces(write(" \na\nb\nab\n"));
  EXPECT_EQ(pieces.tokenize("ab  a,"), (Ids{7, 4, 4, 5, unknownToken}));
  EXPECT_EQ(pieces.spell({7, 4, 4, 5}), "ab  a");
}

TEST_F(VocabularyTest, RefusesWhatIsNone) {
  EXPECT_THROW(Vocabulary(write("")), Failure);
  EXPECT_THROW(Vocabulary(write("a\na\n")), Failure);
  EXPECT_THROW(Vocabulary(write("a\n\n")), Failure);
  EXPECT_THROW(Vocabulary("no such file"), Failure);
}

} // namespace
