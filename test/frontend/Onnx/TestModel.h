// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small models for the tests of the ONNX reader, and what to expect of reading them.
#ifndef WEFT_TEST_FRONTEND_ONNX_TESTMODEL_H
#define WEFT_TEST_FRONTEND_ONNX_TESTMODEL_H

#include "frontend/Onnx/OnnxReader.h"
#include "onnx-ml.pb.h"
#include "gtest/gtest.h"

namespace weft::onnx {

inline ::onnx::ValueInfoProto *declare(::onnx::ValueInfoProto *info, const std::string &name,
                                       int64_t size = 2) {
  info->set_name(name);
  info->mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
  info->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(size);
  return info;
}

template <typename Owner>
::onnx::NodeProto *addNode(Owner *owner, const std::string &opType, const std::string &name,
                           const std::vector<std::string> &inputs, const std::vector<std::string> &outputs) {
  ::onnx::NodeProto *node = owner->add_node();
  node->set_op_type(opType);
  node->set_name(name);
  for (const std::string &input : inputs)
    node->add_input(input);
  for (const std::string &output : outputs)
    node->add_output(output);
  return node;
}

inline ::onnx::AttributeProto *addAttribute(::onnx::NodeProto *node, const std::string &name,
                                            ::onnx::AttributeProto::AttributeType type) {
  ::onnx::AttributeProto *attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

inline void addOpset(google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> *opsets,
                     const std::string &domain, int64_t version) {
  ::onnx::OperatorSetIdProto *opset = opsets->Add();
  opset->set_domain(domain);
  opset->set_version(version);
}

/// x -> Identity "copy" -> y, and nothing wrong with it.
inline ::onnx::ModelProto identityModel() {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  addOpset(model.mutable_opset_import(), "", 17);
  declare(model.mutable_graph()->add_input(), "x");
  declare(model.mutable_graph()->add_output(), "y");
  addNode(model.mutable_graph(), "Identity", "copy", {"x"}, {"y"});
  return model;
}

/// Adds an initializer without data.
inline ::onnx::TensorProto *addTensor(::onnx::ModelProto &model, const std::string &name, int type,
                                      const std::vector<int64_t> &dims) {
  ::onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  for (int64_t dim : dims)
    tensor->add_dims(dim);
  return tensor;
}

struct ReadResult {
  std::string bytes; ///< What `model` refers to.
  std::optional<Model> model;
  Diagnostics diagnostics{"model.onnx"};
};

inline std::unique_ptr<ReadResult> readBytes(std::string bytes, const ReaderLimits &limits = {}) {
  auto result = std::make_unique<ReadResult>();
  result->bytes = std::move(bytes);
  result->model = readOnnxModel({result->bytes, "model.onnx"}, result->diagnostics, limits);
  return result;
}

inline std::unique_ptr<ReadResult> read(const ::onnx::ModelProto &proto, const ReaderLimits &limits = {}) {
  return readBytes(proto.SerializeAsString(), limits);
}

inline std::string printed(const Diagnostics &diagnostics) {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics.all())
    text += diagnostic.message + "\n";
  return text;
}

/// A failure must be explained, in lines of the documented form.
inline void expectExplained(const Diagnostics &diagnostics) {
  EXPECT_TRUE(diagnostics.hasErrors());
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    EXPECT_EQ(diagnostic.message.find('\n'), std::string::npos) << diagnostic.message;
    std::string id = " [weft-0" + std::to_string(static_cast<int>(diagnostic.id)) + "]";
    EXPECT_TRUE(llvm::StringRef(diagnostic.message).ends_with(id)) << diagnostic.message;
  }
}

/// Expects exactly one error: this one, whose line holds every one of `words`.
inline void expectOneError(const std::unique_ptr<ReadResult> &result, DiagnosticId id,
                           const std::vector<std::string> &words) {
  EXPECT_FALSE(result->model);
  expectExplained(result->diagnostics);
  ASSERT_EQ(result->diagnostics.all().size(), 1u) << printed(result->diagnostics);
  const Diagnostic &diagnostic = result->diagnostics.all().front();
  EXPECT_EQ(diagnostic.id, id) << diagnostic.message;
  EXPECT_TRUE(llvm::StringRef(diagnostic.message).starts_with("model.onnx: ")) << diagnostic.message;
  for (const std::string &word : words)
    EXPECT_NE(diagnostic.message.find(word), std::string::npos)
        << "no '" << word << "' in: " << diagnostic.message;
}

inline void expectOneError(const ::onnx::ModelProto &proto, DiagnosticId id,
                           const std::vector<std::string> &words) {
  expectOneError(read(proto), id, words);
}

inline void expectReads(const ::onnx::ModelProto &proto) {
  auto result = read(proto);
  EXPECT_TRUE(result->model) << printed(result->diagnostics);
}

} // namespace weft::onnx

#endif // WEFT_TEST_FRONTEND_ONNX_TESTMODEL_H
