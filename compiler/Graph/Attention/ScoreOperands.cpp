// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operands of scores compute for one place: one function for each operation that a score region can
// take in.
#include "compiler/Graph/Attention/ScoreRegion.h"
#include "compiler/Graph/ConstantMatch.h"
#include "dialects/Weft/IR/ScalarBody.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

ScoreRegion::Element ScoreRegion::compute(Value value, const Positions &at) {
  if (isCompact(getElementTypeOrSelf(value)))
    return failure();
  if (TypedAttr element = getSplatElement(value)) {
    if (auto integer = dyn_cast<IntegerAttr>(element))
      element = IntegerAttr::get(getScalarType(integer.getType()), integer.getValue());
    return Value(arith::ConstantOp::create(builder, location, element));
  }
  Operation *op = value.getDefiningOp();
  if (!op || !getDims(value))
    return failure();
  if (isElementwise(op))
    return computeElementwise(op, at);
  return TypeSwitch<Operation *, Element>(op)
      .Case([&](TransposeOp transpose) -> Element {
        Positions input(at.size());
        for (auto [i, from] : llvm::enumerate(transpose.getPermutation()))
          input[from] = at[i];
        return visit(transpose.getInput(), input);
      })
      .Case([&](ReshapeOp reshape) { return computeReshape(reshape, at); })
      .Case([&](ExpandOp expand) { return computeExpand(expand, at); })
      .Case([&](TileOp tile) { return computeTile(tile, at); })
      .Case([&](SliceOp slice) { return computeSlice(slice, at); })
      .Case([&](ConcatOp concat) { return computeConcat(concat, at); })
      .Case([&](TriluOp trilu) { return computeTrilu(trilu, at); })
      .Case([&](RangeOp range) { return computeRange(range, at); })
      .Case([&](ConstantOp constant) { return computeConstant(constant, at); })
      .Case([&](DimsOp dims) { return computeDims(dims, at); })
      .Default([](Operation *) -> Element { return failure(); });
}

/// An element of an operand that is broadcast to dims, at a place there.
ScoreRegion::Element ScoreRegion::visitOperand(Value value, ArrayRef<Dim> to, ArrayRef<Position> at) {
  auto dims = getDims(value);
  if (!dims)
    return failure();
  Positions places;
  SmallVector<Dim> broadcast;
  for (auto [from, into, place] :
       llvm::zip_equal(*dims, to.take_back(dims->size()), at.take_back(dims->size()))) {
    bool isOne = from.getConstant() == 1;
    places.push_back(isOne ? Position() : place);
    broadcast.push_back(isOne ? from : into);
  }
  if (*dims == broadcast)
    return visit(value, places);
  return capture(value, places, broadcast); // whether a dim is 1 turns out at run time
}

ScoreRegion::Element ScoreRegion::computeElementwise(Operation *op, const Positions &at) {
  SmallVector<Dim> result = *getDims(op->getResult(0));
  SmallVector<Value> elements;
  for (Value operand : op->getOperands()) {
    Element element = visitOperand(operand, result, at);
    if (failed(element))
      return failure();
    elements.push_back(*element);
  }
  return buildScalarBody(builder, op, elements);
}

ScoreRegion::Element ScoreRegion::computeReshape(ReshapeOp op, const Positions &at) {
  if (op.getShape())
    return failure();
  SmallVector<Dim> from = *getDims(op.getInput()), to = *getDims(op.getResult());
  auto isOne = [](Dim dim) { return dim.getConstant() == 1; };
  SmallVector<Position> places; // of the dims that are not 1
  SmallVector<Dim> dims;
  for (auto [dim, place] : llvm::zip_equal(to, at))
    if (!isOne(dim)) {
      places.push_back(place);
      dims.push_back(dim);
    }
  SmallVector<Dim> inner = llvm::to_vector(llvm::make_filter_range(from, std::not_fn(isOne)));
  if (inner == dims) { // dims of 1 came or went
    Positions input;
    size_t next = 0;
    for (Dim dim : from)
      input.push_back(isOne(dim) ? Position() : places[next++]);
    return visit(op.getInput(), input);
  }
  Layout layout;
  for (const Position &place : at) {
    if (place.index)
      return failure();
    layout.push_back(place.axes);
  }
  auto input = axes.reshape(layout, from, ScoreAxes::Splitting::Forbidden);
  if (!input)
    return failure();
  Positions positions;
  for (AxisList &list : *input)
    positions.push_back({list, Value()});
  return visit(op.getInput(), positions);
}

ScoreRegion::Element ScoreRegion::computeExpand(ExpandOp op, const Positions &at) {
  return visitOperand(op.getInput(), *getDims(op.getResult()), at);
}

ScoreRegion::Element ScoreRegion::computeTile(TileOp op, const Positions &at) {
  if (op.getRepeats())
    return failure();
  Positions input;
  for (auto [from, to, place] : llvm::zip_equal(*getDims(op.getInput()), *getDims(op.getResult()), at)) {
    if (from.getConstant() == 1 || from == to) {
      input.push_back(from == to ? place : Position());
      continue;
    }
    // Where the inner axes are one turn, the outer ones count the turns.
    AxisList inner = place.axes;
    while (!inner.empty() && axes.getSize(inner) != from)
      inner.erase(inner.begin());
    if (!place.index && !inner.empty()) {
      input.push_back({inner, Value()});
      continue;
    }
    Value index = getIndex(place);
    if (!index)
      return failure();
    input.push_back({{}, arith::RemUIOp::create(builder, location, index, getSize(from))});
  }
  return visit(op.getInput(), input);
}

