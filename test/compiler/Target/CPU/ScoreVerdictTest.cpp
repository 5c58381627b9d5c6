// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verdicts on tiles of the masks that models have.
#include "ScoreVerdictFixture.h"

using namespace weft;
using namespace weft::cpu;

namespace {

struct MaskTest : ScoreVerdictTest {
  /// `body` computes %score and %keep of %s, %b, %h, %i, %j, %n, %x, %t and %u.
  void parse(const std::string &body, const std::string &results) {
    owner =
        parseSourceString("\"test.score\"() ({\n^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, "
                          "%n: i64, %x: f32, %t: i1, %u: i1):\n" +
                              body + "\n  weft.yield " + results + " : f32, i1\n}) : () -> ()",
                          &context);
    ASSERT_TRUE(owner);
    region = &owner->getRegion(0);
    block = &region->front();
  }

  /// What is said of rows and columns: E for empty, F for full, C for constant.
  std::string say(std::pair<int64_t, int64_t> rows, std::pair<int64_t, int64_t> columns, int64_t n = 0,
                  double x = 0) {
    Tile tile{{0, rows.first, columns.first}, {1, rows.second, columns.second}};
    Verdict verdict = judge(tile, {0, n, x});
    return std::string(verdict.isEmpty ? "E" : "") + (verdict.isFull ? "F" : "") +
           (verdict.isConstant ? "C" : "");
  }

  /// The operations that are left when masks are open; -1 if there are none.
  int64_t countOpen() {
    std::string before = describe();
    bool isOpened = openMasks(*region, knownArguments());
    EXPECT_TRUE(isOpened || describe() == before);
    return isOpened ? int64_t(block->getOperations().size()) : -1;
  }
};

const std::string kTrue = "  %true = arith.constant true\n";
const std::string kCausal = kTrue + "  %c = arith.cmpi sle, %j, %i : index\n";

} // namespace

TEST_F(MaskTest, Causal) {
  parse(kCausal, "%s, %c");
  EXPECT_EQ(say({8, 15}, {16, 31}), "E");
  EXPECT_EQ(say({8, 15}, {15, 31}), "");
  EXPECT_EQ(say({8, 15}, {8, 9}), "");
  EXPECT_EQ(say({8, 15}, {0, 8}), "F");
  EXPECT_EQ(countOpen(), 2); // true, yield
}

TEST_F(MaskTest, CausalAfterAPast) {
  parse("%n0 = arith.index_cast %n : i64 to index\n %last = arith.addi %i, %n0 : index\n"
        "%c = arith.cmpi sle, %j, %last : index",
        "%s, %c");
  EXPECT_EQ(say({0, 0}, {100, 107}, 107), "F");
  EXPECT_EQ(say({0, 0}, {100, 107}, 106), "");
  EXPECT_EQ(say({0, 0}, {100, 107}, 99), "E");
  // Only of numbers that do not wrap.
  EXPECT_EQ(say({1, 1}, {0, 1}, std::numeric_limits<int64_t>::max()), "");
}

TEST_F(MaskTest, Window) {
  parse(kCausal + "%d = arith.subi %i, %j : index\n %four = arith.constant 4 : index\n"
                  "%near = arith.cmpi slt, %d, %four : index\n %k = arith.andi %c, %near : i1",
        "%s, %k");
  EXPECT_EQ(say({20, 21}, {18, 20}), "F");
  EXPECT_EQ(say({20, 21}, {16, 17}), "");
  EXPECT_EQ(say({20, 21}, {0, 16}), "E");
  EXPECT_EQ(say({20, 21}, {22, 23}), "E");
  EXPECT_EQ(countOpen(), 2);
}

TEST_F(MaskTest, Fills) {
  std::string zero = kCausal + "%zero = arith.constant 0.0 : f32\n";
  auto fill = [](const std::string &value) { return "%fill = arith.constant " + value + " : f32\n"; };
  parse(zero + fill("0xFF800000") + "%m = arith.select %c, %zero, %fill : f32\n %y = arith.addf %s, %m : f32",
        "%y, %true");
  EXPECT_EQ(say({0, 3}, {4, 7}), "E");
  EXPECT_EQ(say({4, 7}, {0, 3}), "F");
  EXPECT_EQ(countOpen(), 2);
  parse(zero + fill("-1.0e9") + "%y = arith.select %c, %s, %fill : f32", "%y, %true");
  EXPECT_EQ(say({0, 3}, {4, 7}), "C");
  EXPECT_EQ(say({4, 7}, {0, 3}), "F");
  EXPECT_EQ(countOpen(), 2);
  // What is left of s + -1e4 depends on s.
  parse(zero + fill("-1.0e4") + "%m = arith.select %c, %zero, %fill : f32\n %y = arith.addf %s, %m : f32",
        "%y, %true");
  EXPECT_EQ(say({0, 3}, {4, 7}), "");
  EXPECT_EQ(say({4, 7}, {0, 3}), "F");
  // What is left of s + -1e38 does not, but for scores that are out of all reason.
  parse(zero + fill("-1.0e38") + "%m = arith.select %c, %zero, %fill : f32\n %y = arith.addf %s, %m : f32",
        "%y, %true");
  EXPECT_EQ(say({0, 3}, {4, 7}), "C");
  EXPECT_EQ(say({4, 7}, {0, 3}), "F");
  // A bias is no mask.
  parse(zero + fill("-1.0e3") + "%m = arith.select %c, %zero, %fill : f32\n %y = arith.addf %s, %m : f32",
        "%y, %true");
  EXPECT_EQ(say({4, 7}, {0, 3}), "");
  EXPECT_EQ(countOpen(), -1);
}

