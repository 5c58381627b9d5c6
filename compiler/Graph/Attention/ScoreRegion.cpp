// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/ScoreRegion.h"
#include "compiler/Graph/Moves.h"
#include "compiler/Graph/NodeErrors.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

/// A mask of more operations than this is made once, as a tensor, instead of for every score.
static constexpr size_t kMaxScoreOperations = 48;
/// So is one that reads more tensors than this.
static constexpr size_t kMaxReads = 8;
/// Nor is more than this tried: what is left then is read.
static constexpr size_t kMaxVisits = 500;
/// A factor below this is no scale.
static constexpr double kLeastScale = 1e-30;

const std::optional<IndexTable> &IndexTables::get(ConstantOp constant) {
  auto [it, isNew] = tables.try_emplace(constant.getValue());
  if (isNew)
    it->second = findIndexTable(constant);
  return it->second;
}

ScoreRegion::ScoreRegion(ScoreAxes &axes, const AttentionAxes &attention, const ScoreTrace *trace,
                         IndexTables &tables, Type number, Location location)
    : axes(axes), attention(attention), trace(trace), tables(tables), number(number), location(location),
      body(&region.emplaceBlock()), builder(location.getContext()) {
  builder.setInsertionPointToEnd(body);
  body->addArgument(number, location);
  for (int place = 0; place < 4; ++place)
    body->addArgument(builder.getIndexType(), location);
}

bool ScoreRegion::build(Value scores, ArrayRef<Value> factors) {
  product = body->getArgument(0);
  for (Value factor : factors) {
    Positions at(getDims(factor)->size());
    Element element = capture(factor, at);
    if (failed(element)) {
      obstacle = "a factor of query or key cannot be read";
      return false;
    }
    Value wide = *element;
    if (wide.getType() != number)
      wide = arith::ExtFOp::create(builder, location, number, wide);
    product = arith::MulFOp::create(builder, location, product, wide);
  }
  Type stored = getElementTypeOrSelf(trace->getProduct().getResult());
  if (stored != number) // the model rounds its products
    product = arith::TruncFOp::create(builder, location, stored, product);
  Positions at;
  for (AxisList &list : trace->getLayout(scores))
    at.push_back({list, Value()});
  Element element = visit(scores, at);
  if (failed(element))
    return false;
  Value score = *element;
  if (score.getType() != number)
    score = arith::ExtFOp::create(builder, location, number, score);
  Value keep = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true));
  auto yield = YieldOp::create(builder, location, ValueRange{score, keep});
  takeScale();
  trivial = yield.getOperand(0) == body->getArgument(0) && captures.empty();
  return true;
}

bool ScoreRegion::rebuild(AttentionOp op) {
  Positions at;
  for (const AxisList &list : attention.getScores())
    at.push_back({list, Value()});
  SmallVector<Dim> dims = *op.getScoreDims();
  Block &given = op.getScore().front();
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(given.getArguments(), body->getArguments()))
    mapping.map(from, to);
  bool isComputed = false;
  for (auto [argument, captured] :
       llvm::zip_equal(given.getArguments().drop_front(mapping.getValueMap().size()), op.getCaptures())) {
    Element element = visitOperand(captured, dims, at);
    if (failed(element))
      return false;
    mapping.map(argument, *element);
    isComputed |= !isa<BlockArgument>(*element) && !captured.getDefiningOp<DimsOp>();
  }
  for (Operation &computed : given)
    builder.clone(computed, mapping);
  return isComputed;
}

bool ScoreRegion::excludeFilled(bool isFilledWhere) {
  Operation *yield = body->getTerminator();
  auto choice = yield->getOperand(0).getDefiningOp<arith::SelectOp>();
  Value widened = yield->getOperand(0);
  if (auto extended = widened.getDefiningOp<arith::ExtFOp>())
    choice = extended.getIn().getDefiningOp<arith::SelectOp>();
  if (!choice)
    return false;
  OpBuilder before(yield);
  Value keep = choice.getCondition();
  if (isFilledWhere)
    keep = arith::XOrIOp::create(before, location, keep,
                                 arith::ConstantOp::create(before, location, before.getBoolAttr(true)));
  yield->setOperand(1, keep);
  return true;
}

bool ScoreRegion::readsProduct() const {
  return llvm::any_of(captures, [&](const Capture &capture) {
    return capture.tensor && dependsOn(capture.tensor, trace->getProduct());
  });
}