ScoreRegion::Element ScoreRegion::computeSlice(SliceOp op, const Positions &at) {
  if (op.getStarts() || !op.getOffsets())
    return failure();
  SmallVector<Dim> from = *getDims(op.getInput()), to = *getDims(op.getResult());
  Positions input;
  for (auto [i, place] : llvm::enumerate(at)) {
    Dim offset = op.getOffsets()->getDims()[i];
    int64_t stride = op.getStrides()[i];
    bool isWhole = from[i] == to[i] && offset.getConstant() == 0 && stride == 1;
    if (isWhole) {
      input.push_back(place);
      continue;
    }
    if (stride == 1) {
      input.push_back(shift(place, from[i], offset, /*isPart=*/false));
      continue;
    }
    Value index = getIndex(place);
    if (!index)
      return failure();
    index = arith::MulIOp::create(builder, location, index, indexConstant(stride));
    input.push_back({{}, shift(index, offset, /*isPart=*/false)});
  }
  return visit(op.getInput(), input);
}

/// The element of the input that a place is in.
ScoreRegion::Element ScoreRegion::computeConcat(ConcatOp op, const Positions &at) {
  const Position &place = at[op.getAxis()];
  Value index = getIndex(place);
  if (!index)
    return failure();
  SmallVector<std::pair<Dim, Value>> elements; // of an input, and where it ends
  Dim start = Dim::constant(op.getContext(), 0);
  for (Value input : op.getInputs()) {
    Dim size = (*getDims(input))[op.getAxis()];
    Positions inside(at);
    inside[op.getAxis()] = shift(place, size, start, /*isPart=*/true);
    Element element = visit(input, inside);
    if (failed(element))
      return failure();
    start = start + size;
    elements.push_back({start, *element});
  }
  Value result = elements.pop_back_val().second;
  for (auto [end, element] : llvm::reverse(elements)) {
    if (element == result)
      continue;
    Value isBefore = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, index, getSize(end));
    result = arith::SelectOp::create(builder, location, isBefore, element, result);
  }
  return result;
}

ScoreRegion::Element ScoreRegion::computeTrilu(TriluOp op, const Positions &at) {
  Value row = getIndex(at[at.size() - 2]), column = getIndex(at.back());
  Element element = visit(op.getInput(), at);
  if (!row || !column || failed(element))
    return failure();
  Value distance = arith::SubIOp::create(builder, location, column, row);
  auto predicate = op.getUpper() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
  Value keep = arith::CmpIOp::create(builder, location, predicate, distance, indexConstant(op.getDiagonal()));
  Type type = element->getType();
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
  return Value(arith::SelectOp::create(builder, location, keep, *element, zero));
}

ScoreRegion::Element ScoreRegion::computeRange(RangeOp op, const Positions &at) {
  Value place = getIndex(at.front());
  if (!place || !op.getFirst() || !op.getStep())
    return failure();
  Type type = getElementTypeOrSelf(op.getResult());
  if (!isa<IntegerType>(type) || type.isUnsignedInteger())
    return failure();
  if (*op.getStep() != 1)
    place = arith::MulIOp::create(builder, location, place, indexConstant(*op.getStep()));
  Dim first(*op.getFirst());
  if (first.getConstant() != 0)
    place = arith::AddIOp::create(builder, location, place, getSize(first));
  return convertIndex(place, type);
}

/// A value of dims that is as long as the positions say, one element of it.
ScoreRegion::Element ScoreRegion::computeDims(DimsOp op, const Positions &at) {
  Type type = getElementTypeOrSelf(op.getResult());
  ArrayRef<DimAttr> dims = op.getValues().getDims();
  if (dims.size() != 1 || !isa<IntegerType>(type) || type.isUnsignedInteger())
    return failure();
  return convertIndex(getSize(Dim(dims.front())), type);
}

ScoreRegion::Element ScoreRegion::computeConstant(ConstantOp op, const Positions &at) {
  const std::optional<IndexTable> &table = tables.get(op);
  if (!table)
    return failure();
  auto constant = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, location, value);
  };
  SmallVector<Value> places;
  for (unsigned dim : table->dims) {
    places.push_back(getIndex(at[dim]));
    if (!places.back())
      return failure();
  }
  if (table->dims.size() == 2) {
    Value distance = arith::SubIOp::create(builder, location, places[1], places[0]);
    Value isBelow = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sle, distance,
                                          indexConstant(table->diagonal));
    return Value(
        arith::SelectOp::create(builder, location, isBelow, constant(table->below), constant(table->above)));
  }
  Value place = places[0];
  if (table->step != 1)
    place = arith::MulIOp::create(builder, location, place, indexConstant(table->step));
  if (table->first != 0)
    place = arith::AddIOp::create(builder, location, place, indexConstant(table->first));
  return convertIndex(place, getElementTypeOrSelf(op.getResult()));
}
