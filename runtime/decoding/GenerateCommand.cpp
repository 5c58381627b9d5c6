// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Continues texts with a decoder-only Transformer, such as GPT-2.

#include "GenerateCommand.h"

#include "DecodingFlags.h"
#include "Generator.h"
#include "Vocabulary.h"

#include <algorithm>
#include <sstream>

namespace weft::decoding {

namespace {

/// Where a text ends if neither the model nor a flag ends it.
constexpr size_t longestText = 60;

/// As many as a session may have.
constexpr uint64_t mostThreads = 1024;

constexpr uint64_t greatestId = std::numeric_limits<int64_t>::max();

struct Options {
  bool ids = false;
  size_t threads = 0;
  std::string vocabulary, idsInput, logitsOutput;
  std::optional<int64_t> end;
  DecodingFlags decoding;
};

std::vector<Flag> makeFlags(Options &options) {
  auto name = [](std::string &into) { return [&into](const std::string &text) { into = text; }; };
  std::vector<Flag> flags = {
      {{"--vocabulary", "FILE",
        "one word or, if one of them is a space, piece of text a line, the first of which are <pad>, <sos>, "
        "<eos> and <unk>; a text is given to the model with <sos> in front, and <eos> ends it"},
       name(options.vocabulary)},
      {{"--ids", "", "print token ids instead of words"}, [&](const std::string &) { options.ids = true; }},
      {{"--end", "ID", "the token that ends a text (default: with a vocabulary <eos>)"},
       [&](const std::string &text) {
         options.end = static_cast<int64_t>(parseNumber("--end", text, 0, greatestId));
       }},
      {{"--ids-input", "NAME", "the input of token ids, where others are like it"}, name(options.idsInput)},
      {{"--logits-output", "NAME", "the output of logits (default: the first of such a type)"},
       name(options.logitsOutput)},
      {{"--threads", "N", "threads to run on (default: 0, one on each processor)"},
       [&](const std::string &text) { options.threads = parseNumber("--threads", text, 0, mostThreads); }},
  };
  for (Flag &flag : options.decoding.flags())
    flags.push_back(std::move(flag));
  return flags;
}

/// Ids of a text like "5 0 17". One that is no list of ids is a failure of this kind.
std::vector<int64_t> parseIds(const std::string &text, WeftStatusCode failure) try {
  std::vector<int64_t> ids;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    ids.push_back(static_cast<int64_t>(parseNumber("prompt \"" + text + "\"", word, 0, greatestId)));
  if (ids.empty())
    reject("prompt \"" + text + "\": expected at least one token id, got none");
  return ids;
} catch (const Failure &wrong) {
  throw Failure{failure, wrong.message};
}

void continueTexts(Generator &generator, const Options &options, const Decoding &decoding,
                   const std::optional<Vocabulary> &vocabulary, const std::vector<std::string> &prompts) {
  if (vocabulary && generator.vocabulary() != vocabulary->size())
    throw Failure{WEFT_STATUS_BAD_DATA, vocabulary->path() + ": has " + std::to_string(vocabulary->size()) +
                                            " words, expected " + std::to_string(generator.vocabulary()) +
                                            ", as the model has"};
  forEachText(prompts, [&](const std::string &text) {
    std::vector<int64_t> prompt = {startToken};
    if (vocabulary)
      for (int64_t token : vocabulary->tokenize(text))
        prompt.push_back(token);
    else
      prompt = parseIds(text, prompts.empty() ? WEFT_STATUS_BAD_DATA : WEFT_STATUS_BAD_ARGUMENT);
    std::vector<int64_t> tokens = generator.generate(prompt, decoding);
    printLine(vocabulary && !options.ids ? vocabulary->spell(tokens) : joinNumbers(tokens));
  });
}

} // namespace

std::vector<FlagText> generateFlags() {
  Options options;
  std::vector<FlagText> texts;
  for (const Flag &flag : makeFlags(options))
    texts.push_back(flag.text);
  return texts;
}

int generateCommand(const std::string &program, const std::string &path,
                    const std::vector<std::string> &flags, const std::vector<std::string> &prompts,
                    const LoadModel &load) {
  int loading = 0;
  int code = runProgram((program + ": error").c_str(), "", [&] {
    Options options;
    parseCommandLine(flags, makeFlags(options));
    Decoding decoding = options.decoding.resolve(longestText);
    std::optional<Vocabulary> vocabulary;
    if (!options.vocabulary.empty())
      vocabulary.emplace(options.vocabulary);
    decoding.endToken = options.end.value_or(vocabulary ? int64_t(endToken) : -1);
    if (!vocabulary)
      for (const std::string &prompt : prompts)
        (void)parseIds(prompt,
                       WEFT_STATUS_BAD_ARGUMENT); // one that is wrong is said before the model is compiled
    WeftModel *model = nullptr;
    loading = load(model);
    if (loading != 0)
      return;
    Generator generator(Model(model, path, options.threads), options.idsInput, options.logitsOutput);
    continueTexts(generator, options, decoding, vocabulary, prompts);
  });
  return loading != 0 ? loading : code;
}

} // namespace weft::decoding
