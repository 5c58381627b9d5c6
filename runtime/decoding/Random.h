// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that are the same everywhere: the standard library's distributions are each implementation's
// own.

#ifndef WEFT_RUNTIME_DECODING_RANDOM_H
#define WEFT_RUNTIME_DECODING_RANDOM_H

#include <cstdint>

namespace weft::decoding {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    state += 0x9E3779B97F4A7C15;
    uint64_t bits = state;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
  }

  /// A multiple of 2^-53, at least 0 and below 1.
  double nextUniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  uint64_t state;
};

} // namespace weft::decoding

#endif // WEFT_RUNTIME_DECODING_RANDOM_H
