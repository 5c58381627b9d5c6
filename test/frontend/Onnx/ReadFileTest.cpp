// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are no models, damaged models, limits, and the lifting of weights out of the message.
#include "TestModel.h"
#include "frontend/Onnx/RawDataLift.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace weft::onnx;
using ::onnx::AttributeProto;
using ::onnx::TensorProto;

namespace {
class ReadFile : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("weft-read-file", directory)); }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  std::string pathOf(const std::string &name) { return (directory + "/" + name).str(); }
  std::string write(const std::string &name, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(pathOf(name), error) << bytes;
    EXPECT_FALSE(error);
    return pathOf(name);
  }
  void expectRefused(const std::string &path, DiagnosticId id, const std::string &word) {
    auto result = std::make_unique<ReadResult>();
    result->model = readOnnxModel(path, result->diagnostics);
    expectOneError(result, id, {word});
  }

  llvm::SmallString<128> directory;
};

/// A bit of everything that nests: weights, a subgraph, a function, types.
::onnx::ModelProto richModel() {
  ::onnx::ModelProto model = identityModel();
  addTensor(model, "w", TensorProto::FLOAT, {2})->set_raw_data(std::string(8, 'w'));
  addTensor(model, "c", TensorProto::BOOL, {})->add_int32_data(1);
  ::onnx::NodeProto *branch = addNode(model.mutable_graph(), "If", "choose", {"c"}, {"z"});
  for (const char *name : {"then_branch", "else_branch"}) {
    ::onnx::GraphProto *graph = addAttribute(branch, name, AttributeProto::GRAPH)->mutable_g();
    TensorProto *value =
        addAttribute(addNode(graph, "Constant", "", {}, {"k"}), "value", AttributeProto::TENSOR)->mutable_t();
    value->set_data_type(TensorProto::INT64);
    value->set_raw_data(std::string(8, '\1'));
    graph->add_output()->set_name("k");
  }
  ::onnx::FunctionProto *function = model.add_functions();
  function->set_domain("local");
  function->set_name("Twice");
  function->add_input("a");
  function->add_output("b");
  addOpset(function->mutable_opset_import(), "", 17);
  addNode(function, "Add", "add", {"a", "a"}, {"b"});
  addOpset(model.mutable_opset_import(), "local", 1);
  addNode(model.mutable_graph(), "Twice", "call", {"y"}, {"t"})->set_domain("local");
  return model;
}
} // namespace

TEST_F(ReadFile, ReadsFromAPath) {
  ::onnx::ModelProto proto = richModel();
  std::string path = write("m.onnx", proto.SerializeAsString());
  Diagnostics diagnostics(path);
  std::optional<Model> model = readOnnxModel(path, diagnostics);
  ASSERT_TRUE(model) << printed(diagnostics);
  EXPECT_EQ(model->path, path);
  EXPECT_EQ(model->irVersion, 8);
  EXPECT_EQ(model->opsets.at(""), 17);
  ASSERT_EQ(model->graph.nodes.size(), 3u);
  EXPECT_EQ(
      model->graph.nodes[1].attribute("then_branch")->graphs[0].nodes[0].attributes[0].tensors[0].bytes(),
      std::string(8, '\1'));
  EXPECT_EQ(model->graph.initializers[0].bytes(), "wwwwwwww");
  EXPECT_EQ(model->graph.initializers[0].file->path(), path);
  EXPECT_EQ(model->functions.front().nodes.front().opType, "Add");
}

TEST_F(ReadFile, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo(pathOf("pipe").c_str(), 0600), 0);
  expectRefused(pathOf("pipe"), DiagnosticId::FileNotRegular, "a pipe");
  expectRefused("/dev/zero", DiagnosticId::FileNotRegular, "a device");
  expectRefused(directory.str().str(), DiagnosticId::FileNotRegular, "a directory");
}

TEST_F(ReadFile, RefusesUnreadableFiles) {
  expectRefused(pathOf("missing.onnx"), DiagnosticId::FileUnreadable, "No such file");
  std::string path = write("secret.onnx", "x");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  if (::access(path.c_str(), R_OK) != 0) // Root reads everything.
    expectRefused(path, DiagnosticId::FileUnreadable, "ermission");
}

TEST_F(ReadFile, RefusesOtherFormats) {
  expectRefused(write("empty", ""), DiagnosticId::FileEmpty, "empty");
  expectRefused(write("a.pt", llvm::StringRef("PK\x03\x04\x14\0\0\0\x08\0", 10)), DiagnosticId::FileMalformed,
                "zip");
  expectRefused(write("a.gz", "\x1f\x8b\x08\x01\x02"), DiagnosticId::FileMalformed, "gzip");
  expectRefused(write("a.txt", "Hello, model.\n"), DiagnosticId::FileMalformed, "text");
  expectRefused(write("lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n"),
                DiagnosticId::FileMalformed, "git lfs pull");
}

TEST_F(ReadFile, RefusesAModelWithoutGraph) {
  ::onnx::ModelProto model = identityModel();
  model.clear_graph();
  expectOneError(model, DiagnosticId::NoGraph, {"expects a graph"});
}

TEST_F(ReadFile, ExplainsEveryTruncation) {
  std::string bytes = richModel().SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto result = readBytes(bytes.substr(0, size));
    EXPECT_FALSE(result->model) << "cut to " << size << " bytes";
    expectExplained(result->diagnostics);
  }
}