TEST_F(MaskTest, WithPadding) {
  parse(kCausal + "%k = arith.andi %c, %t : i1", "%s, %k");
  EXPECT_EQ(say({0, 3}, {4, 7}), "E");
  EXPECT_EQ(say({4, 7}, {0, 3}), "F");
  EXPECT_EQ(countOpen(), 1); // yields %t
  parse(kCausal + "%k = arith.ori %c, %t : i1", "%s, %k");
  EXPECT_EQ(say({0, 3}, {4, 7}), "");
  EXPECT_EQ(countOpen(), -1);
  parse("", "%s, %t");
  EXPECT_EQ(say({0, 3}, {4, 7}), "");
}

TEST_F(MaskTest, NarrowIntegersWrap) {
  parse("%i0 = arith.index_cast %i : index to i32\n %j0 = arith.index_cast %j : index to i32\n"
        "%big = arith.constant 2147483640 : i32\n %sum = arith.addi %i0, %big : i32\n"
        "%c = arith.cmpi sle, %j0, %sum : i32",
        "%s, %c");
  EXPECT_EQ(say({0, 7}, {0, 99}), "F");
  EXPECT_EQ(say({0, 8}, {0, 99}), "");
}

TEST_F(MaskTest, FloatsThatMayBeNaN) {
  parse("%c = arith.cmpf ult, %x, %x : f32\n %zero = arith.constant 0.0 : f32\n"
        "%d = arith.cmpf ole, %x, %zero : f32\n %k = arith.ori %c, %d : i1",
        "%s, %k");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, -1), "F");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, 1), "E");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, NAN), "");
}

TEST_F(MaskTest, AddedNumber) {
  const std::string added = kTrue + "%r = arith.addf %s, %x : f32";
  isXMask = true;
  parse(added, "%r, %true");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, 0), "F");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, -0.0), "F");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, 1), "");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, -1e9), "");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, -3.4e38), "C");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, -INFINITY), "EC");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, NAN), "");
  EXPECT_EQ(countOpen(), 2); // true, yield
  parse(kTrue + "%r = arith.addf %x, %s : f32", "%r, %true");
  EXPECT_EQ(countOpen(), 2);
  // Both have to be open: the number, and what a place allows.
  parse(kCausal + "%r = arith.addf %s, %x : f32", "%r, %c");
  EXPECT_EQ(say({8, 15}, {0, 8}, 0, 0), "F");
  EXPECT_EQ(say({8, 15}, {8, 9}, 0, 0), "");
  EXPECT_EQ(say({8, 15}, {0, 8}, 0, 1), "");
  EXPECT_EQ(countOpen(), 2);
  // What is done otherwise with it says nothing of 0.
  parse(kTrue + "%p = arith.mulf %s, %x : f32\n %r = arith.addf %p, %x : f32", "%r, %true");
  EXPECT_EQ(countOpen(), -1);
  isXMask = false; // a bias that is 0 by chance
  parse(added, "%r, %true");
  EXPECT_EQ(say({0, 0}, {0, 0}, 0, 0), "");
  EXPECT_EQ(countOpen(), -1);
}

TEST_F(MaskTest, NullsDoNotDependOnNumbers) {
  parse(kCausal + "%k = arith.andi %c, %t : i1", "%s, %k");
  SmallVector<Interval> intervals(kArguments);
  Region code;
  OpBuilder inside(&context);
  inside.setInsertionPointToStart(&code.emplaceBlock());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(inside, inside.getUnknownLoc(), inside.getIndexAttr(value));
  };
  intervals[I] = {index(0), index(0)};
  intervals[J] = {index(0), index(0)};
  TileVerdict verdict = buildTileVerdict(inside, inside.getUnknownLoc(), *block, intervals);
  EXPECT_TRUE(verdict.isEmpty && verdict.isFull);
  EXPECT_FALSE(verdict.isConstant);
}
