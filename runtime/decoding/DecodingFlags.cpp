// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are checked one by one as they come, then together.

#include "DecodingFlags.h"

namespace weft::decoding {

std::vector<Flag> DecodingFlags::flags() {
  auto takeTopP = [this](const std::string &text) {
    topP = parseFraction("--top-p", text);
    if (*topP == 0 || *topP > 1)
      reject("--top-p: expected a number above 0 and at most 1, got \"" + text + "\"");
  };
  return {
      {{"--beam", "N",
        "beam search with N hypotheses; 1 is the same as none, which is to take the likeliest token each "
        "time, "
        "of equal ones the lowest"},
       [this](const std::string &text) { beams = parseNumber("--beam", text, 1); }},
      {{"--length-penalty", "A",
        "of hypotheses that ended, take the one of the greatest log-probability divided by ((5 + length) / "
        "6)^A (default: 0.6)"},
       [this](const std::string &text) { lengthPenalty = parseFraction("--length-penalty", text); }},
      {{"--temperature", "T", "draw at random; logits are divided by T first, 0 takes the likeliest"},
       [this](const std::string &text) { temperature = parseFraction("--temperature", text); }},
      {{"--top-k", "K", "draw from the K likeliest tokens"},
       [this](const std::string &text) { topK = parseNumber("--top-k", text, 1); }},
      {{"--top-p", "P",
        "draw from the fewest likeliest tokens whose probabilities add up to P; after --top-k"},
       takeTopP},
      {{"--seed", "S", "what the random numbers are made from, for every text anew (default: 0)"},
       [this](const std::string &text) { seed = parseNumber("--seed", text); }},
      {{"--longest", "N", "cut a text off after N tokens"},
       [this](const std::string &text) { longestText = parseNumber("--longest", text); }},
  };
}

Decoding DecodingFlags::resolve(size_t longest) const {
  const char *drawing = temperature ? "--temperature" : topK ? "--top-k" : topP ? "--top-p" : nullptr;
  if (beams && drawing)
    reject(std::string("--beam and ") + drawing + ": expected one of them; a beam search draws nothing");
  if (lengthPenalty && !beams)
    reject("--length-penalty: expected --beam, too");
  if (seed && !drawing)
    reject("--seed: expected --temperature, --top-k or --top-p, too; nothing else is random");
  Decoding decoding;
  decoding.beams = beams;
  decoding.lengthPenalty = lengthPenalty.value_or(decoding.lengthPenalty);
  if (drawing) {
    Sampling all;
    decoding.sampling =
        Sampling{temperature.value_or(all.temperature), topK.value_or(all.topK), topP.value_or(all.topP)};
  }
  decoding.seed = seed.value_or(0);
  decoding.longest = longestText.value_or(longest);
  return decoding;
}

} // namespace weft::decoding
