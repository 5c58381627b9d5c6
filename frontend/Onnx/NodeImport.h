// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One node on its way into the IR: what the function that builds it may ask and say.
#ifndef WEFT_FRONTEND_ONNX_NODEIMPORT_H
#define WEFT_FRONTEND_ONNX_NODEIMPORT_H

#include "frontend/Builder/GraphBuilder.h"
#include "frontend/Onnx/Diagnostics.h"
#include "frontend/Onnx/ImportInference.h"
#include "frontend/Onnx/ModelValue.h"
#include "frontend/Onnx/TensorImport.h"

namespace weft::onnx {

/// A list of integers that a node may or may not give.
using OptionalInts = std::optional<llvm::SmallVector<int64_t>>;

/// Imports the nodes of a node's subgraph, with values for its inputs. What they are called begins with
/// `label`. Returns the values of its outputs; nothing after an error, which has been reported.
using ImportSubgraph = llvm::function_ref<std::optional<llvm::SmallVector<ModelValue>>(
    const Graph &subgraph, llvm::ArrayRef<ModelValue> inputs, const llvm::Twine &label)>;

/// A node whose signature has been checked: its attributes are of the right kinds, its inputs are there.
class NodeImport {
public:
  NodeImport(GraphBuilder &graph, const TensorImport &tensors, Diagnostics &diagnostics,
             ImportInference &known, const Node &node, const Place &place, int64_t opset,
             llvm::ArrayRef<ModelValue> given, llvm::ArrayRef<bool> isOutputRead,
             llvm::ArrayRef<std::optional<int64_t>> declaredRanks, ImportSubgraph importSubgraph,
             llvm::function_ref<bool(uint64_t)> countUnrolled)
      : graph(graph), opset(opset), tensors(tensors), diagnostics(diagnostics), known(known), node(node),
        place(place), given(given),
        inputs(llvm::map_to_vector(given, [](const ModelValue &value) { return value.tensor; })),
        isOutputRead(isOutputRead), declaredRanks(declaredRanks), outputs(node.outputs.size()),
        importSubgraph(importSubgraph), countUnrolled(countUnrolled) {}

  GraphBuilder &graph;
  const int64_t opset;

  // Inputs and outputs. An input that is left out, and an output that nobody reads, has no value.
  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs; }
  mlir::Value input(size_t index) const { return index < inputs.size() ? inputs[index] : mlir::Value(); }
  /// The same for operators that take sequences (OpRow::takesSequences).
  llvm::ArrayRef<ModelValue> getGiven() const { return given; }
  /// Whether none of these is left out; reports an error if one is.
  bool requireInputs(llvm::ArrayRef<size_t> indices);
  /// The elements of an input that has to be a sequence of known length; null after an error.
  const llvm::SmallVector<mlir::Value> *sequence(size_t index);
  size_t outputCount() const { return outputs.size(); }
  bool isRead(size_t index) const { return index < isOutputRead.size() && isOutputRead[index]; }
  /// The rank that the model declares of an output, if it does; it may be wrong.
  std::optional<int64_t> declaredRank(size_t index) const {
    return index < declaredRanks.size() ? declaredRanks[index] : std::nullopt;
  }
  /// An optional output that the node does not name is dropped.
  void setOutput(size_t index, ModelValue value) {
    if (index < outputs.size())
      outputs[index] = std::move(value);
  }
  /// The same of all of them; returns the first.
  ModelValue setOutputs(llvm::ArrayRef<ModelValue> values) {
    for (auto [i, value] : llvm::enumerate(values))
      setOutput(i, value);
    return values.empty() ? ModelValue() : values.front();
  }
  const ModelValue &output(size_t index) const { return outputs[index]; }

