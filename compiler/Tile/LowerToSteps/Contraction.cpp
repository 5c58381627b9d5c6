// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products as gemm steps.
#include "compiler/Tile/LowerToSteps/Captures.h"
#include "compiler/Tile/LowerToSteps/Families.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;

namespace {

/// A matmul as its kernel sees it: batches of M x K times K x N.
struct Gemm {
  SmallVector<Dim> lhs, rhs, result; ///< dims of the views
  SmallVector<Capture> captures;
};

struct MatmulLowering : StepLoweringInterface::ExternalModel<MatmulLowering, MatmulOp> {
  FailureOr<Value> lowerToSteps(Operation *op, StepBuilder &steps) const;
};

} // namespace

static SmallVector<Dim> withoutLeadingOnes(ArrayRef<Dim> dims) {
  while (!dims.empty() && dims.front().getConstant() == 1)
    dims = dims.drop_front();
  return SmallVector<Dim>(dims);
}

/// Gives an epilogue's arguments and its result the types that they have in memory.
static void computeOnStored(Region &epilogue) {
  if (epilogue.empty())
    return;
  readStored(epilogue);
  Operation *yield = epilogue.front().getTerminator();
  OpBuilder builder(yield);
  yield->setOperand(0, toStored(builder, yield->getLoc(), yield->getOperand(0)));
}

/// Merges the batch into the rows where rhs is one matrix and every capture is a row, or has all of the rows.
static void mergeBatchIntoRows(Gemm &gemm, bool rhsIsMatrix, StepBuilder &steps) {
  size_t rank = gemm.result.size();
  if (!rhsIsMatrix || rank <= 2 || gemm.lhs.size() != rank)
    return;
  for (const Capture &capture : gemm.captures)
    if (withoutLeadingOnes(capture.dims).size() > 1 &&
        !provablyEqualShapes(ArrayRef(capture.dims).drop_back(), ArrayRef(gemm.result).drop_back()))
      return;
  Dim rows = steps.product(ArrayRef(gemm.result).drop_back());
  for (Capture &capture : gemm.captures) {
    SmallVector<Dim> row = withoutLeadingOnes(capture.dims);
    capture.dims = row.size() <= 1 ? row : SmallVector<Dim>{rows, capture.dims.back()};
  }
  gemm.lhs = {rows, gemm.lhs.back()};
  gemm.result = {rows, gemm.result.back()};
}

/// Rows of a tile: fewer would read a panel of rhs from the second-level cache for less work, more would
/// leave nothing for other threads. On a Xeon 128 rows of f32 are up to 10 % faster than 16 to 80; of bytes
/// 48 to 64 are 3 % faster than 128, since the epilogue, which is a greater part, finds more of the sums in
/// cache; and 64 are whole registers of AMX. Of bytes with 4 bits 128 share what a panel is unpacked to.
static int64_t chooseGemmRows(StepBuilder &steps, MatmulOp op, Type element) {
  int64_t rows = getElementBytes(element) > 4 ? 64 : 128;
  return steps.scheduled("rows", op.packedTogether() > 1 ? 64 : rows);
}

namespace {
/// A step that takes all rows where there are as many as it is for, and otherwise none.
struct GemmPlan {
  int64_t rows, columns; ///< of a tile
  Dim isTaken;           ///< 0 or 1
};
} // namespace

