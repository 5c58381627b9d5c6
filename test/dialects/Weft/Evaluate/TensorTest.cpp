// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors: limits, sharing, element conversion; index algebra.
#include "EvaluateFixture.h"

using namespace weft;
using llvm::ArrayRef;

namespace {
struct TensorTest : EvaluateTest {
  mlir::Type f32 = mlir::Float32Type::get(&context), f16 = mlir::Float16Type::get(&context),
             bf16 = mlir::BFloat16Type::get(&context), f64 = mlir::Float64Type::get(&context);
  mlir::Type integer(unsigned width) { return mlir::IntegerType::get(&context, width); }
  mlir::Type unsignedInteger(unsigned width) {
    return mlir::IntegerType::get(&context, width, mlir::IntegerType::Unsigned);
  }
  double rounded(mlir::Type element, double value) {
    return Tensor::fromFloats(element, {}, {value}).getFloat(0);
  }
  int64_t stored(mlir::Type element, double value) {
    return Tensor::fromFloats(element, {}, {value}).getInteger(0);
  }
};
} // namespace

TEST_F(TensorTest, RefusesSizesBeyondTheLimit) {
  EXPECT_EQ(Tensor::countBytes(f32, {2, 3}), 24);
  EXPECT_EQ(Tensor::countBytes(f32, {}), 4);
  EXPECT_EQ(Tensor::countBytes(integer(1), {5, 0}), 0);
  EXPECT_EQ(Tensor::countBytes(integer(8), {Tensor::kMaxBytes}), Tensor::kMaxBytes);
  EXPECT_EQ(Tensor::countBytes(integer(16), {Tensor::kMaxBytes}), std::nullopt);
  EXPECT_EQ(Tensor::countBytes(f32, {-1}), std::nullopt);
  EXPECT_EQ(Tensor::countBytes(f32, {int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  EXPECT_EQ(Tensor::countBytes(f32, {0, int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  EXPECT_EQ(Tensor::countBytes(integer(7), {1}), std::nullopt);
  EXPECT_FALSE(bool(Tensor::zeros(f32, {int64_t(1) << 62})));
  EXPECT_FALSE(bool(Tensor::fromBytes(f32, {2}, {'a', 'b', 'c'})));
  EXPECT_FALSE(bool(Tensor::fromFloats(f32, {2}, {1, 2, 3})));
}

TEST_F(TensorTest, CopiesAreValues) {
  Tensor first = Tensor::fromFloats(f32, {2}, {1, 2}), second = first;
  second.setFloat(0, 5);
  EXPECT_EQ(first.getFloat(0), 1);
  EXPECT_EQ(second.getFloat(0), 5);
  EXPECT_EQ(second.getFloat(1), 2);
}

TEST_F(TensorTest, RoundsFloatsToNearestEven) {
  EXPECT_EQ(rounded(f16, 1.0 / 3), 0.333251953125);
  EXPECT_EQ(rounded(f16, 65519.9), 65504);
  EXPECT_EQ(rounded(f16, 65520), kInfinity);
  EXPECT_EQ(rounded(f16, 1e-8), 0);
  EXPECT_EQ(rounded(f16, 5.9604645e-08), 5.960464477539063e-08);
  EXPECT_EQ(rounded(f16, 2049), 2048);
  EXPECT_EQ(rounded(bf16, 1.0 / 3), 0.333984375);
  EXPECT_EQ(rounded(bf16, 1.00390625), 1.0);
  EXPECT_EQ(rounded(bf16, 1.01171875), 1.015625);
  EXPECT_EQ(rounded(bf16, 3.4e38), kInfinity);
  EXPECT_EQ(rounded(f32, 1e300), kInfinity);
  EXPECT_EQ(rounded(f32, 0.1), 0.10000000149011612);
  EXPECT_TRUE(std::isnan(rounded(f16, kNan)));
  EXPECT_TRUE(std::signbit(rounded(bf16, -0.0)));
}

TEST_F(TensorTest, FloatsSaturateInIntegers) {
  EXPECT_EQ(stored(integer(8), 127.9), 127);
  EXPECT_EQ(stored(integer(8), 128), 127);
  EXPECT_EQ(stored(integer(8), 300), 127);
  EXPECT_EQ(stored(integer(64), 9223372036854775808.0), INT64_MAX);
  EXPECT_EQ(stored(integer(8), -300), -128);
  EXPECT_EQ(stored(integer(8), -1.9), -1);
  EXPECT_EQ(stored(integer(64), kInfinity), INT64_MAX);
  EXPECT_EQ(stored(integer(64), -kInfinity), INT64_MIN);
  EXPECT_EQ(stored(integer(64), 9.3e18), INT64_MAX);
  EXPECT_EQ(stored(integer(32), kNan), 0);
  EXPECT_EQ(stored(unsignedInteger(8), -3), 0);
  EXPECT_EQ(stored(unsignedInteger(32), 4e9), 4000000000);
  EXPECT_EQ(stored(unsignedInteger(64), 1e30), -1); // All bits are set.
  EXPECT_EQ(stored(integer(1), kNan), 1);
  EXPECT_EQ(stored(integer(1), -0.0), 0);
  EXPECT_EQ(stored(integer(1), 0.25), 1);
}

TEST_F(TensorTest, IntegersAreRoundedOnce) {
  // Through a double these would be ties first.
  int64_t aboveTie = (int64_t(1) << 60) + (int64_t(1) << 36) + 1;
  EXPECT_EQ(Tensor::fromIntegers(f32, {}, {aboveTie}).getFloat(0), 1152921642045800448.0);
  EXPECT_EQ(Tensor::fromIntegers(bf16, {}, {(int64_t(1) << 60) + (int64_t(1) << 52) + 1}).getFloat(0),
            std::ldexp(1 + 1.0 / 128, 60));
  Tensor value = Tensor::zeros(f64, {});
  value.setInteger(0, -1, /*isUnsigned=*/true);
  EXPECT_EQ(value.getFloat(0), std::ldexp(1.0, 64));
  EXPECT_EQ(Tensor::fromIntegers(unsignedInteger(64), {}, {-1}).getFloat(0), std::ldexp(1.0, 64));
  EXPECT_EQ(Tensor::fromIntegers(integer(8), {}, {300}).getInteger(0), 44);
  EXPECT_EQ(Tensor::fromIntegers(unsignedInteger(16), {}, {-1}).getInteger(0), 65535);
}

TEST_F(TensorTest, IndexAlgebra) {
  EXPECT_EQ(getStrides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(getPlace({1, 2, 3}, {12, 4, 1}), 23);
  EXPECT_EQ(unravel(23, {2, 3, 4}), (Strides{1, 2, 3}));
  EXPECT_EQ(broadcastShapes({3, 1}, {5, 1, 4}), (Shape{5, 3, 4}));
  EXPECT_EQ(broadcastShapes({}, {2}), (Shape{2}));
  EXPECT_EQ(broadcastShapes({0}, {1}), (Shape{0}));
  EXPECT_EQ(broadcastShapes({2}, {3}), std::nullopt);
  EXPECT_TRUE(broadcastsTo({1, 4}, {3, 4}));
  EXPECT_FALSE(broadcastsTo({3, 4}, {1, 4}));
  EXPECT_FALSE(broadcastsTo({1, 1, 4}, {3, 4}));
  EXPECT_EQ(getBroadcastStrides({3, 1}, {5, 3, 4}), (Strides{0, 1, 0}));
  int visits = 0;
  forEachIndex({}, [&](ArrayRef<int64_t> index) { visits += index.empty(); });
  forEachIndex({2, 0}, [&](ArrayRef<int64_t>) { visits += 100; });
  EXPECT_EQ(visits, 1);
  llvm::SmallVector<int64_t> places;
  forEachIndex({2, 3}, [&](ArrayRef<int64_t> index) { places.push_back(getPlace(index, {3, 1})); });
  EXPECT_EQ(places, (Strides{0, 1, 2, 3, 4, 5}));
}
