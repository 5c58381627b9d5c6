// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs of a node or two for the tests of the importer, and what to expect of importing them.
#ifndef WEFT_TEST_FRONTEND_ONNX_IMPORT_IMPORTTEST_H
#define WEFT_TEST_FRONTEND_ONNX_IMPORT_IMPORTTEST_H

#include "frontend/Onnx/OnnxImporter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "test/frontend/Onnx/TestModel.h"

namespace weft::onnx {

// Attributes of nodes.
using AttributeProto = ::onnx::AttributeProto;
inline AttributeProto attr(const std::string &name, AttributeProto::AttributeType type) {
  AttributeProto proto;
  proto.set_name(name);
  proto.set_type(type);
  return proto;
}
inline AttributeProto attr(const std::string &name, int value) {
  AttributeProto proto = attr(name, AttributeProto::INT);
  proto.set_i(value);
  return proto;
}
inline AttributeProto attr(const std::string &name, double value) {
  AttributeProto proto = attr(name, AttributeProto::FLOAT);
  proto.set_f(value);
  return proto;
}
inline AttributeProto attr(const std::string &name, const char *value) {
  AttributeProto proto = attr(name, AttributeProto::STRING);
  proto.set_s(value);
  return proto;
}
inline AttributeProto list(const std::string &name, const std::vector<int64_t> &values) {
  AttributeProto proto = attr(name, AttributeProto::INTS);
  proto.mutable_ints()->Add(values.begin(), values.end());
  return proto;
}

/// A model under construction. Nodes are named "<operator>_<index>".
class TestGraph {
public:
  explicit TestGraph(int64_t opset = 17) {
    model.set_ir_version(8);
    addOpset(model.mutable_opset_import(), "", opset);
  }

  ::onnx::ModelProto model;

  /// Dims are "4", a name, or "" for one of which nothing is known.
  TestGraph &input(const std::string &name, const std::vector<std::string> &dims,
                   int type = ::onnx::TensorProto::FLOAT) {
    ::onnx::ValueInfoProto *info = model.mutable_graph()->add_input();
    info->set_name(name);
    info->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    auto *shape = info->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const std::string &dim : dims) {
      auto *proto = shape->add_dim();
      int64_t size = 0;
      if (!llvm::StringRef(dim).getAsInteger(10, size))
        proto->set_dim_value(size);
      else if (!dim.empty())
        proto->set_dim_param(dim);
    }
    return *this;
  }
  /// An initializer of int64, a list unless `dims` says otherwise.
  TestGraph &ints(const std::string &name, const std::vector<int64_t> &values,
                  std::optional<std::vector<int64_t>> dims = std::nullopt) {
    std::vector<int64_t> shape = dims.value_or(std::vector<int64_t>{int64_t(values.size())});
    ::onnx::TensorProto *tensor = addTensor(model, name, ::onnx::TensorProto::INT64, shape);
    tensor->mutable_int64_data()->Add(values.begin(), values.end());
    return *this;
  }
  TestGraph &node(const std::string &opType, const std::vector<std::string> &inputs,
                  const std::vector<std::string> &outputs,
                  const std::vector<AttributeProto> &attributes = {}) {
    std::string name = opType + "_" + std::to_string(model.graph().node_size());
    last = addNode(model.mutable_graph(), opType, name, inputs, outputs);
    for (const AttributeProto &attribute : attributes)
      *last->add_attribute() = attribute;
    return *this;
  }
  TestGraph &output(const std::string &name) {
    model.mutable_graph()->add_output()->set_name(name);
    return *this;
  }

  ::onnx::NodeProto *last = nullptr;
};

/// A model in its IR; without a module it could not be imported.
struct Imported {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::unique_ptr<ReadResult> read;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string text;

  const Diagnostics &diagnostics() const { return read->diagnostics; }
};

inline void importInto(Imported &result, const ImportOptions &options = {}) {
  ASSERT_TRUE(result.read->model) << printed(result.read->diagnostics);
  result.module = importOnnx(*result.read->model, &result.context, result.read->diagnostics, options);
  if (!result.module)
    return;
  EXPECT_TRUE(succeeded(mlir::verify(*result.module)));
  llvm::raw_string_ostream out(result.text);
  result.module->print(out);
}

inline std::unique_ptr<Imported> import(const TestGraph &graph, const ImportOptions &options = {}) {
  auto result = std::make_unique<Imported>();
  result->read = read(graph.model);
  importInto(*result, options);
  return result;
}

/// Expects the fragments in the printed IR, in this order.
inline void expectFragments(const std::string &text, const std::vector<std::string> &fragments) {
  size_t at = 0;
  for (const std::string &fragment : fragments) {
    size_t found = text.find(fragment, at);
    ASSERT_NE(found, std::string::npos) << "no '" << fragment << "' from character " << at << " in:\n"
                                        << text;
    at = found + fragment.size();
  }
}

inline void expectIR(const TestGraph &graph, const std::vector<std::string> &fragments) {
  auto result = import(graph);
  ASSERT_TRUE(result->module) << printed(result->diagnostics());
  expectFragments(result->text, fragments);
}

/// Expects exactly one error: this one, at this node (where it has a name), whose line holds every one of
/// `words`.
inline void expectImportError(const TestGraph &graph, DiagnosticId id, const std::string &node,
                              const std::vector<std::string> &words = {}) {
  auto result = import(graph);
  EXPECT_FALSE(result->module) << result->text;
  expectExplained(result->diagnostics());
  ASSERT_EQ(result->diagnostics().all().size(), 1u) << printed(result->diagnostics());
  const Diagnostic &diagnostic = result->diagnostics().all().front();
  EXPECT_EQ(diagnostic.id, id) << diagnostic.message;
  EXPECT_EQ(diagnostic.node, node) << diagnostic.message;
  for (const std::string &word : words)
    EXPECT_NE(diagnostic.message.find(word), std::string::npos)
        << "no '" << word << "' in: " << diagnostic.message;
}

} // namespace weft::onnx

#endif // WEFT_TEST_FRONTEND_ONNX_IMPORT_IMPORTTEST_H
