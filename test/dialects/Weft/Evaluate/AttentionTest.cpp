// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention: grouped heads, score regions, captures, rows with nothing kept.
#include "EvaluateFixture.h"

using namespace weft;

namespace {
struct AttentionTest : EvaluateTest {
  /// Runs attention with two query heads over one key head: 2 rows, 3 columns, width 2, values of width 1.
  /// `suffix` is the assembly from `scale` on, without types.
  Tensor run(llvm::StringRef suffix, llvm::ArrayRef<Tensor> captures = {}) {
    llvm::SmallVector<Tensor> inputs{tensor("1x2x2x2xf64", {1, 2, -1, 0.5, 0, 1, 2, -1}),
                                     tensor("1x1x3x2xf64", {1, 0, 0, 1, -1, 2}),
                                     tensor("1x1x3x1xf64", {1, 2, 3})};
    std::string arguments, names, types;
    llvm::raw_string_ostream argumentStream(arguments), nameStream(names), typeStream(types);
    for (auto [i, capture] : llvm::enumerate(captures)) {
      inputs.push_back(capture);
      argumentStream << ", %c" << i << ": " << capture.getType();
      nameStream << (i ? ", %c" : "%c") << i;
      typeStream << (i ? ", " : "") << capture.getType();
    }
    std::string clause = captures.empty() ? "" : "captures(" + names + " : " + types + ")";
    auto [before, region] = suffix.split("score");
    return runFunction(
        "func.func @f(%q: tensor<1x2x2x2xf64>, %k: tensor<1x1x3x2xf64>, %v: tensor<1x1x3x1xf64>" + arguments +
            ") -> tensor<1x2x2x1xf64> {\n  %r = weft.attention %q, %k, %v " + before.str() + clause +
            (region.empty() ? "" : " score" + region.str()) +
            " : (tensor<1x2x2x2xf64>, tensor<1x1x3x2xf64>, tensor<1x1x3x1xf64>)"
            " -> tensor<1x2x2x1xf64>\n  return %r : tensor<1x2x2x1xf64>\n}",
        inputs);
  }
};
} // namespace

TEST_F(AttentionTest, GroupedHeads) {
  expectTensor(run("scale(0.5) empty_rows(nan)"), "1x2x2x1xf64",
               {2.3201566678298065, 2.4581960165098984, 2.3201566678298065, 1.2535155386814116});
}

TEST_F(AttentionTest, RowsWithNothingKept) {
  std::string earlier = R"( score {
    ^bb0(%s: f64, %b: index, %h: index, %i: index, %j: index):
      %keep = arith.cmpi slt, %j, %i : index
      weft.yield %s, %keep : f64, i1
    })";
  expectTensor(run("scale(0.5) empty_rows(zero)" + earlier), "1x2x2x1xf64", {0, 1, 0, 1});
  expectTensor(run("scale(0.5) empty_rows(nan)" + earlier), "1x2x2x1xf64", {kNan, 1, kNan, 1});
}

TEST_F(AttentionTest, CapturesAreBroadcastAndIndicesCount) {
  Tensor mask = integers("1x1x1x3xi1", {1, 0, 1}), bias = tensor("2x1x3xf64", {0.5, -1, 0, 2, 1, -2});
  expectTensor(run(R"(scale(0.5) empty_rows(zero) score {
    ^bb0(%s: f64, %b: index, %h: index, %i: index, %j: index, %keep: i1, %add: f64):
      %product = arith.muli %h, %j : index
      %n = arith.index_cast %product : index to i64
      %f = arith.sitofp %n : i64 to f64
      %s1 = arith.addf %s, %add : f64
      %s2 = arith.addf %s1, %f : f64
      weft.yield %s2, %keep : f64, i1
    })",
                   {mask, bias}),
               "1x2x2x1xf64", {2.2449186624037094, 2.4621171572600096, 1.5378828427399902, 1.01338570184857});
}

