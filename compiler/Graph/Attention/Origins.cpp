// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves are run on the places of elements instead of their numbers.
#include "compiler/Graph/Attention/Origins.h"
#include "compiler/Graph/ConstantMatch.h"
#include "dialects/Weft/Evaluate/Evaluate.h"
#include "dialects/Weft/Evaluate/IndexAlgebra.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

/// Larger tensors are not followed: origins take 4 bytes an element.
static constexpr int64_t kMaxElements = int64_t(1) << 27;

ArrayRef<int64_t> weft::graph::shapeOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.empty() || !ShapedType::isDynamic(shape.front()))
    return shape;
  Shape one(shape);
  one.front() = 1;
  return RankedTensorType::get(one, type.getElementType()).getShape(); // which lives as long as its type
}

/// Whether a shape is known, but for the first dim.
static bool hasKnownShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && (type.getRank() == 0 || !ShapedType::isDynamicShape(type.getShape().drop_front())) &&
         countElements(shapeOf(value)) <= kMaxElements;
}

static bool hasKnownBatch(Value value) { return cast<RankedTensorType>(value.getType()).hasStaticShape(); }

bool weft::graph::isComputedFromConstants(Value value) {
  constexpr size_t kMaxOperations = 64;
  llvm::SmallSetVector<Operation *, 8> pending;
  auto add = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (!op || op->getNumResults() != 1 || op->getNumRegions() > 0 || !isa<EvaluateInterface>(op) ||
        !hasKnownShape(operand) || (!hasKnownBatch(operand) && getMoved(op).empty()))
      return false;
    pending.insert(op);
    return pending.size() <= kMaxOperations;
  };
  bool isComputed = add(value);
  for (size_t i = 0; isComputed && i < pending.size(); ++i)
    isComputed = llvm::all_of(pending[i]->getOperands(), add);
  return isComputed;
}

/// What is computed from constants; null if it cannot be.
static Tensor evaluateConstant(Value value, DenseMap<Value, Tensor> &known) {
  if (Tensor found = known.lookup(value))
    return found;
  SmallVector<Tensor> operands;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands()) {
    operands.push_back(evaluateConstant(operand, known));
    if (!operands.back())
      return {};
  }
  // What it says is of no interest; what other threads say is.
  ScopedDiagnosticHandler quiet(op->getContext(), [thread = llvm::get_threadid()](Diagnostic &) {
    return success(thread == llvm::get_threadid());
  });
  EvaluateContext context;
  FailureOr<SmallVector<Tensor>> results = evaluateOperation(op, operands, context);
  return succeeded(results) ? known[value] = std::move(results->front()) : Tensor();
}

static Tensor evaluateConstant(Value value) {
  DenseMap<Value, Tensor> known;
  return evaluateConstant(value, known);
}

/// The numbers of a constant; of bools 0 and 1. What moves do to it costs little.
static std::optional<std::vector<int64_t>> readTable(Value value) {
  std::vector<int64_t> numbers;
  if (!getMoved(value.getDefiningOp()).empty()) {
    OriginFinder finder(Value{});
    auto origins = finder.find(value);
    if (!origins)
      return std::nullopt;
    numbers.reserve(origins->size());
    for (int32_t origin : *origins)
      numbers.push_back(int64_t(finder.getNumber(origin)));
    return numbers;
  }
  Tensor tensor = evaluateConstant(value);
  if (!tensor)
    return std::nullopt;
  numbers.reserve(tensor.getNumElements());
  for (int64_t place = 0; place < tensor.getNumElements(); ++place)
    numbers.push_back(tensor.getInteger(place));
  return numbers;
}

static bool areConstant(ArrayRef<DimAttr> dims) {
  return llvm::all_of(dims, [](DimAttr dim) { return Dim(dim).isConstant(); });
}

static SmallVector<int64_t> numbersOf(DimsAttr dims) {
  return llvm::map_to_vector(dims.getDims(), [](DimAttr dim) { return *Dim(dim).getConstant(); });
}

/// The factor of a product that sums over one 1 for each element of it.
static Value getSpread(MatmulOp op) {
  if (!op.getEpilogue().empty() || op.getPackedColumns() || shapeOf(op.getLhs()).size() < 2 ||
      shapeOf(op.getRhs()).size() < 2 || shapeOf(op.getLhs()).back() != 1)
    return {};
  for (unsigned ones : {0, 1})
    if (getSplatNumber(op->getOperand(ones)) == 1.0)
      return op->getOperand(1 - ones);
  return {};
}

