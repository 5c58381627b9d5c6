// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop for beams, one for a single text.

#include "Decode.h"

namespace weft::decoding {

namespace {

std::vector<int64_t> decodeBeams(NextToken &model, const BeamOptions &options) {
  BeamSearch search(options);
  while (!search.live().empty())
    search.advance(model.predict(search.live()));
  return search.best().tokens;
}

} // namespace

std::vector<int64_t> decode(NextToken &model, const Decoding &decoding) {
  if (decoding.beams)
    return decodeBeams(model, {*decoding.beams, decoding.lengthPenalty, decoding.longest, decoding.endToken});
  Sampler sampler(decoding.sampling.value_or(Sampling{/*temperature=*/0}), decoding.seed);
  std::vector<Hypothesis> text(1);
  while (text[0].tokens.size() < decoding.longest) {
    int64_t next = sampler.choose(model.predict(text)[0]);
    if (next == decoding.endToken)
      break;
    text[0].tokens.push_back(next);
  }
  return text[0].tokens;
}

} // namespace weft::decoding
