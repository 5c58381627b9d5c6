// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates Chinese to English with a compiled Transformer. From the root of the source tree:
//   weft compile test/models/translation/translation.onnx -o translation.weft
//   translate translation.weft test/models/translation/source.txt test/models/translation/target.txt
//   我喜欢喝茶

#include "Decoder.h"
#include "Failure.h"
#include "Vocabulary.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>

using namespace weft::translate;

namespace {

constexpr const char *usage =
    "usage: translate [--ids] [--threads N] MODEL SOURCE-WORDS TARGET-WORDS [SENTENCE...]\n";

constexpr const char *help =
    "\n"
    "Translates each SENTENCE, or each line of standard input where there is none.\n"
    "\n"
    "  MODEL         translation.onnx, compiled: weft compile translation.onnx -o translation.weft\n"
    "  SOURCE-WORDS  the source vocabulary, one word a line\n"
    "  TARGET-WORDS  the target vocabulary\n"
    "  --ids         print token ids instead of words\n"
    "  --threads N   threads to run on; 0 for one on each processor; 1 if not given, as the model is small\n"
    "  --help        print this and end\n"
    "\n"
    "Exit codes: 0 fine; 1 the model or a vocabulary is at fault; 2 the command line; 4 the system.\n";

struct Options {
  bool help = false;
  bool ids = false;
  size_t threads = 1;
  std::string model, sourceWords, targetWords;
  std::vector<std::string> sentences;
};

[[noreturn]] void reject(const std::string &message) { throw Failure{WEFT_STATUS_BAD_ARGUMENT, message}; }

size_t parseThreads(const char *text) {
  if (!text)
    reject("--threads: expected a number, got nothing");
  size_t threads = 0;
  auto [end, error] = std::from_chars(text, text + std::strlen(text), threads);
  if (error != std::errc() || *end != '\0')
    reject(std::string("--threads: expected a number, got \"") + text + "\"");
  return threads;
}

Options parseCommandLine(int count, char **arguments) {
  Options options;
  std::vector<std::string> positional;
  bool flagsEnded = false; // After "--" everything is a sentence or a file.
  for (int i = 1; i < count; ++i) {
    std::string argument = arguments[i];
    if (flagsEnded || argument.rfind("--", 0) != 0)
      positional.push_back(std::move(argument));
    else if (argument == "--")
      flagsEnded = true;
    else if (argument == "--help")
      options.help = true;
    else if (argument == "--ids")
      options.ids = true;
    else if (argument == "--threads")
      options.threads = parseThreads(i + 1 < count ? arguments[++i] : nullptr);
    else
      reject("unknown flag " + argument);
  }
  if (options.help)
    return options;
  if (positional.size() < 3)
    reject("expected a model and two vocabularies, got " + std::to_string(positional.size()) + " arguments");
  options.model = positional[0];
  options.sourceWords = positional[1];
  options.targetWords = positional[2];
  options.sentences.assign(positional.begin() + 3, positional.end());
  return options;
}

std::string joinNumbers(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

/// Each sentence gives one line, an empty one an empty line, so that lines of input and output correspond.
void translateSentence(const std::string &sentence, const Vocabulary &source, const Vocabulary &target,
                       Decoder &decoder, bool ids) {
  std::vector<int64_t> tokens = source.tokenize(sentence), translation;
  if (!tokens.empty())
    translation = decoder.decode(tokens);
  std::cout << (ids ? joinNumbers(translation) : target.spell(translation)) << std::endl;
  if (!std::cout)
    throw Failure{WEFT_STATUS_SYSTEM, "standard output: cannot be written"};
}

void run(const Options &options) {
  Vocabulary source(options.sourceWords), target(options.targetWords);
  Decoder decoder(options.model, target.size(), options.threads);
  for (const std::string &sentence : options.sentences)
    translateSentence(sentence, source, target, decoder, options.ids);
  if (!options.sentences.empty())
    return;
  for (std::string line; std::getline(std::cin, line);)
    translateSentence(line, source, target, decoder, options.ids);
  if (std::cin.bad())
    throw Failure{WEFT_STATUS_SYSTEM, "standard input: cannot be read"};
}

} // namespace

int main(int count, char **arguments) {
  try {
    Options options = parseCommandLine(count, arguments);
    if (options.help)
      std::cout << usage << help;
    else
      run(options);
    return 0;
  } catch (const Failure &failure) {
    std::cerr << "translate: " << failure.message << "\n";
    if (failure.code == WEFT_STATUS_BAD_ARGUMENT)
      std::cerr << usage;
    return failure.code;
  } catch (const std::bad_alloc &) {
    std::cerr << "translate: out of memory\n";
    return WEFT_STATUS_SYSTEM;
  }
}
