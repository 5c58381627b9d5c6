// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types as the runtime writes them.

#include "runtime/decoding/Signature.h"

#include "gtest/gtest.h"

using namespace weft::decoding;

namespace {

TEST(SignatureTest, Dims) {
  EXPECT_EQ(splitDims("batch x 4 x past+seq x 12 x f32"),
            (std::vector<std::string>{"batch", "4", "past+seq", "12"}));
  EXPECT_EQ(splitDims("2*src+1 x i64"), std::vector<std::string>{"2*src+1"});
  EXPECT_EQ(splitDims("f32"), std::vector<std::string>());
}

TEST(SignatureTest, FixedDims) {
  EXPECT_EQ(fixedDim("12"), 12);
  EXPECT_EQ(fixedDim("0"), 0);
  EXPECT_FALSE(fixedDim("seq"));
  EXPECT_FALSE(fixedDim("2*seq"));
  EXPECT_FALSE(fixedDim(""));
}

} // namespace
