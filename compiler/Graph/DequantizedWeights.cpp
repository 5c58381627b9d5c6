// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs what weft.dequantize reads: numbers stay, and words of a column's become a column of words.
#include "compiler/Graph/DequantizedWeights.h"
#include "compiler/Graph/ConstantEvaluation.h"
#include "compiler/Graph/MatrixWeights.h"

using namespace mlir;
using namespace weft;

/// Rows of a packed group: as many as a group of the model's has, or a part of them that all begin with one.
static std::optional<int64_t> chooseGroupRows(DequantizeOp op) {
  auto length = int64_t(op.getLength()), group = int64_t(op.getGroup());
  if (group >= length)
    return WeightGroupsAttr::rowsFor(length);
  for (int64_t rows = WeightGroupsAttr::kMostRows; rows >= WeightGroupsAttr::kFewestRows; rows /= 2)
    if (group % rows == 0)
      return rows;
  return std::nullopt;
}

bool graph::canBeGroups(DequantizeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  return type && hasConstantOperands(op) && (type.getRank() == 2 || type.getRank() == 3) &&
         type.getNumElements() > 0 && chooseGroupRows(op);
}

/// Whether a matmul reads a value as a right-hand side that can be packed.
static bool isPackableUse(OpOperand &use) {
  auto matmul = dyn_cast<MatmulOp>(use.getOwner());
  if (!matmul || use.getOperandNumber() != 1 || matmul.getPackedColumns())
    return false;
  auto lhs = dyn_cast<RankedTensorType>(matmul.getLhs().getType());
  return lhs && lhs.getRank() >= 2 && !lhs.isDynamicDim(lhs.getRank() - 1);
}

bool graph::isReadAsGroups(DequantizeOp op) {
  return canBeGroups(op) && llvm::all_of(op->getUsers(), [](Operation *user) {
           return (isMatrixTransposition(user) && llvm::all_of(user->getUses(), isPackableUse)) ||
                  (isTranspositionOfMatrices(user) && llvm::all_of(user->getUses(), isRoutedWeight));
         });
}

DequantizeOp graph::getDequantizedWeight(Value rhs) {
  auto transpose = rhs.getDefiningOp<TransposeOp>();
  auto weight = transpose ? transpose.getInput().getDefiningOp<DequantizeOp>() : DequantizeOp();
  return weight && isReadAsGroups(weight) ? weight : DequantizeOp();
}

namespace {
class GroupPacker {
public:
  GroupPacker(OpBuilder &builder, DequantizeOp op)
      : builder(builder), op(op), type(cast<RankedTensorType>(op.getType())), bits(op.getBits()),
        length(op.getLength()), modelGroup(op.getGroup()), half(op.getTable() ? 0 : 1U << (bits - 1)) {}

  FailureOr<graph::GroupedWeight> run();

private:
  bool hasOffsets(const Tensor &zeros) const;
  void packColumn(ArrayRef<char> numbers, int64_t column, uint32_t *words) const;
  int64_t matrices() const { return type.getRank() == 2 ? 1 : type.getDimSize(0); }
  int64_t columnsOfEach() const { return type.getDimSize(type.getRank() - 2); }
  int64_t columns() const { return matrices() * columnsOfEach(); }
  float offset(const Tensor &zeros, int64_t at) const {
    return float(zeros.getFloat(zeros.getShape().empty() ? 0 : at)) - float(half);
  }

  OpBuilder &builder;
  DequantizeOp op;
  RankedTensorType type;
  WeightGroupsAttr groups;
  Tensor scales, zeros;
  int64_t bits, length, modelGroup;
  uint32_t half; ///< of their range, which numbers lose and so are signed; places in a table lose nothing
};
} // namespace

bool GroupPacker::hasOffsets(const Tensor &zeros) const {
  return llvm::any_of(llvm::seq<int64_t>(0, zeros.getNumElements()),
                      [&](int64_t i) { return offset(zeros, i) != 0; });
}

/// A column of words, which are a panel's columns apart. Bytes of the model hold numbers in the order of a
/// word; they become signed by the bit that half of their range is.
void GroupPacker::packColumn(ArrayRef<char> numbers, int64_t column, uint32_t *words) const {
  constexpr int64_t width = MatmulOp::kPanelColumns;
  uint32_t signs = 0;
  for (int64_t bit = 0; bit < 32; bit += bits)
    signs |= half << bit;
  int64_t bytes = int64_t(numbers.size()) / columns(), modelGroups = llvm::divideCeil(length, modelGroup);
  const char *row = numbers.data() + column * bytes;
  for (int64_t k = 0; k < length; k += groups.getRows()) {
    int64_t at = column * modelGroups + k / modelGroup;
    uint32_t *head = words + groups.groupWord(k) * width;
    head[0] = llvm::bit_cast<uint32_t>(float(scales.getFloat(at)));
    if (groups.getHasOffsets())
      head[width] = llvm::bit_cast<uint32_t>(offset(zeros, at));
    for (int64_t i = k; i < std::min(k + groups.getRows(), length); i += groups.perWord()) {
      uint32_t word = 0;
      int64_t from = i * bits / 8;
      memcpy(&word, row + from, std::min<int64_t>(sizeof(word), bytes - from));
      words[groups.word(i) * width] = word ^ signs;
    }
  }
}

FailureOr<graph::GroupedWeight> GroupPacker::run() {
  constexpr int64_t width = MatmulOp::kPanelColumns;
  FailureOr<Tensor> scale = graph::readTensor(op.getScales().getDefiningOp<ConstantOp>()),
                    zero = graph::readTensor(op.getZeros().getDefiningOp<ConstantOp>());
  SmallVector<char> storage;
  FailureOr<ArrayRef<char>> numbers = readConstant(op.getNumbers().getDefiningOp<ConstantOp>(), storage);
  if (failed(scale) || failed(zero) || failed(numbers))
    return failure();
  scales = *scale;
  zeros = *zero;
  groups = WeightGroupsAttr::get(op.getContext(), bits, *chooseGroupRows(op), hasOffsets(zeros),
                                 op.getTableAttr());
  int64_t words = groups.count(length) * groups.words(),
          panelsOfEach = llvm::divideCeil(columnsOfEach(), width), panels = matrices() * panelsOfEach;
  auto fill = [&](MutableArrayRef<char> out) {
    std::fill(out.begin(), out.end(), 0);
    auto *memory = reinterpret_cast<uint32_t *>(out.data());
    for (int64_t column = 0; column < columns(); ++column) {
      int64_t ofMatrix = column % columnsOfEach();
      int64_t panel = column / columnsOfEach() * panelsOfEach + ofMatrix / width;
      packColumn(*numbers, column, memory + panel * words * width + ofMatrix % width);
    }
  };
  FailureOr<Value> made =
      graph::createConstant(builder, op.getLoc(), {panels, groups.count(length), groups.words(), width},
                            builder.getI32Type(), fill);
  return failed(made) ? FailureOr<graph::GroupedWeight>(failure()) : graph::GroupedWeight{*made, groups};
}

FailureOr<graph::GroupedWeight> graph::packGroups(OpBuilder &builder, DequantizeOp op) {
  return GroupPacker(builder, op).run();
}