TEST_F(AttentionTest, SinksAreScoresOfNoKey) {
  auto runWith = [&](const std::string &value, const std::string &type, const std::string &region) {
    return runFunction(
        "func.func @f(%q: tensor<1x2x2x2xf64>, %k: tensor<1x1x3x2xf64>, %v: tensor<1x1x3x1xf64>)"
        " -> tensor<1x2x2x1xf64> {\n  %sink = weft.constant dense<" +
            value + "> : " + type +
            "\n  %r = weft.attention %q, %k, %v scale(0.5) empty_rows(nan) sink(%sink : " + type + ")" +
            region +
            " : (tensor<1x2x2x2xf64>, tensor<1x1x3x2xf64>, tensor<1x1x3x1xf64>)"
            " -> tensor<1x2x2x1xf64>\n  return %r : tensor<1x2x2x1xf64>\n}",
        {tensor("1x2x2x2xf64", {1, 2, -1, 0.5, 0, 1, 2, -1}), tensor("1x1x3x2xf64", {1, 0, 0, 1, -1, 2}),
         tensor("1x1x3x1xf64", {1, 2, 3})});
  };
  expectTensor(runWith("[[[0.5]], [[-1.0]]]", "tensor<2x1x1xf64>", ""), "1x2x2x1xf64",
               {1.9557534106465004, 1.810518552140129, 2.171323987755034, 1.1330507221423802});
  std::string earlier = R"( score {
    ^bb0(%s: f64, %b: index, %h: index, %i: index, %j: index):
      %keep = arith.cmpi slt, %j, %i : index
      weft.yield %s, %keep : f64, i1
    })";
  // A row that keeps no key has a sum, unless its sink is nothing, too.
  expectTensor(runWith("0.0", "tensor<f64>", earlier), "1x2x2x1xf64",
               {0, 0.37754066879814546, 0, 0.7310585786300049});
  expectTensor(runWith("0xFFF0000000000000", "tensor<f64>", earlier), "1x2x2x1xf64", {kNan, 1, kNan, 1});
  expectTensor(runWith("0x7FF8000000000000", "tensor<f64>", ""), "1x2x2x1xf64", {kNan, kNan, kNan, kNan});
}

TEST_F(AttentionTest, NotANumberInAScoreSpoilsItsRow) {
  Tensor bias = tensor("3xf64", {0, kNan, 0});
  expectTensor(run(R"(scale(0.5) empty_rows(zero) score {
    ^bb0(%s: f64, %b: index, %h: index, %i: index, %j: index, %add: f64):
      %sum = arith.addf %s, %add : f64
      %keep = arith.cmpi sle, %j, %i : index
      weft.yield %sum, %keep : f64, i1
    })",
                   bias),
               "1x2x2x1xf64", {1, kNan, 1, kNan});
}

TEST_F(AttentionTest, SmallFloatsHaveScoresOfF32) {
  // The score 2049 is no f16: there it would be 2048, as the other, and the values would be weighed equally.
  Tensor result = runFunction(
      R"(
    func.func @f(%q: tensor<1x1x1x2xf16>, %k: tensor<1x1x2x2xf16>, %v: tensor<1x1x2x1xf16>) -> tensor<1x1x1x1xf16> {
      %r = weft.attention %q, %k, %v scale(1.0) empty_rows(nan)
        : (tensor<1x1x1x2xf16>, tensor<1x1x2x2xf16>, tensor<1x1x2x1xf16>) -> tensor<1x1x1x1xf16>
      return %r : tensor<1x1x1x1xf16>
    })",
      {tensor("1x1x1x2xf16", {2048, 1}), tensor("1x1x2x2xf16", {1, 0, 1, 1}), tensor("1x1x2x1xf16", {0, 1})});
  expectTensor(result, "1x1x1x1xf16", {0.7310585786300049});
}

