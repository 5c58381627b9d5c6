// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symbolic dims: equal polynomials are one attribute, no simplification changes a value, syntax round-trips,
// and nothing that a file can say overflows anything.
#include "dialects/Weft/IR/Dims.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace mlir;
using namespace weft;

namespace {

using Values = std::map<std::string, int64_t>;

class DimsTest : public testing::Test {
protected:
  DimsTest() {
    context.loadDialect<WeftDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) { message = diagnostic.str(); });
    a = symbol("a"), b = symbol("b"), c = symbol("c");
  }

  Dim constant(int64_t value) { return Dim::constant(&context, value); }
  Dim symbol(llvm::StringRef name) { return Dim::symbol(&context, name); }

  /// The parsed dim, or null and a message.
  Dim parse(const std::string &text) {
    message.clear();
    return llvm::dyn_cast_or_null<DimAttr>(parseAttribute("#weft.dim<" + text + ">", &context));
  }
  std::string normal(const std::string &text) {
    Dim dim = parse(text);
    return dim ? dim.toString(/*quoted=*/false) : "error: " + message;
  }
  static std::optional<int64_t> evaluate(Dim dim, const Values &values) {
    return dim.evaluate([&](llvm::StringRef name) -> std::optional<int64_t> {
      auto value = values.find(name.str());
      return value == values.end() ? std::nullopt : std::optional(value->second);
    });
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string message;
  Dim a, b, c;
};

//===-- Random expressions, with a value computed beside
//----------------------------------------------------------===//

/// An expression as it was written, before any normalization, and how to compute it without weft.
struct Written {
  DimKind kind;
  int64_t value = 0;
  std::string name;
  std::vector<Written> operands;

  Dim build(MLIRContext *context) const {
    if (kind == DimKind::Constant)
      return Dim::constant(context, value);
    if (kind == DimKind::Symbol)
      return Dim::symbol(context, name);
    llvm::SmallVector<Dim> built;
    for (const Written &operand : operands)
      built.push_back(operand.build(context));
    return Dim::combine(context, kind, built);
  }

  /// Nothing where it has no meaning: a zero divisor, a broadcast that does not fit.
  std::optional<int64_t> compute(const Values &values) const {
    if (operands.empty())
      return kind == DimKind::Constant ? value : values.at(name);
    std::optional<int64_t> l = operands[0].compute(values), r = operands[1].compute(values);
    if (!l || !r)
      return std::nullopt;
    switch (kind) {
    case DimKind::Add:
      return *l + *r;
    case DimKind::Mul:
      return *l * *r;
    case DimKind::Min:
      return *l < *r ? *l : *r;
    case DimKind::Max:
      return *l > *r ? *l : *r;
    case DimKind::Broadcast:
      return *l == *r || *r == 1 ? l : *l == 1 ? r : std::nullopt;
    default: {
      if (*r == 0)
        return std::nullopt;
      int64_t quotient = *l / *r;
      while (*r > 0 ? quotient * *r > *l : quotient * *r < *l)
        --quotient;
      return kind == DimKind::FloorDiv ? quotient : *l - *r * quotient;
    }
    }
  }
};

const std::vector<DimKind> kPolynomial{DimKind::Add, DimKind::Mul};
const std::vector<DimKind> kAll{DimKind::Add, DimKind::Add, DimKind::Mul, DimKind::FloorDiv,
                                DimKind::Mod, DimKind::Min, DimKind::Max, DimKind::Broadcast};

Written random(std::mt19937 &generator, const std::vector<DimKind> &kinds, int depth) {
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(generator);
  };
  if (depth == 0 || pick(0, 7) == 0) {
    if (pick(0, 2) == 0)
      return {DimKind::Constant, pick(-6, 8), "", {}};
    return {DimKind::Symbol, 0, std::string(1, static_cast<char>('a' + pick(0, 3))), {}};
  }
  DimKind kind = kinds[static_cast<size_t>(pick(0, static_cast<int64_t>(kinds.size()) - 1))];
  return {kind, 0, "", {random(generator, kinds, depth - 1), random(generator, kinds, depth - 1)}};
}

