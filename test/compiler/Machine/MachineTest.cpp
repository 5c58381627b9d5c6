// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Machine/Machine.h"
#include <gtest/gtest.h>

using namespace weft;

namespace {

std::string leastName(llvm::StringRef machine, llvm::StringRef precision) {
  return leastFor(*findMachine(machine), precision).shortName.str();
}

TEST(Machine, IsFoundByEachName) {
  for (const Machine &machine : getMachines()) {
    EXPECT_EQ(findMachine(machine.name)->level, machine.level);
    EXPECT_EQ(findMachine(machine.shortName)->level, machine.level);
  }
  EXPECT_FALSE(findMachine("z80"));
}

TEST(Machine, CodeAsksForNoMoreThanItUses) {
  for (const char *machine : {"avx512", "vnni", "bf16", "amx"})
    EXPECT_EQ(leastName(machine, "f32"), "avx512");
  for (const char *precision : {"i8", "i4"}) {
    EXPECT_EQ(leastName("avx2", precision), "avx2");
    EXPECT_EQ(leastName("avx512", precision), "avx512");
    EXPECT_EQ(leastName("vnni", precision), "vnni");
    EXPECT_EQ(leastName("bf16", precision), "vnni");
    EXPECT_EQ(leastName("amx", precision), "amx");
    EXPECT_EQ(leastName("neon", precision), "neon");
    EXPECT_EQ(leastName("dotprod", precision), "dotprod");
  }
  EXPECT_EQ(leastName("vnni", "bf16"), "avx512");
  EXPECT_EQ(leastName("bf16", "bf16"), "bf16");
  EXPECT_EQ(leastName("amx", "bf16"), "amx");
  EXPECT_EQ(leastName("dotprod", "bf16"), "neon");
}

} // namespace
