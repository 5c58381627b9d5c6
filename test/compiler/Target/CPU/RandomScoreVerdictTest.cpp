// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts on tiles of score regions made at random, against what is so in every one of their cells.
#include "ScoreVerdictFixture.h"
#include <random>

using namespace weft;
using namespace weft::cpu;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

/// Writes into the region of a test. Each of s, t and u is read at most once, so that a cell's verdict is
/// exact.
class RandomRegion {
public:
  /// With `isWild`, numbers that wrap, functions that are not analysed, and several reads of t.
  RandomRegion(ScoreVerdictTest &test, std::mt19937 &random, bool isWild)
      : test(test), random(random), isWild(isWild) {}

  void write() {
    Value score = test.argument(Score);
    if (below(3) == 0)
      score = test.make<arith::MulFOp>(score, test.number(0.125));
    if (isWild && below(3) == 0)
      score = test.make<math::TanhOp>(score);
    for (int64_t layers = below(3); layers > 0; --layers)
      score = maskScore(score);
    test.yield(score, keep());
  }

  /// The conditions that close the region with the other value.
  SmallVector<std::pair<Value, bool>> masks;

private:
  int64_t below(int64_t count) { return random() % count; }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }

  Value integer(Type type, int depth);
  Value affine(Type type);
  Value floatOf(Type integers);
  Value comparison();
  Value condition(int depth);
  Value mask(bool open) {
    Value value = condition(2);
    masks.push_back({value, open});
    return value;
  }
  Value undecided();
  Value fill() {
    constexpr double kFills[] = {-kInfinity, -1e9, -1e4, -1e38}; // three of which are finite, too
    return test.number(kFills[below(4)]);
  }
  Value maskScore(Value score);
  Value keep();

  ScoreVerdictTest &test;
  std::mt19937 &random;
  bool isWild, isTRead = false, isURead = false;
};

Value RandomRegion::affine(Type type) {
  constexpr Argument kIntegers[] = {B, H, I, J, I, J, N};
  auto read = [&]() -> Value {
    Value value = test.argument(kIntegers[below(7)]);
    return value.getType() == type ? value : test.make<arith::IndexCastOp>(type, value);
  };
  Value sum = test.integer(between(-6, 6), type);
  if (isWild && below(3) == 0)
    sum = test.integer(type.isInteger(32) ? std::numeric_limits<int32_t>::max() - 3
                                          : std::numeric_limits<int64_t>::max() - 3,
                       type);
  for (int64_t terms = between(1, 2); terms > 0; --terms) {
    Value term = read();
    if (below(2) == 0)
      term = test.make<arith::MulIOp>(term, test.integer(between(-3, isWild ? int64_t(1) << 30 : 3), type));
    sum = below(3) ? test.make<arith::AddIOp>(sum, term) : test.make<arith::SubIOp>(sum, term);
  }
  return below(3) == 0 ? read() : sum;
}

Value RandomRegion::integer(Type type, int depth) {
  if (depth == 0 || below(2) == 0)
    return affine(type);
  Value value = integer(type, depth - 1);
  Value divisor = test.integer(between(1, 4), type);
  switch (below(9)) {
  case 0:
    return test.make<arith::DivSIOp>(value, divisor);
  case 1:
    return test.make<arith::RemSIOp>(value, divisor);
  case 2:
    return test.make<arith::DivUIOp>(test.make<arith::MaxSIOp>(value, test.integer(0, type)), divisor);
  case 3:
    return test.make<arith::RemUIOp>(test.make<arith::MaxSIOp>(value, test.integer(0, type)), divisor);
  case 4:
    return test.make<arith::MinSIOp>(value, integer(type, depth - 1));
  case 5:
    return test.make<arith::MaxSIOp>(value, integer(type, depth - 1));
  case 6:
    return test.make<arith::MulIOp>(value, integer(type, depth - 1));
  case 7: { // toward minus infinity, as exporters write it
    Value quotient = test.make<arith::DivSIOp>(value, divisor), zero = test.integer(0, type);
    Value rest = test.make<arith::SubIOp>(value, test.make<arith::MulIOp>(quotient, divisor));
    Value isBelow = test.compare(CmpIPredicate::slt, rest, zero);
    return test.make<arith::SubIOp>(quotient, test.select(isBelow, test.integer(1, type), zero));
  }
  default:
    return test.select(comparison(), value, integer(type, depth - 1));
  }
}