TEST_F(AttentionTest, NoKeysNoRowsNoHeads) {
  auto runSizes = [&](const std::string &query, const std::string &key, const std::string &result,
                      const std::string &mode) {
    std::string q = "tensor<" + query + ">", k = "tensor<" + key + ">", r = "tensor<" + result + ">";
    auto ones = [&](const std::string &type) {
      auto parsed = mlir::cast<mlir::RankedTensorType>(mlir::parseType("tensor<" + type + ">", &context));
      return tensor(type, std::vector<double>(parsed.getNumElements(), 1));
    };
    return runFunction("func.func @f(%q: " + q + ", %k: " + k + ") -> " + r +
                           " {\n  %r = weft.attention %q, %k, %k scale(1.0) empty_rows(" + mode + ") : (" +
                           q + ", " + k + ", " + k + ") -> " + r + "\n  return %r : " + r + "\n}",
                       {ones(query), ones(key)});
  };
  for (const char *mode : {"zero", "nan"}) // a sum of nothing
    expectTensor(runSizes("1x1x2x1xf32", "1x1x0x1xf32", "1x1x2x1xf32", mode), "1x1x2x1xf32", {0, 0});
  expectTensor(runSizes("1x1x0x1xf32", "1x1x2x1xf32", "1x1x0x1xf32", "nan"), "1x1x0x1xf32", {});
  expectTensor(runSizes("1x0x2x1xf32", "1x0x2x1xf32", "1x0x2x1xf32", "nan"), "1x0x2x1xf32", {});
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {
struct WeightsTest : EvaluateTest {
  static void replaceAll(std::string &text,
                         llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> words) {
    for (auto [from, to] : words)
      for (size_t at; (at = text.find(from.str())) != std::string::npos;)
        text.replace(at, from.size(), to.str());
  }
  /// The weights and the result, every dim under its own symbol. `bias`, of the scores' type, is added to
  /// them.
  std::array<Tensor, 2> run(llvm::StringRef element, llvm::StringRef score, llvm::StringRef emptyRows,
                            llvm::ArrayRef<Tensor> inputs) {
    std::string text = R"(
      !q = tensor<?x?x?x?xELEMENT, #weft.dims<"b", "h", "n", "d">>
      !k = tensor<?x?x?x?xELEMENT, #weft.dims<"b", "g", "m", "d">>
      !v = tensor<?x?x?x?xELEMENT, #weft.dims<"b", "g", "m", "e">>
      !bias = tensor<?xSCORE, #weft.dims<"m">>
      !result = tensor<?x?x?x?xELEMENT, #weft.dims<"b", "h", "n", "e">>
      !weights = tensor<?x?x?x?xELEMENT, #weft.dims<"b", "h", "n", "m">>
      func.func @f(%q: !q, %k: !k, %v: !v, %bias: !bias) -> !WANTED {
        %result, %weights = weft.attention %q, %k, %v scale(0.5) empty_rows(MODE) captures(%bias : !bias) score {
        ^bb0(%s: SCORE, %b: index, %h: index, %i: index, %j: index, %add: SCORE):
          %keep = arith.constant true
          %sum = arith.addf %s, %add : SCORE
          weft.yield %sum, %keep : SCORE, i1
        } : (!q, !k, !v) -> !result, !weights
        return %WANTED : !WANTED
      })";
    replaceAll(text, {{"ELEMENT", element}, {"SCORE", score}, {"MODE", emptyRows}});
    std::array<Tensor, 2> results;
    for (auto [result, wanted] : llvm::zip_equal(results, std::array{"weights", "result"})) {
      std::string one = text;
      replaceAll(one, {{"WANTED", wanted}});
      result = runFunction(one, inputs);
    }
    return results;
  }
  /// Two query heads over one key head.
  std::array<Tensor, 2> run(llvm::StringRef emptyRows, llvm::ArrayRef<double> bias) {
    return run("f64", "f64", emptyRows,
               {tensor("1x2x2x2xf64", {1, 2, -1, 0.5, 0, 1, 2, -1}),
                tensor("1x1x3x2xf64", {1, 0, 0, 1, -1, 2}), tensor("1x1x3x1xf64", {1, 2, 3}),
                tensor("3xf64", bias)});
  }
};
} // namespace

TEST_F(WeightsTest, AreTheSecondResult) {
  auto [weights, result] = run("nan", {0, 0, 0});
  expectTensor(weights, "1x2x2x3xf64",
               {0.1863237232258476, 0.3071958857184984, 0.506480391055654, 0.13160164714691436,
                0.278600689196273, 0.5897976636568126, 0.1863237232258476, 0.3071958857184984,
                0.506480391055654, 0.7855970345892759, 0.1752903921400367, 0.039112573270687456});
  expectTensor(result, "1x2x2x1xf64",
               {2.3201566678298065, 2.4581960165098984, 2.3201566678298065, 1.2535155386814116});
}

TEST_F(WeightsTest, OfRowsWithNothingKept) {
  std::vector<double> nothing(3, -kInfinity), zeros(12, 0), nans(12, kNan);
  expectTensor(run("zero", nothing)[0], "1x2x2x3xf64", zeros);
  expectTensor(run("nan_to_zero", nothing)[0], "1x2x2x3xf64", zeros);
  expectTensor(run("nan", nothing)[0], "1x2x2x3xf64", nans);
  expectTensor(run("nan", nothing)[1], "1x2x2x1xf64", {kNan, kNan, kNan, kNan});
}

