// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of a matrix product. On a GPU they follow from how many blocks of threads work at once; what the
// constants come from is in docs/adr/0023-parts-of-the-depth.md.
#include "compiler/Tile/LowerToSteps/GemmPlan.h"
#include "compiler/Tile/ScheduleTable.h"
#include "dialects/Weft/IR/PackedWeights.h"

using namespace mlir;
using namespace weft;

/// Rows of a tile: fewer would read a panel of rhs from the second-level cache for less work, more would
/// leave nothing for other threads. On a Xeon 128 rows of f32 are up to 10 % faster than 16 to 80, and of
/// bf16 by AMX, which are done with a panel sooner, 19 % faster than 64. Of bytes 48 to 64 are 3 % faster
/// than 128, since the epilogue, which is a greater part, finds more of the sums in cache; by AMX they are as
/// fast. Of bytes with 4 bits 128 share what a panel is unpacked to. With AVX2, on a Zen 3 core, 96 leave
/// more of the second-level cache to panels and are up to 3 % faster than 128.
static GemmPlan planForCPU(MatmulOp op, StepBuilder &steps) {
  Type element = getStoredElement(getElementTypeOrSelf(op.getType()));
  bool isNarrow = op.getPackedColumns() && op.getPackedForm().width == MatmulOp::kNarrowPanelColumns;
  int64_t rows = element.getIntOrFloatBitWidth() > 32 || op.hasQuads() ? 64 : isNarrow ? 96 : 128;
  if (int64_t measured = findSchedule(op, [](int64_t) { return true; }).rows)
    rows = measured;
  // Of narrow panels several are read at once for few rows.
  constexpr int64_t kNarrowPanels = 4;
  int64_t columns = isNarrow ? kNarrowPanels * MatmulOp::kNarrowPanelColumns : MatmulOp::kPanelColumns;
  return {steps.scheduled("rows", rows), columns, steps.constant(1)};
}

namespace {

/// What kernels for GPUs have.
constexpr int64_t kLeastColumnsOfFewRows = 8, kMostColumnsOfFewRows = 32;
/// What is read from memory at least.
constexpr int64_t kSectorBytes = 32;
/// Processors of an H100; of others with tensor cores and memory as fast there are 108 and more.
constexpr int64_t kProcessors = 132;
/// So few tiles leave more processors without work than smaller tiles lose by reading more.
constexpr int64_t kTooFewTiles = kProcessors * 2 / 5;

/// Plans for the numbers of rows that a product may have.
class GPUPlanner {
public:
  GPUPlanner(MatmulOp op, StepBuilder &steps, const GemmDims &dims)
      : op(op), steps(steps), dims(dims), one(steps.constant(1)),
        bits(getElementTypeOrSelf(op.getLhs()).getIntOrFloatBitWidth()),
        usesTensorCores(op.multipliesBytes() || op.getTf32() || bits == 16) {}

  SmallVector<GemmPlan> plan();

private:
  /// Threads' own sums of 64 bits are half as many.
  int64_t side() const { return bits <= 32 ? 128 : kSmallSide; }
  /// What of the depth pays for a step that adds parts: tensor cores are done with it sooner.
  int64_t leastDepth() const { return usesTensorCores ? 256 : 128; }
  /// 1 where a number is greater than another, or is not; otherwise 0. Formulas of one term: they are
  /// multiplied.
  Dim isGreater(Dim number, int64_t other) const {
    return Dim::min(one, Dim::floorDiv(number, steps.constant(other + 1)));
  }
  Dim isAtMost(Dim number, int64_t other) const {
    return Dim::min(one, Dim::floorDiv(steps.constant(other), Dim::max(number, one)));
  }
  Dim countTiles(int64_t rows, int64_t columns) const {
    Dim batches = steps.product(ArrayRef(dims.result).drop_back(2));
    return batches * steps.tiles(dims.rows(), rows) * steps.tiles(dims.columns(), columns);
  }
  int64_t countTilesOf(int64_t rows) const;
  void applySchedule(GemmPlan &plan, llvm::function_ref<bool(int64_t ofRows)> takes);
  bool canDivide();
  bool mayHaveSmall();
  int64_t columnsOfFewRows();
  Dim divideDepth() const;

  static constexpr int64_t kSmallSide = 64; ///< of the tiles where there are few

  MatmulOp op;
  StepBuilder &steps;
  const GemmDims &dims;
  const Dim one;
  const int64_t bits; ///< of an element of lhs
  const bool usesTensorCores;
};

} // namespace

/// Of few rows rhs is all that counts, and blocks of few columns read it side by side: the fewer columns, the
/// more blocks, as far as a row of them is all of what memory is read by.
int64_t GPUPlanner::columnsOfFewRows() {
  std::optional<int64_t> all = dims.columns().getConstant();
  bool areWords = op.getGroups() || op.multipliesBytes();
  int64_t bytes =
      areWords ? 4 : llvm::divideCeil(getElementTypeOrSelf(op.getRhs()).getIntOrFloatBitWidth(), 8);
  int64_t columns = kMostColumnsOfFewRows;
  int64_t least = std::max(kSectorBytes / bytes, kLeastColumnsOfFewRows);
  while (all && columns > least && llvm::divideCeil(*all, columns) < kProcessors)
    columns /= 2;
  return columns;
}

