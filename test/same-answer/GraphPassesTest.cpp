// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each pass of the graph level gives the same answers: every function of its FileCheck file is evaluated
// before and after.
#include "compiler/Graph/GraphPipeline.h"
#include "dialects/Weft/IR/Weft.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "test/same-answer/SameAnswer.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;

namespace {
struct Case {
  const char *file;
  const char *pipeline;
  int evaluations; ///< at least, so that a test that refuses everything fails
};

class GraphPassesTest : public ::testing::TestWithParam<Case> {
public:
  static void SetUpTestSuite() {
    registerGraphPasses();
    registerTransformsPasses();
  }
};
} // namespace

TEST_P(GraphPassesTest, SameAnswer) {
  std::string path = std::string(WEFT_TEST_DIR "/compiler/Graph/") + GetParam().file;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(buffer) << path;
  auto context = test::makeContext();
  // Refused sizes are part of the test; their messages are not.
  ScopedDiagnosticHandler quiet(context.get(), [](Diagnostic &) { return success(); });
  SmallVector<StringRef> modules;
  (*buffer)->getBuffer().split(modules, "// -----");
  int evaluations = 0;
  for (StringRef text : modules) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context.get());
    ASSERT_TRUE(module) << text.str();
    EXPECT_EQ(test::compareAnswers(*module, GetParam().pipeline, /*tolerance=*/2e-5, evaluations), "");
  }
  EXPECT_GE(evaluations, GetParam().evaluations);
}

/// Inference makes constants of operations and erases these: a constant may come to lie where an operation of
/// known contents was.
TEST(InferShapesTest, ConstantsDoNotTakeOtherContents) {
  std::string body, names, types;
  for (int i = 0; i < 300; ++i) {
    std::string at = std::to_string(i);
    body += "%a" + at + " = weft.abs %x : (tensor<1xf32>) -> tensor<1xf32>\n%n" + at + " = weft.neg %a" + at +
            " : (tensor<1xf32>) -> tensor<1xf32>\n%e" + at + " = weft.exp %n" + at +
            " : (tensor<1xf32>) -> tensor<1xf32>\n%s" + at + " = weft.add %e" + at +
            ", %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>\n%c" + at + " = weft.compare eq %s" + at +
            ", %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>\n";
    names += (i ? ", %c" : "%c") + at;
    types += i ? ", tensor<1xi1>" : "tensor<1xi1>";
  }
  std::string text = "func.func @main() -> (" + types +
                     ") {\n%x = weft.constant dense<1.0> : tensor<1xf32>\n" + body + "return " + names +
                     " : " + types + "\n}";
  auto context = test::makeContext();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context.get());
  ASSERT_TRUE(module);
  registerGraphPasses();
  PassManager passes(context.get());
  ASSERT_TRUE(succeeded(parsePassPipeline("func.func(weft-infer-shapes)", passes)));
  ASSERT_TRUE(succeeded(passes.run(*module)));
  auto function = *module->getOps<func::FuncOp>().begin();
  for (Value value : function.front().getTerminator()->getOperands()) {
    auto constant = value.getDefiningOp<ConstantOp>();
    ASSERT_TRUE(constant);
    EXPECT_FALSE(cast<DenseElementsAttr>(constant.getValue()).getSplatValue<bool>());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, GraphPassesTest,
    ::testing::Values(Case{"infer-shapes.mlir", "func.func(weft-infer-shapes)", 25},
                      Case{"fold-constants.mlir", "func.func(weft-fold-constants)", 30},
                      Case{"recognize-gelu.mlir", "func.func(weft-recognize-gelu)", 45},
                      Case{"recognize-norm.mlir", "func.func(weft-recognize-norm)", 80},
                      Case{"recognize-softmax.mlir", "func.func(weft-recognize-softmax)", 70},
                      Case{"normalize-contractions.mlir", "func.func(weft-normalize-contractions)", 40},
                      Case{"fuse-epilogue.mlir", "func.func(weft-fuse-epilogue)", 30},
                      Case{"join-products.mlir", "func.func(weft-join-products)", 15},
                      Case{"fuse-attention.mlir", "func.func(weft-fuse-attention)", 25},
                      Case{"compute-by-distance.mlir", "func.func(weft-compute-by-distance)", 5},
                      Case{"meet-transposes.mlir", "func.func(weft-meet-transposes)", 5},
                      Case{"fuse-chunked-attention.mlir", "func.func(weft-fuse-attention)", 9},
                      Case{"find-key-blocks.mlir", "func.func(weft-find-key-blocks)", 6},
                      Case{"pack-weights.mlir", "func.func(weft-pack-weights)", 15},
                      Case{"graph-pipeline.mlir", "weft-graph", 5}),
    [](const auto &info) {
      std::string name = info.param.file;
      name.resize(name.find('.'));
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });
