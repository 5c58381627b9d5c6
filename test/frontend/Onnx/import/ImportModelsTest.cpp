// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests that read model files: those of the tree, and weights that stay where they lie.
#include "ImportTest.h"
#include "dialects/Weft/IR/Weft.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weft::onnx;
using ::onnx::TensorProto;
namespace fs = llvm::sys::fs;

static std::unique_ptr<Imported> importFile(const std::string &path) {
  auto result = std::make_unique<Imported>();
  result->read = std::make_unique<ReadResult>();
  result->read->model = readOnnxModel(path, result->read->diagnostics);
  importInto(*result);
  return result;
}

/// Reads each weight that lies in a file, which checks its hash; returns how many there are.
static size_t readWeights(Imported &imported) {
  auto &weights = imported.context.getLoadedDialect<weft::WeftDialect>()->getWeights();
  size_t count = 0;
  imported.module->walk([&](weft::ConstantOp op) {
    auto weight = mlir::dyn_cast<weft::WeightAttr>(op.getValue());
    if (!weight)
      return;
    EXPECT_FALSE(weight.getFile().empty()) << weft::getNodeName(op);
    auto bytes = weights.read(weight);
    EXPECT_TRUE(bool(bytes)) << llvm::toString(bytes.takeError());
    ++count;
  });
  return count;
}

TEST(ImportModels, AllOfTheTree) {
  std::error_code error;
  size_t models = 0, weights = 0; // some have none: they are formulas
  for (fs::recursive_directory_iterator entry(WEFT_TEST_DIR "/models", error), end; entry != end && !error;
       entry.increment(error)) {
    if (llvm::sys::path::extension(entry->path()) != ".onnx")
      continue;
    SCOPED_TRACE(entry->path());
    auto result = importFile(entry->path());
    ASSERT_TRUE(result->module) << printed(result->diagnostics());
    EXPECT_TRUE(result->diagnostics().all().empty()) << printed(result->diagnostics());
    weights += readWeights(*result);
    ++models;
  }
  EXPECT_FALSE(error) << error.message();
  EXPECT_GE(models, 60u);
  EXPECT_GT(weights, models);
}

TEST(ImportModels, WeightsStayInTheirFiles) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(fs::createUniqueDirectory("weft-import", folder));
  std::string modelPath = (folder + "/m.onnx").str(), dataPath = (folder + "/sub/w.bin").str();
  ASSERT_FALSE(fs::create_directory(folder + "/sub"));
  auto write = [](const std::string &path, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    out << bytes;
    EXPECT_FALSE(error) << error.message();
  };
  std::string values(400, '\0');
  values[13] = 1;
  write(dataPath, "12345678" + values);

  TestGraph graph;
  graph.input("x", {"100"}, TensorProto::INT32);
  addTensor(graph.model, "inside", TensorProto::INT32, {100})->set_raw_data(values);
  addTensor(graph.model, "same", TensorProto::INT32, {100})->set_raw_data(std::string(400, '\7'));
  TensorProto *typed = addTensor(graph.model, "typed", TensorProto::INT32, {100});
  for (int i = 0; i < 100; ++i)
    typed->add_int32_data(i);
  TensorProto *outside = addTensor(graph.model, "outside", TensorProto::INT32, {100});
  outside->set_data_location(TensorProto::EXTERNAL);
  const std::pair<const char *, const char *> entries[] = {{"location", "sub/w.bin"}, {"offset", "8"}};
  for (auto [key, value] : entries) {
    auto *entry = outside->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  graph.node("Sum", {"x", "same", "inside", "outside", "typed"}, {"y"}).output("y");
  write(modelPath, graph.model.SerializeAsString());

  auto result = importFile(modelPath);
  ASSERT_TRUE(result->module) << printed(result->diagnostics());
  expectFragments(result->text, {"dense<117901063> : tensor<100xi32>", // A splat is inline all the same.
                                 "weight<\"m.onnx\", ", ", 400, ", "weight<\"sub/w.bin\", 8, 400, ",
                                 "weight<\"\", "}); // Spelled out one by one: in no file.
  auto &weights = result->context.getLoadedDialect<weft::WeftDialect>()->getWeights();
  std::vector<std::string> found;
  result->module->walk([&](weft::ConstantOp op) {
    auto weight = mlir::dyn_cast<weft::WeightAttr>(op.getValue());
    if (!weight)
      return;
    auto bytes = weights.read(weight);
    ASSERT_TRUE(bool(bytes)) << llvm::toString(bytes.takeError());
    found.emplace_back(bytes->begin(), bytes->end());
  });
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], values);
  EXPECT_EQ(found[1], values);
  EXPECT_EQ(found[2].substr(0, 8), std::string("\0\0\0\0\1\0\0\0", 8));
  EXPECT_FALSE(fs::remove_directories(folder));
}
