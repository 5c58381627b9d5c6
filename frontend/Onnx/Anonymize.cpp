// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Renames and overwrites a ModelProto in place.
#include "frontend/Onnx/Anonymize.h"
#include "frontend/Onnx/Noise.h"
#include "frontend/Onnx/ParseModel.h"
#include "frontend/Onnx/TensorData.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace weft::onnx;
using llvm::StringRef;
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::TypeProto;
using ::onnx::ValueInfoProto;

namespace {
/// Numbers for names of one kind; the same for the same name, and none for none.
class Numbering {
public:
  explicit Numbering(StringRef prefix) : prefix(prefix) {}
  void rename(std::string *name) {
    if (!name->empty())
      *name = prefix.str() + std::to_string(numbers.try_emplace(*name, numbers.size()).first->second);
  }

private:
  StringRef prefix;
  llvm::StringMap<size_t> numbers;
};

class Anonymizer {
public:
  Anonymizer(TensorSources &sources, Noise &noise) : sources(sources), noise(noise) {}

  void anonymize(ModelProto &model);
  size_t nodeCount = 0, tensorCount = 0;

private:
  void anonymize(GraphProto &graph);
  void anonymize(FunctionProto &function);
  void anonymize(NodeProto &node);
  void anonymize(AttributeProto &attribute);
  void anonymize(TensorProto &tensor);
  void anonymize(ValueInfoProto &value);
  void anonymize(TypeProto &type);
  void renameAll(google::protobuf::RepeatedPtrField<std::string> *names) {
    for (std::string &name : *names)
      values.rename(&name);
  }
  void renameDim(std::string *dim);

  TensorSources &sources;
  Noise &noise;
  Numbering values{"v"}, nodes{"n"}, dims{"d"}, functions{"f"}, domains{"local"}, graphs{"g"};
  llvm::StringSet<> own; ///< domains of functions that are the model's own
};
} // namespace

/// A dim may be an expression: the names in it are renamed.
void Anonymizer::renameDim(std::string *dim) {
  std::string result, name;
  for (char c : *dim + '\0') {
    if (c == '_' || c == '.' || c == ':' || llvm::isAlpha(c) || (!name.empty() && llvm::isDigit(c))) {
      name += c;
      continue;
    }
    dims.rename(&name);
    result += name;
    name.clear();
    if (c)
      result += c;
  }
  *dim = result;
}

void Anonymizer::anonymize(TypeProto &type) {
  if (type.has_tensor_type()) {
    for (auto &dim : *type.mutable_tensor_type()->mutable_shape()->mutable_dim())
      if (dim.has_dim_param())
        renameDim(dim.mutable_dim_param());
  } else if (type.has_sequence_type()) {
    anonymize(*type.mutable_sequence_type()->mutable_elem_type());
  } else if (type.has_optional_type()) {
    anonymize(*type.mutable_optional_type()->mutable_elem_type());
  }
}

void Anonymizer::anonymize(ValueInfoProto &value) {
  values.rename(value.mutable_name());
  if (value.has_type())
    anonymize(*value.mutable_type());
}

void Anonymizer::anonymize(TensorProto &proto) {
  ++tensorCount;
  values.rename(proto.mutable_name());
  if (proto.data_type() == TensorProto::STRING) {
    for (std::string &text : *proto.mutable_string_data())
      text.clear();
    return;
  }
  TensorProto copy = proto;
  std::string name = proto.name();
  Tensor tensor = decodeTensor(copy, sources, [&] { return Place{"tensor " + quoted(name), ""}; });
  TensorProto result;
  result.set_name(proto.name());
  result.set_data_type(proto.data_type());
  *result.mutable_dims() = proto.dims();
  proto = std::move(result);
  noise.fill(proto, tensor);
}

void Anonymizer::anonymize(AttributeProto &attribute) {
  if (attribute.has_t())
    anonymize(*attribute.mutable_t());
  if (attribute.has_g())
    anonymize(*attribute.mutable_g());
  for (TensorProto &tensor : *attribute.mutable_tensors())
    anonymize(tensor);
  for (GraphProto &graph : *attribute.mutable_graphs())
    anonymize(graph);
  for (TypeProto &type : *attribute.mutable_type_protos())
    anonymize(type);
  if (attribute.has_tp())
    anonymize(*attribute.mutable_tp());
}

