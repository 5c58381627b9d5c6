// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The node kinds of a symbolic dim; apart from Dims.h because the generated attribute needs them first.
#ifndef WEFT_DIALECTS_WEFT_IR_DIMKIND_H
#define WEFT_DIALECTS_WEFT_IR_DIMKIND_H

#include <cstdint>

namespace weft {

/// The order is part of the normal form: operands are sorted by it first.
enum class DimKind : uint32_t {
  Constant,
  Symbol,
  Add,       ///< of two or more monomials
  Mul,       ///< of a coefficient, if it is not 1, and atoms; n-ary
  FloorDiv,  ///< rounds towards minus infinity
  Mod,       ///< a - b * floordiv(a, b)
  Min,       ///< n-ary
  Max,       ///< n-ary
  Broadcast, ///< a == 1 ? b : a; n-ary: the first operand that is not 1, else 1
};

} // namespace weft

#endif // WEFT_DIALECTS_WEFT_IR_DIMKIND_H
