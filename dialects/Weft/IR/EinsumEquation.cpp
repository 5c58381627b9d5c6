// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads einsum equations.
#include "dialects/Weft/IR/EinsumEquation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <map>

using namespace weft;
using llvm::SmallVector;
using llvm::StringRef;

namespace {
/// One term as it is written.
struct Term {
  std::string letters;            ///< without the ellipsis
  std::optional<size_t> ellipsis; ///< how many letters stand before it
};
} // namespace

static std::optional<Term> parseTerm(StringRef text, std::string &error) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ')
      continue;
    if (text.substr(i).starts_with("...") && !term.ellipsis) {
      term.ellipsis = term.letters.size();
      i += 2;
    } else if (llvm::isAlpha(text[i])) {
      term.letters += text[i];
    } else {
      error = ("expects letters and at most one ellipsis in each term, got \"" + text + "\"").str();
      return std::nullopt;
    }
  }
  return term;
}

/// The term's labels, its ellipsis standing for `dims` dims.
static SmallVector<int> spellOut(const Term &term, int64_t dims) {
  SmallVector<int> labels;
  for (size_t i = 0; i <= term.letters.size(); ++i) {
    if (term.ellipsis == i)
      for (int64_t dim = dims; dim > 0; --dim)
        labels.push_back(int(-dim));
    if (i < term.letters.size())
      labels.push_back(term.letters[i]);
  }
  return labels;
}

/// What the output is where the equation does not say: the ellipsis, then the letters that occur once.
static Term implicitOutput(llvm::ArrayRef<Term> inputs) {
  std::map<char, int> counts;
  Term output;
  for (const Term &term : inputs) {
    for (char letter : term.letters)
      ++counts[letter];
    if (term.ellipsis)
      output.ellipsis = 0;
  }
  for (auto [letter, count] : counts)
    if (count == 1)
      output.letters += letter;
  return output;
}

static std::optional<Term> parseOutput(StringRef text, llvm::ArrayRef<Term> inputs, std::string &error) {
  std::optional<Term> output = parseTerm(text, error);
  if (!output)
    return output;
  for (size_t i = 0; i < output->letters.size(); ++i) {
    char letter = output->letters[i];
    bool isNamed =
        llvm::any_of(inputs, [=](const Term &term) { return llvm::is_contained(term.letters, letter); });
    if (isNamed && output->letters.find(letter) == i)
      continue;
    error = std::string("expects each letter of the output in an input, and once in the output; got '") +
            letter + "'";
    return std::nullopt;
  }
  if (output->ellipsis && llvm::none_of(inputs, [](const Term &term) { return term.ellipsis.has_value(); })) {
    error = "expects no ellipsis in the output where no input has one";
    return std::nullopt;
  }
  return output;
}

std::optional<EinsumEquation> EinsumEquation::parse(StringRef text, llvm::ArrayRef<int64_t> ranks,
                                                    std::string &error) {
  size_t arrow = text.find("->");
  SmallVector<StringRef> parts;
  text.substr(0, arrow).split(parts, ',');
  if (parts.size() != ranks.size()) {
    error = "expects a term for each of " + std::to_string(ranks.size()) + " inputs, got " +
            std::to_string(parts.size());
    return std::nullopt;
  }
  SmallVector<Term> terms;
  EinsumEquation equation;
  int64_t widest = 0; // dims under the longest ellipsis
  for (auto [part, rank] : llvm::zip(parts, ranks)) {
    std::optional<Term> term = parseTerm(part, error);
    if (!term)
      return std::nullopt;
    int64_t rest = rank - int64_t(term->letters.size());
    if (rest < 0 || (rest > 0 && !term->ellipsis)) {
      error = "expects a letter for each dim: \"" + part.trim().str() + "\" names an input of rank " +
              std::to_string(rank);
      return std::nullopt;
    }
    widest = std::max(widest, rest);
    equation.inputs.push_back(spellOut(*term, rest));
    terms.push_back(*term);
  }
  std::optional<Term> output =
      arrow == StringRef::npos ? implicitOutput(terms) : parseOutput(text.substr(arrow + 2), terms, error);
  if (!output)
    return std::nullopt;
  equation.output = spellOut(*output, widest);
  return equation;
}
