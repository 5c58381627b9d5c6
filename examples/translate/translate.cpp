// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates Chinese to English with a compiled Transformer. From the root of the source tree:
//   weft compile test/models/translation/translation.onnx -o translation.weft
//   translate translation.weft test/models/translation/source.txt test/models/translation/target.txt
//   我喜欢喝茶

#include "Translator.h"

#include "runtime/decoding/DecodingFlags.h"
#include "runtime/decoding/Vocabulary.h"

#include <iostream>

using namespace weft::translate;
using namespace weft::decoding;

namespace {

constexpr const char *usage = "usage: translate [FLAG...] MODEL SOURCE-WORDS TARGET-WORDS [SENTENCE...]\n";

constexpr const char *help =
    "\n"
    "Translates each SENTENCE, or each line of standard input where there is none.\n"
    "\n"
    "  MODEL               translation.onnx, compiled: weft compile translation.onnx -o translation.weft\n"
    "  SOURCE-WORDS        the source vocabulary, one word a line\n"
    "  TARGET-WORDS        the target vocabulary\n"
    "\n";

constexpr const char *exitCodes =
    "\n"
    "Exit codes: 0 fine; 1 the model or a vocabulary is at fault; 2 the command line; 4 the system.\n";

/// Where a translation ends if neither the model nor a flag ends it.
constexpr size_t longestTranslation = 40;

struct Options {
  bool help = false;
  bool ids = false;
  size_t threads = 1;
  std::string model, sourceWords, targetWords;
  std::vector<std::string> sentences;
  DecodingFlags decodingFlags;
  Decoding decoding;
};

std::vector<Flag> makeFlags(Options &options) {
  std::vector<Flag> flags = {
      {{"--ids", "", "print token ids instead of words"}, [&](const std::string &) { options.ids = true; }},
      {{"--threads", "N",
        "threads to run on, 0 for one on each processor (default: 1, as the model is small)"},
       [&](const std::string &text) { options.threads = parseNumber("--threads", text); }},
      {{"--help", "", "print this and end"}, [&](const std::string &) { options.help = true; }},
  };
  for (Flag &flag : options.decodingFlags.flags())
    flags.push_back(std::move(flag));
  return flags;
}

void parseOptions(const std::vector<std::string> &arguments, Options &options) {
  std::vector<std::string> others = parseCommandLine(arguments, makeFlags(options));
  if (options.help)
    return;
  options.decoding = options.decodingFlags.resolve(longestTranslation);
  options.decoding.endToken = endToken;
  if (others.size() < 3)
    reject("expected a model and two vocabularies, got " + std::to_string(others.size()) + " arguments");
  options.model = others[0];
  options.sourceWords = others[1];
  options.targetWords = others[2];
  options.sentences.assign(others.begin() + 3, others.end());
}

void run(const Options &options) {
  Vocabulary source(options.sourceWords), target(options.targetWords);
  Translator translator(options.model, target.size(), options.threads);
  // Each sentence gives one line, an empty one an empty line, so that lines of input and output correspond.
  forEachText(options.sentences, [&](const std::string &sentence) {
    std::vector<int64_t> tokens = source.tokenize(sentence), translation;
    if (!tokens.empty())
      translation = translator.translate(tokens, options.decoding);
    printLine(options.ids ? joinNumbers(translation) : target.spell(translation));
  });
}

} // namespace

int main(int count, char **arguments) {
  return runProgram("translate", usage, [&] {
    Options options;
    parseOptions({arguments + 1, arguments + count}, options);
    if (options.help)
      std::cout << usage << help << describeFlags(makeFlags(options)) << exitCodes;
    else
      run(options);
  });
}
