// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linear_attention: what a state holds after each position, gates, shared heads, sizes that do not fit.
#include "EvaluateFixture.h"

using namespace weft;

namespace {
struct LinearAttentionTest : EvaluateTest {
  /// Runs it on these operands; `gates` names those behind the state. Returns the result and the state.
  std::pair<Tensor, Tensor> run(llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<std::string> gates = {}) {
    std::string unknown = "tensor<?x?x?x?xf64>", arguments, clause, types;
    for (size_t i = 0; i < operands.size(); ++i) {
      std::string name = "%x" + std::to_string(i);
      arguments += (i ? ", " : "") + name + ": " + unknown;
      if (i >= 4)
        clause += " " + gates[i - 4] + "(" + name + " : " + unknown + ")";
    }
    std::string text = "func.func @f(" + arguments + ") -> (" + unknown + ", " + unknown +
                       ") {\n  %r, %s = weft.linear_attention %x0, %x1, %x2, %x3" + clause + " : (" +
                       unknown + ", " + unknown + ", " + unknown + ", " + unknown + ") -> (" + unknown +
                       ", " + unknown + ")\n  return ";
    std::string end = " : " + unknown + ", " + unknown + "\n}";
    // The fixture gives the first result.
    return {runFunction(text + "%r, %s" + end, operands), runFunction(text + "%s, %r" + end, operands)};
  }

  /// Two positions of one head: keys of width 2, values of width 1, on a state of (1, 0).
  llvm::SmallVector<Tensor> twoPositions() {
    return {tensor("1x2x1x2xf64", {1, 0, 1, 1}), tensor("1x2x1x2xf64", {1, 2, 3, 4}),
            tensor("1x2x1x1xf64", {10, 100}), tensor("1x1x2x1xf64", {1, 0})};
  }
};
} // namespace

TEST_F(LinearAttentionTest, AddsKeysTimesValues) {
  auto [result, state] = run(twoPositions());
  // (1, 0) + 10 (1, 2) = (11, 20), and + 100 (3, 4) = (311, 420).
  expectTensor(result, "1x2x1x1xf64", {11, 731});
  expectTensor(state, "1x1x2x1xf64", {311, 420});
}

TEST_F(LinearAttentionTest, DecaysRowsAndAll) {
  llvm::SmallVector<Tensor> operands = twoPositions();
  operands.push_back(tensor("1x2x1x2xf64", {0.5, 1, 2, 0}));
  auto [rows, ofRows] = run(operands, {"decay"});
  // (0.5, 0) + (10, 20) = (10.5, 20), and (21, 0) + (300, 400).
  expectTensor(rows, "1x2x1x1xf64", {10.5, 721});
  expectTensor(ofRows, "1x1x2x1xf64", {321, 400});
  operands.back() = tensor("1x2x1x1xf64", {0.5, 2});
  auto [all, ofAll] = run(operands, {"decay"});
  expectTensor(ofAll, "1x1x2x1xf64", {321, 440});
  expectTensor(all, "1x2x1x1xf64", {10.5, 761});
}

TEST_F(LinearAttentionTest, CorrectsByTheDeltaRule) {
  llvm::SmallVector<Tensor> operands = twoPositions();
  operands.push_back(tensor("1x2x1x1xf64", {1, 0.5}));
  auto [result, state] = run(operands, {"rate"});
  // u = 10 - 1 = 9: (10, 18); u = (100 - (30 + 72)) / 2 = -1: (7, 14).
  expectTensor(result, "1x2x1x1xf64", {10, 21});
  expectTensor(state, "1x1x2x1xf64", {7, 14});
}

TEST_F(LinearAttentionTest, DecaysBeforeItCorrects) {
  llvm::SmallVector<Tensor> operands = twoPositions();
  operands.push_back(tensor("1x2x1x1xf64", {2, 1}));
  operands.push_back(tensor("1x2x1x1xf64", {1, 0}));
  auto [result, state] = run(operands, {"decay", "rate"});
  expectTensor(result, "1x2x1x1xf64", {10, 26}); // u = 10 - 2 = 8: (10, 16), which stays
  expectTensor(state, "1x1x2x1xf64", {10, 16});
}

TEST_F(LinearAttentionTest, HeadsBatchesAndColumnsAreApart) {
  // Three query heads of each of two heads, two batches, width 1, values of width 2, one rate for both heads.
  auto [result, state] =
      run({tensor("2x1x6x1xf64", {1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1, 1}), tensor("2x1x2x1xf64", {1, 2, 3, 4}),
           tensor("2x1x2x2xf64", {1, 10, 2, 20, 3, 30, 4, 40}),
           tensor("2x2x1x2xf64", {0, 0, 0, 0, 1, 1, 1, 1}), tensor("2x1x1x1xf64", {1, 2})},
          {"rate"});
  expectTensor(state, "2x2x1x2xf64", {1, 10, 4, 40, 1, 163, 1, 289});
  expectTensor(result, "2x1x6x2xf64", {1, 10,  2, 20,  3, 30,  16, 160, 20, 200, 24, 240,
                                       1, 163, 1, 163, 1, 163, 1,  289, 1,  289, 1,  289});
}

TEST_F(LinearAttentionTest, NoPositionsLeaveTheState) {
  auto [result, state] = run({tensor("1x0x1x2xf64", {}), tensor("1x0x1x2xf64", {}), tensor("1x0x1x1xf64", {}),
                              tensor("1x1x2x1xf64", {3, 4})});
  expectTensor(result, "1x0x1x1xf64", {});
  expectTensor(state, "1x1x2x1xf64", {3, 4});
}

TEST_F(LinearAttentionTest, SizesThatDoNotFitThisRun) {
  llvm::SmallVector<Tensor> operands = twoPositions();
  operands[3] = tensor("1x1x1x1xf64", {1});
  expectError(run(operands).first, "linear-attention-c2");
  operands = twoPositions();
  operands.push_back(tensor("1x1x1x1xf64", {1}));
  expectError(run(operands, {"decay"}).first, "linear-attention-c2");
  expectError(run(operands, {"rate"}).first, "linear-attention-c2");
  operands = {tensor("1x1x3x1xf64", {1, 1, 1}), tensor("1x1x2x1xf64", {1, 1}), tensor("1x1x2x1xf64", {1, 1}),
              tensor("1x2x1x1xf64", {1, 1})};
  expectError(run(operands).first, "linear-attention-c3");
}