  // Attributes.
  bool has(llvm::StringRef name) const { return node.attribute(name); }
  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
  float number(llvm::StringRef name, float otherwise) const;
  llvm::StringRef text(llvm::StringRef name, llvm::StringRef otherwise) const;
  llvm::ArrayRef<std::string> texts(llvm::StringRef name) const;
  OptionalInts integers(llvm::StringRef name) const;
  llvm::ArrayRef<float> numbers(llvm::StringRef name) const;
  const Tensor *tensor(llvm::StringRef name) const;
  /// A subgraph that the node has to have, with so many inputs and outputs; null after an error.
  const Graph *subgraph(llvm::StringRef name, size_t inputCount, size_t subgraphOutputs);
  std::optional<llvm::SmallVector<ModelValue>>
  import(const Graph &subgraph, llvm::ArrayRef<ModelValue> values, const llvm::Twine &label) {
    return importSubgraph(subgraph, values, label);
  }
  /// Whether the node may become so many more; reports an error if not.
  bool mayUnroll(uint64_t nodes) { return countUnrolled(nodes); }
  /// The element type whose number an attribute gives; reports an error if Weft does not compute with it.
  mlir::Type elementType(llvm::StringRef name);

  // What must be known at import.
  /// The elements of a short integer value that constants, shapes and fixed dims decide; nothing if they do
  /// not.
  OptionalInts knownInts(mlir::Value value) const { return known.numbers(value); }
  /// Whether input `index` is given and neither a constant nor follows from some.
  bool isGivenByRun(size_t index) const;
  /// The only element of such a value.
  std::optional<int64_t> knownInt(mlir::Value value) const;
  /// What the only element of a value is in dims; null if that cannot be said.
  weft::Dim knownDim(mlir::Value value) const;
  /// The size of a dim of a value of known rank, if it is known or fixed.
  std::optional<int64_t> fixedSize(mlir::Value value, int64_t dim) const;
  /// The elements of an input that is a constant of integers; reports an error if it is not.
  OptionalInts constantInts(size_t index, llvm::StringRef what);
  /// A list that is an attribute in old versions and input `index` in new ones; `list` is empty if the node
  /// gives neither. False after an error.
  bool integersOrInput(llvm::StringRef name, size_t index, OptionalInts &list);
  /// The rank of a value, if it is known.
  static std::optional<int64_t> rankOf(mlir::Value value);
  /// The same; reports an error if it is not known. `what` says whose rank: "its input".
  std::optional<int64_t> requireRank(mlir::Value value, llvm::StringRef what);
  /// The size of a dim of a value of known rank, if it is known; the last is -1.
  static std::optional<int64_t> knownSize(mlir::Value value, int64_t dim);
  /// Whether it is of floats; reports an error if not.
  bool hasFloats(mlir::Value value);
  /// Whether it is of int32 or int64, as indices are; else reports an error that calls it `what`.
  bool hasIndices(mlir::Value value, const llvm::Twine &what);
  /// The rank of the first input, of which there have to be so many dims; reports an error if there are not.
  std::optional<int64_t> requireRankAtLeast(int64_t least);
  /// Whether it has that rank; reports an error if not.
  bool hasRank(mlir::Value value, int64_t rank, llvm::StringRef what);
  /// Has a dim of a value of known rank be that of another, or a number. Reports an error where it is known
  /// to be another; where that is not known, the value becomes one that is checked when the model runs.
  bool requireDim(mlir::Value &value, int64_t dim, mlir::Value other, int64_t otherDim, llvm::StringRef what);
  bool requireDim(mlir::Value &value, int64_t dim, int64_t expected, llvm::StringRef what);
  /// The same of a dim, null if it is not known, and its size, a scalar.
  bool requireDim(mlir::Value &value, int64_t dim, weft::Dim expected, mlir::Value size,
                  llvm::StringRef what);
  /// An axis as a number from 0 up to `rank` (or `rank` itself, where `mayBeEnd`). Of a value whose rank is
  /// not known, an axis that counts from the front is taken as it is.
  std::optional<int64_t> axis(int64_t axis, std::optional<int64_t> rank, bool mayBeEnd = false);
  /// The same for several, in rising order; each may occur once.
  OptionalInts axes(llvm::ArrayRef<int64_t> axes, std::optional<int64_t> rank);