Value RandomRegion::floatOf(Type integers) {
  Value value = test.make<arith::SIToFPOp>(test.builder.getF32Type(), integer(integers, 1));
  switch (below(6)) {
  case 0:
    return test.make<arith::MulFOp>(value, test.number(0.5));
  case 1:
    return test.make<math::FloorOp>(test.make<arith::DivFOp>(value, test.number(-3)));
  case 2:
    return test.make<arith::AddFOp>(test.argument(X), test.make<math::AbsFOp>(value));
  case 3:
    return test.make<arith::MinimumFOp>(test.argument(X), test.make<arith::NegFOp>(value));
  case 4:
    return isWild ? test.make<math::ExpOp>(value) : test.make<arith::SubFOp>(value, test.argument(X));
  default:
    return value;
  }
}

Value RandomRegion::comparison() {
  Type types[] = {test.builder.getIndexType(), test.builder.getI64Type(), test.builder.getI32Type()};
  if (below(5) == 0) {
    constexpr CmpFPredicate kPredicates[] = {CmpFPredicate::OEQ, CmpFPredicate::UNE, CmpFPredicate::OLT,
                                             CmpFPredicate::OLE, CmpFPredicate::OGT, CmpFPredicate::OGE};
    return test.make<arith::CmpFOp>(kPredicates[below(6)], floatOf(types[between(1, 2)]),
                                    floatOf(types[between(1, 2)]));
  }
  Type type = types[below(3)];
  auto predicate = static_cast<CmpIPredicate>(below(6)); // the signed ones
  return test.compare(predicate, integer(type, below(3)), integer(type, below(3)));
}

Value RandomRegion::condition(int depth) {
  if (depth == 0)
    return comparison();
  switch (below(8)) {
  case 0:
  case 1:
    return test.make<arith::AndIOp>(condition(depth - 1), condition(depth - 1));
  case 2:
    return test.make<arith::OrIOp>(condition(depth - 1), condition(depth - 1));
  case 3:
    return test.make<arith::XOrIOp>(condition(depth - 1), condition(depth - 1));
  case 4:
    return test.notOf(condition(depth - 1));
  case 5:
    return test.select(condition(depth - 1), condition(depth - 1), condition(depth - 1));
  default:
    return comparison();
  }
}

/// A condition that no one knows.
Value RandomRegion::undecided() {
  bool &isRead = isTRead ? isURead : isTRead;
  if (isRead && !isWild)
    return {};
  Value value = test.argument(isTRead ? U : T);
  isRead = true;
  switch (below(4)) {
  case 0:
    return test.notOf(value);
  case 1:
    return test.make<arith::OrIOp>(value, condition(1));
  case 2:
    return test.make<arith::XOrIOp>(condition(1), value);
  default:
    return value;
  }
}

Value RandomRegion::maskScore(Value score) {
  Value zero = test.number(0);
  switch (below(7)) {
  case 0:
    return test.select(mask(true), score, fill());
  case 1:
    return test.select(mask(false), fill(), score);
  case 2:
    return test.make<arith::AddFOp>(score, test.select(mask(true), zero, fill()));
  case 3: { // 1 - mask, times the fill
    Value kept = test.make<arith::UIToFPOp>(test.builder.getF32Type(), mask(true));
    Value lost = test.make<arith::SubFOp>(test.number(1), kept);
    return test.make<arith::AddFOp>(test.make<arith::MulFOp>(lost, test.number(-1e4)), score);
  }
  case 4:
    return test.make<arith::AddFOp>(score, floatOf(test.builder.getI64Type()));
  default:
    Value unknown = undecided();
    if (!unknown)
      return score;
    return below(2) ? test.select(unknown, score, fill())
                    : test.make<arith::AddFOp>(score, test.select(unknown, zero, fill()));
  }
}

Value RandomRegion::keep() {
  Value unknown = undecided();
  switch (below(unknown ? 4 : 2)) {
  case 0:
    return test.truth(true);
  case 1:
    return mask(true);
  case 2:
    return test.make<arith::AndIOp>(mask(true), unknown);
  default:
    return unknown;
  }
}

} // namespace

