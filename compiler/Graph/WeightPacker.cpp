// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A weight's numbers as panels, in the bits that they are stored in.
#include "compiler/Graph/WeightPacker.h"
#include "compiler/Graph/ShortFloats.h"
#include "compiler/Graph/TernaryWeights.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using graph::MatrixWeight, graph::PackedWeight, graph::PackingChoices, graph::readFloat, graph::roundToBF16;

static constexpr int64_t kPanel = MatmulOp::kPanelColumns;

/// Writes panel after panel: row k of panel p holds the matrix's row k from column `panelColumns` p on, zeros
/// beyond the last. `write(to, from, column)` makes an element of `bytes` bytes from one of the source, which
/// may lie at any byte of a model file.
template <typename Write>
static void pack(const MatrixWeight &weight, const char *source, int64_t panelColumns, char *panels,
                 int64_t bytes, Write write) {
  int64_t rows = weight.rows(), columns = weight.columns();
  for (int64_t first = 0; first < columns; first += panelColumns) {
    int64_t width = std::min(panelColumns, columns - first);
    std::vector<const char *> starts = weight.findColumns(source, first, width);
    for (int64_t row = 0; row < rows; ++row, panels += panelColumns * bytes) {
      for (int64_t column = 0; column < width; ++column) {
        char *to = panels + column * bytes;
        if (const char *start = starts[column])
          write(to, start + row * weight.rowPitch(), first + column);
        else
          std::fill_n(to, bytes, 0);
      }
      std::fill(panels + width * bytes, panels + panelColumns * bytes, 0); // zero in every type
    }
  }
}

static float largestOf(ArrayRef<float> group) {
  float largest = 0;
  for (float value : group)
    largest = std::max(largest, std::abs(value));
  return largest;
}

/// The scale of a group of one column, as the bits of a bf16: its greatest element becomes 7 or -7.
static uint16_t chooseInt4Scale(ArrayRef<float> group) {
  float largest = largestOf(group);
  // As in chooseColumnScales; rounding gives no infinity, since what is rounded is a seventh of a float.
  return roundToBF16(std::max(largest / Int4Block::kLargest, std::numeric_limits<float>::min()));
}

/// Adds to a panel's column the scale and the numbers of rows from `first` on, which are a group.
static void packInt4Group(ArrayRef<float> group, int64_t first, uint32_t *column) {
  using Block = Int4Block;
  uint32_t scale = chooseInt4Scale(group);
  column[Block::scaleRow(first) * kPanel] |= scale << Block::scaleShift(first);
  for (auto [k, value] : llvm::enumerate(group)) {
    float number = std::nearbyint(value / llvm::bit_cast<float>(scale << 16));
    uint32_t bits = uint32_t(int32_t(number)) & ((1U << Block::kBits) - 1);
    column[Block::row(first + k) * kPanel] |= bits << Block::shift(first + k);
  }
}

namespace {
/// Packs one constant in a block, at whose start the result is put, so that every product can share it.
class WeightPacker {
public:
  WeightPacker(Block &body, const MatrixWeight &weight, PackingChoices choices)
      : weight(weight), builder(OpBuilder::atBlockBegin(&body)), location(weight.getConstant().getLoc()),
        choices(choices) {}

  /// Null panels: it stays a matrix.
  FailureOr<PackedWeight> run(StringRef storage) {
    SmallVector<char> memory;
    FailureOr<ArrayRef<char>> bytes = readConstant(weight.getConstant(), memory);
    if (failed(bytes))
      return failure();
    source = bytes->data();
    if (weight.element().isF32() && storage == "bf16" && choices.hasBF16)
      return makeBF16();
    if (weight.element().isF32() && storage == "i8")
      if (std::optional<std::vector<float>> scales = graph::chooseColumnScales(weight, source))
        return choices.scalesSums ? makeI8(*scales) : makeI8Groups(*scales);
    if (weight.element().isF32() && storage == "i4" && graph::isFinite(weight, source))
      return choices.keepsMatrices ? makeInt4Groups() : makeInt4();
    if (weight.element().isF32() && storage == "i2" && graph::isTernary(weight, source))
      return makeTernary();
    if (choices.keepsMatrices)
      return PackedWeight();
    if (weight.element().isF32() && choices.shortens)
      if (Type type = graph::findShortFloat(weight, source); type && (type.isF16() || choices.hasBF16))
        return type.isF16() ? makeF16() : makeBF16();
    int64_t size = weight.elementBytes();
    return makePanels(weight.element(),
                      [size](char *to, const char *from, int64_t) { memcpy(to, from, size); });
  }

private:
  template <typename Write> FailureOr<PackedWeight> makePanels(Type element, Write write) {
    int64_t width = weight.elementBytes() >= int64_t(sizeof(float)) ? choices.panelColumns : kPanel;
    int64_t panels = llvm::divideCeil(weight.columns(), width), size = element.getIntOrFloatBitWidth() / 8;
    FailureOr<Value> made = graph::createConstant(
        builder, location, {panels, weight.rows(), width}, element,
        [&](MutableArrayRef<char> out) { pack(weight, source, width, out.data(), size, write); });
    return failed(made) ? FailureOr<PackedWeight>(failure())
                        : FailureOr<PackedWeight>(PackedWeight{*made, {}, {}});
  }

