// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npz files as weights: what is read, and that no damaged file is read beyond its end.
#include "frontend/Builder/NpzWeights.h"
#include "frontend/Builder/SeededWeights.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace weft;

namespace {

class NpzWeightsTest : public testing::Test {
protected:
  NpzWeightsTest()
      : handler(&context, [this](Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; }) {
    llvm::SmallString<128> folder;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("npz-weights", folder));
    path = (folder + "/w.npz").str();
  }
  ~NpzWeightsTest() override { llvm::sys::fs::remove_directories(llvm::sys::path::parent_path(path)); }

  void write(StringRef bytes) {
    std::error_code failed;
    llvm::raw_fd_ostream(path, failed) << bytes;
    ASSERT_FALSE(failed);
  }
  std::string read() { return (*llvm::MemoryBuffer::getFile(path))->getBuffer().str(); }

  /// Two arrays: one that is a handle, one that is inline.
  std::string makeArchive() {
    GraphBuilder graph(&context, "main");
    SeededWeights weights(1);
    weights.get(graph, "large", {20, 30});
    weights.get(graph, "layers.0.norm1.weight", {7});
    EXPECT_FALSE(llvm::errorToBool(weights.save(path)));
    return read();
  }

  /// Opens the file and asks for an array; empty, or what is wrong.
  std::string ask(StringRef name, ArrayRef<int64_t> shape) {
    errors.clear();
    auto weights = NpzWeights::open(path);
    if (!weights)
      return llvm::toString(weights.takeError());
    GraphBuilder graph(&context, "main");
    Value value = (*weights)->get(graph, name, shape);
    EXPECT_EQ(!value, graph.failed());
    EXPECT_EQ(!value, !errors.empty());
    return errors;
  }

  MLIRContext context;
  std::string errors, path;
  ScopedDiagnosticHandler handler;
};

TEST_F(NpzWeightsTest, LargeArraysAreHandlesIntoTheFile) {
  std::string archive = makeArchive();
  auto weights = NpzWeights::open(path);
  ASSERT_TRUE(bool(weights)) << llvm::toString(weights.takeError());
  GraphBuilder graph(&context, "main");
  Value large = (*weights)->get(graph, "large", {20, 30});
  ASSERT_TRUE(large) << errors;
  auto handle = dyn_cast<WeightAttr>(large.getDefiningOp<ConstantOp>().getValue());
  ASSERT_TRUE(handle);
  EXPECT_EQ(handle.getFile(), path);
  EXPECT_EQ(handle.getBytes(), 20 * 30 * 4);
  auto bytes = context.getLoadedDialect<WeftDialect>()->getWeights().read(handle);
  ASSERT_TRUE(bool(bytes)) << llvm::toString(bytes.takeError());
  EXPECT_EQ(StringRef(bytes->data(), bytes->size()),
            StringRef(archive).substr(handle.getOffset(), 20 * 30 * 4));
  Value small = (*weights)->get(graph, "layers.0.norm1.weight", {7});
  ASSERT_TRUE(small) << errors;
  auto dense = dyn_cast<DenseElementsAttr>(small.getDefiningOp<ConstantOp>().getValue());
  ASSERT_TRUE(dense);
  for (const APFloat &value : dense.getValues<APFloat>())
    EXPECT_NEAR(value.convertToFloat(), 1, 0.1 + 1e-6); // of a norm
}

TEST_F(NpzWeightsTest, WhatIsMissingOrOtherIsNamed) {
  makeArchive();
  EXPECT_EQ(ask("large", {20, 30}), "");
  EXPECT_EQ(ask("smaller", {20, 30}), "weights '" + path + "' have no array \"smaller\"\n");
  EXPECT_EQ(ask("large", {30, 20}),
            "weights '" + path + "': expects an array \"large\" of shape [30, 20], got [20, 30]\n");
  EXPECT_EQ(ask("large", {}),
            "weights '" + path + "': expects an array \"large\" of shape [], got [20, 30]\n");
}

TEST_F(NpzWeightsTest, FilesThatAreNoArchives) {
  write("");
  EXPECT_NE(ask("x", {1}).find("are no .npz file, or cut short"), std::string::npos);
  write("PK");
  EXPECT_NE(ask("x", {1}).find("are no .npz file, or cut short"), std::string::npos);
  path = llvm::sys::path::parent_path(path).str() + "/none.npz";
  EXPECT_NE(ask("x", {1}).find("No such file"), std::string::npos);
  path = llvm::sys::path::parent_path(path).str() + "/w.npz";
}

TEST_F(NpzWeightsTest, ColumnMajorArrays) {
  std::string archive = makeArchive();
  for (size_t at = archive.find("False"); at != std::string::npos; at = archive.find("False", at))
    archive.replace(at, 5, "True ");
  write(archive);
  EXPECT_NE(ask("large", {20, 30}).find("in column-major order"), std::string::npos) << errors;
  EXPECT_EQ(ask("layers.0.norm1.weight", {7}), ""); // of one dim it makes no difference
}

/// Every shorter file, and many with a changed byte: an error or the weight, and nothing else happens.
TEST_F(NpzWeightsTest, DamagedFiles) {
  std::string archive = makeArchive();
  for (size_t size = 0; size < archive.size(); size += size > 64 && size + 600 < archive.size() ? 97 : 7) {
    write(StringRef(archive).take_front(size));
    EXPECT_NE(ask("large", {20, 30}), "") << "of " << size << " bytes";
  }
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = archive;
    size_t directory = archive.size() - 400; // where most of what is read is; headers are before it
    size_t at = i % 4 == 0 ? random() % archive.size() : directory + random() % 400;
    damaged[at] = i % 3 == 0 ? '\xFF' : char(random());
    write(damaged);
    ask("large", {20, 30});
    ask("layers.0.norm1.weight", {7});
  }
}

} // namespace
