// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on single elements, shared by the element-wise operations, the reductions and the epilogues.
//
// Integers are taken as 64 bits; a tensor wraps them at its width when they are stored. `isUnsigned` says how
// to read the bits where that makes a difference.
#ifndef WEFT_DIALECTS_WEFT_EVALUATE_SCALAR_H
#define WEFT_DIALECTS_WEFT_EVALUATE_SCALAR_H

#include <cmath>
#include <cstdint>
#include <limits>

namespace weft::scalar {

// Floats.
inline double add(double a, double b) { return a + b; }
inline double subtract(double a, double b) { return a - b; }
inline double multiply(double a, double b) { return a * b; }
inline double divide(double a, double b) { return a / b; }
/// NaN if either is; -0 is smaller than +0.
inline double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
inline double maximum(double a, double b) { return -minimum(-a, -b); }

// Integers. Sums and products wrap, so they are computed without sign.
inline int64_t add(int64_t a, int64_t b, bool) { return int64_t(uint64_t(a) + uint64_t(b)); }
inline int64_t subtract(int64_t a, int64_t b, bool) { return int64_t(uint64_t(a) - uint64_t(b)); }
inline int64_t multiply(int64_t a, int64_t b, bool) { return int64_t(uint64_t(a) * uint64_t(b)); }
inline int64_t negate(int64_t a) { return subtract(0, a, false); }
inline bool less(int64_t a, int64_t b, bool isUnsigned) {
  return isUnsigned ? uint64_t(a) < uint64_t(b) : a < b;
}
inline int64_t minimum(int64_t a, int64_t b, bool isUnsigned) { return less(a, b, isUnsigned) ? a : b; }
inline int64_t maximum(int64_t a, int64_t b, bool isUnsigned) { return less(a, b, isUnsigned) ? b : a; }
/// Toward zero; 0 if the divisor is 0.
inline int64_t divide(int64_t a, int64_t b, bool isUnsigned) {
  if (b == 0)
    return 0;
  if (isUnsigned)
    return int64_t(uint64_t(a) / uint64_t(b));
  return b == -1 ? negate(a) : a / b; // The least number divided by -1 wraps.
}
/// With the sign of the dividend; 0 if the divisor is 0.
inline int64_t remainder(int64_t a, int64_t b, bool isUnsigned) {
  if (b == 0)
    return 0;
  return subtract(a, multiply(divide(a, b, isUnsigned), b, isUnsigned), isUnsigned);
}
inline int64_t bitAnd(int64_t a, int64_t b, bool) { return a & b; }
inline int64_t bitOr(int64_t a, int64_t b, bool) { return a | b; }
inline int64_t bitXor(int64_t a, int64_t b, bool) { return a ^ b; }
/// Wraps. A negative exponent truncates the fraction that it makes, and gives 0 for a base of 0.
inline int64_t power(int64_t base, int64_t exponent, bool isExponentUnsigned) {
  if (exponent < 0 && !isExponentUnsigned) {
    if (base == 1 || base == -1)
      return exponent % 2 == 0 ? 1 : base;
    return 0;
  }
  uint64_t result = 1, square = uint64_t(base);
  for (uint64_t left = uint64_t(exponent); left > 0; left >>= 1, square *= square)
    if (left & 1)
      result *= square;
  return int64_t(result);
}

} // namespace weft::scalar

#endif // WEFT_DIALECTS_WEFT_EVALUATE_SCALAR_H
