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

/// An arithmetic progression; of floats only one of whole numbers, in a type that holds them all.
static bool findProgression(const Elements &elements, int64_t count, IndexTable &table) {
  Type type = elements.type;
  if (type.isInteger(1) || type.isUnsignedInteger() || type.isF16() || type.isBF16())
    return false;
  auto numberAt = [&](int64_t place) -> std::optional<int64_t> {
    auto floating = dyn_cast<FloatType>(type);
    if (!floating)
      return elements.bits(place).getSExtValue();
    llvm::APSInt number(64, /*isUnsigned=*/false);
    bool isExact = false;
    APFloat value(floating.getFloatSemantics(), elements.bits(place));
    bool isWhole =
        value.convertToInteger(number, APFloat::rmTowardZero, &isExact) == APFloat::opOK && isExact;
    return isWhole ? std::optional(number.getSExtValue()) : std::nullopt;
  };
  auto first = numberAt(0), second = numberAt(1);
  constexpr int64_t kFar = int64_t(1) << 31; // so that no product below wraps
  if (!first || !second || std::abs(*first) > kFar || std::abs(*second) > kFar)
    return false;
  table.first = *first;
  table.step = *second - *first;
  for (int64_t i = 2; i < count; ++i)
    if (numberAt(i) != table.first + table.step * i)
      return false;
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
