// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversion of graphs, nodes, attributes and types.
#include "frontend/Onnx/DecodeModel.h"
#include "llvm/ADT/StringSet.h"

using namespace weft::onnx;
using llvm::Twine;
using ::onnx::AttributeProto;
using ::onnx::TypeProto;

namespace {
class Decoder {
public:
  Decoder(TensorSources &sources) : sources(sources), diagnostics(sources.diagnostics) {}

  Opsets decodeOpsets(google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> &protos,
                      const Place &place);
  Graph decodeGraph(::onnx::GraphProto &proto, const Body &body);
  Function decodeFunction(::onnx::FunctionProto &proto);

private:
  Node decodeNode(::onnx::NodeProto &proto, unsigned index, const Body &body);
  Attribute decodeAttribute(AttributeProto &proto, const Body &body, PlaceFn place);
  void decodeAttributeValues(AttributeProto &proto, const Body &body, PlaceFn place, Attribute &attribute);
  ValueInfo decodeValueInfo(::onnx::ValueInfoProto &proto, const Body &body);
  ValueType decodeType(const TypeProto &proto, PlaceFn place);
  void decodeShape(const ::onnx::TensorShapeProto &proto, PlaceFn place, ValueType &type);

  TensorSources &sources;
  Diagnostics &diagnostics;
};

/// What a kind of attribute is called on each side, and whether a value of that kind is there.
struct AttributeRow {
  AttributeProto::AttributeType type;
  AttributeKind kind;
  bool isPresent;
};
} // namespace

static std::string takeDomain(std::string &domain) { return domain == "ai.onnx" ? "" : std::move(domain); }

template <typename Field> static std::vector<std::string> takeStrings(Field &field) {
  return {std::make_move_iterator(field.begin()), std::make_move_iterator(field.end())};
}

Opsets Decoder::decodeOpsets(google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> &protos,
                             const Place &place) {
  Opsets opsets;
  for (::onnx::OperatorSetIdProto &proto : protos) {
    std::string domain = takeDomain(*proto.mutable_domain());
    if (!opsets.insert({domain, proto.version()}).second)
      diagnostics.error(DiagnosticId::OpsetDuplicate, place,
                        "expects each domain to be imported once, got " +
                            quoted(domain.empty() ? "ai.onnx" : domain) + " twice");
  }
  if (opsets.empty())
    diagnostics.error(DiagnosticId::OpsetMissing, place, "expects an opset_import, got none");
  return opsets;
}

Graph Decoder::decodeGraph(::onnx::GraphProto &proto, const Body &body) {
  Graph graph;
  graph.name = std::move(*proto.mutable_name());
  for (::onnx::ValueInfoProto &info : *proto.mutable_input())
    graph.inputs.push_back(decodeValueInfo(info, body));
  for (::onnx::ValueInfoProto &info : *proto.mutable_output())
    graph.outputs.push_back(decodeValueInfo(info, body));
  for (::onnx::ValueInfoProto &info : *proto.mutable_value_info())
    graph.valueInfos.push_back(decodeValueInfo(info, body));
  for (::onnx::TensorProto &tensor : *proto.mutable_initializer()) {
    std::string name = tensor.name();
    graph.initializers.push_back(decodeTensor(tensor, sources, [&] { return body.at("initializer", name); }));
  }
  for (const ::onnx::SparseTensorProto &sparse : proto.sparse_initializer())
    diagnostics.error(DiagnosticId::TensorForm, body.at("initializer", sparse.values().name()),
                      "expects a dense tensor, got a sparse one");
  graph.nodes.reserve(proto.node_size());
  for (::onnx::NodeProto &node : *proto.mutable_node())
    graph.nodes.push_back(decodeNode(node, graph.nodes.size(), body));
  return graph;
}

Function Decoder::decodeFunction(::onnx::FunctionProto &proto) {
  Function function;
  function.domain = takeDomain(*proto.mutable_domain());
  function.name = std::move(*proto.mutable_name());
  function.overload = std::move(*proto.mutable_overload());
  Place place = {"function " + quoted(function.name), ""};
  if (function.name.empty())
    diagnostics.error(DiagnosticId::NameEmpty, place, "expects a function to have a name, got none");
  function.opsets = decodeOpsets(*proto.mutable_opset_import(), place);
  function.inputs = takeStrings(*proto.mutable_input());
  function.outputs = takeStrings(*proto.mutable_output());
  function.requiredAttributes = takeStrings(*proto.mutable_attribute());
  Body body = {function.opsets, function.name};
  for (AttributeProto &attribute : *proto.mutable_attribute_proto())
    function.defaultedAttributes.push_back(decodeAttribute(attribute, body, [&] { return place; }));
  for (::onnx::ValueInfoProto &info : *proto.mutable_value_info())
    function.valueInfos.push_back(decodeValueInfo(info, body));
  for (::onnx::NodeProto &node : *proto.mutable_node())
    function.nodes.push_back(decodeNode(node, function.nodes.size(), body));
  return function;
}

