// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape: Range, of integers and of floats, whose length may be a run's to say.
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/Ops/RunSteps.h"

using namespace mlir;
using namespace weft;
using weft::onnx::NodeImport;
using weft::onnx::OpTable;
using weft::onnx::RunSteps;

/// Whether constants, sizes and integers that a run gives decide a number, which may be cast to floats.
static bool followsFromIntegers(Value value) {
  llvm::SetVector<Value> pending;
  pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) { // It grows.
    Operation *op = pending[i].getDefiningOp();
    if (op ? !isShort(op->getResult(0).getType()) : isa<FloatType>(getElementTypeOrSelf(pending[i])))
      return false;
    if (op && !isa<ConstantOp, ShapeOp>(op))
      pending.insert_range(op->getOperands());
  }
  return true;
}

/// start + i * delta, for max(ceil((limit - start) / delta), 0) numbers i, rounded once.
static Value rangeOfFloats(NodeImport &node, Value start, Value limit, Value delta) {
  GraphBuilder &graph = node.graph;
  Type element = getElementTypeOrSelf(start), f64 = Float64Type::get(graph.getContext());
  for (Value *x : {&start, &limit, &delta})
    *x = node.castTo(*x, f64);
  Value steps = graph.add("weft.ceil", {graph.divide(graph.subtract(limit, start), delta)});
  Value zero = node.scalar(f64, 0), isNumber = graph.compare(ComparePredicate::Equal, steps, steps);
  // Less than 0 is no size, as is what f64 holds no integer of, so a session refuses both.
  Value count = graph.where(isNumber, graph.add("weft.max", {steps, zero}), node.scalar(f64, -1));
  count = graph.cast(graph.add("weft.min", {count, node.scalar(f64, 0x1p62)}), graph.i64());
  Value places = graph.cast(node.placesUpTo(count), f64);
  return node.castTo(graph.addition(start, graph.multiply(places, delta)), element);
}

static Value buildRange(NodeImport &node) {
  Value start = node.input(0), limit = node.input(1), delta = node.input(2);
  for (Value *x : {&start, &limit, &delta}) { // Some exporters make them lists of one element.
    if (NodeImport::rankOf(*x) == 1)
      *x = node.graph.reshape(*x, ArrayRef<int64_t>());
    if (!*x)
      return nullptr;
  }
  bool isOfFloats = isa<FloatType>(getElementTypeOrSelf(delta));
  if (isOfFloats ? llvm::all_of(ArrayRef{start, limit, delta}, followsFromIntegers) : !node.isGivenByRun(2))
    return node.graph.range(start, limit, delta);
  for (Value x : {start, limit, delta})
    if (!node.hasRank(x, 0, "start, limit and delta"))
      return nullptr;
  if (isOfFloats)
    return rangeOfFloats(node, start, limit, delta);
  RunSteps steps(node, delta);
  Type element = getElementTypeOrSelf(start);
  Value places = node.castTo(steps.checked(steps.places(steps.count(start, limit))), element);
  return node.graph.addition(start, node.graph.multiply(places, delta));
}

void weft::onnx::addRangeOps(OpTable &table) { table.add("Range", {11}, 3, {}, buildRange); }
