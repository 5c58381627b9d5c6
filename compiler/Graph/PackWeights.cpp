// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores constant right-hand sides of matmul as panels of 48 columns.
#include "compiler/Graph/Bodies.h"
#include "compiler/Graph/DeadOperations.h"
#include "compiler/Graph/DequantizedWeights.h"
#include "compiler/Graph/MatrixWeights.h"
#include "compiler/Graph/NodeErrors.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/TernaryWeights.h"
#include "dialects/Weft/IR/PackedWeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using graph::MatrixWeight, graph::readFloat, graph::roundToBF16;

namespace weft::graph {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "compiler/Graph/Passes.h.inc"
} // namespace weft::graph

static constexpr int64_t kPanel = MatmulOp::kPanelColumns;

namespace {
/// A weight as matmuls take it: panels, what sums of i8 have to be multiplied by, and how groups lie in
/// words.
struct Packed {
  Value panels, scale;
  WeightGroupsAttr groups;
};
} // namespace

/// Writes panel after panel: row k of panel p holds the matrix's row k from column 48 p on, zeros beyond the
/// last. `write(to, from, column)` makes an element of `bytes` bytes from one of the source, which may lie at
/// any byte of a model file.
template <typename Write>
static void pack(const MatrixWeight &weight, const char *source, char *panels, int64_t bytes, Write write) {
  int64_t rows = weight.rows(), columns = weight.columns();
  for (int64_t first = 0; first < columns; first += kPanel) {
    int64_t width = std::min(kPanel, columns - first);
    std::vector<const char *> starts = weight.findColumns(source, first, width);
    for (int64_t row = 0; row < rows; ++row, panels += kPanel * bytes) {
      for (int64_t column = 0; column < width; ++column) {
        char *to = panels + column * bytes;
        if (const char *start = starts[column])
          write(to, start + row * weight.rowPitch(), first + column);
        else
          std::fill_n(to, bytes, 0);
      }
      std::fill(panels + width * bytes, panels + kPanel * bytes, 0); // zero in every type
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
  /// `scalesSums`: whether an epilogue can scale the sums; otherwise the scales of i8 lie beside the numbers.
  WeightPacker(Block &body, const MatrixWeight &weight, bool keepsMatrices, bool scalesSums)
      : weight(weight), builder(OpBuilder::atBlockBegin(&body)), location(weight.getConstant().getLoc()),
        keepsMatrices(keepsMatrices), scalesSums(scalesSums) {}

  /// Null panels: it stays a matrix.
  FailureOr<Packed> run(StringRef storage) {
    SmallVector<char> memory;
    FailureOr<ArrayRef<char>> bytes = readConstant(weight.getConstant(), memory);
    if (failed(bytes))
      return failure();
    source = bytes->data();
    if (weight.element().isF32() && storage == "bf16")
      return makeBF16();
    if (weight.element().isF32() && storage == "i8")
      if (std::optional<std::vector<float>> scales = graph::chooseColumnScales(weight, source))
        return scalesSums ? makeI8(*scales) : makeI8Groups(*scales);
    if (weight.element().isF32() && storage == "i4" && graph::isFinite(weight, source))
      return keepsMatrices ? makeInt4Groups() : makeInt4();
    if (weight.element().isF32() && storage == "i2" && graph::isTernary(weight, source))
      return makeTernary();
    if (keepsMatrices)
      return Packed();
    int64_t size = weight.elementBytes();
    return makePanels(weight.element(),
                      [size](char *to, const char *from, int64_t) { memcpy(to, from, size); });
  }

private:
  template <typename Write> FailureOr<Packed> makePanels(Type element, Write write) {
    int64_t panels = llvm::divideCeil(weight.columns(), kPanel), size = element.getIntOrFloatBitWidth() / 8;
    FailureOr<Value> made = graph::createConstant(
        builder, location, {panels, weight.rows(), kPanel}, element,
        [&](MutableArrayRef<char> out) { pack(weight, source, out.data(), size, write); });
    return failed(made) ? FailureOr<Packed>(failure()) : FailureOr<Packed>(Packed{*made, {}, {}});
  }

  FailureOr<Packed> makeBF16() {
    return makePanels(builder.getBF16Type(), [](char *to, const char *from, int64_t) {
      uint16_t rounded = roundToBF16(readFloat(from));
      memcpy(to, &rounded, sizeof(rounded));
    });
  }

  FailureOr<Packed> makeI8(const std::vector<float> &scales) {
    FailureOr<Packed> packed =
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

  FailureOr<Packed> makeInt4() {
    FailureOr<Value> made = graph::packWords(builder, weight, source, Int4Block::count(weight.rows()),
                                             Int4Block::kRows, Int4Block::kGroup,
                                             [](ArrayRef<float> group, int64_t first, int64_t,
                                                uint32_t *words) { packInt4Group(group, first, words); });
    return failed(made) ? FailureOr<Packed>(failure()) : FailureOr<Packed>(Packed{*made, {}, {}});
  }

  /// Groups of words, whose scales `scaleOf` gives.
  FailureOr<Packed> makeGroups(WeightGroupsAttr groups,
                               llvm::function_ref<float(ArrayRef<float> group, int64_t column)> scaleOf) {
    auto add = [&](ArrayRef<float> group, int64_t first, int64_t column, uint32_t *words) {
      graph::packGroup(groups, group, first, scaleOf(group, column), words);
    };
    FailureOr<Value> made = graph::packWords(builder, weight, source, groups.count(weight.rows()),
                                             groups.words(), groups.getRows(), add);
    return failed(made) ? FailureOr<Packed>(failure()) : FailureOr<Packed>(Packed{*made, {}, groups});
  }

  FailureOr<Packed> makeTernary() {
    return makeGroups(graph::ternaryGroups(builder.getContext(), weight.rows()),
                      [](ArrayRef<float> group, int64_t) { return largestOf(group); });
  }

  FailureOr<Packed> makeI8Groups(const std::vector<float> &scales) {
    int64_t rows = WeightGroupsAttr::rowsFor(weight.rows());
    return makeGroups(WeightGroupsAttr::get(builder.getContext(), /*bits=*/8, rows, /*hasOffsets=*/false),
                      [&](ArrayRef<float>, int64_t column) { return scales[column]; });
  }

  FailureOr<Packed> makeInt4Groups() {
    auto groups = WeightGroupsAttr::get(builder.getContext(), Int4Block::kBits, Int4Block::kGroup,
                                        /*hasOffsets=*/false);
    return makeGroups(groups, [](ArrayRef<float> group, int64_t) {
      return llvm::bit_cast<float>(uint32_t(chooseInt4Scale(group)) << 16);
    });
  }

  MatrixWeight weight;
  OpBuilder builder;
  Location location;
  bool keepsMatrices, scalesSums;
  const char *source = nullptr;
};
} // namespace

/// Begins the epilogue with a product of the sum and an element of `scale`.
static void scaleSums(MatmulOp op, Value scale) {
  Block &block = graph::getOrCreateEpilogue(op);
  OpBuilder builder(op.getContext());
  op.getCapturesMutable().append(scale);
  Value sum = block.getArgument(0), factor = block.addArgument(builder.getF32Type(), op.getLoc());
  builder.setInsertionPointToStart(&block);
  Value scaled = arith::MulFOp::create(builder, op.getLoc(), sum, factor);
  sum.replaceAllUsesExcept(scaled, scaled.getDefiningOp());
}

/// Lets a product read packed matrices of so many columns, perhaps in groups.
template <typename Product>
static void setWeight(Product op, OpOperand &weight, Value panels, int64_t columns, WeightGroupsAttr groups) {
  weight.set(panels);
  op.setPackedColumns(columns);
  if (groups)
    op.setGroupsAttr(groups);
}

namespace {
struct PackWeights : weft::graph::impl::PackWeightsBase<PackWeights> {
  using PackWeightsBase::PackWeightsBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    for (StringRef given : {StringRef(storage), StringRef(routedStorage)})
      if (!llvm::is_contained({"f32", "bf16", "i8", "i4", "i2"}, given)) {
        getOperation().emitError() << "weft-pack-weights: expects storage f32, bf16, i8, i4 or i2, got "
                                   << given;
        return signalPassFailure();
      }
    bool isShortened = false;
    for (Block *body : graph::getBodies(getOperation())) {
      if (failed(packDequantized(*body)))
        return signalPassFailure();
      FailureOr<bool> hasShortened = pack(*body), hasShortenedRouted = packRouted(*body);
      if (failed(hasShortened) || failed(hasShortenedRouted))
        return signalPassFailure();
      isShortened |= *hasShortened || *hasShortenedRouted;
    }
    if (storage != "f32" && !isShortened)
      emitWarning(getOperation().getLoc())
          << "no weight is one that can be stored as " << (storage == "i2" ? "ternary" : StringRef(storage))
          << " [" << graph::warnings::kNoShortWeight << "]";
    graph::eraseDead(getOperation().front());
  }

private:
  /// Whether the block had a weight that takes fewer bits now.
  FailureOr<bool> pack(Block &body) {
    bool isShortened = false;
    llvm::DenseMap<std::pair<std::tuple<Attribute, Type, int>, int>, Packed> done;
    for (MatmulOp op : llvm::to_vector(body.getOps<MatmulOp>())) {
      std::optional<MatrixWeight> weight = graph::getWeight(op);
      if (!weight)
        continue;
      bool isRounded = storage != "f32" && storage != "i2";
      bool isPlain = (isRounded && graph::isChosenFrom(op)) ||
                     (storage == "bf16" && graph::hasIntegersOf16Bits(op.getCaptures()));
      Packed &known = done[{weight->key(), isPlain}];
      if (!known.panels) {
        FailureOr<Packed> made = WeightPacker(body, *weight, keepsMatrices, /*scalesSums=*/!keepsMatrices)
                                     .run(isPlain ? StringRef("f32") : StringRef(storage));
        if (failed(made))
          return failure();
        known = *made;
        if (!known.panels)
          continue;
        ++packed;
      }
      setWeight(op, op.getRhsMutable(), known.panels, weight->columns(), known.groups);
      if (known.scale)
        scaleSums(op, known.scale);
      isShortened |= getElementTypeOrSelf(known.panels) != weight->element();
    }
    return isShortened;
  }

  /// The same of matrices that rows are routed to.
  FailureOr<bool> packRouted(Block &body) {
    bool isShortened = false;
    llvm::DenseMap<std::tuple<Attribute, Type, int>, Packed> done;
    for (RoutedMatmulOp op : llvm::to_vector(body.getOps<RoutedMatmulOp>())) {
      std::optional<MatrixWeight> weight = graph::getMatrices(op.getWeights());
      if (!weight)
        continue;
      Packed &known = done[weight->key()];
      if (!known.panels) {
        FailureOr<Packed> made =
            WeightPacker(body, *weight, /*keepsMatrices=*/false, /*scalesSums=*/false).run(routedStorage);
        if (failed(made))
          return failure();
        known = *made;
        ++packed;
      }
      setWeight(op, op.getWeightsMutable(), known.panels, weight->columnsOfEach(), known.groups);
      isShortened |= getElementTypeOrSelf(known.panels) != weight->element();
    }
    return isShortened;
  }

  /// Matrices that the model stores in few bits stay as they are.
  LogicalResult packDequantized(Block &body) {
    llvm::DenseMap<DequantizeOp, graph::GroupedWeight> done;
    llvm::DenseMap<Value, Value> rounded;
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    // Whether it is such a matrix.
    auto take = [&](auto op, OpOperand &rhs) -> FailureOr<bool> {
      DequantizeOp weight = graph::getDequantizedWeight(rhs.get());
      if (!weight)
        return false;
      graph::GroupedWeight &known = done[weight];
      if (!known.panels) {
        FailureOr<graph::GroupedWeight> made = graph::packGroups(builder, weight);
        if (failed(made))
          return failure();
        known = *made;
        ++packed;
      }
      int64_t columns = cast<ShapedType>(weight.getType()).getShape().drop_back().back();
      setWeight(op, rhs, known.panels, columns, known.groups);
      return true;
    };
    for (RoutedMatmulOp op : llvm::to_vector(body.getOps<RoutedMatmulOp>()))
      if (failed(take(op, op.getWeightsMutable())))
        return failure();
    for (MatmulOp op : llvm::to_vector(body.getOps<MatmulOp>())) {
      FailureOr<bool> isTaken = take(op, op.getRhsMutable());
      if (failed(isTaken))
        return failure();
      if (!*isTaken || !roundsRows || !getElementTypeOrSelf(op.getLhs()).isF32() ||
          graph::hasIntegersOf16Bits(op.getCaptures()))
        continue;
      Value &rows = rounded[op.getLhs()];
      if (!rows)
        rows = graph::roundToBF16(op.getLhs());
      op.getLhsMutable().assign(rows);
      op.setF32Sums(true);
    }
    return success();
  }
};
} // namespace
