// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ONNX operators are imported: for each its versions, its signature and the function that builds its
// IR.
#ifndef WEFT_FRONTEND_ONNX_OPTABLE_H
#define WEFT_FRONTEND_ONNX_OPTABLE_H

#include "frontend/Onnx/Diagnostics.h"
#include "frontend/Onnx/ModelValue.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace weft::onnx {

class NodeImport;

/// Builds the IR of a node and returns its first output; null after an error, which it has reported.
using BuildNode = std::function<ModelValue(NodeImport &)>;

/// How many inputs an operator has. Those before `min` must be there; a later one may be left out.
struct Arity {
  static constexpr unsigned kAny = ~0u;           ///< Of a list: all of its inputs must be there.
  static constexpr unsigned kAnyOrNone = ~0u - 1; ///< As many as one likes; each may be left out.
  Arity(unsigned exactly) : min(exactly), max(exactly) {}
  Arity(unsigned min, unsigned max) : min(min), max(max) {}
  unsigned min, max;
};

struct AttributeRow {
  llvm::StringRef name;
  AttributeKind kind;
  bool isRequired = false;
};

/// The versions of an operator that share a signature and a meaning.
struct OpRow {
  llvm::SmallVector<int64_t> versions; ///< Rising. The row holds from the first to the next row's first.
  Arity inputs;
  llvm::SmallVector<AttributeRow> attributes;
  BuildNode build;
  unsigned maxOutputs;
  bool takesSequences = false; ///< An input may be a sequence; all others take tensors only.

  /// The version that an opset means: Softmax in opset 17 is Softmax-13.
  int64_t versionIn(int64_t opset) const;
};

/// The operators that are imported, by their names; of other domains than ai.onnx with the domain before it,
/// as in "com.microsoft.MatMulNBits".
class OpTable {
public:
  OpTable();

  void add(llvm::StringRef opType, llvm::ArrayRef<int64_t> versions, Arity inputs,
           llvm::ArrayRef<AttributeRow> attributes, BuildNode build, unsigned maxOutputs = 1,
           bool takesSequences = false);
  /// Null if the operator is not in the table, or is older there than what is imported.
  const OpRow *find(llvm::StringRef domain, llvm::StringRef opType, int64_t opset) const;
  /// The first opset in which the operator is imported, if it is at all.
  std::optional<int64_t> oldestOpset(llvm::StringRef domain, llvm::StringRef opType) const;

private:
  llvm::StringMap<llvm::SmallVector<OpRow, 1>> rows;
};

/// Checks inputs, outputs and attributes of a node against its row. Reports all that is wrong.
bool checkSignature(const OpRow &row, const Node &node, const Place &place, Diagnostics &diagnostics);

// The families; each in Ops/<Family>.cpp.
void addElementwiseOps(OpTable &table);
void addCastOps(OpTable &table);       ///< of the Elementwise family
void addActivationOps(OpTable &table); ///< of the Elementwise family, in its own file
void addDropoutOps(OpTable &table);    ///< of the Elementwise family, in its own file
void addContractionOps(OpTable &table);
void addConvOps(OpTable &table);       ///< of the Contraction family, in its own file
void addConvTranspose(OpTable &table); ///< of the Contraction family, in its own file
void addReductionOps(OpTable &table);
void addAxisOps(OpTable &table); ///< of the Reduction family, in its own file
void addNormOps(OpTable &table);
void addShapeOps(OpTable &table);
void addPoolOps(OpTable &table); ///< of the Reduction family
void addPadOps(OpTable &table);  ///< of the Shape family, as are the next two
void addBlockOps(OpTable &table);
void addRangeOps(OpTable &table);
void addIndexOps(OpTable &table);
void addNonZeroOps(OpTable &table); ///< of the Index family, as are the next five
void addCol2Im(OpTable &table);
void addGridSample(OpTable &table);
void addResizeOps(OpTable &table);
void addGatherBlockQuantized(OpTable &table);
void addTensorScatter(OpTable &table);
void addAttentionOps(OpTable &table);
void addFlexAttention(OpTable &table); ///< of the Attention family, in its own file
void addQuantizeOps(OpTable &table);
void addFewBitsOps(OpTable &table); ///< of the Quantize family, as are the next two
void addMatMulBnb4(OpTable &table);
void addQLinearOps(OpTable &table);
void addMixtureOfExperts(OpTable &table);    ///< of the Contraction family, in its own file
void addGroupQueryAttention(OpTable &table); ///< of the Attention family, as are the next two
void addMultiHeadAttentionOps(OpTable &table);
void addRotaryOps(OpTable &table);    ///< of the Attention family
void addFusedNormOps(OpTable &table); ///< of the Norm family
void addControlOps(OpTable &table);
void addScanOps(OpTable &table);     ///< of the Control family, in its own file
void addSequenceOps(OpTable &table); ///< of the Control family
void addRandomOps(OpTable &table);
void addSignalOps(OpTable &table);
void addMelWeightMatrix(OpTable &table); ///< of the Signal family
void addRecurrenceOps(OpTable &table);
void addCausalConvOps(OpTable &table); ///< of the Recurrence family, as are the next ones
void addRecurrentLayers(OpTable &table);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OPTABLE_H