Values randomValues(std::mt19937 &generator) {
  std::uniform_int_distribution<int64_t> pick(0, 9);
  return {{"a", pick(generator)}, {"b", pick(generator)}, {"c", pick(generator)}, {"d", pick(generator)}};
}

//===-- Properties
//------------------------------------------------------------------------------------------------===//

TEST_F(DimsTest, EqualPolynomialsAreOneAttribute) {
  std::mt19937 generator(1);
  for (int i = 0; i < 2000; ++i) {
    Dim x = random(generator, kPolynomial, 2).build(&context),
        y = random(generator, kPolynomial, 2).build(&context),
        z = random(generator, kPolynomial, 2).build(&context);
    SCOPED_TRACE(x.toString() + " ; " + y.toString() + " ; " + z.toString());
    EXPECT_EQ(x + y, y + x);
    EXPECT_EQ(x * y, y * x);
    EXPECT_EQ((x + y) + z, x + (y + z));
    EXPECT_EQ((x * y) * z, x * (y * z));
    EXPECT_EQ(x * (y + z), x * y + x * z);
    EXPECT_EQ(x + y - x, y);
    EXPECT_EQ(x - x, constant(0));
    EXPECT_EQ((x + y) * (x - y), x * x - y * y);
    if (x != constant(0))
      EXPECT_EQ(Dim::floorDiv(x * y, x), y);
    if (x != constant(0))
      EXPECT_EQ(Dim::mod(x * y, x), constant(0));
  }
}

TEST_F(DimsTest, ChoicesAreAssociativeAndCommutative) {
  std::mt19937 generator(2);
  using Choice = Dim (*)(Dim, Dim);
  for (int i = 0; i < 2000; ++i) {
    Dim x = random(generator, kAll, 2).build(&context), y = random(generator, kAll, 2).build(&context),
        z = random(generator, kAll, 2).build(&context);
    for (Choice choice : {Choice(Dim::min), Choice(Dim::max), Choice(Dim::broadcast)}) {
      SCOPED_TRACE(x.toString() + " ; " + y.toString() + " ; " + z.toString());
      EXPECT_EQ(choice(x, y), choice(y, x));
      EXPECT_EQ(choice(choice(x, y), z), choice(x, choice(y, z)));
      if (x)
        EXPECT_EQ(choice(x, x), x);
    }
  }
}