TEST_F(ReadFile, SurvivesEveryFlippedBit) {
  std::string bytes = richModel().SerializeAsString();
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[at] ^= char(1 << bit);
      auto result = readBytes(flipped);
      if (!result->model)
        expectExplained(result->diagnostics);
      else
        EXPECT_FALSE(result->diagnostics.hasErrors());
    }
}

TEST_F(ReadFile, RefusesMalformedFields) {
  std::string bytes = identityModel().SerializeAsString();
  auto expectMalformed = [](const std::string &all, const std::string &word) {
    expectOneError(readBytes(all), DiagnosticId::FileMalformed, {word});
  };
  expectMalformed(bytes + std::string("\x33", 1), "wire type 3");
  expectMalformed(bytes + std::string("\x38\x01", 2), "wrong wire type"); // graph as a number
  expectMalformed(bytes + std::string("\0\0", 2), "field number");
  expectMalformed(bytes + std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),
                  "runs past the end");
  expectMalformed(bytes + "\x08" + std::string(10, '\xff'), "more than 64 bits");
  expectMalformed(bytes + "\x08" + std::string(9, '\xff') + "\x02", "more than 64 bits");
  expectMalformed(bytes + "\x08\xff", "cut off");
}

TEST_F(ReadFile, BoundsNesting) {
  ::onnx::ModelProto model = identityModel();
  ::onnx::GraphProto *graph = model.mutable_graph();
  for (int level = 0; level < 40; ++level)
    graph = addAttribute(addNode(graph, "Wrap", "", {"x"}, {"v" + std::to_string(level)}), "g",
                         AttributeProto::GRAPH)
                ->mutable_g();
  expectOneError(model, DiagnosticId::FileTooDeep, {"100 nested"});

  ::onnx::ModelProto typed = identityModel();
  ::onnx::TypeProto *type = typed.mutable_graph()->add_value_info()->mutable_type();
  for (int level = 0; level < 60; ++level)
    type = type->mutable_sequence_type()->mutable_elem_type();
  expectOneError(typed, DiagnosticId::FileTooDeep, {"100 nested"});
}

TEST_F(ReadFile, BoundsFieldsAndBytes) {
  ReaderLimits limits;
  limits.fields = 10;
  expectOneError(read(identityModel(), limits), DiagnosticId::FileTooLarge, {"10 fields"});
  limits = {};
  limits.messageBytes = 50;
  expectOneError(read(identityModel(), limits), DiagnosticId::FileTooLarge, {"50 bytes"});
}

TEST_F(ReadFile, LiftsRawDataOutOfTheMessage) {
  ::onnx::ModelProto proto = richModel();
  std::string weights(5 << 20, '\0');
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = char(i * 7);
  addTensor(proto, "big", TensorProto::UINT8, {5, 1 << 20})->set_raw_data(weights);
  proto.set_doc_string(std::string(100000, 'd'));
  std::string bytes = proto.SerializeAsString();

  Diagnostics diagnostics("model.onnx");
  std::optional<std::string> message = liftRawData(bytes, ReaderLimits(), diagnostics);
  ASSERT_TRUE(message);
  EXPECT_LT(message->size(), 2000u);
  ::onnx::ModelProto lifted;
  ASSERT_TRUE(lifted.ParseFromString(*message));
  const TensorProto &tensor = lifted.graph().initializer(2);
  EXPECT_EQ(tensor.name(), "big");
  RawDataSlice slice = RawDataSlice::decode(tensor.raw_data());
  EXPECT_EQ(slice.offset, bytes.find(weights));
  EXPECT_EQ(slice.size, weights.size());

  auto result = readBytes(bytes);
  ASSERT_TRUE(result->model) << printed(result->diagnostics);
  const Tensor &big = result->model->graph.initializers[2];
  EXPECT_EQ(big.bytes(), weights);
  EXPECT_EQ(big.bytes().data(), result->bytes.data() + slice.offset) << "copied";
  EXPECT_TRUE(big.owned.empty());
}

// Raw data that looks like a slice is data, not a way to read elsewhere.
TEST_F(ReadFile, DoesNotTakeDataForASlice) {
  ::onnx::ModelProto proto = identityModel();
  std::string forged = RawDataSlice{0, 1 << 30}.encode();
  addTensor(proto, "w", TensorProto::UINT8, {16})->set_raw_data(forged);
  auto result = read(proto);
  ASSERT_TRUE(result->model);
  EXPECT_EQ(result->model->graph.initializers[0].bytes(), forged);
}

TEST_F(ReadFile, PutsForeignTextOnOneLine) {
  ::onnx::ModelProto model = identityModel();
  model.mutable_graph()->mutable_node(0)->set_name("two\nlines\x1b[31m" + std::string(5000, 'n'));
  model.mutable_graph()->mutable_node(0)->set_input(0, "gone");
  auto result = read(model);
  expectOneError(result, DiagnosticId::NameUndefined, {"two\\0Alines\\1B"});
  EXPECT_LT(result->diagnostics.all().front().message.size(), 500u);
}

TEST_F(ReadFile, ListsAtMostTwentyErrors) {
  ::onnx::ModelProto model = identityModel();
  for (int i = 0; i < 30; ++i)
    addNode(model.mutable_graph(), "Neg", "n", {"gone" + std::to_string(i)}, {"o" + std::to_string(i)});
  auto result = read(model);
  EXPECT_EQ(result->diagnostics.all().size(), 20u);
  EXPECT_EQ(result->diagnostics.unlisted(), 10u);
}