/// Whether every element of the first dim, which only a run knows, is made of that of the operands, and in
/// the same way.
static bool leavesBatches(Operation *op) {
  Value result = op->getResult(0);
  auto dims = getDims(result);
  if (!dims || dims->empty() || !dims->front())
    return false;
  Dim batch = dims->front();
  auto has = [&](Value value) { return getDims(value)->front() == batch; };
  auto isAlike = [&](Value value) { // or is the same for all
    SmallVector<Dim> own = *getDims(value);
    return own.size() < dims->size() || own.front().getConstant() == 1 || own.front() == batch;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](TransposeOp op) { return op.getPermutation().front() == 0; })
      .Case([&](ReshapeOp op) { return !getDims(op.getInput())->empty() && has(op.getInput()); })
      .Case([&](ExpandOp op) { return isAlike(op.getInput()); })
      .Case([&](ConcatOp op) { return op.getAxis() != 0 && llvm::all_of(op.getInputs(), has); })
      .Case([&](SliceOp op) { return has(op.getInput()) && op.getStrides().front() == 1; })
      .Case([&](PadOp op) {
        return has(op.getInput()) && op.getBefore() &&
               Dim(op.getBefore()->getDims().front()).getConstant() == 0;
      })
      .Case([&](GatherOp op) {
        return op.getAxis() != 0 && has(op.getData()) && hasKnownBatch(op.getIndices());
      })
      .Case(
          [&](GatherElementsOp op) { return op.getAxis() != 0 && has(op.getData()) && has(op.getIndices()); })
      .Case([&](WhereOp op) { return llvm::all_of(op->getOperands(), isAlike); })
      .Default(false);
}

SmallVector<Value> weft::graph::getMoved(Operation *op) {
  if (!op || op->getNumResults() != 1 || !llvm::all_of(op->getOperands(), hasKnownShape) ||
      !hasKnownShape(op->getResult(0)))
    return {};
  bool hasBatch = hasKnownBatch(op->getResult(0)) && llvm::all_of(op->getOperands(), hasKnownBatch);
  if (!hasBatch && !leavesBatches(op))
    return {};
  using Moved = SmallVector<Value>;
  return llvm::TypeSwitch<Operation *, Moved>(op)
      .Case<TransposeOp, ReshapeOp, ExpandOp>([](auto op) { return Moved{op.getInput()}; })
      .Case([](ConcatOp op) { return Moved(op.getInputs()); })
      .Case([](SliceOp op) {
        return op.getOffsets() && areConstant(op.getOffsets()->getDims()) ? Moved{op.getInput()} : Moved();
      })
      .Case([](PadOp op) {
        bool isKnown = op.getMode() == PadMode::Constant && op.getBefore() && op.getAfter() &&
                       areConstant(op.getBefore()->getDims()) && areConstant(op.getAfter()->getDims());
        return isKnown && (!op.getFill() || isComputedFromConstants(op.getFill())) ? Moved{op.getInput()}
                                                                                   : Moved();
      })
      .Case([](GatherOp op) {
        return isComputedFromConstants(op.getIndices()) ? Moved{op.getData()} : Moved();
      })
      .Case([](GatherElementsOp op) {
        return isComputedFromConstants(op.getIndices()) ? Moved{op.getData()} : Moved();
      })
      .Case([](ScatterNDOp op) {
        return op.getKind() == ScatterKind::Replace && isComputedFromConstants(op.getIndices())
                   ? Moved{op.getData(), op.getUpdates()}
                   : Moved();
      })
      .Case([](WhereOp op) {
        return isComputedFromConstants(op.getCondition()) ? Moved{op.getThenValue(), op.getElseValue()}
                                                          : Moved();
      })
      .Case([](MatmulOp op) {
        Value spread = getSpread(op);
        return spread ? Moved{spread} : Moved();
      })
      .Default(Moved());
}

bool weft::graph::isMovedBy(Value value, Value source, function_ref<bool(Operation *)> test) {
  llvm::SmallSetVector<Value, 8> pending;
  pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) {
    Operation *op = pending[i].getDefiningOp();
    SmallVector<Value> moved = pending[i] == source ? SmallVector<Value>() : getMoved(op);
    if (!moved.empty() && test(op))
      return true;
    pending.insert_range(moved);
  }
  return false;
}

