// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-compute-by-distance: what is looked up by the distance of two positions (the buckets of T5: Raffel et
// al., arXiv 1910.10683) is looked up once for each distance, not for each pair.
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;

namespace weft::graph {
#define GEN_PASS_DEF_COMPUTEBYDISTANCE
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

using namespace weft::graph;

/// Operations between positions and an index that are followed.
static constexpr size_t kMostOperations = 128;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

namespace {
/// Integers that are first + steps[0] * i + steps[1] * j + ... at [i, j, ...].
struct Places {
  Dim first;
  SmallVector<int64_t> steps;
};
} // namespace

static std::optional<Places> findPlaces(Value value, int most = 16);

static bool isOne(Dim dim) { return dim.getConstant() == 1; }

static bool isOneElement(Value value) { return llvm::all_of(*getDims(value), isOne); }

/// Steps along the same dims with others of 1 between them.
static std::optional<Places> findPlaces(ReshapeOp op, int most) {
  std::optional<Places> from = findPlaces(op.getInput(), most);
  if (!from)
    return std::nullopt;
  SmallVector<Dim> dims = *getDims(op.getInput());
  Places places{from->first, {}};
  size_t next = 0;
  auto skipOnes = [&] {
    while (next < dims.size() && isOne(dims[next]))
      ++next;
  };
  SmallVector<Dim> to = *getDims(op.getResult());
  for (Dim dim : to) {
    skipOnes();
    if (!isOne(dim) && (next == dims.size() || dims[next] != dim))
      return std::nullopt;
    places.steps.push_back(isOne(dim) ? 0 : from->steps[next++]);
  }
  skipOnes();
  return next == dims.size() ? std::optional(places) : std::nullopt;
}

/// What broadcasting makes of places: the same along dims that it adds or repeats along.
static void broadcast(Places &places, ArrayRef<Dim> from, size_t rank) {
  for (auto [dim, step] : llvm::zip_equal(from, places.steps))
    step = isOne(dim) ? 0 : step;
  places.steps.insert(places.steps.begin(), rank - from.size(), 0);
}

/// The sum, or the difference, of places.
static std::optional<Places> combinePlaces(Operation *op, int most) {
  Places sum;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<Places> places = findPlaces(operand, most);
    if (!places)
      return std::nullopt;
    broadcast(*places, *getDims(operand), getDims(op->getResult(0))->size());
    if (number == 0) {
      sum = *places;
      continue;
    }
    bool isSum = isa<AddOp>(op);
    sum.first = isSum ? sum.first + places->first : sum.first - places->first;
    for (auto [step, other] : llvm::zip_equal(sum.steps, places->steps))
      if (isSum ? llvm::AddOverflow(step, other, step) : llvm::SubOverflow(step, other, step))
        return std::nullopt;
  }
  return sum.first ? std::optional(sum) : std::nullopt;
}