/// Constants that the scores are multiplied or divided by first join the attention's scale.
void ScoreRegion::takeScale() {
  Value score = body->getArgument(0);
  while (score.hasOneUse() && isa<arith::MulFOp, arith::DivFOp>(*score.user_begin())) {
    Operation *op = *score.user_begin();
    bool isDivided = isa<arith::DivFOp>(op);
    FloatAttr constant;
    if (!matchPattern(op->getOperand(op->getOperand(1) == score ? 0 : 1), m_Constant(&constant)) ||
        (isDivided && op->getOperand(1) == score))
      return;
    double number = constant.getValueAsDouble(), factor = scale * (isDivided ? 1 / number : number);
    if (!std::isfinite(factor) || std::abs(factor) < kLeastScale)
      return;
    scale = factor;
    op->getResult(0).replaceAllUsesWith(score);
    op->erase();
  }
}

void ScoreRegion::moveInto(Region &into) {
  if (!trivial)
    into.takeBody(region);
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

const ScoreRegion::Shifted *ScoreRegion::findShift(Axis axis) const {
  const auto *shift = llvm::find_if(shifts, [&](const Shifted &shift) { return shift.axis == axis; });
  return shift == shifts.end() ? nullptr : shift;
}

/// The scores' axes that axes are along.
AxisList ScoreRegion::getUnshifted(ArrayRef<Axis> list) const {
  AxisList result;
  for (Axis axis : list)
    if (const Shifted *shift = findShift(axis))
      llvm::append_range(result, getUnshifted(shift->of));
    else
      result.push_back(axis);
  return result;
}

Value ScoreRegion::shift(Value index, Dim offset, bool isPart) {
  if (offset.getConstant() == 0)
    return index;
  Value distance = getSize(offset);
  return isPart ? Value(arith::SubIOp::create(builder, location, index, distance))
                : Value(arith::AddIOp::create(builder, location, index, distance));
}

/// The place along a dim of this size of what another place is along another dim: one of the two is a part of
/// the other, from an offset on.
Position ScoreRegion::shift(const Position &place, Dim size, Dim offset, bool isPart) {
  if (place.index)
    return {{}, shift(place.index, offset, isPart)};
  if (size.getConstant() == 1)
    return {};
  for (const Shifted &known : shifts)
    if (known.of == place.axes && known.offset == offset && known.isPart == isPart &&
        axes.getSize(known.axis) == size)
      return {{known.axis}, Value()};
  AxisList added = axes.add(size);
  shifts.push_back({added.front(), place.axes, offset, isPart});
  return {added, Value()};
}

/// A tensor as one with the scores' dims. What is a part of a dim gets zeros around it, which no score reads.
Value ScoreRegion::makeCapture(OpBuilder &outside, Value tensor, const Layout &layout) {
  MLIRContext *context = outside.getContext();
  AxisList held = flatten(layout);
  auto sizesOf = [&](ArrayRef<Axis> list) {
    return llvm::map_to_vector(list, [&](Axis axis) { return axes.getSize(axis); });
  };
  for (size_t at = 0; at < held.size();) {
    const Shifted *shift = findShift(held[at]);
    if (!shift) {
      ++at;
      continue;
    }
    SmallVector<Dim> dims = sizesOf(held), offsets(dims.size(), Dim::constant(context, 0)), after(offsets);
    tensor = makeReshape(outside, location, tensor, dims);
    Dim size = axes.getSize(shift->of);
    offsets[at] = shift->offset;
    after[at] = size - dims[at] - shift->offset;
    dims[at] = size;
    RankedTensorType type = getTensorType(dims, getElementTypeOrSelf(tensor));
    DimsAttr from = getDimsAttr(context, offsets);
    if (shift->isPart)
      tensor = PadOp::create(outside, location, type, PadMode::Constant, tensor, Value(), Value(),
                             ArrayRef<int64_t>(), from, getDimsAttr(context, after));
    else
      tensor = SliceOp::create(outside, location, type, tensor, Value(), Value(), Value(),
                               ArrayRef<int64_t>(), from, SmallVector<int64_t>(dims.size(), 1));
    held.erase(held.begin() + at);
    held.insert(held.begin() + at, shift->of.begin(), shift->of.end()); // which may be shifted, too
  }
  tensor = makeReshape(outside, location, tensor, sizesOf(held));
  Layout single = llvm::map_to_vector(held, [](Axis axis) { return AxisList{axis}; });
  Layout scores = attention.getScores();
  return arrange(outside, location, axes, tensor, single, scores,
                 SmallVector<Missing>(scores.size(), Missing::One));
}

SmallVector<Value> ScoreRegion::makeCaptures(OpBuilder &outside) {
  SmallVector<Value> values;
  for (const Capture &capture : captures) {
    if (capture.tensor) {
      Value tensor = makeExpand(outside, location, capture.tensor, capture.dims);
      values.push_back(makeCapture(outside, tensor, capture.layout));
      continue;
    }
    auto type = RankedTensorType::get({1}, outside.getI64Type());
    values.push_back(DimsOp::create(outside, location, type,
                                    DimsAttr::get(outside.getContext(), {capture.size.getAttr()})));
  }
  return values;
}

ScoreRegion::Element ScoreRegion::capture(Value value, const Positions &at) {
  auto dims = getDims(value);
  return dims ? capture(value, at, *dims) : Element(failure());
}

ScoreRegion::Element ScoreRegion::capture(Value value, const Positions &at, ArrayRef<Dim> dims) {
  Type element = getElementTypeOrSelf(value);
  Layout layout;
  for (const Position &position : at) {
    if (position.index)
      return failure(); // a part of the tensor
    layout.push_back(position.axes);
  }
  AxisList held = flatten(layout);
  AxisList along = getUnshifted(held);
  bool repeats = llvm::any_of(along, [&](Axis axis) { return llvm::count(along, axis) > 1; });
  if (element.isUnsignedInteger() || isCompact(element) || repeats) // a diagonal
    return failure();
  for (auto [i, known] : llvm::enumerate(captures))
    if (known.tensor == value && known.layout == layout && known.dims == dims) {
      reads.push_back(i);
      return Value(known.argument);
    }
  reads.push_back(captures.size());
  captures.push_back(
      {value, layout, SmallVector<Dim>(dims), Dim(), body->addArgument(element, value.getLoc())});
  return Value(captures.back().argument);
}

/// A size as an index.
Value ScoreRegion::getSize(Dim size) {
  if (std::optional<int64_t> constant = size.getConstant())
    return indexConstant(*constant);
  auto known = llvm::find_if(captures, [&](const Capture &it) { return it.size && it.size == size; });
  if (known == captures.end()) {
    captures.push_back({Value(), Layout(), {}, size, body->addArgument(builder.getI64Type(), location)});
    known = std::prev(captures.end());
  }
  return arith::IndexCastOp::create(builder, location, builder.getIndexType(), known->argument);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Value ScoreRegion::indexConstant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, location, value);
}

