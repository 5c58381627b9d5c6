// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Graph/Attention/IndexTable.h"

using namespace mlir;
using namespace weft;
using namespace weft::graph;

/// Larger constants are not looked at.
static constexpr int64_t kMaxElements = int64_t(1) << 24;

namespace {
/// The elements of a constant: their bytes, and one of them as an attribute or a number.
struct Elements {
  Type type;
  ArrayRef<char> bytes;
  int64_t width;

  ArrayRef<char> at(int64_t place) const { return bytes.slice(place * width, width); }
  APInt bits(int64_t place) const {
    uint64_t value = 0;
    memcpy(&value, at(place).data(), width);
    unsigned count = type.getIntOrFloatBitWidth();
    return APInt(count, count == 1 ? value != 0 : value, /*isSigned=*/false, /*implicitTrunc=*/true);
  }
  TypedAttr attribute(int64_t place) const {
    Builder builder(type.getContext());
    if (auto floating = dyn_cast<FloatType>(type))
      return builder.getFloatAttr(type, APFloat(floating.getFloatSemantics(), bits(place)));
    // Unsigned integers are signless as scalars.
    return builder.getIntegerAttr(builder.getIntegerType(type.getIntOrFloatBitWidth()), bits(place));
  }
};
} // namespace

/// An arithmetic progression; of floats only one of whole numbers, which are exact however they are made.
static bool findProgression(const Elements &elements, int64_t count, IndexTable &table) {
  auto isFloat = isa<FloatType>(elements.type);
  auto numberAt = [&](int64_t place) -> std::optional<int64_t> {
    if (!isFloat)
      return elements.bits(place).getSExtValue();
    llvm::APSInt number(64, /*isUnsigned=*/false);
    bool isExact = false;
    APFloat value(cast<FloatType>(elements.type).getFloatSemantics(), elements.bits(place));
    constexpr int64_t kExact = 1 << 11; // below which even f16 holds every whole number
    if (value.convertToInteger(number, APFloat::rmTowardZero, &isExact) != APFloat::opOK || !isExact ||
        (!elements.type.isF32() && !elements.type.isF64() && std::abs(number.getSExtValue()) > kExact))
      return std::nullopt;
    return number.getSExtValue();
  };
  if (elements.type.isInteger(1) || elements.type.isUnsignedInteger())
    return false;
  auto first = numberAt(0), second = numberAt(1);
  constexpr int64_t kFar = int64_t(1) << 23; // so that no product below wraps, and f32 holds every number
  if (!first || !second || std::abs(*first) > kFar || std::abs(*second) > kFar)
    return false;
  int64_t step = *second - *first;
  for (int64_t i = 2; i < count; ++i)
    if (numberAt(i) != *first + step * i)
      return false;
  Builder builder(elements.type.getContext());
  auto attribute = [&](int64_t number) -> TypedAttr {
    if (isFloat)
      return builder.getFloatAttr(elements.type, double(number));
    return builder.getIntegerAttr(elements.type, number);
  };
  table.first = attribute(*first);
  table.step = attribute(step);
  return true;
}

/// One element on and below a diagonal, another above it.
static bool findTriangle(const Elements &elements, int64_t rows, int64_t columns, IndexTable &table) {
  ArrayRef<char> below = elements.at((rows - 1) * columns), above = elements.at(columns - 1);
  if (below == above)
    return false;
  int64_t ofFirstRow = 0;
  while (elements.at(ofFirstRow) == below)
    ++ofFirstRow;
  // Where the first row begins with what is above, rows below it say where the diagonal is.
  int64_t blank = 0;
  if (ofFirstRow == 0)
    while (elements.at(blank * columns) == above)
      ++blank;
  int64_t diagonal = ofFirstRow ? ofFirstRow - 1 : -blank;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (elements.at(row * columns + column) != (column - row <= diagonal ? below : above))
        return false;
  table.below = elements.attribute((rows - 1) * columns);
  table.above = elements.attribute(columns - 1);
  table.diagonal = diagonal;
  return true;
}

std::optional<IndexTable> weft::graph::findIndexTable(ConstantOp constant) {
  auto type = cast<RankedTensorType>(constant.getType());
  int64_t count = type.getNumElements();
  if (count < 2 || count > kMaxElements)
    return std::nullopt;
  IndexTable table;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size != 1)
      table.dims.push_back(dim);
  if (table.dims.size() > 2)
    return std::nullopt;
  SmallVector<char> storage;
  FailureOr<ArrayRef<char>> bytes = readConstant(constant, storage);
  if (failed(bytes))
    return std::nullopt;
  Elements elements{type.getElementType(), *bytes, getElementBytes(type.getElementType())};
  bool found = table.dims.size() == 1 ? findProgression(elements, count, table)
                                      : findTriangle(elements, type.getDimSize(table.dims[0]),
                                                     type.getDimSize(table.dims[1]), table);
  return found ? std::optional(std::move(table)) : std::nullopt;
}