/// One step; or on a GPU, where the number of rows is known at run time only, one for few and one for many.
/// Tensor cores want more rows and columns for what is brought to them. Of few rows rhs is all that counts,
/// and blocks of few columns read it side by side.
static SmallVector<GemmPlan> planGemm(MatmulOp op, StepBuilder &steps, const Gemm &gemm, Type element) {
  Dim one = steps.constant(1), rows = gemm.result[gemm.result.size() - 2];
  if (!steps.isForGPU)
    return {{chooseGemmRows(steps, op, element), MatmulOp::kPanelColumns, one}};
  constexpr int64_t kMostFewRows = 8, kColumnsOfFewRows = 32;
  bool usesTensorCores =
      op.multipliesBytes() || op.getTf32() || getElementBytes(getElementTypeOrSelf(op.getLhs())) == 2;
  int64_t side = usesTensorCores ? 128 : 64;
  GemmPlan few{kMostFewRows, kColumnsOfFewRows, one}, many{side, side, one};
  bool isKnown = rows.isConstant(), areFew = isKnown && *rows.getConstant() <= kMostFewRows;
  if (areFew)
    few.rows = std::max<int64_t>(*rows.getConstant(), 1);
  GemmPlan &chosen = areFew ? few : many;
  chosen.rows = steps.scheduled("rows", chosen.rows);
  chosen.columns = steps.scheduled("columns", chosen.columns);
  if (isKnown || (gemm.rhs.size() != 2 && !op.getPackedColumns()))
    return {chosen};
  many.isTaken = Dim::min(one, Dim::floorDiv(rows, steps.constant(kMostFewRows + 1)));
  few.isTaken = one - many.isTaken;
  return {many, few};
}

static Value addGemmStep(MatmulOp op, StepBuilder &steps, const Gemm &gemm, const GemmPlan &plan,
                         ArrayRef<Value> inputs, Value output) {
  auto kernel = steps.beginKernel("matmul", inputs, output, {{"rows", plan.rows}, {"columns", plan.columns}});
  bool packed = bool(op.getPackedColumns());
  auto tile = GemmTileOp::create(kernel.body, op.getLoc(), kernel.inputs[0], kernel.inputs[1],
                                 ArrayRef(kernel.inputs).drop_front(2), kernel.output, packed,
                                 op.getGroupsAttr(), op.getTf32());
  // Weights may be bf16 where all else is f32; those of groups are words.
  markElement(tile, getElementTypeOrSelf(op.getGroups() ? op.getLhs() : op.getRhs()));
  IRMapping mapping;
  op.getEpilogue().cloneInto(&tile.getEpilogue(), mapping);
  computeOnStored(tile.getEpilogue());

  ArrayRef<Dim> result = gemm.result;
  Dim rowBlocks = steps.tiles(result[result.size() - 2], plan.rows);
  Dim panels = steps.tiles(result.back(), plan.columns);
  Dim grid = steps.product(result.drop_back(2)) * panels * rowBlocks * plan.isTaken;
  Dim flops = steps.product(result) * gemm.lhs.back() * 2 * plan.isTaken;
  return steps.endKernel(kernel, grid, inputs, output, {flops, {}});
}

FailureOr<Value> MatmulLowering::lowerToSteps(Operation *operation, StepBuilder &steps) const {
  auto op = cast<MatmulOp>(operation);
  auto type = cast<RankedTensorType>(op.getType());
  Gemm gemm{*getDims(op.getLhs()), *getDims(op.getRhs()), getDims(type), {}};
  Type element = getStoredElement(type.getElementType());
  if (failed(requireReadable(op, op.getCaptures(), "an epilogue")) ||
      failed(requireForm(op, gemm.lhs.size() >= 2 && gemm.rhs.size() >= 2, "operands of rank 2 or more")))
    return failure();
  gemm.captures = spreadCaptures(steps, op.getCaptures(), gemm.result);
  bool packed = bool(op.getPackedColumns());
  mergeBatchIntoRows(gemm, packed || gemm.rhs.size() == 2, steps);

  SmallVector<Value> inputs{steps.view(steps.tensor(op.getLhs()), gemm.lhs),
                            steps.view(steps.tensor(op.getRhs()), gemm.rhs)};
  for (const Capture &capture : gemm.captures)
    inputs.push_back(steps.view(capture.tensor, capture.dims));
  Value output = steps.empty(gemm.result, element);
  for (const auto &[i, plan] : llvm::enumerate(planGemm(op, steps, gemm, element))) {
    output = addGemmStep(op, steps, gemm, plan, inputs, output);
    if (i > 0)
      output.getDefiningOp()->setAttr(names::kAlternative, UnitAttr::get(op.getContext()));
  }
  return steps.view(output, getDims(type));
}

void weft::attachContractionLowering(MLIRContext *context) {
  MatmulOp::attachInterface<MatmulLowering>(*context);
}
