// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer expressions over an entry point's symbols, as abi.h defines them: checked once, evaluated at each
// run.

#ifndef WEFT_RUNTIME_EXPRESSION_H
#define WEFT_RUNTIME_EXPRESSION_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::runtime {

class Expression {
public:
  /// Checks operands, stack depth and symbol indices; raises an Error that does not name the place.
  Expression(std::vector<int64_t> words, size_t symbolCount);

  /// What is wrong with the values, such as "overflows 64 bits"; or NULL, and then `value` is the result.
  /// `stack` has room for stackDepth() values.
  const char *evaluate(const int64_t *symbols, int64_t *stack, int64_t &value) const;
  size_t stackDepth() const { return depth; }

  /// The symbol's index, if the expression is one symbol and nothing else.
  std::optional<size_t> asSymbol() const;
  /// The first symbol that it uses of those that are set.
  std::optional<size_t> firstUsed(const std::vector<bool> &symbols) const;
  /// The number, if the expression is one and nothing else.
  std::optional<int64_t> asConstant() const;
  /// Such as "2*src+1".
  std::string text(const std::vector<std::string> &symbols) const;

private:
  std::vector<int64_t> words;
  size_t depth = 0;
};

} // namespace weft::runtime

#endif // WEFT_RUNTIME_EXPRESSION_H
