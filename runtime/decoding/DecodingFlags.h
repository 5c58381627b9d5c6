// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags that say how to choose tokens; the same in every program that decodes.

#ifndef WEFT_RUNTIME_DECODING_DECODINGFLAGS_H
#define WEFT_RUNTIME_DECODING_DECODINGFLAGS_H

#include "CommandLine.h"
#include "Decode.h"

namespace weft::decoding {

class DecodingFlags {
public:
  /// The flags' rows of a table; this outlives them.
  std::vector<Flag> flags();

  /// What they say together, texts being cut off at `longest` tokens where no flag says otherwise. Throws a
  /// Failure if they contradict each other.
  Decoding resolve(size_t longest) const;

private:
  std::optional<size_t> beams, topK, longestText;
  std::optional<double> lengthPenalty, topP, temperature;
  std::optional<uint64_t> seed;
};

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_DECODINGFLAGS_H