  FailureOr<PackedWeight> makeBF16() {
    return makePanels(builder.getBF16Type(), [](char *to, const char *from, int64_t) {
      uint16_t rounded = roundToBF16(readFloat(from));
      memcpy(to, &rounded, sizeof(rounded));
    });
  }

  /// Of numbers that f16 holds.
  FailureOr<PackedWeight> makeF16() {
    return makePanels(builder.getF16Type(), [](char *to, const char *from, int64_t) {
      uint16_t bits = *graph::exactF16(readFloat(from));
      memcpy(to, &bits, sizeof(bits));
    });
  }

  FailureOr<PackedWeight> makeI8(const std::vector<float> &scales) {
    FailureOr<PackedWeight> packed =
        makePanels(builder.getI8Type(), [&](char *to, const char *from, int64_t column) {
          *to = char(graph::quantize(readFloat(from), scales[column]));
        });
    FailureOr<Value> scale = graph::createConstant(
        builder, location, {weight.columns()}, builder.getF32Type(),
        [&](MutableArrayRef<char> out) { memcpy(out.data(), scales.data(), out.size()); });
    if (failed(packed) || failed(scale))
      return failure();
    packed->scale = *scale;
    return packed;
  }

  FailureOr<PackedWeight> makeInt4() {
    FailureOr<Value> made = graph::packWords(builder, weight, source, Int4Block::count(weight.rows()),
                                             Int4Block::kRows, Int4Block::kGroup,
                                             [](ArrayRef<float> group, int64_t first, int64_t,
                                                uint32_t *words) { packInt4Group(group, first, words); });
    return failed(made) ? FailureOr<PackedWeight>(failure())
                        : FailureOr<PackedWeight>(PackedWeight{*made, {}, {}});
  }

  /// Groups of words, whose scales `scaleOf` gives.
  FailureOr<PackedWeight>
  makeGroups(WeightGroupsAttr groups,
             llvm::function_ref<float(ArrayRef<float> group, int64_t column)> scaleOf) {
    auto add = [&](ArrayRef<float> group, int64_t first, int64_t column, uint32_t *words) {
      graph::packGroup(groups, group, first, scaleOf(group, column), words);
    };
    FailureOr<Value> made = graph::packWords(builder, weight, source, groups.count(weight.rows()),
                                             groups.words(), groups.getRows(), add);
    return failed(made) ? FailureOr<PackedWeight>(failure())
                        : FailureOr<PackedWeight>(PackedWeight{*made, {}, groups});
  }

  FailureOr<PackedWeight> makeTernary() {
    return makeGroups(graph::ternaryGroups(builder.getContext(), weight.rows()),
                      [](ArrayRef<float> group, int64_t) { return largestOf(group); });
  }

  FailureOr<PackedWeight> makeI8Groups(const std::vector<float> &scales) {
    int64_t rows = WeightGroupsAttr::rowsFor(weight.rows());
    return makeGroups(WeightGroupsAttr::get(builder.getContext(), /*bits=*/8, rows, /*hasOffsets=*/false),
                      [&](ArrayRef<float>, int64_t column) { return scales[column]; });
  }

  FailureOr<PackedWeight> makeInt4Groups() {
    auto groups = WeightGroupsAttr::get(builder.getContext(), Int4Block::kBits, Int4Block::kGroup,
                                        /*hasOffsets=*/false);
    return makeGroups(groups, [](ArrayRef<float> group, int64_t) {
      return llvm::bit_cast<float>(uint32_t(chooseInt4Scale(group)) << 16);
    });
  }

  MatrixWeight weight;
  OpBuilder builder;
  Location location;
  PackingChoices choices;
  const char *source = nullptr;
};
} // namespace

FailureOr<PackedWeight> graph::packWeight(Block &body, const MatrixWeight &weight, StringRef storage,
                                          PackingChoices choices) {
  return WeightPacker(body, weight, choices).run(storage);
}
