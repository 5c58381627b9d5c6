// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A checked ONNX model as plain structs. No protobuf is visible here: only the reader's own sources see it.
#ifndef WEFT_FRONTEND_ONNX_ONNXMODEL_H
#define WEFT_FRONTEND_ONNX_ONNXMODEL_H

#include "frontend/Onnx/MappedFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft::onnx {

/// The element types of ONNX, with the numbers of TensorProto.DataType.
enum class ElementType : uint8_t {
  Undefined = 0,
  Float32 = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Float64 = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
  Last = Int2
};

/// "float32", "int4", ...
llvm::StringRef elementTypeName(ElementType type);
/// Bits of one element in memory (bool is a byte); 0 for strings and Undefined, which have no fixed size.
unsigned elementBits(ElementType type);

/// One declared dimension: a size, a name that stands for one, or nothing.
struct Dim {
  enum class Kind : uint8_t { Unknown, Fixed, Symbol };
  Kind kind = Kind::Unknown;
  int64_t size = 0;
  std::string symbol;
};

/// A declared type. For a sequence or an optional, element type and shape are those of the tensors in it.
struct ValueType {
  enum class Kind : uint8_t { None, Tensor, Sequence, Optional, Other };
  Kind kind = Kind::None;
  ElementType elementType = ElementType::Undefined;
  bool hasShape = false; ///< False: even the rank is unknown.
  std::vector<Dim> dims;
};

struct ValueInfo {
  std::string name;
  ValueType type;
};

/// A constant. Its bytes are little-endian and dense, two 4-bit or four 2-bit elements to a byte, low bits
/// first. They lie in a mapped file or, where the model spelled the elements out one by one, in `owned`; they
/// need not be aligned. A string tensor has no bytes: nothing in Weft computes with strings.
struct Tensor {
  std::string name;
  ElementType elementType = ElementType::Undefined;
  std::vector<int64_t> dims;
  std::shared_ptr<const MappedFile> file;
  uint64_t offset = 0; ///< In `file`.
  uint64_t size = 0;   ///< In bytes.
  std::string owned;
  /// The tensor is an initializer whose name is also a graph input (and IR version >= 4): a default value
  /// that the caller may override, *not* a constant.
  bool isInputDefault = false;

  int64_t elementCount() const;
  llvm::StringRef bytes() const { return file ? file->bytes().substr(offset, size) : llvm::StringRef(owned); }
};

struct Node;

struct Graph {
  std::string name;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> valueInfos;
  std::vector<Tensor> initializers;
  std::vector<Node> nodes; ///< Every value is defined before it is used.
};

enum class AttributeKind : uint8_t {
  Int,
  Float,
  String,
  Tensor,
  Graph,
  Ints,
  Floats,
  Strings,
  Tensors,
  Graphs,
  Other
};

/// "an int", "a list of floats", ...
llvm::StringRef attributeKindName(AttributeKind kind);

/// An attribute holds its values in the vector of its kind; a kind that is not a list holds exactly one.
/// `Other` (sparse tensors, types) holds none.
struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::Other;
  /// In a function only: the value is that of this attribute of the calling node, and the vectors are empty.
  std::string refName;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string> strings;
  std::vector<Tensor> tensors;
  std::vector<Graph> graphs;
};

struct Node {
  std::string name;
  std::string opType;
  std::string domain; ///< "" is ai.onnx.
  std::string overload;
  std::vector<std::string> inputs;  ///< "" is an optional input left out.
  std::vector<std::string> outputs; ///< "" is an optional output that nobody wants.
  std::vector<Attribute> attributes;
  unsigned index = 0; ///< The position in its graph in the file.

  const Attribute *attribute(llvm::StringRef attributeName) const;
};

/// From domain ("" is ai.onnx) to version.
using Opsets = std::map<std::string, int64_t>;

struct Function {
  std::string domain;
  std::string name;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> requiredAttributes;
  std::vector<Attribute> defaultedAttributes;
  std::vector<ValueInfo> valueInfos;
  std::vector<Node> nodes;
  Opsets opsets;
};

struct Model {
  std::string path;
  int64_t irVersion = 0;
  std::string producer;
  Opsets opsets;
  Graph graph;
  std::vector<Function> functions; ///< None calls itself, directly or through others.
};

/// Visits nodes and those of the subgraphs in their attributes, outer before inner. Recursion is as deep as
/// the subgraphs are nested, which the reader bounds.
void forEachNode(const std::vector<Node> &nodes, llvm::function_ref<void(const Node &)> visit);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_ONNXMODEL_H
