// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Postfix expressions: values, overflow, malformed programs, text.

#include "runtime/src/Expression.h"
#include "ModelBuilder.h"
#include "runtime/src/Error.h"

#include <limits>

using namespace weft::runtime;
using namespace weft::runtime::test;

namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();

/// The value as text, or what is wrong with it.
std::string evaluate(const Words &words, const std::vector<int64_t> &symbols = {}) {
  Expression expression(words, symbols.size());
  std::vector<int64_t> stack(expression.stackDepth());
  int64_t value;
  const char *problem = expression.evaluate(symbols.data(), stack.data(), value);
  return problem ? problem : std::to_string(value);
}

std::string apply(int64_t code, int64_t left, int64_t right) {
  return evaluate(combine(code, constant(left), constant(right)));
}

std::string construct(const Words &words, size_t symbols) {
  try {
    Expression expression(words, symbols);
    return "";
  } catch (const Error &error) {
    return error.message;
  }
}

TEST(Expression, Operations) {
  EXPECT_EQ(apply(WEFT_EXPR_ADD, 3, -5), "-2");
  EXPECT_EQ(apply(WEFT_EXPR_MUL, 3, -5), "-15");
  EXPECT_EQ(apply(WEFT_EXPR_FLOORDIV, 7, 2), "3");
  EXPECT_EQ(apply(WEFT_EXPR_FLOORDIV, -7, 2), "-4");
  EXPECT_EQ(apply(WEFT_EXPR_FLOORDIV, 7, -2), "-4");
  EXPECT_EQ(apply(WEFT_EXPR_FLOORDIV, -7, -2), "3");
  EXPECT_EQ(apply(WEFT_EXPR_FLOORDIV, -8, 2), "-4");
  EXPECT_EQ(apply(WEFT_EXPR_MOD, 7, 3), "1");
  EXPECT_EQ(apply(WEFT_EXPR_MOD, -7, 3), "2");
  EXPECT_EQ(apply(WEFT_EXPR_MOD, 7, -3), "-2");
  EXPECT_EQ(apply(WEFT_EXPR_MOD, -6, 3), "0");
  EXPECT_EQ(apply(WEFT_EXPR_MIN, 2, -3), "-3");
  EXPECT_EQ(apply(WEFT_EXPR_MAX, 2, -3), "2");
  EXPECT_EQ(apply(WEFT_EXPR_BROADCAST, 1, 7), "7");
  EXPECT_EQ(apply(WEFT_EXPR_BROADCAST, 7, 1), "7");
  EXPECT_EQ(evaluate(combine(WEFT_EXPR_ADD, symbol(1), symbol(0)), {4, 9}), "13");
}

TEST(Expression, OverflowAndDivisionByZeroAreReported) {
  EXPECT_EQ(apply(WEFT_EXPR_ADD, most, 1), "overflows 64 bits");
  EXPECT_EQ(apply(WEFT_EXPR_MUL, most, 2), "overflows 64 bits");
  EXPECT_EQ(apply(WEFT_EXPR_FLOORDIV, least, -1), "overflows 64 bits");
  EXPECT_EQ(apply(WEFT_EXPR_MOD, least, -1), "0");
  EXPECT_EQ(apply(WEFT_EXPR_FLOORDIV, 1, 0), "divides by zero");
  EXPECT_EQ(apply(WEFT_EXPR_MOD, 1, 0), "divides by zero");
}

TEST(Expression, MalformedProgramsAreRefused) {
  EXPECT_EQ(construct({}, 0), "an expression leaves 0 values instead of one");
  EXPECT_EQ(construct({WEFT_EXPR_CONSTANT}, 0), "an expression ends before its last operand");
  EXPECT_EQ(construct({WEFT_EXPR_SYMBOL, 2}, 2), "an expression uses symbol 2 of 2");
  EXPECT_EQ(construct({WEFT_EXPR_SYMBOL, -1}, 2), "an expression uses symbol -1 of 2");
  EXPECT_EQ(construct({9}, 0), "word 0 of an expression is 9, which is no operation");
  EXPECT_EQ(construct({-1}, 0), "word 0 of an expression is -1, which is no operation");
  EXPECT_EQ(construct({0, 5, WEFT_EXPR_ADD}, 0),
            "word 2 of an expression combines two values, but there are 1");
  EXPECT_EQ(construct({0, 5, 0, 6}, 0), "an expression leaves 2 values instead of one");
}

TEST(Expression, Text) {
  std::vector<std::string> names = {"a", "b"};
  auto text = [&](const Words &words) { return Expression(words, 2).text(names); };
  Words sum = combine(WEFT_EXPR_ADD, symbol(0), constant(-1));
  EXPECT_EQ(text(sum), "a-1");
  EXPECT_EQ(text(combine(WEFT_EXPR_ADD, combine(WEFT_EXPR_MUL, constant(2), symbol(0)), constant(1))),
            "2*a+1");
  EXPECT_EQ(text(combine(WEFT_EXPR_MUL, sum, sum)), "(a-1)*(a-1)");
  EXPECT_EQ(text(combine(WEFT_EXPR_FLOORDIV, symbol(0), combine(WEFT_EXPR_MUL, symbol(1), constant(2)))),
            "a//(b*2)");
  EXPECT_EQ(text(combine(WEFT_EXPR_MOD, sum, constant(3))), "(a-1)%3");
  EXPECT_EQ(text(combine(WEFT_EXPR_MUL, symbol(0), constant(-3))), "a*(-3)");
  EXPECT_EQ(text(combine(WEFT_EXPR_MAX, symbol(0), combine(WEFT_EXPR_BROADCAST, symbol(1), sum))),
            "max(a, broadcast(b, a-1))");
}

TEST(Expression, OnlyALoneSymbolBinds) {
  EXPECT_EQ(Expression(symbol(1), 2).asSymbol(), 1u);
  EXPECT_FALSE(Expression(constant(1), 2).asSymbol());
  EXPECT_FALSE(Expression(combine(WEFT_EXPR_ADD, symbol(0), constant(0)), 2).asSymbol());
}

} // namespace
