// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant matrices that matmuls multiply with, as passes that store them otherwise read them.
#ifndef WEFT_COMPILER_GRAPH_MATRIXWEIGHTS_H
#define WEFT_COMPILER_GRAPH_MATRIXWEIGHTS_H

#include "dialects/Weft/IR/Weft.h"
#include <cstring>
#include <optional>
#include <vector>

namespace weft::graph {

/// A constant matrix [rows, columns], or its transposition; or several, [matrices, rows, columns], that stand
/// side by side, each filled up to whole panels.
class MatrixWeight {
public:
  MatrixWeight(ConstantOp constant, bool isTransposed);

  ConstantOp getConstant() const { return constant; }
  int64_t rows() const { return rowCount; }
  /// Of all matrices, with what fills them up if there are several.
  int64_t columns() const { return isOne ? columnCount : matrixCount * columnsOfPanels(); }
  int64_t columnsOfEach() const { return columnCount; }
  mlir::Type element() const { return type().getElementType(); }
  int64_t elementBytes() const { return elementSize; }
  /// How many bytes neighbours in the constant are apart: along a row, and along a column.
  int64_t rowPitch() const { return (isTransposed ? 1 : columnCount) * elementSize; }
  int64_t columnPitch() const { return (isTransposed ? rowCount : 1) * elementSize; }
  /// Where a column starts, if the data starts at `source`; null if it fills a panel.
  const char *findColumn(const char *source, int64_t column) const {
    if (isOne)
      return source + column * columnPitch();
    int64_t matrix = column / columnsOfPanels(), ofMatrix = column % columnsOfPanels();
    const char *start = source + matrix * rowCount * columnCount * elementSize;
    return ofMatrix < columnCount ? start + ofMatrix * columnPitch() : nullptr;
  }
  /// The same of `count` columns from `first` on.
  std::vector<const char *> findColumns(const char *source, int64_t first, int64_t count) const {
    std::vector<const char *> starts;
    for (int64_t column = first; column < first + count; ++column)
      starts.push_back(findColumn(source, column));
    return starts;
  }
  /// The same for matrices of the same data, also where CSE did not see that constants are one.
  std::tuple<mlir::Attribute, mlir::Type, int> key() const {
    return {ConstantOp(constant).getValue(), type(), isTransposed};
  }

private:
  mlir::RankedTensorType type() const {
    return mlir::cast<mlir::RankedTensorType>(ConstantOp(constant).getType());
  }

  int64_t columnsOfPanels() const { return llvm::alignTo(columnCount, MatmulOp::kPanelColumns); }