Node Decoder::decodeNode(::onnx::NodeProto &proto, unsigned index, const Body &body) {
  Node node;
  node.index = index;
  node.name = std::move(*proto.mutable_name());
  node.opType = std::move(*proto.mutable_op_type());
  node.domain = takeDomain(*proto.mutable_domain());
  node.overload = std::move(*proto.mutable_overload());
  node.inputs = takeStrings(*proto.mutable_input());
  node.outputs = takeStrings(*proto.mutable_output());
  if (node.opType.empty())
    diagnostics.error(DiagnosticId::OpTypeEmpty, body.at(node), "expects an op_type, got none");
  llvm::StringSet<> names;
  for (AttributeProto &attribute : *proto.mutable_attribute()) {
    if (attribute.name().empty())
      diagnostics.error(DiagnosticId::AttributeName, body.at(node),
                        "expects attributes with names, got one without");
    else if (!names.insert(attribute.name()).second)
      diagnostics.error(DiagnosticId::AttributeName, body.at(node),
                        "expects each attribute once, got " + quoted(attribute.name()) + " twice");
    node.attributes.push_back(decodeAttribute(attribute, body, [&] { return body.at(node); }));
  }
  return node;
}

Attribute Decoder::decodeAttribute(AttributeProto &proto, const Body &body, PlaceFn place) {
  const AttributeRow rows[] = {
      {AttributeProto::INT, AttributeKind::Int, proto.has_i()},
      {AttributeProto::FLOAT, AttributeKind::Float, proto.has_f()},
      {AttributeProto::STRING, AttributeKind::String, proto.has_s()},
      {AttributeProto::TENSOR, AttributeKind::Tensor, proto.has_t()},
      {AttributeProto::GRAPH, AttributeKind::Graph, proto.has_g()},
      {AttributeProto::INTS, AttributeKind::Ints, proto.ints_size() > 0},
      {AttributeProto::FLOATS, AttributeKind::Floats, proto.floats_size() > 0},
      {AttributeProto::STRINGS, AttributeKind::Strings, proto.strings_size() > 0},
      {AttributeProto::TENSORS, AttributeKind::Tensors, proto.tensors_size() > 0},
      {AttributeProto::GRAPHS, AttributeKind::Graphs, proto.graphs_size() > 0},
      {AttributeProto::SPARSE_TENSOR, AttributeKind::Other, proto.has_sparse_tensor()},
      {AttributeProto::SPARSE_TENSORS, AttributeKind::Other, proto.sparse_tensors_size() > 0},
      {AttributeProto::TYPE_PROTO, AttributeKind::Other, proto.has_tp()},
      {AttributeProto::TYPE_PROTOS, AttributeKind::Other, proto.type_protos_size() > 0}};
  Attribute attribute;
  attribute.name = std::move(*proto.mutable_name());
  attribute.refName = std::move(*proto.mutable_ref_attr_name());
  auto bad = [&](DiagnosticId id, const Twine &text) {
    diagnostics.error(id, place(), "attribute " + quoted(attribute.name) + " " + text);
    return attribute;
  };

  auto declared = llvm::find_if(rows, [&](const AttributeRow &row) { return row.type == proto.type(); });
  if (declared == std::end(rows))
    return bad(DiagnosticId::AttributeValue, "expects a type, got none that ONNX defines");
  attribute.kind = declared->kind;
  bool isReference = !attribute.refName.empty();
  for (const AttributeRow &row : rows)
    if (row.isPresent && (isReference || row.type != proto.type()))
      return bad(DiagnosticId::AttributeValue,
                 "expects " + (isReference ? "a reference only" : attributeKindName(attribute.kind)) +
                     ", got " + attributeKindName(row.kind));
  if (isReference) {
    if (body.function.empty())
      return bad(DiagnosticId::AttributeReference, "expects a value, got a reference to " +
                                                       quoted(attribute.refName) +
                                                       "; only nodes of functions may refer to attributes");
    return attribute;
  }
  // A number or string that is left out is 0 or "": some writers leave out what is the default. Others have
  // none.
  bool needsValue = attribute.kind == AttributeKind::Tensor || attribute.kind == AttributeKind::Graph;
  if (needsValue && !declared->isPresent)
    return bad(DiagnosticId::AttributeValue,
               "expects " + attributeKindName(attribute.kind) + ", got nothing");
  decodeAttributeValues(proto, body, place, attribute);
  return attribute;
}

