// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft generate: texts, continued by a decoder-only model.
#include "runtime/decoding/GenerateCommand.h"
#include "tools/weft/LoadModel.h"
#include <cstdio>

using namespace weft;

static std::vector<FlagSpec> getOwnFlags() {
  std::vector<FlagSpec> flags;
  for (const decoding::FlagText &flag : decoding::generateFlags())
    flags.push_back({flag.name, flag.value, flag.help});
  flags.push_back({"--help", "", "this text"});
  return flags;
}

static int printHelp() {
  printf(
      "Continues each PROMPT, or each line of standard input where there is none, with a decoder-only\n"
      "Transformer; prints the continuations, one a line. A prompt is token ids with spaces between them, "
      "or,\n"
      "with a vocabulary, text; one that begins with a dash or is empty comes from standard input.\n\n"
      "MODEL is an artifact, or a model (.onnx, .mlir), which is compiled first: token ids [batch, length] "
      "in,\n"
      "logits [batch, length, vocabulary] out. An attention_mask is given ones, position_ids are counted.\n"
      "Where there are more inputs they are the past, and the other\n"
      "outputs in the same order the present, which is fed back, or with --kv-capacity stays in the "
      "session.\n\n"
      "usage: weft generate MODEL [PROMPT...] [flags]\n\n%s\n%s",
      describeFlags(getOwnFlags()).c_str(), describeFlags(getLoadFlags()).c_str());
  return finishOutput("weft generate");
}

int weft::runGenerateVerb(const std::vector<std::string> &arguments) {
  std::vector<FlagSpec> own = getOwnFlags(), specs = getLoadFlags();
  specs.insert(specs.end(), own.begin(), own.end());
  std::optional<Flags> flags = Flags::parse("generate", specs, arguments);
  if (!flags)
    return 2;
  if (flags->has("--help"))
    return printHelp();
  if (flags->positional.empty())
    return usageError("generate", "no model given");
  CompileOptions options;
  options.input = flags->positional.front();
  if (!readLoadFlags("generate", *flags, getLoadFlags(), options))
    return 2;
  std::vector<std::string> prompts(flags->positional.begin() + 1, flags->positional.end());
  std::vector<std::string> given;
  for (const FlagSpec &flag : own)
    if (flags->has(flag.name))
      given.push_back(flag.valueName.empty() ? flag.name : flag.name + "=" + flags->get(flag.name));
  return decoding::generateCommand("weft generate", options.input, given, prompts, [&](WeftModel *&model) {
    return loadModel("generate", options, flags->get("--cache-dir"), model);
  });
}