TEST_F(WeightsTest, GuardsTurnNaNIntoZeroButNothingElse) {
  // A score of infinity makes a softmax of NaN, as one of NaN does.
  for (double spoiler : {kNan, kInfinity}) {
    std::vector<double> bias{0, spoiler, 0};
    expectTensor(run("nan_to_zero", bias)[0], "1x2x2x3xf64", std::vector<double>(12, 0));
    expectTensor(run("nan_to_zero", bias)[1], "1x2x2x1xf64", {0, 0, 0, 0});
    for (const char *mode : {"nan", "zero"}) {
      EXPECT_TRUE(std::isnan(run(mode, bias)[0].getFloat(1)));
      expectTensor(run(mode, bias)[1], "1x2x2x1xf64", {kNan, kNan, kNan, kNan});
    }
  }
  expectTensor(run("nan_to_zero", {-kInfinity, 0, -kInfinity})[0], "1x2x2x3xf64",
               {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0});
}

TEST_F(WeightsTest, AreRoundedOnce) {
  for (std::string element : {"f16", "bf16"}) {
    auto [weights, result] = run(element, "f32", "nan",
                                 {tensor("1x1x1x1x" + element, {0}), tensor("1x1x3x1x" + element, {1, 1, 1}),
                                  tensor("1x1x3x1x" + element, {3, 3, 3}), tensor("3xf32", {0, 0, 0})});
    expectTensor(weights, "1x1x1x3x" + element, {1.0 / 3, 1.0 / 3, 1.0 / 3});
    expectTensor(result, "1x1x1x1x" + element, {3}); // not of weights that were rounded before
  }
}

TEST_F(WeightsTest, OfNoKeysAndNoRows) {
  auto [weights, result] = run("f32", "f32", "nan",
                               {tensor("1x2x2x1xf32", {1, 1, 1, 1}), tensor("1x1x0x1xf32", {}),
                                tensor("1x1x0x1xf32", {}), tensor("0xf32", {})});
  expectTensor(weights, "1x2x2x0xf32", {});
  expectTensor(result, "1x2x2x1xf32", {0, 0, 0, 0});
  expectTensor(run("f32", "f32", "nan",
                   {tensor("1x2x0x1xf32", {}), tensor("1x1x1x1xf32", {1}), tensor("1x1x1x1xf32", {1}),
                    tensor("1xf32", {0})})[0],
               "1x2x0x1xf32", {});
}

TEST_F(AttentionTest, SizesThatDoNotFitThisRun) {
  std::string type = "tensor<?x?x?x?xf32>";
  std::string text = "func.func @f(%q: " + type + ", %k: " + type + ", %v: " + type +
                     ", %c: tensor<?xf32>) -> " + type + R"( {
    %r = weft.attention %q, %k, %v scale(1.0) empty_rows(nan) captures(%c : tensor<?xf32>) score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %add: f32):
      %keep = arith.constant true
      %sum = arith.addf %s, %add : f32
      weft.yield %sum, %keep : f32, i1
    } : ()" + type + ", " +
                     type + ", " + type + ") -> " + type + "\n  return %r : " + type + "\n}";
  auto ones = [&](llvm::StringRef type, int64_t count) {
    return tensor(type, std::vector<double>(count, 1));
  };
  Tensor q = ones("1x2x2x2xf32", 8), k = ones("1x1x3x2xf32", 6), v = ones("1x1x3x1xf32", 3),
         c = ones("3xf32", 3);
  EXPECT_TRUE(bool(runFunction(text, {q, k, v, c}))) << error;
  expectError(runFunction(text, {q, k, ones("1x1x2x1xf32", 2), c}), "attention-c2");
  expectError(runFunction(text, {q, ones("1x1x3x1xf32", 3), v, c}), "attention-c2");
  expectError(runFunction(text, {q, ones("1x3x3x2xf32", 18), ones("1x3x3x1xf32", 9), c}), "attention-c3");
  expectError(runFunction(text, {q, k, v, ones("2xf32", 2)}), "attention-c4");
}
