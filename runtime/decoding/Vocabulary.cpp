// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vocabularies, and the split of text into words.

#include "Vocabulary.h"
#include "Failure.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace weft::decoding {

namespace {

constexpr std::array<std::string_view, specialTokenCount> specialWords = {"<pad>", "<sos>", "<eos>", "<unk>"};

/// What stands between words and means nothing to the model.
constexpr std::string_view separators[] = {" ",  "\t", "\r", ",",  ".",  "?",  "!",
                                           "　", "，", "。", "？", "！", "、", "；"};

/// Bytes of the separator that the text starts with, or 0.
size_t separatorBytes(std::string_view text) {
  for (std::string_view separator : separators)
    if (text.substr(0, separator.size()) == separator)
      return separator.size();
  return 0;
}

/// Bytes of the UTF-8 character that the text starts with; a byte that starts none counts as one.
size_t characterBytes(std::string_view text) {
  auto byteAt = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t length = byteAt(0) >= 0xF0 ? 4 : byteAt(0) >= 0xE0 ? 3 : byteAt(0) >= 0xC0 ? 2 : 1;
  for (size_t i = 1; i < length; ++i)
    if (i == text.size() || (byteAt(i) & 0xC0) != 0x80)
      return 1;
  return length;
}

std::vector<std::string> readLines(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(std::move(line));
  if (!file.is_open() || file.bad() || !file.eof())
    throw Failure{WEFT_STATUS_SYSTEM, path + ": cannot be read: " + std::generic_category().message(errno)};
  return lines;
}

} // namespace

Vocabulary::Vocabulary(const std::string &path) : file(path), words(readLines(path)) {
  if (words.size() <= specialTokenCount ||
      !std::equal(specialWords.begin(), specialWords.end(), words.begin()))
    throw Failure{WEFT_STATUS_BAD_DATA,
                  path + ": expected the words <pad>, <sos>, <eos> and <unk>, then those of "
                         "the language, one a line"};
  for (size_t i = specialTokenCount; i < words.size(); ++i) {
    if (words[i].empty() || !ids.emplace(words[i], static_cast<int64_t>(i)).second)
      throw Failure{WEFT_STATUS_BAD_DATA,
                    path + ":" + std::to_string(i + 1) + ": expected a new word, got \"" + words[i] + "\""};
    longestWord = std::max(longestWord, words[i].size());
  }
  pieces = ids.count(" ") != 0;
}

/// Takes the first word, or one unknown character, off a text that is not empty.
int64_t Vocabulary::takeWord(std::string_view &text) const {
  for (size_t bytes = std::min(longestWord, text.size()); bytes > 0; --bytes) {
    auto found = ids.find(text.substr(0, bytes));
    if (found == ids.end())
      continue;
    text.remove_prefix(bytes);
    return found->second;
  }
  text.remove_prefix(characterBytes(text));
  return unknownToken;
}

std::vector<int64_t> Vocabulary::tokenize(std::string_view text) const {
  std::vector<int64_t> tokens;
  while (!text.empty()) {
    if (size_t bytes = pieces ? 0 : separatorBytes(text))
      text.remove_prefix(bytes);
    else
      tokens.push_back(takeWord(text));
  }
  return tokens;
}

std::string Vocabulary::spell(const std::vector<int64_t> &tokens) const {
  std::string text;
  for (int64_t token : tokens)
    text += (text.empty() || pieces ? "" : " ") + words[static_cast<size_t>(token)];
  return text;
}

} // namespace weft::decoding
