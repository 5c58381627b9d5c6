// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a language, or its letters: from text to token ids and back.

#ifndef WEFT_RUNTIME_DECODING_VOCABULARY_H
#define WEFT_RUNTIME_DECODING_VOCABULARY_H

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace weft::decoding {

/// The ids that every vocabulary starts with.
enum SpecialToken : int64_t { padToken, startToken, endToken, unknownToken, specialTokenCount };

class Vocabulary {
public:
  /// Reads a file of one word per line; a word's id is its line, counted from 0. If one of them is a space,
  /// they are pieces of text, such as letters, rather than words. Throws Failure.
  explicit Vocabulary(const std::string &path);
  Vocabulary(const Vocabulary &) = delete; // `ids` points into `words`.
  Vocabulary &operator=(const Vocabulary &) = delete;

  size_t size() const { return words.size(); }
  const std::string &path() const { return file; }

  /// Splits text into words of the vocabulary. Spaces and punctuation only separate; between them the longest
  /// word that fits is taken, so that both segmented and plain text work. A character that starts no word is
  /// unknown. Pieces have no separators: all of the text counts.
  std::vector<int64_t> tokenize(std::string_view text) const;

  /// The words of the ids, separated by spaces, or the pieces side by side. Every id is one of this
  /// vocabulary.
  std::string spell(const std::vector<int64_t> &ids) const;

private:
  int64_t takeWord(std::string_view &text) const;

  std::string file;
  std::vector<std::string> words;
  std::unordered_map<std::string_view, int64_t>
      ids;                // Of `words`; special tokens cannot be typed, so are not here.
  size_t longestWord = 0; // In bytes.
  bool pieces = false;
};

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_VOCABULARY_H
