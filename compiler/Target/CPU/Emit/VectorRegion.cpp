// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar regions on vectors: operations in them are elementwise, so they exist on vectors under their own
// names, or they are weft.read and weft.check_index.
#include "compiler/Target/CPU/Emit/VectorRegion.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft::cpu;

/// A division of integers that never traps, as the evaluator's: by 0 it is 0, and the least number by -1
/// wraps. Lanes that are off may hold any divisor.
static Value emitDivision(Emitter &e, Operation &op, Value left, Value right) {
  auto type = cast<VectorType>(right.getType());
  auto splat = [&](int64_t value) {
    return e.create<arith::ConstantOp>(
        DenseElementsAttr::get(type, e.builder.getIntegerAttr(type.getElementType(), value)));
  };
  auto equals = [&](int64_t value) {
    return e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, right, splat(value));
  };
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op),
       isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  Value byZero = equals(0), isSpecial = isSigned ? e.create<arith::OrIOp>(byZero, equals(-1)) : byZero;
  OperationState state(e.location, op.getName());
  state.addOperands({left, e.create<arith::SelectOp>(isSpecial, splat(1), right)});
  state.addTypes(type);
  Value result = e.builder.create(state)->getResult(0);
  if (isRemainder) // by 1 it is 0, as by 0 and by -1
    return result;
  if (isSigned)
    result = e.create<arith::SelectOp>(isSpecial, e.create<arith::SubIOp>(splat(0), left), result);
  return e.create<arith::SelectOp>(byZero, splat(0), result);
}

/// The operation on vectors; all of its operands are vectors already.
static void emitOnVectors(Emitter &emitter, Operation &op, int64_t lanes, IRMapping &vectors) {
  OperationState state(emitter.location, op.getName());
  state.addAttributes(op.getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  for (Value operand : op.getOperands())
    state.operands.push_back(vectors.lookup(operand));
  for (Type type : op.getResultTypes())
    state.types.push_back(VectorType::get(lanes, type));
  vectors.map(op.getResults(), emitter.builder.create(state)->getResults());
}

Index weft::cpu::broadcastPlace(const Buffer &buffer, ArrayRef<Index> position) {
  Index at = buffer.offset;
  size_t missing = position.size() - buffer.rank();
  for (size_t i = 0; i < buffer.rank(); ++i)
    if (!buffer.sizes[i].is(1))
      at = at + position[missing + i] * buffer.strides[i];
  return at;
}

Value weft::cpu::loadCapture(Emitter &e, const Buffer &capture, Type argument, ArrayRef<Index> position,
                             int64_t lanes, Value mask) {
  Index at = broadcastPlace(capture, position);
  bool isSplat = capture.rank() == 0 || capture.sizes.back().is(1);
  Value vector = isSplat ? e.splat(e.loadScalar(capture, at), lanes) : e.load(capture, at, lanes, mask);
  if (!argument.isInteger(1))
    return vector;
  return e.create<arith::CmpIOp>(arith::CmpIPredicate::ne, vector,
                                 e.splat(e.number(capture.element, 0), lanes));
}

/// weft.read: a gather of the lanes whose places are in the buffer.
static FailureOr<Value> emitRead(Emitter &e, weft::ReadOp op, Value places, Value fill, Value mask,
                                 int64_t lanes) {
  FailureOr<Buffer> buffer = e.buffer(op.getBuffer());
  if (failed(buffer))
    return failure();
  Value size = e.splat(buffer->sizes[0], lanes);
  Value active = e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, places, size);
  if (mask)
    active = e.create<arith::AndIOp>(active, mask);
  return Value(e.create<vector::GatherOp>(VectorType::get(lanes, buffer->element), buffer->flat,
                                          ValueRange(Value(buffer->offset)), places, active, fill));
}

/// weft.check_index: the lanes' places; where some are wrong, the greatest wrong index is reported.
static Value emitCheckIndex(Emitter &e, Value indices, Value bounds, Value mask, int64_t lanes) {
  Value zero = e.splat(e.index(0), lanes);
  Value isNegative = e.create<arith::CmpIOp>(arith::CmpIPredicate::slt, indices, zero);
  Value places = e.create<arith::SelectOp>(isNegative, e.create<arith::AddIOp>(indices, bounds), indices);
  Value isGood = e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, places, bounds);
  Value isBad = e.create<arith::XOrIOp>(isGood, e.splat(e.create<arith::ConstantIntOp>(1, 1), lanes));
  if (mask)
    isBad = e.create<arith::AndIOp>(isBad, mask);
  e.ifThen(e.create<vector::ReductionOp>(vector::CombiningKind::OR, isBad), [&] {
    auto worst = [&](Value values) {
      auto wide = VectorType::get(lanes, e.builder.getI64Type());
      Value least = e.splat(e.create<arith::ConstantIntOp>(std::numeric_limits<int64_t>::min(), 64), lanes);
      Value bad = e.create<arith::SelectOp>(isBad, e.create<arith::IndexCastOp>(wide, values), least);
      return e.create<vector::ReductionOp>(vector::CombiningKind::MAXSI, bad);
    };
    weft::FailOp::create(e.builder, e.location, worst(indices), worst(bounds));
  });
  return e.create<arith::SelectOp>(isGood, places, e.splat(e.index(-1), lanes));
}