/// Visits the values that all of a value is moved from, from it on, and says whether the last one is all
/// there is.
static bool walkMoveSources(Value value, function_ref<void(Value)> visit) {
  llvm::SmallSetVector<Value, 8> sources;
  sources.insert(value);
  auto latest = [&]() {
    return *llvm::max_element(sources, [](Value left, Value right) {
      Operation *first = left.getDefiningOp(), *second = right.getDefiningOp();
      return second && (!first || first->isBeforeInBlock(second));
    });
  };
  while (!sources.empty()) {
    Value last = latest();
    if (sources.size() == 1)
      visit(last);
    SmallVector<Value> moved = getMoved(last.getDefiningOp());
    if (moved.empty())
      return sources.size() == 1;
    sources.remove(last);
    for (Value from : moved)
      if (!isComputedFromConstants(from))
        sources.insert(from);
  }
  return false;
}

Value weft::graph::findMoveSource(Value value) {
  Value source;
  return walkMoveSources(value, [&](Value each) { source = each; }) ? source : Value();
}

SmallVector<Value> weft::graph::findMoveSources(Value value) {
  SmallVector<Value> sources;
  walkMoveSources(value, [&](Value each) { sources.push_back(each); });
  return sources;
}

SmallVector<Value> weft::graph::findSmallestMoveSources(Value value) {
  SmallVector<Value> smallest;
  auto count = [](Value value) { return countElements(shapeOf(value)); };
  for (Value each : findMoveSources(value)) {
    if (!smallest.empty() && count(each) < count(smallest.front()))
      smallest.clear();
    if (smallest.empty() || count(each) == count(smallest.front()))
      smallest.push_back(each);
  }
  return smallest;
}

//===----------------------------------------------------------------------===//
// Moves of places
//===----------------------------------------------------------------------===//

namespace {
struct StridedDim {
  int64_t size, from, to; ///< strides of what is read and of what is written
};
} // namespace

static void copyStrided(ArrayRef<StridedDim> dims, const int32_t *from, int32_t *to) {
  StridedDim dim = dims.front();
  if (dims.size() > 1)
    for (int64_t i = 0; i < dim.size; ++i)
      copyStrided(dims.drop_front(), from + i * dim.from, to + i * dim.to);
  else if (dim.from == 1 && dim.to == 1)
    std::copy_n(from, dim.size, to);
  else
    for (int64_t i = 0; i < dim.size; ++i)
      to[i * dim.to] = from[i * dim.from];
}

/// Copies elements between strided places, the last dim fastest. Dims that lie as one are one.
static void copyStrided(ArrayRef<int64_t> shape, const int32_t *from, ArrayRef<int64_t> fromStrides,
                        int32_t *to, ArrayRef<int64_t> toStrides) {
  SmallVector<StridedDim> dims{{1, 0, 0}};
  for (auto [size, fromStride, toStride] : llvm::zip_equal(shape, fromStrides, toStrides)) {
    StridedDim &outer = dims.back();
    if (size == 1)
      continue;
    if (outer.size == 1)
      outer = {size, fromStride, toStride};
    else if (outer.from == fromStride * size && outer.to == toStride * size)
      outer = {outer.size * size, fromStride, toStride};
    else
      dims.push_back({size, fromStride, toStride});
  }
  copyStrided(dims, from, to);
}

int32_t OriginFinder::internNumber(double number) {
  if (!numbers.empty() &&
      llvm::bit_cast<uint64_t>(numbers[-1 - lastNumber]) == llvm::bit_cast<uint64_t>(number))
    return lastNumber;
  auto [found, isNew] = ofBits.try_emplace(llvm::bit_cast<uint64_t>(number), -1 - int32_t(numbers.size()));
  if (isNew)
    numbers.push_back(number);
  return lastNumber = found->second;
}

OriginFinder::Result OriginFinder::computeConstant(Value value) {
  Tensor tensor = evaluateConstant(value);
  if (!tensor)
    return nullptr;
  auto result = std::make_shared<Origins>(tensor.getNumElements());
  for (auto [place, origin] : llvm::enumerate(*result))
    origin = internNumber(tensor.getFloat(place));
  return result;
}

