// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks, evaluates and prints postfix expressions.

#include "Expression.h"
#include "Error.h"

#include <algorithm>
#include <limits>

namespace weft::runtime {

namespace {

bool hasOperand(int64_t code) { return code == WEFT_EXPR_CONSTANT || code == WEFT_EXPR_SYMBOL; }

const char *floorDivide(int64_t left, int64_t right, int64_t &result) {
  if (right == 0)
    return "divides by zero";
  if (left == std::numeric_limits<int64_t>::min() && right == -1)
    return "overflows 64 bits";
  result = left / right;
  if (left % right != 0 && (left < 0) != (right < 0))
    --result;
  return nullptr;
}

const char *floorRemainder(int64_t left, int64_t right, int64_t &result) {
  if (right == 0)
    return "divides by zero";
  result = right == -1 ? 0 : left % right;
  if (result != 0 && (result < 0) != (right < 0))
    result += right;
  return nullptr;
}

const char *apply(int64_t code, int64_t left, int64_t right, int64_t &result) {
  switch (code) {
  case WEFT_EXPR_ADD:
    return __builtin_add_overflow(left, right, &result) ? "overflows 64 bits" : nullptr;
  case WEFT_EXPR_MUL:
    return __builtin_mul_overflow(left, right, &result) ? "overflows 64 bits" : nullptr;
  case WEFT_EXPR_FLOORDIV:
    return floorDivide(left, right, result);
  case WEFT_EXPR_MOD:
    return floorRemainder(left, right, result);
  case WEFT_EXPR_MIN:
    result = std::min(left, right);
    return nullptr;
  case WEFT_EXPR_MAX:
    result = std::max(left, right);
    return nullptr;
  default: // WEFT_EXPR_BROADCAST; the constructor let no other code in.
    result = left == 1 ? right : left;
    return nullptr;
  }
}

/// A piece of printed text, and how tightly its outermost operator binds.
struct Piece {
  std::string text;
  int binding;
};
enum Binding { BindsSum = 1, BindsProduct = 2, BindsAtom = 3 };

std::string parenthesized(Piece piece, int binding) {
  return piece.binding >= binding ? std::move(piece.text) : "(" + piece.text + ")";
}

Piece printed(int64_t code, Piece left, Piece right) {
  switch (code) {
  case WEFT_EXPR_ADD: {
    std::string sum = std::move(left.text);
    if (right.text[0] != '-')
      sum += '+';
    return {sum + right.text, BindsSum};
  }
  case WEFT_EXPR_MUL:
    return {parenthesized(std::move(left), BindsProduct) + "*" + parenthesized(std::move(right), BindsAtom),
            BindsProduct};
  case WEFT_EXPR_FLOORDIV:
    return {parenthesized(std::move(left), BindsProduct) + "//" + parenthesized(std::move(right), BindsAtom),
            BindsProduct};
  case WEFT_EXPR_MOD:
    return {parenthesized(std::move(left), BindsProduct) + "%" + parenthesized(std::move(right), BindsAtom),
            BindsProduct};
  default: {
    const char *name = code == WEFT_EXPR_MIN ? "min(" : code == WEFT_EXPR_MAX ? "max(" : "broadcast(";
    return {name + left.text + ", " + right.text + ")", BindsAtom};
  }
  }
}

} // namespace

Expression::Expression(std::vector<int64_t> checkedWords, size_t symbolCount)
    : words(std::move(checkedWords)) {
  size_t height = 0;
  for (size_t at = 0; at < words.size(); ++at) {
    int64_t code = words[at];
    if (code < WEFT_EXPR_CONSTANT || code > WEFT_EXPR_BROADCAST)
      raiseBadData("word ", at, " of an expression is ", code, ", which is no operation");
    if (hasOperand(code)) {
      if (++at == words.size())
        raiseBadData("an expression ends before its last operand");
      if (code == WEFT_EXPR_SYMBOL && static_cast<uint64_t>(words[at]) >= symbolCount)
        raiseBadData("an expression uses symbol ", words[at], " of ", symbolCount);
      depth = std::max(depth, ++height);
      continue;
    }
    if (height < 2)
      raiseBadData("word ", at, " of an expression combines two values, but there are ", height);
    --height;
  }
  if (height != 1)
    raiseBadData("an expression leaves ", height, " values instead of one");
}

const char *Expression::evaluate(const int64_t *symbols, int64_t *stack, int64_t &value) const {
  int64_t *top = stack; // One past the topmost value.
  for (size_t at = 0; at < words.size(); ++at) {
    int64_t code = words[at];
    if (hasOperand(code)) {
      int64_t operand = words[++at];
      *top++ = code == WEFT_EXPR_SYMBOL ? symbols[operand] : operand;
      continue;
    }
    --top;
    if (const char *problem = apply(code, top[-1], top[0], top[-1]))
      return problem;
  }
  value = stack[0];
  return nullptr;
}

std::optional<size_t> Expression::asSymbol() const {
  if (words.size() != 2 || words[0] != WEFT_EXPR_SYMBOL)
    return std::nullopt;
  return static_cast<size_t>(words[1]);
}

std::optional<int64_t> Expression::asConstant() const {
  if (words.size() != 2 || words[0] != WEFT_EXPR_CONSTANT)
    return std::nullopt;
  return words[1];
}

std::optional<size_t> Expression::firstUsed(const std::vector<bool> &symbols) const {
  for (size_t at = 0; at < words.size(); at += hasOperand(words[at]) ? 2 : 1)
    if (words[at] == WEFT_EXPR_SYMBOL && symbols[words[at + 1]])
      return words[at + 1];
  return std::nullopt;
}

std::string Expression::text(const std::vector<std::string> &symbols) const {
  std::vector<Piece> stack;
  for (size_t at = 0; at < words.size(); ++at) {
    int64_t code = words[at];
    if (hasOperand(code)) {
      int64_t operand = words[++at];
      std::string text = code == WEFT_EXPR_SYMBOL ? symbols[operand] : std::to_string(operand);
      stack.push_back({std::move(text), code == WEFT_EXPR_CONSTANT && operand < 0 ? BindsSum : BindsAtom});
      continue;
    }
    Piece right = std::move(stack.back());
    stack.pop_back();
    stack.back() = printed(code, std::move(stack.back()), std::move(right));
  }
  return std::move(stack.front().text);
}

} // namespace weft::runtime
