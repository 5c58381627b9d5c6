// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks the graph: inputs, nodes in order, outputs. Values whose node could not be imported are null, and
// what depends on them is skipped in silence, so that each problem is reported once and all of them are.
#include "frontend/Onnx/OnnxImporter.h"
#include "frontend/Onnx/Checks.h"
#include "frontend/Onnx/DimParam.h"
#include "frontend/Onnx/InputConstants.h"
#include "frontend/Onnx/NodeImport.h"
#include "frontend/Onnx/OpTable.h"
#include "frontend/Onnx/UnsupportedOps.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

namespace {
/// What one body (the graph, a subgraph, an expanded function) knows while its nodes are imported.
struct Scope {
  explicit Scope(const Body &body) : body(body) {}
  /// That of a subgraph, which sees what the graph around it has.
  Scope(Scope &outer, std::string prefix)
      : body(outer.body), outer(&outer), prefix(std::move(prefix)), leftOut(outer.leftOut),
        bindings(outer.bindings) {}

  /// Keeps what the body declares of values.
  void declare(ArrayRef<ValueInfo> values) {
    for (const ValueInfo &value : values)
      if (value.type.kind == ValueType::Kind::Tensor && value.type.hasShape)
        ranks[value.name] = int64_t(value.type.dims.size());
  }

  const Body &body;
  Scope *outer = nullptr;
  llvm::StringMap<ModelValue> values;                 ///< Null: could not be imported.
  llvm::StringMap<const onnx::Tensor *> initializers; ///< Become constants where they are first used.
  llvm::StringMap<int64_t> ranks;                     ///< That the model declares of values.
  llvm::StringSet<> reads;                            ///< Values that some node reads or the body gives back.
  std::string prefix; ///< Of the nodes' names: the call that is expanded, the node whose subgraph it is.
  llvm::StringSet<> leftOut;                         ///< Inputs of a function that the call leaves out.
  llvm::StringMap<const onnx::Attribute *> bindings; ///< What attributes that refer to the call's stand for.
};

class Importer {
public:
  Importer(const Model &model, MLIRContext *context, onnx::Diagnostics &diagnostics,
           const ImportOptions &options)
      : model(model), context(context), diagnostics(diagnostics), options(options), functions(model),
        graph(context, "main"), tensors(context, model), inputConstants(options.inputConstants, diagnostics),
        known(options.fixedDims) {}

  OwningOpRef<ModuleOp> run();

private:
  void importInputs(Scope &scope);
  void importInput(Scope &scope, const ValueInfo &input, DimParams &dims);
  void importOutputs(Scope &scope);
  void importNodes(Scope &scope, const std::vector<Node> &nodes);
  void importNode(Scope &scope, const Node &node);
  void importOperator(Scope &scope, const Node &node, const OpRow &row, int64_t opset);
  void importCall(Scope &scope, const Node &node, const Function &function);
  std::optional<SmallVector<ModelValue>> importSubgraph(Scope &outer, const Graph &subgraph,
                                                        ArrayRef<ModelValue> inputs, StringRef label);
  bool countUnrolled(uint64_t nodes);
  Node resolve(const Scope &scope, const Node &node);
  ModelValue lookup(Scope &scope, StringRef name);
  void report(mlir::Diagnostic &diagnostic);

  const Model &model;
  MLIRContext *context;
  onnx::Diagnostics &diagnostics;
  const ImportOptions &options;
  FunctionTable functions;
  OpTable operators;
  GraphBuilder graph;
  TensorImport tensors;
  InputConstants inputConstants;
  ImportInference known;
  UnsupportedOps unsupported;
  unsigned subgraphDepth = 0;
  uint64_t unrolled = 0; ///< Nodes in subgraphs, and subgraphs, so far.
  Place place;           ///< Of what is being imported.
};
} // namespace

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