OriginFinder::Result OriginFinder::computeStrided(Value input, Value result, ArrayRef<int64_t> strides,
                                                  int64_t start) {
  auto origins = std::make_shared<Origins>(countElements(shapeOf(result)));
  if (!origins->empty())
    copyStrided(shapeOf(result), known[input]->data() + start, strides, origins->data(),
                getStrides(shapeOf(result)));
  return origins;
}

/// A negative number drops elements.
OriginFinder::Result OriginFinder::computePad(PadOp op) {
  double fill = 0;
  if (op.getFill()) {
    Tensor number = evaluateConstant(op.getFill());
    if (!number)
      return nullptr;
    fill = number.getFloat(0);
  }
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(op.getResult());
  auto result = std::make_shared<Origins>(countElements(to), internNumber(fill));
  Strides fromStrides = getStrides(from), toStrides = getStrides(to);
  Shape common;
  int64_t fromStart = 0, toStart = 0;
  for (auto [dim, before] : llvm::enumerate(numbersOf(*op.getBefore()))) {
    int64_t first = std::max<int64_t>(before, 0);
    common.push_back(std::max<int64_t>(std::min(to[dim], from[dim] + before) - first, 0));
    fromStart += (first - before) * fromStrides[dim];
    toStart += first * toStrides[dim];
  }
  if (countElements(common) > 0)
    copyStrided(common, known[op.getInput()]->data() + fromStart, fromStrides, result->data() + toStart,
                toStrides);
  return result;
}

OriginFinder::Result OriginFinder::computeConcat(ConcatOp op) {
  auto result = std::make_shared<Origins>(countElements(shapeOf(op.getResult())));
  Strides strides = getStrides(shapeOf(op.getResult()));
  int64_t start = 0;
  for (Value input : op.getInputs()) {
    ArrayRef<int64_t> shape = shapeOf(input);
    if (countElements(shape) > 0)
      copyStrided(shape, known[input]->data(), getStrides(shape), result->data() + start, strides);
    start += shape[op.getAxis()] * strides[op.getAxis()];
  }
  return result;
}

/// An index that counts from the front; nothing if there is none of such.
static std::optional<int64_t> resolveIndex(int64_t index, int64_t size) {
  index = index < 0 ? index + size : index;
  return index >= 0 && index < size ? std::optional(index) : std::nullopt;
}

OriginFinder::Result OriginFinder::computeGather(GatherOp op) {
  std::optional<std::vector<int64_t>> indices = readTable(op.getIndices());
  if (!indices)
    return nullptr;
  ArrayRef<int64_t> shape = shapeOf(op.getData());
  int64_t size = shape[op.getAxis()], outer = countElements(shape.take_front(op.getAxis()));
  int64_t inner = countElements(shape.drop_front(op.getAxis() + 1));
  SmallVector<int64_t> places;
  for (int64_t given : *indices) {
    std::optional<int64_t> index = resolveIndex(given, size);
    if (!index)
      return nullptr;
    places.push_back(*index * inner);
  }
  auto result = std::make_shared<Origins>(countElements(shapeOf(op.getResult())));
  int32_t *to = result->data();
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t place : places)
      to = std::copy_n(known[op.getData()]->data() + i * size * inner + place, inner, to);
  return result;
}

OriginFinder::Result OriginFinder::computeGatherElements(GatherElementsOp op) {
  std::optional<std::vector<int64_t>> indices = readTable(op.getIndices());
  if (!indices)
    return nullptr;
  int64_t axis = op.getAxis();
  ArrayRef<int64_t> shape = shapeOf(op.getIndices()), data = shapeOf(op.getData());
  Strides strides = getStrides(data);
  const int32_t *from = known[op.getData()]->data();
  auto result = std::make_shared<Origins>(indices->size());
  int64_t at = 0;
  bool isWithin = true;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    std::optional<int64_t> chosen = resolveIndex((*indices)[at], data[axis]);
    isWithin &= chosen.has_value();
    if (chosen)
      (*result)[at] = from[getPlace(index, strides) + (*chosen - index[axis]) * strides[axis]];
    ++at;
  });
  return isWithin ? result : nullptr;
}