/// Whether there may be too few tiles, and another step would do something about it. Columns alone may be
/// enough.
bool GPUPlanner::mayHaveSmall() {
  std::optional<int64_t> columns = dims.columns().getConstant();
  bool isWide = columns && llvm::divideCeil(*columns, side()) > kTooFewTiles;
  return !op->hasAttr("weft.schedule") && !isWide && (side() > kSmallSide || canDivide());
}

/// Sums of parts are of the type that they are computed in.
bool GPUPlanner::canDivide() {
  Type element = getElementTypeOrSelf(op.getLhs());
  std::optional<int64_t> depth = dims.depth().getConstant();
  return depth && *depth >= 4 * leastDepth() && (isa<FloatType>(element) || op.multipliesBytes());
}

/// So many parts that every processor has one, if they are deep enough then.
Dim GPUPlanner::divideDepth() const {
  // A tile for sm_90a has twice as many rows as others.
  Dim tiles = Dim::max(countTiles(2 * kSmallSide, kSmallSide), one);
  Dim most = steps.constant(*dims.depth().getConstant() / leastDepth());
  return Dim::max(one, Dim::min(most, Dim::floorDiv(steps.constant(kProcessors), tiles)));
}

/// Tiles of a plan for many of so many rows, where there is one matrix of columns.
int64_t GPUPlanner::countTilesOf(int64_t rows) const {
  return llvm::divideCeil(rows, side()) * llvm::divideCeil(dims.columns().getConstant().value_or(1), side());
}

/// What a table has for a number of rows that the plan takes, in place of what follows from counts.
void GPUPlanner::applySchedule(GemmPlan &plan, llvm::function_ref<bool(int64_t ofRows)> takes) {
  Schedule measured = findSchedule(op, takes);
  auto apply = [](int64_t size, int64_t &of) { of = size ? size : of; };
  apply(measured.rows, plan.rows);
  apply(measured.columns, plan.columns);
  apply(measured.hopperColumns, plan.hopperColumns);
  apply(measured.hopperCluster, plan.hopperCluster);
  if (measured.parts)
    plan.parts = measured.parts > 1 ? plan.isTaken * measured.parts : Dim();
}

SmallVector<GemmPlan> GPUPlanner::plan() {
  Dim rows = dims.rows();
  std::optional<int64_t> known = rows.getConstant();
  bool mayBeFew = known || dims.rhs.size() == 2 || op.getPackedColumns();
  GemmPlan few{kMostFewRows, columnsOfFewRows(), mayBeFew ? isAtMost(rows, kMostFewRows) : steps.constant(0)};
  Dim areOthers = mayBeFew ? isGreater(rows, kMostFewRows) : one;
  if (known && *known <= kMostFewRows)
    few = {std::max<int64_t>(*known, 1), steps.scheduled("columns", few.columns), few.isTaken};

  GemmPlan large{steps.scheduled("rows", side()), steps.scheduled("columns", side()), areOthers};
  GemmPlan small{kSmallSide, kSmallSide, areOthers};
  bool hasSmall = mayHaveSmall();
  if (Dim tiles = countTiles(side(), side()); hasSmall) {
    large.isTaken = areOthers * isGreater(tiles, kTooFewTiles);
    small.isTaken = areOthers * isAtMost(tiles, kTooFewTiles);
  } else {
    small.isTaken = steps.constant(0);
  }
  if (int64_t parts = steps.scheduled("parts", 1); parts > 1)
    large.parts = large.isTaken * parts;
  if (canDivide())
    small.parts = divideDepth() * small.isTaken;

  auto isFew = [](int64_t ofRows) { return ofRows > 0 && ofRows <= kMostFewRows; };
  auto isSmall = [&](int64_t ofRows) { return hasSmall && countTilesOf(ofRows) <= kTooFewTiles; };
  applySchedule(few, isFew);
  applySchedule(small, [&](int64_t ofRows) { return !isFew(ofRows) && (ofRows == 0 || isSmall(ofRows)); });
  applySchedule(large, [&](int64_t ofRows) { return !isFew(ofRows) && (ofRows == 0 || !isSmall(ofRows)); });

  SmallVector<GemmPlan> plans{large, small, few};
  llvm::erase_if(plans, [](const GemmPlan &plan) { return plan.isTaken.getConstant() == 0; });
  return plans;
}

SmallVector<GemmPlan> weft::planGemm(MatmulOp op, StepBuilder &steps, const GemmDims &dims) {
  if (!steps.isForGPU)
    return {planForCPU(op, steps)};
  return GPUPlanner(op, steps, dims).plan();
}