/// The verdict of a tile is never wrong, and once the tile is split far enough it says all that is so.
TEST_F(ScoreVerdictTest, RandomPredicates) {
  constexpr int kPredicates = 1000;
  std::mt19937 random(20);
  auto between = [&](int64_t low, int64_t high) { return low + int64_t(random() % (high - low + 1)); };
  int found[3] = {}, foundAtOnce[3] = {}, exactAtOnce = 0;
  for (int number = 0; number < kPredicates && !HasFailure(); ++number) {
    start();
    RandomRegion score(*this, random, /*isWild=*/false);
    score.write();
    Scalars scalars{between(0, 2), between(-2, 9), between(-8, 8) * 0.5};
    Tile tile{{between(0, 3), between(0, 7), between(0, 7)}, {}};
    for (int d = 0; d < 3; ++d)
      tile.high[d] = tile.low[d] + between(0, d == 0 ? 1 : 4);
    auto [atOnce, refined] = refine(tile, scalars);
    Verdict expected = search(tile, scalars, score.masks);
    EXPECT_EQ(refined.isEmpty, expected.isEmpty);
    EXPECT_EQ(refined.isFull, expected.isFull);
    if (!expected.isEmpty) {
      EXPECT_EQ(refined.isConstant, expected.isConstant);
      EXPECT_TRUE(!expected.isConstant || refined.constant == expected.constant);
      EXPECT_TRUE(!atOnce.isConstant || (expected.isConstant && atOnce.constant == expected.constant));
    }
    EXPECT_TRUE(!expected.isFull || isSameOpen(tile, scalars));
    bool isSo[] = {expected.isEmpty, expected.isFull, expected.isConstant && !expected.isEmpty};
    bool isSaid[] = {atOnce.isEmpty, atOnce.isFull, atOnce.isConstant};
    exactAtOnce += std::equal(isSo, isSo + 2, isSaid) && (isSo[2] == isSaid[2] || isSo[0]);
    for (int k = 0; k < 3; ++k) {
      found[k] += isSo[k];
      foundAtOnce[k] += isSo[k] && isSaid[k];
    }
    if (HasFailure())
      ADD_FAILURE() << "predicate " << number << " of\n" << describe();
  }
  std::printf("%d of %d verdicts are exact without splitting\n", exactAtOnce, kPredicates);
  for (int k = 0; k < 3; ++k) {
    const char *names[] = {"empty", "full", "constant"};
    std::printf("%s: %d of %d are\n", names[k], foundAtOnce[k], found[k]);
    EXPECT_GT(found[k], kPredicates / 50) << names[k] << " is not tested";
    EXPECT_GT(foundAtOnce[k] * 4, found[k] * 3) << names[k];
  }
}

/// Wrapping integers, terms that depend on one another, functions that are not analysed: nothing false is
/// said.
TEST_F(ScoreVerdictTest, WildPredicates) {
  std::mt19937 random(21);
  auto between = [&](int64_t low, int64_t high) { return low + int64_t(random() % (high - low + 1)); };
  for (int number = 0; number < 500 && !HasFailure(); ++number) {
    start();
    RandomRegion score(*this, random, /*isWild=*/true);
    score.write();
    Scalars scalars{between(0, 2), between(-9, 9) * (number % 3 ? 1 : int64_t(1) << 40),
                    number % 5 ? between(-8, 8) * 0.5 : NAN};
    Tile tile{{0, between(0, 7), between(0, 7)}, {1, 0, 0}};
    for (int d = 1; d < 3; ++d)
      tile.high[d] = tile.low[d] + between(0, 4);
    Verdict said = judge(tile, scalars), expected = search(tile, scalars, score.masks);
    EXPECT_TRUE(!said.isEmpty || expected.isEmpty);
    EXPECT_TRUE(!said.isFull || isSameOpen(tile, scalars));
    if (!expected.isEmpty && said.isConstant) {
      EXPECT_TRUE(expected.isConstant);
      EXPECT_EQ(said.constant, expected.constant);
    }
    if (HasFailure())
      ADD_FAILURE() << "predicate " << number << " of\n" << describe();
  }
}