void Decoder::decodeAttributeValues(AttributeProto &proto, const Body &body, PlaceFn place,
                                    Attribute &attribute) {
  auto addTensor = [&](::onnx::TensorProto &tensor) {
    attribute.tensors.push_back(decodeTensor(tensor, sources, place));
    if (attribute.tensors.back().elementType == ElementType::String)
      diagnostics.error(DiagnosticId::StringTensor, place(),
                        "attribute " + quoted(attribute.name) +
                            " expects a tensor of numbers, got one of strings");
  };
  switch (attribute.kind) {
  case AttributeKind::Int:
    attribute.ints = {proto.i()};
    break;
  case AttributeKind::Float:
    attribute.floats = {proto.f()};
    break;
  case AttributeKind::String:
    attribute.strings = {std::move(*proto.mutable_s())};
    break;
  case AttributeKind::Tensor:
    addTensor(*proto.mutable_t());
    break;
  case AttributeKind::Graph:
    attribute.graphs.push_back(decodeGraph(*proto.mutable_g(), body));
    break;
  case AttributeKind::Ints:
    attribute.ints.assign(proto.ints().begin(), proto.ints().end());
    break;
  case AttributeKind::Floats:
    attribute.floats.assign(proto.floats().begin(), proto.floats().end());
    break;
  case AttributeKind::Strings:
    attribute.strings = takeStrings(*proto.mutable_strings());
    break;
  case AttributeKind::Tensors:
    for (::onnx::TensorProto &tensor : *proto.mutable_tensors())
      addTensor(tensor);
    break;
  case AttributeKind::Graphs:
    for (::onnx::GraphProto &graph : *proto.mutable_graphs())
      attribute.graphs.push_back(decodeGraph(graph, body));
    break;
  case AttributeKind::Other:
    break;
  }
}

ValueInfo Decoder::decodeValueInfo(::onnx::ValueInfoProto &proto, const Body &body) {
  ValueInfo info;
  info.name = std::move(*proto.mutable_name());
  if (proto.has_type())
    info.type = decodeType(proto.type(), [&] { return body.at("value", info.name); });
  return info;
}

ValueType Decoder::decodeType(const TypeProto &proto, PlaceFn place) {
  ValueType type;
  switch (proto.value_case()) {
  case TypeProto::kTensorType:
    type.kind = ValueType::Kind::Tensor;
    if (proto.tensor_type().elem_type() != 0)
      type.elementType = decodeElementType(proto.tensor_type().elem_type(), diagnostics, place);
    if (proto.tensor_type().has_shape())
      decodeShape(proto.tensor_type().shape(), place, type);
    break;
  case TypeProto::kSequenceType:
    type = decodeType(proto.sequence_type().elem_type(), place);
    type.kind = ValueType::Kind::Sequence;
    break;
  case TypeProto::kOptionalType:
    type = decodeType(proto.optional_type().elem_type(), place);
    type.kind = ValueType::Kind::Optional;
    break;
  case TypeProto::VALUE_NOT_SET:
    break;
  default:
    type.kind = ValueType::Kind::Other;
  }
  return type;
}

void Decoder::decodeShape(const ::onnx::TensorShapeProto &proto, PlaceFn place, ValueType &type) {
  type.hasShape = true;
  for (const ::onnx::TensorShapeProto::Dimension &dim : proto.dim()) {
    Dim &decoded = type.dims.emplace_back();
    if (dim.has_dim_value()) {
      decoded.kind = Dim::Kind::Fixed;
      decoded.size = dim.dim_value();
      if (decoded.size < 0)
        diagnostics.error(DiagnosticId::DimNegative, place(),
                          "expects dimensions >= 0, got " + Twine(decoded.size) +
                              "; give an unknown dimension a name (dim_param) or leave it empty");
    } else if (!dim.dim_param().empty()) {
      decoded.kind = Dim::Kind::Symbol;
      decoded.symbol = dim.dim_param();
    }
  }
}

Model weft::onnx::decodeModel(::onnx::ModelProto &proto, TensorSources &sources) {
  Decoder decoder(sources);
  Model model;
  model.path = sources.modelFile->path().str();
  model.irVersion = proto.ir_version();
  model.producer = std::move(*proto.mutable_producer_name());
  model.opsets = decoder.decodeOpsets(*proto.mutable_opset_import(), {});
  model.graph = decoder.decodeGraph(*proto.mutable_graph(), {model.opsets, ""});
  for (::onnx::FunctionProto &function : *proto.mutable_functions())
    model.functions.push_back(decoder.decodeFunction(function));
  return model;
}
