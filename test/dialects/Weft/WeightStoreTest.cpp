// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data that passes make lies in a file, and not in this process's memory.
#include "dialects/Weft/IR/WeightStore.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <fstream>
#include <unistd.h>

using namespace weft;

namespace {

constexpr int64_t kBytes = 64 << 20;

/// Bytes of memory that this process has.
int64_t residentBytes() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

/// Bytes that tell their places, in a period that no page has.
std::string makePeriod() {
  std::string period;
  for (int64_t i = 0; i < 251 * 1024; ++i)
    period.push_back(char(i % 251));
  return period;
}

class WeightStoreTest : public testing::Test {
protected:
  void SetUp() override { context.loadDialect<WeftDialect>(); }

  WeightAttr make() {
    auto weight = weights().make(&context, kBytes, [&](llvm::MutableArrayRef<char> bytes) {
      for (size_t i = 0; i < bytes.size(); i += period.size())
        std::copy_n(period.begin(), std::min(period.size(), bytes.size() - i), bytes.begin() + i);
    });
    EXPECT_TRUE(bool(weight)) << llvm::toString(weight.takeError());
    return *weight;
  }

  void expectBytes(WeightAttr weight) {
    auto bytes = weights().read(weight);
    ASSERT_TRUE(bool(bytes)) << llvm::toString(bytes.takeError());
    ASSERT_EQ(int64_t(bytes->size()), kBytes);
    llvm::StringRef all(bytes->data(), bytes->size());
    for (size_t i = 0; i < all.size(); i += period.size())
      ASSERT_TRUE(llvm::StringRef(period).starts_with(all.substr(i, period.size()))) << "at " << i;
  }

  WeightStore &weights() { return context.getLoadedDialect<WeftDialect>()->getWeights(); }

  mlir::MLIRContext context;
  const std::string period = makePeriod();
};

} // namespace

TEST_F(WeightStoreTest, MadeDataTakesNoMemory) {
  int64_t before = residentBytes();
  WeightAttr first = make(), second = make();
  EXPECT_LT(residentBytes() - before, kBytes / 2);
  expectBytes(first);
  expectBytes(second);
}

TEST_F(WeightStoreTest, ReleasedDataCanBeReadAgain) {
  WeightAttr weight = make();
  int64_t before = residentBytes();
  expectBytes(weight);
  EXPECT_GT(residentBytes() - before, kBytes / 2);
  weights().release(weight);
  EXPECT_LT(residentBytes() - before, kBytes / 2);
  expectBytes(weight);
}
