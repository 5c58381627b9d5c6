// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Score regions, verdicts on their tiles, and what they do in every cell of these.
#ifndef WEFT_TEST_COMPILER_TARGET_CPU_SCOREVERDICTFIXTURE_H
#define WEFT_TEST_COMPILER_TARGET_CPU_SCOREVERDICTFIXTURE_H

#include "compiler/Target/CPU/Emit/ScoreVerdict.h"
#include "dialects/Weft/Evaluate/ScalarRegion.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

namespace weft::cpu {

using namespace mlir;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A score region: its arguments are the score, b, h, i, j; captures of n (i64), x (f32), which are scalars
/// at hand, and of t and u (i1), which differ from cell to cell.
enum Argument { Score, B, H, I, J, N, X, T, U, kArguments };

/// A cell is tried with each score and each truth of t and u.
constexpr double kScores[] = {0.75, 0x1p63};
constexpr int64_t kTrials = 4 * std::size(kScores);

struct Scalars {
  int64_t b, n;
  double x;
};

/// Positions from the low to the high ones, of h, i and j.
struct Tile {
  int64_t low[3], high[3];

  bool isCell() const { return std::equal(low, low + 3, high); }
  /// Halves along each dim.
  std::vector<Tile> split() const {
    std::vector<Tile> tiles{*this};
    for (int d = 0; d < 3; ++d)
      for (size_t k = 0, count = tiles.size(); k < count && low[d] < high[d]; ++k) {
        int64_t middle = (low[d] + high[d]) / 2;
        tiles.push_back(tiles[k]);
        tiles[k].high[d] = middle;
        tiles.back().low[d] = middle + 1;
      }
    return tiles;
  }
};

struct Verdict {
  bool isEmpty, isFull, isConstant;
  double constant;
};

struct ScoreVerdictTest : ::testing::Test {
  ScoreVerdictTest() : builder(&context) {
    context.allowUnregisteredDialects();
    context.loadDialect<WeftDialect, arith::ArithDialect, math::MathDialect>();
    start();
  }

  void start() {
    OperationState state(builder.getUnknownLoc(), "test.score");
    state.addRegion();
    owner = Operation::create(state);
    region = &owner->getRegion(0);
    block = &region->emplaceBlock();
    Type index = builder.getIndexType(), f32 = builder.getF32Type(), i1 = builder.getI1Type();
    for (Type type : {f32, index, index, index, index, Type(builder.getI64Type()), f32, i1, i1})
      block->addArgument(type, builder.getUnknownLoc());
    builder.setInsertionPointToEnd(block);
  }
  void yield(Value score, Value keep) {
    YieldOp::create(builder, builder.getUnknownLoc(), ValueRange{score, keep});
  }

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(builder, builder.getUnknownLoc(), std::forward<Args>(args)...);
  }
  Value argument(Argument which) { return block->getArgument(which); }
  Value integer(int64_t value, Type type) {
    return make<arith::ConstantOp>(builder.getIntegerAttr(type, value));
  }
  Value number(double value) { return make<arith::ConstantOp>(builder.getF32FloatAttr(value)); }
  Value truth(bool value) { return make<arith::ConstantOp>(builder.getBoolAttr(value)); }
  Value notOf(Value value) { return make<arith::XOrIOp>(value, truth(true)); }
  Value select(Value condition, Value yes, Value no) { return make<arith::SelectOp>(condition, yes, no); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return make<arith::CmpIOp>(predicate, a, b);
  }

  std::string describe() {
    std::string text;
    llvm::raw_string_ostream(text) << *owner.get();
    return text;
  }