void Importer::importInput(Scope &scope, const ValueInfo &input, DimParams &dims) {
  place = scope.body.at("input", input.name);
  graph.setNode(input.name);
  ModelValue &value = scope.values[input.name];
  if (input.type.kind != ValueType::Kind::Tensor || !input.type.hasShape) {
    diagnostics.error(DiagnosticId::InputType, place,
                      input.type.kind != ValueType::Kind::Tensor
                          ? "expects a tensor, got a sequence, an optional or another type"
                          : "expects a tensor of known rank, got one without a shape");
    return;
  }
  Type element = onnx::getElementType(context, input.type.elementType);
  if (!element) {
    diagnostics.error(DiagnosticId::ElementTypeUnsupported, place,
                      "expects elements of a type that Weft computes with, got " +
                          elementTypeName(input.type.elementType));
    return;
  }
  SmallVector<weft::Dim> shape;
  for (size_t i = 0; i < input.type.dims.size(); ++i)
    shape.push_back(dims.get(input, i));
  value = inputConstants.has(input.name) ? inputConstants.make(graph, input.name, element, shape)
                                         : graph.input(input.name, element, shape);
}

void Importer::importInputs(Scope &scope) {
  SmallVector<StringRef> defaults;
  for (const onnx::Tensor &tensor : model.graph.initializers) {
    if (tensor.isInputDefault)
      defaults.push_back(tensor.name);
    if (!tensor.isInputDefault || options.constantInitializers)
      scope.initializers[tensor.name] = &tensor;
  }
  DimParams dims(context, model.graph);
  for (const ValueInfo &input : model.graph.inputs)
    if (!scope.initializers.contains(input.name))
      importInput(scope, input, dims);
  inputConstants.reportUnused();
  if (!defaults.empty() && !options.constantInitializers)
    diagnostics.warning(
        DiagnosticId::InitializerOverridable, {},
        Twine(defaults.size()) + (defaults.size() == 1 ? " initializer is" : " initializers are") +
            " also a graph input, which callers may override, and must be given when the model "
            "runs; --constant-initializers makes constants of them (" +
            quoted(defaults.front()) + (defaults.size() > 1 ? ", ...)" : ")"));
}

/// Whether a value may be what is declared: the element type, the rank and the constant dims agree.
static bool fits(const ValueType &declared, Value value) {
  Type element = onnx::getElementType(value.getContext(), declared.elementType);
  if (declared.kind == ValueType::Kind::None || declared.elementType == ElementType::Undefined)
    return true;
  auto type = cast<ShapedType>(value.getType());
  if (declared.kind != ValueType::Kind::Tensor || element != type.getElementType())
    return false;
  if (!declared.hasShape || !type.hasRank())
    return true;
  if (int64_t(declared.dims.size()) != type.getRank())
    return false;
  return llvm::all_of(llvm::zip(declared.dims, type.getShape()), [](auto pair) {
    const auto &[dim, size] = pair;
    return dim.kind != onnx::Dim::Kind::Fixed || ShapedType::isDynamic(size) || dim.size == size;
  });
}

