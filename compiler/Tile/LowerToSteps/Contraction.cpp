// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products as gemm steps.
#include "compiler/Tile/LowerToSteps/Captures.h"
#include "compiler/Tile/LowerToSteps/Families.h"
#include "compiler/Tile/LowerToSteps/GemmPlan.h"
#include "compiler/Tile/LowerToSteps/StridedView.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;

namespace {

/// A matmul as its kernel sees it.
struct Gemm : GemmDims {
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

namespace {

/// Writes the steps of one matmul.
class GemmSteps {
public:
  GemmSteps(MatmulOp op, StepBuilder &steps, Gemm gemm)
      : op(op), steps(steps), gemm(std::move(gemm)),
        element(getStoredElement(getElementTypeOrSelf(op.getType()))) {}

  /// The result's tensor; null where a step that adds parts makes it when it is asked for.
  Value lower();

private:
  Value addProduct(const GemmPlan &plan, Value output);
  Value addParts(const GemmPlan &plan, Value parts, Value output);
  SmallVector<Dim> partDims(const GemmPlan &plan) const;
  Type getPartElement();
  void appendCaptures(SmallVector<Value> &inputs);
  std::optional<StridedView> findWindows(size_t &rowDims);
  void cloneEpilogue(Region &to);

  MatmulOp op;
  StepBuilder &steps;
  Gemm gemm;
  Type element;
};

} // namespace

void GemmSteps::appendCaptures(SmallVector<Value> &inputs) {
  for (const Capture &capture : gemm.captures)
    inputs.push_back(steps.view(capture.tensor, capture.dims));
}

void GemmSteps::cloneEpilogue(Region &to) {
  IRMapping mapping;
  op.getEpilogue().cloneInto(&to, mapping);
  computeOnStored(to);
}

/// What sums are computed in.
Type GemmSteps::getPartElement() {
  OpBuilder &builder = steps.host();
  if (op.multipliesBytes())
    return builder.getI32Type();
  return element.isF64() ? element : Type(builder.getF32Type());
}

SmallVector<Dim> GemmSteps::partDims(const GemmPlan &plan) const {
  SmallVector<Dim> dims{plan.parts};
  llvm::append_range(dims, gemm.result);
  return dims;
}

/// The least numbers side by side that windows are multiplied by where they lie: sums wait in memory between
/// one such piece of the depth and the next.
static constexpr int64_t kLeastPiece = 64;

/// Windows (weft.windows) that are lhs's rows, if they can be multiplied where they lie: dims of the rows,
/// how many, and then of the depth, as few as can be.
std::optional<StridedView> GemmSteps::findWindows(size_t &rowDims) {
  auto reshape = op.getLhs().getDefiningOp<ReshapeOp>();
  auto windows = reshape ? reshape.getInput().getDefiningOp<WindowsOp>() : WindowsOp();
  if (steps.isForGPU || !windows || steps.hasTensor(op.getLhs()) || steps.hasTensor(windows) ||
      op.getGroups() || op.packedTogether() > 1 || op.hasInt4Weights())
    return std::nullopt;
  ArrayRef<Dim> batch = ArrayRef(gemm.result).drop_back(2), of = ArrayRef(gemm.rhs).drop_back(2);
  if (!provablyEqualShapes(ArrayRef(gemm.lhs).drop_back(2), batch) ||
      (op.getPackedColumns() ? !batch.empty() : !provablyEqualShapes(of, batch)))
    return std::nullopt;
  Dim rows = steps.product(batch) * gemm.rows();
  StridedView view = viewOf(steps, windows), merged{view.tensor, view.offset, {}, {}};
  rowDims = windows.getKernel().size() + 1;
  bool isOfRows = steps.product(ArrayRef(view.sizes).take_front(rowDims)) == rows &&
                  steps.product(ArrayRef(view.sizes).drop_front(rowDims)) == gemm.depth();
  Dim rest = Dim::mod(view.sizes.front(), steps.product(batch)); // of the images, each matrix has as many
  if (!isKnown(view) || !isOfRows || !rest || rest.getConstant() != 0)
    return std::nullopt;
  for (auto [i, size, stride] : llvm::enumerate(view.sizes, view.strides)) {
    if (i > rowDims && merged.strides.back() == stride * size) {
      merged.sizes.back() = merged.sizes.back() * size;
      merged.strides.back() = stride;
    } else {
      merged.sizes.push_back(size);
      merged.strides.push_back(stride);
    }
  }
  bool isLong = merged.sizes.back().getConstant().value_or(0) >= kLeastPiece;
  return isLong && merged.strides.back().getConstant() == 1 ? std::optional(merged) : std::nullopt;
}

/// The step that computes the product, or the sums of each part of the depth.
Value GemmSteps::addProduct(const GemmPlan &plan, Value output) {
  size_t rowDims = 0;
  std::optional<StridedView> windows = findWindows(rowDims);
  SmallVector<Value> inputs{windows ? windows->tensor : steps.view(steps.tensor(op.getLhs()), gemm.lhs),
                            steps.view(steps.tensor(op.getRhs()), gemm.rhs)};
  if (!plan.parts)
    appendCaptures(inputs);
  size_t tensorCount = inputs.size();
  DimInputs numbers(steps, inputs);
  if (windows)
    numbers.add(*windows);
  SmallVector<std::pair<StringRef, int64_t>> schedule{{"rows", plan.rows}, {"columns", plan.columns}};
  if (plan.hopperColumns)
    schedule.push_back({"hopper_columns", plan.hopperColumns});
  if (plan.hopperCluster)
    schedule.push_back({"hopper_cluster", plan.hopperCluster});
  auto kernel = steps.beginKernel("matmul", inputs, output, schedule);
  Value lhs = kernel.inputs[0];
  IntegerAttr rowDimsAttr;
  if (windows) {
    lhs = numbers.makeView(kernel, lhs, *windows);
    rowDimsAttr = kernel.body.getI64IntegerAttr(rowDims);
  }
  auto tile = GemmTileOp::create(kernel.body, op.getLoc(), lhs, kernel.inputs[1],
                                 /*experts=*/Value(), ArrayRef(kernel.inputs).slice(2, tensorCount - 2),
                                 kernel.output, bool(op.getPackedColumns()), op.getGroupsAttr(), op.getTf32(),
                                 /*parts=*/bool(plan.parts), rowDimsAttr);
  // Weights may be bf16 where all else is f32; those of groups are words.
  markElement(tile, getElementTypeOrSelf(op.getGroups() ? op.getLhs() : op.getRhs()));
  if (!plan.parts)
    cloneEpilogue(tile.getEpilogue());

  Dim tiles = steps.product(ArrayRef(gemm.result).drop_back(2)) * steps.tiles(gemm.rows(), plan.rows) *
              steps.tiles(gemm.columns(), plan.columns);
  Dim flops = steps.product(gemm.result) * gemm.depth() * 2 * plan.isTaken;
  return steps.endKernel(kernel, tiles * (plan.parts ? plan.parts : plan.isTaken), inputs, output,
                         {flops, {}});
}

/// The step that adds them.
Value GemmSteps::addParts(const GemmPlan &plan, Value parts, Value output) {
  SmallVector<Value> inputs{parts};
  appendCaptures(inputs);
  int64_t columns = steps.elementsOfTile();
  auto kernel = steps.beginKernel("add_parts", inputs, output, {{"rows", 1}, {"columns", columns}});
  auto tile = AddPartsTileOp::create(kernel.body, op.getLoc(), kernel.inputs.front(),
                                     ArrayRef(kernel.inputs).drop_front(), kernel.output);
  markElement(tile, getElementTypeOrSelf(op.getType()));
  cloneEpilogue(tile.getEpilogue());
  Dim rows = steps.product(ArrayRef(gemm.result).drop_back());
  return steps.endKernel(kernel, rows * steps.tiles(gemm.columns(), columns) * plan.isTaken, inputs, output);
}

Value GemmSteps::lower() {
  Value output;
  SmallVector<GemmPlan> divided;
  for (const GemmPlan &plan : planGemm(op, steps, gemm)) {
    if (plan.parts) {
      divided.push_back(plan);
      continue;
    }
    bool isAlternative = bool(output);
    output = addProduct(plan, output ? output : steps.empty(gemm.result, element));
    if (isAlternative)
      output.getDefiningOp()->setAttr(names::kAlternative, UnitAttr::get(op.getContext()));
  }
  if (divided.empty())
    return steps.view(output, getDims(op.getType()));
  SmallVector<Value> parts;
  for (const GemmPlan &plan : divided)
    parts.push_back(addProduct(plan, steps.empty(partDims(plan), getPartElement())));
  // Products that are beside each other come before what adds the parts of any of them.
  steps.defer(op.getResult(), [self = *this, divided, parts, output]() mutable {
    if (!output)
      output = self.steps.empty(self.gemm.result, self.element);
    for (auto [plan, sums] : llvm::zip_equal(divided, parts))
      output = self.addParts(plan, sums, output);
    return self.steps.view(output, getDims(self.op.getType()));
  });
  return {};
}

FailureOr<Value> MatmulLowering::lowerToSteps(Operation *operation, StepBuilder &steps) const {
  auto op = cast<MatmulOp>(operation);
  Gemm gemm{{*getDims(op.getLhs()), *getDims(op.getRhs()), getDims(op.getType())}, {}};
  if (failed(requireForm(op, gemm.lhs.size() >= 2 && gemm.rhs.size() >= 2, "operands of rank 2 or more")))
    return failure();
  gemm.captures = spreadCaptures(steps, op.getCaptures(), gemm.result);
  mergeBatchIntoRows(gemm, op.getPackedColumns() || gemm.rhs.size() == 2, steps);
  return GemmSteps(op, steps, std::move(gemm)).lower();
}

void weft::attachContractionLowering(MLIRContext *context) {
  MatmulOp::attachInterface<MatmulLowering>(*context);
}
