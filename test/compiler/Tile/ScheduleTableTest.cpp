// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of schedules as text, and which schedules there can be.
#include "compiler/Tile/ScheduleTable.h"
#include "compiler/Artifact/EmitPTX.h"
#include "compiler/Machine/Machine.h"
#include "gtest/gtest.h"

using namespace weft;

namespace {

TEST(ScheduleTable, PrintsWhatItReads) {
  std::vector<ScheduleEntry> entries{{"sm_80", {"ui8 x i8", 3, 4, 512}, {64, 128, 256, 2}},
                                     {"x86-64-v3", {"f32", 1, 2, 3}, {5}},
                                     {"a \"quoted\" name", {"f32", 1, 2, 3}, {}}};
  std::string text = printSchedules(entries);
  llvm::Expected<std::vector<ScheduleEntry>> read = parseSchedules(text);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  ASSERT_EQ(read->size(), entries.size());
  for (auto [one, other] : llvm::zip_equal(*read, entries)) {
    EXPECT_EQ(one.machine, other.machine);
    EXPECT_TRUE(one.product.isLike(other.product));
    EXPECT_EQ(one.product.rows, other.product.rows);
    EXPECT_TRUE(one.schedule == other.schedule);
  }
  EXPECT_EQ(printSchedules(*read), text);
  EXPECT_EQ(printSchedules({}), "{\"schedules\": [\n]}\n");
}

TEST(ScheduleTable, SaysWhereItIsWrong) {
  auto problemOf = [](llvm::StringRef text) {
    auto read = parseSchedules(text);
    return read ? "" : llvm::toString(read.takeError());
  };
  auto entry = [](llvm::StringRef rows, llvm::StringRef schedule) {
    return ("{\"schedules\": [{\"machine\": \"a\", \"type\": \"f32\", \"rows\": " + rows +
            ", \"columns\": 1, \"depth\": 1, \"schedule\": " + schedule + "}]}")
        .str();
  };
  EXPECT_EQ(problemOf(entry("1", "{}")), "");
  EXPECT_EQ(problemOf("[]"), "expected object");
  EXPECT_EQ(problemOf("{"), "[1:1, byte=1]: Expected object key");
  EXPECT_EQ(problemOf("{}"), "missing value at (root).schedules");
  EXPECT_EQ(problemOf(entry("0", "{}")), "expected a positive number at (root).schedules[0].rows");
  EXPECT_EQ(problemOf(entry("1", "{\"lines\": 1}")),
            "expected rows, columns, hopper_columns, hopper_cluster or parts at "
            "(root).schedules[0].schedule.lines");
  EXPECT_EQ(problemOf(entry("1", "[]")), "expected an object of sizes at (root).schedules[0].schedule");
}

TEST(ScheduleTable, KnownOnesAreOfMachinesAndCanBe) {
  for (const ScheduleEntry &entry : getKnownSchedules()) {
    bool isGPU = llvm::any_of(getGPUs(), [&](const GPU &gpu) { return gpu.name == entry.machine; });
    EXPECT_TRUE(isGPU || findMachine(entry.machine)) << entry.machine;
    EXPECT_EQ(whyNot(entry.schedule, entry.product, isGPU), "");
  }
}

TEST(Schedule, IsTextAndBack) {
  EXPECT_EQ((Schedule{64, 128, 256, 1, 2}).toString(),
            "rows=64,columns=128,hopper_columns=256,hopper_cluster=1,parts=2");
  EXPECT_EQ((Schedule{0, 8}).toString(), "columns=8");
  EXPECT_EQ(Schedule().toString(), "");
  for (const Schedule &schedule : {Schedule{64, 128, 256, 1, 2}, Schedule{0, 8}, Schedule{}})
    EXPECT_TRUE(Schedule::parse(schedule.toString()) == schedule);
  for (const char *wrong : {"rows", "rows=", "rows=a", "lines=3", "rows=3 columns=4"})
    EXPECT_FALSE(Schedule::parse(wrong)) << wrong;
}

TEST(Schedule, FitsProducts) {
  const Product many{"bf16", 128, 64, 512}, unknown{"bf16", mlir::ShapedType::kDynamic, 64, 512},
      few{"bf16", 8, 64, 512}, wide{"f64", 128, 64, 512}, bytes{"ui8 x i8", 128, 64, 512},
      integers{"i32", 128, 64, 512};
  for (const Product &product : {many, unknown, bytes})
    EXPECT_EQ(whyNot({64, 128, 256, 2, 8}, product, true), "");
  EXPECT_EQ(whyNot({64, 128, 256, 2, 9}, many, true), "parts of the depth are 64 or more");
  EXPECT_EQ(whyNot({32}, many, true), "rows and columns are 64 or 128");
  EXPECT_EQ(whyNot({64, 256}, many, true), "rows and columns are 64 or 128");
  EXPECT_EQ(whyNot({0, 0, 32}, many, true), "hopper_columns are 64, 128 or 256");
  EXPECT_EQ(whyNot({0, 0, 0, 4}, many, true), "a hopper_cluster is of 1 or 2");
  EXPECT_EQ(whyNot({0, 0, 64, 2}, many, true), "a hopper_cluster of 2 has 128 or 256 hopper_columns");
  EXPECT_EQ(whyNot({0, 16}, few, true), "");
  EXPECT_EQ(whyNot({0, 64}, few, true), "for at most 8 rows columns are 8, 16 or 32");
  EXPECT_EQ(whyNot({8, 16}, few, true), "for at most 8 rows there are columns alone");
  EXPECT_EQ(whyNot({0, 16}, unknown, true), "rows and columns are 64 or 128");
  EXPECT_EQ(whyNot({64, 64, 0, 0, 2}, wide, true), "");
  EXPECT_EQ(whyNot({128, 64}, wide, true), "rows and columns of 64 bits are 64");
  EXPECT_EQ(whyNot({64, 64, 0, 0, 1}, integers, true), "");
  EXPECT_EQ(whyNot({64, 64, 0, 0, 2}, integers, true), "products of integers have no parts");
  EXPECT_EQ(whyNot({-64}, many, true), "sizes are not negative");
  EXPECT_EQ(whyNot({5}, many, false), "");
  EXPECT_EQ(whyNot({5000}, many, false), "rows are at most 4096");
  EXPECT_EQ(whyNot({5, 48}, many, false), "for CPUs there are rows alone");
}

} // namespace
