// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External data: where it may lie, and which slice of a file it may name.
#include "TestModel.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/stat.h>

using namespace weft::onnx;
using ::onnx::TensorProto;
namespace fs = llvm::sys::fs;

namespace {
using Entries = std::vector<std::pair<std::string, std::string>>;

/// A directory `model` with weights.bin beside the model, and a directory `outside` with secret.bin.
class ReadExternalData : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("weft-external-data", root));
    for (const char *name : {"/model", "/model/sub", "/outside", "/model-2"})
      ASSERT_FALSE(fs::create_directory(root + name));
    write("model/weights.bin", "0123456789abcdef");
    write("model/sub/more.bin", "ABCD");
    write("outside/secret.bin", "SECR");
    write("model-2/secret.bin", "SECR");
  }
  void TearDown() override { fs::remove_directories(root); }

  std::string pathOf(const std::string &name) { return (root + "/" + name).str(); }
  void write(const std::string &name, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(pathOf(name), error) << bytes;
    ASSERT_FALSE(error);
  }
  void link(const std::string &target, const std::string &name) {
    ASSERT_FALSE(fs::create_link(pathOf(target), pathOf(name)));
  }

  /// Reads a model with an initializer "w" of `size` bytes in external data.
  std::unique_ptr<ReadResult> readWith(const Entries &entries, int64_t size = 4,
                                       const std::string &modelName = "model/m.onnx") {
    ::onnx::ModelProto proto = identityModel();
    TensorProto *tensor = addTensor(proto, "w", TensorProto::UINT8, {size});
    tensor->set_data_location(TensorProto::EXTERNAL);
    for (const auto &[key, value] : entries) {
      tensor->add_external_data()->set_key(key);
      tensor->mutable_external_data()->rbegin()->set_value(value);
    }
    write(modelName, proto.SerializeAsString());
    auto result = std::make_unique<ReadResult>();
    result->model = readOnnxModel(pathOf(modelName), result->diagnostics);
    return result;
  }
  void expectBytes(const Entries &entries, llvm::StringRef bytes) {
    auto result = readWith(entries, bytes.size());
    ASSERT_TRUE(result->model) << printed(result->diagnostics);
    EXPECT_EQ(result->model->graph.initializers.front().bytes(), bytes);
  }
  void expectError(const Entries &entries, DiagnosticId id, const std::string &word) {
    expectOneError(readWith(entries), id, {"initializer \"w\"", word});
  }

  llvm::SmallString<128> root;
};
} // namespace

TEST_F(ReadExternalData, MapsSlices) {
  expectBytes({{"location", "weights.bin"}, {"offset", "4"}, {"length", "4"}}, "4567");
  expectBytes({{"location", "weights.bin"}, {"length", "4"}}, "0123");
  expectBytes({{"location", "weights.bin"}, {"offset", "12"}, {"checksum", "ignored"}}, "cdef");
  expectBytes({{"location", "sub/more.bin"}}, "ABCD");
  expectBytes({{"location", "./sub/../weights.bin"}}, "0123456789abcdef");
  expectBytes({{"location", "weights.bin"}, {"offset", "16"}, {"length", "0"}}, "");
}

TEST_F(ReadExternalData, FindsFilesBesideAModelWithoutDirectoryInItsPath) {
  readWith({{"location", "sub/more.bin"}});
  llvm::SmallString<128> before;
  ASSERT_FALSE(fs::current_path(before));
  ASSERT_FALSE(fs::set_current_path(pathOf("model")));
  Diagnostics diagnostics("m.onnx");
  EXPECT_TRUE(readOnnxModel("m.onnx", diagnostics)) << printed(diagnostics);
  ASSERT_FALSE(fs::set_current_path(before));
}

TEST_F(ReadExternalData, RefusesPathsOutOfTheDirectory) {
  using Id = DiagnosticId;
  expectError({{"location", ""}}, Id::ExternalPath, "empty");
  expectError({{"location", std::string("weights.bin\0x", 13)}}, Id::ExternalPath, "NUL");
  expectError({{"location", "/etc/passwd"}}, Id::ExternalPath, "absolute");
  expectError({{"location", pathOf("model/weights.bin")}}, Id::ExternalPath, "absolute");
  expectError({{"location", "../outside/secret.bin"}}, Id::ExternalPath, "leads out");
  expectError({{"location", "sub/../../outside/secret.bin"}}, Id::ExternalPath, "leads out");
  expectError({{"location", "../missing"}}, Id::ExternalPath, "leads out");
}