void Anonymizer::anonymize(NodeProto &node) {
  ++nodeCount;
  nodes.rename(node.mutable_name());
  renameAll(node.mutable_input());
  renameAll(node.mutable_output());
  if (own.contains(node.domain())) {
    functions.rename(node.mutable_op_type());
    domains.rename(node.mutable_domain());
  }
  for (AttributeProto &attribute : *node.mutable_attribute())
    anonymize(attribute);
}

void Anonymizer::anonymize(GraphProto &graph) {
  graphs.rename(graph.mutable_name());
  for (ValueInfoProto &value : *graph.mutable_input())
    anonymize(value);
  for (ValueInfoProto &value : *graph.mutable_output())
    anonymize(value);
  for (ValueInfoProto &value : *graph.mutable_value_info())
    anonymize(value);
  for (TensorProto &tensor : *graph.mutable_initializer())
    anonymize(tensor);
  for (NodeProto &node : *graph.mutable_node())
    anonymize(node);
  graph.clear_quantization_annotation();
  graph.clear_doc_string();
}

void Anonymizer::anonymize(FunctionProto &function) {
  functions.rename(function.mutable_name());
  domains.rename(function.mutable_domain());
  renameAll(function.mutable_input());
  renameAll(function.mutable_output());
  for (AttributeProto &attribute : *function.mutable_attribute_proto())
    anonymize(attribute);
  for (ValueInfoProto &value : *function.mutable_value_info())
    anonymize(value);
  for (NodeProto &node : *function.mutable_node())
    anonymize(node);
  for (auto &opset : *function.mutable_opset_import())
    if (own.contains(opset.domain()))
      domains.rename(opset.mutable_domain());
  function.clear_doc_string();
}

void Anonymizer::anonymize(ModelProto &model) {
  for (const FunctionProto &function : model.functions())
    own.insert(function.domain());
  // A function that stands in for an operator of a known domain keeps its name, as what it stands for does.
  for (StringRef known : {"", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "com.microsoft"})
    own.erase(known);
  anonymize(*model.mutable_graph());
  for (FunctionProto &function : *model.mutable_functions())
    if (own.contains(function.domain()))
      anonymize(function);
  for (auto &opset : *model.mutable_opset_import())
    if (own.contains(opset.domain()))
      domains.rename(opset.mutable_domain());
  model.clear_doc_string();
  model.clear_domain();
  model.clear_metadata_props();
  model.clear_training_info();
}

//===----------------------------------------------------------------------===//
// What a node is made of
//===----------------------------------------------------------------------===//

static void visitSubgraphs(const NodeProto &node, llvm::function_ref<void(const GraphProto &)> visit) {
  for (const AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      visit(attribute.g());
    for (const GraphProto &graph : attribute.graphs())
      visit(graph);
  }
}

/// The names that a node reads, those in its subgraphs, too.
static void collectInputs(const NodeProto &node, llvm::StringSet<> &names) {
  for (const std::string &input : node.input())
    names.insert(input);
  visitSubgraphs(node, [&](const GraphProto &graph) {
    for (const NodeProto &inner : graph.node())
      collectInputs(inner, names);
    for (const ValueInfoProto &output : graph.output())
      names.insert(output.name());
  });
}

static std::string idOf(StringRef domain, StringRef name) { return (domain + "::" + name).str(); }

/// The operators that a node and its subgraphs are of.
static void collectOperators(const NodeProto &node, llvm::StringSet<> &ids) {
  ids.insert(idOf(node.domain(), node.op_type()));
  visitSubgraphs(node, [&](const GraphProto &graph) {
    for (const NodeProto &inner : graph.node())
      collectOperators(inner, ids);
  });
}

template <typename T, typename Keep>
static void keepIf(google::protobuf::RepeatedPtrField<T> &field, Keep keep) {
  field.erase(std::remove_if(field.begin(), field.end(), [&](const T &item) { return !keep(item); }),
              field.end());
}

