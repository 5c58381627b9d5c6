// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The few functions of the model structs.
#include "frontend/Onnx/OnnxModel.h"
#include "llvm/ADT/STLExtras.h"

using namespace weft::onnx;

namespace {
struct ElementTypeFacts {
  llvm::StringRef name;
  unsigned bits;
};
} // namespace

static ElementTypeFacts factsOf(ElementType type) {
  static constexpr ElementTypeFacts facts[] = {
      {"undefined", 0},      {"float32", 32},  {"uint8", 8},        {"int8", 8},           {"uint16", 16},
      {"int16", 16},         {"int32", 32},    {"int64", 64},       {"string", 0},         {"bool", 8},
      {"float16", 16},       {"float64", 64},  {"uint32", 32},      {"uint64", 64},        {"complex64", 64},
      {"complex128", 128},   {"bfloat16", 16}, {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8},
      {"float8e5m2fnuz", 8}, {"uint4", 4},     {"int4", 4},         {"float4e2m1", 4},     {"float8e8m0", 8},
      {"uint2", 2},          {"int2", 2}};
  static_assert(std::size(facts) == static_cast<size_t>(ElementType::Last) + 1);
  return facts[static_cast<size_t>(type)];
}

llvm::StringRef weft::onnx::elementTypeName(ElementType type) { return factsOf(type).name; }

unsigned weft::onnx::elementBits(ElementType type) { return factsOf(type).bits; }

llvm::StringRef weft::onnx::attributeKindName(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::Int:
    return "an int";
  case AttributeKind::Float:
    return "a float";
  case AttributeKind::String:
    return "a string";
  case AttributeKind::Tensor:
    return "a tensor";
  case AttributeKind::Graph:
    return "a graph";
  case AttributeKind::Ints:
    return "a list of ints";
  case AttributeKind::Floats:
    return "a list of floats";
  case AttributeKind::Strings:
    return "a list of strings";
  case AttributeKind::Tensors:
    return "a list of tensors";
  case AttributeKind::Graphs:
    return "a list of graphs";
  case AttributeKind::Other:
    break;
  }
  return "a sparse tensor or a type";
}

int64_t Tensor::elementCount() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

const Attribute *Node::attribute(llvm::StringRef attributeName) const {
  auto found = llvm::find_if(attributes, [&](const Attribute &a) { return a.name == attributeName; });
  return found == attributes.end() ? nullptr : &*found;
}

void weft::onnx::forEachNode(const std::vector<Node> &nodes, llvm::function_ref<void(const Node &)> visit) {
  for (const Node &node : nodes) {
    visit(node);
    for (const Attribute &attribute : node.attributes)
      for (const Graph &graph : attribute.graphs)
        forEachNode(graph.nodes, visit);
  }
}