TEST_F(ReadExternalData, RefusesLinksOutOfTheDirectory) {
  link("outside/secret.bin", "model/file.bin");
  expectError({{"location", "file.bin"}}, DiagnosticId::ExternalPath, "symbolic link");
  link("outside", "model/folder");
  expectError({{"location", "folder/secret.bin"}}, DiagnosticId::ExternalPath, "symbolic link");
  // A name that only begins like the model's directory is another directory.
  link("model-2/secret.bin", "model/sibling.bin");
  expectError({{"location", "sibling.bin"}}, DiagnosticId::ExternalPath, "symbolic link");
}

TEST_F(ReadExternalData, FollowsLinksInsideTheDirectory) {
  link("model/weights.bin", "model/alias.bin");
  expectBytes({{"location", "alias.bin"}, {"length", "2"}}, "01");
}

// Caches keep files as blobs in one folder and link to them, the model too, from another.
TEST_F(ReadExternalData, FollowsLinksToWhereTheModelReallyIs) {
  readWith({{"location", "data.bin"}}, 4, "outside/blob");
  link("outside/blob", "model/linked.onnx");
  link("outside/secret.bin", "model/data.bin");
  Diagnostics diagnostics("linked.onnx");
  std::optional<Model> model = readOnnxModel(pathOf("model/linked.onnx"), diagnostics);
  ASSERT_TRUE(model) << printed(diagnostics);
  EXPECT_EQ(model->graph.initializers.front().bytes(), "SECR");
}

TEST_F(ReadExternalData, RefusesFilesThatAreNotRegular) {
  using Id = DiagnosticId;
  ASSERT_EQ(::mkfifo(pathOf("model/pipe").c_str(), 0600), 0);
  expectError({{"location", "pipe"}}, Id::ExternalFile, "a pipe");
  expectError({{"location", "sub"}}, Id::ExternalFile, "a directory");
  expectError({{"location", "."}}, Id::ExternalFile, "a directory");
  expectError({{"location", "missing.bin"}}, Id::ExternalFile, "No such file");
}

TEST_F(ReadExternalData, RefusesSlicesOutsideTheFile) {
  auto expectOutside = [&](const std::string &offset, const std::string &length) {
    expectError({{"location", "weights.bin"}, {"offset", offset}, {"length", length}},
                DiagnosticId::ExternalRange, "a file of 16 bytes");
  };
  expectOutside("0", "17");
  expectOutside("13", "4");
  expectOutside("18446744073709551612", "4"); // The sum is 0 in 64 bits.
  expectOutside("4", "18446744073709551615");
  expectError({{"location", "weights.bin"}, {"offset", "17"}}, DiagnosticId::ExternalRange,
              "a file of 16 bytes");
}

TEST_F(ReadExternalData, WantsTheBytesOfTheShape) {
  expectError({{"location", "weights.bin"}, {"length", "3"}}, DiagnosticId::StorageSize, "got 3");
  expectError({{"location", "weights.bin"}}, DiagnosticId::StorageSize, "got 16");
}

TEST_F(ReadExternalData, RefusesBadEntries) {
  using Id = DiagnosticId;
  expectError({}, Id::ExternalKey, "location");
  expectError({{"location", "weights.bin"}, {"basepath", "/"}}, Id::ExternalKey, "\"basepath\"");
  expectError({{"location", "weights.bin"}, {"location", "x"}}, Id::ExternalKey, "twice");
  for (const char *bad : {"", "-1", "+1", " 1", "1 ", "0x4", "1e3", "18446744073709551616"}) {
    expectError({{"location", "weights.bin"}, {"offset", bad}}, Id::ExternalKey, "decimal");
    expectError({{"location", "weights.bin"}, {"length", bad}}, Id::ExternalKey, "decimal");
  }
}

TEST_F(ReadExternalData, RefusesExternalDataOfAModelInMemory) {
  ::onnx::ModelProto proto = identityModel();
  TensorProto *tensor = addTensor(proto, "w", TensorProto::UINT8, {4});
  tensor->set_data_location(TensorProto::EXTERNAL);
  tensor->add_external_data()->set_key("location");
  tensor->mutable_external_data(0)->set_value("weights.bin");
  expectOneError(proto, DiagnosticId::ExternalPath, {"initializer \"w\"", "in memory"});
}
