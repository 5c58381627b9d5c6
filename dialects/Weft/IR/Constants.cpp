// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant data as bytes, however a weft.constant holds it.
#include "dialects/Weft/IR/Weft.h"

using namespace mlir;
using namespace weft;

/// Elements that an inline constant may have unless it is a splat; anything larger is a handle.
static constexpr int64_t kMaxInlineElements = 64;

void weft::spreadConstant(DenseElementsAttr dense, SmallVectorImpl<char> &storage) {
  Type element = dense.getElementType();
  int64_t width = getElementBytes(element), count = dense.getNumElements();
  storage.resize_for_overwrite(count * width);
  bool isExtended = isCompact(element) && element.isSignlessInteger();
  auto write = [&](int64_t index, const APInt &bits) {
    uint64_t value = isExtended ? uint64_t(bits.getSExtValue()) : bits.getZExtValue();
    memcpy(storage.data() + index * width, &value, width);
  };
  int64_t index = 0;
  if (isa<FloatType>(element)) {
    for (const APFloat &value : dense.getValues<APFloat>())
      write(index++, value.bitcastToAPInt());
    return;
  }
  for (const APInt &value : dense.getValues<APInt>())
    write(index++, value);
}

FailureOr<ArrayRef<char>> weft::readConstant(ConstantOp op, SmallVectorImpl<char> &storage) {
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    spreadConstant(dense, storage);
    return ArrayRef<char>(storage);
  }
  auto &weights = cast<WeftDialect>(op->getDialect())->getWeights();
  auto bytes = weights.read(cast<WeightAttr>(op.getValue()));
  if (!bytes)
    return op.emitError() << llvm::toString(bytes.takeError());
  return *bytes;
}

/// The dense attribute of raw bytes.
static DenseElementsAttr makeDense(RankedTensorType type, ArrayRef<char> bytes, int64_t count) {
  Type element = type.getElementType();
  int64_t width = getElementBytes(element);
  SmallVector<APInt> integers;
  SmallVector<APFloat> floats;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t value = 0;
    memcpy(&value, bytes.data() + i * width, width);
    unsigned bits = element.getIntOrFloatBitWidth();
    if (bits == 1)
      value = value != 0;
    APInt integer(bits, value, /*isSigned=*/false, /*implicitTrunc=*/true);
    if (auto floating = dyn_cast<FloatType>(element))
      floats.push_back(APFloat(floating.getFloatSemantics(), integer));
    else
      integers.push_back(integer);
  }
  return floats.empty() ? DenseElementsAttr::get(type, integers) : DenseElementsAttr::get(type, floats);
}

FailureOr<Attribute> weft::makeConstant(RankedTensorType type, Location location,
                                        function_ref<void(MutableArrayRef<char>)> fill) {
  int64_t count = type.getNumElements(), width = getElementBytes(type.getElementType());
  if (count <= kMaxInlineElements) {
    SmallVector<char> bytes(count * width);
    fill(bytes);
    return Attribute(makeDense(type, bytes, count));
  }
  auto *dialect = type.getContext()->getLoadedDialect<WeftDialect>();
  bool splat = false;
  SmallVector<char, 16> first(width);
  auto weight =
      dialect->getWeights().make(type.getContext(), count * width, [&](MutableArrayRef<char> bytes) {
        fill(bytes);
        std::copy_n(bytes.begin(), width, first.begin());
        splat = std::equal(bytes.begin() + width, bytes.end(), bytes.begin());
      });
  if (!weight)
    return emitError(location) << llvm::toString(weight.takeError());
  if (splat)
    return Attribute(makeDense(type, first, 1));
  return Attribute(*weight);
}