void Importer::importOutputs(Scope &scope) {
  for (const ValueInfo &output : model.graph.outputs) {
    place = scope.body.at("output", output.name);
    ModelValue known = lookup(scope, output.name);
    Value value = known.tensor;
    if (known.elements)
      diagnostics.error(DiagnosticId::OutputType, place, "expects a tensor, got a sequence");
    if (value && !fits(output.type, value))
      diagnostics.error(DiagnosticId::OutputType, place,
                        "declares another type than the model computes, which is " +
                            describeType(value.getType()));
    graph.output(output.name, value);
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

ModelValue Importer::lookup(Scope &scope, StringRef name) {
  auto known = scope.values.find(name);
  if (known != scope.values.end())
    return known->second;
  auto tensor = scope.initializers.find(name);
  if (tensor == scope.initializers.end())
    return scope.outer ? lookup(*scope.outer, name) : nullptr;
  Place user = std::exchange(place, scope.body.at("initializer", name));
  graph.setNode(name);
  Value value = tensors.add(graph, *tensor->second, tensor->second->dims);
  scope.values[name] = value;
  place = user;
  return value;
}

/// A node of a function as the call makes it: its attributes have values and its name says whose it is.
Node Importer::resolve(const Scope &scope, const Node &node) {
  Node copy = node;
  StringRef own = node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name;
  copy.name = (scope.prefix + "/" + own).str();
  for (std::string &input : copy.inputs)
    if (scope.leftOut.contains(input))
      input.clear();
  copy.attributes.clear();
  for (const onnx::Attribute &attribute : node.attributes) {
    if (attribute.refName.empty()) {
      copy.attributes.push_back(attribute);
      continue;
    }
    // One that neither the call nor the function gives is left out, and so has the operator's default.
    if (const onnx::Attribute *bound = scope.bindings.lookup(attribute.refName)) {
      copy.attributes.push_back(*bound);
      copy.attributes.back().name = attribute.name;
    }
  }
  return copy;
}

void Importer::importNodes(Scope &scope, const std::vector<Node> &nodes) {
  forEachNode(nodes, [&](const Node &node) {
    for (const std::string &name : node.inputs)
      scope.reads.insert(name);
    for (const onnx::Attribute &attribute : node.attributes)
      for (const Graph &subgraph : attribute.graphs)
        for (const ValueInfo &output : subgraph.outputs)
          scope.reads.insert(output.name);
  });
  for (const Node &node : nodes)
    if (scope.body.function.empty() && !scope.outer)
      importNode(scope, node);
    else
      importNode(scope, resolve(scope, node));
}

void Importer::importNode(Scope &scope, const Node &node) {
  // Null until the node is imported.
  for (const std::string &name : node.outputs)
    if (!name.empty())
      scope.values[name] = nullptr;
  place = scope.body.at(node);
  if (subgraphDepth > 0 && !countUnrolled(1)) // also those of functions that a body calls
    return;
  if (std::optional<unsigned> callee = functions.calleeOf(node)) {
    importCall(scope, node, model.functions[*callee]);
    return;
  }
  auto imported = scope.body.opsets.find(node.domain);
  int64_t opset = imported == scope.body.opsets.end() ? 0 : imported->second;
  const OpRow *row = operators.find(node.domain, node.opType, opset);
  if (!row)
    unsupported.add(node, place, opset);
  else if (checkSignature(*row, node, place, diagnostics))
    importOperator(scope, node, *row, opset);
}

void Importer::importOperator(Scope &scope, const Node &node, const OpRow &row, int64_t opset) {
  SmallVector<ModelValue> inputs;
  for (const std::string &name : node.inputs) {
    inputs.push_back(name.empty() ? ModelValue() : lookup(scope, name));
    if (!name.empty() && !inputs.back())
      return;
    if (inputs.back().elements && !row.takesSequences)
      return diagnostics.error(DiagnosticId::OperandType, place,
                               "expects tensors, got the sequence " + quoted(name));
  }
  while (!inputs.empty() && !inputs.back()) // left out, as if they were not named
    inputs.pop_back();
  SmallVector<bool> isRead;
  SmallVector<std::optional<int64_t>> ranks;
  for (const std::string &name : node.outputs) {
    isRead.push_back(!name.empty() && scope.reads.contains(name));
    auto rank = scope.ranks.find(name);
    ranks.push_back(rank == scope.ranks.end() ? std::nullopt : std::optional(rank->second));
  }
  StringRef name = node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name;
  auto begin = [&] {
    place = scope.body.at(node);
    graph.setNode(name, node.opType + "-" + std::to_string(row.versionIn(opset)));
  };
  std::map<const Graph *, Scope> constants; // A body's initializers are values once, however often it runs.
  auto subgraph = [&](const Graph &body, ArrayRef<ModelValue> given, const Twine &label) {
    auto [around, isNew] = constants.try_emplace(&body, scope, "");
    if (isNew)
      for (const onnx::Tensor &tensor : body.initializers)
        around->second.initializers[tensor.name] = &tensor;
    auto outputs = importSubgraph(around->second, body, given, (name + "/" + label).str());
    begin();
    return outputs;
  };
  auto count = [&](uint64_t nodes) { return countUnrolled(nodes); };
  begin();
  NodeImport import(graph, tensors, diagnostics, known, node, place, opset, inputs, isRead, ranks, subgraph,
                    count);
  ModelValue first = row.build(import);
  if (!first || node.outputs.empty())
    return;
  import.setOutput(0, first);
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (!node.outputs[i].empty())
      scope.values[node.outputs[i]] = import.output(i);
}

void Importer::importCall(Scope &scope, const Node &node, const Function &function) {
  Body body{function.opsets, function.name};
  Scope inner(body);
  inner.prefix = node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    bool isGiven = i < node.inputs.size() && !node.inputs[i].empty();
    if (isGiven)
      inner.values[function.inputs[i]] = lookup(scope, node.inputs[i]);
    else
      inner.leftOut.insert(function.inputs[i]);
  }
  for (const onnx::Attribute &attribute : function.defaultedAttributes)
    inner.bindings[attribute.name] = &attribute;
  for (const onnx::Attribute &attribute : node.attributes)
    inner.bindings[attribute.name] = &attribute;
  inner.declare(function.valueInfos);
  for (const std::string &output : function.outputs)
    inner.reads.insert(output);
  importNodes(inner, function.nodes);
  for (size_t i = 0; i < node.outputs.size() && i < function.outputs.size(); ++i)
    if (!node.outputs[i].empty())
      scope.values[node.outputs[i]] = lookup(inner, function.outputs[i]);
}

/// Whether so many more nodes may be made of the bodies of loops; reports an error if not.
bool Importer::countUnrolled(uint64_t nodes) {
  bool wasGood = unrolled <= options.unrolledNodes;
  unrolled = llvm::SaturatingAdd(unrolled, nodes);
  bool isGood = unrolled <= options.unrolledNodes;
  if (wasGood && !isGood)
    diagnostics.error(DiagnosticId::LoopUnrolled, place,
                      "expects at most " + Twine(options.unrolledNodes) +
                          " nodes in unrolled loops and parts of sequences, got more");
  return isGood;
}

std::optional<SmallVector<ModelValue>>
Importer::importSubgraph(Scope &outer, const Graph &subgraph, ArrayRef<ModelValue> inputs, StringRef label) {
  if (!countUnrolled(1))
    return std::nullopt;
  Scope inner(outer, label.str());
  inner.declare(subgraph.valueInfos);
  inner.declare(subgraph.outputs);
  for (auto [input, value] : llvm::zip_equal(subgraph.inputs, inputs))
    inner.values[input.name] = value;
  for (const ValueInfo &output : subgraph.outputs)
    inner.reads.insert(output.name);
  ++subgraphDepth;
  importNodes(inner, subgraph.nodes);
  --subgraphDepth;
  SmallVector<ModelValue> outputs;
  for (const ValueInfo &output : subgraph.outputs) {
    outputs.push_back(lookup(inner, output.name));
    if (!outputs.back())
      return std::nullopt;
  }
  return outputs;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// What the dialect says of an operation, such as a constraint that does not hold, said of the node.
void Importer::report(mlir::Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return;
  std::string message = diagnostic.str();
  StringRef text = message;
  if (text.starts_with("'weft."))
    text = text.split(" op ").second;
  diagnostics.error(DiagnosticId::OperandType, place, text);
}

OwningOpRef<ModuleOp> Importer::run() {
  ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
    report(diagnostic);
    return success();
  });
  Body body{model.opsets, ""};
  Scope scope(body);
  scope.declare(model.graph.valueInfos);
  scope.declare(model.graph.outputs);
  for (const ValueInfo &output : model.graph.outputs)
    scope.reads.insert(output.name);
  importInputs(scope);
  importNodes(scope, model.graph.nodes);
  importOutputs(scope);
  unsupported.report(operators, diagnostics);
  if (diagnostics.hasErrors())
    return nullptr;
  OwningOpRef<ModuleOp> module = graph.finish();
  if (!module)
    diagnostics.error(DiagnosticId::OutputType, {}, "has an output that nothing computes");
  return module;
}

OwningOpRef<ModuleOp> weft::onnx::importOnnx(const Model &model, MLIRContext *context,
                                             onnx::Diagnostics &diagnostics, const ImportOptions &options) {
  return Importer(model, context, diagnostics, options).run();
}