  // What is tested, and what it should be.
  std::vector<Verdict> judge(ArrayRef<Tile> tiles, const Scalars &scalars);
  Verdict judge(const Tile &tile, const Scalars &scalars) { return judge(ArrayRef(tile), scalars)[0]; }
  /// What is said of a tile, and what once it is split into cells.
  std::pair<Verdict, Verdict> refine(const Tile &tile, const Scalars &scalars);
  /// What `region` yields in each cell with each score and truth of t and u.
  SmallVector<Tensor> evaluate(Region &region, const Tile &tile, const Scalars &scalars);
  Verdict search(const Tile &tile, const Scalars &scalars, ArrayRef<std::pair<Value, bool>> masks);
  /// All but the score, t and u, of which only matters here that they are known.
  SmallVector<Interval> knownArguments();
  /// Whether the region with its masks open is the same on the tile.
  bool isSameOpen(const Tile &tile, const Scalars &scalars);

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<Operation *> owner;
  Region *region;
  Block *block;
  bool isXMask = false; ///< whether x is to be added to scores
};

inline SmallVector<Interval> ScoreVerdictTest::knownArguments() {
  SmallVector<Interval> known(kArguments);
  for (Argument which : {B, H, I, J, N, X})
    known[which] = {argument(which), argument(which), which == X && isXMask};
  return known;
}

inline std::vector<Verdict> ScoreVerdictTest::judge(ArrayRef<Tile> tiles, const Scalars &scalars) {
  Region code;
  Block &body = code.emplaceBlock();
  Location location = builder.getUnknownLoc();
  Shape shape{int64_t(tiles.size())};
  std::vector<Tensor> values;
  auto addArgument = [&](Type type, auto valueOf) {
    Tensor tensor = Tensor::zeros(type, shape);
    for (size_t k = 0; k < tiles.size(); ++k)
      tensor.setFloat(k, valueOf(tiles[k]));
    values.push_back(tensor);
    return body.addArgument(type, location);
  };
  SmallVector<Interval> intervals(kArguments);
  auto setScalar = [&](Argument which, double value) {
    Value scalar = addArgument(argument(which).getType(), [&](const Tile &) { return value; });
    intervals[which] = {scalar, scalar, which == X && isXMask};
  };
  setScalar(B, scalars.b);
  setScalar(N, scalars.n);
  setScalar(X, scalars.x);
  for (int d = 0; d < 3; ++d)
    intervals[H + d] = {addArgument(builder.getIndexType(), [&](const Tile &tile) { return tile.low[d]; }),
                        addArgument(builder.getIndexType(), [&](const Tile &tile) { return tile.high[d]; })};
  OpBuilder inside(&context);
  inside.setInsertionPointToStart(&body);
  TileVerdict verdict = buildTileVerdict(inside, location, *block, intervals);
  Value no = arith::ConstantOp::create(inside, location, inside.getBoolAttr(false));
  SmallVector<Value> results{verdict.isEmpty, verdict.isFull, verdict.isConstant};
  for (Value &result : results)
    result = result ? result : no;
  results.push_back(verdict.constant ? verdict.constant : no);
  YieldOp::create(inside, location, results);
  FailureOr<SmallVector<Tensor>> yielded = evaluateScalarRegion(code, shape, values);
  std::vector<Verdict> verdicts;
  for (int64_t k = 0; k < shape[0] && succeeded(yielded); ++k) {
    auto get = [&](int which) { return (*yielded)[which].getInteger(k) != 0; };
    verdicts.push_back({get(0), get(1), get(2), (*yielded)[3].getFloat(k)});
  }
  EXPECT_TRUE(succeeded(yielded));
  return verdicts;
}

inline std::pair<Verdict, Verdict> ScoreVerdictTest::refine(const Tile &tile, const Scalars &scalars) {
  std::vector<Tile> tiles{tile};
  std::vector<std::vector<size_t>> parts;
  for (size_t k = 0; k < tiles.size(); ++k) {
    parts.emplace_back();
    if (!tiles[k].isCell())
      for (const Tile &part : tiles[k].split()) {
        parts[k].push_back(tiles.size());
        tiles.push_back(part);
      }
  }
  std::vector<Verdict> verdicts = judge(tiles, scalars);
  Verdict atOnce = verdicts[0];
  for (size_t k = tiles.size(); k-- > 0;) {
    if (parts[k].empty())
      continue;
    Verdict &whole = verdicts[k], united{true, true, true, NAN};
    for (size_t part : parts[k]) {
      const Verdict &of = verdicts[part];
      united.isEmpty &= of.isEmpty;
      united.isFull &= of.isFull;
      if (of.isEmpty)
        continue;
      united.isConstant &= of.isConstant && (std::isnan(united.constant) || united.constant == of.constant);
      united.constant = of.constant;
    }
    EXPECT_TRUE(united.isEmpty || !whole.isEmpty);
    EXPECT_TRUE(united.isFull || !whole.isFull);
    whole = united;
  }
  return {atOnce, verdicts[0]};
}

