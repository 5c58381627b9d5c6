// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Continues texts with a compiled decoder-only Transformer, such as GPT-2. From the root of the source tree:
//   weft compile test/models/generation_cached/generation_cached.onnx -o generation.weft
//   generate --vocabulary test/models/generation/vocabulary.txt generation.weft "i like to"

#include "Generator.h"

#include "examples/decoding/DecodingFlags.h"
#include "examples/decoding/Vocabulary.h"

#include <charconv>
#include <iostream>
#include <sstream>

using namespace weft::generate;
using namespace weft::decoding;

namespace {

constexpr const char *usage = "usage: generate [FLAG...] MODEL [PROMPT...]\n";

constexpr const char *help =
    "\n"
    "Continues each PROMPT, or each line of standard input where there is none; prints the continuations, "
    "one a\n"
    "line. A prompt is token ids with spaces between them, or, with a vocabulary, text.\n"
    "\n"
    "  MODEL                 a model that weft compiled: token ids [batch, length] in, logits [batch, "
    "length,\n"
    "                        vocabulary] out; where there are more inputs they are the past, and the other "
    "outputs\n"
    "                        in the same order the present, which is fed back, unless the session keeps it\n"
    "  --vocabulary FILE     one word or, if one of them is a space, piece of text a line; its first are "
    "<pad>,\n"
    "                        <sos>, <eos> and <unk>. A text is given to the model with <sos> in front; <eos> "
    "ends it\n"
    "  --ids                 print token ids instead of words\n"
    "  --end ID              the token that ends a text; none if not given, <eos> with a vocabulary\n"
    "  --ids-input NAME      the input of token ids, where others are like it\n"
    "  --logits-output NAME  the output of logits; the first of such a type if not given\n"
    "  --threads N           threads to run on; 0, which is the default, for one on each processor\n"
    "  --help                print this and end\n"
    "\n";

constexpr const char *exitCodes =
    "\n"
    "Exit codes: 0 fine; 1 the model or the vocabulary is at fault; 2 the command line; 4 the system.\n";

/// Where a text ends if neither the model nor a flag ends it.
constexpr size_t longestText = 60;

constexpr uint64_t greatestId = std::numeric_limits<int64_t>::max();

struct Options {
  bool help = false;
  bool ids = false;
  size_t threads = 0;
  std::string model, vocabulary, idsInput, logitsOutput;
  std::optional<int64_t> end;
  std::vector<std::string> prompts;
  Decoding decoding;
};

std::vector<Flag> makeFlags(Options &options) {
  auto name = [](std::string &into) { return [&into](const std::string &text) { into = text; }; };
  return {
      {"--help", "", [&](const std::string &) { options.help = true; }},
      {"--ids", "", [&](const std::string &) { options.ids = true; }},
      {"--threads", "a number",
       [&](const std::string &text) { options.threads = parseNumber("--threads", text); }},
      {"--vocabulary", "a file", name(options.vocabulary)},
      {"--end", "a token id",
       [&](const std::string &text) {
         options.end = static_cast<int64_t>(parseNumber("--end", text, 0, greatestId));
       }},
      {"--ids-input", "a name", name(options.idsInput)},
      {"--logits-output", "a name", name(options.logitsOutput)},
  };
}

Options parseOptions(int count, char **arguments) {
  Options options;
  DecodingFlags decodingFlags;
  std::vector<Flag> flags = makeFlags(options);
  for (Flag &flag : decodingFlags.flags())
    flags.push_back(std::move(flag));
  std::vector<std::string> others = parseCommandLine(count, arguments, flags);
  if (options.help)
    return options;
  options.decoding = decodingFlags.resolve(longestText);
  options.decoding.endToken = options.end.value_or(options.vocabulary.empty() ? -1 : int64_t(endToken));
  if (others.empty())
    reject("expected a model, got no argument");
  options.model = others[0];
  options.prompts.assign(others.begin() + 1, others.end());
  return options;
}

/// Ids of a text like "5 0 17".
std::vector<int64_t> parseIds(const std::string &text) {
  std::vector<int64_t> ids;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    ids.push_back(static_cast<int64_t>(parseNumber("prompt \"" + text + "\"", word, 0, greatestId)));
  if (ids.empty())
    reject("prompt \"" + text + "\": expected at least one token id, got none");
  return ids;
}

void run(const Options &options) {
  std::optional<Vocabulary> vocabulary;
  if (!options.vocabulary.empty())
    vocabulary.emplace(options.vocabulary);
  Generator generator(options.model, options.threads, options.idsInput, options.logitsOutput);
  if (vocabulary && generator.vocabulary() != vocabulary->size())
    throw Failure{WEFT_STATUS_BAD_DATA, vocabulary->path() + ": has " + std::to_string(vocabulary->size()) +
                                            " words, expected " + std::to_string(generator.vocabulary()) +
                                            ", as the model has"};
  forEachText(options.prompts, [&](const std::string &text) {
    std::vector<int64_t> prompt = {startToken};
    if (vocabulary)
      for (int64_t token : vocabulary->tokenize(text))
        prompt.push_back(token);
    else
      prompt = parseIds(text);
    std::vector<int64_t> tokens = generator.generate(prompt, options.decoding);
    printLine(vocabulary && !options.ids ? vocabulary->spell(tokens) : joinNumbers(tokens));
  });
}

} // namespace

int main(int count, char **arguments) {
  return runProgram("generate", usage, [&] {
    Options options = parseOptions(count, arguments);
    if (options.help)
      std::cout << usage << help << decodingHelp << exitCodes;
    else
      run(options);
  });
}
