// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors: element types, sizes, and every way to store their data.
#include "TestModel.h"

using namespace weft::onnx;
using ::onnx::ModelProto;
using ::onnx::TensorProto;

namespace {
/// Reads one initializer "w" that `fill` completes; gives its bytes.
template <typename Fill> std::string bytesOf(int type, const std::vector<int64_t> &dims, Fill fill) {
  ModelProto model = identityModel();
  fill(*addTensor(model, "w", type, dims));
  auto result = read(model);
  EXPECT_TRUE(result->model) << printed(result->diagnostics);
  return result->model ? result->model->graph.initializers.front().bytes().str() : "";
}

template <typename Fill>
void expectTensorError(int type, const std::vector<int64_t> &dims, DiagnosticId id, const std::string &word,
                       Fill fill) {
  ModelProto model = identityModel();
  fill(*addTensor(model, "w", type, dims));
  expectOneError(model, id, {"initializer \"w\"", word});
}

void addInt32s(TensorProto &tensor, const std::vector<int32_t> &values) {
  tensor.mutable_int32_data()->Assign(values.begin(), values.end());
}

std::string raw(std::initializer_list<int> bytes) { return std::string(bytes.begin(), bytes.end()); }
} // namespace

TEST(ReadTensors, PacksElementsLittleEndian) {
  EXPECT_EQ(bytesOf(TensorProto::FLOAT, {1}, [](TensorProto &t) { t.add_float_data(1.0f); }),
            raw({0, 0, 0x80, 0x3f}));
  EXPECT_EQ(bytesOf(TensorProto::DOUBLE, {1}, [](TensorProto &t) { t.add_double_data(1.0); }),
            raw({0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
  EXPECT_EQ(bytesOf(TensorProto::INT64, {1}, [](TensorProto &t) { t.add_int64_data(-2); }),
            raw({0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_EQ(bytesOf(TensorProto::UINT32, {1}, [](TensorProto &t) { t.add_uint64_data(0xfffffffe); }),
            raw({0xfe, 0xff, 0xff, 0xff}));
  EXPECT_EQ(bytesOf(TensorProto::UINT64, {}, [](TensorProto &t) { t.add_uint64_data(258); }),
            raw({2, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(bytesOf(TensorProto::INT32, {2}, [](TensorProto &t) { addInt32s(t, {-1, 1}); }),
            raw({0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0}));
  EXPECT_EQ(bytesOf(TensorProto::INT16, {1}, [](TensorProto &t) { addInt32s(t, {-32768}); }), raw({0, 0x80}));
  EXPECT_EQ(bytesOf(TensorProto::FLOAT16, {1}, [](TensorProto &t) { addInt32s(t, {0xbc00}); }),
            raw({0, 0xbc}));
  EXPECT_EQ(bytesOf(TensorProto::BOOL, {2}, [](TensorProto &t) { addInt32s(t, {1, 0}); }), raw({1, 0}));
  EXPECT_EQ(bytesOf(TensorProto::COMPLEX64, {1},
                    [](TensorProto &t) {
                      t.add_float_data(1.0f);
                      t.add_float_data(0.0f);
                    }),
            raw({0, 0, 0x80, 0x3f, 0, 0, 0, 0}));
}

TEST(ReadTensors, KeepsSubByteElementsPacked) {
  EXPECT_EQ(bytesOf(TensorProto::INT4, {3}, [](TensorProto &t) { addInt32s(t, {0x21, 0x03}); }),
            raw({0x21, 0x03}));
  EXPECT_EQ(bytesOf(TensorProto::UINT4, {3}, [](TensorProto &t) { t.set_raw_data("ab"); }), "ab");
  EXPECT_EQ(bytesOf(TensorProto::UINT2, {5}, [](TensorProto &t) { t.set_raw_data("ab"); }), "ab");
}

TEST(ReadTensors, AcceptsTensorsWithoutElements) {
  EXPECT_EQ(bytesOf(TensorProto::FLOAT, {0, 3}, [](TensorProto &) {}), "");
  EXPECT_EQ(bytesOf(TensorProto::FLOAT, {3, 0}, [](TensorProto &t) { t.set_raw_data(""); }), "");
}

TEST(ReadTensors, RefusesUnknownElementTypes) {
  for (int type : {0, 27, -1})
    expectTensorError(type, {1}, DiagnosticId::ElementTypeUnknown, "got " + std::to_string(type),
                      [](TensorProto &t) { t.set_raw_data("x"); });
}

TEST(ReadTensors, RefusesBadDims) {
  auto none = [](TensorProto &) {};
  expectTensorError(TensorProto::FLOAT, {2, -1}, DiagnosticId::DimNegative, "got -1", none);
  int64_t big = int64_t(1) << 32;
  expectTensorError(TensorProto::UINT8, {big, big}, DiagnosticId::DimOverflow, "2^63", none);
  expectTensorError(TensorProto::UINT8, {0, big, big}, DiagnosticId::DimOverflow, "2^63", none);
  expectTensorError(TensorProto::DOUBLE, {INT64_MAX}, DiagnosticId::DimOverflow, "2^63", none);
}

TEST(ReadTensors, WantsExactlyOneStorage) {
  expectTensorError(TensorProto::FLOAT, {1}, DiagnosticId::StorageCount, "got none", [](TensorProto &) {});
  expectTensorError(TensorProto::FLOAT, {1}, DiagnosticId::StorageCount, "raw_data and float_data",
                    [](TensorProto &t) {
                      t.set_raw_data("1234");
                      t.add_float_data(1);
                    });
  expectTensorError(TensorProto::FLOAT, {1}, DiagnosticId::StorageCount, "data_location", [](TensorProto &t) {
    t.add_external_data()->set_key("location");
    t.set_raw_data("1234");
  });
}

TEST(ReadTensors, WantsTheStorageOfTheElementType) {
  expectTensorError(TensorProto::FLOAT, {1}, DiagnosticId::StorageKind, "got int64_data",
                    [](TensorProto &t) { t.add_int64_data(1); });
  expectTensorError(TensorProto::STRING, {1}, DiagnosticId::StorageKind, "got raw_data",
                    [](TensorProto &t) { t.set_raw_data("x"); });
}

TEST(ReadTensors, WantsExactlyTheBytesOfTheShape) {
  for (int size : {0, 7, 9})
    expectTensorError(TensorProto::FLOAT, {2}, DiagnosticId::StorageSize, "expects 8 bytes",
                      [&](TensorProto &t) { t.set_raw_data(std::string(size, 'x')); });
  expectTensorError(TensorProto::INT4, {3}, DiagnosticId::StorageSize, "expects 2 bytes",
                    [&](TensorProto &t) { t.set_raw_data("abc"); });
  expectTensorError(TensorProto::INT32, {2}, DiagnosticId::StorageSize, "expects 2 entries",
                    [](TensorProto &t) { addInt32s(t, {1}); });
  expectTensorError(TensorProto::COMPLEX64, {1}, DiagnosticId::StorageSize, "expects 2 entries",
                    [](TensorProto &t) { t.add_float_data(1); });
  expectTensorError(TensorProto::STRING, {2}, DiagnosticId::StorageSize, "expects 2 entries",
                    [](TensorProto &t) { t.add_string_data("x"); });
}

TEST(ReadTensors, WantsElementsThatFit) {
  auto expectMisfit = [](int type, int32_t value) {
    expectTensorError(type, {1}, DiagnosticId::StorageValue, "got " + std::to_string(value),
                      [&](TensorProto &t) { addInt32s(t, {value}); });
  };
  expectMisfit(TensorProto::INT8, 128);
  expectMisfit(TensorProto::UINT8, -1);
  expectMisfit(TensorProto::UINT16, 65536);
  expectMisfit(TensorProto::BFLOAT16, 65536);
  expectMisfit(TensorProto::BOOL, 2);
  expectTensorError(TensorProto::UINT32, {1}, DiagnosticId::StorageValue, "uint32",
                    [](TensorProto &t) { t.add_uint64_data(uint64_t(1) << 32); });
  expectTensorError(TensorProto::BOOL, {1}, DiagnosticId::StorageValue, "got 255",
                    [](TensorProto &t) { t.set_raw_data("\xff"); });
}

TEST(ReadTensors, RefusesSegmentsAndSparseTensors) {
  expectTensorError(TensorProto::FLOAT, {1}, DiagnosticId::TensorForm, "segment", [](TensorProto &t) {
    t.mutable_segment()->set_begin(0);
    t.add_float_data(1);
  });
  ModelProto model = identityModel();
  model.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("w");
  expectOneError(model, DiagnosticId::TensorForm, {"initializer \"w\"", "sparse"});
}

TEST(ReadTensors, RefusesStringsOnlyWhereTheyAreUsed) {
  ModelProto model = identityModel();
  addTensor(model, "words", TensorProto::STRING, {1})->add_string_data("hello");
  expectReads(model);
  addNode(model.mutable_graph(), "Identity", "useWords", {"words"}, {"z"});
  expectOneError(model, DiagnosticId::StringTensor, {"node \"useWords\" (Identity-17)", "\"words\""});
}

TEST(ReadTensors, NamesTheNodeOfAnAttributeTensor) {
  ModelProto model = identityModel();
  ::onnx::NodeProto *node = addNode(model.mutable_graph(), "Constant", "const", {}, {"k"});
  TensorProto *value = addAttribute(node, "value", ::onnx::AttributeProto::TENSOR)->mutable_t();
  value->set_data_type(TensorProto::FLOAT);
  value->set_raw_data("12345");
  expectOneError(model, DiagnosticId::StorageSize, {"node \"const\" (Constant-17)", "expects 4 bytes"});
  value->clear_raw_data();
  value->set_data_type(TensorProto::STRING);
  value->add_string_data("s");
  expectOneError(model, DiagnosticId::StringTensor, {"node \"const\" (Constant-17)", "\"value\""});
}