/// Drops functions that nothing calls any more, and imports of domains that nothing is of.
static void dropUnused(ModelProto &model) {
  llvm::StringSet<> called;
  for (const NodeProto &node : model.graph().node())
    collectOperators(node, called);
  for (unsigned before = 0; before != called.size();) { // until no function calls another one
    before = called.size();
    for (const FunctionProto &function : model.functions())
      if (called.contains(idOf(function.domain(), function.name())))
        for (const NodeProto &node : function.node())
          collectOperators(node, called);
  }
  keepIf(*model.mutable_functions(), [&](const FunctionProto &function) {
    return called.contains(idOf(function.domain(), function.name()));
  });
  keepIf(*model.mutable_opset_import(), [&](const ::onnx::OperatorSetIdProto &opset) {
    return opset.domain().empty() || opset.domain() == "ai.onnx" || llvm::any_of(called, [&](const auto &id) {
             return StringRef(id.getKey()).starts_with(idOf(opset.domain(), ""));
           });
  });
}

/// Leaves of a graph what the node of that name, or that makes a value of that name, is made of; its outputs
/// become the graph's. False if there is no such node.
static bool keepCone(GraphProto &graph, StringRef name) {
  auto makes = [&](const NodeProto &node, auto &&wanted) { return llvm::any_of(node.output(), wanted); };
  auto isMeant = [&](const NodeProto &node) {
    return node.name() == name || makes(node, [&](StringRef output) { return output == name; });
  };
  auto target = llvm::find_if(graph.node(), isMeant);
  if (target == graph.node().end())
    return false;
  llvm::StringMap<TypeProto> types;
  for (const auto *values : {&graph.value_info(), &graph.output()})
    for (const ValueInfoProto &value : *values)
      types[value.name()] = value.type();
  graph.clear_output();
  for (const std::string &output : target->output()) {
    if (output.empty())
      continue;
    ValueInfoProto *value = graph.add_output();
    value->set_name(output);
    if (auto type = types.find(output); type != types.end())
      *value->mutable_type() = type->second;
  }
  llvm::StringSet<> needed;
  std::vector<bool> isKept(graph.node_size());
  for (int i = graph.node_size(); i-- > 0;) {
    const NodeProto &node = graph.node(i);
    isKept[i] = &node == &*target || makes(node, [&](StringRef output) { return needed.contains(output); });
    if (isKept[i])
      collectInputs(node, needed);
  }
  size_t next = 0;
  keepIf(*graph.mutable_node(), [&](const NodeProto &) { return isKept[next++]; });
  auto isNeeded = [&](const auto &item) { return needed.contains(item.name()); };
  keepIf(*graph.mutable_initializer(), isNeeded);
  keepIf(*graph.mutable_input(), isNeeded);
  keepIf(*graph.mutable_value_info(), isNeeded);
  return true;
}

std::optional<AnonymousModel> weft::onnx::anonymizeModel(StringRef path, StringRef weightsName,
                                                         const AnonymizeOptions &options,
                                                         Diagnostics &diagnostics) {
  std::shared_ptr<const MappedFile> file = openModel(path, diagnostics);
  ModelProto model;
  if (!file || !parseModel(file->bytes(), {}, diagnostics, model))
    return std::nullopt;
  if (!options.node.empty() && !keepCone(*model.mutable_graph(), options.node)) {
    diagnostics.error(DiagnosticId::NodeMissing, {},
                      "has no node in its graph that is called " + quoted(options.node) + ", or makes it");
    return std::nullopt;
  }
  if (!options.node.empty())
    dropUnused(model);
  TensorSources sources = {std::move(file), ExternalData(path), diagnostics};
  Noise noise(options.seed, weightsName);
  Anonymizer anonymizer(sources, noise);
  anonymizer.anonymize(model);
  AnonymousModel result;
  result.weights = noise.writeWeights();
  if (diagnostics.hasErrors())
    return std::nullopt;
  result.nodes = anonymizer.nodeCount;
  result.tensors = anonymizer.tensorCount;
  result.noisyTensors = noise.count();
  result.model = model.SerializeAsString();
  return result;
}