  ConstantOp constant;
  bool isTransposed, isOne;
  int64_t matrixCount, rowCount, columnCount, elementSize; // kept, since they are asked for each element
};

/// Whether it swaps the dims of a matrix.
bool isMatrixTransposition(mlir::Operation *op);
/// Whether it swaps those of several matrices.
bool isTranspositionOfMatrices(mlir::Operation *op);
/// Whether a use is as the matrices that rows are routed to, and these can be packed.
bool isRoutedWeight(mlir::OpOperand &use);
/// The constant that a matmul's rhs is, if it can be packed.
std::optional<MatrixWeight> getWeight(MatmulOp op);
/// The constant matrix that a value is, or is the transposition of; of static dims, none of which is 0.
std::optional<MatrixWeight> getMatrix(mlir::Value value);
/// The same of several of one size, [matrices, rows, columns].
std::optional<MatrixWeight> getMatrices(mlir::Value value);
/// Whether rows of lhs are f32, or of `element`, and known to be as long as the weight, of the same type, is
/// deep: then both can be made of fewer bits, and padded.
bool areKnownFloats(MatmulOp op, const MatrixWeight &weight);
bool areKnown(MatmulOp op, const MatrixWeight &weight, mlir::Type element);

/// Whether a top-k or an arg-reduction reads a product of not many columns, such as a router's: what its
/// weights are rounded to may change the choice, and they are few. (The products that give words have many.)
bool isChosenFrom(MatmulOp op);

/// f32 rounded to bf16.
mlir::Value roundToBF16(mlir::Value rows);
/// Rows of known length with zeros up to a multiple of it.
mlir::Value padRows(mlir::Value rows, int64_t multiple);

/// An element that may lie at any byte of a model file.
template <typename Element> Element readElement(const char *from) {
  Element value;
  memcpy(&value, from, sizeof(value));
  return value;
}
inline float readFloat(const char *from) { return readElement<float>(from); }
/// An element of a column of a weight of f32 (findColumn); 0 where that fills a panel.
inline float readFloat(const MatrixWeight &weight, const char *column, int64_t row) {
  return column ? readFloat(column + row * weight.rowPitch()) : 0;
}
/// Whether a weight of f32, whose data starts there, has no infinity and no NaN.
bool isFinite(const MatrixWeight &weight, const char *source);
/// What each column of f32 is divided by to become numbers of at most `largest`. Nothing if a column has an
/// element that is not finite.
std::optional<std::vector<float>> chooseColumnScales(const MatrixWeight &weight, const char *source,
                                                     float largest = 127);
/// A weight's element divided by its column's scale, and rounded to nearest even.
int8_t quantize(float element, float scale);
/// bf16 by rounding to nearest even; a NaN stays one, and what is finite stays so.
uint16_t roundToBF16(float value);
/// Whether a kernel, whose integers of 16 bits are all taken for bf16 if one is, would take one of these
/// captures for what it is not.
bool hasIntegersOf16Bits(mlir::ValueRange captures);

/// A constant of that shape, whose bytes `fill` writes.
mlir::FailureOr<mlir::Value> createConstant(mlir::OpBuilder &builder, mlir::Location location,
                                            llvm::ArrayRef<int64_t> shape, mlir::Type element,
                                            llvm::function_ref<void(llvm::MutableArrayRef<char>)> fill);

/// A constant row with a number for each of a weight's columns.
template <typename Number>
mlir::FailureOr<mlir::Value> createRow(mlir::OpBuilder &builder, const MatrixWeight &weight,
                                       mlir::Type element, const std::vector<Number> &numbers) {
  auto fill = [&](llvm::MutableArrayRef<char> out) { memcpy(out.data(), numbers.data(), out.size()); };
  return createConstant(builder, weight.getConstant().getLoc(), {weight.columns()}, element, fill);
}

/// A weight of `Source` elements, whose data starts at `source`, as a constant of the type `element`: panel
/// after panel, the numbers of its columns side by side, and of each of them those of `Format::kDepth` of the
/// depth. Beside them are zeros. `convert(value, column)` makes the numbers.
template <typename Format, typename Number, typename Source>
mlir::FailureOr<mlir::Value> packTogether(mlir::OpBuilder &builder, const MatrixWeight &weight,
                                          const char *source, mlir::Type element,
                                          llvm::function_ref<Number(Source, int64_t)> convert) {
  constexpr int64_t kWidth = MatmulOp::kPanelColumns, kEach = Format::kDepth;
  int64_t panels = llvm::divideCeil(weight.columns(), kWidth);
  int64_t depth = llvm::alignTo(weight.rows(), Format::kPadding);
  auto fill = [&](llvm::MutableArrayRef<char> out) {
    std::fill(out.begin(), out.end(), 0);
    auto *panel = reinterpret_cast<Number *>(out.data());
    for (int64_t first = 0; first < weight.columns(); first += kWidth, panel += depth * kWidth)
      for (int64_t row = 0; row < weight.rows(); ++row)
        for (int64_t column = first; column < std::min(first + kWidth, weight.columns()); ++column) {
          auto value = readElement<Source>(source + row * weight.rowPitch() + column * weight.columnPitch());
          panel[(row / kEach * kWidth + column - first) * kEach + row % kEach] = convert(value, column);
        }
  };
  return createConstant(builder, weight.getConstant().getLoc(), {panels, depth / kEach, kWidth, kEach},
                        element, fill);
}

/// A weight of f32, whose data starts at `source`, as panels of blocks of words, [panels, blocks, words, 48].
/// `add(group, first, column, words)` adds rows from `first` on, a group of `groupRows` or what is left, to
/// the words of a panel's column, which are a panel's columns apart and begin as zeros.
mlir::FailureOr<mlir::Value> packWords(
    mlir::OpBuilder &builder, const MatrixWeight &weight, const char *source, int64_t blocks, int64_t words,
    int64_t groupRows,
    llvm::function_ref<void(llvm::ArrayRef<float> group, int64_t first, int64_t column, uint32_t *words)>
        add);

/// Adds a group to the words of a panel's column (packWords): its scale, and each element divided by that
/// and rounded. Elements that are 0 may have a scale of 0.
void packGroup(WeightGroupsAttr groups, llvm::ArrayRef<float> group, int64_t first, float scale,
               uint32_t *words);

/// A product of bytes less the zero points: sum - zero * (the column's sum of numbers), all i32.
/// `zero` and `columnSum` may be null.
mlir::Value writeByteSum(mlir::OpBuilder &builder, mlir::Location location, mlir::Value sum, mlir::Value zero,
                         mlir::Value columnSum);

/// The epilogue's block; where the matmul has none, one that yields the sum.
mlir::Block &getOrCreateEpilogue(MatmulOp op);

} // namespace weft::graph

#endif // WEFT_COMPILER_GRAPH_MATRIXWEIGHTS_H