/// The place along an axis, which may be a part of one of the region's indices.
Value ScoreRegion::getIndex(Axis axis) {
  for (auto [place, group] : llvm::enumerate(attention.getScores())) {
    const auto *it = llvm::find(group, axis);
    if (it == group.end())
      continue;
    Value index = body->getArgument(1 + place);
    ArrayRef<Axis> inner = ArrayRef(group).drop_front(it - group.begin() + 1);
    if (!inner.empty())
      index = arith::DivUIOp::create(builder, location, index, getSize(axes.getSize(inner)));
    if (it != group.begin())
      index = arith::RemUIOp::create(builder, location, index, getSize(axes.getSize(axis)));
    return index;
  }
  const Shifted *found = findShift(axis);
  if (!found)
    return Value();
  Value index = getIndex(found->of);
  return index ? shift(index, found->offset, found->isPart) : Value();
}

/// Null if an axis is none of the scores'.
Value ScoreRegion::getIndex(const Position &at) { return at.index ? at.index : getIndex(at.axes); }

Value ScoreRegion::getIndex(ArrayRef<Axis> list) {
  Value result;
  for (Axis axis : list) {
    Value index = getIndex(axis);
    if (!index)
      return Value();
    if (result) {
      result = arith::MulIOp::create(builder, location, result, getSize(axes.getSize(axis)));
      result = arith::AddIOp::create(builder, location, result, index);
    } else {
      result = index;
    }
  }
  return result ? result : indexConstant(0);
}

Value ScoreRegion::convertIndex(Value index, Type type) {
  if (isa<IntegerType>(type))
    return arith::IndexCastOp::create(builder, location, type, index);
  Value integer = arith::IndexCastOp::create(builder, location, builder.getI64Type(), index);
  return arith::SIToFPOp::create(builder, location, type, integer);
}