inline SmallVector<Tensor> ScoreVerdictTest::evaluate(Region &region, const Tile &tile,
                                                      const Scalars &scalars) {
  SmallVector<SmallVector<double>> columns(kArguments);
  for (int64_t h = tile.low[0]; h <= tile.high[0]; ++h)
    for (int64_t i = tile.low[1]; i <= tile.high[1]; ++i)
      for (int64_t j = tile.low[2]; j <= tile.high[2]; ++j)
        for (double s : kScores)
          for (int bits = 0; bits < 4; ++bits) {
            double values[] = {s,         double(scalars.b), double(h),
                               double(i), double(j),         double(scalars.n),
                               scalars.x, double(bits % 2),  double(bits / 2)};
            for (auto [column, value] : llvm::zip(columns, values))
              column.push_back(value);
          }
  Shape shape{int64_t(columns[0].size())};
  SmallVector<Tensor> arguments;
  for (auto [column, argument] : llvm::zip(columns, region.getArguments()))
    arguments.push_back(Tensor::fromFloats(argument.getType(), shape, column));
  auto results = evaluateScalarRegion(region, shape, arguments);
  EXPECT_TRUE(succeeded(results));
  return succeeded(results) ? *results : SmallVector<Tensor>();
}

inline Verdict ScoreVerdictTest::search(const Tile &tile, const Scalars &scalars,
                                        ArrayRef<std::pair<Value, bool>> masks) {
  Region clone;
  IRMapping map;
  region->cloneInto(&clone, map);
  SmallVector<Value> results(clone.front().back().getOperands());
  for (auto [mask, open] : masks)
    results.push_back(map.lookup(mask));
  clone.front().back().setOperands(results);
  SmallVector<Tensor> yielded = evaluate(clone, tile, scalars);
  Verdict verdict{true, !masks.empty(), true, NAN};
  for (int64_t cell = 0; cell < yielded[0].getNumElements(); cell += kTrials) {
    bool isEmpty = true, isConstant = true;
    double constant = verdict.constant;
    for (int64_t k = cell; k < cell + kTrials; ++k) {
      for (auto [number, mask] : llvm::enumerate(masks))
        verdict.isFull &= (yielded[2 + number].getInteger(k) != 0) == mask.second;
      if (!yielded[1].getInteger(k))
        continue;
      double score = yielded[0].getFloat(k);
      isEmpty &= score == -kInfinity || std::isnan(score); // which -inf and NaN make
      isConstant &= std::isnan(constant) || score == constant;
      constant = score;
    }
    if (isEmpty)
      continue;
    verdict = {false, verdict.isFull, verdict.isConstant && isConstant, constant};
  }
  return verdict;
}

inline bool ScoreVerdictTest::isSameOpen(const Tile &tile, const Scalars &scalars) {
  Region open;
  IRMapping map;
  region->cloneInto(&open, map);
  if (!openMasks(open, knownArguments()))
    return false;
  SmallVector<Tensor> before = evaluate(*region, tile, scalars), after = evaluate(open, tile, scalars);
  auto isSame = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (int64_t k = 0; k < before[0].getNumElements(); ++k)
    if (before[1].getInteger(k) != after[1].getInteger(k) ||
        (before[1].getInteger(k) && !isSame(before[0].getFloat(k), after[0].getFloat(k))))
      return false;
  return true;
}

} // namespace weft::cpu

#endif // WEFT_TEST_COMPILER_TARGET_CPU_SCOREVERDICTFIXTURE_H