static std::optional<Places> findPlaces(Value value, int most) {
  Operation *op = value.getDefiningOp();
  auto dims = getDims(value);
  if (!op || !dims || !isa<IntegerType>(getElementTypeOrSelf(value)) || most-- == 0)
    return std::nullopt;
  auto everywhere = [&](Dim number) {
    return std::optional(Places{number, SmallVector<int64_t>(dims->size())});
  };
  return llvm::TypeSwitch<Operation *, std::optional<Places>>(op)
      .Case([&](ConstantOp) -> std::optional<Places> {
        DenseIntElementsAttr known;
        if (!matchPattern(value, m_Constant(&known)) || !known.isSplat())
          return std::nullopt;
        return everywhere(Dim::constant(op->getContext(), known.getSplatValue<APInt>().getSExtValue()));
      })
      .Case([&](DimsOp dimsOp) {
        ArrayRef<DimAttr> values = dimsOp.getValues().getDims();
        return values.size() == 1 ? everywhere(Dim(values.front())) : std::nullopt;
      })
      .Case([&](RangeOp range) -> std::optional<Places> {
        if (!range.getFirst() || !range.getStep())
          return std::nullopt;
        return Places{Dim(*range.getFirst()), {static_cast<int64_t>(*range.getStep())}};
      })
      .Case([&](ReshapeOp reshape) { return findPlaces(reshape, most); })
      .Case([&](ExpandOp expand) {
        std::optional<Places> places = findPlaces(expand.getInput(), most);
        if (places)
          broadcast(*places, *getDims(expand.getInput()), dims->size());
        return places;
      })
      .Case([&](TransposeOp transpose) -> std::optional<Places> {
        std::optional<Places> from = findPlaces(transpose.getInput(), most);
        if (!from)
          return std::nullopt;
        Places places{from->first, {}};
        for (int64_t dim : transpose.getPermutation())
          places.steps.push_back(from->steps[dim]);
        return places;
      })
      .Case<AddOp, SubOp>([&](Operation *sum) { return combinePlaces(sum, most); })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

namespace {
/// Rebuilds what is computed of the distances of `rows` and `columns`, [..., rows, columns] with dims of 1
/// anywhere, as [distances], in the order of weft.toeplitz.
class ByDistance {
public:
  ByDistance(OpBuilder &builder, Dim rows, Dim columns) : builder(builder), rows(rows), columns(columns) {}

  /// The same as numbers for each distance, or the same one number of rank 0; null if it depends on more.
  Value find(Value value);

private:
  Value build(Value value);
  Value buildRange(Value value, const Places &places);
  Value buildElementwise(Operation *op);
  RankedTensorType typeOf(Type element, bool isOneNumber);

  OpBuilder &builder;
  Dim rows, columns;
  llvm::DenseMap<Value, Value> found;
};
} // namespace

RankedTensorType ByDistance::typeOf(Type element, bool isOneNumber) {
  Dim distances = ToeplitzOp::countDistances(rows, columns);
  return getTensorType(isOneNumber ? SmallVector<Dim>() : SmallVector<Dim>{distances}, element);
}

Value ByDistance::find(Value value) {
  if (auto it = found.find(value); it != found.end())
    return it->second;
  if (found.size() == kMostOperations || !isKnownType(value.getType()))
    return {};
  found[value] = {}; // so that the number limits the depth
  Value built = build(value);
  return found[value] = built;
}

/// Places that go up by as much along one dim as they go down along the other.
Value ByDistance::buildRange(Value value, const Places &places) {
  SmallVector<int64_t> steps;
  for (auto [dim, step] : llvm::zip_equal(*getDims(value), places.steps))
    if (!isOne(dim))
      steps.push_back(step);
  if (steps[1] == INT64_MIN || steps[0] != -steps[1] || steps[1] == 0)
    return {};
  Dim first = places.first - (rows - 1) * steps[1];
  if (!first)
    return {};
  Type type = typeOf(getElementTypeOrSelf(value), /*isOneNumber=*/false);
  return RangeOp::create(builder, value.getLoc(), type, Value(), Value(), Value(), first.getAttr(),
                         builder.getI64IntegerAttr(steps[1]));
}

static SmallVector<Dim> withoutLeadingOnes(Value value) {
  SmallVector<Dim> dims = *getDims(value);
  dims.erase(dims.begin(), llvm::find_if_not(dims, isOne));
  return dims;
}

Value ByDistance::buildElementwise(Operation *op) {
  IRMapping operands;
  bool isOneNumber = true;
  for (Value operand : op->getOperands()) {
    bool isOneToo = isOneElement(operand);
    if (!isOneToo && withoutLeadingOnes(operand) != withoutLeadingOnes(op->getResult(0)))
      return {};
    Value mapped = find(operand);
    if (!mapped)
      return {};
    isOneNumber &= getDims(mapped)->empty();
    operands.map(operand, mapped);
  }
  Operation *copy = builder.clone(*op, operands);
  copy->getResult(0).setType(typeOf(getElementTypeOrSelf(op->getResult(0)), isOneNumber));
  return copy->getResult(0);
}

Value ByDistance::build(Value value) {
  if (isOneElement(value))
    return makeReshape(builder, value.getLoc(), value, {});
  SmallVector<Dim> dims = *getDims(value);
  llvm::erase_if(dims, isOne);
  Operation *op = value.getDefiningOp();
  if (!op || dims != ArrayRef{rows, columns})
    return {};
  if (std::optional<Places> places = findPlaces(value))
    if (Value range = buildRange(value, *places))
      return range;
  if (DenseElementsAttr known; matchPattern(value, m_Constant(&known)) && known.isSplat()) {
    RankedTensorType type = typeOf(known.getElementType(), /*isOneNumber=*/true);
    return ConstantOp::create(builder, value.getLoc(), type, known.resizeSplat(type));
  }
  if (auto expand = dyn_cast<ExpandOp>(op)) {
    bool isAligned =
        isOneElement(expand.getInput()) || withoutLeadingOnes(expand.getInput()) == withoutLeadingOnes(value);
    return isAligned ? find(expand.getInput()) : Value();
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return find(reshape.getInput());
  return isElementwise(op) && op->getNumResults() == 1 ? buildElementwise(op) : Value();
}

/// gather(x, f(k - q)) => toeplitz(gather(x, f(distances))), with dims moved to and from where these are
/// last.
static Value computeByDistance(OpBuilder &builder, GatherOp op) {
  if (!llvm::all_of(op->getOperandTypes(), isKnownType) || !isKnownType(op.getType()))
    return {};
  SmallVector<Dim> indices = *getDims(op.getIndices()), data = *getDims(op.getData());
  llvm::erase_if(indices, isOne);
  if (indices.size() != 2)
    return {};
  ByDistance distances(builder, indices[0], indices[1]);
  Value index = distances.find(op.getIndices());
  if (!index || getDims(index)->empty())
    return {};
  Location location = op.getLoc();
  int64_t axis = op.getAxis(), rank = data.size();
  data[axis] = getDims(index)->front();
  Type element = getElementTypeOrSelf(op.getType());
  Value numbers =
      GatherOp::create(builder, location, getTensorType(data, element), op.getData(), index, axis);
  SmallVector<int64_t> there = llvm::to_vector(llvm::seq<int64_t>(0, rank)), back;
  there.erase(there.begin() + axis);
  there.push_back(axis);
  numbers = makeTranspose(builder, location, numbers, there);
  SmallVector<Dim> dims = *getDims(numbers);
  dims.pop_back();
  dims.append(indices);
  Value matrices = ToeplitzOp::create(builder, location, getTensorType(dims, element), numbers);
  llvm::append_range(back, llvm::seq<int64_t>(0, axis));
  back.append({rank - 1, rank});
  llvm::append_range(back, llvm::seq<int64_t>(axis, rank - 1));
  return makeReshape(builder, location, makeTranspose(builder, location, matrices, back),
                     *getDims(op.getResult()));
}

namespace {
struct ComputeByDistance : graph::impl::ComputeByDistanceBase<ComputeByDistance> {
  void runOnOperation() override {
    getOperation().walk([&](GatherOp op) {
      OpBuilder builder(op);
      if (Value result = computeByDistance(builder, op)) {
        op.replaceAllUsesWith(result);
        ++computed;
      }
    });
    for (Block &block : getOperation().getBody())
      eraseDead(block);
  }
};
} // namespace