//===----------------------------------------------------------------------===//
// Attempts
//===----------------------------------------------------------------------===//

ScoreRegion::Checkpoint ScoreRegion::getCheckpoint() {
  return {body->empty() ? nullptr : &body->back(), captures.size(), reads.size(), computed.size()};
}

/// Forgets what was built since.
void ScoreRegion::rollBack(const Checkpoint &checkpoint) {
  while (!body->empty() && &body->back() != checkpoint.last)
    body->back().erase();
  while (captures.size() > checkpoint.captures) {
    body->eraseArgument(captures.back().argument.getArgNumber());
    captures.pop_back();
  }
  reads.truncate(checkpoint.reads);
  computed.truncate(checkpoint.computed);
}

/// Operations that cost more than reading their result does.
static bool isCostly(Operation &op) {
  return isa<math::ExpOp, math::LogOp, math::SinOp, math::CosOp, math::AtanOp, math::TanhOp, math::ErfOp,
             math::PowFOp, math::SqrtOp>(op);
}

/// Whether an element, built since the checkpoint, is better computed in the region than read from a tensor:
/// if it reads less than the tensor has, or if the tensor is as large as the scores. `width`: an element's
/// bytes.
bool ScoreRegion::isWorthComputing(const Positions &at, int64_t width, const Checkpoint &since) const {
  size_t count = 0;
  for (auto op = since.last ? std::next(since.last->getIterator()) : body->begin(); op != body->end(); ++op) {
    if (isCostly(*op) || ++count > kMaxScoreOperations)
      return false;
  }
  AxisList own;
  for (const Position &position : at)
    llvm::append_range(own, getUnshifted(position.axes));
  auto isOf = [&](ArrayRef<Axis> group) {
    return llvm::any_of(own, [&](Axis axis) { return llvm::is_contained(group, axis); });
  };
  bool isComputedPlace = llvm::any_of(at, [](const Position &position) { return bool(position.index); });
  if (isComputedPlace)
    return true; // which cannot be read
  ArrayRef<unsigned> read = ArrayRef(reads).drop_front(since.reads);
  // A tensor that would be made to be read should not be wider than what is made of it.
  auto isWider = [&](unsigned i) {
    Value tensor = captures[i].tensor;
    return !isa_and_present<ConstantOp>(tensor.getDefiningOp()) && tensor.getDefiningOp() &&
           getUnshifted(flatten(captures[i].layout)).size() >= own.size() &&
           getElementBytes(getElementTypeOrSelf(tensor)) > width;
  };
  if (isOf(attention.queries) && isOf(attention.keys))
    return read.size() <= kMaxReads && llvm::none_of(read, isWider);
  return llvm::all_of(
      read, [&](unsigned i) { return getUnshifted(flatten(captures[i].layout)).size() < own.size(); });
}

/// Whether a value that depends on the product is wanted at the place of the score itself.
bool ScoreRegion::isInPlace(Value value, const Positions &at) const {
  Positions own;
  for (const AxisList &list : trace->getLayout(value))
    own.push_back({list, Value()});
  return own == at;
}

ScoreRegion::Element ScoreRegion::visit(Value value, const Positions &at) {
  for (const Computed &known : computed)
    if (known.tensor == value && known.at == at) {
      llvm::append_range(reads, known.reads);
      return known.element;
    }
  Checkpoint before = getCheckpoint();
  Element element = failure();
  bool isScore = trace && trace->depends(value) && isInPlace(value, at);
  bool isRead = llvm::is_contained(read, std::pair(value, at)) || ++visits > kMaxVisits;
  if (isScore && value == trace->getProduct().getResult()) {
    element = product;
  } else if (isScore) {
    element = compute(value, at);
    if (failed(element) && obstacle.empty())
      obstacle = "an operand of " + describeNode(value.getDefiningOp()) + " can be neither computed nor read";
  } else {
    if (!isRead)
      element = compute(value, at);
    if (failed(element) || !isWorthComputing(at, getElementBytes(getElementTypeOrSelf(value)), before)) {
      rollBack(before);
      element = capture(value, at);
      if (succeeded(element)) // remembered, or what shares operands with it would try them again and again
        read.push_back({value, at});
    }
  }
  if (succeeded(element))
    computed.push_back(
        {value, at, *element, SmallVector<unsigned>(ArrayRef(reads).drop_front(before.reads))});
  return element;
}