TEST_F(DimsTest, SimplificationsKeepTheValue) {
  std::mt19937 generator(3);
  int64_t compared = 0;
  for (int i = 0; i < 20000; ++i) {
    Written written = random(generator, kAll, 4);
    Dim dim = written.build(&context);
    for (int j = 0; dim && j < 12; ++j) {
      Values values = randomValues(generator);
      if (std::optional<int64_t> expected = written.compute(values)) {
        ASSERT_EQ(evaluate(dim, values), expected) << dim.toString();
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 50000);
}

TEST_F(DimsTest, ProofsHold) {
  std::mt19937 generator(4);
  int64_t proven = 0;
  for (int i = 0; i < 10000; ++i) {
    Dim x = random(generator, kAll, 3).build(&context), y = random(generator, kAll, 3).build(&context);
    bool nonNegative = provablyNonNegative(x), less = provablyLess(x, y), atMost = provablyLessEqual(x, y);
    std::optional<bool> equal = provablyEqual(x, y);
    proven += nonNegative + less + atMost + equal.has_value();
    for (int j = 0; x && y && j < 12; ++j) {
      Values values = randomValues(generator);
      std::optional<int64_t> l = evaluate(x, values), r = evaluate(y, values);
      if (!l || !r)
        continue;
      SCOPED_TRACE(x.toString() + " ; " + y.toString());
      EXPECT_TRUE(!nonNegative || *l >= 0);
      EXPECT_TRUE(!less || *l < *r);
      EXPECT_TRUE(!atMost || *l <= *r);
      EXPECT_TRUE(!equal || *equal == (*l == *r));
    }
  }
  EXPECT_GT(proven, 5000);
}

/// Where assumptions hold, dims that are made and proofs that are found under them are right.
TEST_F(DimsTest, AssumptionsKeepTheValueWhereTheyHold) {
  std::mt19937 generator(7);
  int64_t compared = 0, simplified = 0;
  for (int i = 0; i < 4000; ++i) {
    llvm::SmallVector<Dim> assumed;
    for (int j = 0; j < 3; ++j)
      assumed.push_back(random(generator, kPolynomial, j == 0 ? 1 : 2).build(&context));
    Written written = random(generator, kAll, 3), other = random(generator, kAll, 2);
    Dim free = written.build(&context);
    Assumptions scope(assumed);
    Dim dim = written.build(&context), right = other.build(&context);
    bool less = provablyLess(dim, right), atMost = provablyLessEqual(dim, right);
    std::optional<bool> equal = provablyEqual(dim, right);
    simplified += dim != free;
    for (int j = 0; dim && j < 40; ++j) {
      Values values = randomValues(generator);
      bool holds =
          llvm::all_of(assumed, [&](Dim fact) { return !fact || evaluate(fact, values).value_or(-1) >= 0; });
      std::optional<int64_t> expected = written.compute(values), r = other.compute(values);
      if (!holds || !expected)
        continue;
      ASSERT_EQ(evaluate(dim, values), expected) << dim.toString() << " for " << free.toString();
      ++compared;
      if (!r || !right)
        continue;
      SCOPED_TRACE(dim.toString() + " ; " + right.toString());
      EXPECT_TRUE(!less || *expected < *r);
      EXPECT_TRUE(!atMost || *expected <= *r);
      EXPECT_TRUE(!equal || *equal == (*expected == *r));
    }
  }
  EXPECT_GT(compared, 10000);
  EXPECT_GT(simplified, 100);
}

/// A quotient that is exact by construction is the factor, whatever else is in the product.
TEST_F(DimsTest, ExactQuotientsAreFound) {
  std::mt19937 generator(8);
  for (int i = 0; i < 4000; ++i) {
    Dim x = random(generator, kAll, 2).build(&context), y = random(generator, kPolynomial, 2).build(&context);
    Dim product = x * y, quotient = y && y != constant(0) ? Dim::floorDiv(product, y) : Dim();
    if (quotient)
      EXPECT_EQ(quotient * y, product) << x.toString() << " ; " << y.toString();
  }
}

TEST_F(DimsTest, AssumptionsSimplify) {
  {
    Assumptions scope({a - 1, constant(512) - a, constant(1024) - b - c});
    EXPECT_EQ(Dim::max(a, constant(1)), a);
    EXPECT_EQ(Dim::min(a, constant(512)), a);
    EXPECT_EQ(Dim::min(b + c, constant(1024)), b + c);
    EXPECT_EQ(Dim::min(b, constant(1024)), b);
    EXPECT_EQ(provablyEqual(a, constant(0)), false);
    {
      Assumptions none({});
      EXPECT_NE(Dim::min(a, constant(512)), a);
    }
    EXPECT_EQ(Dim::min(a, constant(512)), a);
  }
  EXPECT_NE(Dim::max(a, constant(1)), a);
}

TEST_F(DimsTest, PrintedDimsParseToThemselves) {
  std::mt19937 generator(5);
  for (int i = 0; i < 5000; ++i) {
    Dim dim = random(generator, kAll, 4).build(&context);
    if (dim)
      ASSERT_EQ(parse(dim.toString(/*quoted=*/true)), dim) << dim.toString() << ": " << message;
  }
}

TEST_F(DimsTest, PostfixComputesTheSame) {
  std::mt19937 generator(6);
  for (int i = 0; i < 5000; ++i) {
    Dim dim = random(generator, kAll, 4).build(&context);
    Values values = randomValues(generator);
    if (!dim || !evaluate(dim, values))
      continue;
    std::vector<int64_t> stack;
    visitPostfix(dim, [&](DimKind kind, int64_t value, llvm::StringRef name) {
      if (kind == DimKind::Constant || kind == DimKind::Symbol) {
        stack.push_back(kind == DimKind::Constant ? value : values.at(name.str()));
        return;
      }
      ASSERT_GE(stack.size(), 2u);
      std::optional<int64_t> result = combineValues(kind, stack[stack.size() - 2], stack.back());
      stack.pop_back();
      ASSERT_TRUE(result);
      stack.back() = *result;
    });
    ASSERT_EQ(stack.size(), 1u);
    EXPECT_EQ(stack.back(), *evaluate(dim, values));
  }
}

//===-- The normal form, by example
//-------------------------------------------------------------------------------===//

TEST_F(DimsTest, NormalForms) {
  const std::pair<const char *, const char *> examples[] = {
      {R"("seq" + "past")", "past + seq"},
      {R"(2 * "src" - 1)", "2 * src - 1"},
      {R"("src" * "batch")", "batch * src"},
      {R"(1 - "x")", "-x + 1"},
      {R"(-2 * "x" * "x" - "y")", "-2 * x * x - y"},
      {R"(("a" + "b") * ("a" - "b"))", "a * a - b * b"},
      {R"(0 * "a")", "0"},
      {R"(7 - 3 - 4 * 2)", "-4"},
      // Division.
      {R"(floordiv("a", 1))", "a"},
      {R"(floordiv("a" * "b" * 4, "b" * 4))", "a"},
      {R"(floordiv(("past" + "seq") * 512, 64))", "8 * past + 8 * seq"},
      {R"(floordiv("a" * "a" - "b" * "b", "a" - "b"))", "a + b"},
      {R"(floordiv(4 * "a" + 3, 4))", "a"},
      {R"(floordiv(4 * "a" + 3, 6))", "floordiv(2 * a + 1, 3)"},
      {R"(floordiv("h" - 1, 2) + 1)", "floordiv(h + 1, 2)"},
      {R"(floordiv(floordiv("h" + 1, 2) + 1, 2))", "floordiv(h + 3, 4)"},
      {R"(floordiv("a" * "b", "b" * "c"))", "floordiv(a, c)"},
      {R"(floordiv("a", "a" + 1))", "0"},
      {R"(floordiv(-7, 2))", "-4"},
      {R"(floordiv("a", -2))", "-a + floordiv(a, 2)"},
      {R"(mod(7 * "a" + 9, 4))", "mod(3 * a + 1, 4)"},
      {R"(mod(4 * "a" + 1, 6))", "2 * mod(2 * a, 3) + 1"},
      {R"(mod(mod("a", 8), 8))", "mod(a, 8)"},
      {R"(mod(-7, 2))", "1"},
      {R"(mod(7, -2))", "-1"},
      {R"(floordiv(mod("a", 8), 8))", "0"},
      // Choices.
      {R"(max("a" + 2 * "b", 0))", "a + 2 * b"},
      {R"(max("a" - 1, 0))", "max(0, a - 1)"},
      {R"(min("a", "a" + "b", 512, min(600, "b")))", "min(512, a, b)"},
      {R"(max("a", "a" + "b", 512, "c"))", "max(512, c, a + b)"},
      {R"(broadcast("a", 1))", "a"},
      {R"(broadcast("b", broadcast("a", "b")))", "broadcast(a, b)"},
      {R"(broadcast("b", 7))", "7"},
      {R"(broadcast("b", "seq" + 2))", "seq + 2"},
      {R"(broadcast("b", 2 * "seq"))", "2 * seq"},
      {R"(broadcast("b", min(1, "b")))", "b"}, // a row of a table with one, of none if there is none
      {R"(broadcast(1 - max(0, 1 - "b"), "b"))", "b"},
      {R"(broadcast("b", min(1, "c")))", "broadcast(b, min(1, c))"},
  };
  for (auto [text, expected] : examples)
    EXPECT_EQ(normal(text), expected) << text;
}

TEST_F(DimsTest, CommonFactorsAreLeftOut) {
  auto check = [&](Dim left, Dim right, Dim first, Dim second) {
    auto [l, r] = withoutCommonFactor(left, right);
    EXPECT_EQ(l, first) << l.toString();
    EXPECT_EQ(r, second) << r.toString();
  };
  check(4 * a * b, 6 * a * c, 2 * b, 3 * c);
  check(a * a * b, a * b * c, a, c);
  check(2 * a * b + 4 * a, 6 * a, b + 2, constant(3));
  check(2 * a + 1, 2 * b, 2 * a + 1, 2 * b);
  check(-2 * a, 2 * a * b, constant(-1), b);
  // What is no size is not left out, since it may be 0 where sizes are as they should be.
  Dim half = Dim::floorDiv(a, constant(2));
  check(half * b, half * c, half * b, half * c);
  check(constant(0), 2 * a, constant(0), constant(1));
  check(constant(0), constant(0), constant(0), constant(0));
  check(Dim(), a, Dim(), a);
}

TEST_F(DimsTest, Proofs) {
  EXPECT_TRUE(provablyNonNegative(a * b + c));
  EXPECT_FALSE(provablyNonNegative(a - b));
  EXPECT_TRUE(provablyLessEqual(Dim::min(a, b), a));
  EXPECT_TRUE(provablyLessEqual(a, Dim::max(a, b)));
  EXPECT_TRUE(provablyLessEqual(Dim::floorDiv(a, constant(2)), a));
  EXPECT_TRUE(provablyLessEqual(Dim::floorDiv(a, constant(2)), Dim::ceilDiv(a, constant(2))));
  EXPECT_TRUE(provablyLess(a, Dim::floorDiv(a, constant(8)) * 8 + 8));
  EXPECT_FALSE(provablyLess(a, Dim::floorDiv(a, constant(8)) * 8 + 7));
  EXPECT_TRUE(provablyLess(Dim::mod(a, constant(8)), constant(8)));
  EXPECT_FALSE(provablyLess(a, a));
  EXPECT_EQ(provablyEqual(a + b, b + a), true);
  EXPECT_EQ(provablyEqual(a, a + 1), false);
  EXPECT_EQ(provablyEqual(a * 2, b * 4 + 1), false);
  EXPECT_EQ(provablyEqual(a, b), std::nullopt);
  EXPECT_EQ(provablyEqual(a, Dim()), std::nullopt);
}

TEST_F(DimsTest, OrderIsStructural) {
  Dim late = symbol("z"), early = symbol("A");
  EXPECT_EQ((late + early).toString(), "A + z");
  EXPECT_LT(Dim::compare(Dim(), constant(0)), 0);
  EXPECT_LT(Dim::compare(constant(5), early), 0);
  EXPECT_LT(Dim::compare(early, late), 0);
  EXPECT_GT(Dim::compare(Dim::min(a, b), a + b), 0);
  EXPECT_EQ(Dim::compare(a * b, b * a), 0);
}

TEST_F(DimsTest, SubstituteAndWalk) {
  Dim dim = Dim::floorDiv(a * b + c, constant(4));
  std::vector<std::string> names;
  dim.walkSymbols([&](llvm::StringRef name) { names.push_back(name.str()); });
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
  Dim replaced = dim.substitute([&](llvm::StringRef name) {
    return name == "b" ? constant(8) : name == "c" ? symbol("a") * 4 : Dim();
  });
  EXPECT_EQ(replaced, a * 3);
}

TEST_F(DimsTest, EvaluateSaysWhatIsMissing) {
  auto none = [](llvm::StringRef) { return std::optional<int64_t>(); };
  auto zero = [](llvm::StringRef) { return std::optional<int64_t>(0); };
  auto huge = [](llvm::StringRef) { return std::optional<int64_t>(INT64_MAX); };
  std::string error;
  EXPECT_FALSE((a + b).evaluate(none, &error));
  EXPECT_EQ(error, "a + b: no value is known for \"a\"");
  EXPECT_FALSE(Dim::floorDiv(a, b).evaluate(zero, &error));
  EXPECT_EQ(error, "floordiv(a, b): division of 0 by zero");
  EXPECT_FALSE((a + 1).evaluate(huge, &error));
  EXPECT_EQ(error, "a + 1: 9223372036854775807 + 1 overflows 64 bits");
  EXPECT_FALSE(Dim().evaluate(zero, &error));
}

//===-- Limits
//----------------------------------------------------------------------------------------------------===//

TEST_F(DimsTest, NullMeansUnknown) {
  for (Dim unknown : {Dim() + a, a - Dim(), a * Dim(), -Dim(), Dim() + 1, Dim() * 2, Dim::floorDiv(a, Dim()),
                      Dim::mod(Dim(), a), Dim::min(a, Dim()), Dim::max(Dim(), a), Dim::broadcast(a, Dim()),
                      Dim::floorDiv(a, constant(0)), Dim::mod(a, constant(0)), Dim::min({})})
    EXPECT_FALSE(unknown);
  EXPECT_EQ(Dim().toString(), "?");
  EXPECT_EQ(Dim::product(&context, {}), constant(1));
  EXPECT_EQ(Dim::sum(&context, {}), constant(0));
}

TEST_F(DimsTest, OverflowIsUnknown) {
  Dim most = constant(INT64_MAX), least = constant(INT64_MIN);
  for (Dim unknown : {most + 1, least - 1, most * 2, -least, a * INT64_MAX + a, a * INT64_MIN * -1,
                      least * least, Dim::floorDiv(least, constant(-1))})
    EXPECT_FALSE(unknown);
  EXPECT_EQ(Dim::floorDiv(least, constant(3)).getConstant(), INT64_MIN / 3 - 1);
  EXPECT_EQ(Dim::mod(least, constant(3)).getConstant(), 1);
  EXPECT_EQ(Dim::min(a, least), least);
  EXPECT_EQ(Dim::min(a + 5, most).toString(), "min(9223372036854775807, a + 5)");
  for (Dim extreme : {least, most, a + least, a * INT64_MIN, Dim::floorDiv(a * INT64_MIN + b, constant(3))})
    EXPECT_EQ(parse(extreme.toString(true)), extreme) << extreme.toString();
}

TEST_F(DimsTest, LargeProductsStayProducts) {
  Dim left = constant(0), right = constant(0);
  for (int i = 0; i < 9; ++i) {
    left = left + symbol("l" + std::to_string(i));
    right = right + symbol("r" + std::to_string(i));
  }
  Dim product = left * right; // 81 terms
  EXPECT_EQ(product.getAttr().getKind(), DimKind::Mul);
  EXPECT_EQ(product, right * left);
  EXPECT_EQ(product - product, constant(0));
  EXPECT_EQ(parse((product * a + 1).toString(true)), product * a + 1);
  EXPECT_EQ(Dim::floorDiv(product * a, a), product);
  EXPECT_EQ(Dim::floorDiv(product * product * (a + b), product), product * (a + b));
  for (Dim dim :
       {product * product, product * (a + b), product * (a + b) * (left - 3) + c, Dim::mod(product, left)})
    EXPECT_EQ(parse(dim.toString(true)), dim) << dim.toString();
  EXPECT_EQ(product.evaluate([](llvm::StringRef) { return std::optional<int64_t>(2); }), 18 * 18);
}

TEST_F(DimsTest, SizeIsLimited) {
  Dim power = a;
  for (int i = 0; i < 6; ++i)
    power = power * power;
  EXPECT_TRUE(power);
  EXPECT_FALSE(power * a); // more than 64 factors
  // Sharing makes an expression grow without bound while every step is small.
  Dim shared = a;
  int steps = 0;
  for (; shared && steps < 1000; ++steps)
    shared = Dim::min(Dim::floorDiv(shared, b), Dim::floorDiv(shared, c));
  EXPECT_LT(steps, 40);
  Dim deep = a;
  for (steps = 0; deep && steps < 10000; ++steps)
    deep = Dim::floorDiv(deep + b, symbol("s"));
  EXPECT_LT(steps, 200);
}

TEST_F(DimsTest, HostileTextIsAnError) {
  auto repeat = [](const std::string &text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i)
      result += text;
    return result;
  };
  EXPECT_FALSE(parse(repeat("(", 100000) + "1" + repeat(")", 100000)));
  EXPECT_EQ(message, "the expression is nested deeper than 128");
  EXPECT_FALSE(parse(repeat("min(1, ", 100000) + "1" + repeat(")", 100000)));
  EXPECT_EQ(message, "the expression is nested deeper than 128");
  EXPECT_EQ(parse(repeat("(", 100) + "\"a\"" + repeat(")", 100)), a);
  EXPECT_EQ(parse(repeat("-", 100000) + "\"a\""), a);
  EXPECT_FALSE(parse(repeat("\"a\" * ", 100000) + "\"a\""));
  EXPECT_EQ(parse(repeat("\"a\" + ", 100000) + "\"a\""), a * 100001);
  std::string distinct = "0";
  for (int i = 0; i < 30000; ++i)
    distinct += " + \"s" + std::to_string(i) + "\"";
  EXPECT_FALSE(parse(distinct));
  EXPECT_EQ(message, "the expression overflows 64 bits or is too large");
}

TEST_F(DimsTest, ErrorsSayWhatWasExpected) {
  const std::pair<const char *, const char *> examples[] = {
      {"", "expected a dim: a quoted symbol, an integer, a call or parentheses"},
      {"\"a\" +", "expected a dim: a quoted symbol, an integer, a call or parentheses"},
      {"a", "expected floordiv, mod, min, max or broadcast, got 'a'"},
      {"floordiv(\"a\", 0)", "'floordiv' by zero"},
      {"mod(\"a\", 0)", "'mod' by zero"},
      {"floordiv(1, 2, 3)", "'floordiv' takes two operands, got 3"},
      {"max(\"a\")", "'max' takes at least two operands, got 1"},
      {"9223372036854775808", "the integer does not fit 64 bits"},
      {"9223372036854775807 + 1", "the expression overflows 64 bits or is too large"},
  };
  for (auto [text, expected] : examples)
    EXPECT_EQ(normal(text), std::string("error: ") + expected) << text;
  EXPECT_EQ(normal("-9223372036854775808"), "-9223372036854775808");
}

TEST_F(DimsTest, ShapesRoundTrip) {
  const std::string text = R"(tensor<?x?x512xf32, #weft.dims<"batch", "past" + "seq", 512>>)";
  Type type = parseType(text, &context);
  ASSERT_TRUE(type);
  std::string printed;
  llvm::raw_string_ostream(printed) << type;
  EXPECT_EQ(printed, text);
  EXPECT_EQ(parseType(R"(tensor<?x?x512xf32, #weft.dims<"batch", "seq" + "past", 500 + 12>>)", &context),
            type);
  Attribute scalar = parseAttribute("#weft.dims<>", &context);
  ASSERT_TRUE(scalar);
  EXPECT_TRUE(llvm::cast<DimsAttr>(scalar).getDims().empty());
  Dim strange = symbol("quote \" back \\ \n \x01");
  EXPECT_EQ(parse(strange.toString(true)), strange);
}

} // namespace