  // Constants.
  mlir::Value constant(const Tensor &tensor) { return tensors.add(graph, tensor, tensor.dims); }
  /// A tensor of one element, whatever its rank, as a scalar.
  mlir::Value constantScalar(const Tensor &tensor) { return tensors.add(graph, tensor, {}); }
  mlir::Value scalar(mlir::Type element, double value);

  // Element types.
  /// The value in that type; null for null.
  mlir::Value castTo(mlir::Value value, mlir::Type element);
  /// The value in f32, if it is of floats of fewer bits than that; null for null.
  mlir::Value widened(mlir::Value value);

  // Shape arithmetic.
  /// Element `index` of a rank-1 tensor, as a scalar.
  mlir::Value element(mlir::Value vector, int64_t index);
  /// Input `index`, which has one element, as a scalar; null if it is left out, or after an error.
  mlir::Value scalarInput(size_t index);
  /// What a tensor of one index is, as a scalar of i64; reports an error that calls it `what` if it is none
  /// of those (hasIndices).
  mlir::Value indexScalar(mlir::Value value, const llvm::Twine &what);
  /// A scalar as a rank-1 tensor, as shapes are put together of them.
  mlir::Value list(mlir::Value scalar) { return graph.reshape(scalar, {1}); }
  /// The size of a dim, as a scalar.
  mlir::Value size(mlir::Value value, int64_t dim) { return productOfDims(value, dim, dim + 1); }
  /// The places of a dim: 0, 1, ... up to its size.
  mlir::Value places(mlir::Value value, int64_t dim) {
    return graph.range(graph.scalar(int64_t(0)), size(value, dim), graph.scalar(int64_t(1)));
  }
  /// 0, 1, ... up to a count, a scalar, which is a size: an error of the run where it is negative. Null where
  /// it is known to be.
  mlir::Value placesUpTo(mlir::Value count) {
    mlir::Value counted = graph.expand(graph.scalar(int64_t(0)), graph.reshape(count, {1}));
    return counted ? places(counted, 0) : mlir::Value();
  }
  /// A rank-1 tensor with so many dims of 1 behind it, so that it belongs to a dim in the middle.
  mlir::Value beforeOnes(mlir::Value vector, int64_t count);
  /// The value with a dim of that size, an i64 tensor of one element: a reshape, whose count of elements is a
  /// guard that the dim had that size before.
  mlir::Value withDim(mlir::Value value, int64_t dim, mlir::Value size) {
    return withDim(value, dim, dim + 1, size);
  }
  /// The same with that dim in the place of the dims [begin, end).
  mlir::Value withDim(mlir::Value value, int64_t begin, int64_t end, mlir::Value size);
  /// The product of the dims [begin, end) as a scalar: a constant if it is known.
  mlir::Value productOfDims(mlir::Value value, int64_t begin, int64_t end);
  /// The value as rows: dims from `axis` on become one. Its rank is known.
  mlir::Value flattenRows(mlir::Value value, int64_t axis);
  /// What a function that keeps shapes makes of such rows, with the value's own dims again.
  mlir::Value ofFlattenedRows(mlir::Value value, int64_t axis,
                              llvm::function_ref<mlir::Value(mlir::Value)> function);

  /// Reports an error at this node. Returns null, as a builder does that failed.
  std::nullptr_t error(DiagnosticId id, const llvm::Twine &text);

private:
  const TensorImport &tensors;
  Diagnostics &diagnostics;
  ImportInference &known;
  const Node &node;
  const Place &place;
  llvm::ArrayRef<ModelValue> given;
  llvm::SmallVector<mlir::Value> inputs; ///< Of `given`, the tensors.
  llvm::ArrayRef<bool> isOutputRead;
  llvm::ArrayRef<std::optional<int64_t>> declaredRanks;
  llvm::SmallVector<ModelValue> outputs;
  ImportSubgraph importSubgraph;
  llvm::function_ref<bool(uint64_t)> countUnrolled;
};

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_NODEIMPORT_H