namespace {
/// A copy of a region on vectors, operation by operation.
struct RegionOnVectors {
  Emitter &e;
  int64_t lanes;
  llvm::function_ref<Value(int64_t)> position;
  Value mask;
  IRMapping vectors = {}; ///< of the region's values so far

  LogicalResult add(Operation &op);
  /// Scalars from outside, on all lanes.
  void addOperands(Operation &op) {
    for (Value operand : op.getOperands())
      if (!vectors.contains(operand) && operand.getParentBlock() != op.getBlock() &&
          !isa<MemRefType>(operand.getType()))
        vectors.map(operand, e.splat(operand, lanes));
  }
};
} // namespace

LogicalResult RegionOnVectors::add(Operation &op) {
  addOperands(op);
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    vectors.map(index.getResult(), position(index.getDim()));
  else if (auto read = dyn_cast<weft::ReadOp>(op)) {
    FailureOr<Value> value =
        emitRead(e, read, vectors.lookup(read.getPlace()), vectors.lookup(read.getFill()), mask, lanes);
    if (failed(value))
      return failure();
    vectors.map(read.getResult(), *value);
  } else if (auto check = dyn_cast<weft::CheckIndexOp>(op))
    vectors.map(check.getPlace(), emitCheckIndex(e, vectors.lookup(check.getIndex()),
                                                 vectors.lookup(check.getBound()), mask, lanes));
  else if (op.hasTrait<OpTrait::ConstantLike>())
    vectors.map(op.getResult(0), e.splat(e.builder.clone(op)->getResult(0), lanes));
  else if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    vectors.map(op.getResult(0),
                emitDivision(e, op, vectors.lookup(op.getOperand(0)), vectors.lookup(op.getOperand(1))));
  else if (OpTrait::hasElementwiseMappableTraits(&op))
    emitOnVectors(e, op, lanes, vectors);
  else
    return op.emitError("has no vector form; expects an elementwise operation in the region of a kernel");
  return success();
}

FailureOr<Emitter::Values> weft::cpu::emitVectorRegion(Emitter &emitter, Block &block, ValueRange arguments,
                                                       int64_t lanes,
                                                       llvm::function_ref<Value(int64_t)> position,
                                                       Value mask) {
  RegionOnVectors region{emitter, lanes, position, mask};
  for (auto [argument, vector] : llvm::zip(block.getArguments(), arguments))
    if (vector)
      region.vectors.map(argument, vector);
  for (Operation &op : block.without_terminator())
    if (failed(region.add(op)))
      return failure();
  region.addOperands(*block.getTerminator());
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return region.vectors.lookup(value); });
}

FailureOr<SmallVector<Value>> weft::cpu::emitVectorRegions(Emitter &emitter, Block &block, int64_t copies,
                                                           llvm::function_ref<Value(unsigned, int64_t)> load,
                                                           int64_t lanes) {
  SmallVector<RegionOnVectors> regions;
  for (int64_t copy = 0; copy < copies; ++copy)
    regions.push_back({emitter, lanes, {}, Value()});
  auto loadOperands = [&](Operation &op, int64_t copy) {
    for (Value operand : op.getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == &block && !regions[copy].vectors.contains(argument))
        regions[copy].vectors.map(operand, load(argument.getArgNumber(), copy));
  };
  for (Operation &op : block.without_terminator())
    for (int64_t copy = 0; copy < copies; ++copy) {
      loadOperands(op, copy);
      if (failed(regions[copy].add(op)))
        return failure();
    }
  SmallVector<Value> results;
  for (int64_t copy = 0; copy < copies; ++copy) {
    loadOperands(*block.getTerminator(), copy);
    regions[copy].addOperands(*block.getTerminator());
    results.push_back(regions[copy].vectors.lookup(block.getTerminator()->getOperand(0)));
  }
  return results;
}