OriginFinder::Result OriginFinder::computeScatter(ScatterNDOp op) {
  std::optional<std::vector<int64_t>> tuples = readTable(op.getIndices());
  if (!tuples)
    return nullptr;
  auto result = std::make_shared<Origins>(*known[op.getData()]);
  ArrayRef<int64_t> shape = shapeOf(op.getData());
  int64_t width = shapeOf(op.getIndices()).back(), inner = countElements(shape.drop_front(width));
  Strides strides = getStrides(shape);
  const int32_t *from = known[op.getUpdates()]->data();
  for (size_t at = 0; at < tuples->size(); at += width, from += inner) {
    int64_t place = 0;
    for (int64_t dim = 0; dim < width; ++dim) {
      std::optional<int64_t> index = resolveIndex((*tuples)[at + dim], shape[dim]);
      if (!index)
        return nullptr;
      place += *index * strides[dim];
    }
    std::copy_n(from, inner, result->data() + place);
  }
  return result;
}

OriginFinder::Result OriginFinder::computeWhere(WhereOp op) {
  std::optional<std::vector<int64_t>> condition = readTable(op.getCondition());
  if (!condition)
    return nullptr;
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  auto spread = [&](Value value) {
    return computeStrided(value, op.getResult(), getBroadcastStrides(shapeOf(value), shape));
  };
  Result thenOrigins = spread(op.getThenValue()), elseOrigins = spread(op.getElseValue());
  Strides strides = getBroadcastStrides(shapeOf(op.getCondition()), shape);
  int64_t place = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    if (!(*condition)[getPlace(index, strides)])
      (*thenOrigins)[place] = (*elseOrigins)[place];
    ++place;
  });
  return thenOrigins;
}

OriginFinder::Result OriginFinder::compute(Operation *op) {
  auto spread = [&](Value input, Value result) {
    return computeStrided(input, result, getBroadcastStrides(shapeOf(input), shapeOf(result)));
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](ReshapeOp op) { return known[op.getInput()]; })
      .Case([&](TransposeOp op) {
        Strides strides = getStrides(shapeOf(op.getInput()));
        auto permuted = llvm::map_to_vector(op.getPermutation(), [&](int64_t dim) { return strides[dim]; });
        return computeStrided(op.getInput(), op.getResult(), permuted);
      })
      .Case([&](SliceOp op) {
        Strides strides = getStrides(shapeOf(op.getInput()));
        int64_t start = getPlace(numbersOf(*op.getOffsets()), strides);
        for (auto [stride, step] : llvm::zip_equal(strides, op.getStrides()))
          stride *= step;
        return computeStrided(op.getInput(), op.getResult(), strides, start);
      })
      .Case([&](ExpandOp op) { return spread(op.getInput(), op.getResult()); })
      .Case([&](MatmulOp op) { return spread(getSpread(op), op.getResult()); })
      .Case([&](PadOp op) { return computePad(op); })
      .Case([&](ConcatOp op) { return computeConcat(op); })
      .Case([&](GatherOp op) { return computeGather(op); })
      .Case([&](GatherElementsOp op) { return computeGatherElements(op); })
      .Case([&](ScatterNDOp op) { return computeScatter(op); })
      .Case([&](WhereOp op) { return computeWhere(op); })
      .Default(nullptr);
}

std::shared_ptr<const Origins> OriginFinder::find(Value value) {
  known.clear();
  // The operations between, and how often each value is read.
  llvm::SmallSetVector<Operation *, 32> between;
  DenseMap<Value, unsigned> uses;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (uses[next]++ > 0 || next == source)
      continue;
    Operation *op = next.getDefiningOp();
    SmallVector<Value> moved = getMoved(op);
    if (moved.empty() && !isComputedFromConstants(next))
      return nullptr;
    between.insert(op);
    llvm::append_range(pending, moved);
  }
  if (source) {
    auto places = std::make_shared<Origins>(countElements(shapeOf(source)));
    std::iota(places->begin(), places->end(), 0);
    known[source] = std::move(places);
  }
  SmallVector<Operation *> order(between.begin(), between.end());
  llvm::sort(order, [](Operation *left, Operation *right) { return left->isBeforeInBlock(right); });
  for (Operation *op : order) {
    SmallVector<Value> operands = getMoved(op);
    Result result = operands.empty() ? computeConstant(op->getResult(0)) : compute(op);
    if (!result)
      return nullptr;
    known[op->getResult(0)] = std::move(result);
    for (Value moved : operands)
      if (--uses[moved] == 0)
        known.erase(moved);
  }
  return known.lookup(value);
}
