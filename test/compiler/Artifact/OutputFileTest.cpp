// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files hold what was written, however it was cut, and are there when they are whole.
#include "compiler/Artifact/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <random>

using namespace weft;
namespace fs = llvm::sys::fs;

namespace {

constexpr size_t kMiB = size_t(1) << 20;

class OutputFileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("weft-output-file", folder));
    path = (folder + "/out").str();
  }
  void TearDown() override { fs::remove_directories(folder); }

  std::string read() {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    return file ? (*file)->getBuffer().str() : "no file";
  }

  llvm::SmallString<128> folder;
  std::string path;
};

std::string makeBytes(size_t size) {
  std::mt19937 random(7);
  std::string bytes(size, 0);
  std::generate(bytes.begin(), bytes.end(), [&] { return char(random()); });
  return bytes;
}

/// The bytes in parts of these sizes, again and again, until they are all written.
void writeInParts(OutputFile &file, llvm::StringRef bytes, llvm::ArrayRef<size_t> sizes) {
  for (size_t part = 0; !bytes.empty(); ++part) {
    size_t size = std::min(sizes[part % sizes.size()], bytes.size());
    file.write(bytes.take_front(size));
    bytes = bytes.drop_front(size);
  }
}

TEST_F(OutputFileTest, KeepsBytesHoweverTheyAreCut) {
  std::string bytes = makeBytes(7 * kMiB + 3);
  const std::vector<size_t> cuts[] = {
      {8 * kMiB}, {2 * kMiB}, {5 * kMiB + 1, 1}, {4097, 2 * kMiB, 3 * kMiB}, {2 * kMiB - 1, 1, 7}};
  for (const std::vector<size_t> &sizes : cuts) {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(bool(file));
    writeInParts(*file, bytes, sizes);
    EXPECT_EQ(file->size(), bytes.size());
    ASSERT_FALSE(file->commit());
    EXPECT_TRUE(read() == bytes) << "first part of " << sizes.front();
  }
}

TEST_F(OutputFileTest, AlignsFromWhatWasWritten) {
  std::string bytes = makeBytes(2 * kMiB + 5);
  auto file = OutputFile::create(path);
  ASSERT_TRUE(bool(file));
  file->write(llvm::StringRef(bytes));
  file->align(4096);
  EXPECT_EQ(file->size(), 2 * kMiB + 4096);
  ASSERT_FALSE(file->commit());
  EXPECT_TRUE(read() == bytes + std::string(4091, 0));
}

TEST_F(OutputFileTest, IsThereWhenItIsWhole) {
  {
    auto file = OutputFile::create(path);
    ASSERT_TRUE(bool(file));
    file->write(llvm::StringRef("part"));
  }
  EXPECT_EQ(read(), "no file");
}

TEST_F(OutputFileTest, SaysThatADeviceIsFull) {
  for (size_t size : {size_t(5), 3 * kMiB}) {
    auto file = OutputFile::create("/dev/full");
    ASSERT_TRUE(bool(file));
    file->write(llvm::StringRef(makeBytes(size)));
    EXPECT_EQ(llvm::toString(file->commit()),
              "cannot write '/dev/full': No space left on device [weft-0400]");
  }
}

} // namespace
